"""The module of a file, told from the path alone: profiles are read on other machines, too.

Functions of two runs are matched by module and qualified name. So a module's name must not depend
on the folder of a checkout or an environment. recording/focus.py finds the modules that `include`
and `exclude` name while a program runs.
"""

from __future__ import annotations

import re
from posixpath import normpath
from typing import NamedTuple

from tracer.source.file_kinds import BUILTIN, LIBRARY, OWN, SITE, place_of, prefix_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Files of cells, of which each run has others: in a notebook, and in IPython on a terminal.
CELL = re.compile(r".*/ipykernel_\d+/\d+\.py|<ipython-input-.*>")
SUFFIXES = (".py", ".pyc", ".pyw", ".so", ".pyd")


class Module(NamedTuple):
    """The module that a file is, and where it comes from.

    name: dotted, without `__init__`. A script without a suffix ends in `.__main__`, because it
    often has the name of the package that it starts. package: the first part of the name.
    kind: "own", "library" (the standard library), "site" (site-packages) or "builtin" (no file).
    """

    name: str
    package: str
    kind: str


IN_CELL = Module("__main__", "__main__", OWN)
IN_NO_FILE = Module("", "", BUILTIN)


def modules_of(files: Iterable[str]) -> dict[str, Module]:
    """The module of each file.

    The name of an own file starts in the folder that holds its outermost package. A package is a
    folder whose `__init__` is among the files. Where an own file is in no package, its name starts
    in the folder that all own files share. A folder that is no identifier is in no name. The code
    of a cell is of the module `__main__`.
    """
    places = places_of(files)
    cells = {file for file in places if CELL.fullmatch(file)}
    own = [
        parts
        for file, (kind, parts) in places.items()
        if kind == OWN and len(parts) > 1 and file not in cells
    ]
    shared = _shared([parts[:-1] for parts in own])
    packages = {tuple(parts[:-1]) for parts in own if _stem(parts[-1]) == "__init__"}
    found = {
        file: _module(parts[_root(parts, packages, shared) :] if kind == OWN else parts, kind)
        for file, (kind, parts) in places.items()
    }
    return {**found, **dict.fromkeys(cells, IN_CELL)}


def extension_module(name: str, file: str) -> Module:
    """The module that was imported by this name from a file that is no Python code."""
    return Module(name, name.partition(".")[0], place_of(file)[0])


def places_of(files: Iterable[str]) -> dict[str, tuple[str, list[str]]]:
    """What place_of() says of each file, except of installed scripts.

    Such a script lies in the `bin` of an environment whose libraries are among the files. Its path
    has what the user typed, `/w/app/../.venv/bin/pytest`.
    """
    places = {file: place_of(file) for file in dict.fromkeys(files)}
    installed = (file for file, (kind, _) in places.items() if kind in (LIBRARY, SITE))
    scripts = {f"{root}/bin" for root in map(prefix_of, installed) if root is not None}
    for file, (kind, parts) in places.items():
        if kind == OWN and normpath(file.rpartition("/")[0]) in scripts:
            places[file] = SITE, parts[-1:]
        elif kind == OWN and parts[-2:-1] == ["bin"] and is_script(file):
            places[file] = OWN, parts[-1:]  # whatever the folder of the environment
    return places


def _shared(folders: list[list[str]]) -> int:
    """How many folders all of these paths begin with."""
    if not folders:
        return 0
    first, last = min(folders), max(folders)
    differing = (i for i, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return next(differing, min(len(first), len(last)))


def _root(parts: list[str], packages: set[tuple[str, ...]], shared: int) -> int:
    """How many leading folders are not in the name of an own file's module."""
    inner = len(parts) - 1
    while inner > 0 and tuple(parts[:inner]) not in packages:
        inner -= 1
    start = inner
    while start > 0 and tuple(parts[:start]) in packages:
        start -= 1
    if inner == 0 or start == inner:
        start = min(shared, len(parts) - 1)
    odd = [place for place in range(start, len(parts) - 1) if not parts[place].isidentifier()]
    return odd[-1] + 1 if odd else start


def _module(parts: list[str], kind: str) -> Module:
    if kind == BUILTIN:
        return IN_NO_FILE
    *folders, last = parts
    if last.startswith("<"):
        return Module(last, last, kind)
    stem = _stem(last)
    if is_script(last) and kind != LIBRARY:  # the library's frozen modules have no suffix
        names = [*folders, last, "__main__"]
    elif stem == "__init__" and folders:
        names = folders
    else:
        names = [*folders, stem]
    return Module(".".join(names), names[0], kind)


def is_script(file: str) -> bool:
    """Whether the name of a file has no suffix, as those of installed scripts have none."""
    name = file.rpartition("/")[2]
    return "." not in name and not name.startswith("<")


def _stem(name: str) -> str:
    """The name of a file without the suffixes of Python code."""
    for suffix in SUFFIXES:
        if name.endswith(suffix):
            return name[: -len(suffix)].partition(".cpython-")[0]
    return name
