"""File descriptors of tracer's own among those of the program, which may close any of them."""

from __future__ import annotations

import os

# Descriptors below this are few enough to be within any limit, and more than most programs have.
HIGH = 32


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
