"""The code objects of a function, of a class and of whatever wraps one.

No code of the program's is run to find them. Whose file code is from is said in origin.py.
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
    """The code objects of what may be decorated; none if there are none.

    No code of the program's is run to look at what it has: `__class__`, `__dict__` and others may
    be functions of a class or its metaclass, so the interpreter's own types are asked.
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
    """A code object, and those of all that is defined in it."""
    waiting = [code]
    while waiting:
        found = waiting.pop()
        yield found
        waiting += [part for part in found.co_consts if type(part) is CodeType]


DICT_OF_TYPE = type.__dict__["__dict__"]
MRO_OF_TYPE = type.__dict__["__mro__"]
NAME_OF_TYPE = type.__dict__["__qualname__"]
# Where the interpreter's own types, which others may be derived from, keep functions ...
HOLDERS: tuple[tuple[type, tuple[str, ...]], ...] = (
    (property, ("fget", "fset", "fdel")),
    (MethodType, ("__func__",)),
    (staticmethod, ("__func__",)),
    (classmethod, ("__func__",)),
    (partial, ("func",)),
)
# ... and by which names other objects have one: what functools makes, and whatever does as it does.
NAMES = ("__wrapped__", "__func__", "func")
MADE_OF_TEXT = "<string>"  # the file that exec() gives what it makes


def members_of(kind: object) -> list[object]:
    """What is defined in a class: not classes that are from elsewhere, nor what others have put
    into it, as dataclasses does: functions of their own, and such as they made of text; nor the
    function that the compiler makes of annotations (3.14)."""
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
    """What an object holds that may be a function, or hold one."""
    names = dict_of(found)
    parts = [dict.get(names, name) for name in NAMES]
    for kind, slots in HOLDERS:
        if issubclass(type(found), kind):
            parts += [DICT_OF_TYPE.__get__(kind)[slot].__get__(found) for slot in slots]
    return [part for part in parts if part is not None]


def dict_of(found: object) -> dict[str, object]:
    """An object's attributes, as the interpreter keeps them; none where it keeps no such dict."""
    for kind in MRO_OF_TYPE.__get__(type(found)):
        keeper = DICT_OF_TYPE.__get__(kind).get("__dict__")
        if type(keeper) is GetSetDescriptorType:
            names = keeper.__get__(found)
            return names if issubclass(type(names), dict) else {}
    return {}
