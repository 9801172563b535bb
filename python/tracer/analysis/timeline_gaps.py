"""The gaps of a run: when a thread had no CPU while a function of it ran, and how long.

In a Python function a thread waited for the GIL or for a CPU. In one written in C it slept, or
waited for input, a lock, the GIL or a CPU: these cannot be told apart.
"""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.timeline_run import callers_of
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer.analysis.timeline_run import TimedRun, TimedThread
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
    """The longest gaps, at most so many."""
    found: list[Gap] = []
    for thread in run.threads:
        rows = thread.rows
        longest = nlargest(number, gaps_in(run, thread), key=lambda it: it[0].values[it[1]])
        for slices, at in longest:
            above = [rows[slices.nodes[it]] for it in callers_of(slices.parents, at)]
            caller = next((row for row in above if run.is_own(row)), NO_ROW)
            row = above[0] if above else NO_ROW
            found.append(
                Gap(
                    slices.values[at],
                    slices.starts[at],
                    slices.ends[at],
                    row,
                    caller if caller != row else NO_ROW,
                    thread.name,
                )
            )
    return nlargest(number, found, key=lambda gap: (gap.waited, -gap.start))


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
