"""Wrappers: functions that decorators return, and that pass calls on to the functions they wrap.

All calls through `timed.<locals>.wrapper` are of one function, so a path through two of them looks
like recursion, and the tree loses who calls whom. Here each wrapper becomes a row for each function
that it wraps: `timed(main)` and `timed(load)`. What a wrapper wraps is told from what it called.
"""

from __future__ import annotations

import re
from copy import copy
from functools import partial
from io import StringIO
from typing import NamedTuple

from tracer.analysis.tree.call_tree import Paths, Row
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.folding import own_rows
from tracer.analysis.tree.wrapper_names import USUAL, decorator_of, may_wrap
from tracer.source.file_kinds import BUILTIN
from tracer.source.wrapper_syntax import definition_at, passes_on

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterable, Iterator

    from tracer.analysis.tree.call_tree import Tree
    from tracer.data.figures import Figures
    from tracer.source.modules import Module

NAMED = 2  # wrapped functions at most in the name of a row
MORE = "…"
NONE = -1  # in the place of a node
# What a row is to its caller. THROUGH: what it calls counts as called by its caller.
PLAIN, WRAPPER, THROUGH = range(3)
DESCRIPTORS = re.compile(r"^\s*@(?:\w+\.)*(?:property|cached_property|staticmethod|classmethod)\b")
# What nobody wraps but by name: methods like __enter__, and parts of functions.
UNNAMED = re.compile(r"(?:.*\.)?(?:__(?!call__)\w+__|<(?!lambda>)\w+>)")

# How much speaks for a function being what a wrapper wraps, the best first.
BY_NAME, DECORATED, OWN_FUNCTION, OTHER, NOT_WRAPPED = range(5)


class Found(NamedTuple):
    """paths: with a row for what each wrapper wraps. wrappers: of each row that is a wrapper, the
    row of the function, as it was recorded."""

    paths: Paths
    wrappers: dict[int, int]


def with_wrappers(paths: Paths, text_of: Callable[[str], str | None]) -> Found:
    """The paths in which wrappers are rows by what they wrap. The rows of `paths` keep their
    numbers and figures. text_of: the text of a file, where it is known."""
    named = {number for number, row in enumerate(paths.rows) if may_wrap(row.name)}
    if not named:
        return Found(paths, {})
    there = {row for tree in paths.trees for row in named.intersection(tree.row)}
    rows = Wrappers(paths, text_of, there)
    if not rows.wrappers:
        return Found(paths, {})
    trees = [rows.renamed(tree) for tree in paths.trees]
    rows.wrappers = dict(rows.sure())
    if len(rows.rows) == len(paths.rows):
        return Found(paths, rows.wrappers)
    found = Paths((), trees, paths.rule, lambda: paths.figures, paths.natives)
    found.sampled = paths.sampled
    found.rows, found.modules = tuple(rows.rows), tuple(rows.modules)
    made = range(len(paths.rows), len(rows.rows))
    found.owners = *paths.owners, *(paths.owners[rows.wrappers[row]] for row in made)
    found.extensions, found.preemptions = paths.extensions, paths.preemptions
    return Found(found, rows.wrappers)


class Wrappers:
    """The wrappers of some paths. rows, modules: also of the rows that are made. wrappers: as in
    Found."""

    def __init__(
        self, paths: Paths, text_of: Callable[[str], str | None], candidates: Iterable[int]
    ) -> None:
        self.rows: list[Row] = list(paths.rows)
        self.modules: list[Module] = list(paths.modules)
        self.text_of: Callable[[str], str | None] = text_of
        self.lines: dict[str, list[str]] = {}  # by file
        self.numbers: dict[tuple[int, tuple[int, ...], bool], int] = {}  # of the rows made
        self.decorators: dict[int, str] = {}  # by row, their text
        self.best: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}  # what best_of() said
        self.by_name: set[int] = set()  # the wrappers whose text does not tell
        self.wrappers: dict[int, int] = {row: row for row in candidates if self.is_wrapper(row)}
        if self.wrappers:
            self.owns: list[bool] = own_rows(paths)
            self.roles: bytearray = bytearray(
                THROUGH if module.kind == BUILTIN else PLAIN for module in self.modules
            )
            self.see_parts()
            for row in self.wrappers:
                self.roles[row] = WRAPPER

    def is_wrapper(self, row: int) -> bool:
        """Whether a function is a wrapper by its text, or else by its name."""
        file, line, name = self.rows[row]
        passes = passes_on(self.lines_of(file), line, name)
        if passes is None and name.rpartition(".")[2] in USUAL:
            self.by_name.add(row)
            return True
        return passes is True

    def sure(self) -> Iterator[tuple[int, int]]:
        """The wrappers without those that have the name of one alone, and wrap nothing."""
        wrapping = {of for row, of in self.wrappers.items() if row != of}
        for row, of in self.wrappers.items():
            if row != of or row in wrapping or row not in self.by_name:
                yield row, of

    def lines_of(self, file: str) -> list[str]:
        if file not in self.lines:
            text = self.text_of(file)
            self.lines[file] = StringIO(text or "", newline=None).readlines()
        return self.lines[file]

    def see_parts(self) -> None:
        """What a wrapper calls by way of a function that it defines, it calls itself."""
        whole = {(self.rows[row].file, self.rows[row].name) for row in self.wrappers}
        for row, (file, _, name) in enumerate(self.rows):
            outer = name.rpartition(".<locals>.")[0]
            if outer and (file, outer) in whole:
                self.roles[row] = THROUGH

    def renamed(self, tree: Tree) -> Tree:
        """The tree with the rows of what its wrappers wrap."""
        if self.wrappers.keys().isdisjoint(tree.row):
            return tree
        calls, callers = self.calls_in(tree)
        wrapped: dict[int, tuple[int, ...]] = {}
        for node in reversed(calls):  # a wrapper that another wraps comes before that
            wrapped[node] = self.wrapped_by(tree, node, calls[node], wrapped)
        numbers = {node: self.number(tree.row[node], of) for node, of in wrapped.items() if of}
        if len(numbers) < len(calls):
            numbers |= dict(guessed(tree.row, callers, numbers))
        return with_rows(tree, numbers)

    def calls_in(self, tree: Tree) -> tuple[dict[int, list[int]], dict[int, int]]:
        """By node of a wrapper, callers first: the nodes that it called, and who called it."""
        calls: dict[int, list[int]] = {}
        callers: dict[int, int] = {}
        roles = self.roles
        levels = 1 + max(tree.depth)
        above = [NONE] * levels  # by level: the wrapper that calls what is one level below
        path = [NONE] * levels
        nodes = enumerate(zip(tree.depth, tree.row, strict=True))
        next(nodes)
        for node, (depth, row) in nodes:
            role, wrapper = roles[row], above[depth - 1]
            path[depth] = row
            if role == THROUGH:
                above[depth] = wrapper
                continue
            if wrapper != NONE:
                calls[wrapper].append(node)
            above[depth] = NONE
            if role == WRAPPER:
                above[depth] = node
                calls[node] = []
                callers[node] = path[depth - 1]
        return calls, callers

    def wrapped_by(
        self, tree: Tree, node: int, below: list[int], wrapped: dict[int, tuple[int, ...]]
    ) -> tuple[int, ...]:
        """The rows that a node wraps, of the nodes that it called. A wrapper stands for what that
        wraps; `wrapped` has these."""
        rows = tree.row
        of = [wrapped.get(one, (rows[one],)) for one in below]
        key = rows[node], of[0] if len(of) == 1 else tuple(sorted({row for it in of for row in it}))
        found = self.best.get(key)
        if found is None:
            found = self.best[key] = self.best_of(*key)
        if len(found) < 2 or self.rank(rows[node], found[0]) != OTHER:
            return found
        often = dict.fromkeys(found, 0)
        for one, those in zip(below, of, strict=True):
            for row in often.keys() & those:
                often[row] += tree.calls[one]
        return (max(found, key=lambda row: often[row]),)

    def best_of(self, wrapper: int, below: tuple[int, ...]) -> tuple[int, ...]:
        """Those of the rows that a wrapper called for which most speaks."""
        ranks = {row: self.rank(wrapper, row) for row in below}
        best = min(ranks.values(), default=NOT_WRAPPED)
        return tuple(row for row in below if ranks[row] == best < NOT_WRAPPED)

    def rank(self, wrapper: int, row: int) -> int:
        """How much speaks for a function that a wrapper called being what it wraps."""
        name, by = self.rows[row].name, self.decorators_of(row)
        if by and re.search(rf"\b{re.escape(decorator_of(self.rows[wrapper].name))}\b", by):
            return BY_NAME
        if UNNAMED.fullmatch(name):
            return NOT_WRAPPED
        is_library = not self.owns[wrapper]
        if by and (self.owns[row] or is_library) and not DESCRIPTORS.search(by):
            return DECORATED
        if self.owns[row]:
            return OWN_FUNCTION
        is_same = self.modules[row].package == self.modules[wrapper].package
        return OTHER if is_library and is_same else NOT_WRAPPED

    def decorators_of(self, row: int) -> str:
        if row not in self.decorators:
            file, line, name = self.rows[row]
            found = definition_at(self.lines_of(file), line) if line else None
            is_there = found is not None and name.rpartition(".")[2] == found.name
            self.decorators[row] = found.decorators if found and is_there else ""
        return self.decorators[row]

    def number(self, wrapper: int, wrapped: tuple[int, ...]) -> int:
        """The row of a wrapper around these functions."""
        key = wrapper, wrapped[:NAMED], len(wrapped) > NAMED
        if key not in self.numbers:
            self.numbers[key] = number = len(self.rows)
            file, line, _ = self.rows[wrapper]
            self.rows.append(Row(file, line, self.name(*key)))
            self.modules.append(self.modules[wrapper])
            self.wrappers[number] = wrapper
        return self.numbers[key]

    def name(self, wrapper: int, wrapped: tuple[int, ...], is_more: bool) -> str:
        """A library's wrapper has the name of the library's function that it wraps: the program
        calls that."""
        rows = [self.rows[row] for row in wrapped]
        more = [MORE] if is_more else []
        packages = {self.modules[row].package for row in (wrapper, *wrapped)}
        if len(packages) == 1 and not self.owns[wrapper]:
            return ", ".join([*(row.name for row in rows), *more])
        names = ", ".join([*map(called, rows), *more])
        return f"{decorator_of(self.rows[wrapper].name)}({names})"


def guessed(
    rows: array[int], callers: dict[int, int], numbers: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """(node, its number) of wrappers that called nothing there, as one that keeps results: what
    they wrap elsewhere in the tree for the same caller, or for any, where that is all the same."""
    by_caller: dict[tuple[int, int], set[int]] = {}
    by_row: dict[int, set[int]] = {}
    for node, number in numbers.items():
        by_caller.setdefault((rows[node], callers[node]), set()).add(number)
        by_row.setdefault(rows[node], set()).add(number)
    for node, caller in callers.items():
        if node not in numbers:
            for known in (by_caller.get((rows[node], caller)), by_row.get(rows[node])):
                if known and len(known) == 1:
                    yield node, next(iter(known))
                    break


def with_rows(tree: Tree, numbers: dict[int, int]) -> Tree:
    """The tree in which these nodes have other rows. Figures are of functions: a new row has those
    of the function where it has all nodes of it."""
    found = copy(tree)
    found.row = tree.row[:]
    moved: dict[int, set[int]] = {}
    for node, number in numbers.items():
        moved.setdefault(tree.row[node], set()).add(number)
        found.row[node] = number
    whole = {row: min(to) for row, to in moved.items() if len(to) == 1}
    for row in set(whole).intersection(found.row):  # has nodes left
        del whole[row]
    found.__dict__.pop("figures", None)
    found.add_up = partial(moved_figures, tree, whole)
    return found


def moved_figures(tree: Tree, moved: dict[int, int]) -> dict[int, Figures]:
    return {moved.get(row, row): figures for row, figures in tree.figures.items()}
