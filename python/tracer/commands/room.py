"""Room to work in: what a program may leave behind that would keep its profile from being written.

It is undone while the profile is written and then put back, for the program may go on.
"""

from __future__ import annotations

import os
import sys

# What decides where an import finds a module.
SEARCH = ("path", "meta_path", "path_hooks")
# Descriptors below this are few enough to be within any limit, and more than most programs have.
HIGH = 32


class Room:
    """A context manager. It remembers what there was before the program."""

    def __init__(self) -> None:
        self.own = {name: list(getattr(sys, name)) for name in SEARCH}
        self.spare = SpareFile()

    def __enter__(self) -> None:
        # What is imported from here on is ours, and not from the program's folders.
        self.theirs = {name: value for name, value in vars(sys).items() if name in SEARCH}
        vars(sys).update(self.own)
        self.depth = sys.getrecursionlimit()
        sys.setrecursionlimit(max(1000, self.depth))
        self.spare.release()

    def __exit__(self, *error: object) -> None:
        vars(sys).update(self.theirs)
        try:
            sys.setrecursionlimit(self.depth)
        except RecursionError:
            return  # this is a few calls deeper than where the program set it


class SpareFile:
    """A file descriptor to give up when the program has used all that it may have.

    It is none of the lowest, so that the program's files have the numbers that they have plainly,
    and of a pipe, which no other descriptor is of: so it is known when the program closed it.
    """

    def __init__(self) -> None:
        self.number = -1
        try:
            lowest, other_end = os.pipe()
            os.close(other_end)
        except OSError:
            return
        self.number = moved_up(lowest)
        self.identity = identity_of(self.number)

    def release(self) -> None:
        if self.number >= 0 and identity_of(self.number) == self.identity:
            os.close(self.number)
        self.number = -1


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
