"""Pruning: what took less than a share of the time is left out, so that a picture stays small.

Small paths are taken together: below each function, what is left out becomes one node that has its
calls and time, so all sums, and the figures of functions, stay as they are. Small functions are for
a format itself to leave out; which those are, and what share of the time a figure is, is told here.
"""

from __future__ import annotations

from array import array

from tracer.analysis.call_tree import Paths, Row, Tree, summed_figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.figures import Figures


def whole_time(paths: Paths) -> int:
    """The time of all threads, of which minima and shares are percent, in nanoseconds."""
    return sum(sum(tree.time) for tree in paths.trees)


def share(time: int, whole: int) -> float:
    """Percent of the whole time; 0 of none at all."""
    return 100 * time / whole if whole > 0 else 0.0


def large_functions(paths: Paths, percent: float) -> dict[int, Figures]:
    """The figures of each row, of all threads, without the functions that took less than this share
    of the time of all threads, what they called included."""
    least = whole_time(paths) * percent / 100
    return {
        row: figures
        for row, figures in summed_figures(paths).items()
        if not percent or figures.cumtime >= least
    }


def pruned(paths: Paths, percent: float) -> Paths:
    """The paths without the nodes that took less than this share of the time of all threads, what
    they called included."""
    if not percent:
        return paths
    least = whole_time(paths) * percent / 100
    rest = Row("~", 0, f"<less than {percent:g}% each>")
    trees = [_pruned(tree, least, len(paths.rows)) for tree in paths.trees]
    return Paths((*paths.rows, rest), trees, paths.rule)


def _pruned(tree: Tree, least: float, rest: int) -> Tree:
    columns = array("I"), array("I"), array("Q"), array("Q"), array("q")
    depths, rows, calls, resumes, times = columns
    rests = [-1] * (max(tree.depth) + 2)  # by depth: the node for the rest below the present parent
    cut = len(rests)  # the depth from which on nodes are left out just now
    into = -1
    for depth, row, called, resumed, time, total in zip(
        tree.depth, tree.row, tree.calls, tree.resumes, tree.time, tree.totals(), strict=True
    ):
        if depth <= cut:
            cut = len(rests)
            if depth == 0 or total >= least:
                rests[depth + 1] = -1
                depths.append(depth)
                rows.append(row)
                calls.append(called)
                resumes.append(resumed)
                times.append(time)
                continue
            cut = depth
            into = rests[depth]
            if into < 0:
                into = rests[depth] = len(depths)
                depths.append(depth)
                rows.append(rest)
                for column in (calls, resumes, times):
                    column.append(0)
        calls[into] += called
        resumes[into] += resumed
        times[into] += time
    packed = [column.tobytes() for column in columns]
    return Tree(packed, tree.name, tree.ident, tree.native_id, tree.edges, tree.figures)
