"""Where a script is: a path that exists as it was typed, else a Python script on PATH; and whether
installers have put it there.

Only looks; nothing is imported or run.
"""

from __future__ import annotations

import os

from tracer.launch.errors import UsageError
from tracer.source.origin import is_of_python

MAGIC_OF_ZIP = b"PK\x03\x04"


def find_script(name: str) -> str:
    """The path of the script meant by `name`. Raises UsageError, with the remedy, if none is."""
    runnable = not os.path.isdir(name) or os.path.exists(os.path.join(name, "__main__.py"))
    if os.path.exists(name) and runnable:
        return name
    others = []
    if name and os.sep not in name:
        for folder in os.get_exec_path():
            path = os.path.join(folder or os.curdir, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                if is_python_script(path):
                    return path
                others.append(path)
    if others:
        raise UsageError(
            f"{others[0]} is no Python script; give the path of one, or a module after -m"
        )
    if os.path.isdir(name):
        raise UsageError(f"cannot run the folder {name!r}: it has no __main__.py")
    where = "" if os.sep in name else ", neither here nor on PATH"
    raise UsageError(f"no script {name!r}{where}; give a path that exists, or a module after -m")


def is_installed_script(path: str) -> bool:
    """Whether a script lies in the `bin` of an environment or installation, where installers write
    those that only start what lies elsewhere."""
    folder = os.path.dirname(os.path.realpath(path))
    try:
        libraries = os.listdir(os.path.join(os.path.dirname(folder), "lib"))
    except OSError:
        return False
    named = os.path.basename(folder) == "bin"
    return named and any(map(is_of_python, libraries))


def is_python_script(path: str) -> bool:
    """Tell a Python script from the other programs on PATH by how it begins."""
    try:
        with open(path, "rb") as file:
            start = file.read(4096)
    except OSError:
        return False
    if start.startswith(MAGIC_OF_ZIP) or path.endswith((".py", ".pyc", ".pyz")):
        return True
    first, _, rest = start.partition(b"\n")
    if not first.startswith(b"#!"):
        return False
    # Where the interpreter's path is too long for #!, installers write a script of two languages:
    # sh starts the interpreter, which takes those lines for a string.
    return b"python" in first or (b"sh" in first and rest.startswith(b"'''exec'"))
