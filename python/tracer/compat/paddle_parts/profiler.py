"""Profiler and RecordEvent, with Paddle's arguments and states, on StepProfiler and ranges.

states.py has the states, tables.py what summary() prints, trees.py what is printed there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast
from warnings import warn

from tracer._core import range as timed_range
from tracer.analysis.steps.timings import StepTimings
from tracer.api.schedule import Action
from tracer.api.step_profiler import StepProfiler
from tracer.compat.paddle_parts.files import export_chrome_tracing
from tracer.compat.paddle_parts.states import (
    ProfilerState,
    ProfilerTarget,
    SortedKeys,
    SummaryView,
    TracerEventType,
    always_record,
    of_range,
)
from tracer.compat.paddle_parts.tables import UNITS, perf_summary, summary_text
from tracer.compat.paddle_parts.trees import RecordedResult
from tracer.runtime.unrecorded import aside

if TYPE_CHECKING:
    from tracer.compat.paddle_parts.nodes import ProfilerResult
    from tracer.runtime.atomic_files import AnyPath

__all__ = ["Profiler", "RecordEvent"]

Function = TypeVar("Function", bound=Callable[..., object])

CLOSED, READY = ProfilerState.CLOSED, ProfilerState.READY
RECORD, RECORD_AND_RETURN = ProfilerState.RECORD, ProfilerState.RECORD_AND_RETURN
ACTIONS = {state: Action(state.value) for state in ProfilerState}
# Steps at the beginning of a loop that are in no figure of the timer's table.
UNTIMED = 10
ON_GPU_VIEWS = {
    SummaryView.KernelView: "KernelView",
    SummaryView.DistributedView: "DistributedView",
}
_reported: set[str] = set()  # what was said to be missing


def _say_missing(wanted: Iterable[str]) -> None:
    """Say once a process, in one line, what is not recorded."""
    new = [name for name in wanted if name not in _reported]
    if new:
        _reported.update(new)
        print(
            f"tracer: not recorded: {', '.join(new)}; tracer profiles the CPU, and goes on with "
            "that",
            file=sys.stderr,
        )


class RecordEvent:
    """A range of the program's own: `with RecordEvent(name):`, `begin()` and `end()`, or a
    decorator. It is recorded while a profiler of tracer's records a timeline, as Profiler does.

    name: any text. event_type: the type, which the tables tell apart. Types that Paddle keeps for
    itself are not recorded, and begin() warns of them.
    """

    def __init__(
        self, name: str, event_type: TracerEventType = TracerEventType.PythonUserDefined
    ) -> None:
        self.name = name
        self.event_type = event_type
        self.event: timed_range | None = (
            timed_range(name, event_type.category) if event_type.is_free else None
        )

    def begin(self) -> None:
        if self.event is not None:
            self.event.__enter__()
        else:
            names = ", ".join(kind.name for kind in TracerEventType if kind.is_free)
            _warn_program(
                f"an event of type {self.event_type} is not recorded; give one of {names}"
            )

    def end(self) -> None:
        """End what begin() began last. Does nothing if nothing was begun."""
        if self.event is not None:
            self.event.__exit__(None, None, None)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self.end()

    def __call__(self, function: Function) -> Function:
        """The function, with this range around each call."""
        return function if self.event is None else self.event(function)


class _Steps(StepProfiler):
    """The steps of a Profiler. As Paddle's, the step that stop() cuts short counts as one."""

    def _stop_steps(self) -> None:
        if self._step_range is not None:
            self._step_range.end()
            self._step_range = None
        super()._stop_steps()

    def _keeps_cycle(self) -> bool:
        return True

    def timed(self, first: int) -> StepTimings:
        """The StepTimings of the steps from `first` on."""
        return self._timings(first)


class Profiler:
    """Profiler(*, targets=None, scheduler=None, on_trace_ready=None, record_shapes=False,
    profile_memory=False, timer_only=False, emit_nvtx=False, custom_device_types=[],
    with_flops=False)

    Profiles the steps of a loop, as paddle.profiler.Profiler does: start(), step() at the end of
    each step, stop(); or `with`. Only the thread that started it may call step().

    scheduler: a function of a step's number that returns a ProfilerState, such as make_scheduler()
    makes; (start, stop) for the steps from `start` to before `stop`; None: all steps.
    on_trace_ready: called with the profiler after the last step of a cycle, in step() or stop().
    None: export_chrome_tracing("./profiler_log/"). An Exception that it raises becomes a
    RuntimeWarning. timer_only: time the steps and the reader, and record nothing.

    What needs a GPU, shapes and the memory of tensors are not recorded: a line on stderr says so
    once. Raises AssertionError unless `stop` is greater than `start`, TypeError for a scheduler of
    another kind.
    """

    @aside
    def __init__(
        self,
        *,
        targets: Iterable[ProfilerTarget] | None = None,
        scheduler: Callable[[int], ProfilerState] | tuple[int, int] | None = None,
        on_trace_ready: Callable[[Profiler], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        timer_only: bool = False,
        emit_nvtx: bool = False,
        custom_device_types: Iterable[str] = (),
        with_flops: bool = False,
    ) -> None:
        asked = [ProfilerTarget.CPU] if targets is None else list(targets)
        self.targets: set[ProfilerTarget] = {it for it in asked if it is ProfilerTarget.CPU}
        missing = [str(it) for it in asked if it is not ProfilerTarget.CPU]
        options = {
            "record_shapes": record_shapes,
            "profile_memory": profile_memory,
            "emit_nvtx": emit_nvtx,
            "custom_device_types": bool(custom_device_types),
            "with_flops": with_flops,
        }
        _say_missing([*missing, *(name for name, is_wanted in options.items() if is_wanted)])
        self.scheduler: Callable[[int], ProfilerState] = _scheduler_of(scheduler)
        if on_trace_ready is None:
            on_trace_ready = export_chrome_tracing("./profiler_log/")
        elif not callable(on_trace_ready):
            raise TypeError(
                f"on_trace_ready must be a function of the profiler, not {on_trace_ready!r}"
            )
        self.on_trace_ready: Callable[[Profiler], object] = on_trace_ready
        self.timer_only = timer_only
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.emit_nvtx = emit_nvtx
        self.with_flops = with_flops
        self.step_num: int = 0
        self.previous_state: ProfilerState = CLOSED
        self.current_state: ProfilerState = self.scheduler(0)
        self.profiler_result: ProfilerResult | None = None
        self._started_at = 0  # the number of the step with which the loop began
        self._is_stopping = False
        self._unit = "samples"
        self._steps = _Steps(
            self._next_action, self._cycle_over, timer_only, compensate=not timer_only
        )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin the first step. Raises RuntimeError when it was started and not stopped."""
        self._started_at = self.step_num
        self._is_stopping = False
        self._steps.start()

    def stop(self) -> None:
        """End the loop: a cycle that was not over goes to on_trace_ready now. Prints the timer's
        table if there were more than ten steps. Does nothing a second time. Raises RuntimeError
        before start()."""
        if self._is_stopping:
            return
        self._is_stopping = True
        self._steps.stop()
        if not self.timer_only and self.current_state is READY:
            _warn_program(
                "stop() in state READY: the cycle ended before it recorded a step, and nothing is "
                "saved of it"
            )
        self._print_timings()

    def step(self, num_samples: float | None = None) -> None:
        """A step ends, and the next one begins. num_samples: how many samples it worked on. Raises
        RuntimeError before start() and in another thread, and what the scheduler raises."""
        self._steps.step(num_samples)

    @aside
    def step_info(self, unit: str | None = None) -> str:
        """The means of the steps since the last call, as Paddle says them: reader_cost and
        batch_cost in seconds, ips in `unit` a second, "samples" by default; steps a second where
        step() was not told their number. "" if there was no step."""
        self._unit = unit = "samples" if unit is None else unit
        timings = self._steps.timed(self._steps._step_info_from)
        self._steps._step_info_from = self._steps.step_number
        batch, reader = timings.batch_cost, timings.reader_cost
        if batch is None:
            return ""
        items = timings.items_per_second
        rate, counted = (timings.steps_per_second, "steps") if items is None else (items, unit)
        words = [f"reader_cost: {reader.average:.5f} s"] if reader and reader.average else []
        words.append(f"batch_cost: {batch.average:.5f} s")
        words += [] if rate is None else [f"ips: {rate.average:.3f} {counted}/s"]
        return "".join(f" {word}" for word in words)

    @aside
    def export(self, path: AnyPath = "", format: str = "json") -> None:
        """Write the latest cycle: "json" for Chrome's tracing, "pb" for load_profiler_result().
        Nothing is written before a cycle is over. Raises ValueError for another format, OSError."""
        if self.profiler_result is not None:
            self.profiler_result.save(path, format)

    @aside
    def summary(
        self,
        sorted_by: SortedKeys = SortedKeys.CPUTotal,
        op_detail: bool = True,
        thread_sep: bool = False,
        time_unit: str = "ms",
        views: SummaryView | Iterable[SummaryView] | None = None,
    ) -> None:
        """Print the tables of the latest cycle. sorted_by: of operators and of user ranges.
        op_detail: with what operators call. thread_sep: operators and user ranges by thread.
        time_unit: "s", "ms", "us" or "ns". views: the tables; None: all. Prints nothing before a
        cycle is over. Raises ValueError for another unit."""
        if time_unit not in UNITS:
            raise ValueError(f"time_unit must be one of {', '.join(UNITS)}, not {time_unit!r}")
        wanted = [views] if isinstance(views, SummaryView) else views
        wanted = None if wanted is None else list(wanted)
        _say_missing(ON_GPU_VIEWS[view] for view in wanted or () if view in ON_GPU_VIEWS)
        result = self.profiler_result
        if isinstance(result, RecordedResult):
            print(
                summary_text(
                    result.summary(by_thread=thread_sep),
                    sorted_by=sorted_by,
                    op_detail=op_detail,
                    time_unit=time_unit,
                    views=wanted,
                )
            )

    def _next_action(self, step: int) -> Action:
        """What is done with a step: asked at the beginning of each, once."""
        number = self._started_at + step
        if step == 0:
            return _action_of(self.current_state, number)
        state = self.scheduler(number)
        action = _action_of(state, number)
        self.step_num = number
        self.previous_state, self.current_state = self.current_state, state
        _warn_of(self.previous_state, state)
        return action

    def _cycle_over(self, steps: StepProfiler) -> None:
        """Hand a cycle over, unless the scheduler dropped it before its last step."""
        is_whole = self.previous_state is RECORD_AND_RETURN
        if is_whole or self._is_stopping:
            self.profiler_result = RecordedResult(steps.stats, self._started_at)
            self.on_trace_ready(self)

    @aside
    def _print_timings(self) -> None:
        print(perf_summary(self._steps.timed(UNTIMED), self._unit), end="")

    def __repr__(self) -> str:
        return f"<tracer.compat.paddle.Profiler: step {self.step_num}, {self.current_state.name}>"


def _scheduler_of(given: Any) -> Callable[[int], ProfilerState]:
    if given is None:
        return always_record
    if callable(given):
        return cast("Callable[[int], ProfilerState]", given)
    if isinstance(given, (tuple, list)) and len(given) == 2:
        return of_range(*given)
    raise TypeError(
        "scheduler must be a function of a step's number, such as make_scheduler() makes, (start, "
        f"stop) or None, not {given!r}"
    )


def _action_of(state: object, step: int) -> Action:
    if not isinstance(state, ProfilerState):
        raise TypeError(
            f"the scheduler returned {state!r} for step {step}; it must return a ProfilerState of "
            "tracer.compat.paddle"
        )
    return ACTIONS[state]


def _warn_of(before: ProfilerState, now: ProfilerState) -> None:
    """Warn of a cycle that the scheduler ends before its last step."""
    if before is READY and now is CLOSED:
        what = "the cycle ended before it recorded a step"
    elif before is RECORD and now in (CLOSED, READY):
        what = "the cycle has no step RECORD_AND_RETURN, and is dropped"
    else:
        return
    _warn_program(f"the scheduler went from {before.name} to {now.name}: {what}")


def _warn_program(text: str) -> None:
    """Warn of the line of the program that called tracer."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("tracer."):
        level, frame = level + 1, frame.f_back
    warn(text, stacklevel=level)
