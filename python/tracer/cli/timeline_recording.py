"""The options that record a timeline, also of steps. timeline_options.py has those that print of
one, step_recording.py reads the values of those of steps."""

from __future__ import annotations

from tracer.cli.options import Option
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracer.api.schedule import Schedule
    from tracer.cli.commands.run import RunOptions
    from tracer.launch.output import ProfileFile
    from tracer.launch.step_function import StepFunction
    from tracer.launch.timeline_file import TimelineFile


def budget(text: str) -> int:
    """The bytes of --timeline=SIZE; without SIZE, the usual budget."""
    from tracer.recording.budget import USUAL, budget_of

    if not text:
        return USUAL
    try:
        return budget_of(text)
    except ValueError as error:
        raise UsageError(f"--timeline: {error}") from None


def schedule(text: str) -> Schedule:
    """The schedule of --steps."""
    from tracer.cli.step_recording import schedule_in

    return schedule_in(text)


def step_function(text: str) -> StepFunction:
    """The function of --step-function."""
    from tracer.launch.step_function import StepFunction

    return StepFunction(text)


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
    Option(
        "--steps",
        value="SCHEDULE",
        read=schedule,
        meaning="with --step-function: record only these steps, with a timeline; SCHEDULE is "
        "FIRST:END, or some of skip_first=N, wait=N, warmup=N, active=N, repeat=N, with commas "
        "between",
    ),
    Option(
        "--step-function",
        value="NAME",
        read=step_function,
        meaning="each call of this function ends a step: MODULE.FUNCTION, MODULE.CLASS.METHOD, or "
        "FUNCTION of the program's own file; without --steps: record all steps",
    ),
)


def timeline_of(options: RunOptions) -> dict[str, Any]:
    """What a Profiler is told of the timeline."""
    steps = options.step_function is not None
    if options.timeline is None and not (options.timeline_last or steps):
        return {}
    size = budget("") if options.timeline is None else options.timeline
    return {"timeline": size, "timeline_ring": options.timeline_last}


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
    timeline = timeline_of(options)
    if timeline and options.timer == "cpu":
        flags = ("timeline", "timeline_last", "step_function")
        name = next(name for name in flags if options.has(name))
        flag = f"--{name.replace('_', '-')}"
        raise UsageError(
            f"{flag} needs one clock for all threads, and --timer cpu has one for each thread; "
            "leave one of them out"
        )
    if timeline:
        need_memory(timeline["timeline"])


def need_memory(size: int) -> None:
    """Raise UsageError where the system does not give so many bytes. It is asked for zeros, and
    none is written."""
    try:
        bytes(size)
    except MemoryError:
        raise UsageError(
            f"there is no memory for a timeline of {size >> 20} MiB; give a smaller --timeline=SIZE"
        ) from None
