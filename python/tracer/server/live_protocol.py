"""The messages between a program that runs with --live and the process that shows it.

A request is one byte that says what is wanted; that of paths is followed by the length of a type's
name, and the name. The answer is a head of fixed size, then marshalled data; the head has its
length. The program loads this file, so it imports nothing.
"""

from __future__ import annotations

WANTED = b"?"  # asks for a snapshot: a section of a profile file
CENSUS_WANTED = b"#"  # asks for a census: what count_objects() returns of types
# Asks for objects of a type: what find_paths() and find_origins() return.
PATHS_WANTED = b"@"
NAME_SIZE = 2  # bytes of the length of a name, behind PATHS_WANTED
LONGEST_NAME = 2000  # bytes of UTF-8

NOTHING_YET, SNAPSHOT, LAST = b"N", b"S", b"L"  # the kinds of answers to WANTED
CENSUS, PATHS = b"C", b"P"  # and to the others; the data is None if memory was out
# In place of paths, the data may be a float: the seconds after which to ask again.
# 1 byte: the kind. 8 bytes: milliseconds until the program answers again. 8 bytes: the length.
HEAD_SIZE = 17


def head_of(kind: bytes, rest: float, length: int) -> bytes:
    """The head of an answer. `rest`: seconds until the program answers again."""
    return b"".join([kind, int(1000 * rest).to_bytes(8, "little"), length.to_bytes(8, "little")])


def told_by(head: bytes) -> tuple[bytes, float, int]:
    """What head_of() was given: the kind, `rest` in seconds, the length."""
    rest, length = (int.from_bytes(part, "little") for part in (head[1:9], head[9:]))
    return head[:1], rest / 1000, length


def request_of(name: str) -> bytes:
    """The request for the paths of objects of the type of this name, which has at most LONGEST_NAME
    bytes."""
    told = name.encode("utf-8", "surrogatepass")
    return PATHS_WANTED + len(told).to_bytes(NAME_SIZE, "little") + told
