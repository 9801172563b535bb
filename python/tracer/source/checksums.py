"""Checksums of source files from when their lines were first seen: a later edit is noticed by them.

statements.py reads most of these files anyway. Any other file is read once, here.
"""

from __future__ import annotations

from tracer.source import statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import CodeType
    from typing import Any

LARGEST_SOURCE = 64 * 2**20  # bytes: a file is no source if it is larger


class Sources:
    """The source files of one LineRecorder, which calls `first_lines` for each code object."""

    def __init__(self) -> None:
        self.sums: dict[str, int | None] = {}  # by file; None: unreadable

    def first_lines(self, code: CodeType) -> bytes | None:
        """As statements.first_lines(); the checksum of the file as it is now is kept."""
        try:
            found = statements.first_lines(code)
            number = statements.checksum_of(code)
            if number is not None:
                self.sums.setdefault(code.co_filename, number)
        except (
            RecursionError,
            MemoryError,
        ):  # as in statements.first_lines(): a later call may succeed
            return None
        return found

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
    """The checksum of a source file as it is now; None when the file cannot be read."""
    try:
        found = statements.read(file, LARGEST_SOURCE)
        return None if found is None else statements.summed(found[0])
    except MemoryError:
        return None


def changed(file: str, then: Collection[int]) -> bool:
    """Whether a readable file differs from the checksum of any earlier run."""
    now = checksum(file) if then else None
    return now is not None and any(number != now for number in then)
