"""The current folder, which another process may have removed, and paths resolved from there."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = "pyproject.toml"


def current_folder() -> str | None:
    """The path of the current folder; None if the folder was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def nearest(name: str, folder: str | None) -> str | None:
    """The path of the nearest file of this name, from a folder upwards; None if there is none."""
    paths = (os.path.join(above, name) for above in upward(folder))
    return next(filter(os.path.isfile, paths), None)


def upward(folder: str | None) -> Iterator[str]:
    """A folder, the one that holds it, and so on; None: there is none."""
    last = None
    while folder is not None and folder != last:
        yield folder
        folder, last = os.path.dirname(folder), folder


def resolved(path: str) -> str:
    """The path as os.path.realpath() has it. A relative path stays as it is where the current
    folder was removed."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path
