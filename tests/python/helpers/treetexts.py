"""Call trees written as text, a line a path: two blanks a level, `name@file calls time`.

The file is a word of FILES, or a path; a builtin has none. `:N` after it is the line of the
function, else that is 1. Times are nanoseconds, of the function
itself. `+N` after the calls are resumes, `~N` after the time is the part of it that was waited, and
`^N` after that when the longest call began.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable
from functools import partial
from textwrap import dedent

from tracer.analysis.outline.finding import Finding
from tracer.analysis.tree.call_tree import NO_ROW, Paths, Row, Tree
from tracer.data.figures import Figures
from tracer.source.modules import Module, extension_module

PYTHON = "/env/lib/python3.11"
SITE = f"{PYTHON}/site-packages"
FILES = {
    "": "~",
    "main": "/home/me/shop/main.py",
    "helpers": "/home/me/shop/helpers.py",
    "boot": "<frozen importlib._bootstrap>",
    "importlib": f"{PYTHON}/importlib/__init__.py",
    "json": f"{PYTHON}/json/__init__.py",
    "decoder": f"{PYTHON}/json/decoder.py",
    "threading": f"{PYTHON}/threading.py",
    "queue": f"{PYTHON}/queue.py",
    "runpy": "<frozen runpy>",
    "pandas": f"{SITE}/pandas/__init__.py",
    "frame": f"{SITE}/pandas/core/frame.py",
    "numpy": f"{SITE}/numpy/__init__.py",
}
LINE = re.compile("(.*?)(?::([0-9]+))?", re.DOTALL)
ALIASES = {file: word for word, file in FILES.items()}


def in_ms(text: str) -> str:
    """The text of a tree whose times are milliseconds."""
    lines = [line.rsplit(None, 1) for line in dedent(text).splitlines() if line.strip()]
    times = (re.sub("[0-9]+", lambda found: f"{found[0]}000000", time) for _, time in lines)
    return "\n".join(f"{line} {time}" for (line, _), time in zip(lines, times, strict=True))


def paths_of_text(
    *texts: str, names: tuple[str, ...] = (), extensions: dict[str, str] | None = None
) -> Paths:
    """The paths of these trees, one a thread, with the threads' names. extensions: by the name of
    an extension module its file; a builtin "module.function" is of it, and "Class.method" of the
    last one."""
    numbers: dict[Row, int] = {}
    trees = [
        _tree(text, numbers, names[at] if names else f"Thread-{at}")
        for at, text in enumerate(texts)
    ]
    known: dict[int, Module] = {}
    for row, number in numbers.items():
        for name, file in (extensions or {}).items():
            function = row.name.strip("<>")
            if row.file == "~" and (function.startswith(f"{name}.") or function[0].isupper()):
                known[number] = extension_module(name, file)
    return Paths(numbers, trees, extensions=known)


def with_figures(paths: Paths) -> Paths:
    """These paths, whose functions have the figures that follow from the trees."""
    for tree in paths.trees:
        tree.add_up = partial(figures_of, tree)
    return paths


def figures_of(tree: Tree) -> dict[int, Figures]:
    found: dict[int, Figures] = {}
    path: list[int] = []
    totals = tree.totals()
    for node in range(1, len(tree)):
        row, calls = tree.row[node], tree.calls[node]
        del path[tree.depth[node] - 1 :]
        is_outermost = row not in path
        path.append(row)
        known = found.get(row, Figures())
        found[row] = Figures(
            known.ncalls + calls,
            known.primitive + is_outermost * calls,
            known.tottime + tree.time[node],
            known.cumtime + is_outermost * totals[node],
            known.resumes + tree.resumes[node],
            waited=known.waited + tree.waited[node],
        )
    return found


def _tree(text: str, numbers: dict[Row, int], name: str) -> Tree:
    columns = (
        array("I", [0]),
        array("I", [NO_ROW]),
        array("Q", [0]),
        array("Q", [0]),
        array("q", [0]),
        array("q", [0]),
    )
    figures: dict[int, Figures] = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        what, counted, times = line.rsplit(None, 2)
        times, _, began = times.partition("^")
        time, _, waited = times.partition("~")
        calls, _, resumes = counted.partition("+")
        function, _, file = what.strip().partition("@")
        file, line_of_function = LINE.fullmatch(file).groups(default="1")
        row = Row(FILES.get(file, file), 0 if file == "" else int(line_of_function), function)
        values = (
            (len(what) - len(what.lstrip())) // 2 + 1,
            numbers.setdefault(row, len(numbers)),
            int(calls),
            int(resumes or 0),
            int(time),
            int(waited or 0),
        )
        for column, value in zip(columns, values, strict=True):
            column.append(value)
        if began:
            figures[values[1]] = Figures(values[2], longest_at=int(began))
    return Tree([column.tobytes() for column in columns], name, figures=lambda: figures)


def text_of_tree(tree: Tree, rows: tuple[Row, ...]) -> str:
    """The tree as such a text, without indentation of the whole."""
    columns = zip(
        tree.depth, tree.row, tree.calls, tree.resumes, tree.time, tree.waited, strict=True
    )
    lines = []
    for depth, row, calls, resumes, time, waited in list(columns)[1:]:
        file, _, name = rows[row]
        place = f"@{ALIASES.get(file, file)}" if file != "~" else ""
        again = f"+{resumes}" if resumes else ""
        part = f"~{waited}" if waited else ""
        lines.append(f"{'  ' * (depth - 1)}{name}{place} {calls}{again} {time}{part}\n")
    return "".join(lines)


def said(finding: Finding, place: Callable[[Row], str]) -> str:
    """What a finding says, with what stands for each place."""
    return "".join(part if isinstance(part, str) else place(part) for part in finding.parts)
