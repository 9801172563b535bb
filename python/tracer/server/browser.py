"""How the page is got to: opening a browser, and what is said of the address.

Said before a program runs that is shown live, too: so nothing is imported here at once.
"""

from __future__ import annotations

import _socket
import os
import sys

from tracer.server.address import EVERYWHERE, LOOPBACK, is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.server.address import AnySocket

# What says that there is a screen, or a browser that needs none.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def has_screen() -> bool:
    return sys.platform == "darwin" or any(os.environ.get(name) for name in SCREENS)


def remarks(listener: AnySocket) -> list[str]:
    """What whoever is told of the address should know besides, if anything."""
    host, port = listener.getsockname()[:2]
    if not is_loopback(listener):
        reach = "other machines" if host in EVERYWHERE else f"whoever can reach {host}"
        return [
            f"warning: this is open to {reach}, unencrypted: whoever has the address sees the "
            "program's names and source"
        ]
    if has_screen():
        return []
    there = f"[{host}]" if ":" in host else LOOPBACK
    return [
        f"from another machine: ssh -N -L {port}:{there}:{port} {_socket.gethostname()}, "
        "then open the address there"
    ]


def open_browser(url: str) -> bool:
    """Whether a browser was started. One that draws in the terminal is not what is wanted."""
    import webbrowser

    try:
        return has_screen() and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False
