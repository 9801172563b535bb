"""What a program that runs with --live and the process that shows it tell each other.

A byte asks for a snapshot. It is answered by a head, of one size, and what that says the length of:
a section of a profile file, marshalled. Nothing is imported here, for the program has this loaded.
"""

from __future__ import annotations

WANTED = b"?"  # what asks

NOTHING_YET, SNAPSHOT, LAST = b"N", b"S", b"L"  # the kinds of answers
# The kind in a byte; then, in 8 each, after how many milliseconds it answers again, and a length.
HEAD_SIZE = 17


def head_of(kind: bytes, rest: float, length: int) -> bytes:
    """`rest` is in seconds."""
    return b"".join([kind, int(1000 * rest).to_bytes(8, "little"), length.to_bytes(8, "little")])


def told_by(head: bytes) -> tuple[bytes, float, int]:
    """What head_of() was given."""
    rest, length = (int.from_bytes(part, "little") for part in (head[1:9], head[9:]))
    return head[:1], rest / 1000, length
