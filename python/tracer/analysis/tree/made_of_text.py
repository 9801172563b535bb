"""Whose the functions are that exec() made of a text, as dataclasses and templates make them.

Their file is "<string>" or "<template>", which is no module. A profile does not tell which module
had them made. Some libraries name it in the file, as "<attrs generated init shop.models.Item>".
Else the callers decide: a function belongs to the module that called it most. Builtins and the
modules that make functions for others do not count; whoever called these does.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tracer.data.records import NO_ROW
from tracer.source.file_kinds import BUILTIN, is_made_of_text
from tracer.source.modules import Module

if TYPE_CHECKING:
    from array import array

    from tracer.data.types import Label

    Nodes = tuple[array[int], array[int], array[int]]  # depth, row and calls, in preorder

# Packages that make functions of texts for the modules that call them.
MAKERS = frozenset({"attr", "attrs", "collections", "dataclasses", "enum", "functools", "typing"})
MODULE = "<module>"  # the name of a text as a whole
# A single word is no name: "<string>" and "<template>" would be modules. Nor is a part of a path.
DOTTED = re.compile(r"(?<![\w./\\])[^\W\d]\w*(?:\.[^\W\d]\w*)+(?!\.?[\w/\\])")


def with_makers(
    rows: Sequence[Label], modules: Sequence[Module], trees: Iterable[Nodes]
) -> list[Module]:
    """The module of each row, where `modules` has that of its file."""
    made = {number for number, (file, _, _) in enumerate(rows) if is_made_of_text(file)}
    found = list(modules)
    if made:
        makers = _named(made, rows, modules)
        for number, module in makers.items():
            found[number] = module
        for number, callers in _callers(made - makers.keys(), found, trees).items():
            [(makers[number], _)] = callers.most_common(1)
        for number, module in makers.items():
            beside = rows[number][2] == MODULE  # the `<module>` of the file
            name = f"{module.name}.{rows[number][0]}" if beside else module.name
            found[number] = module._replace(name=name)
    return found


def _named(made: set[int], rows: Sequence[Label], modules: Sequence[Module]) -> dict[int, Module]:
    """The modules that the files of the functions `made` name, as far as the profile has any
    function of their package. Of several names, the last one counts."""
    known = {
        module.name: module
        for number, module in enumerate(modules)
        if number not in made and module.kind != BUILTIN and module.package not in MAKERS
    }
    packages = {it.package: it._replace(name=it.package) for it in known.values()}
    return {
        number: module
        for number in made
        for name in DOTTED.findall(rows[number][0])
        if (module := _longest_known(name, known) or packages.get(name.partition(".")[0]))
    }


def _longest_known(name: str, known: dict[str, Module]) -> Module | None:
    """The module that a dotted name begins with."""
    while name and name not in known:
        name = name.rpartition(".")[0]
    return known.get(name)


def _callers(
    made: set[int], modules: Sequence[Module], trees: Iterable[Nodes]
) -> dict[int, Counter[Module]]:
    """How often each module called the functions `made`."""
    aside = {
        number
        for number, module in enumerate(modules)
        if number in made or module.kind == BUILTIN or module.package in MAKERS
    } | {NO_ROW}
    found: dict[int, Counter[Module]] = defaultdict(Counter)
    for depths, numbers, counts in trees:
        path = [NO_ROW] * (1 + max(depths, default=0))
        for depth, row, calls in zip(depths, numbers, counts, strict=True):
            path[depth] = row
            if row in made:
                caller = next((it for it in path[depth - 1 :: -1] if it not in aside), None)
                if caller is not None:
                    found[row][modules[caller]] += calls
    return found
