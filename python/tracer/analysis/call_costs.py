"""What calls cost, so that the calls into a function add up to its cumulative time.

Tools for callgrind files add just that up, and with the callers of pstats a recursion would be
counted again at each level. Here only calls that are outermost of the callee have a cost. The text
of such files is formats/callgrind.py's work.
"""

from __future__ import annotations

from tracer.analysis.call_tree import UNKEPT, Row, batches
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.call_tree import Paths, Tree


class Costs:
    """Calls, and their cost in nanoseconds, by call: caller and callee in one number, because there
    may be a million. Going through it gives (caller, callee, calls, cost), in this order."""

    def __init__(self) -> None:
        self.calls: dict[int, int] = {}
        self.times: dict[int, int] = {}

    def add(self, caller: int, callee: int, calls: int, time: int) -> None:
        """The caller is NO_ROW where nothing that was recorded called."""
        call = caller << 32 | callee
        self.calls[call] = self.calls.get(call, 0) + calls
        self.times[call] = self.times.get(call, 0) + time

    def __iter__(self) -> Iterator[tuple[int, int, int, int]]:
        for call in sorted(self.calls):
            yield call >> 32, call & NO_ROW, self.calls[call], self.times[call]

    def callers(self) -> set[int]:
        return {call >> 32 for call in self.calls}


def costs_of(paths: Paths, progress: Callable[[int], object]) -> Costs:
    """What calls cost, of all threads."""
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
    """Exact: the path of each node tells whether it is the outermost of its function. Returns what
    went into each row; the row `nobody` is no function."""
    calls, times = costs.calls, costs.times
    deepest = max(tree.depth)
    rows = [NO_ROW] * (deepest + 1)  # of the node and its ancestors, by depth
    nodes = [0] * (deepest + 1)
    outermost = [0] * row_count  # the last such node of each row, 0 for none, and its depth
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
    """Where paths are not known: what these calls took together is what the callee's cumulative
    time has beyond `into`. If it is more, each is made smaller in proportion; if it is less, the
    rest is of the calls that nothing recorded made, whose time is not kept."""
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
    """What no caller of a file that has callers alone accounts for: nothing recorded called it."""
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
        if calls[row] > 0 or times[row] > callers[row]:  # each is rounded to a nanosecond
            costs.add(NO_ROW, row, max(calls[row], 0), max(times[row], 0))
