"""Files that appear whole or not at all: they are written beside their place and then renamed.

What is in them is capture.py's affair. Nothing here may be slow to import: the command uses it
before the program starts.
"""

from __future__ import annotations

import os
import stat


def create_beside(path: str, mode: int = 0o666) -> tuple[int, str]:
    """Create a file in the folder of `path`: (its open handle, its name). Raises OSError.

    The name is short, whatever that of `path` is. The system takes the umask off `mode`.
    """
    name = os.path.join(os.path.dirname(path), f".tracer-{os.urandom(8).hex()}")
    return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), name


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file, or replace one and keep its permissions. Raises OSError.

    A path that is no regular file (a pipe, a device) is written to directly.
    """
    target = os.path.realpath(path)
    try:
        mode: int | None = os.stat(target).st_mode
    except FileNotFoundError:
        mode = None
    if mode is not None and not stat.S_ISREG(mode):
        with open(target, "wb") as file:
            file.write(data)
        return
    # At no time may more people read it than could read the old one.
    handle, temporary = create_beside(target, 0o666 if mode is None else stat.S_IMODE(mode))
    try:
        with open(handle, "wb") as file:
            file.write(data)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
