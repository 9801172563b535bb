"""Whole numbers of any length: seven bits a byte, the lowest first."""


def varint(value):
    """A negative number is its 64 bits, read without a sign."""
    value %= 2**64
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def zigzag(value):
    """Small numbers stay small, whatever their sign: 0, -1, 1, -2, ..."""
    return value << 1 if value >= 0 else (-value << 1) - 1


def number_at(data, at):
    """The whole number that begins at a place, and the place behind it."""
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at
