"""What coroutines of the program awaited of libraries: for the findings of suspensions.

awaiting.py fits the time of each path. Coroutines that have nothing to do await, too: a queue, an
event. That is left out.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.outline.awaiting import suspended_nodes
from tracer.analysis.outline.finding import NOBODY, names
from tracer.analysis.outline.waiting_kinds import SELECTS, TURN
from tracer.analysis.tree.parts import with_rows_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tracer.analysis.outline.awaiting import Suspended
    from tracer.analysis.tree.call_tree import Paths, Tree

SHORTEST = 100_000_000  # ns: less that is suspended is no finding
LONG_SUSPENDED = 0.5  # of the run, added up over all tasks
IDLE_LOOP = 0.2  # of the run: a loop that waits in its selector for less works meanwhile

SELECTORS = "selectors"  # the module in which an event loop waits that has nothing to do
# What coroutines await that have nothing to do.
IDLE_AWAITED = {
    ("asyncio.locks", "Condition.wait"),
    ("asyncio.locks", "Event.wait"),
    ("asyncio.queues", "Queue.get"),
    ("asyncio.queues", "Queue.join"),
    ("asyncio.tasks", "_wait"),
    ("asyncio.tasks", "wait"),
    ("asyncio.tasks", "wait_for"),
}
LOCKS = {("asyncio.locks", "Lock.acquire"), ("asyncio.locks", "Semaphore.acquire")}


class Awaiting(NamedTuple):
    """How long a function of the program awaited a coroutine, in nanoseconds, and how often it
    called that. idle: how long the event loop was, meanwhile or not. tasks: in how many, added up;
    0: not known."""

    suspended: int
    calls: int
    row: int
    caller: int
    idle: int
    tasks: int


def awaits_by_caller(
    paths: Paths, is_own: Sequence[bool], idle: Sequence[int], generators: Collection[int]
) -> Iterator[Awaiting]:
    """What functions of the program awaited longest of libraries, in threads whose event loop was
    idle: else coroutines waited for what it did meanwhile. is_own: by row, whether a function is
    one of the program's. idle: by tree, how long its event loop was. generators: the rows that do
    not wait while they are suspended."""
    run = paths.length
    least = max(SHORTEST, LONG_SUSPENDED * run)
    for number, tree in enumerate(paths.trees):
        if idle[number] < IDLE_LOOP * run or not any(tree.resumes):
            continue
        callees = callees_of(tree)
        nodes = suspended_nodes(tree, generators)
        times = {one.node: one.time for one in nodes}
        tasks = tasks_of(nodes)
        for row, figures in tree.figures.items():
            if figures.suspended < least or is_own[row] or row in generators:
                continue
            below = (suspended_in(tree, one) for one in callees[row] if one not in generators)
            is_last = max(below, default=0) < figures.suspended / 2
            if not is_last or names(paths, row) in IDLE_AWAITED:
                continue
            for caller, one in awaited_by(is_own, tree, row, times).items():
                if caller != NOBODY and is_own[caller] and one.suspended >= least:
                    outermost = {tasks[node] for node in one.nodes if node in tasks}
                    often = sum(tree.calls[node] for node in outermost)
                    yield Awaiting(one.suspended, one.calls, row, caller, idle[number], often)


def idle_loops(paths: Paths) -> list[int]:
    """By tree, for how long its event loop waited with nothing to do, in nanoseconds."""
    selectors = {row for row in range(len(paths.rows)) if is_selector(paths, row)}
    return [waited_below(tree, selectors) for tree in paths.trees]


def worked_elsewhere(paths: Paths, kinds: Sequence[bytearray | None]) -> list[int]:
    """By tree, how long other threads of its run worked, or waited for their turn: nothing would be
    won if its event loop were less idle meanwhile. kinds: by tree, of each node's wait."""
    worked = []
    for tree, of_tree in zip(paths.trees, kinds, strict=True):
        waits = zip(of_tree or (), tree.waited, strict=False)
        turns = sum(waited for kind, waited in waits if kind == TURN)
        worked.append(tree.in_functions - sum(tree.waited[1:]) + turns)
    by_run: dict[int, int] = defaultdict(int)
    for tree, time in zip(paths.trees, worked, strict=True):
        by_run[tree.run] += time
    return [by_run[tree.run] - time for tree, time in zip(paths.trees, worked, strict=True)]


def tasks_of(nodes: list[Suspended]) -> dict[int, int]:
    """{a node that was suspended: the outermost one above it, or itself}: a call of that is a
    task."""
    outermost: list[int] = []
    for one in nodes:
        outermost.append(one.node if one.parent < 0 else outermost[one.parent])
    return {one.node: task for one, task in zip(nodes, outermost, strict=True)}


def is_selector(paths: Paths, row: int) -> bool:
    """Whether an event loop selects by this function."""
    module, name = names(paths, row)
    return module == SELECTORS or (module == "" and name in SELECTS)


def waited_below(tree: Tree, rows: set[int]) -> int:
    """How long the thread waited in these functions and in what they called, in nanoseconds."""
    if rows.isdisjoint(tree.row):
        return 0
    time = 0
    nowhere = outermost = len(tree)  # the level of that of these functions that the nodes are below
    for depth, row, waited in zip(tree.depth, tree.row, tree.waited, strict=True):
        if depth <= outermost:
            outermost = depth if row in rows else nowhere
        if outermost < nowhere:
            time += waited
    return time


class Places(NamedTuple):
    """What one function awaited of another: nanoseconds, calls, and the nodes."""

    suspended: int
    calls: int
    nodes: list[int]


def awaited_by(
    is_own: Sequence[bool], tree: Tree, callee: int, times: dict[int, float]
) -> dict[int, Places]:
    """By who awaited a coroutine: functions of the program, maybe by way of others, and, where none
    did, those of others. `times`: how long each node was suspended."""
    found: dict[int, Places] = {}
    for node, path in with_rows_above(tree):
        if tree.row[node] == callee:
            caller = awaiter(is_own, tree, path)
            suspended, calls, nodes = found.get(caller) or (0, 0, [])
            nodes.append(node)
            suspended += round(times.get(node, 0.0))
            found[caller] = Places(suspended, calls + tree.calls[node], nodes)
    return found


def awaiter(is_own: Sequence[bool], tree: Tree, path: list[int]) -> int:
    """The last function of the program on a path if it is a coroutine that was suspended, else the
    last function of the path."""
    own = next((row for row in reversed(path) if is_own[row]), NOBODY)
    return own if suspended_in(tree, own) or not path else path[-1]


def suspended_in(tree: Tree, row: int) -> int:
    figures = tree.figures.get(row)
    return 0 if figures is None else figures.suspended


def callees_of(tree: Tree) -> dict[int, set[int]]:
    """The functions that each function called, on any path."""
    callees: dict[int, set[int]] = defaultdict(set)
    for node, path in with_rows_above(tree):
        if path:
            callees[path[-1]].add(tree.row[node])
    return callees
