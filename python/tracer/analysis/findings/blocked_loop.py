"""What a function that takes much of a run does to the event loop, as an aside of its finding."""

from __future__ import annotations

from tracer.analysis.outline.finding import NANOSECONDS, share, short
from tracer.analysis.outline.loop_steps import Steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline

PART = 0.2  # of the run: what took less in an event loop is not told of that
LONG = 10_000_000  # ns: a step that is as long, in the mean, blocks the loop
BUSY = 0.9  # of its time: a loop that is not idle for so much is told to be busy
NEVER_IDLE = 0.99
LET_OTHERS = (
    "Meanwhile no other coroutine went on. Await in between, or let a thread do it: "
    "asyncio.to_thread()."
)


def steps_in_loop(outline: Outline, row: int) -> Steps | None:
    """The steps of an event loop in which a function takes much of the run, if it does."""
    steps = outline.loop_steps.by_function.get(row)
    return None if steps is None or steps.time < PART * outline.length else steps


def blocks_loop(outline: Outline, row: int) -> bool:
    """Whether a function keeps an event loop from turning, again and again or for long."""
    steps = steps_in_loop(outline, row)
    return steps is not None and steps.time >= LONG * steps.number


def told_of_loop(outline: Outline, row: int, calls: int, is_one: bool) -> str:
    """What is told of the loop after what a function took. calls: how often it was called. is_one:
    that a single call took most. The line has told both."""
    steps = steps_in_loop(outline, row)
    if steps is None:
        return ""
    figures = outline.paths.figures[row]
    at = f"{figures.longest_at / NANOSECONDS:.2f} s after the start"
    if is_one and LONG <= figures.longest <= steps.time:
        return f", which blocks the event loop, {at}"
    if blocks_loop(outline, row):
        each = short(steps.time / steps.number)
        if steps.number == 1:
            return f"; blocks the event loop for {each}, {at}"
        if steps.number == calls:
            return f"; blocks the event loop {each} each time"
        return f"; blocks the event loop about {steps.number:,} times, {each} each"
    busy = outline.loop_steps.busy
    if busy < BUSY:
        return ""
    if busy >= NEVER_IDLE:
        return "; the event loop is never idle"
    return f"; the event loop is busy {share(busy, 1)} of the time"
