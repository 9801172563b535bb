"""profile: PyTorch's profiler on tracer.StepProfiler; and record_function().

figures.py and trace.py tell what was recorded; schedules.py has the schedules.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar, Self

from tracer._core import range as timed_range
from tracer.api.step_profiler import StepProfiler
from tracer.compat.torch_parts.events import EventList, Source
from tracer.compat.torch_parts.names import (
    ProfilerAction,
    ProfilerActivity,
    activities_of,
    say_once,
    say_what_is_missing,
)
from tracer.compat.torch_parts.ranges import Steps
from tracer.compat.torch_parts.schedules import Asked, TorchSchedule
from tracer.runtime.unrecorded import aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tracer.compat.torch_parts.names import Activities
    from tracer.compat.torch_parts.schedules import AnySchedule
    from tracer.data.capture import Capture

ANNOTATION = "user_annotation"
# Options of which tracer has nothing.
BLIND = ("record_shapes", "profile_memory", "with_flops", "with_modules")


def record_function(name: str, args: str | None = None) -> timed_range:
    """A range of the program, for `with`, or to decorate a function: a row of its own in the table,
    and a slice in the trace. args: a text that the trace shows. It is a tracer.range."""
    if args is None:
        return timed_range(name, ANNOTATION)
    return timed_range(name, ANNOTATION, args=args)


class _Cycles(StepProfiler):
    """A StepProfiler whose cycles are PyTorch's: what on_ready raises is raised, after the next
    step has begun; a cycle that is cut short in its first step is one, too; and one that nobody
    saves is not handed on."""

    def __init__(self, asked: Asked | None, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._asked = asked
        self._raised: BaseException | None = None

    def _change(self, items: float | None) -> None:
        super()._change(items)
        self._raise()

    def stop(self) -> None:
        super().stop()
        self._raise()

    def _end_cycle(self) -> None:
        self._began = -1  # no cycle is too short
        super()._end_cycle()

    def _hand_on(self, on_ready: Callable[[StepProfiler], object]) -> None:
        if self._asked is not None and self._asked.is_incorrect and self._is_running:
            return
        try:
            on_ready(self)
        except BaseException as error:
            self._raised = error

    def _raise(self) -> None:
        error, self._raised = self._raised, None
        if error is not None:
            raise error


class profile:
    """PyTorch's profiler: a context manager; or start(), step() at the end of each step, stop().

    activities: of ProfilerActivity; what runs on the CPU is recorded. schedule: what schedule()
    returns, or another function of a step's number that returns a ProfilerAction; None: all is
    recorded, until stop(). on_trace_ready: called with this object when a cycle is over.
    with_stack: key_averages(group_by_stack_n=...) and events() have callers. acc_events: keep the
    cycles before the latest, for key_averages() and events(). custom_trace_id_callback: gives each
    cycle's id in the trace.

    record_shapes, profile_memory, with_flops, with_modules, use_cuda and execution_trace_observer
    are of what tracer does not see: one line on standard error says so. experimental_config and
    post_processing_timeout_s mean nothing here.

    step_num: the number of the step that runs. current_action: what is done with it.
    """

    _options: ClassVar[dict[str, Any]] = {}  # of StepProfiler

    @aside
    def __init__(
        self,
        *,
        activities: Activities | None = None,
        schedule: AnySchedule | None = None,
        on_trace_ready: Callable[[profile], object] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: object = None,
        execution_trace_observer: object = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        use_cuda: bool | None = None,
    ) -> None:
        self.activities: set[ProfilerActivity] = activities_of(activities)
        self.schedule: AnySchedule | None = schedule
        self.on_trace_ready: Callable[[profile], object] | None = on_trace_ready
        self.record_shapes: bool = record_shapes
        self.profile_memory: bool = profile_memory
        self.with_stack: bool = with_stack
        self.with_flops: bool = with_flops
        self.with_modules: bool = with_modules
        self.experimental_config: object = experimental_config
        self.acc_events: bool = acc_events
        self.custom_trace_id_callback: Callable[[], str] | None = custom_trace_id_callback
        self.post_processing_timeout_s: float | None = post_processing_timeout_s
        asked_for = [name for name in BLIND if getattr(self, name)]
        if execution_trace_observer is not None:
            asked_for.append("execution_trace_observer")
        devices = {*self.activities, *([ProfilerActivity.CUDA] if use_cuda else [])}
        say_what_is_missing(devices, asked_for)
        self._metadata: dict[str, Any] = {}
        self._preset: dict[str, Any] = {}
        self._trace_id = ""
        self._first = 0  # the number of the step that the StepProfiler calls 0
        self._after = 0  # steps that were counted while nothing ran
        self._cycles = self._made()

    def _made(self) -> _Cycles:
        """A StepProfiler for the steps from _first on."""
        schedule: Any
        if isinstance(self.schedule, TorchSchedule) and self._first == 0:
            self._asked, schedule = None, self.schedule.own
        else:
            self._asked = schedule = Asked(self.schedule, self._first)
        options = {"keep_all": self.acc_events, **self._options}
        return _Cycles(self._asked, schedule, self._ready, **options)

    # -- The loop ----------------------------------------------------------------------------------

    def start(self) -> None:
        """Recording begins, or the first step of the schedule. After a stop() the steps are counted
        on. Raises RuntimeError when it was started and not stopped."""
        if self._after or self._cycles.step_number:
            self._first, self._after = self.step_num, 0
            self._cycles = self._made()
        self._cycles.start()

    def stop(self) -> None:
        """The loop is over. A cycle that was not is kept, with the step that runs, and
        on_trace_ready is called for it. Does nothing a second time. Raises RuntimeError before
        start(), and what on_trace_ready raises."""
        self._cycles.stop()

    def step(self) -> None:
        """A step ends here, and the next one begins. While nothing runs, the step is counted, and
        not recorded. Raises RuntimeError in another thread than start(), and what the schedule and
        on_trace_ready raise; then the loop can go on."""
        if self._cycles._is_running:
            self._cycles.step()
        else:
            self._after += 1

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    @property
    def step_num(self) -> int:
        return self._first + self._cycles.step_number + self._after

    @property
    def current_action(self) -> ProfilerAction:
        if self._asked is not None:
            return self._asked.current
        assert isinstance(self.schedule, TorchSchedule)
        return self.schedule(self.step_num)

    def _ready(self, cycles: StepProfiler) -> None:
        self._trace_id = self._new_id()
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    @aside
    def _new_id(self) -> str:
        if self.custom_trace_id_callback is not None:
            return self.custom_trace_id_callback()
        import os

        return os.urandom(16).hex().upper()

    def get_trace_id(self) -> str:
        """The id that the latest cycle has in its trace; "" before."""
        return self._trace_id

    def set_custom_trace_id_callback(self, callback: Callable[[], str] | None) -> None:
        """From now on, `callback` gives the id of each cycle."""
        self.custom_trace_id_callback = callback

    def toggle_collection_dynamic(
        self, enable: bool, activities: Iterable[ProfilerActivity]
    ) -> None:
        """Nothing: a schedule says what is recorded."""
        say_once(
            "toggle_collection_dynamic() does nothing here: say by a schedule which steps are "
            "recorded"
        )

    # -- What was recorded -------------------------------------------------------------------------

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        include_python_functions: bool = True,
    ) -> EventList:
        """A row for each function, each name of record_function(), and ProfilerStep*; of the latest
        cycle, or, with acc_events, of all. Figures of functions are exact.

        group_by_stack_n: tell a function's rows apart by that many of its innermost callers, where
        with_stack was given. include_python_functions: False: only functions in C, and ranges.
        Raises AssertionError, as PyTorch does, when nothing was to be recorded."""
        from tracer.compat.torch_parts.figures import averages

        captures = self._captures()
        if group_by_input_shape:
            say_once(
                "group_by_input_shape: tracer does not look into PyTorch's operators; rows are by "
                "name"
            )
        callers = group_by_stack_n if self.with_stack else 0
        rows = averages(captures, self._steps, callers)
        wanted = (row for row in rows if include_python_functions or not row.is_python_function)
        return EventList(wanted, self._source(captures))

    def events(self) -> EventList:
        """The calls and ranges that the timeline has, by their starts, with what is around each.
        Raises AssertionError when nothing was to be recorded."""
        from tracer.compat.torch_parts.figures import events

        captures = self._captures()
        found = events(captures, self._steps, self.with_stack)
        return EventList(found, self._source(captures))

    def export_chrome_trace(
        self, path: str, use_python_export: bool = False, **ignored: object
    ) -> None:
        """Write the trace of the latest cycle, whole or not at all; packed where the path ends in
        .gz. The other arguments mean nothing here. Raises OSError, and AssertionError when nothing
        was to be recorded."""
        from tracer.compat.torch_parts.trace import write_trace

        captures = self._captures()
        if not captures:
            raise ValueError("no step was recorded, so there is no trace: record a step first")
        options = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")
        metadata = {name: 1 for name in options if getattr(self, name)}
        metadata |= self._preset | self._metadata
        write_trace(str(path), captures[-1], self._steps, metadata, self._trace_id)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write the paths of calls with their own time: see EventList.export_stacks()."""
        EventList((), self._source(self._captures())).export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Give the traces a text under this key."""
        self._metadata[str(key)] = str(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        """The same with JSON. Raises ValueError for text that is none."""
        self._metadata[str(key)] = _from_json(key, value)

    def preset_metadata_json(self, key: str, value: str) -> None:
        """The same as add_metadata_json(); what that is given wins."""
        self._preset[str(key)] = _from_json(key, value)

    @property
    def _steps(self) -> Steps:
        return Steps(self.schedule is not None, self._first)

    @aside
    def _captures(self) -> list[Capture]:
        """What is kept, the latest last; empty where steps were warm-up alone."""
        stats = list(self._cycles.cycles)
        if not stats or self._cycles._profile is not None:
            try:
                stats.append(self._cycles.stats)
            except ValueError:
                if not self._was_asked_to():
                    raise AssertionError(
                        "nothing was recorded: start() the profiler, and see that its schedule "
                        "records a step"
                    ) from None
        if not self.acc_events:
            stats = stats[-1:]
        return [capture for one in stats for capture in one.captures]

    def _was_asked_to(self) -> bool:
        if not self._cycles._was_started:
            return False
        if self._asked is not None:
            return self._asked.was_asked_to
        assert isinstance(self.schedule, TorchSchedule)
        steps = range(self.step_num + 1)
        return any(self.schedule(step) is not ProfilerAction.NONE for step in steps)

    def _source(self, captures: list[Capture]) -> Source:
        from tracer.compat.torch_parts import figures

        steps, has_stack = self._steps, self.with_stack
        return Source(
            lambda: figures.top_keys(figures.events(captures, steps, has_stack)),
            lambda: figures.stacks(captures),
            self.export_chrome_trace,
        )


def _from_json(key: str, value: str) -> object:
    try:
        return json.loads(value)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"metadata {key!r}: {value!r} is no JSON ({error}); add_metadata() takes plain text"
        ) from None


def tensorboard_trace_handler(
    dir_name: str,
    worker_name: str | None = None,
    use_gzip: bool = False,
    use_python_export: bool = False,
) -> Callable[[profile], None]:
    """A function for profile(on_trace_ready=...) that writes each cycle's trace to a folder, which
    is made where it is not there: WORKER.NANOSECONDS.pt.trace.json, and .gz with use_gzip.

    worker_name: by default HOST_PID. The function raises RuntimeError when the folder cannot be
    made, and OSError.
    """

    @aside
    def write(profiler: profile) -> None:
        import os
        import socket
        import time

        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            raise RuntimeError(
                f"cannot make the folder {dir_name!r}: {error.strerror}; name another"
            ) from error
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        name = f"{worker}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        profiler.export_chrome_trace(os.path.join(dir_name, name))

    return write
