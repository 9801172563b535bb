"""The references of a path to an object as one writes them in Python: attributes, keys, indices."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer._core import _Reference, _Start

Step = tuple[str, str]  # what leads on, and what it leads to: the name of a type, or a function


def start_of(start: _Start) -> tuple[str, str]:
    """Where a path begins: as an expression, and in words."""
    if start[0] == "module":
        return start[1], f"module {start[1]}"
    _, file, line, function, variable = start  # type: ignore[misc]
    place = f"{function}, {file}:{line}"
    if variable is None:
        return f"<frame of {function}>", f"frame of {place}"
    return str(variable), f"variable {variable} of {place}"


def steps_of(references: Sequence[_Reference]) -> list[Step]:
    """Each step of a path. The dict of an object's attributes and the next key are one step, and so
    are the closure of a function, a cell, and what the cell has."""
    steps: list[Step] = []
    place = 0
    while place < len(references):
        taken, step = step_at(references[place : place + 3])
        steps.append(step)
        place += taken
    return steps


def step_at(references: Sequence[_Reference]) -> tuple[int, Step]:
    """The first step, and of how many references it is."""
    way, name, kind = references[0]
    ways = [way for way, _, _ in references]
    if ways[:2] == ["namespace", "key"] and references[1][1] is not None:
        _, key, kind = references[1]
        attribute = str(key)[1:-1]
        text = f".{attribute}" if attribute.isidentifier() else f".__dict__[{key}]"
        return 2, (text, kind)
    if ways == ["closure", "index", "attribute"] and isinstance(name, tuple):
        number = references[1][1]
        if isinstance(number, int) and number < len(name):
            return 3, (f".<closure variable {name[number]}>", references[2][2])
    return 1, (text_of(way, name), kind)


def text_of(way: str, name: object) -> str:
    if name is None and way in ("key", "index"):
        return "[…]"  # one of many objects in a long container
    if way == "attribute" and not str(name).isidentifier():
        return f".__dict__[{name!r}]"
    texts = {
        "attribute": f".{name}",
        "namespace": ".__dict__",
        "key": f"[{name}]",
        "dict key": f".<key {name}>",
        "index": f"[{name}]",
        "element": ".<element>",
        "cache": ".<cache>",
        "closure": ".__closure__",
        "variable": f".<variable {name}>",
    }
    return texts.get(way, ".<reference>")
