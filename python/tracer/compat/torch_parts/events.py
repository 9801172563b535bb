"""PyTorch's lists of events: FunctionEvent, one call or range; FunctionEventAvg, the sums of one
name; EventList, a list of either that prints and exports itself. Times are microseconds.

figures.py makes them of what was recorded. What PyTorch's events know of a GPU, of memory and
of inputs is 0 or empty here.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

from tracer.compat.torch_parts.names import DeviceType, say_once
from tracer.compat.torch_parts.table import Look, table, time_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

METRICS = (
    "self_cpu_time_total",
    "self_cuda_time_total",
    "self_xpu_time_total",
    "self_privateuse1_time_total",
)
JOINED = str.maketrans(" ;\t\n", "____")  # what may not stand within a frame of a stack


class Interval(NamedTuple):
    """When an event began and ended, in microseconds since recording began."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        return self.end - self.start


def _as_text(name: str) -> property:
    time = attrgetter(name)
    return property(lambda event: time_in(time(event)), doc=f"`{name}` as text.")


class _OnCpu:
    """What both kinds of events have: averages, times as text, and what is always 0 here."""

    __slots__ = ()

    node_id: ClassVar[int] = -1
    is_remote: ClassVar[bool] = False
    is_legacy: ClassVar[bool] = False
    use_device: ClassVar[None] = None
    device_type: ClassVar[DeviceType] = DeviceType.CPU
    device_index: ClassVar[int] = 0
    scope: ClassVar[int] = 0
    flops: ClassVar[int] = 0
    overload_name: ClassVar[str] = ""
    cpu_memory_usage: ClassVar[int] = 0
    self_cpu_memory_usage: ClassVar[int] = 0
    device_memory_usage: ClassVar[int] = 0
    self_device_memory_usage: ClassVar[int] = 0
    device_time: ClassVar[float] = 0.0
    device_time_total: ClassVar[float] = 0.0
    self_device_time_total: ClassVar[float] = 0.0
    cuda_time: ClassVar[float] = 0.0
    cuda_time_total: ClassVar[float] = 0.0
    self_cuda_time_total: ClassVar[float] = 0.0

    count: int
    cpu_time_total: float
    self_cpu_time_total: float

    @property
    def cpu_time(self) -> float:
        """The mean of a call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    cpu_time_str: property = _as_text("cpu_time")
    cpu_time_total_str: property = _as_text("cpu_time_total")
    self_cpu_time_total_str: property = _as_text("self_cpu_time_total")
    device_time_str: property = _as_text("device_time")
    device_time_total_str: property = _as_text("device_time_total")
    self_device_time_total_str: property = _as_text("self_device_time_total")


class FunctionEvent(_OnCpu):
    """One call, one stretch of a generator or coroutine, or one range.

    id: from 1, in order of the start. name: the key that it is summed by; trace_name: the same with
    the number of a step. thread: the system's number. time_range: an Interval. cpu_parent,
    cpu_children: the events around and inside of it. is_async: a range that did not end where it
    began: it has no time of its own. input_shapes: empty.
    """

    __slots__ = (
        "_has_stack",
        "cpu_children",
        "cpu_parent",
        "id",
        "is_async",
        "is_python_function",
        "is_user_annotation",
        "name",
        "thread",
        "time_range",
        "trace_name",
    )

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        *,
        trace_name: str | None = None,
        is_async: bool = False,
        is_user_annotation: bool = False,
        is_python_function: bool = False,
        has_stack: bool = False,
    ) -> None:
        self.id: int = id
        self.name: str = name
        self.trace_name: str = name if trace_name is None else trace_name
        self.thread: int = thread
        self.time_range: Interval = Interval(start_us, end_us)
        self.is_async: bool = is_async
        self.is_user_annotation: bool = is_user_annotation
        self.is_python_function: bool = is_python_function
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []
        self._has_stack = has_stack

    count: int = 1
    input_shapes: ClassVar[list[object]] = []

    @property
    def key(self) -> str:
        return self.name

    @property
    def cpu_time_total(self) -> float:  # type: ignore[override]
        return self.time_range.end - self.time_range.start

    @property
    def self_cpu_time_total(self) -> float:  # type: ignore[override]
        if self.is_async:
            return 0.0
        return self.cpu_time_total - sum(it.cpu_time_total for it in self.cpu_children)

    @property
    def stack(self) -> list[str]:
        """The Python functions around it, the innermost first; empty without with_stack."""
        found: list[str] = []
        at = self.cpu_parent if self._has_stack else None
        while at is not None:
            if at.is_python_function:
                found.append(at.name)
            at = at.cpu_parent
        return found

    def __repr__(self) -> str:
        start, end = self.time_range
        return (
            f"<FunctionEvent {self.trace_name!r}: {start:.3f} to {end:.3f} us in thread "
            f"{self.thread}>"
        )


@dataclass(eq=False, repr=False)
class FunctionEventAvg(_OnCpu):
    """The sums of all events of one key; see EventList.key_averages()."""

    key: str
    _: KW_ONLY
    stack: list[str] = field(default_factory=list)
    is_async: bool = False
    is_user_annotation: bool = False
    is_python_function: bool = False
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    input_shapes: str = ""

    @property
    def name(self) -> str:
        return self.key

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg {self.key!r}: {self.count} calls, "
            f"{self.self_cpu_time_total_str} of {self.cpu_time_total_str}>"
        )


class Source(NamedTuple):
    """Where a list comes from: what is asked for only when somebody asks.

    tops: the keys of which an event has none around it. stacks: (frames, the outermost first;
    microseconds of own time). write_trace: writes the Chrome trace to a path.
    """

    tops: Callable[[], set[str]]
    stacks: Callable[[], Iterable[tuple[list[str], float]]]
    write_trace: Callable[[str], object]


class EventList(list[Any]):
    """A list of FunctionEvent, or of FunctionEventAvg."""

    def __init__(self, events: Iterable[FunctionEvent | FunctionEventAvg], source: Source) -> None:
        super().__init__(events)
        self._source = source

    def __str__(self) -> str:
        return self.table()

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The list as PyTorch's table. sort_by: cpu_time, cpu_time_total, self_cpu_time_total,
        count, key; None: in the order of the list. row_limit: at most so many rows; -1: all.
        time_unit: "s", "ms" or "us"; None: of each time the one that fits. Raises ValueError for
        another key or unit."""
        look = Look(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            header,
            top_level_events_only,
            time_unit,
        )
        tops = self._source.tops() if top_level_events_only else set()
        return table(self, look, lambda event: _is_top(event, tops))

    @property
    def self_cpu_time_total(self) -> float:
        """The own time of all of the list, in microseconds."""
        return float(sum(event.self_cpu_time_total for event in self))

    def total_average(self) -> FunctionEventAvg:
        """All of the list as one, with the key Total."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.count += event.count
            total.cpu_time_total += event.cpu_time_total
            total.self_cpu_time_total += event.self_cpu_time_total
        return total

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
        include_python_functions: bool = True,
    ) -> EventList:
        """The events of each key as one, in the order of their starts. An event inside of one of
        its own key counts as a call, and its time once. group_by_stack_n: tell apart what these
        many innermost callers tell apart, where with_stack was given."""
        found: dict[tuple[object, ...], FunctionEventAvg] = {}
        for event in self:
            if event.is_python_function and not include_python_functions:
                continue
            stack = event.stack[:group_by_stack_n]
            group = (event.key, event.is_user_annotation, *stack)
            one = found.get(group)
            if one is None:
                one = found[group] = FunctionEventAvg(
                    event.key,
                    stack=stack,
                    is_async=event.is_async,
                    is_user_annotation=event.is_user_annotation,
                    is_python_function=event.is_python_function,
                )
            one.count += event.count
            one.self_cpu_time_total += event.self_cpu_time_total
            if not _is_inside_its_own(event):
                one.cpu_time_total += event.cpu_time_total
        return EventList(found.values(), self._source)

    def supported_export_stacks_metrics(self) -> list[str]:
        return list(METRICS)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Write a line for each path of calls: its functions, the outermost first, between
        semicolons, and whole microseconds of own time. Raises ValueError for another metric,
        OSError."""
        if metric not in METRICS:
            raise ValueError(f"metric must be one of {', '.join(METRICS)}, not {metric!r}")
        if metric != METRICS[0]:
            say_once(f"metric={metric!r}: tracer records no GPU; written by {METRICS[0]}")
        from tracer.runtime.atomic_files import write_whole

        lines = (
            f"{';'.join(frame.translate(JOINED) for frame in frames)} {int(time)}\n"
            for frames, time in self._source.stacks()
            if int(time) > 0
        )
        write_whole(path, "".join(lines).encode())

    def export_chrome_trace(self, path: str) -> None:
        """Write the trace, as profile.export_chrome_trace(). Raises OSError."""
        self._source.write_trace(path)


def _is_top(event: Any, tops: set[str]) -> bool:
    if isinstance(event, FunctionEvent):
        return event.cpu_parent is None
    return event.key in tops


def _is_inside_its_own(event: FunctionEvent) -> bool:
    around = event.cpu_parent
    while around is not None:
        if around.name == event.name:
            return True
        around = around.cpu_parent
    return False
