"""A run in columns of time: which function led in each, by thread, and whether the thread waited.

A call stands for itself where its context took MATTERS of what all threads took, with all that it
called; else its time is its caller's. So the functions are those that tell what the run was about.
Own time is that of the bins, so calls that are not drawn are in it. A bin that lies in several
columns is shared among them. The columns end where the figures do.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.timeline.gaps import waits_in
from tracer.analysis.tree.folding import IMPORTERS
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.timeline.run import TimedRun, TimedThread

MATTERS = 0.05


class Cell(NamedTuple):
    """A thread in a column. row: the function that led, or NO_ROW where no function ran. busy,
    waited: ticks in functions. is_there: whether the thread was there."""

    row: int
    busy: int
    waited: int
    is_there: bool

    @property
    def waits(self) -> bool:
        """Whether the thread waited for most of the time that it spent in functions."""
        return self.waited > self.busy


class Strip(NamedTuple):
    """first: the tick where the first column begins. width: ticks of a column. threads: the cells
    of each thread. tasks: the most tasks that were there at once, by column. times: ticks by row,
    of all threads, of the functions that stand for themselves."""

    first: int
    width: int
    threads: list[tuple[TimedThread, list[Cell]]]
    tasks: list[int]
    times: dict[int, int]


def strip_of(run: TimedRun, most: int) -> Strip:
    """The run in so many columns at most."""
    first, width, number = columns_of(run, most)
    times: dict[int, int] = defaultdict(int)
    edges = [first + width * at for at in range(number + 1)]
    threads = [
        (thread, cells_of(run, thread, edges, homes, times))
        for thread, homes in zip(run.threads, homes_in(run), strict=True)
    ]
    times.pop(NO_ROW, None)
    return Strip(first, width, threads, tasks_in(run, first, width, number), times)


def columns_of(run: TimedRun, most: int) -> tuple[int, int, int]:
    """Where the first column begins, the ticks of each, and their number."""
    began = min((it.began for it in run.threads), default=0)
    begin = max(began, run.first, 0)
    end = max(begin + 1, min(run.end, run.counted))
    width = -(-(end - begin) // most)
    return begin, width, -(-(end - begin) // width)


def homes_in(run: TimedRun) -> list[array[int]]:
    """For each thread, the row that each of its nodes counts for in the wanted part of the run."""
    trees = []
    for thread in run.threads:
        own = [0] * len(thread.rows)
        for node, _, ticks in thread.sums(run.first, run.last):
            own[node] += ticks
        trees.append((thread, own, with_callees(own, thread.parents)))
    least = MATTERS * sum(times[0] for _, _, times in trees if times)
    return [homes_of(run, *tree, least) for tree in trees]


def with_callees(own: list[int], parents: Sequence[int]) -> list[int]:
    """The time of each node with all below it; of node 0, all time."""
    times = own.copy()
    for node in range(len(times) - 1, 0, -1):  # a caller's node comes first
        times[parents[node]] += times[node]
    return times


def homes_of(
    run: TimedRun, thread: TimedThread, own: list[int], times: list[int], least: float
) -> array[int]:
    """A builtin that called Python code, and what imports, only lead to what stands below. And
    where the program's own function called a builtin, that function says more."""
    homes = array("I", thread.rows)
    modules = run.outline.paths.modules
    for node, above in enumerate(thread.parents):
        row = homes[node]
        if not above or row == NO_ROW:
            continue
        says_less = run.is_builtin(row) and (
            2 * own[node] < times[node] or run.is_own(thread.rows[above])
        )
        if says_less or modules[row].name in IMPORTERS or times[node] < least:
            homes[node] = homes[above]
    return homes


def cells_of(
    run: TimedRun,
    thread: TimedThread,
    edges: Sequence[int],
    homes: Sequence[int],
    times: dict[int, int],
) -> list[Cell]:
    waits = waits_in(run, thread, edges)
    cells = []
    for at, waited in enumerate(waits):
        start, end = edges[at], edges[at + 1]
        of: dict[int, int] = defaultdict(int)
        for node, _, own in thread.sums(start, end - 1):
            if own:
                of[homes[node]] += own
        for row, time in of.items():
            times[row] += time
        of.pop(NO_ROW, None)
        row = max(of, key=lambda row: of[row], default=NO_ROW)
        whole = sum(of.values())
        is_there = thread.began < end and (thread.ended >= start or not thread.is_over)
        cells.append(Cell(row, max(0, whole - waited), min(waited, whole), is_there))
    return cells


def tasks_in(run: TimedRun, first: int, width: int, number: int) -> list[int]:
    """The most tasks that were there at once in each column."""
    changes: list[tuple[int, int]] = []
    for task in run.timeline.tasks:
        if task.thread in run.by_position:
            changes += [(task.start, 1)] + [(task.end, -1)] * (task.end >= 0)
    changes.sort()
    most = [0] * number
    there, column = 0, 0
    for moment, change in [*changes, (first + width * number, 0)]:
        at = min(number - 1, max(0, (moment - first) // width))
        for between in range(column, at + 1):
            most[between] = max(most[between], there)
        there += change
        most[at] = max(most[at], there) if moment >= first else most[at]
        column = at
    return most
