"""Timelines: when each call of a profile ran, in which thread and task.

capture.py makes a Timeline of what a profile recorded with `timeline`. The core reads the slices
and bins of a thread (ext/core/report/slices.c); docs/reference/file-format.md describes them.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from tracer._core import ProfileFormatError, read_slices, sum_bins
from tracer.data.records import NODE, OVERFLOW
from tracer.data.section import ZLIB
from tracer.data.types import ThreadLog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The latest tick there is.
FOREVER = 2**63 - 1
# What a slice's tag says of it, in the lowest two bits; the others are a number.
OF_TASK, OF_STACK = 1, 2

Value: TypeAlias = bool | int | float | str | None
Values: TypeAlias = tuple[tuple[str, Value], ...]


class Task(NamedTuple):
    """An activation of an outermost coroutine. node: its calling context in the thread where it
    began. end: -1 where it had not ended, or where that is not known."""

    number: int
    thread: int
    node: int
    start: int
    end: int
    name: str | None


class Stack(NamedTuple):
    """The stack of a greenlet."""

    number: int
    thread: int
    name: str | None


class Range(NamedTuple):
    """A range of the program's own. node: the calling context in which it began; 0: none. end: -1
    where it was never left. task: the number of the task in which it began, or 0."""

    thread: int
    node: int
    start: int
    end: int
    name: str
    category: str | None
    values: Values
    task: int
    end_thread: int


class Mark(NamedTuple):
    thread: int
    node: int
    tick: int
    name: str
    values: Values


class Counter(NamedTuple):
    thread: int
    tick: int
    name: str
    value: int | float


class Flow(NamedTuple):
    name: str
    thread: int
    tick: int
    to_thread: int
    to_tick: int


class Collection(NamedTuple):
    """A run of the garbage collector; its counts are of objects."""

    thread: int
    start: int
    end: int
    generation: int
    collected: int
    uncollectable: int


class Fork(NamedTuple):
    """what: "fork" or "exec"; pid: of the child, or -1."""

    thread: int
    tick: int
    what: str
    pid: int


class Slices(NamedTuple):
    """Stretches of calls, callers before callees, by time: an item each.

    starts, ends: ticks. nodes: numbers of calling contexts; 0 for a gap, in which the thread had no
    CPU for `values` ticks. depths: how many slices are around it; parents: the position of the
    innermost one, or -1. tags: 0, or a number << 2 | OF_TASK or OF_STACK. values: of a call, 1 if
    it had not ended.
    """

    starts: memoryview
    ends: memoryview
    nodes: memoryview
    depths: memoryview
    parents: memoryview
    tags: memoryview
    values: memoryview


def _node_functions(nodes: bytes, overflow: bytes, numbers: bytes) -> array[int]:
    """The function of each calling context by its number; NO_ROW for the root."""
    by_position = memoryview(nodes).cast("I")[1 :: NODE.size // 4]
    overflowed = memoryview(overflow).cast("I")[1 :: OVERFLOW.size // 4]
    if not numbers:
        return array("I", by_position)
    functions, position = array("I"), 0
    for k, number in enumerate(memoryview(numbers).cast("I")):
        kept = number - len(functions)
        functions.extend(by_position[position : position + kept])
        functions.append(overflowed[k])
        position += kept
    functions.extend(by_position[position:])
    return functions


class ThreadTimeline:
    """The timeline of one thread. began, ended: ticks of its first and last event."""

    def __init__(self, records: dict[str, bytes], log: ThreadLog, packing: str, unit: int) -> None:
        self._records = records
        self._log = log
        self._packing = packing
        self._unit = unit
        self._unpacked: dict[str, bytes] = {}
        self._functions: array[int] | None = None
        self.began: int = log.began
        self.ended: int = log.ended
        self.is_over: bool = log.is_over

    def _bytes(self, name: str) -> bytes:
        data: bytes = getattr(self._log, name)
        if self._packing != ZLIB:
            return data
        if name not in self._unpacked:
            import zlib

            try:
                self._unpacked[name] = zlib.decompress(data)
            except zlib.error:
                raise _damaged() from None
        return self._unpacked[name]

    @property
    def slices(self) -> bytes:
        """The log, as docs/reference/file-format.md describes it, unpacked."""
        return self._bytes("slices")

    @property
    def bins(self) -> bytes:
        """The bins, unpacked."""
        return self._bytes("bins")

    @property
    def functions(self) -> array[int]:
        """By the number of a calling context: its function's position among those of the capture.
        NO_ROW for the root."""
        if self._functions is None:
            nodes, overflow = self._records["nodes"], self._records["folds"]
            self._functions = _node_functions(nodes, overflow, self._log.folded)
        return self._functions

    def chain(self, node: int) -> Iterator[int]:
        """The functions of a calling context, innermost first. Of a context that stands for many
        paths, only its own."""
        overflow = memoryview(self._log.folded).cast("I")
        if node in overflow:
            yield self.functions[node]
            return
        parents = memoryview(self._records["nodes"]).cast("I")[:: NODE.size // 4]
        functions = memoryview(self._records["nodes"]).cast("I")[1 :: NODE.size // 4]
        position = node - sum(number < node for number in overflow)
        while position:
            yield functions[position]
            position = parents[position]

    def read(self, first: int = 0, last: int = FOREVER, least: int = 0) -> Slices:
        """The slices that overlap the ticks from first to last, and took `least` ticks or more."""
        nodes, overflow = self._records["nodes"], self._log.folded
        try:
            columns = read_slices(self.slices, nodes, overflow, first, last, least)
        except ValueError:
            raise _damaged() from None
        starts, ends, numbers, depths, parents, tags, values = columns
        return Slices(
            memoryview(starts).cast("q"),
            memoryview(ends).cast("q"),
            memoryview(numbers).cast("I"),
            memoryview(depths).cast("I"),
            memoryview(parents).cast("i"),
            memoryview(tags).cast("I"),
            memoryview(values).cast("q"),
        )

    def sums(
        self, first: int = 0, last: int = FOREVER, *, whole: bool = False
    ) -> Iterator[tuple[int, int, int]]:
        """(calling context, calls, ticks of own time) of each that had some, in the ticks from
        first to last, also of calls that are no slices. Each bin is exact; one that lies there in
        part counts in proportion. whole: bins that lie there in part count as a whole."""
        data = (self.bins, self._records["nodes"], self._log.folded)
        times = (self._unit, self.began, self.ended, first, min(last + 1, FOREVER))
        try:
            columns = sum_bins(*data, *times, whole)
        except ValueError:
            raise _damaged() from None
        nodes, calls, own = columns
        views = memoryview(nodes).cast("I"), memoryview(calls).cast("q"), memoryview(own).cast("q")
        return zip(*views, strict=True)


def _damaged() -> ProfileFormatError:
    return ProfileFormatError("its timeline is damaged", remedy="make the profile again")


@dataclass(frozen=True)
class Timeline:
    """The timeline of a capture. All moments are ticks since recording began.

    least: the slices are those of at least so many ticks, all of them. since: the tick from which
    on they are complete; not 0 only where the oldest were overwritten. lost: slices for which there
    was no room. clock: (tick, CLOCK_MONOTONIC in ns), first and last. epoch: time.time() of the
    first. unit: ticks of the narrowest bin. dropped: {list: entries for which there was no room}.
    kept_in: the file that has the slices of a killed run, which is not beside this one; else "".
    """

    seconds_per_tick: float
    least: int
    since: int
    lost: int
    budget: int
    is_ring: bool
    clock: tuple[tuple[int, int], ...]
    epoch: float
    pid: int
    unit: int
    threads: tuple[ThreadTimeline, ...]
    tasks: tuple[Task, ...]
    stacks: tuple[Stack, ...]
    ranges: tuple[Range, ...]
    marks: tuple[Mark, ...]
    counters: tuple[Counter, ...]
    flows: tuple[Flow, ...]
    collections: tuple[Collection, ...]
    forks: tuple[Fork, ...]
    dropped: dict[str, int]
    kept_in: str = ""

    @property
    def first(self) -> int:
        """The tick of the first event of any thread."""
        return min((thread.began for thread in self.threads), default=0)

    @property
    def last(self) -> int:
        """The tick of the last."""
        return max((thread.ended for thread in self.threads), default=0)


def timeline_of(
    data: dict[str, Any],
    threads: list[tuple[dict[str, bytes], ThreadLog]],
    seconds_per_tick: float,
) -> Timeline:
    """data: the `timeline` of a section. threads: the records and the log of each thread."""
    packing, unit = data["packing"], data["unit"]
    return Timeline(
        seconds_per_tick,
        data["least"],
        data["since"],
        data["lost"],
        data["budget"],
        data["ring"],
        data["clock"],
        data["epoch"],
        data["pid"],
        unit,
        tuple(ThreadTimeline(records, log, packing, unit) for records, log in threads),
        tuple(map(Task._make, data["tasks"])),
        tuple(map(Stack._make, data["stacks"])),
        tuple(map(Range._make, data["ranges"])),
        tuple(map(Mark._make, data["marks"])),
        tuple(map(Counter._make, data["counters"])),
        tuple(map(Flow._make, data["flows"])),
        tuple(map(Collection._make, data["collections"])),
        tuple(map(Fork._make, data["forks"])),
        data["dropped"],
        data.get("kept_in", ""),
    )


# Where the entries of each list name a thread.
THREADS_IN: dict[str, tuple[int, ...]] = {
    "tasks": (1,),
    "stacks": (1,),
    "ranges": (0, 8),
    "marks": (0,),
    "counters": (0,),
    "flows": (1, 3),
    "collections": (0,),
    "forks": (0,),
}


def of_threads(data: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    """The `timeline` of a section with these threads alone. What begins in one and ends in
    another that is not kept is left out."""
    new = {old: position for position, old in enumerate(kept)}

    def moved(row: tuple[Any, ...], places: tuple[int, ...]) -> tuple[Any, ...]:
        return tuple(new[it] if place in places else it for place, it in enumerate(row))

    lists = {
        name: tuple(
            moved(row, places) for row in data[name] if all(row[place] in new for place in places)
        )
        for name, places in THREADS_IN.items()
    }
    return {**data, **lists}
