"""Messages of Protocol Buffers, taken apart by the numbers of their fields."""

from collections import defaultdict

from varints import number_at

VARINT, FIXED, BYTES = 0, 1, 2  # kinds of fields


def fields(data):
    """(number, value) of each field of a message, in order. What is no varint is left packed."""
    at = 0
    while at < len(data):
        key, at = number_at(data, at)
        kind = key & 7
        assert kind in (VARINT, FIXED, BYTES)
        if kind == VARINT:
            value, at = number_at(data, at)
        else:
            length, at = (8, at) if kind == FIXED else number_at(data, at)
            value, at = data[at : at + length], at + length
        yield key >> 3, value


def message(data):
    """{number: values} of the fields of a message."""
    found = defaultdict(list)
    for number, value in fields(data):
        found[number].append(value)
    return found


def numbers(data):
    """The whole numbers of a packed list."""
    found, at = [], 0
    while at < len(data):
        number, at = number_at(data, at)
        found.append(number)
    return found
