"""The ranges that a program marked: how many of each name, and how long they took, exactly."""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import NamedTuple

from tracer.data.records import NO_ROW
from tracer.source.labels import pattern_or_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.analysis.timeline_run import TimedRun


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
            )


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
    times.sort()
    if not times:
        return RangeSum(name, category, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, still_open)
    total = fsum(times)
    return RangeSum(
        name,
        category,
        len(times),
        total,
        times[0],
        total / len(times),
        times[-1],
        percentile(times, 50),
        percentile(times, 95),
        still_open,
    )


def percentile(ascending: list[float], percent: int) -> float:
    """The nearest rank: the least of the numbers that so many percent of all do not exceed."""
    rank = -(-percent * len(ascending) // 100)
    return ascending[rank - 1]
