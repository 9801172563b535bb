"""Opens a browser on the page, and makes the remarks that are printed beside the address.

The command also uses this file before a program that it shows live. So this file imports large
modules only when it needs them.
"""

from __future__ import annotations

import _socket
import os
import sys

from tracer.server.address import EVERYWHERE, LOOPBACK, is_loopback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.server.address import AnySocket

# Variables that say that there is a screen, or a browser that needs none.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def has_screen() -> bool:
    return sys.platform == "darwin" or any(os.environ.get(name) for name in SCREENS)


def remarks(listener: AnySocket) -> list[str]:
    """Warnings and hints for the reader of the address, if any."""
    host, port = listener.getsockname()[:2]
    if not is_loopback(listener):
        reach = "other machines" if host in EVERYWHERE else f"whoever can reach {host}"
        return [
            f"warning: this is open to {reach}, unencrypted: whoever has the address sees the "
            "program's names and source"
        ]
    if has_screen():
        return []
    there = f"[{host}]" if ":" in host else host
    # By itself, ssh listens at 127.0.0.1 and ::1 alone, and the address that is opened is `there`.
    bound = "" if host in (LOOPBACK, "::1") else f"{there}:"
    return [
        f"from another machine: ssh -N -L {bound}{port}:{there}:{port} {_socket.gethostname()}, "
        "then open the address there"
    ]


def open_browser(url: str) -> bool:
    """Whether a browser was started. Without a screen none is: a browser would draw in the
    terminal."""
    import webbrowser

    try:
        return has_screen() and webbrowser.open(url)
    except (webbrowser.Error, OSError):
        return False
