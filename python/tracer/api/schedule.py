"""Schedules: which steps of a loop are recorded. schedule() makes the usual one.

step_profiler.py asks a schedule at the beginning of each step, and does what it says.
"""

from __future__ import annotations

import sys
from enum import IntEnum
from operator import index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    # What StepProfiler takes: a function of a step's number; (first, end) of one cycle.
    AnySchedule: TypeAlias = Callable[[int], "Action"] | tuple[int, int] | None

NEVER = sys.maxsize


class Action(IntEnum):
    """What is done with a step. NONE: it runs as a plain program does. WARMUP: it is recorded, and
    the recording is thrown away. RECORD: it is recorded. RECORD_AND_SAVE: it is recorded, and is
    the last of its cycle."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


RECORDING = (Action.RECORD, Action.RECORD_AND_SAVE)


class Schedule:
    """What schedule() returns: a function of a step's number, from 0, which gives its Action."""

    def __init__(
        self, skip_first: int, wait: int, warmup: int, active: int, repeat: int, first_wait: int
    ) -> None:
        self.skip_first = skip_first
        self.wait = wait
        self.warmup = warmup
        self.active = active
        self.repeat = repeat
        self.first_wait = first_wait

    def __call__(self, step: int) -> Action:
        place = self._place(step)
        if place is None or place < self.wait:
            return Action.NONE
        if place < self.wait + self.warmup:
            return Action.WARMUP
        is_last = place == self.wait + self.warmup + self.active - 1
        return Action.RECORD_AND_SAVE if is_last else Action.RECORD

    def _place(self, step: int) -> int | None:
        """The position of a step in its cycle; None before the first and after the last."""
        if step < 0:
            raise ValueError(f"a step has a number of 0 or more, not {step}")
        since = step - self.skip_first
        if since < 0:
            return None
        since += self.wait - self.first_wait
        cycle, place = divmod(since, self.wait + self.warmup + self.active)
        return None if 0 < self.repeat <= cycle else place

    def next_change(self, step: int) -> int:
        """The first later step that may be of another Action; NEVER: none."""
        if step < self.skip_first:
            return self.skip_first
        place = self._place(step)
        if place is None:
            return NEVER
        until = (self.wait, self.wait + self.warmup)
        later = (bound - place for bound in until if bound > place)
        return step + next(later, 1)

    def __repr__(self) -> str:
        return (
            f"<tracer.schedule: skip_first={self.skip_first}, wait={self.wait}, "
            f"warmup={self.warmup}, active={self.active}, repeat={self.repeat}>"
        )


def schedule(
    skip_first: int = 0,
    wait: int = 0,
    warmup: int = 0,
    active: int = 1,
    repeat: int = 0,
    skip_first_wait: int = 0,
) -> Schedule:
    """A schedule for StepProfiler. All numbers are of steps, but `repeat`, which is of cycles.

    The first `skip_first` steps run as they do without tracer. Then come cycles of `wait` steps
    that run so, too, `warmup` steps whose recording is thrown away, and `active` steps that are
    recorded. repeat: how many cycles there are; 0: until the profiler is stopped. skip_first_wait:
    other than 0 if the first cycle has no wait.

    The result is a function of a step's number, from 0, that returns a tracer.Action. Raises
    TypeError for what is no whole number, ValueError for a negative one and for `active` below 1.
    """
    given = locals().copy()
    for name, value in given.items():
        least = 1 if name == "active" else 0
        if _whole(name, value) < least:
            raise ValueError(f"{name} must be {least} or more, not {value}")
    first_wait = 0 if skip_first_wait else wait
    return Schedule(*map(index, (skip_first, wait, warmup, active, repeat, first_wait)))


def _whole(name: str, value: object) -> int:
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number of steps, not {value!r}") from None


class Called:
    """A function of the user's as a schedule: it is asked at each step."""

    def __init__(self, function: Callable[[int], object]) -> None:
        self.function = function

    def __call__(self, step: int) -> Action:
        value = self.function(step)
        try:
            return Action(value)  # type: ignore[arg-type]
        except ValueError:
            raise ValueError(
                f"the schedule returned {value!r} for step {step}; it must return a tracer.Action"
            ) from None

    def next_change(self, step: int) -> int:
        return step + 1


class All:
    """Every step is recorded, in one cycle that stop() ends."""

    def __call__(self, step: int) -> Action:
        return Action.RECORD

    def next_change(self, step: int) -> int:
        return step + 1


def schedule_of(given: AnySchedule) -> Schedule | Called | All:
    """The schedule that StepProfiler(schedule=given) means. Raises TypeError or ValueError."""
    if given is None:
        return All()
    if isinstance(given, Schedule):
        return given
    if isinstance(given, (tuple, list)):
        return _between(given)
    if not callable(given):
        raise TypeError(
            "schedule must be None, tracer.schedule(...), (first, end) or a function of a step's "
            f"number, not {given!r}"
        )
    return Called(given)


def _between(given: tuple[int, ...] | list[int]) -> Schedule:
    """One cycle of the steps from the first up to the end, with the step before as its warmup."""
    if len(given) != 2:
        raise ValueError(f"schedule must be two numbers, (first, end), not {given!r}")
    first, end = _whole("first", given[0]), _whole("end", given[1])
    if not 0 <= first < end:
        raise ValueError(f"schedule (first, end) needs 0 <= first < end, not {given!r}")
    warmup = min(first, 1)
    return schedule(wait=first - warmup, warmup=warmup, active=end - first, repeat=1)
