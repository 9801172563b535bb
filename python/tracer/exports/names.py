"""Names of functions, files and threads in the exports: text that no format trips over.

Names are hostile: exec() can give a function any name. A format escapes what it alone forbids, as
folded does semicolons.
"""

from __future__ import annotations

from collections import Counter
from math import isfinite
from os.path import basename

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tracer.analysis.tree.call_tree import Paths

NAMELESS = "<no name>"


def shown(text: str) -> str:
    """The text on one line that UTF-8 can hold. Control characters and bytes that are not UTF-8 are
    escaped as in Python. So is a blank at either end, which readers would strip. An empty text
    becomes <no name>."""
    if not text:
        return NAMELESS
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if text[0] == " ":
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text[-1] == " " else text


def thread_names(paths: Paths) -> list[str]:
    """A name for each tree. Threads of one name, as of several runs, count as one."""
    return [shown(tree.name) if tree.name else "all threads" for tree in paths.trees]


def placed_names(paths: Paths) -> list[str]:
    """Names for pictures, one a row: `Class.method (package.module:12)`; a builtin has its name
    alone; a native function `name (library)`."""
    names = [
        f"{shown(row.name)} ({shown(module.name)}:{row.line})" if module.name else shown(row.name)
        for row, module in zip(paths.rows, paths.modules, strict=True)
    ]
    for number in paths.natives:
        file = paths.rows[number].file
        names[number] += f" ({shown(basename(file))})" if file else ""
    return names


def unique_names(paths: Paths) -> list[str]:
    """Names that tell all rows apart: `package.module.Class.method`. Equal names get their line;
    names that are still equal get a number. Native functions have the names of their symbols."""
    names = [
        f"{shown(module.name)}.{shown(row.name)}" if module.name else shown(row.name)
        for row, module in zip(paths.rows, paths.modules, strict=True)
    ]
    others = [number for number in range(len(names)) if number not in paths.natives]
    lines = [paths.rows[number].line for number in others]
    for number, name in zip(
        others, distinct_names([names[number] for number in others], lines), strict=True
    ):
        names[number] = name
    return names


def distinct_names(names: list[str], lines: list[int]) -> list[str]:
    """The names. Equal names get their line; names that are still equal get a number."""
    often = Counter(names)
    lined = [
        name if often[name] == 1 else f"{name}:{line}"
        for name, line in zip(names, lines, strict=True)
    ]
    seen: Counter[str] = Counter()
    taken = set(lined)
    for position, name in enumerate(lined):
        seen[name] += 1
        while seen[name] > 1 and f"{name}#{seen[name]}" in taken:
            seen[name] += 1
        if seen[name] > 1:
            lined[position] = f"{name}#{seen[name]}"
    return lined


def values_shown(values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The values of a range or a mark, for JSON: text as shown() has it, also in place of numbers
    that are not finite."""
    return {shown(name): _value_shown(value) for name, value in values}


def _value_shown(value: Any) -> Any:
    if isinstance(value, str):
        return shown(value) if value else ""
    return repr(value) if isinstance(value, float) and not isfinite(value) else value
