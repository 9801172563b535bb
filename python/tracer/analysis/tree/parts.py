"""Parts of a call tree: what is below some functions, the paths through them, functions as one row.

folding.py folds what is not the program's own. Nothing is printed here.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from tracer._core import merge_paths
from tracer.analysis.tree.call_tree import Tree
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator


class Node(NamedTuple):
    """A node of a part: as in Tree."""

    depth: int
    row: int
    calls: int
    resumes: int
    time: int
    waited: int


def below(tree: Tree, rows: Container[int]) -> Tree:
    """All calls of these rows, merged, with what is below them. A call of one within a call of
    another, or of its own, stays where it is: no time counts twice."""
    nodes = []
    start = len(tree)  # the depth of the call that the nodes are below
    for node in nodes_of(tree):
        if node.depth <= start:
            start = node.depth if node.row in rows else len(tree)
        if node.depth >= start:
            nodes.append(node._replace(depth=node.depth - start + 1))
    return merged(nodes)


def through(tree: Tree, rows: Container[int]) -> Tree:
    """The paths that go through a call of these rows: what is below such a call, and its callers,
    without their time on other paths."""
    kept = []
    matching = len(tree)  # the depth of the call that the nodes are below
    leading: list[Node] = []  # the callers of the node that have not been kept yet
    path: list[Node] = []
    for node in nodes_of(tree):
        del path[node.depth - 1 :]
        path.append(node)
        leading = [caller for caller in leading if caller.depth < node.depth]
        if node.depth <= matching:
            matching = node.depth if node.row in rows else len(tree)
        if node.depth >= matching:
            kept += [*leading, node]
            leading = []
        else:
            leading.append(node._replace(time=0, waited=0))
    return merged(kept)


def collapsed(tree: Tree, rows: Container[int]) -> Tree:
    """The tree with each call of these rows as one row, which has the time of all below."""
    nodes: list[Node] = []
    start = len(tree)  # the depth of the call that the nodes are below
    for node in nodes_of(tree):
        if node.depth <= start:
            start = node.depth if node.row in rows else len(tree)
            nodes.append(node)
        else:
            time, waited = nodes[-1].time + node.time, nodes[-1].waited + node.waited
            nodes[-1] = nodes[-1]._replace(time=time, waited=waited)
    return merged(nodes, tree.time[0])


def with_rows_above(tree: Tree) -> Iterator[tuple[int, list[int]]]:
    """The number of each node but the root, with the rows above it from the outermost on."""
    path: list[int] = []
    for node in range(1, len(tree)):
        del path[tree.depth[node] - 1 :]
        yield node, path
        path.append(tree.row[node])


def places_of(tree: Tree, row: int) -> Iterator[int]:
    """The nodes of a row."""
    node = 0
    while True:
        try:
            node = tree.row.index(row, node + 1)  # fast where the function is rare
        except ValueError:
            return
        yield node


def nodes_of(tree: Tree) -> Iterable[Node]:
    """The nodes in preorder, without the root."""
    columns = zip(
        tree.depth, tree.row, tree.calls, tree.resumes, tree.time, tree.waited, strict=True
    )
    next(columns)
    return (Node(*values) for values in columns)


def merged(nodes: Iterable[Node], time: int = 0) -> Tree:
    """The tree of these nodes, of which those on one path are one node. time: the root's."""
    columns = (array("I"), array("I"), array("Q"), array("Q"), array("q"), array("q"))
    for node in (Node(0, NO_ROW, 0, 0, time, 0), *nodes):
        for column, value in zip(columns, node, strict=True):
            column.append(value)
    depth, row, calls, resumes, times, waited = (column.tobytes() for column in columns)
    return Tree(merge_paths(((depth, row, calls, resumes, times, waited),)))
