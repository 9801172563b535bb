"""Whose the functions are that exec() made of a text, as dataclasses and templates make them.

Their file is "<string>" or "<template>", which is no module. A profile does not tell which module
had them made, so their callers decide: a function belongs to the module that called it most.
Builtins and the modules that make functions for others do not count; whoever called these does.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tracer.data.records import NO_ROW
from tracer.source.modules import Module
from tracer.source.origin import BUILTIN, is_made_of_text

if TYPE_CHECKING:
    from array import array

    from tracer.data.types import Label

    Nodes = tuple[array[int], array[int], array[int]]  # depth, row and calls, in preorder

__all__ = ["with_makers"]

# Packages that make functions of texts for the modules that call them.
MAKERS = frozenset({"attr", "attrs", "collections", "dataclasses", "enum", "functools", "typing"})
MODULE = "<module>"  # the name of a text as a whole


def with_makers(
    rows: Sequence[Label], modules: Sequence[Module], trees: Iterable[Nodes]
) -> list[Module]:
    """The module of each row, where `modules` has that of its file."""
    made = {number for number, (file, _, _) in enumerate(rows) if is_made_of_text(file)}
    found = list(modules)
    if made:
        for number, callers in _callers(made, modules, trees).items():
            (module, _), *_ = callers.most_common(1)
            if rows[number][2] == MODULE:  # beside the `<module>` of the file
                module = module._replace(name=f"{module.name}.{rows[number][0]}")
            found[number] = module
    return found


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
