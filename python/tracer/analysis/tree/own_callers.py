"""Which of the program's own functions cause the calls of a function, by way of libraries or not.

The callers that pstats knows are one level up: of a builtin, often the insides of libraries.
"""

from __future__ import annotations

from tracer.analysis.tree.call_tree import NANOSECONDS, UNKEPT, Row
from tracer.analysis.tree.folding import OPEN, OPENED, Folding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.types import CallerFigures, Label

# What stands for the caller where there is none: a thread or a library called the function.
NOBODY = Row("~", 0, "<no function of the program>")
LOST = Row("~", 0, UNKEPT)  # where memory ran out: a library called it, for whom is not known


def own_callers(
    paths: Paths, functions: Sequence[Label]
) -> dict[Label, dict[Label, CallerFigures]]:
    """{function: {own function: figures}}: on each path to a call of the function, the nearest of
    the program's own above. The figures are as in pstats. A time counts once where one call is
    within another for the same own function."""
    folding = Folding(paths)
    own = {number for number, role in enumerate(folding.roles) if role in (OPEN, OPENED)}
    rows = (*paths.rows, NOBODY, LOST)
    nobody, lost = len(paths.rows), len(paths.rows) + 1
    wanted = set(functions)
    sought = {number for number, row in enumerate(paths.rows) if row in wanted}
    tree = paths.merged()
    totals = tree.totals()
    found: dict[int, dict[int, list[int]]] = {number: {} for number in sought}
    nearest = [nobody]  # by level, from the root to the node before: the own function at or above
    within: list[tuple[int, int, int]] = []  # (level, function, own function) of calls on the path
    for node in range(1, len(tree)):
        level, row = tree.depth[node], tree.row[node]
        del nearest[level:]
        while within and within[-1][0] >= level:
            within.pop()
        caller = nearest[-1]
        if row in sought:
            is_first = all((row, caller) != call[1:] for call in within)
            figures = found[row].setdefault(caller, [0, 0, 0, 0])
            figures[0] += tree.calls[node]
            figures[1] += tree.calls[node] * is_first
            figures[2] += tree.time[node]
            figures[3] += totals[node] * is_first
            within.append((level, row, caller))
        nearest.append(row if row in own else caller)
    if paths.rule is None:  # else the edges are what the tree was made of
        for edge in (edge for one in paths.trees for edge in one.edges if edge.callee in sought):
            caller = edge.caller if edge.caller in own else lost
            figures = found[edge.callee].setdefault(caller, [0, 0, 0, 0])
            for at, value in enumerate((edge.calls, edge.primitive, edge.time, edge.cumtime)):
                figures[at] += value
    callers: dict[Label, dict[Label, CallerFigures]] = {label: {} for label in functions}
    for row, of in found.items():
        for caller, (ncalls, primitive, tottime, cumtime) in of.items():
            times = tottime / NANOSECONDS, cumtime / NANOSECONDS
            callers[rows[row]][rows[caller]] = ncalls, primitive, *times
    return callers
