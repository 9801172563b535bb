"""Turns the names in `include` and `exclude` into resolved paths.

A module is found without importing it or the packages that it is in. The extension decides which
code is below a path (ext/interp/filter.c).
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib_external import PathFinder  # importlib.machinery imports more, on 3.15

from tracer._core import unrecorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.machinery import ModuleSpec

Name = str | os.PathLike[str]

BINARY = (".so", ".dylib", ".pyd")


def paths_of(names: Name | Iterable[Name], option: str, also: str = "") -> tuple[str, ...]:
    """The paths that these names stand for. Raises ValueError, which names the option, for a name
    that stands for nothing, and TypeError for `names` of another type.

    A dotted name is a module: its file or, of a package, its folders. A name that has a slash, ends
    in .py or is no str is a path. In a path, `*` stands for any characters. also: a folder that the
    program may import from first; a module that is there and elsewhere stands for both.
    """
    if not names:
        return ()
    if isinstance(names, str | os.PathLike):
        names = (names,)
    elif not hasattr(names, "__iter__"):
        raise TypeError(f"{option} takes a name, or several in a list, not {names!r}")
    with unrecorded:
        places = [place for name in names for place in places_of(name, option, also)]
        return tuple(dict.fromkeys(absolute(place, option) for place in places))


def absolute(place: str, option: str) -> str:
    try:
        return os.path.realpath(place).rstrip("/")
    except OSError:
        raise ValueError(
            f"{option} {place!r}: the current folder was removed; give an absolute path"
        ) from None


def places_of(name: Name, option: str, also: str) -> list[str]:
    if isinstance(name, str) and is_dotted(name):
        return files_of_module(name, option, also)
    return [existing(os.fsdecode(name), option)]


def is_dotted(name: str) -> bool:
    return not name.endswith(".py") and all(part.isidentifier() for part in name.split("."))


def existing(path: str, option: str) -> str:
    if path and ("*" in path or os.path.exists(path)):
        return path if not path.startswith("*") else "/" + path
    raise ValueError(f"{option} {path!r}: there is no such file or folder")


def files_of_module(name: str, option: str, also: str) -> list[str]:
    places = places_of_loaded(name) or places_of_spec(find(name))
    places += places_of_spec(find_in(also, name)) if also else []
    if not places:
        known = name in sys.modules or name in sys.builtin_module_names
        reason = (
            "it has no file, so no Python code"
            if known
            else f"there is no such module; a file or folder is named with a slash: {as_path(name)}"
        )
        raise ValueError(f"{option} {name!r}: {reason}")
    if all(place.endswith(BINARY) for place in places):
        chosen = "left out" if option.endswith("exclude") else "included"
        raise ValueError(f"{option} {name!r}: it is written in C; only Python code can be {chosen}")
    return places


def as_path(name: str) -> str:
    """The path that a name without a module may have meant."""
    return f"./{name.replace('.', '/')}.py" if "." in name else f"./{name}"


def places_of_loaded(name: str) -> list[str]:
    """The file or folders of an imported module, from its own attributes."""
    module = sys.modules.get(name)
    folders, file = getattr(module, "__path__", None), getattr(module, "__file__", None)
    if folders is not None:
        return list(folders)
    return [file] if isinstance(file, str) else []


def places_of_spec(spec: ModuleSpec | None) -> list[str]:
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return list(spec.submodule_search_locations)
    return [spec.origin] if spec.has_location and spec.origin else []


def find(name: str) -> ModuleSpec | None:
    """The spec of a module that need not be imported.

    The outermost package is found first: among the imported modules or by a finder. Then the
    folders of one package after the other are searched.
    """
    outermost, *inner = name.split(".")
    places = places_of_loaded(outermost)
    spec = None
    if not (inner and places):
        spec = find_outermost(outermost)
        places = places_of_spec(spec)
    return find_inner(inner, places) if inner else spec


def find_in(folder: str, name: str) -> ModuleSpec | None:
    """The spec of a module whose outermost package is in this very folder. A namespace package is
    not found: it gives way to any other module of its name."""
    outermost, *inner = name.split(".")
    spec = PathFinder.find_spec(outermost, [folder])
    if spec is None or not spec.has_location:
        return None
    return find_inner(inner, places_of_spec(spec)) if inner else spec


def find_inner(parts: Iterable[str], places: list[str]) -> ModuleSpec | None:
    """The spec of the module that these parts of a name lead to, from the folders of a package."""
    spec = None
    for part in parts:
        # By its bare name: with a dotted name, the parent would have to be imported.
        spec = PathFinder.find_spec(part, places) if places else None
        places = places_of_spec(spec)
    return spec


def find_outermost(name: str) -> ModuleSpec | None:
    for finder in sys.meta_path:
        spec = finder.find_spec(name, None) if hasattr(finder, "find_spec") else None
        if places_of_spec(spec):  # a later finder knows the file of a frozen module
            return spec
    return None
