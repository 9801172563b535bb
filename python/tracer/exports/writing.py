"""Writes text in pieces, for several formats: an export may be larger than memory should hold."""

from __future__ import annotations

from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

PIECES = 2**11  # in one write; a piece is about a line
LARGEST_WRITE = 2**18  # bytes: they fit into a processor's cache


def write_text(out: BinaryIO, pieces: Iterable[str]) -> None:
    """Write text that comes in pieces, PIECES of them at a time."""
    rest = iter(pieces)
    while chunk := list(islice(rest, PIECES)):
        out.write("".join(chunk).encode())
