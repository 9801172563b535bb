"""Listening where the command line says, or saying in one line why not."""

from __future__ import annotations

from tracer.launch.errors import UsageError
from tracer.server.address import AddressError, listen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.server.address import AnySocket


def listener_for(host: str, port: int, remedy: str) -> AnySocket:
    """A socket to serve on. Raises UsageError."""
    try:
        return listen(host, port)
    except AddressError as error:
        raise UsageError(f"{error}; {remedy}") from None
