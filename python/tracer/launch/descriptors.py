"""File descriptors of tracer's own, which the program may close like any other."""

from __future__ import annotations

import os

# tracer's descriptors lie just below this: within any limit, and above those of most programs.
HIGH = 32
# Each folder lists the descriptors of the process that reads it. Linux has both, macOS the second.
OPEN_FILES = ("/proc/self/fd", "/dev/fd")
# Without such a folder all descriptors below this are closed: the system's limit may be 2**30, or
# -1 (none).
MOST_FILES = 2**16


class HeldFile:
    """A descriptor of tracer's. The program may close it and then open another file of that number.

    The number is high, so that the program's files get the same numbers as without tracer.
    """

    def __init__(self, number: int) -> None:
        self.number: int = moved_up(number)
        self.identity: tuple[int, int] | None = identity_of(self.number)

    def is_ours(self) -> bool:
        return self.number >= 0 and identity_of(self.number) == self.identity

    def close(self) -> None:
        if self.is_ours():
            os.close(self.number)
        self.number = -1


class SpareFile:
    """A file descriptor to release when the program has used up all that it may open.

    It is the only descriptor of its pipe, so tracer notices when the program has closed it.
    """

    def __init__(self) -> None:
        self.file: HeldFile | None = None
        try:
            lowest, other_end = os.pipe()
            os.close(other_end)
        except OSError:
            return
        self.file = HeldFile(lowest)

    def release(self) -> None:
        if self.file is not None:
            self.file.close()


def moved_up(lowest: int) -> int:
    for number in range(HIGH - 1, lowest, -1):
        if identity_of(number) is None:
            try:
                os.dup2(lowest, number, inheritable=False)
            except OSError:
                continue  # the limit is lower
            os.close(lowest)
            return number
    return lowest


def identity_of(number: int) -> tuple[int, int] | None:
    """The device and inode of a descriptor's file; None if the descriptor is not open."""
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def close_all_but(*kept: int) -> None:
    """Close all descriptors but the first three and `kept`, which must be open."""
    for folder in OPEN_FILES:
        try:
            found = set(map(int, os.listdir(folder)))
        except OSError:
            continue
        if found.issuperset(kept):  # /dev/fd may list only the first three
            for number in found.difference(kept, range(3)):
                close_if_open(number)
            return
    limit = os.sysconf("SC_OPEN_MAX")
    lowest = 3
    for number in sorted(kept):
        os.closerange(lowest, number)
        lowest = number + 1
    os.closerange(lowest, min(limit, MOST_FILES) if limit > 0 else MOST_FILES)


def close_if_open(number: int) -> None:
    try:
        os.close(number)
    except OSError:
        return  # the descriptor by which the folder was listed
