"""Opens the socket that serves the page, and writes its address.

The command opens the socket before it starts a program that it shows live. So this file imports
nothing that would be in the program's way. page_server.py answers the requests.
"""

from __future__ import annotations

import _socket
import os
from errno import EACCES, EADDRINUSE

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of this machine
TOKEN_BYTES = 16
QUEUE = 64

AnySocket = _socket.socket


class AddressError(Exception):
    """No socket can listen on this address. The text is one line: the reason and the remedy."""


def listen(host: str, port: int, remedy: str = "") -> AnySocket:
    """A socket that listens there; port 0 takes any free port. Raises AddressError, whose text ends
    with `remedy`."""
    ending = remedy and f"; {remedy}"
    try:
        # As bytes: for text the interpreter would use a codec that imports a dozen modules.
        family, kind, protocol, _, address = _socket.getaddrinfo(
            os.fsencode(host), port, type=_socket.SOCK_STREAM
        )[0]
        listener = AnySocket(family, kind, protocol)
    except (OSError, ValueError) as error:
        text = f"{host!r} is no address of this machine: {reason(error)}"
        raise AddressError(text + ending) from None
    try:
        listener.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(QUEUE)
    except (OSError, OverflowError) as error:
        listener.close()
        raise AddressError(refusal(host, port, error) + ending) from None
    return listener


def refusal(host: str, port: int, error: Exception) -> str:
    """Why no socket can listen on this address."""
    number = getattr(error, "errno", None)
    if number == EADDRINUSE:
        return f"port {port} of {host} is in use"
    if number == EACCES:
        return f"port {port} of {host} may not be used by you"
    which = f"port {port} of {host}" if port else host
    return f"cannot listen on {which}: {reason(error)}"


def reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def new_token() -> str:
    return os.urandom(TOKEN_BYTES).hex()


def is_loopback(listener: AnySocket) -> bool:
    """Whether only this machine can reach the socket."""
    host: str = listener.getsockname()[0]
    return host == "::1" or host.startswith("127.")


def url_of(listener: AnySocket, token: str) -> str:
    """The address to open. A socket that listens everywhere has this machine's name in it, for
    other machines."""
    host, port = listener.getsockname()[:2]
    if host in EVERYWHERE:
        host = _socket.gethostname()
    if ":" in host:
        host = f"[{host}]"
    return f"http://{host}:{port}/{token}/"
