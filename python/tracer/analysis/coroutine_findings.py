"""What kept coroutines from going on: a long step of the event loop, and what they awaited.

A rule for each finding, as in findings.py. wait_findings.py tells what threads waited for.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.awaiting import suspended_nodes
from tracer.analysis.finding import (
    NANOSECONDS,
    NOBODY,
    Finding,
    called,
    names,
    seconds,
    short,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.call_tree import Paths, Tree
    from tracer.analysis.outline import Outline

LONG_STEP = 100_000_000  # ns without a turn of the event loop
MOST = 0.8  # of a step: a function with so much of it is what took the time
ROUNDING = 2  # ns
SHORTEST = 100_000_000  # ns: less that is suspended is no finding
LONG_SUSPENDED = 0.5  # of the run, added up over all tasks
IDLE_LOOP = 0.2  # of the run: a loop that waits in its selector for less works meanwhile

STEP = ("asyncio.events", "Handle._run")
# Where an event loop waits that has nothing to do: a module, and builtins.
SELECTORS = "selectors"
SELECTS = ("<epoll.poll>", "<kqueue.control>", "<poll.poll>", "<select.select>")
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
AWAITED = {
    ("asyncio.locks", "Lock.acquire"): "at the lock",
    ("asyncio.locks", "Semaphore.acquire"): "at the semaphore",
    ("asyncio.tasks", "sleep"): "in asyncio.sleep",
}


# -- The rules -------------------------------------------------------------------------------------


def longest_step(outline: Outline) -> Finding | None:
    """The longest step of an asyncio event loop: meanwhile no other coroutine went on."""
    step = longest_step_of(outline)
    if step is None:
        return None
    rows, figures = outline.paths.rows, step.tree.figures[step.chain[0]]
    text = (
        f"the event loop did not turn for {short(figures.longest)}, "
        f"{figures.longest_at / NANOSECONDS:.2f} s after the start"
    )
    saving = figures.longest / NANOSECONDS
    blamed = blamed_for(outline, step)
    if blamed is None:
        return Finding(text, saving, STEP)
    function = rows[blamed]
    at = step.chain.index(blamed) + 1
    inside = "".join(f", in {called(rows[one])}" for one in step.chain[at : at + 1])
    return Finding(f"{text}: {called(function)}, {{place}}{inside}", saving, function, function)


def suspended_most(outline: Outline) -> Finding | None:
    """What of a library one function of the program awaited longest, where the event loop was idle:
    else coroutines waited for what it did meanwhile."""
    return told_suspension(outline, 0)


def suspended_next(outline: Outline) -> Finding | None:
    """What was awaited longest but for that."""
    return told_suspension(outline, 1)


COROUTINE_RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    longest_step,
    suspended_most,
    suspended_next,
)

# -- Steps -----------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A step of an event loop. chain: the function that makes steps, then by whom most of this one
    was taken, one below the other. thread: the number of the tree."""

    tree: Tree
    thread: int
    chain: list[int]


def longest_step_of(outline: Outline) -> Step | None:
    """The longest step, if it is worth telling."""
    paths = outline.paths
    steps = {row for row in range(len(paths.rows)) if names(paths, row) == STEP}
    found = [
        (tree.figures[row].longest, number, row)
        for number, tree in enumerate(paths.trees)
        for row in steps.intersection(tree.row)
    ]
    longest, number, row = max(found, default=(0, 0, NOBODY))
    if longest < LONG_STEP:
        return None
    tree = paths.trees[number]
    return Step(tree, number, longest_calls(tree, row))


def blamed_for(outline: Outline, step: Step) -> int | None:
    """The innermost function of the program that took most of a step."""
    return next((row for row in reversed(step.chain) if outline.is_own(row)), None)


def callees_of(tree: Tree) -> dict[int, set[int]]:
    """The functions that each function called, on any path."""
    callees: dict[int, set[int]] = defaultdict(set)
    path: list[int] = []
    for depth, row in zip(tree.depth, tree.row, strict=True):
        del path[depth:]
        if path:
            callees[path[-1]].add(row)
        path.append(row)
    return callees


def longest_calls(tree: Tree, row: int) -> list[int]:
    """The function, then by whom most of its longest call was taken, one below the other."""
    whole = tree.figures[row].longest
    begin = tree.figures[row].longest_at - ROUNDING
    end = begin + whole + 2 * ROUNDING
    callees = callees_of(tree)
    chain = [row]
    while True:
        inside = [
            one
            for one in callees[chain[-1]]
            if one in tree.figures
            and one not in chain
            and tree.figures[one].longest >= MOST * whole
            and begin <= tree.figures[one].longest_at
            and tree.figures[one].longest_at + tree.figures[one].longest <= end
        ]
        if not inside:
            return chain
        chain.append(max(inside, key=lambda one: tree.figures[one].longest))


# -- Suspensions -----------------------------------------------------------------------------------


class Awaiting(NamedTuple):
    """How long a function of the program awaited a coroutine, in nanoseconds, and how often it
    called that. idle: how long the event loop was, meanwhile or not."""

    suspended: int
    calls: int
    row: int
    caller: int
    idle: int


def told_suspension(outline: Outline, place: int) -> Finding | None:
    """The finding of what was awaited longest, or has another place in that order."""
    paths = outline.paths
    ranked = sorted(longest_awaits(outline), key=lambda one: -one.suspended)
    if place >= len(ranked):
        return None
    one = ranked[place]
    callee, caller = paths.rows[one.row], paths.rows[one.caller]
    where = AWAITED.get(names(paths, one.row), f"in {called(callee)}")
    return Finding(
        f"{seconds(one.suspended)} suspended {where}, awaited by {called(caller)}, {{place}}, "
        f"{one.calls:,} times",
        min(one.suspended, one.idle) / NANOSECONDS,
        (callee, caller),
        caller,
    )


def longest_awaits(outline: Outline) -> Iterator[Awaiting]:
    """What functions of the program awaited of libraries, where it is worth telling."""
    paths = outline.paths
    run = paths.length
    least = max(SHORTEST, LONG_SUSPENDED * run)
    selectors = {row for row in range(len(paths.rows)) if is_selector(paths, row)}
    for tree in paths.trees:
        idle = waited_below(tree, selectors) if any(tree.resumes) else 0
        if idle < IDLE_LOOP * run:
            continue
        callees = callees_of(tree)
        times = {one.node: one.time for one in suspended_nodes(tree)}
        for row, figures in tree.figures.items():
            if figures.suspended < least or outline.is_own(row):
                continue
            below = (tree.figures[one].suspended for one in callees[row] if one in tree.figures)
            is_last = max(below, default=0) < figures.suspended / 2
            if not is_last or names(paths, row) in IDLE_AWAITED:
                continue
            for caller, (suspended, calls) in awaited_by(outline, tree, row, times).items():
                if caller != NOBODY and outline.is_own(caller) and suspended >= least:
                    yield Awaiting(suspended, calls, row, caller, idle)


def is_selector(paths: Paths, row: int) -> bool:
    """Whether an event loop selects by this function."""
    module, name = names(paths, row)
    return module == SELECTORS or (module == "" and name in SELECTS)


def waited_below(tree: Tree, rows: set[int]) -> int:
    """How long the thread waited in these functions and in what they called, in nanoseconds."""
    if rows.isdisjoint(tree.row):
        return 0
    time = 0
    outermost = len(tree)  # the level of the one of these functions that the nodes are below
    for depth, row, waited in zip(tree.depth, tree.row, tree.waited, strict=True):
        if depth <= outermost:
            outermost = depth if row in rows else len(tree)
        if outermost < len(tree):
            time += waited
    return time


def awaited_by(
    outline: Outline, tree: Tree, callee: int, times: dict[int, float]
) -> dict[int, tuple[int, int]]:
    """{who awaited a coroutine: (nanoseconds, calls)}: functions of the program, maybe by way of
    others, and, where none did, those of others. `times`: how long each node was suspended."""
    found: dict[int, tuple[int, int]] = {}
    path: list[int] = []
    for node, (depth, row) in enumerate(zip(tree.depth, tree.row, strict=True)):
        del path[depth:]
        if row == callee:
            caller = awaiter(outline, tree, path)
            suspended, calls = found.get(caller, (0, 0))
            found[caller] = suspended + round(times.get(node, 0.0)), calls + tree.calls[node]
        path.append(row)
    return found


def awaiter(outline: Outline, tree: Tree, path: list[int]) -> int:
    """The last function of the program on a path if it is a coroutine that was suspended, else the
    last function of the path."""
    rows = path[1:]  # without the root
    own = next((row for row in reversed(rows) if outline.is_own(row)), NOBODY)
    return own if suspended_in(tree, own) or not rows else rows[-1]


def suspended_in(tree: Tree, row: int) -> int:
    figures = tree.figures.get(row)
    return 0 if figures is None else figures.suspended
