"""Room to work in: what a program may leave behind that would keep its profile from being written.

It is undone while the profile is written and then put back, for the program may go on.
"""

from __future__ import annotations

import resource
import sys


class Room:
    """A context manager. It remembers the sys.path that there was before the program."""

    def __init__(self) -> None:
        self.own_path = list(sys.path)

    def __enter__(self) -> None:
        # What is imported from here on is ours, and not from the program's folders.
        self.path = vars(sys).get("path")
        sys.path = self.own_path
        self.depth = sys.getrecursionlimit()
        sys.setrecursionlimit(max(1000, self.depth))
        # It may have run out of file descriptors.
        self.files = resource.getrlimit(resource.RLIMIT_NOFILE)
        set_file_limit(self.files[1], self.files[1])

    def __exit__(self, *error: object) -> None:
        if self.path is not None:
            sys.path = self.path
        set_file_limit(*self.files)
        try:
            sys.setrecursionlimit(self.depth)
        except RecursionError:
            return  # this is a few calls deeper than where the program set it


def set_file_limit(soft: int, hard: int) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    except (OSError, ValueError):
        return  # the system has a lower limit of its own: then it stays as it was
