"""The container of the page's data: columns of integers as byte planes, a JSON header, gzip.

All lowest bytes of a column stand together, then all second bytes, and so on up to the last that is
not all zero. So gzip does the packing, and Python does nothing for each number. README.md defines
the format; container.js reads it.
"""

from __future__ import annotations

import base64
import json
import struct
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any, TypedDict

VERSION = 2
GZIP = 31  # zlib's number for a window of 32 KiB with gzip's head and sum
PIECE = 1 << 20
LIMITS = {"I": (0, 2**32 - 1), "Q": (0, 2**64 - 1), "q": (-(2**63), 2**63 - 1)}


class Block(TypedDict, total=False):
    """Where a column stands behind the header: an object of the header."""

    at: int
    count: int
    planes: int
    signed: bool


class Blocks:
    """Columns, one behind another."""

    def __init__(self) -> None:
        self.planes: list[bytes] = []
        self.size: int = 0

    def add(self, numbers: array[int]) -> Block:
        """Append a column of integers, of any typecode that arrays have for them."""
        width = numbers.itemsize
        data = numbers.tobytes()
        planes = [data[place::width] for place in _from_lowest(width)]
        signed = numbers.typecode.islower() and max(planes[-1], default=0) >= 128
        if not signed:
            while planes and not any(planes[-1]):
                planes.pop()
        block: Block = {"at": self.size, "count": len(numbers), "planes": len(planes)}
        if signed:
            block["signed"] = True
        self.planes += planes
        self.size += sum(map(len, planes))
        return block

    def column(self, numbers: Iterable[int], typecode: str = "Q") -> Block:
        """Append a column that is no array yet. A number outside the typecode's limits becomes the
        nearest limit; only a damaged file has such numbers."""
        listed = list(numbers)
        try:
            return self.add(array(typecode, listed))
        except OverflowError:
            least, most = LIMITS[typecode]
            return self.add(array(typecode, [min(max(least, number), most) for number in listed]))


def _from_lowest(width: int) -> range:
    return range(width) if sys.byteorder == "little" else range(width - 1, -1, -1)


def zipped(data: bytes) -> bytes:
    """gzip. The same data always gives the same bytes."""
    compressor = zlib.compressobj(9, wbits=GZIP)
    return compressor.compress(data) + compressor.flush()


def packed(header: dict[str, Any], blocks: Blocks) -> Iterator[bytes]:
    """The container, in pieces."""
    text = json.dumps({"version": VERSION, **header}, separators=(",", ":")).encode("ascii")
    compressor = zlib.compressobj(6, wbits=GZIP)
    for part in chain([struct.pack("<I", len(text)), text], blocks.planes):
        for start in range(0, len(part), PIECE):
            piece = compressor.compress(part[start : start + PIECE])
            if piece:
                yield piece
    yield compressor.flush()


def as_base64(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Pieces of bytes as pieces of one base64 text."""
    rest = b""
    for piece in pieces:
        rest += piece
        whole = len(rest) - len(rest) % 3
        yield base64.b64encode(rest[:whole])
        rest = rest[whole:]
    yield base64.b64encode(rest)
