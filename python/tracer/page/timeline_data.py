"""What the page shows of timelines: the log and the bins of each thread as they were recorded, the
calling contexts that these name, and everything else that has a time.

Moments are ticks; the page makes nanoseconds of them. Numbers that JSON or JavaScript cannot hold
become text.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer._core import ProfileFormatError
from tracer.analysis.tree.call_tree import Row
from tracer.data.records import NO_ROW, NODE, OVERFLOW
from tracer.page.memory_data import counters_of, curve_of

if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.capture import Capture
    from tracer.data.part import Part
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import Timeline
    from tracer.data.types import Thread
    from tracer.page.container import Block, Blocks

LARGEST = 2**53  # from here on JavaScript's numbers are not exact


class Line(NamedTuple):
    """The timeline of a thread. thread: its position among the page's. parents, rows: of each
    calling context, its caller's number and its function's row, NO_ROW for none. overflow: the
    contexts that stand for many paths. resumed: those of generators and coroutines that were
    resumed, so that not each of their slices is a call."""

    thread: int
    slices: bytes
    bins: bytes
    parents: array[int]
    rows: array[int]
    overflow: array[int]
    resumed: array[int]
    began: int
    ended: int
    is_over: bool


class Process(NamedTuple):
    """The timeline of a capture. facts: what the page's JSON has of it, but the threads."""

    facts: dict[str, Any]
    lines: list[Line]


def timelines_of(stats: ProfileSet, paths: Paths, names: str = "qualname") -> list[Process]:
    """The timelines of a Stats, one for each capture that has one. paths, names: as the page has
    them."""
    if not any(part.capture.timeline_data for part in stats.parts):
        return []
    rows = {row: position for position, row in enumerate(paths.rows)}
    found, before = [], 0
    for part in stats.parts:
        timeline = part.capture.timeline
        if timeline is not None:
            found.append(_process(part, timeline, rows, names, before))
        before += len(part.threads)
    return found


def packed(process: Process, blocks: Blocks) -> dict[str, Any]:
    """A timeline as the page's JSON has it."""
    return {**process.facts, "threads": [_packed_line(line, blocks) for line in process.lines]}


def _packed_line(line: Line, blocks: Blocks) -> dict[str, Block | int | bool]:
    return {
        "thread": line.thread,
        "slices": blocks.add(array("B", line.slices)),
        "bins": blocks.add(array("B", line.bins)),
        "parent": blocks.add(line.parents),
        "row": blocks.add(line.rows),
        "overflow": blocks.add(line.overflow),
        "resumed": blocks.add(line.resumed),
        "began": line.began,
        "ended": line.ended,
        "over": line.is_over,
    }


def _process(
    part: Part, timeline: Timeline, rows: dict[Row, int], names: str, before: int
) -> Process:
    capture = part.capture
    numbers = _numbers_of(part, rows, names)
    places: dict[int, int] = {}  # of the capture's threads, those that are shown
    lines: list[Line] = []
    for position, thread in enumerate(part.threads):
        place = next(at for at, other in enumerate(capture.threads) if other is thread)
        places[place] = len(lines)
        recorded = timeline.threads[place]
        lines.append(
            Line(
                before + position,
                recorded.slices,
                recorded.bins,
                *_contexts(thread, numbers),
                recorded.began,
                recorded.ended,
                recorded.is_over,
            )
        )
    return Process(_facts(capture, timeline, places), lines)


def _numbers_of(part: Part, rows: dict[Row, int], names: str) -> array[int]:
    """The row of each function of a capture; NO_ROW for what is left out."""
    capture = part.capture
    numbers = (
        NO_ROW if number in capture.left_out else rows[Row(*function.label(names, part.stripped))]
        for number, function in enumerate(capture.functions)
    )
    return array("I", numbers)


def _contexts(
    thread: Thread, numbers: array[int]
) -> tuple[array[int], array[int], array[int], array[int]]:
    """The calling contexts of a thread, as a Line has them: parents, rows, overflow, resumed."""
    assert thread.log is not None
    nodes, records = thread.records["nodes"], thread.records["folds"]
    overflow = array("I")
    overflow.frombytes(thread.log.folded)
    count = len(nodes) // NODE.size + len(overflow)
    skipped = set(overflow)
    if len(skipped) != len(overflow) or not all(0 < number < count for number in overflow):
        raise ProfileFormatError("its timeline is damaged", remedy="make the profile again")
    kept: Sequence[int] = range(count)
    if overflow:
        kept = [number for number in kept if number not in skipped]
    parents, rows, resumed = array("I", bytes(4 * count)), array("I", [NO_ROW]) * count, array("I")
    for number, (parent, function, _, resumes, *_) in zip(
        kept, NODE.iter_unpack(nodes), strict=True
    ):
        if number:
            parents[number], rows[number] = kept[parent], numbers[function]
        if resumes:
            resumed.append(number)
    for number, (_, callee, _, resumes, *_) in zip(
        overflow, OVERFLOW.iter_unpack(records), strict=False
    ):
        rows[number] = numbers[callee]
        if resumes:
            resumed.append(number)
    return parents, rows, overflow, resumed


def _facts(capture: Capture, timeline: Timeline, places: dict[int, int]) -> dict[str, Any]:
    run = capture.run
    return {
        "name": "" if run is None else " ".join(run.command),
        "pid": timeline.pid,
        "tick": timeline.seconds_per_tick * 1e9,
        "unit": timeline.unit,
        "least": timeline.least,
        "since": timeline.since,
        "lost": timeline.lost,
        "ring": timeline.is_ring,
        "clock": timeline.clock[:1],
        "dropped": timeline.dropped,
        "tasks": _columns(
            ("number", "thread", "node", "start", "end", "name"), timeline.tasks, places
        ),
        "stacks": _columns(("number", "thread", "name"), timeline.stacks, places),
        "ranges": _columns(
            ("thread", "node", "start", "end", "name", "category", "values", "task", "until"),
            timeline.ranges,
            places,
        ),
        "marks": _columns(("thread", "node", "at", "name", "values"), timeline.marks, places),
        "counters": _columns(
            ("thread", "at", "name", "value"),
            [*timeline.counters, *_memory_counters(capture, timeline)],
            places,
        ),
        "flows": _columns(("name", "thread", "start", "to", "end"), timeline.flows, places),
        "collections": _columns(
            ("thread", "start", "end", "generation", "collected", "uncollectable"),
            timeline.collections,
            places,
        ),
        "forks": _columns(("thread", "at", "what", "pid"), timeline.forks, places),
    }


def _memory_counters(capture: Capture, timeline: Timeline) -> list[tuple[int, int, str, float]]:
    """The curve of memory, as counters of the first thread."""
    curve = curve_of(capture)
    if curve is None or not timeline.clock:
        return []
    tick = timeline.seconds_per_tick * 1e9
    return [(0, *counter) for counter in counters_of(curve, timeline.clock[0], tick)]


def _columns(
    names: Sequence[str], entries: Iterable[tuple[Any, ...]], places: dict[int, int]
) -> dict[str, list[Any]]:
    """A list by columns, without the entries of threads that are not shown."""
    columns: dict[str, list[Any]] = {name: [] for name in names}
    at = names.index("thread")
    for entry in entries:
        if entry[at] in places:
            for name, value in zip(names, entry, strict=True):
                columns[name].append(_shown(name, value, places))
    return columns


def _shown(name: str, value: Any, places: dict[int, int]) -> Any:
    if name == "values":
        return [[key, _plain(it)] for key, it in value]
    if name in ("thread", "to", "until"):
        return places.get(value, -1)
    if name == "value":
        return value if math.isfinite(value) else None
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= LARGEST:
        return str(value)
    return value
