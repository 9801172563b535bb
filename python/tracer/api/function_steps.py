"""Steps that are the calls of a function, recorded into one Profiler, which is enabled in cycles.

step_machine.py follows the schedule. How the function is found in a program, and what becomes of
the Profiler, is in launch: step_function.py, stepped_run.py. This file is not there, for a profile
that is enabled leaves out all that is outside of a frame of `tracer.launch`.
"""

from __future__ import annotations

from _thread import get_ident

from tracer._core import StepFunction
from tracer.api.schedule import schedule_of
from tracer.api.step_machine import StepMachine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _contextvars import ContextVar
    from collections.abc import Generator
    from typing import Any

    from tracer._core import LineRecorder, Profiler
    from tracer.api.schedule import AnySchedule

# The flags of code: inspect has their names, and is not imported before a program.
GENERATOR, COROUTINE, ITERABLE_COROUTINE, ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200


class FunctionSteps(StepMachine):
    """Step 0 begins where the first call of the function begins, and a step ends where a call ends.

    profile: of all cycles. warm: a Profiler that is thrown away. lines: the recorder of lines that
    is enabled with the profile, or None."""

    def __init__(
        self,
        schedule: AnySchedule,
        profile: Profiler,
        warm: Profiler,
        lines: LineRecorder | None = None,
    ) -> None:
        super().__init__()
        self._made_of = schedule_of(schedule)
        self._profile = profile
        self._warm = warm
        self._lines = lines
        self._is_halted = False
        self._suspendable: ContextVar[SuspendableCall | None] | None = None
        self.thread: int = 0  # that of the first call; 0: there was none
        self.recorded: int = 0  # cycles
        self.problem: str = ""  # why no more is recorded

    def halt(self) -> None:
        """Nothing is recorded any more: the program is over, or this is a forked child."""
        self._is_halted = True
        if self._is_running:
            self._stop_steps()

    def wrap(self, function: Any) -> Any:
        """A function whose calls are the steps; for any callable, but a class."""
        if isinstance(function, (staticmethod, classmethod)):
            return type(function)(self.wrap(function.__func__))
        if isinstance(function, StepFunction):
            return function
        flags = flags_of(function)
        if flags & (GENERATOR | COROUTINE | ITERABLE_COROUTINE | ASYNC_GENERATOR):
            return self._wrap_suspendable(function, flags)
        return StepFunction(self, function)

    def _wrap_suspendable(self, function: Any, flags: int) -> Any:
        from _contextvars import ContextVar

        if self._suspendable is None:
            self._suspendable = ContextVar("tracer.step", default=None)
        if flags & GENERATOR and not flags & ITERABLE_COROUTINE:
            from functools import update_wrapper

            return update_wrapper(_generator(self, function), function)
        from tracer.api.ranges import decorate

        return decorate(self, function)  # type: ignore[arg-type]

    def copy(self) -> SuspendableCall:
        """A call: see ranges.decorate()."""
        assert self._suspendable is not None
        return SuspendableCall(self, self._suspendable)

    # -- The cycles --------------------------------------------------------------------------------

    def _first_call(self) -> None:
        self.thread = get_ident()
        self._start_steps(self._made_of)

    def _warm_up(self) -> None:
        self._enable(self._warm)

    def _cool_down(self) -> None:
        self._warm.disable()

    def _begin_cycle(self) -> None:
        self._enable(self._profile)
        if self._profile.enabled:
            self.recorded += 1
            if self._lines is not None:
                self._lines.enable()

    def _end_cycle(self) -> None:
        self._profile.disable()
        if self._lines is not None:
            self._lines.disable()
        self._warm.clear()  # not when it cools down: that is in the time of the cycle

    def _enable(self, profile: Profiler) -> None:
        """Other threads may call halt() at any time."""
        try:
            if not self._is_halted:
                profile.enable()
        except (RuntimeError, ValueError) as error:
            self.problem = str(error)
            self._end()
        if self._is_halted:
            profile.disable()


def flags_of(function: Any) -> int:
    """The flags of the code of a function, also of a partial one; 0 for any other callable."""
    while type(function).__module__ == "functools" and hasattr(function, "func"):
        function = function.func
    if isinstance(function, type(flags_of)):
        return function.__code__.co_flags
    inner = getattr(function, "__func__", None)  # of a method
    return inner.__code__.co_flags if isinstance(inner, type(flags_of)) else 0


class SuspendableCall:
    """A call of a function that can be suspended. It is within another one if it begins while that
    runs, or awaits, or in a task that began then; else it counts."""

    def __init__(self, steps: FunctionSteps, latest: ContextVar[SuspendableCall | None]) -> None:
        self.steps = steps
        self.latest = latest
        self.is_open: bool = False
        self.generator: Any = None  # what runs it, where that can be told

    def is_around(self) -> bool:
        """Whether a call that begins now, where this one is the latest, is within this one."""
        return self.is_open and (self.generator is None or self.generator.gi_running)

    def __enter__(self) -> SuspendableCall:
        outer = self.latest.get()
        if (outer is None or not outer.is_around()) and self.steps._call_begins():
            self.is_open = True
            self.latest.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        self.generator = None
        if self.is_open:
            self.is_open = False
            self.steps._step_ends()


def _generator(steps: FunctionSteps, function: Any) -> Any:
    def call(*args: Any, **names: Any) -> Generator[Any, Any, Any]:
        with steps.copy() as it:
            it.generator = generator = function(*args, **names)
            return (yield from generator)

    return call
