"""The options of the page: those that `view` and `html` share, and where it is served."""

from __future__ import annotations

from tracer.cli.options.option import HELP, PHASES, RAW, Options, option
from tracer.launch.errors import UsageError
from tracer.server.address import LOOPBACK


class PageOptions(Options):
    compare: bool = option("--compare", "also show what changed from the first FILE to the second")
    sources: bool = option("--sources", "show the source of libraries, too")
    phases: str | None = PHASES
    raw: bool = RAW
    help: bool = HELP


def address_of(text: str) -> tuple[str, int]:
    """The host and port of [HOST:]PORT. An empty text means a free port of this machine. Raises
    UsageError."""
    host, colon, digits = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    number = port_number(digits) if text else 0
    if number is None or (colon and not host):
        raise UsageError(f"--live={text}: give PORT or HOST:PORT; a port is from 0 (any) to 65535")
    return host or LOOPBACK, number


def port_of(text: str) -> int:
    number = port_number(text)
    if number is None:
        raise UsageError(f"-p {text!r}: give the number of a port, from 0 (any) to 65535")
    return number


def port_number(digits: str) -> int | None:
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 5:
        return None
    number = int(digits)
    return number if number < 2**16 else None
