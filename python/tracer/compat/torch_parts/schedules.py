"""PyTorch's schedules, by way of tracer.schedule(): what StepProfiler is given for one."""

from __future__ import annotations

import warnings

from tracer.api.schedule import Action, Schedule
from tracer.api.schedule import schedule as own_schedule
from tracer.compat.torch_parts.names import ProfilerAction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    # A function of a step's number, from 0.
    AnySchedule = Callable[[int], object]


# What a schedule may answer, and when nothing is recorded.
USERS = ("NONE", "WARMUP", "RECORD", "RECORD_AND_SAVE")
AT_REST = (ProfilerAction.NONE, ProfilerAction.WARMUP)


class TorchSchedule:
    """What schedule() returns: a function of a step's number, from 0, that gives its
    ProfilerAction."""

    def __init__(self, own: Schedule) -> None:
        self.own = own

    def __call__(self, step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"a step has a number of 0 or more, not {step}")
        return ProfilerAction(int(self.own(step)))

    def __repr__(self) -> str:
        return repr(self.own).replace("tracer.", "tracer.compat.torch.")


def schedule(
    *,
    wait: int,
    warmup: int,
    active: int,
    repeat: int = 0,
    skip_first: int = 0,
    skip_first_wait: int = 0,
) -> TorchSchedule:
    """A schedule for profile(), of the same steps as PyTorch's; numbers of steps, but `repeat`,
    which is of cycles: see tracer.schedule(). Warns where there is no warm-up. Raises
    AssertionError, as PyTorch does, for negative numbers and for `active` below 1; TypeError for
    what is no whole number."""
    try:
        own = own_schedule(skip_first, wait, warmup, active, repeat, 1 if skip_first_wait else 0)
    except ValueError as error:
        raise AssertionError(f"schedule(): {error}") from None
    if warmup == 0:
        warnings.warn(
            "schedule(warmup=0): the first recorded step has the costs of a beginning in it; "
            "warmup=1 leaves them out",
            stacklevel=2,
        )
    return TorchSchedule(own)


class Asked:
    """A schedule of the user's as StepProfiler asks it; None: every step is recorded.

    first: the number of the step that StepProfiler calls 0. current: what was answered last.
    was_asked_to: whether any step was warm-up, or recorded. is_incorrect: whether the step before
    was recorded, this one is not, and nobody saves what was recorded.

    PyTorch asks for the first step before the start, and so does this. Raises what the schedule
    raises, and ValueError for an answer that is no action.
    """

    def __init__(self, given: AnySchedule | None, first: int) -> None:
        self._given = given
        self._first = first
        self.current: ProfilerAction = self._ask(first)
        self.was_asked_to: bool = self.current is not ProfilerAction.NONE
        self.is_incorrect: bool = False

    def __call__(self, step: int) -> Action:
        if step > 0:
            before, self.current = self.current, self._ask(step + self._first)
            self.was_asked_to |= self.current is not ProfilerAction.NONE
            self._check(before, self.current, step + self._first)
        return Action(self.current.value)

    def _ask(self, step: int) -> ProfilerAction:
        return ProfilerAction.RECORD if self._given is None else _action(self._given(step), step)

    def _check(self, before: ProfilerAction, now: ProfilerAction, step: int) -> None:
        saves_nothing = before is ProfilerAction.RECORD and now in AT_REST
        self.is_incorrect = saves_nothing
        if saves_nothing or (before is ProfilerAction.WARMUP and now is ProfilerAction.NONE):
            warnings.warn(
                f"the schedule has {before.name} for step {step - 1} and {now.name} for step "
                f"{step}: end a cycle with RECORD_AND_SAVE, or on_trace_ready is not called for it",
                stacklevel=6,
            )


def _action(given: object, step: int) -> ProfilerAction:
    """The action that a schedule gives; those of tracer and of PyTorch itself are taken, too."""
    name = getattr(given, "name", None)
    if name in USERS and type(given).__name__ in ("ProfilerAction", "Action"):
        return ProfilerAction[name]
    raise ValueError(
        f"the schedule returned {given!r} for step {step}; it must return ProfilerAction.NONE, "
        "WARMUP, RECORD or RECORD_AND_SAVE"
    )
