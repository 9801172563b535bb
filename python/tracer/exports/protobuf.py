"""Encodes the parts of Protocol Buffers that a profile needs: numbers, texts, messages, lists.

A field is a key, which holds its number and kind, and a value. An integer has seven bits a byte,
the lowest first. formats/pprof.py says what the fields mean.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VARINT, BYTES = 0, 2
LARGEST = 2**64
SMALL = 2**14  # two bytes


def varint(value: int) -> bytes:
    """A whole number. A negative number is encoded as its 64 bits, read without a sign."""
    value %= LARGEST
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


class Varints:
    """Tables of varint(), for loops over millions of numbers. `small` has the encoding of a number
    below SMALL. A larger number is `low` of its last 14 bits, then `small` of the rest."""

    def __init__(self) -> None:
        self.small: list[bytes] = [varint(number) for number in range(SMALL)]
        self.low: list[bytes] = [
            bytes((number & 127 | 128, number >> 7 | 128)) for number in range(SMALL)
        ]


def integer(field: int, value: int) -> bytes:
    """A field; nothing for 0, which a reader assumes for a missing field."""
    return varint(field << 3 | VARINT) + varint(value) if value else b""


def data(field: int, value: bytes) -> bytes:
    """A field that is a text in UTF-8, or a message."""
    return varint(field << 3 | BYTES) + varint(len(value)) + value


def packed(field: int, values: Iterable[int]) -> bytes:
    """A field that is a list of whole numbers."""
    return data(field, b"".join(map(varint, values)))
