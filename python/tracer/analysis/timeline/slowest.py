"""The longest single calls of a run: which call, when, and below what. A sum never tells them.

They are read with a high limit of length first, which is lowered until there are enough: a caller
lasts as long as its callee, so each call comes with all its callers. Nothing is printed here.
"""

from __future__ import annotations

from collections import defaultdict
from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.timeline.idle import idle_rows, is_asked, is_container, is_starter
from tracer.analysis.timeline.run import callers_of
from tracer.analysis.tree.folding import IMPORTERS
from tracer.data.records import NO_ROW
from tracer.data.timeline import OF_STACK, OF_TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from tracer.analysis.timeline.run import TimedRun, TimedThread
    from tracer.data.timeline import Slices

LEADS = 0.95  # of its time: a call that has so much in one call only leads to it
LOWER = 4  # the limit is divided by so much
ENOUGH = 1_000_000  # slices that are looked at together


class LongCall(NamedTuple):
    """A call. Times are ticks.

    length: of a task, `ran`, in all its `stretches`, or what passed, `end` less `start`. thread:
    its name. task: its name, of a task's outermost coroutine; else "". is_stretch: only a stretch
    of a generator or coroutine. callers: rows, the innermost first. is_open: the call had not ended
    when the profile was taken.
    """

    length: int
    start: int
    end: int
    row: int
    thread: str
    callers: tuple[int, ...]
    task: str = ""
    stretches: int = 1
    ran: int = 0
    is_stretch: bool = False
    is_open: bool = False


def slowest_calls(
    run: TimedRun,
    number: int,
    wanted: Collection[int] | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[LongCall]:
    """The longest calls, at most so many. wanted: the rows of the functions that are meant, of
    which all calls count, and a task is as long as what passed. For all, None: calls are left out
    that only lead to another, and those of threads that have nothing to do.

    Of a part of the run, the calls count that began or ended there: a longer one says nothing of
    it. Where there are none, all count that reach into it. progress: is told how many were found,
    now and then."""
    for choice in Choice.of(run, wanted):
        found = longest_calls(run, number, choice, progress or ignore)
        if found:
            return found
    return []


class Choice(NamedTuple):
    """Which calls are meant. wanted: rows; None: of all, those that tell something. idle: the rows
    of idle_rows(), where these are left out; takes_containers: those that only show that a thread
    was there are not. takes_around: the calls around the wanted part of the run are in, too."""

    wanted: Collection[int] | None
    idle: frozenset[int]
    takes_containers: bool
    takes_around: bool

    @classmethod
    def of(cls, run: TimedRun, wanted: Collection[int] | None) -> Iterator[Choice]:
        """The one that is best, then those that are better than nothing."""
        idle = frozenset() if wanted is not None else idle_rows(run)
        yield cls(wanted, idle, False, run.is_whole)
        if not run.is_whole:
            yield cls(wanted, idle, False, True)
        if wanted is None:
            yield cls(wanted, frozenset(), True, True)

    def has_part(self, run: TimedRun, start: int, end: int) -> bool:
        """Whether a call counts that was from one moment to another."""
        if self.takes_around:
            return run.is_within(start, end)
        return run.first <= start <= run.last or run.first <= end <= run.last


def ignore(done: int) -> None:
    """Progress that is told to nobody."""


def longest_calls(
    run: TimedRun, number: int, choice: Choice, progress: Callable[[int], None]
) -> list[LongCall]:
    floor, wanted = run.least, choice.wanted
    tasks = nlargest(number, tasks_of(run, choice), key=ranked)
    least = max(floor, run.end)
    every = None if wanted is None else calls_counted(run, wanted)
    begins = {thread.began for thread in run.threads}  # what ran already then, and is not counted
    while True:
        found: list[LongCall | Place] = [*tasks]
        unsure = 0  # the longest call that a shorter one, not read yet, may stand for
        for thread in run.threads:
            calls, longest = calls_of(run, thread, least, choice, number)
            found += calls
            unsure = max(unsure, longest)
            progress(len(found))
        counted = [call for call in found if call.start not in begins]
        found = nlargest(number, found, key=ranked)
        is_enough = len(found) == number and found[-1].length > max(least - 1, unsure)
        if is_enough or least <= floor or len(counted) == every:
            return [it if isinstance(it, LongCall) else call_at(run, it) for it in found]
        least = max(floor, least // LOWER)


class Place(NamedTuple):
    """Where a call is: the number `at` of these slices. A LongCall is made of those that are told
    alone."""

    length: int
    start: int
    thread: TimedThread
    slices: Slices
    at: int


def ranked(call: LongCall | Place) -> tuple[int, int]:
    return call.length, -call.start


def calls_counted(run: TimedRun, wanted: Collection[int]) -> int:
    """How many stretches these functions have: once all are read, nothing shorter is sought."""
    figures = run.outline.paths.figures
    return sum(figures[row].ncalls + figures[row].resumes for row in wanted if row in figures)


def calls_of(
    run: TimedRun, thread: TimedThread, least: int, choice: Choice, number: int
) -> tuple[list[Place], int]:
    """The longest calls of a thread that last `least` ticks, at most so many; and the length of the
    longest for which one that lasts less may stand."""
    rows, wanted = thread.rows, choice.wanted
    slices = thread.read(least)
    chosen: Iterable[int]
    if wanted is None:
        chosen, unsure = telling(run, slices, rows, least, choice)
    else:
        nodes = {node for node, row in enumerate(rows) if row in wanted}
        chosen, unsure = (at for at, node in enumerate(slices.nodes) if node in nodes), 0
    starts, ends = slices.starts, slices.ends
    lengths = (
        (ends[at] - starts[at], -at)
        for at in chosen
        if not is_task(slices, at) and choice.has_part(run, starts[at], ends[at])
    )
    longest = nlargest(number, lengths)
    return [Place(it, starts[-at], thread, slices, -at) for it, at in longest], unsure


def telling(
    run: TimedRun, slices: Slices, rows: Sequence[int], least: int, choice: Choice
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
        if len(chain) > 1 and is_module_at_bottom(run, slices, rows, at):
            del chain[0]  # else what it calls would be left out with it
        best, innermost = most_telling(run, chain, slices, rows), chain[-1]
        if is_importer(run, rows[slices.nodes[best]]):
            continue
        if LEADS * (ends[innermost] - starts[innermost]) < least:
            unsure = max(unsure, ends[best] - starts[best])
        if choice.takes_containers or not says_nothing(run, chain, best, slices, rows, choice.idle):
            chosen.append(best)
    return chosen, unsure


def says_nothing(
    run: TimedRun,
    chain: list[int],
    best: int,
    slices: Slices,
    rows: Sequence[int],
    idle: frozenset[int],
) -> bool:
    """Whether calls that lead to each other, of which one is the best, only show that a thread was
    there, start other code, or wait for work that the thread does not have."""
    if is_at_bottom(slices, chain[0]) and is_container(run, rows[slices.nodes[best]]):
        return True
    above = slices.parents[best]
    is_called = above >= 0 and run.is_own(rows[slices.nodes[above]])
    if is_starter(run, rows[slices.nodes[best]]) and not is_called:
        return True
    for at in chain:
        row = rows[slices.nodes[at]]
        if row in idle:
            callers = (rows[slices.nodes[it]] for it in callers_of(slices.parents, at))
            return not is_asked(run, row, callers)
    return False


def is_at_bottom(slices: Slices, at: int) -> bool:
    return slices.parents[at] < 0 and slices.tags[at] & 3 != OF_STACK


def is_module_at_bottom(run: TimedRun, slices: Slices, rows: Sequence[int], at: int) -> bool:
    row = rows[slices.nodes[at]]
    return is_at_bottom(slices, at) and run.is_own(row) and is_container(run, row)


def is_importer(run: TimedRun, row: int) -> bool:
    """Whether a function stands between an import and its module, which is told."""
    return run.outline.paths.modules[row].name in IMPORTERS


def most_telling(run: TimedRun, chain: list[int], slices: Slices, rows: Sequence[int]) -> int:
    """Of calls that lead to each other, the innermost of the program's own; else the first of a
    package, behind what only starts code. Without one, what the program called."""
    of = {at: rows[slices.nodes[at]] for at in chain}
    for at in reversed(chain):
        if run.is_own(of[at]):
            return at
    for at in chain:
        if not run.is_builtin(of[at]) and not is_starter(run, of[at]):
            return at
    above = slices.parents[chain[0]]
    is_called = above >= 0 and run.is_own(rows[slices.nodes[above]])
    return chain[0] if is_called else chain[-1]


def is_task(slices: Slices, at: int) -> bool:
    return bool(slices.tags[at] & 3 == OF_TASK)


def call_at(run: TimedRun, place: Place) -> LongCall:
    thread, slices, at = place.thread, place.slices, place.at
    nodes, rows = slices.nodes, thread.rows
    above = [rows[nodes[it]] for it in callers_of(slices.parents, at)]
    return LongCall(
        place.length,
        place.start,
        slices.ends[at],
        rows[nodes[at]],
        thread.name,
        tuple([row for row in above if row != NO_ROW]),
        is_stretch=run.is_resumed(rows[nodes[at]]),
        is_open=slices.values[at] == 1,
    )


# -- Tasks -----------------------------------------------------------------------------------------


def tasks_of(run: TimedRun, choice: Choice) -> Iterator[LongCall]:
    """A call for each task: the sum of its outermost coroutine's stretches; of functions that were
    named, what passed until it ended."""
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
        end = run.end if task.end < 0 else task.end
        if row == NO_ROW or not choice.has_part(run, task.start, end):
            continue
        if choice.wanted is None or row in choice.wanted:
            yield LongCall(
                ran[task.number] if choice.wanted is None else end - task.start,
                task.start,
                end,
                row,
                of.name,
                (),
                task.name or f"task {task.number}",
                stretches[task.number],
                ran[task.number],
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
