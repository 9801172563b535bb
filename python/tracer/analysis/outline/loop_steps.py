"""For how long functions of the program keep an asyncio event loop from turning.

A loop makes steps. While one lasts, no other coroutine goes on.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.outline.finding import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.outline.real_time import RealTime
    from tracer.analysis.tree.call_tree import Paths, Tree

STEP = ("asyncio.events", "Handle._run")
NOTEBOOK = "ipykernel"  # its loop runs a cell in a step: nobody awaits in it


class Steps(NamedTuple):
    """Real nanoseconds of a function, with all that it calls, in steps of an event loop. number: of
    steps, at most."""

    time: int = 0
    number: int = 0


class LoopSteps(NamedTuple):
    """by_function: the steps of each function of the program. busy: of the time of all loops, the
    part in which they were not idle; 0: there is none. time: of all loops, nanoseconds."""

    by_function: dict[int, Steps]
    busy: float
    time: int


def loop_steps(
    paths: Paths, real: RealTime, is_own: Sequence[bool], idle: Sequence[int]
) -> LoopSteps:
    """idle: by tree, how long its event loop was."""
    makers = {row for row in range(len(paths.rows)) if names(paths, row) == STEP}
    steps: dict[int, Steps] = defaultdict(Steps)
    whole = not_idle = 0
    for number, tree in enumerate(paths.trees):
        if makers.isdisjoint(tree.row):
            continue
        add_steps(paths, tree, makers, busy_totals(real, number, tree), is_own, steps)
        time = time_of_loops(tree, makers)
        whole += time
        not_idle += max(0, time - idle[number])
    return LoopSteps(steps, not_idle / whole if whole else 0.0, whole)


def busy_totals(real: RealTime, number: int, tree: Tree) -> Sequence[int]:
    of_tree = real.trees[number]
    return tree.totals() if of_tree is None else tree.totals(of_tree.busy)


def time_of_loops(tree: Tree, makers: set[int]) -> int:
    """The time of whoever calls what makes steps."""
    totals = tree.totals()
    time = 0
    path: list[int] = []
    for node, (depth, row) in enumerate(zip(tree.depth, tree.row, strict=True)):
        del path[depth:]
        if row in makers:
            time += totals[path[-1]]
        path.append(node)
    return time


def add_steps(
    paths: Paths,
    tree: Tree,
    makers: set[int],
    totals: Sequence[int],
    is_own: Sequence[bool],
    steps: dict[int, Steps],
) -> None:
    """Of each function, the outermost calls below what makes steps. A function is in no more steps
    than the least of its callers there had stretches."""
    rows: list[int] = [0]  # along the path, and the fewest stretches; 0: in no step
    fewest: list[int] = [0]
    first = len(tree)  # the depth of what makes the steps that the nodes are in
    columns = zip(tree.depth, tree.row, tree.calls, tree.resumes, strict=True)
    for node, (depth, row, calls, resumes) in enumerate(columns):
        if node == 0:
            continue
        del rows[depth:], fewest[depth:]
        if depth <= first:
            first = depth if row in makers else len(tree)
        stretches = 0
        if depth == first:
            stretches = calls
        elif depth > first and fewest[-1] and paths.modules[row].package != NOTEBOOK:
            stretches = min(fewest[-1], max(1, calls + resumes))
            if is_own[row] and row not in rows[first:]:
                time, number = steps[row]
                steps[row] = Steps(time + totals[node], number + stretches)
        rows.append(row)
        fewest.append(stretches)
