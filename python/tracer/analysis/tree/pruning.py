"""Pruning: calling contexts below a share of the time are merged, so that a picture stays small.

Below each node, the small nodes become one node with their calls, resumes and time. So all sums and
the figures of functions stay as they are. Each format leaves out small functions itself:
large_functions() names the others.
"""

from __future__ import annotations

from array import array

from tracer.analysis.tree.call_tree import Paths, Row, Tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.figures import Figures


def whole_time(paths: Paths) -> int:
    """The time of all threads in nanoseconds. Minima and shares are percent of this time."""
    return sum(tree.whole for tree in paths.trees)


def share(time: int, whole: int) -> float:
    """Percent of the whole time; 0 where the whole is 0."""
    return 100 * time / whole if whole > 0 else 0.0


def large_functions(paths: Paths, percent: float) -> dict[int, Figures]:
    """The figures, in all threads, of each row whose cumulative time is at least so many percent of
    the time of all threads."""
    least = whole_time(paths) * percent / 100
    return {
        row: figures
        for row, figures in paths.figures.items()
        if not percent or figures.cumtime >= least
    }


def pruned(paths: Paths, percent: float) -> Paths:
    """The paths without the nodes whose cumulative time is less than so many percent of the time of
    all threads."""
    if not percent:
        return paths
    least = whole_time(paths) * percent / 100
    rest = Row("~", 0, f"<less than {percent:g}% each>")
    trees = [_pruned(tree, least, len(paths.rows)) for tree in paths.trees]
    rows = *paths.rows, rest
    found = Paths(rows, trees, paths.rule, lambda: paths.figures, paths.natives, paths.extensions)
    found.sampled = paths.sampled
    return found


def _pruned(tree: Tree, least: float, rest: int) -> Tree:
    columns = array("I"), array("I"), array("Q"), array("Q"), array("q"), array("q")
    depths, rows, calls, resumes, times, waits = columns
    rests = [-1] * (max(tree.depth) + 2)  # by depth: the node for the rest below the current parent
    cut = len(rests)  # nodes deeper than this are being left out
    into = -1
    own = zip(tree.calls, tree.resumes, tree.time, tree.waited, strict=True)
    for depth, row, (called, resumed, time, waited), total in zip(
        tree.depth, tree.row, own, tree.totals(), strict=True
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
                waits.append(waited)
                continue
            cut = depth
            into = rests[depth]
            if into < 0:
                into = rests[depth] = len(depths)
                depths.append(depth)
                rows.append(rest)
                for column in columns[2:]:
                    column.append(0)
        calls[into] += called
        resumes[into] += resumed
        times[into] += time
        waits[into] += waited
    packed = [column.tobytes() for column in columns]
    return Tree(packed, tree.name, tree.ident, tree.native_id, tree.edges, lambda: tree.figures)
