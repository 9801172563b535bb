"""The messages between a program that runs with --live and the process that shows it.

A request is one byte that says what is wanted; that of paths is followed by its number, the length
of a type's name, and the name. The answer is a head of fixed size, then marshalled data; the head
has its length, and repeats the number: who asked may not wait any more, and somebody else asks by
then. Any snapshot and any census will do, so they have the number 0. The program loads this file,
so it imports nothing.
"""

from __future__ import annotations

WANTED = b"?"  # asks for a snapshot: a section of a profile file
CENSUS_WANTED = b"#"  # asks for a census: what count_objects() returns of types
# Asks for objects of a type: what find_paths() and find_origins() return.
PATHS_WANTED = b"@"
NUMBER_SIZE = 8  # bytes of the number of a request, behind PATHS_WANTED
NAME_SIZE = 2  # bytes of the length of a name, behind the number
LONGEST_NAME = 2000  # bytes of UTF-8

NOTHING_YET, SNAPSHOT, LAST = b"N", b"S", b"L"  # the kinds of answers to WANTED
CENSUS, PATHS = b"C", b"P"  # and to the others; the data is None if memory was out
# In place of paths, the data may be a float: the seconds after which to ask again.
# 1 byte: the kind. 8 bytes each: the number of the request, milliseconds until the program answers
# again, the length.
HEAD_SIZE = 25


def head_of(kind: bytes, number: int, rest: float, length: int) -> bytes:
    """The head of an answer. `rest`: seconds until the program answers again."""
    numbers = number, int(1000 * rest), length
    return kind + b"".join(it.to_bytes(8, "little") for it in numbers)


def parts_of_head(head: bytes) -> tuple[bytes, int, float, int]:
    """What head_of() was given: the kind, the number, `rest` in seconds, the length."""
    number, rest, length = (int.from_bytes(head[at : at + 8], "little") for at in (1, 9, 17))
    return head[:1], number, rest / 1000, length


def request_of(number: int, name: str) -> bytes:
    """The request of this number for the paths of objects of the type of this name, which has at
    most LONGEST_NAME bytes."""
    encoded = name.encode("utf-8", "surrogatepass")
    numbers = number.to_bytes(NUMBER_SIZE, "little") + len(encoded).to_bytes(NAME_SIZE, "little")
    return PATHS_WANTED + numbers + encoded
