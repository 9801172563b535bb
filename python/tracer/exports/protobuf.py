"""Protocol buffers, as far as a profile needs them written: numbers, texts, messages, lists.

A field is its key, which holds its number and kind, and its value; integers are seven bits a byte,
lowest first. What the fields mean is formats/pprof.py's affair.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

VARINT, BYTES = 0, 2
LARGEST = 2**64
SMALL = 2**14  # two bytes


def varint(value: int) -> bytes:
    """A whole number; a negative one is what its 64 bits mean without a sign."""
    value %= LARGEST
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


class Varints:
    """What varint() gives, looked up, for loops over millions: `small` of a number below SMALL,
    `low` of the last 14 bits of a larger one, with `small` of the rest behind it."""

    def __init__(self) -> None:
        self.small: list[bytes] = [varint(number) for number in range(SMALL)]
        self.low: list[bytes] = [
            bytes((number & 127 | 128, number >> 7 | 128)) for number in range(SMALL)
        ]


def integer(field: int, value: int) -> bytes:
    """A field; nothing where it is 0, which is what a reader takes a missing one for."""
    return varint(field << 3 | VARINT) + varint(value) if value else b""


def data(field: int, value: bytes) -> bytes:
    """A field that is a text in UTF-8 or a message."""
    return varint(field << 3 | BYTES) + varint(len(value)) + value


def packed(field: int, values: Iterable[int]) -> bytes:
    """A field that is a list of whole numbers."""
    return data(field, b"".join(map(varint, values)))
