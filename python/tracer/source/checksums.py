"""What source files held when lines of theirs were first seen, so that a later edit is noticed.

The bytes are mostly those that statements.py reads anyway; other files are read once.
"""

from __future__ import annotations

from tracer.source import statements
from tracer.source.texts import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import CodeType
    from typing import Any

LARGEST_SOURCE = 64 * 2**20  # bytes: a file is no source if it is larger


class Sources:
    """The source files of one LineRecorder; `fold` is for it to ask."""

    def __init__(self) -> None:
        self.sums: dict[str, int | None] = {}  # by files; None of those that could not be read

    def fold(self, code: CodeType) -> bytes | None:
        """As statements.fold(), and what the file holds now is remembered."""
        try:
            folded = statements.fold(code)
            number = statements.checksum_of(code)
            if number is not None:
                self.sums.setdefault(code.co_filename, number)
        except (RecursionError, MemoryError):  # as there, and the file is read another time
            return None
        return folded

    def beside(self, snapshot: dict[str, Any]) -> dict[str, Any]:
        """A LineRecorder's snapshot, with the checksums of its files."""
        sums = {}
        for file, _, _, _ in snapshot["codes"]:
            if file not in self.sums:
                self.sums[file] = checksum(file)
            number = self.sums[file]
            if number is not None:
                sums[file] = number
        return {**snapshot, "sources": sums}


def checksum(file: str) -> int | None:
    """Of what a source file holds now; None when there is none that can be read."""
    found = text_of(file, LARGEST_SOURCE)
    try:
        return None if found is None else statements.summed(found[0])
    except MemoryError:
        return None


def changed(file: str, then: Collection[int]) -> bool:
    """Whether a file that can be read is not what it was, or not in each of several runs."""
    now = checksum(file) if then else None
    return now is not None and any(number != now for number in then)
