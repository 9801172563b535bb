"""The ranges of a recording as PyTorch's profiler has them: events beside the calls, with a time of
their own, which is the functions' no more.

A moment belongs to what began last and has not ended: a call, or a range. A range takes the own
time of the functions that it begins in, for as long as it is open.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import NamedTuple

from tracer.exports.names import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tracer.data.timeline import Range, Slices, ThreadTimeline, Timeline

STEP = "step"
STEP_NAME = "ProfilerStep"
# The name and the category of what StepProfiler itself marks: the time of the loop's reader. The
# functions in which that passes have rows of their own.
READER = ("load", "load")


class Steps(NamedTuple):
    """How steps are shown. are_shown: whether they are, as in PyTorch only with a schedule. first:
    the number of the step that the recording calls 0."""

    are_shown: bool
    first: int


class Marked(NamedTuple):
    """A range. name: the key that it is summed by; full_name: that of the trace. Times are ticks.
    thread: the position of its thread. is_async: it ended in another thread, or began in a task;
    then nothing is known of what is inside of it. args: what record_function() was given."""

    name: str
    full_name: str
    start: int
    end: int
    thread: int
    node: int
    is_async: bool
    args: str | None


def marked(timeline: Timeline, steps: Steps) -> Iterator[Marked]:
    """The ranges, in the order in which they began. One that had not ended lasts until the end."""
    stop = max([timeline.last, *(tick for tick, _ in timeline.clock)])
    for one in sorted(
        timeline.ranges, key=lambda one: (one.start, -one.end if one.end >= 0 else 0)
    ):
        names = _names(one, steps)
        if names is not None:
            end = stop if one.end < 0 else one.end
            is_async = one.task != 0 or one.end_thread != one.thread
            args = dict(one.values).get("args")
            text = args if isinstance(args, str) else None
            yield Marked(*names, one.start, end, one.thread, one.node, is_async, text)


def _names(one: Range, steps: Steps) -> tuple[str, str] | None:
    name = name_in_trace(shown(one.name), one.category, dict(one.values).get("number"), steps)
    if name is None:
        return None
    return f"{STEP_NAME}*" if one.category == STEP else name, name


def name_in_trace(name: str, category: object, number: object, steps: Steps) -> str | None:
    """The name of a range in the trace; None for one that is not shown."""
    if (name, category) == READER:
        return None
    if category != STEP:
        return name
    if not steps.are_shown or not isinstance(number, int):
        return None
    return f"{STEP_NAME}#{number + steps.first}"


class Owned(NamedTuple):
    """What a range has for itself. ticks: its own time. taken: {calling context: the ticks that are
    this function's no more}. is_inner: whether a range of its name, in its thread, is around it."""

    range: Marked
    ticks: int
    taken: dict[int, int]
    is_inner: bool


def owned(
    ranges: Sequence[Marked], log: ThreadTimeline, slices: Slices, left_out: frozenset[int]
) -> Iterator[Owned]:
    """The ranges of one thread with their own times. left_out: functions that have no row."""
    functions = log.functions
    hidden = {node for node, at in enumerate(functions) if at in left_out} | {0}
    ends: dict[str, int] = defaultdict(int)
    for position, one in enumerate(ranges):
        is_inner = one.end <= ends[one.name]
        ends[one.name] = max(ends[one.name], one.end)
        if one.is_async:
            yield Owned(one, 0, {}, is_inner)
            continue
        around = enclosing(slices, one)
        covered = list(_calls_in(slices, one, around, hidden))
        for at in range(position + 1, len(ranges)):
            later = ranges[at]
            if later.start >= one.end:
                break
            if not later.is_async:
                covered.append((later.start, min(later.end, one.end)))
        free = list(_gaps(sorted(covered), one.start, one.end))
        taken: dict[int, int] = defaultdict(int)
        for start, end in free:
            for node, ticks in _takers(slices, around, start, end):
                taken[node] += ticks
        yield Owned(one, sum(end - start for start, end in free), taken, is_inner)


def enclosing(slices: Slices, one: Marked) -> int:
    """The position of the slice in which a range began; -1: none. Where several slices began at
    that moment, the calling context tells."""
    last = bisect_right(slices.starts, one.start) - 1
    at = last
    while at >= 0:
        up = at
        while up >= 0:
            if slices.nodes[up] == one.node and slices.ends[up] >= one.start:
                return up
            up = slices.parents[up]
        if slices.starts[at] < one.start:
            break
        at -= 1
    while last >= 0 and slices.ends[last] <= one.start:
        last = slices.parents[last]
    return last


def _calls_in(
    slices: Slices, one: Marked, around: int, hidden: set[int]
) -> Iterator[tuple[int, int]]:
    """The outermost calls that began in a range; hidden ones and gaps are looked through."""
    at = max(around + 1, bisect_left(slices.starts, one.start))
    while at < len(slices.starts) and slices.starts[at] < one.end:
        if slices.nodes[at] in hidden:
            at += 1
            continue
        end = slices.ends[at]
        yield slices.starts[at], min(end, one.end)
        at = max(at + 1, bisect_left(slices.starts, end, at))


def _gaps(covered: Sequence[tuple[int, int]], start: int, end: int) -> Iterator[tuple[int, int]]:
    """What of a stretch these stretches, which are sorted, leave free."""
    for first, last in covered:
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end


def _takers(slices: Slices, around: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Whose time a stretch would be without the range: (calling context, ticks)."""
    while around >= 0 and start < end:
        until = min(slices.ends[around], end)
        if until > start:
            yield slices.nodes[around], until - start
            start = until
        around = slices.parents[around]


def within_own(found: Sequence[Owned], own: Sequence[int]) -> Iterator[Owned]:
    """The same where short calls are not known: no function gives more than it has.

    own: the own ticks of each calling context. What a context gives, its ranges share.
    """
    given: dict[int, int] = defaultdict(int)
    for one in found:
        for node, ticks in one.taken.items():
            given[node] += ticks
    for one in found:
        taken = {
            node: ticks * min(own[node], given[node]) // max(1, given[node])
            for node, ticks in one.taken.items()
            if node < len(own)
        }
        yield one._replace(ticks=sum(taken.values()), taken=taken)
