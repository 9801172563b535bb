"""Reads --steps, and makes the run that records steps. timeline_recording.py has the options."""

from __future__ import annotations

from tracer.api.schedule import Schedule, schedule, schedule_of
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tracer._core import Profiler
    from tracer.launch.step_function import StepFunction
    from tracer.launch.stepped_run import SteppedRun

NAMES = ("skip_first", "wait", "warmup", "active", "repeat", "skip_first_wait")


def schedule_in(text: str) -> Schedule:
    """The schedule in the text of --steps. Raises UsageError."""
    try:
        if "=" in text:
            return schedule(**numbers_in(text))
        first, colon, end = text.partition(":")
        if colon and is_number(first) and is_number(end):
            if int(first) >= int(end):
                raise UsageError(
                    f"--steps {text!r}: FIRST must be below END: step END is not recorded"
                )
            made = schedule_of((int(first), int(end)))
            assert isinstance(made, Schedule)
            return made
    except (ValueError, TypeError) as error:
        raise UsageError(f"--steps {text!r}: {error}") from None
    raise wrong(text)


def numbers_in(text: str) -> dict[str, int]:
    numbers: dict[str, int] = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if name not in NAMES or name in numbers or not is_number(number):
            raise wrong(text, part)
        numbers[name] = int(number)
    return numbers


def is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def wrong(text: str, part: str = "") -> UsageError:
    where = f", not {part!r}" if part and part != text else ""
    return UsageError(
        f"--steps {text!r} is no schedule: give FIRST:END, or NAME=N,... with each of the names "
        f"{', '.join(NAMES)} at most once{where}"
    )


def stepped_run(
    planned: Schedule | None, function: StepFunction, warm: Profiler
) -> Callable[..., SteppedRun]:
    """What makes the run whose steps are the calls of this function, of the arguments of
    ProfiledRun. planned: the steps to record, None for all. warm: a Profiler that is thrown
    away."""
    from tracer.api.function_steps import FunctionSteps
    from tracer.launch.stepped_run import SteppedRun

    def make(*args: Any, **more: Any) -> SteppedRun:
        run = SteppedRun(*args, **more)
        lines = None if run.lines is None else run.lines.recorder
        run.follow(FunctionSteps(planned, run.profile, warm, lines), function)
        return run

    return make
