"""The longest single calls of a run: which call, when, and below what. A sum never tells them.

They are read with a high limit of length first, which is lowered until there are enough: a caller
lasts as long as its callee, so each call comes with all its callers. Nothing is printed here.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.folding import IMPORTERS, LEADERS
from tracer.analysis.timeline_run import callers_of
from tracer.data.records import NO_ROW
from tracer.data.timeline import OF_TASK
from tracer.source.origin import BUILTIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tracer.analysis.timeline_run import TimedRun, TimedThread
    from tracer.data.timeline import Slices

LEADS = 0.95  # of its time: a call that has so much in one call only leads to it
LOWER = 4  # the limit is divided by so much
ENOUGH = 1_000_000  # slices that are looked at together


class LongCall(NamedTuple):
    """A call. Times are ticks.

    length: of a task, what it ran, in all its `stretches`; `end` less `start` is what passed.
    thread: its name. task: its name, of a task's outermost coroutine; else "". is_stretch: only a
    stretch of a generator or coroutine. callers: rows, the innermost first. is_open: the call had
    not ended when the profile was taken.
    """

    length: int
    start: int
    end: int
    row: int
    thread: str
    callers: tuple[int, ...]
    task: str = ""
    stretches: int = 1
    is_stretch: bool = False
    is_open: bool = False


def slowest_calls(
    run: TimedRun, number: int, wanted: Collection[int] | None = None
) -> list[LongCall]:
    """The longest calls, at most so many. wanted: the rows of the functions that are meant; for
    all, None: then calls are left out that only lead to another."""
    floor = run.least
    tasks = list(tasks_of(run, wanted))
    tasks.sort(key=lambda call: (-call.length, call.start))
    del tasks[number:]
    least = max(floor, run.end)
    every = None if wanted is None else calls_counted(run, wanted)
    begins = {thread.began for thread in run.threads}  # what ran already then, and is not counted
    while True:
        found = [*tasks]
        unsure = 0  # the longest call that a shorter one, not read yet, may stand for
        for thread in run.threads:
            calls, longest = calls_of(run, thread, least, wanted, number)
            found += calls
            unsure = max(unsure, longest)
        counted = [call for call in found if call.start not in begins]
        found.sort(key=lambda call: (-call.length, call.start))
        del found[number:]
        is_enough = len(found) == number and found[-1].length > max(least - 1, unsure)
        if is_enough or least <= floor or len(counted) == every:
            return found
        least = max(floor, least // LOWER)


def calls_counted(run: TimedRun, wanted: Collection[int]) -> int:
    """How many stretches these functions have: once all are read, nothing shorter is sought."""
    figures = run.outline.paths.figures
    return sum(figures[row].ncalls + figures[row].resumes for row in wanted if row in figures)


def calls_of(
    run: TimedRun, thread: TimedThread, least: int, wanted: Collection[int] | None, number: int
) -> tuple[list[LongCall], int]:
    """The longest calls of a thread that last `least` ticks, at most so many; and the length of the
    longest for which one that lasts less may stand."""
    rows = thread.rows
    slices = thread.read(least)
    chosen: Iterable[int]
    if wanted is None:
        chosen, unsure = telling(run, slices, rows, least)
    else:
        nodes = {node for node, row in enumerate(rows) if row in wanted}
        chosen, unsure = (at for at, node in enumerate(slices.nodes) if node in nodes), 0
    starts, ends = slices.starts, slices.ends
    lengths = ((ends[at] - starts[at], -at) for at in chosen if not is_task(slices, at))
    longest = nlargest(number, lengths)
    return [call_at(run, thread, slices, rows, -at) for _, at in longest], unsure


def telling(
    run: TimedRun, slices: Slices, rows: Sequence[int], least: int
) -> tuple[list[int], int]:
    """The slices that do not only lead to another; of some that lead to each other, the one that
    tells most. And as calls_of()."""
    leads: dict[int, int] = {}  # from a call to the one that it leads to
    calls = []
    unsure = 0
    starts, ends = slices.starts, slices.ends
    for at, node in enumerate(slices.nodes):
        if node == 0 or rows[node] == NO_ROW:
            continue
        calls.append(at)
        above = slices.parents[at]
        length = ends[at] - starts[at]
        if (
            above >= 0
            and rows[slices.nodes[above]] != NO_ROW
            and length >= LEADS * (ends[above] - starts[above])
        ):
            leads[above] = at
    chosen = []
    led = set(leads.values())
    for at in calls:
        if at in led:
            continue
        chain = [at]
        while chain[-1] in leads:
            chain.append(leads[chain[-1]])
        best, innermost = most_telling(run, chain, slices, rows), chain[-1]
        if is_importer(run, rows[slices.nodes[best]]):
            continue
        chosen.append(best)
        if LEADS * (ends[innermost] - starts[innermost]) < least:
            unsure = max(unsure, ends[best] - starts[best])
    return chosen, unsure


def is_importer(run: TimedRun, row: int) -> bool:
    """Whether a function stands between an import and its module, which is told."""
    return run.outline.paths.modules[row].name in IMPORTERS


def most_telling(run: TimedRun, chain: list[int], slices: Slices, rows: Sequence[int]) -> int:
    """Of calls that lead to each other, the innermost of the program's own; else the first of a
    package, behind what only starts code."""
    of = {at: rows[slices.nodes[at]] for at in chain}
    for at in reversed(chain):
        if run.is_own(of[at]):
            return at
    for at in chain:
        module = run.outline.paths.modules[of[at]]
        if module.kind != BUILTIN and module.package not in LEADERS:
            return at
    return chain[-1]


def is_task(slices: Slices, at: int) -> bool:
    return bool(slices.tags[at] & 3 == OF_TASK)


def call_at(
    run: TimedRun, thread: TimedThread, slices: Slices, rows: Sequence[int], at: int
) -> LongCall:
    above = (rows[slices.nodes[it]] for it in callers_of(slices.parents, at))
    row = rows[slices.nodes[at]]
    return LongCall(
        slices.ends[at] - slices.starts[at],
        slices.starts[at],
        slices.ends[at],
        row,
        thread.name,
        tuple(it for it in above if it != NO_ROW),
        is_stretch=run.is_resumed(row),
        is_open=slices.values[at] == 1,
    )


# -- Tasks -----------------------------------------------------------------------------------------


def tasks_of(run: TimedRun, wanted: Collection[int] | None) -> Iterator[LongCall]:
    """A call for each task: the sum of its outermost coroutine's stretches."""
    if not run.timeline.tasks:
        return
    ran: dict[int, int] = defaultdict(int)
    stretches: dict[int, int] = defaultdict(int)
    for thread in run.threads:
        for slices, first in pieces(run, thread):
            for at, tag in enumerate(slices.tags):
                if tag & 3 == OF_TASK and slices.starts[at] >= first:
                    ran[tag >> 2] += slices.ends[at] - slices.starts[at]
                    stretches[tag >> 2] += 1
    for task in run.timeline.tasks:
        of = run.by_position.get(task.thread)
        if task.number not in ran or of is None:
            continue
        row = of.rows[task.node] if 0 <= task.node < len(of.rows) else NO_ROW
        if row != NO_ROW and (wanted is None or row in wanted):
            yield LongCall(
                ran[task.number],
                task.start,
                run.end if task.end < 0 else task.end,
                row,
                of.name,
                (),
                task.name or f"task {task.number}",
                stretches[task.number],
                is_open=task.end < 0,
            )


def pieces(run: TimedRun, thread: TimedThread) -> Iterator[tuple[Slices, int]]:
    """All slices of a thread, some at a time. With each piece, the moment before which a slice that
    begins was in the piece before."""
    begin, end = max(run.first, thread.began), min(run.last, thread.ended)
    number = 1 + len(thread.timeline.slices) // (4 * ENOUGH)  # a slice takes about four bytes
    edges = [begin + (end - begin) * at // number for at in range(number)]
    for at, edge in enumerate(edges):
        last = edges[at + 1] - 1 if at + 1 < number else end
        yield thread.read(0, edge, last), edge if at else 0
