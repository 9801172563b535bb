"""What stands out of threads that waited for each other, as in findings.py.

What one thread waited for the outside is its function's time: see costly.py. Waits of threads that
have nothing to do are no finding: see outline/waiting_kinds.py.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.findings.callers import by_whom
from tracer.analysis.findings.wait_words import (
    FOR_GIL,
    FOR_LOCK,
    GIL,
    LOCK,
    SHARE_LOCK,
    WITH,
    is_busy,
    may_lock,
)
from tracer.analysis.outline.finding import NOBODY, Finding, counted, said_of, seconds, share
from tracer.analysis.outline.waiting_kinds import TURN
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.stretches import length_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Paths

    # By (function of the program, the one that waited for it), then by the number of the thread:
    # nanoseconds.
    Turns = dict[tuple[int, int], dict[int, int]]

MUCH = 0.2  # of the run: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that
MATTERS = 0.1  # of what the longest waiting thread waited: a thread with less is not counted

# -- The rules -------------------------------------------------------------------------------------


def waited_turns(outline: Outline) -> Finding | None:
    """What threads waited for each other: several for the GIL, or one for a lock, which `with`
    takes without a call. A lock is sure where threads were seldom busy; none is named where they
    were, and no function that waited much has a `with`."""
    paths = outline.paths
    turns = turns_of(outline)
    by_function: dict[int, int] = defaultdict(int)
    by_thread: dict[int, int] = defaultdict(int)
    by_caller: dict[int, int] = defaultdict(int)
    for (caller, function), times in turns.items():
        by_caller[caller] += sum(times.values())
        by_function[function] += sum(times.values())
        for number, time in times.items():
            by_thread[number] += time
    wait = long_wait(paths, by_thread)
    if not wait.is_worth_telling(paths):
        return None
    least = MATTERS * max(by_function.values())
    waiting = [one for one, time in by_function.items() if time >= least]
    what = what_for(outline, waiting)
    if wait.threads < (1 if what == LOCK else 2):
        return None
    row = max(by_caller, key=lambda caller: by_caller[caller])
    part = f"{share(wait.elapsed, paths.length)} of the run:"
    waits = f"{seconds(wait.time)} for {what}"
    rest = holder(outline, row) if what == LOCK else ""
    if wait.threads == 1:
        parts = said_of(paths.rows[row], part, f", waits {waits}{often(outline, row)}{rest}")
    else:
        told = f"{part} {wait.threads} threads wait {waits}, most in"
        parts = said_of(paths.rows[row], told, rest)
    return Finding(
        parts,
        0 if what == FOR_GIL else wait.elapsed,
        paths.rows[row],
        what,
        advice={LOCK: SHARE_LOCK, FOR_GIL: GIL}.get(what, f"{WITH} {GIL}"),
        figure="waited",
    )


def often(outline: Outline, row: int) -> str:
    """How often a function was called, and by whom."""
    calls, _ = outline.sums.calls_of(row)
    return f" in {counted(calls)}{by_whom(outline, row)}" if calls else ""


WAIT_RULES = (waited_turns,)


def what_for(outline: Outline, waiting: list[int]) -> str:
    """What these functions waited for."""
    if not is_busy(outline):
        return LOCK
    locks = any(may_lock(outline, outline.paths.rows[row]) for row in waiting)
    return FOR_LOCK if locks else FOR_GIL


def holder(outline: Outline, row: int) -> str:
    """Who ran meanwhile: the function of the program with the most time, if it has much."""
    busy = outline.sums.busy
    most = max((one for one in range(len(busy)) if one != row), key=busy.__getitem__, default=row)
    if most == row or busy[most] < MUCH * outline.length:
        return ""
    return f"; meanwhile {called(outline.rows[most])} ran"


def turns_of(outline: Outline) -> Turns:
    """What threads waited for a turn, by the latest function of the program on the path."""
    found: Turns = defaultdict(lambda: defaultdict(int))
    for number, kinds in enumerate(outline.real.kinds):
        if kinds is None or TURN not in kinds or len(outline.paths.trees) < 2:
            continue
        tree = outline.paths.trees[number]
        callers = [NOBODY]  # along the path
        for node in range(1, len(tree)):
            row = tree.row[node]
            del callers[tree.depth[node] :]
            callers.append(row if outline.owns[row] else callers[-1])
            if kinds[node] == TURN and callers[-1] != NOBODY:
                found[callers[-1], row][number] += tree.waited[node]
    return found


# -- Paths -----------------------------------------------------------------------------------------


class Wait(NamedTuple):
    """What threads waited, in nanoseconds. elapsed: of the run's time, where threads waited side by
    side. time: of all these threads. threads: how many; those that waited little are left out."""

    elapsed: int
    time: int
    threads: int

    def is_worth_telling(self, paths: Paths) -> bool:
        return self.elapsed >= max(SHORTEST, MUCH * paths.length)


def long_wait(paths: Paths, by_thread: dict[int, int]) -> Wait:
    """The wait of threads, given for each by its number. They waited side by side where they were
    there at the same time."""
    least = MATTERS * max(by_thread.values(), default=0)
    times = {number: time for number, time in by_thread.items() if time >= least}
    spans = [paths.trees[number].span for number in times]
    alive = sum(end - start for start, end in spans)
    whole = sum(times.values())
    return Wait(round(whole * length_of(spans) / max(alive, 1)), whole, len(times))
