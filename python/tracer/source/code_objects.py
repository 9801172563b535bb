"""The code objects of a function, of a class and of an object that wraps either.

Finding them runs no code of the program. file_kinds.py tells whose file a code object is from.
"""

from __future__ import annotations

import sys
from _functools import partial  # type: ignore[import-not-found]
from types import CodeType, FunctionType, GetSetDescriptorType, MethodType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def codes_of(target: object) -> Iterator[CodeType]:
    """The code objects of a decorated object; none if it has no Python code.

    Looking for them runs no code of the program. A class or its metaclass may define `__class__`,
    `__dict__` and others as functions, so the descriptors of the interpreter's own types read them.
    """
    seen: set[int] = set()
    waiting = [target]
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        if type(found) is CodeType:
            yield found
        elif type(found) is FunctionType:
            inner = dict.get(found.__dict__, "__wrapped__")
            waiting.append(found.__code__ if inner is None else inner)
        elif issubclass(type(found), type):
            waiting += members_of(found)
        else:
            waiting += parts_of(found)


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """A code object, and the code objects of all functions and classes defined in it."""
    waiting = [code]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += [part for part in found.co_consts if type(part) is CodeType]


DICT_OF_TYPE = type.__dict__["__dict__"]
MRO_OF_TYPE = type.__dict__["__mro__"]
NAME_OF_TYPE = type.__dict__["__qualname__"]
# Slots in which the interpreter's own types, and types derived from them, keep functions ...
HOLDERS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (property, ("fget", "fset", "fdel")),
    (MethodType, ("__func__",)),
    (staticmethod, ("__func__",)),
    (classmethod, ("__func__",)),
    (partial, ("func",)),
)
# ... and attributes in which other objects keep one: those of functools, and those made like them.
NAMES = ("__wrapped__", "__func__", "func")
MADE_OF_TEXT = "<string>"  # the file name of code that exec() makes


def members_of(kind: object) -> list[object]:
    """The members that the body of a class defines.

    Left out are classes from elsewhere and functions that other code has put into the class:
    functions of another module, and functions made of text, as dataclasses makes them. So is the
    function that the compiler makes of annotations (3.14).
    """
    inside = f"{NAME_OF_TYPE.__get__(kind)}."
    members: dict[str, Any] = {**DICT_OF_TYPE.__get__(kind)}
    members.pop("__annotate_func__", None)
    space = getattr(sys.modules.get(members.get("__module__", "")), "__dict__", None)
    functions = [part for part in members.values() if type(part) is FunctionType]
    own = [part for part in functions if space is None or part.__globals__ is space]
    written = [part for part in own if part.__code__.co_filename != MADE_OF_TEXT]
    left_out = {id(part) for part in functions} - {id(part) for part in written or own}
    return [
        part
        for part in members.values()
        if id(part) not in left_out
        and (not issubclass(type(part), type) or NAME_OF_TYPE.__get__(part).startswith(inside))
    ]


def parts_of(found: object) -> list[object]:
    """The objects within an object that may be functions, or may hold one."""
    names = dict_of(found)
    parts = [dict.get(names, name) for name in NAMES]
    for kind, slots in HOLDERS:
        if issubclass(type(found), kind):
            parts += [DICT_OF_TYPE.__get__(kind)[slot].__get__(found) for slot in slots]
    return [part for part in parts if part is not None]


def dict_of(found: object) -> dict[str, object]:
    """An object's attributes as the interpreter keeps them; empty for an object without a dict."""
    for kind in MRO_OF_TYPE.__get__(type(found)):
        keeper = DICT_OF_TYPE.__get__(kind).get("__dict__")
        if type(keeper) is GetSetDescriptorType:
            names = keeper.__get__(found)
            return names if issubclass(type(names), dict) else {}
    return {}
