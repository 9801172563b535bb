"""The options that record a timeline. timeline_options.py has those that print of one."""

from __future__ import annotations

from tracer.cli.options import Option
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def budget(text: str) -> int:
    """The bytes of --timeline=SIZE; without SIZE, the usual budget."""
    from tracer.recording.budget import USUAL, budget_of

    if not text:
        return USUAL
    try:
        return budget_of(text)
    except ValueError as error:
        raise UsageError(f"--timeline: {error}") from None


RECORDING = (
    Option(
        "--timeline",
        value="SIZE",
        read=budget,
        optional=True,
        meaning="also record when each call ran, in SIZE of memory (default: 64MiB); when that is "
        "full, the shortest calls are no longer kept, but stay in all sums",
    ),
    Option(
        "--timeline-last",
        meaning="the same, but when the memory is full, the oldest calls are no longer kept",
    ),
)


def timeline_of(values: dict[str, Any]) -> dict[str, Any]:
    """What a Profiler is told of the timeline."""
    if values["timeline"] is None and not values["timeline_last"]:
        return {}
    size = budget("") if values["timeline"] is None else values["timeline"]
    return {"timeline": size, "timeline_ring": values["timeline_last"]}


def check_recording(values: dict[str, Any]) -> None:
    """Raise UsageError for a timeline that cannot be recorded."""
    if timeline_of(values) and values["timer"] == "cpu":
        flag = "--timeline" if values["timeline"] is not None else "--timeline-last"
        raise UsageError(
            f"{flag} needs one clock for all threads, and --timer cpu has one for each thread; "
            "leave one of them out"
        )
