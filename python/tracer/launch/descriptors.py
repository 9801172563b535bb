"""File descriptors of tracer's own among those of the program, which may close any of them."""

from __future__ import annotations

import os

# Descriptors below this are few enough to be within any limit, and more than most programs have.
HIGH = 32
# Each lists the descriptors of the process that looks: Linux has both, macOS the second.
OPEN_FILES = ("/proc/self/fd", "/dev/fd")
# Where neither does, those below this are closed. The system's limit may be 2**30, or none (-1).
MOST_FILES = 2**16


class HeldFile:
    """A descriptor of ours among those of the program, which may close it and then have another
    file of that number.

    It is none of the lowest, so that the program's files have the numbers that they have plainly.
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
    """A file descriptor to give up when the program has used all that it may have.

    It is of a pipe, which no other descriptor is of: so it is known when the program closed it.
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
    """Which file it is that a descriptor stands for; None when it stands for none."""
    try:
        status = os.fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def close_all_but(*kept: int) -> None:
    """Close all descriptors but the first three and those kept, which are open."""
    for folder in OPEN_FILES:
        try:
            found = set(map(int, os.listdir(folder)))
        except OSError:
            continue
        if found.issuperset(kept):  # /dev/fd may list the first three alone
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
        return  # that of the folder that listed it
