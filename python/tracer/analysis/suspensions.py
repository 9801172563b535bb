"""Which functions wait while they are suspended, and what they wait for: --suspended.

Coroutines and asynchronous generators wait. A plain generator does not: whoever takes its values
works meanwhile. A profile does not tell one from the other, and the source does; the page has the
same rule, in page/source/coroutines.js.
"""

from __future__ import annotations

import re

from tracer.source.texts import LARGEST, decoded, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tracer.analysis.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

DEFINITION = re.compile(r"\s*(async\s+)?def\b")
NAMELESS = ("<genexpr>", "<lambda>")
AWAITABLE = "__await__"  # a plain generator that is awaited
MAKES_AWAITABLE = "coroutine"  # in a decorator: types.coroutine
MOST_DECORATORS = 200  # lines between a function's first line and its `def`
MOST = 0.5  # of the time suspended: what a function awaited for so much explains it


def waiting_functions(profiles: ProfileSet, labels: Iterable[Label]) -> dict[Label, bool]:
    """{function: whether it waits while it is suspended}, of those whose source is known: kept in
    the profile, or on this machine."""
    kept = {file: text.data for it in profiles.captures for file, text in it.sources.items()}
    lines: dict[str, list[str]] = {}
    found = {}
    for label in labels:
        file = label[0]
        if file not in lines:
            data = kept[file] if file in kept else source_here(file)
            lines[file] = decoded(data).splitlines()
        waits = is_waiting(lines[file], label)
        if waits is not None:
            found[label] = waits
    return found


def source_here(file: str) -> bytes:
    found = text_of(file, LARGEST) if file.startswith("/") else None
    return b"" if found is None else found[0]


def is_waiting(lines: list[str], label: Label) -> bool | None:
    """Whether a function waits while it is suspended; None: not known."""
    _, first, name = label
    if name.endswith(NAMELESS):
        return False
    if name.rpartition(".")[2] == AWAITABLE:
        return True
    for line in lines[first - 1 : first - 1 + MOST_DECORATORS]:
        definition = DEFINITION.match(line)
        if definition is not None:
            return definition[1] is not None
        if MAKES_AWAITABLE in line:
            return True
    return None


def awaited_longest(
    paths: Paths, suspended: Mapping[Label, float], generators: Collection[Label]
) -> dict[Label, Label]:
    """{function: the innermost one that it awaited, itself or by way of others, for most of the
    time that it was suspended}. Functions that awaited none are left out."""
    awaits = awaited_by(paths, {row for row in suspended if row not in generators})
    found: dict[Label, Label] = {}
    for label in awaits:
        chain = [label]
        while True:
            longest = max(
                (one for one in awaits.get(chain[-1], ()) if one not in chain),
                key=lambda one: suspended[one],
                default=None,
            )
            if longest is None or suspended[longest] < MOST * suspended[chain[-1]]:
                break
            chain.append(longest)
        if len(chain) > 1:
            found[label] = chain[-1]
    return found


def awaited_by(paths: Paths, functions: Collection[Label]) -> dict[Label, set[Label]]:
    """{function: those that it called}, among these functions, on any path."""
    rows = {number for number, row in enumerate(paths.rows) if row in functions}
    found: dict[Label, set[Label]] = {}
    for tree in paths.trees:
        path: list[int] = []
        for depth, row in zip(tree.depth, tree.row, strict=True):
            del path[depth:]
            if row in rows and path and path[-1] in rows:
                found.setdefault(paths.rows[path[-1]], set()).add(paths.rows[row])
            path.append(row)
    return found
