"""PyTorch's words for what a profiler does and what it records: enumerations, and what each means
here. What tracer has nothing of is said once, in one line.
"""

from __future__ import annotations

from enum import Enum

from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    # Of a key that is given no value here, PyTorch knows finer parts: they are not looked at.
    Activities = Iterable["ProfilerActivity | dict[ProfilerActivity, object]"]


class ProfilerAction(Enum):
    """What is done with a step. DEVICE_STOPPED, of a GPU that stopped, never comes up here."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


class ProfilerActivity(Enum):
    """What is recorded. tracer records what runs on the CPU."""

    CPU = 0
    XPU = 1
    CUDA = 2
    HPU = 3
    MTIA = 4
    PrivateUse1 = 5


class DeviceType(Enum):
    """Where an event ran: here, always on the CPU."""

    CPU = 0
    CUDA = 1
    XPU = 12


def supported_activities() -> set[ProfilerActivity]:
    """What profile() can record: ProfilerActivity.CPU."""
    return {ProfilerActivity.CPU}


def activities_of(given: Activities | None) -> set[ProfilerActivity]:
    """The activities that profile(activities=...) names, each alone or as a key of a dict. Those of
    PyTorch itself are taken, too. Raises ValueError for none and for one that is named twice,
    TypeError for what is no activity."""
    if given is None:
        return supported_activities()
    found: set[ProfilerActivity] = set()
    for item in given:
        for one in item if isinstance(item, dict) else (item,):
            activity = _activity(one)
            if activity in found:
                raise ValueError(f"activities: {activity.name} is named twice; name it once")
            found.add(activity)
    if not found:
        raise ValueError("activities: none is named; give [ProfilerActivity.CPU], or leave it out")
    return found


def _activity(given: object) -> ProfilerActivity:
    if isinstance(given, ProfilerActivity):
        return given
    try:
        return ProfilerActivity[getattr(given, "name", "")]
    except KeyError:
        raise TypeError(
            f"activities: {given!r} is no ProfilerActivity; give some of ProfilerActivity.CPU and "
            "its like in a list"
        ) from None


_said: set[str] = set()


def say_once(message: str) -> None:
    """Print one line on standard error, the first time that this process is told it."""
    if message not in _said:
        _said.add(message)
        say(message)


def say_what_is_missing(activities: set[ProfilerActivity], asked: Iterable[str]) -> None:
    """Say which of these activities and options tracer has nothing of."""
    devices = sorted(activities - supported_activities(), key=lambda one: one.value)
    if devices:
        names = ", ".join(f"ProfilerActivity.{one.name}" for one in devices)
        say_once(f"{names}: tracer records no GPU; what runs on the CPU is recorded")
    options = ", ".join(asked)
    if options:
        say_once(
            f"{options}: tracer does not look into PyTorch's operators; calls and times are "
            "recorded without"
        )
