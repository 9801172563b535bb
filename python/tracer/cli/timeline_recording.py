"""What a run with a timeline, also of steps, needs: the check of its options, and its file.
step_recording.py makes the run that records steps."""

from __future__ import annotations

from tracer.cli.options.run import budget
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracer.cli.options.run import RunOptions
    from tracer.launch.output import ProfileFile
    from tracer.launch.timeline_file import TimelineFile


def timeline_of(options: RunOptions) -> dict[str, Any]:
    """What a Profiler is told of the timeline that these options ask for."""
    size = budget("") if options.timeline is None else options.timeline
    return {"timeline": size, "timeline_ring": options.timeline_last}


def timeline_for(
    options: RunOptions, file: ProfileFile | None
) -> tuple[dict[str, Any], TimelineFile | None]:
    """What a Profiler is told of the timeline, and the file in which the timeline is written."""
    from tracer.recording.timeline_api import load_timeline_api

    load_timeline_api()
    timeline = timeline_of(options)
    if file is None or not file.is_replaced:
        return timeline, None
    made = file_for(file, timeline["timeline"])
    timeline["timeline_file"] = -1 if made is None else made.number
    return timeline, made


def file_for(file: ProfileFile, size: int) -> TimelineFile | None:
    """The file beside FILE in which the timeline is written, so that a killed run leaves it; None
    where that cannot be."""
    from tracer.launch.output import say
    from tracer.launch.timeline_file import made_for

    made = made_for(file.path, size)
    if isinstance(made, str):
        say(f"no room beside {file.name!r} for the timeline ({made}): a killed run will have none")
        return None
    return made


def check_recording(options: RunOptions) -> None:
    """Raise UsageError for a timeline, or steps, that cannot be recorded."""
    if options.steps is not None and options.step_function is None:
        raise UsageError(
            "--steps needs the function whose calls are the steps: give --step-function NAME, too"
        )
    if options.asks_for_timeline and options.timer == "cpu":
        flag = options.first_given(("timeline", "timeline_last", "step_function"))
        raise UsageError(
            f"{flag} needs one clock for all threads, and --timer cpu has one for each thread; "
            "leave one of them out"
        )
    if options.asks_for_timeline:
        need_memory(timeline_of(options)["timeline"])


def need_memory(size: int) -> None:
    """Raise UsageError where the system does not give so many bytes. It is asked for zeros, and
    none is written."""
    try:
        bytes(size)
    except MemoryError:
        raise UsageError(
            f"there is no memory for a timeline of {size >> 20} MiB; give a smaller --timeline=SIZE"
        ) from None
