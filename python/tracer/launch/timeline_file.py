"""The file beside FILE in which a timeline is written while it is recorded.

A process that is killed leaves it, and FILE as it was saved last; data/killed.py puts the two
together. At any other end FILE has everything, and this file goes.
"""

from __future__ import annotations

import os
import stat

from tracer.data.section import LOG_FILE_HEAD, LOG_FILE_INFIX, LOG_FILE_MAGIC
from tracer.launch.descriptors import HeldFile


class TimelineFile:
    """name: without its folder. Locked as long as the process lives. Raises OSError where it cannot
    have all its room from the start: a file that cannot grow would kill the program. So it does
    where another file has the name."""

    def __init__(self, outfile: str, budget: int) -> None:
        self.folder: str
        self.folder, base = os.path.split(outfile)
        self.prefix: str = base + LOG_FILE_INFIX
        self.name: str | None = f"{self.prefix}{os.getpid()}"
        path = os.path.join(self.folder, self.name)
        if os.path.lexists(path):
            remove_if_left(path)  # by a process that had this number
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        self.file: HeldFile = HeldFile(handle)
        try:
            os.posix_fallocate(self.number, 0, LOG_FILE_HEAD + budget)
            os.pwrite(self.number, LOG_FILE_MAGIC, 0)  # from now on it is known as tracer's
            # A lock of this process, which no child inherits. To close any descriptor of the file
            # would end it.
            os.lockf(self.number, os.F_TLOCK, 0)
        except BaseException:
            self.file.close()
            os.unlink(path)
            raise
        self.has_swept: bool = False

    @property
    def number(self) -> int:
        """Its descriptor."""
        return self.file.number

    def sweep(self) -> None:
        """Once: remove what killed runs with the same FILE left, which FILE no longer names."""
        if self.has_swept:
            return
        self.has_swept = True
        for name in os.listdir(self.folder or os.curdir):
            number = name.removeprefix(self.prefix)
            if number != name != self.name and number.isdecimal():
                remove_if_left(os.path.join(self.folder, name))

    def forget(self) -> None:
        """In a forked child: the file is the parent's."""
        self.name = None
        self.file.close()

    def remove(self) -> None:
        """FILE has everything."""
        if self.name is not None:
            path = os.path.join(self.folder, self.name)
            self.name = None
            try:
                os.unlink(path)
            except OSError:
                return  # the program removed it, or its folder


def remove_if_left(path: str) -> None:
    """Remove the file of a run that is over. Any other file stays."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return
        handle = os.open(path, os.O_RDWR | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if os.pread(handle, len(LOG_FILE_MAGIC), 0) != LOG_FILE_MAGIC:
            return
        os.lockf(handle, os.F_TLOCK, 0)
        os.unlink(path)
    except OSError:
        return  # its run goes on, or somebody else removed it
    finally:
        os.close(handle)


def made_for(outfile: str, budget: int) -> TimelineFile | str:
    """The file, or why there is none."""
    try:
        return TimelineFile(outfile, budget)
    except (OSError, AttributeError) as error:  # macOS has no posix_fallocate
        return getattr(error, "strerror", None) or "this system cannot reserve room in a file"
