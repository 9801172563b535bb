"""The current folder, which another process may have removed, and paths resolved from there."""

from __future__ import annotations

import os


def current_folder() -> str | None:
    """The path of the current folder; None if the folder was removed."""
    try:
        return os.getcwd()
    except OSError:
        return None


def resolved(path: str) -> str:
    """The path as os.path.realpath() has it. A relative path stays as it is where the current
    folder was removed."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path
