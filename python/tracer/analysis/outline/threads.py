"""Which threads of a run get a root each in its outline, and which only wait for work."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from typing import NamedTuple

from tracer._core import merge_paths
from tracer.analysis.tree.call_tree import Tree, merged_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.real_time import RealTime, TreeTime
    from tracer.analysis.tree.call_tree import Paths

    Columns = tuple[bytes, bytes, bytes, bytes, bytes, bytes]

MATTERS = 0.01  # of the time: threads with less share a root
ONLY_WAITS = 0.9  # of its time: a thread that waits for so much, and matters not, has no root
DIGITS = re.compile(r"\d+")
STARTS = re.compile(r"Thread-N \((.*)\)")  # a thread without a name of its own: what it runs


class Group(NamedTuple):
    """Threads with one root. tree: all of them. real: the same, whose time is real, and what of it
    is waited is with nothing to do; None: all time is real."""

    name: str
    tree: Tree
    real: Tree | None


class Idlers(NamedTuple):
    """Threads that only wait for work. waited: nanoseconds. names: what is known of each kind."""

    number: int
    waited: int
    names: tuple[str, ...]


def grouped(paths: Paths, real: RealTime) -> tuple[list[Group], Idlers | None]:
    """The threads that get a root each: those whose names differ in numbers only are one. Threads
    that do not matter are one, too, and none where they do not matter together. Of these, the ones
    that only wait are the idlers."""
    by_kind: dict[str, list[int]] = defaultdict(list)
    for number, tree in enumerate(paths.trees):
        by_kind[kind_of(tree.name)].append(number)
    found: list[Group] = []
    rest: list[int] = []
    idlers: dict[str, list[Tree]] = {}
    for kind, numbers in by_kind.items():
        trees = [paths.trees[number] for number in numbers]
        if real_of(paths, real, numbers) >= MATTERS * real.length:
            name = trees[0].name if len(trees) == 1 else f"{len(trees)} threads {kind}".strip()
            found.append(group(name, paths, real, numbers))
        elif waited(trees) > ONLY_WAITS * sum(tree.in_functions for tree in trees):
            idlers[kind] = trees
        else:
            rest += numbers
    if rest and (not found or real_of(paths, real, rest) >= MATTERS * real.length):
        found.append(group(f"{len(rest)} other threads", paths, real, rest))
    if not found and idlers:
        found = [group(kind, paths, real, by_kind[kind]) for kind in idlers]
        idlers = {}
    return found, idlers_of(idlers)


def idlers_of(idlers: dict[str, list[Tree]]) -> Idlers | None:
    trees = [tree for those in idlers.values() for tree in those]
    names = (found[1] if (found := STARTS.fullmatch(kind)) else kind for kind in idlers)
    return Idlers(len(trees), waited(trees), tuple(dict.fromkeys(names))) if trees else None


def kind_of(name: str) -> str:
    return DIGITS.sub("N", name)


def waited(trees: list[Tree]) -> int:
    return sum(sum(tree.waited[1:]) for tree in trees)


def real_of(paths: Paths, real: RealTime, numbers: list[int]) -> int:
    return sum(
        paths.trees[number].in_functions
        if (time := real.trees[number]) is None
        else sum(time.busy[1:]) + sum(time.idle[1:])
        for number in numbers
    )


def group(name: str, paths: Paths, real: RealTime, numbers: list[int]) -> Group:
    trees = [paths.trees[number] for number in numbers]
    if all(real.trees[number] is None for number in numbers):
        return Group(name, merged_trees(trees), None)
    columns = tuple(by_real_time(paths.trees[number], real.trees[number]) for number in numbers)
    return Group(name, merged_trees(trees), Tree(merge_paths(columns)))


def by_real_time(tree: Tree, time: TreeTime | None) -> Columns:
    """The columns of a tree, with its real time in the place of time and waits."""
    busy, idle = (tree.time, array("q", bytes(8 * len(tree)))) if time is None else time
    depth, row, calls, resumes, _, _ = tree.columns
    return depth, row, calls, resumes, busy.tobytes(), idle.tobytes()
