"""What functions, files and threads are called in the exports: text that no format trips over.

Names are hostile: exec() can give a function any. What a single format forbids besides, as folded
text does semicolons, is that format's own affair.
"""

from __future__ import annotations

from collections import Counter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths

NAMELESS = "<no name>"


def shown(text: str) -> str:
    """The text in one line that UTF-8 can hold: control characters and what stands for bytes that
    are not UTF-8 are escaped as in Python, blanks at its ends too, which readers take off; nothing
    at all is called <no name>."""
    if not text:
        return NAMELESS
    if not text.isprintable():
        text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if text[0] == " ":
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text[-1] == " " else text


def thread_names(paths: Paths) -> list[str]:
    """What to call each tree; threads of one name, as of several runs, count as one."""
    return [shown(tree.name) if tree.name else "all threads" for tree in paths.trees]


def placed_names(paths: Paths) -> list[str]:
    """Names for pictures, one a row: `Class.method (package.module:12)`; of builtins their own."""
    return [
        f"{shown(row.name)} ({shown(module.name)}:{row.line})" if module.name else shown(row.name)
        for row, module in zip(paths.rows, paths.modules, strict=True)
    ]


def unique_names(paths: Paths) -> list[str]:
    """Names that tell all rows apart: `package.module.Class.method`; where two are called so, with
    the line, and where that is not enough with a number."""
    names = [
        f"{shown(module.name)}.{shown(row.name)}" if module.name else shown(row.name)
        for row, module in zip(paths.rows, paths.modules, strict=True)
    ]
    return told_apart(names, [row.line for row in paths.rows])


def told_apart(names: list[str], lines: list[int]) -> list[str]:
    """The names, with the line where several are one, and a number where those are, too."""
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
