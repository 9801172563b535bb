"""What others did for a function, node by node of the threads' trees: in which thread most of it
was, and which function inside took most."""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.tree.kinds import OWN
from tracer.analysis.tree.parts import places_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Tree

MOSTLY = 0.7  # of what a function worked in several threads: one with so much is named


def main_thread_of(outline: Outline, row: int) -> str:
    """The name of the thread in which a function worked most, of several; "" of none."""
    worked: dict[str, int] = defaultdict(int)
    for tree in outline.paths.trees:
        for node, _ in nodes_for(outline, tree, row):
            worked[tree.name] += tree.time[node] - tree.waited[node]
    most = max(worked, key=lambda name: worked[name])
    return most if worked[most] >= MOSTLY * sum(worked.values()) else ""


def longest_inside(outline: Outline, row: int) -> tuple[int, int]:
    """The function of others that took most itself by way of what a function called, and its
    nanoseconds of real time; those that it called itself are left out."""
    times: dict[int, int] = defaultdict(int)
    for tree, real in zip(outline.paths.trees, outline.real.trees, strict=True):
        own = tree.time if real is None else real.busy
        for node, level in nodes_for(outline, tree, row):
            if level > 1:
                times[tree.row[node]] += own[node]
    most = max(times, key=lambda inside: times[inside], default=row)
    return most, times.get(most, 0)


def nodes_for(outline: Outline, tree: Tree, row: int) -> Iterator[tuple[int, int]]:
    """The nodes of a function, and those of what others did for it, each with its level below."""
    kinds, depths, rows = outline.kinds, tree.depth, tree.row
    end = len(rows)
    for at in (node for one in outline.sums.rows_of(row) for node in places_of(tree, one)):
        yield at, 0
        other = end  # the depth of another function of the program, which the nodes are below
        for node in range(at + 1, end):
            depth = depths[node]
            if depth <= depths[at]:
                break
            if depth <= other:
                other = depth if kinds[rows[node]] == OWN else end
            if other == end:
                yield node, depth - depths[at]
