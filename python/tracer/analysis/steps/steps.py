"""The steps of profiles: how long each took, in which phases, and which were slow.

A step is a range of the category `step`. StepProfiler makes them, and a program may mark its own.
"""

from __future__ import annotations

from bisect import bisect_left
from statistics import median
from typing import NamedTuple

from tracer.analysis.steps.phase_rules import rules_of
from tracer.analysis.steps.phases import STEP, phases_in, shares
from tracer.analysis.timeline.run import runs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.steps.phases import Phase
    from tracer.analysis.timeline.run import TimedRun
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import Range

# A step is slow that took longer than the median by more than a fifth, and either twice as long or
# longer by more than three standard deviations. The median absolute deviation tells these, which
# slow steps do not move: of a normal distribution it is 1 / 1.4826 of one.
SLOWER, DEVIATIONS, TO_DEVIATION = 0.2, 3.0, 1.4826
FEW = 3  # steps: of fewer none is slow


class StepTimes(NamedTuple):
    """A step. start, end: seconds since recording began. phases: seconds of each category in the
    thread of the step, {category: seconds}; where phases lie in each other, time is of the inner
    one. others: those of none; all of them together are the length. items: None: not told."""

    number: int
    start: float
    end: float
    items: float | None
    phases: dict[str, float]
    others: float
    is_slow: bool
    run: TimedRun
    thread: int

    @property
    def length(self) -> float:
        return self.end - self.start

    @property
    def items_per_second(self) -> float | None:
        return None if self.items is None or self.length <= 0 else self.items / self.length


def steps_of(profiles: ProfileSet, runs: Sequence[TimedRun] | None = None) -> list[StepTimes]:
    """The steps that ended, by run and time. runs: where they are made already. Raises
    phase_rules.ConfigError."""
    runs = runs_of(profiles.with_folders()) if runs is None else runs
    if not any(step_ranges(run) for run in runs):
        return []
    rules = rules_of(profiles)
    return judged([step for run in runs for step in steps_in(run, phases_in(run, rules))])


def step_ranges(run: TimedRun) -> list[Range]:
    """The ranges that are steps and ended, in the wanted threads of a run, by time. Of a part of
    the run, or where the oldest slices were overwritten, those that lie in what is left as a whole:
    of others not all phases are known."""
    return sorted(
        (
            of
            for of in run.timeline.ranges
            if of.category == STEP
            and of.end >= 0
            and of.thread in run.by_position
            and max(run.first, run.timeline.since) <= of.start
            and of.end <= run.last
        ),
        key=lambda of: (of.start, of.end),
    )


def steps_in(run: TimedRun, phases: Sequence[Phase]) -> list[StepTimes]:
    """The steps of one run; none is called slow."""
    by_thread: dict[int, list[Phase]] = {}
    for phase in phases:
        by_thread.setdefault(phase.thread, []).append(phase)
    found = []
    starts = {thread: [phase.start for phase in mine] for thread, mine in by_thread.items()}
    ended: dict[int, int] = {}  # of each thread: the first phase that a later step can have
    for place, of in enumerate(step_ranges(run)):
        mine = by_thread.get(of.thread, [])
        first = ended.get(of.thread, 0)
        last = bisect_left(starts.get(of.thread, ()), of.end)
        while first < last and mine[first].end <= of.start:
            first += 1
        ended[of.thread] = first
        ticks, others = shares(of.start, of.end, mine[first:last])
        values = dict(of.values)
        number, items = values.get("number"), values.get("items")
        found.append(
            StepTimes(
                number if type(number) is int else place,
                of.start * run.tick,
                of.end * run.tick,
                items if type(items) in (int, float) else None,  # type: ignore[arg-type]
                {category: own * run.tick for category, own in ticks.items()},
                others * run.tick,
                False,
                run,
                of.thread,
            )
        )
    return found


def judged(steps: Sequence[StepTimes], among: Sequence[StepTimes] | None = None) -> list[StepTimes]:
    """The steps, with those called slow that are so among others; by default among themselves."""
    slow = slow_length([step.length for step in (steps if among is None else among)])
    return [step._replace(is_slow=step.length > slow) for step in steps]


def slow_length(lengths: Sequence[float]) -> float:
    """The seconds beyond which a step is slow among steps of these lengths."""
    if len(lengths) < FEW:
        return float("inf")
    middle = median(lengths)
    deviation = TO_DEVIATION * median(abs(length - middle) for length in lengths)
    return middle + max(SLOWER * middle, min(middle, DEVIATIONS * deviation))
