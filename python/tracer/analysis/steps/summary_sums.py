"""The sums of a summary: how often, and how long, something took within the steps of profiles.

summary.py decides what is summed up; this file sums up stretches of time, united where they
overlap.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from math import fsum
from typing import NamedTuple

from tracer.analysis.steps.phases import STEP
from tracer.analysis.tree.stretches import length_of, united

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.steps.phases import Phase
    from tracer.analysis.steps.steps import StepTimes
    from tracer.analysis.timeline.run import TimedRun, TimedThread
    from tracer.analysis.tree.stretches import Stretch

C_FUNCTIONS, PYTHON_FUNCTIONS = "C functions", "Python functions"
SPANS = 64  # stretches of which functions are summed up apart: a bin is no shorter by far
UNNAMED = "ranges"  # those of the program that have no category


class Line(NamedTuple):
    """Some stretches of one kind. Times are seconds, of the parts within the steps. ratio: the
    percentage of the time, overlapping stretches united. A sum of own times has no stretches: its
    average, max and min are None."""

    name: str
    calls: int
    total: float
    ratio: float
    average: float | None = None
    max: float | None = None
    min: float | None = None


class Windows:
    """The stretches of a run that count, by time; none overlaps another."""

    def __init__(self, stretches: Iterable[Stretch]) -> None:
        apart = united(stretches)
        self.starts: list[int] = [start for start, _ in apart]
        self.ends: list[int] = [end for _, end in apart]

    @property
    def length(self) -> int:
        return sum(self.ends) - sum(self.starts)

    def parts(self, start: int, end: int) -> list[Stretch]:
        """The parts of a stretch that lie in the windows; of an empty one, itself."""
        place = max(0, bisect_right(self.starts, start) - 1)
        if self.starts and self.starts[place] <= start and end <= self.ends[place]:
            return [(start, end)] if start < self.ends[place] or start == end else []
        found = []
        for at in range(place, len(self.starts)):
            if self.starts[at] > end or (self.starts[at] == end and start < end):
                break
            first, last = max(start, self.starts[at]), min(end, self.ends[at])
            if first < last or (start == end and first == last):
                found.append((first, last))
        return found


class Tally:
    """Stretches of one kind, of all runs."""

    def __init__(self) -> None:
        self.lengths: list[float] = []
        self.covered: float = 0.0

    def add(self, run: TimedRun, windows: Windows, stretches: Iterable[Stretch]) -> None:
        """Add the stretches of a run: those that have a part in its windows."""
        kept: list[Stretch] = []
        for start, end in stretches:
            parts = windows.parts(start, end)
            if parts:
                kept += parts
                self.lengths.append(sum(last - first for first, last in parts) * run.tick)
        self.covered += length_of(kept) * run.tick

    def __bool__(self) -> bool:
        return bool(self.lengths)

    def line(self, name: str, whole: float) -> Line:
        return line_of(name, self.lengths, percent(self.covered, whole))


def line_of(name: str, lengths: Sequence[float], ratio: float) -> Line:
    if not lengths:
        return Line(name, 0, 0.0, ratio)
    total, most, least = fsum(lengths), max(lengths), min(lengths)
    average = min(max(total / len(lengths), least), most)  # a mean of equals rounds
    return Line(name, len(lengths), total, ratio, average, most, least)


def percent(part: float, whole: float) -> float:
    """Never above 100: ticks round."""
    return min(100.0, 100.0 * part / whole) if whole > 0 else 0.0


class Part:
    """The sums of all threads, or of those of one name. name: the threads'; "": of all."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: list[StepTimes] = []
        self.phases: dict[str, Tally] = defaultdict(Tally)  # by category
        self.ranges: dict[tuple[str, str], Tally] = defaultdict(Tally)  # by name and category
        self.kinds: dict[str, Tally] = defaultdict(Tally)  # ranges that are no phases, by category
        self.collections: Tally = Tally()
        self.outside: list[float] = []  # of each run without steps: seconds in no phase
        self.calls: dict[str, int] = {C_FUNCTIONS: 0, PYTHON_FUNCTIONS: 0}
        self.own: dict[str, float] = {C_FUNCTIONS: 0.0, PYTHON_FUNCTIONS: 0.0}  # seconds

    def add(
        self,
        run: TimedRun,
        windows: Windows,
        spans: Windows,
        threads: Sequence[TimedThread],
        phases: Iterable[Phase],
        steps: Sequence[StepTimes],
    ) -> None:
        """Add what these threads of a run did in its windows. spans: the windows with what is
        between steps in a row. phases, steps: of the run."""
        mine = {thread.position for thread in threads}
        self.steps += [step for step in steps if step.thread in mine]
        called: dict[str, list[Stretch]] = defaultdict(list)
        for phase in phases:
            if phase.thread in mine:
                called[phase.category].append((phase.start, phase.end))
        named: dict[tuple[str, str], list[Stretch]] = defaultdict(list)
        others: dict[str, list[Stretch]] = defaultdict(list)
        for of in run.timeline.ranges:
            if of.thread in mine and of.end >= 0 and of.category != STEP:
                named[of.name, of.category or ""].append((of.start, of.end))
                if of.category not in called:
                    others[of.category or UNNAMED].append((of.start, of.end))
        collected = [(it.start, it.end) for it in run.timeline.collections if it.thread in mine]
        for category, stretches in called.items():
            self.phases[category].add(run, windows, stretches)
        if not steps:
            inside = [part for of in called.values() for it in of for part in windows.parts(*it)]
            self.outside.append((windows.length - length_of(inside)) * run.tick)
        for name, stretches in named.items():
            self.ranges[name].add(run, windows, stretches)
        for category, stretches in others.items():
            self.kinds[category].add(run, windows, stretches)
        self.collections.add(run, windows, collected)
        for thread in threads:
            self._add_functions(run, thread, spans)

    def _add_functions(self, run: TimedRun, thread: TimedThread, windows: Windows) -> None:
        rows, internal = thread.rows, thread.internal
        spans = spans_of(windows)
        # Of one that is most of the run, the first and the last bin have nothing else, or little.
        is_whole = len(spans) == 1 and 2 * windows.length >= thread.ended - thread.began
        calls: dict[str, float] = defaultdict(float)
        times: dict[str, float] = defaultdict(float)
        for start, end, share in spans:
            for node, number, own in thread.sums(start, end - 1, whole=is_whole):
                if node in internal:
                    continue
                kind = C_FUNCTIONS if run.is_builtin(rows[node]) else PYTHON_FUNCTIONS
                calls[kind] += share * number
                times[kind] += share * own * run.tick
        if not any(calls.values()):
            return  # it waited all the time, for work or for another thread
        for kind, counted in calls.items():
            self.calls[kind] += round(counted)
            self.own[kind] += times[kind]


def spans_of(windows: Windows, most: int = SPANS) -> list[tuple[int, int, float]]:
    """(start, end, share) of at most so many stretches that have all of these windows: where there
    are more, those that are nearest to each other are one. share: of its time that is in windows.
    """
    starts, ends = windows.starts, windows.ends
    gaps = sorted(range(1, len(starts)), key=lambda at: ends[at - 1] - starts[at])[: most - 1]
    edges = [0, *sorted(gaps), len(starts)]
    found = []
    for first, after in pairwise(edges):
        if first < after:
            inside = sum(ends[first:after]) - sum(starts[first:after])
            length = ends[after - 1] - starts[first]
            found.append((starts[first], ends[after - 1], inside / length if length else 1.0))
    return found
