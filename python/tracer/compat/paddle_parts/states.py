"""The enumerations of Paddle's profiler, with Paddle's values, and its scheduler of steps.

paddle.py has the profiler itself.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any
from warnings import warn

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "PHASES",
    "ProfilerState",
    "ProfilerTarget",
    "SortedKeys",
    "SummaryView",
    "TracerEventType",
    "make_scheduler",
    "of_range",
]


# The phases of a step, in Paddle's order, and the categories of their ranges.
PHASES = {
    "Dataloader": "load",
    "Forward": "forward",
    "Backward": "backward",
    "Optimization": "optimizer",
}
FREE = ("ProfileStep", "PythonOp", "PythonUserDefined")


class ProfilerState(Enum):
    """What is done with a step. RECORD_AND_RETURN: record the step, then hand the profile over."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerTarget(Enum):
    """What is profiled. tracer profiles CPU alone."""

    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM_DEVICE = 3


class SummaryView(Enum):
    """A table of Profiler.summary()."""

    DeviceView = 0
    OverView = 1
    ModelView = 2
    DistributedView = 3
    KernelView = 4
    OperatorView = 5
    MemoryView = 6
    MemoryManipulationView = 7
    UDFView = 8


class SortedKeys(Enum):
    """What the rows of operators and of user ranges are sorted by."""

    CPUTotal = 0
    CPUAvg = 1
    CPUMax = 2
    CPUMin = 3
    GPUTotal = 4
    GPUAvg = 5
    GPUMax = 6
    GPUMin = 7


class TracerEventType(Enum):
    """The kind of an event. int() of it is its number in a .pb file.

    category: of a range that is such an event. is_free: whether a program may record it; Paddle
    keeps the others for itself. Both are attributes, which RecordEvent can read without a call
    that a profile would record.
    """

    category: str
    is_free: bool

    Operator = 0
    Dataloader = 1
    ProfileStep = 2
    CudaRuntime = 3
    Kernel = 4
    Memcpy = 5
    Memset = 6
    UserDefined = 7
    OperatorInner = 8
    Forward = 9
    Backward = 10
    Optimization = 11
    Communication = 12
    PythonOp = 13
    PythonUserDefined = 14
    DygraphKernelLaunch = 15
    StaticKernelLaunch = 16

    def __init__(self, number: int) -> None:
        self.category = PHASES.get(self._name_, self._name_)
        self.is_free = self._name_ in PHASES or self._name_ in FREE

    def __int__(self) -> int:
        return int(self._value_)

    __hash__: Any = object.__hash__  # without a call: events are counted by their types


def make_scheduler(
    *, closed: int, ready: int, record: int, repeat: int = 0, skip_first: int = 0
) -> Callable[[int], ProfilerState]:
    """A scheduler of cycles: `closed` steps without recording, `ready` to warm up, `record` steps
    that are recorded. repeat: how many cycles; 0: cycles without end. skip_first: steps before the
    first cycle.

    Raises AssertionError, as Paddle does, for a negative number, for no step to record, and, from
    the scheduler, for a negative step.
    """
    if closed < 0 or ready < 0 or record <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"make_scheduler(closed={closed!r}, ready={ready!r}, record={record!r}, "
            f"repeat={repeat!r}, skip_first={skip_first!r}): give 1 or more to `record`, and no "
            "negative number"
        )
    if ready == 0:
        warn(
            "no step warms up: the first step of a cycle takes longer while it fills caches; "
            "give ready=1",
            stacklevel=2,
        )
    period = closed + ready + record

    def state_of(step: int) -> ProfilerState:
        if step < 0:
            raise AssertionError(f"step {step!r} is negative: steps are counted from 0")
        if step < skip_first:
            return ProfilerState.CLOSED
        cycles, position = divmod(step - skip_first, period)
        if (repeat > 0 and cycles >= repeat) or position < closed:
            return ProfilerState.CLOSED
        if position < closed + ready:
            return ProfilerState.READY
        is_last = position >= period - 1
        return ProfilerState.RECORD_AND_RETURN if is_last else ProfilerState.RECORD

    return state_of


def always_record(step: int) -> ProfilerState:
    """The scheduler of a Profiler that is given none."""
    return ProfilerState.RECORD


def of_range(start: int, stop: int) -> Callable[[int], ProfilerState]:
    """The scheduler that records the steps from `start` to before `stop`, once. Raises
    AssertionError unless `stop` is greater than `start`."""
    if not stop > start:
        raise AssertionError(
            f"scheduler=({start!r}, {stop!r}): the second number, before which recording stops, "
            "must be greater than the first"
        )
    start = max(start, 0)
    if start == 0:
        return make_scheduler(closed=0, ready=0, record=stop, repeat=1)
    return make_scheduler(closed=start - 1, ready=1, record=stop - start, repeat=1)
