"""The ranges that a program marked: how many of each name, and how long they took, exactly."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import NamedTuple

from tracer.analysis.timeline.gaps import SHORTEST
from tracer.data.records import NO_ROW
from tracer.data.timeline import OF_TASK
from tracer.source.labels import pattern_or_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.analysis.timeline.run import TimedRun


class OneRange(NamedTuple):
    """A range. start, end: seconds; of one that did not end, the end of what was recorded. row: the
    function that began it, of `run`; NO_ROW: not known."""

    name: str
    category: str
    start: float
    end: float
    is_open: bool
    run: TimedRun
    row: int
    thread: str
    values: tuple[tuple[str, object], ...]
    task: int  # the number of the task in which it began, or 0
    positions: tuple[int, int]  # of the threads where it began and ended

    @property
    def length(self) -> float:
        return self.end - self.start


class RangeSum(NamedTuple):
    """The ranges of a name and category. Times are seconds, of those that ended. open: how many
    did not end, which is in no other figure."""

    name: str
    category: str
    number: int
    total: float
    min: float
    mean: float
    max: float
    p50: float
    p95: float
    open: int


def ranges_of(runs: Iterable[TimedRun]) -> Iterator[OneRange]:
    """The ranges that lie in the wanted parts of these runs, or reach into them."""
    for run in runs:
        tick, timeline = run.tick, run.timeline
        for of in timeline.ranges:
            thread = run.by_position.get(of.thread)
            end = max(of.start, run.end) if of.end < 0 else of.end
            if thread is None or not run.is_within(of.start, end):
                continue
            yield OneRange(
                of.name,
                of.category or "",
                of.start * tick,
                end * tick,
                of.end < 0,
                run,
                thread.rows[of.node] if 0 < of.node < len(thread.rows) else NO_ROW,
                thread.name,
                of.values,
                of.task,
                (of.thread, of.end_thread),
            )


def ran_in(ranges: Sequence[OneRange]) -> list[float | None]:
    """The seconds for which the task of each range ran; without a task, those for which its thread
    did not wait. None: that is not known, for the slices are not, or another thread ended it."""
    ran: list[float | None] = [None] * len(ranges)
    of_threads: dict[tuple[int, int], list[int]] = defaultdict(list)
    for at, one in enumerate(ranges):
        run, (first, last) = one.run, one.positions
        is_known = run.least * run.tick <= SHORTEST and run.timeline.since * run.tick <= one.start
        if is_known and (one.task or first == last or one.is_open):
            of_threads[id(run), first].append(at)
    for (_, position), places in of_threads.items():
        some = [ranges[at] for at in places]
        for at, seconds in zip(places, ran_in_thread(some, position), strict=True):
            ran[at] = seconds
    return ran


def ran_in_thread(ranges: Sequence[OneRange], position: int) -> Iterator[float]:
    """The same of ranges of one thread."""
    run = ranges[0].run
    tasks = {one.task for one in ranges}
    begin = round(min(one.start for one in ranges) / run.tick)
    end = round(max(one.end for one in ranges) / run.tick)
    thread = run.by_position[position]
    slices = thread.read(int(SHORTEST / run.tick) if tasks == {0} else 0, begin, end)
    stretches: dict[int, list[tuple[int, int, float]]] = defaultdict(list)  # 0: waits
    for at, tag in enumerate(slices.tags):
        start, length = slices.starts[at], slices.ends[at] - slices.starts[at]
        if slices.nodes[at] == 0:
            stretches[0].append((start, length, slices.values[at] / max(1, length)))
        elif tag & 3 == OF_TASK and tag >> 2 in tasks:
            stretches[tag >> 2].append((start, length, 1.0))
    for one in ranges:
        first, last = one.start / run.tick, one.end / run.tick
        time = fsum(
            density * max(0.0, min(start + length, last) - max(start, first))
            for start, length, density in stretches[one.task]
        )
        yield run.tick * (time if one.task else last - first - time)


def ranges_named(ranges: Sequence[OneRange], text: str) -> list[OneRange]:
    """Those of this name; where there is none, those in whose names the regular expression is
    found."""
    named = [one for one in ranges if one.name == text]
    pattern = None if named else pattern_or_label(text)
    return named if pattern is None else [one for one in ranges if pattern.search(one.name)]


def range_sums(ranges: Iterable[OneRange], key: str = "total") -> list[RangeSum]:
    """The sums by name and category, those with most first; by name, in its order. key:
    one of the command's RANGE_KEYS."""
    lengths: dict[tuple[str, str], list[float]] = defaultdict(list)
    open_ones: dict[tuple[str, str], int] = defaultdict(int)
    for one in ranges:
        if one.is_open:
            open_ones[one.name, one.category] += 1
            lengths[one.name, one.category] += []
        else:
            lengths[one.name, one.category].append(one.length)
    sums = [
        summed(name, category, times, open_ones[name, category])
        for (name, category), times in sorted(lengths.items())
    ]
    field = "number" if key == "count" else key
    sums.sort(key=lambda row: getattr(row, field), reverse=key != "name")
    return sums


def summed(name: str, category: str, times: list[float], still_open: int) -> RangeSum:
    some = sorted(times) or [0.0]
    total = fsum(some)
    sums = len(times), total, some[0], total / len(some), some[-1]
    percentiles = percentile(some, 50), percentile(some, 95)
    return RangeSum(name, category, *sums, *percentiles, still_open)


def percentile(ascending: list[float], percent: int) -> float:
    """The nearest rank: the least of the numbers that so many percent of all do not exceed."""
    rank = -(-percent * len(ascending) // 100)
    return ascending[rank - 1]
