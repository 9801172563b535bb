"""Lanes: the intervals beside the calls of a timeline, sorted so that those in one lane nest.

Ranges and collections of a thread belong to its Track. Tasks and greenlets have lanes of their own:
when they ran, and in which thread.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.exports.names import shown
from tracer.exports.tracks import Interval, Lane

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tracer.data.timeline import Timeline
    from tracer.exports.tracks import Process, Track

RUNNING = "running"
TASK, STACK = 1, 2  # the low bits of a tag


def lanes_of(timeline: Timeline, process: Process, found: Mapping[int, Track]) -> None:
    """Give the process and its tracks the lanes of a timeline. found: the tracks that are drawn, by
    the positions of their threads."""
    stop = max([timeline.last, *(tick for tick, _ in timeline.clock)])
    of_tasks = ranges_of(timeline, process, found, stop)
    add_collections(timeline, process, found)
    ran = stretches(process, found)
    for number, position, _, start, end, name in timeline.tasks:
        if position not in found:
            continue
        lane = shown(name) if name else f"task {number}"
        own = interval(process, start, end, stop, lane, "task")
        stints = ran[TASK, number]
        if own is not None:
            add_lanes(process.tasks, lane, "task", [own, *stints])
        if of_tasks[number]:
            add_lanes(process.tasks, f"{lane}: ranges", "ranges", of_tasks[number])
    for number, position, name in timeline.stacks:
        if position in found and ran[STACK, number]:
            lane = shown(name) if name else f"greenlet {number}"
            add_lanes(process.tasks, lane, "greenlet", ran[STACK, number])


def interval(
    process: Process,
    start: int,
    end: int,
    stop: int,
    name: str,
    kind: str,
    values: tuple[tuple[str, Any], ...] = (),
) -> Interval | None:
    """An interval of these ticks; None outside of what is exported. end: -1: it had not ended, and
    lasts until `stop`."""
    times = process.times
    until = stop if end == -1 else max(end, start)
    if start > times.last or until < times.first:
        return None
    return Interval(times.ns(start), times.ns(until), name, kind, values, end != -1)


def ranges_of(
    timeline: Timeline, process: Process, found: Mapping[int, Track], stop: int
) -> dict[int, list[Interval]]:
    """Give the tracks their ranges. Returns those of tasks, by the task's number."""
    own: dict[int, list[Interval]] = defaultdict(list)
    of_tasks: dict[int, list[Interval]] = defaultdict(list)
    for position, _, start, end, name, category, values, task, _ in timeline.ranges:
        known = (("category", category), *values) if category else tuple(values)
        one = interval(process, start, end, stop, shown(name), "range", known)
        if position in found and one is not None:
            (of_tasks[task] if task else own[position]).append(one)
    known_tasks = {number for number, *_ in timeline.tasks}
    for position, intervals in own.items():
        add_lanes(found[position].lanes, "ranges", "ranges", intervals)
    for task in of_tasks.keys() - known_tasks:  # no room was left to note the task
        add_lanes(process.tasks, f"task {task}: ranges", "ranges", of_tasks[task])
    return of_tasks


def add_collections(timeline: Timeline, process: Process, found: Mapping[int, Track]) -> None:
    of_threads = defaultdict(list)
    for position, start, end, generation, collected, uncollectable in timeline.collections:
        values = [("generation", generation), ("collected", collected)]
        values += [("uncollectable", uncollectable)] if uncollectable else []
        one = interval(process, start, end, end, "garbage collection", "collection", (*values,))
        if position in found and one is not None:
            of_threads[position].append(one)
    for position, intervals in of_threads.items():
        add_lanes(found[position].lanes, "garbage collections", "collections", intervals)


def stretches(
    process: Process, found: Mapping[int, Track]
) -> dict[tuple[int, int], list[Interval]]:
    """When each task and each greenlet ran: by TASK or STACK and the number."""
    ran = defaultdict(list)
    for track in found.values():
        slices, where = track.slices, (("thread", track.name),)
        for position, tag in enumerate(slices.tags):
            if tag:
                start, end = slices.starts[position], slices.ends[position]
                one = interval(process, start, end, end, RUNNING, RUNNING, where)
                if one is not None:
                    ran[tag & 3, tag >> 2].append(one)
    return ran


def add_lanes(lanes: list[Lane], name: str, kind: str, intervals: list[Interval]) -> None:
    lanes += [Lane(name, kind, those) for those in nested(intervals)]


def nested(intervals: Iterable[Interval]) -> list[list[Interval]]:
    """The intervals in as many lists as it takes until they nest in each: an interval that begins
    inside of another ends there, too."""
    lists: list[tuple[list[Interval], list[int]]] = []  # and the ends of those that are open
    for one in sorted(intervals, key=lambda it: (it.start, -it.end)):
        known, ends = next((it for it in lists if has_room(it[1], one)), ([], []))
        if not known:
            lists.append((known, ends))
        known.append(one)
        ends.append(one.end)
    return [known for known, _ in lists]


def has_room(ends: list[int], one: Interval) -> bool:
    """Whether an interval nests in those that end then. Forgets those that have ended."""
    while ends and ends[-1] <= one.start:
        ends.pop()
    return not ends or ends[-1] >= one.end
