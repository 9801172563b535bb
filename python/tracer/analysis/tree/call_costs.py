"""The costs of calls: those of all calls of a function add up to its cumulative time.

Tools for callgrind files add these costs up. With the callers of pstats they would count a
recursion again at each level, so only an outermost call of the callee has a cost here.
formats/callgrind.py writes the files.
"""

from __future__ import annotations

from tracer.analysis.tree.batches import batches
from tracer.analysis.tree.call_tree import UNKEPT, Row
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.tree.call_tree import Paths, Tree


class Costs:
    """The number and the cost, in nanoseconds, of the calls of each caller and callee.

    Caller and callee are one number, because there may be a million pairs. Iteration yields
    (caller, callee, calls, cost), in order of caller and callee.
    """

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}
        self.times: dict[int, int] = {}

    def add(self, caller: int, callee: int, calls: int, time: int) -> None:
        """Add calls of one row by another. `caller` is NO_ROW where no recorded function called."""
        call = caller << 32 | callee
        self.calls[call] = self.calls.get(call, 0) + calls
        self.times[call] = self.times.get(call, 0) + time

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        for call in sorted(self.calls):
            yield call >> 32, call & NO_ROW, self.calls[call], self.times[call]

    def callers(self) -> set[int]:
        return {call >> 32 for call in self.calls}


def costs_of(paths: Paths, progress: Callable[[int], object]) -> Costs:
    """The costs of calls in all threads."""
    costs = Costs()
    unkept = Row("~", 0, UNKEPT)
    nobody = paths.rows.index(unkept) if unkept in paths.rows else NO_ROW
    done = 0
    for tree in paths.trees:
        if paths.rule is not None:
            add_edges(costs, tree, [0] * len(paths.rows))
            add_first_calls(costs, tree)
        else:
            into = add_nodes(costs, tree, len(paths.rows), nobody, progress, done)
            add_edges(costs, tree, into)
        done += len(tree)
    return costs


def add_nodes(
    costs: Costs,
    tree: Tree,
    row_count: int,
    nobody: int,
    progress: Callable[[int], object],
    done: int,
) -> list[int]:
    """Add exact costs: the path of each node tells whether it is the outermost of its function.

    The row `nobody` is no function. Returns the cost of all calls of each row, in nanoseconds.
    """
    calls, times = costs.calls, costs.times
    deepest = max(tree.depth)
    rows = [NO_ROW] * (deepest + 1)  # rows of the node and its ancestors, by depth
    nodes = [0] * (deepest + 1)
    outermost = [0] * row_count  # by row: its latest outermost node, or 0; and that node's depth
    depths = [0] * row_count
    into = [0] * row_count
    totals = tree.totals()
    node = 0
    for batch in batches(tree, progress, done):
        for depth, row, called, _, _ in batch:
            node += 1
            if row == nobody:
                continue
            rows[depth] = row
            nodes[depth] = node
            call = rows[depth - 1] << 32 | row
            calls[call] = calls.get(call, 0) + called
            outer, above = outermost[row], depths[row]
            if outer and above < depth and nodes[above] == outer:
                times.setdefault(call, 0)
            else:
                outermost[row], depths[row] = node, depth
                times[call] = times.get(call, 0) + totals[node]
                into[row] += totals[node]
    return into


def add_edges(costs: Costs, tree: Tree, into: list[int]) -> None:
    """Add the costs of calls whose paths are not known.

    Together they are the callee's cumulative time beyond `into`. If the calls took more, the cost
    of each is made smaller in proportion. If they took less, the rest goes to the calls that no
    recorded function made, whose time is not kept.
    """
    spent = [0] * len(into)
    for edge in tree.edges:
        if edge.caller != edge.callee:
            spent[edge.callee] += edge.cumtime
    for edge in tree.edges:
        time = 0
        left = max(tree.figures[edge.callee].cumtime - into[edge.callee], 0)
        if edge.caller == NO_ROW:
            time = max(left - spent[edge.callee], 0)
        elif edge.caller != edge.callee and edge.cumtime:
            time = round(edge.cumtime * min(1, left / spent[edge.callee]))
        costs.add(edge.caller, edge.callee, edge.calls, time)


def add_first_calls(costs: Costs, tree: Tree) -> None:
    """Add the calls and times without a caller in a file that has callers alone: no recorded
    function made them."""
    figures = tree.figures
    calls = {row: known.ncalls for row, known in figures.items()}
    times = {row: known.cumtime for row, known in figures.items()}
    callers = dict.fromkeys(figures, 0)
    for edge in tree.edges:
        callers[edge.callee] += 1
        calls[edge.callee] -= edge.calls
        if edge.caller != edge.callee:
            times[edge.callee] -= edge.cumtime
    for row in figures:
        if calls[row] > 0 or times[row] > callers[row]:  # each time is rounded to a nanosecond
            costs.add(NO_ROW, row, max(calls[row], 0), max(times[row], 0))
