"""How long each call path of a coroutine was suspended, of what is known of functions alone.

A profile has the time that a function was suspended, not that of each of its paths. But a path was
suspended for no less than the coroutines together that it awaited, and the paths of a function add
up to the function. Scaling by turns what breaks the one rule and the other leads to times that
keep both (iterative proportional fitting). Where these rules leave a choice, paths share by how
often they went on.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from tracer.analysis.tree.call_tree import Tree

TURNS = 60  # at most, ...
WORK = 1_000_000  # ... and so many nodes in all turns
EXACT = 1e-4  # of a path: a smaller change is none


class Suspended(NamedTuple):
    """A node whose function was suspended. node: its place in the tree. parent: that of its caller
    among these nodes, -1 where the caller was not suspended. time: nanoseconds."""

    node: int
    row: int
    parent: int
    time: float


def suspended_nodes(tree: Tree, beside: Collection[int] = ()) -> list[Suspended]:
    """The nodes of functions that were suspended, callers first, but those of the rows `beside`."""
    whole = {
        row: figures.suspended
        for row, figures in tree.figures.items()
        if figures.suspended and row not in beside
    }
    return nodes_of(tree, whole)


def nodes_of(tree: Tree, whole: dict[int, int]) -> list[Suspended]:
    """The nodes of these functions, callers first. whole: by row, how long it was suspended."""
    if whole.keys().isdisjoint(tree.row):
        return []
    nodes: list[int] = []
    parents: list[int] = []
    path: list[int] = []  # by level, the place among the nodes; -1: none
    for node, (depth, row) in enumerate(zip(tree.depth, tree.row, strict=True)):
        del path[depth:]
        path.append(len(nodes) if row in whole else -1)
        if row in whole:
            parents.append(path[-2])
            nodes.append(node)
    rows = [tree.row[node] for node in nodes]
    times = shared(whole, rows, [float(tree.resumes[node] or 1) for node in nodes])
    for _ in range(max(1, min(TURNS, WORK // len(nodes)))):
        before = times
        times = shared(whole, rows, within(parents, times))
        if all(abs(a - b) <= EXACT * a for a, b in zip(times, before, strict=True)):
            break
    return [Suspended(*it) for it in zip(nodes, rows, parents, times, strict=True)]


def shared(whole: dict[int, int], rows: list[int], times: list[float]) -> list[float]:
    """The times, scaled so that those of each row add up to the whole of that row."""
    sums: dict[int, float] = defaultdict(float)
    for row, time in zip(rows, times, strict=True):
        sums[row] += time
    return [
        time * whole[row] / sums[row] if sums[row] else 0.0
        for row, time in zip(rows, times, strict=True)
    ]


def within(parents: list[int], times: list[float]) -> list[float]:
    """The times, scaled so that those of the nodes below one are no more than that one's."""
    sums = [0.0] * len(times)
    for parent, time in zip(parents, times, strict=True):
        if parent >= 0:
            sums[parent] += time
    found: list[float] = []
    for parent, time in zip(parents, times, strict=True):
        if parent >= 0 and sums[parent] > found[parent]:
            time *= found[parent] / sums[parent]
        found.append(time)
    return found
