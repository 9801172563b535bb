"""The messages between a program that runs with --live and the process that shows it.

One byte asks for a snapshot. The answer is a head of fixed size, then a marshalled section of a
profile file; the head has its length. The program loads this file, so it imports nothing.
"""

from __future__ import annotations

WANTED = b"?"  # asks for a snapshot

NOTHING_YET, SNAPSHOT, LAST = b"N", b"S", b"L"  # the kinds of answers
# 1 byte: the kind. 8 bytes: milliseconds until the program answers again. 8 bytes: the length.
HEAD_SIZE = 17


def head_of(kind: bytes, rest: float, length: int) -> bytes:
    """The head of an answer. `rest`: seconds until the program answers again."""
    return b"".join([kind, int(1000 * rest).to_bytes(8, "little"), length.to_bytes(8, "little")])


def told_by(head: bytes) -> tuple[bytes, float, int]:
    """What head_of() was given: the kind, `rest` in seconds, the length."""
    rest, length = (int.from_bytes(part, "little") for part in (head[1:9], head[9:]))
    return head[:1], rest / 1000, length
