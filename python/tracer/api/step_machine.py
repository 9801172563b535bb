"""The states that a stepped recording goes through: from a schedule's actions to cycles.

_core.StepClock counts steps, in C, and calls _change() at the beginning of each step for which
something may have to be done. What a cycle records, and where it goes, is in the subclasses:
step_profiler.py, and launch/stepped_run.py for the command.
"""

from __future__ import annotations

from tracer._core import StepClock, call_untracked, unrecorded
from tracer._core import range as timed_range
from tracer.api.schedule import NEVER, RECORDING, Action

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Literal

    from tracer.api.schedule import All, Called, Schedule

    Timer = Callable[[], float] | Literal["wall", "cpu"] | None

# The name and the category of the range that a recorded step is.
STEP = "step"


class StepMachine(StepClock):
    """A StepClock whose steps are recorded by a schedule.

    The methods that a subclass has: _warm_up(), _cool_down(), _begin_cycle(), _end_cycle().
    """

    _schedule: Schedule | Called | All

    def __init__(self, timer: Timer = None, timeunit: float = 0.0) -> None:
        super().__init__(timer if callable(timer) else None, timeunit)
        self._action = Action.NONE  # of the step that runs
        self._step_range: timed_range | None = None  # of the step that runs, if it is recorded
        self._is_warm = False

    def _start_steps(self, schedule: Schedule | Called | All) -> None:
        """Begin step 0. Raises what the schedule raises, and then nothing has begun."""
        first = call_untracked(schedule, 0)
        self._schedule = schedule
        self._action, self._step_range = Action.NONE, None
        self._begin(NEVER)
        try:
            self._enter(first, is_over=False)
        except BaseException:
            self._end()
            raise

    def _change(self, items: float | None) -> None:
        """A step ended, and the next one begins: called by step(). Raises what the schedule raises;
        then the cycle is over, and nothing more is recorded."""
        if self._step_range is not None:
            if items is None:
                self._step_range.end()
            else:
                self._step_range.end(items=items)
            self._step_range = None
        was = self._action
        try:
            action = call_untracked(self._schedule, self.step_number)
        except BaseException:
            self._give_up(was)
            raise
        is_over = was is Action.RECORD_AND_SAVE or (
            was is Action.RECORD and action not in RECORDING
        )
        if is_over:
            self._action = Action.NONE
            self._end_cycle()
        if self._is_running:  # stop() may have been called meanwhile
            self._enter(action, is_over)

    def _enter(self, action: Action, is_over: bool) -> None:
        """Do what the action of the step that begins asks for."""
        number, was = self.step_number, self._action
        self._due = call_untracked(self._schedule.next_change, number)
        if action in RECORDING:
            self._action = Action.NONE  # where the cycle cannot begin, no step is recorded
            if is_over or was not in RECORDING:
                self._begin_cycle()
            if self._is_warm:
                with unrecorded:  # it takes milliseconds, which would be the caller's in the cycle
                    self._stop_warmth()
            self._step_range = timed_range(STEP, STEP, number=number).__enter__()
        elif action is Action.NONE:
            self._stop_warmth()
        elif not self._is_warm:
            self._is_warm = True
            self._warm_up()
        self._action = action

    def _give_up(self, was: Action) -> None:
        """No step is recorded any more."""
        self._due, self._action = NEVER, Action.NONE
        self._stop_warmth()
        if was in RECORDING:
            self._end_cycle()

    def _stop_steps(self) -> None:
        """The loop is over, perhaps within a step or a cycle: what is left of the step is no step,
        and the cycle is kept."""
        was, self._action = self._action, Action.NONE
        self._end()
        self._step_range = None
        self._stop_warmth()
        if was in RECORDING:
            self._end_cycle()

    def _stop_warmth(self) -> None:
        if self._is_warm:
            self._is_warm = False
            self._cool_down()

    def _warm_up(self) -> None:
        raise NotImplementedError

    def _cool_down(self) -> None:
        raise NotImplementedError

    def _begin_cycle(self) -> None:
        raise NotImplementedError

    def _end_cycle(self) -> None:
        raise NotImplementedError
