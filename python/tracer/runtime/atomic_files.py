"""Reading files, and writing files that appear whole or not at all.

A file is written under another name in the same folder and then renamed. data/section.py makes the
bytes of a profile file. Both modules import only what the interpreter has loaded by itself.
"""

from __future__ import annotations

import os
import stat

AnyPath = str | bytes | os.PathLike[str] | os.PathLike[bytes]


def create_beside(path: str, mode: int = 0o666) -> tuple[int, str]:
    """Create a file in the folder of `path`: (its open handle, its name). Raises OSError.

    The name is short even where the name of `path` is long. The system takes the umask off `mode`.
    """
    name = os.path.join(os.path.dirname(path), f".tracer-{os.urandom(8).hex()}")
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), name


def destination(path: str) -> tuple[str, int | None]:
    """The file that writing to `path` replaces: (its path, its mode or None if there is no file).

    A link is followed: the file behind the link is replaced, not the link. A pipe or a device may
    have no path of its own (the pipe behind /dev/stdout), so only its folder is resolved. Raises
    OSError.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return os.path.realpath(path), None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return os.path.realpath(path), mode
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name), mode


class Replacement:
    """A new file that takes the place of `target` when its block ends well; `mode` is `target`'s.

    The block is given the open handle and has to close it. The new file is removed when the block
    or the renaming fails.
    """

    def __init__(self, target: str, mode: int | None) -> None:
        self.target: str = target
        self.mode: int | None = None if mode is None else stat.S_IMODE(mode)

    def __enter__(self) -> int:
        # At no time may more people read the new file than could read the old one.
        handle, written = create_beside(self.target, 0o666 if self.mode is None else self.mode)
        self.written: str = written
        return handle

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        done = False
        try:
            if kind is None:
                if self.mode is not None:
                    os.chmod(self.written, self.mode)
                os.replace(self.written, self.target)
                done = True
        finally:
            if not done:
                self.discard()

    def discard(self) -> None:
        try:
            os.unlink(self.written)
        except FileNotFoundError:
            return  # Ctrl-C came when it had been renamed; that is what is raised


def write_whole(path: AnyPath, data: bytes) -> None:
    """Write a file, or replace one and keep its permissions. Raises OSError, which names `path`.

    A pipe or a device is written to directly.
    """
    try:
        target, mode = destination(os.fsdecode(path))
        if mode is None or stat.S_ISREG(mode):
            with Replacement(target, mode) as handle:
                write_all(handle, data)
        else:
            write_all(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), data)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def read_whole(path: AnyPath, limit: int = -1) -> tuple[bytes, float]:
    """(the first `limit` bytes of a file, seconds since the epoch when it was last changed).

    Raises OSError, which names `path`: the system names a file only where opening it fails.
    """
    try:
        with open(path, "rb") as file:
            return file.read(limit), os.fstat(file.fileno()).st_mtime
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None


def write_all(handle: int, data: bytes) -> None:
    """Write to an open file and close it. open() is not used: a program may replace open()."""
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest) :]
    finally:
        os.close(handle)
