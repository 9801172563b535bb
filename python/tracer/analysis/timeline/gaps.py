"""The gaps of a run: when a thread had no CPU while a function of it ran, and how long.

In a Python function a thread waited for the GIL or for a CPU. In one written in C it slept, or
waited for input, a lock, the GIL or a CPU: these cannot be told apart.
"""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.timeline.idle import idle_rows, is_asked
from tracer.analysis.timeline.run import callers_of
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer.analysis.timeline.run import TimedRun, TimedThread
    from tracer.data.timeline import Slices

SHORTEST = 1e-4  # s: the recorder asks for the CPU time of nothing shorter


class Gap(NamedTuple):
    """A gap. waited: ticks without a CPU, somewhere between start and end. row: what ran. caller:
    the program's nearest function above. NO_ROW: there is none."""

    waited: int
    start: int
    end: int
    row: int
    caller: int
    thread: str


def gaps_in(run: TimedRun, thread: TimedThread) -> Iterator[tuple[Slices, int]]:
    """The gaps of a thread that reach into the wanted part, as places in slices."""
    slices = thread.read(int(SHORTEST / run.tick))
    for at, node in enumerate(slices.nodes):
        if node == 0:
            yield slices, at


def longest_gaps(run: TimedRun, number: int) -> list[Gap]:
    """The longest gaps, at most so many. Those of threads that wait for work are left out, where
    there are others."""
    idle = idle_rows(run)
    found: list[Gap] = []
    for left_out in (idle, frozenset[int]()):
        for thread in run.threads:
            gaps = (it for it in gaps_in(run, thread) if not is_idle_gap(thread, *it, left_out))
            longest = nlargest(number, gaps, key=lambda it: it[0].values[it[1]])
            found += [gap_at(run, thread, *it) for it in longest]
        if found:
            break
    return nlargest(number, found, key=lambda gap: (gap.waited, -gap.start))


def is_idle_gap(thread: TimedThread, slices: Slices, at: int, idle: frozenset[int]) -> bool:
    rows, nodes = thread.rows, slices.nodes
    above = slices.parents[at]
    if above < 0 or rows[nodes[above]] not in idle:
        return False
    callers = (rows[nodes[it]] for it in callers_of(slices.parents, above))
    return not is_asked(thread.run, rows[nodes[above]], callers)


def gap_at(run: TimedRun, thread: TimedThread, slices: Slices, at: int) -> Gap:
    above = [thread.rows[slices.nodes[it]] for it in callers_of(slices.parents, at)]
    row = above[0] if above else NO_ROW
    caller = next((row for row in above if run.is_own(row)), NO_ROW)
    return Gap(
        slices.values[at],
        slices.starts[at],
        slices.ends[at],
        row,
        caller if caller != row else NO_ROW,
        thread.name,
    )


def waits_in(run: TimedRun, thread: TimedThread, edges: Sequence[int]) -> list[int]:
    """The ticks that a thread waited between each two edges, which lie equally far apart. A wait is
    spread over its gap."""
    waited = [0.0] * (len(edges) - 1)
    width = edges[1] - edges[0]
    for slices, at in gaps_in(run, thread):
        start, end, value = slices.starts[at], slices.ends[at], slices.values[at]
        density = value / max(1, end - start)
        first = max(0, (start - edges[0]) // width)
        last = min(len(waited) - 1, (end - edges[0]) // width)
        for column in range(first, last + 1):
            inside = min(end, edges[column + 1]) - max(start, edges[column])
            waited[column] += density * max(0, inside)
    return [round(ticks) for ticks in waited]
