"""mprof: memory over time, in the text that `mprof plot` and `mprof peak` of memory_profiler read.

The process has the resident memory; a child by the name "live" is the memory that was allocated and
not freed. Where there is a timeline, the longest calls of the program's own functions are marked.
Times are seconds since the epoch.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from typing import NamedTuple

from tracer.analysis.tree.call_tree import Paths
from tracer.data.records import NO_ROW
from tracer.exports.format import Format, Options
from tracer.exports.names import unique_names
from tracer.exports.timelines import tracks_of
from tracer.exports.times import Window
from tracer.source.file_kinds import OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Track, Tracks

FORMAT = Format(
    opened_by="mprof plot, mprof peak",
    holds="memory over time, and with a timeline the longest calls",
    suffix=".dat",
    mark=b"\nCHLD live ",
    needs="memory",
)

MIB = 1024.0**2
SECOND = 1e9
SPANS = 100  # calls, the longest: mprof draws, and names, each


class Sample(NamedTuple):
    """at: seconds since the epoch. resident: the most in real memory then; 0: the system does not
    tell. live: the most bytes that were allocated, and not freed."""

    at: float
    resident: int
    live: int

    @property
    def used(self) -> int:
        """What mprof is told: the resident memory, or what is known in its place."""
        return self.resident or self.live


class Call(NamedTuple):
    """thread: the number of its track. start, end: nanoseconds. row: of the function."""

    thread: int
    start: int
    end: int
    row: int


class Span(NamedTuple):
    """A call that is marked. start, end: seconds since the epoch. level: how many of those that are
    marked are around it."""

    name: str
    start: float
    end: float
    level: int


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    out.write(f"CMDLINE {options.title}\n".encode(errors="backslashreplace"))
    samples = sorted(one for capture in stats.captures for one in samples_of(capture))
    moments = [sample.at for sample in samples]

    def mib_at(moment: float) -> float:
        place = bisect_right(moments, moment) - 1
        return samples[max(place, 0)].used / MIB if samples else 0.0

    for sample in samples:
        out.write(f"MEM {sample.used / MIB:.6f} {sample.at:.4f}\n".encode())
        out.write(f"CHLD live {sample.live / MIB:.6f} {sample.at:.4f}\n".encode())
    for name, start, end, level in spans_of(stats):
        figures = f"{mib_at(start):.4f} {start:.4f} {mib_at(end):.4f} {end:.4f} {level}"
        out.write(f"FUNC {name} {figures}\n".encode(errors="backslashreplace"))


def samples_of(capture: Capture) -> Iterator[Sample]:
    memory = capture.memory
    if memory is not None:
        epoch = epoch_of(capture, memory.began)
        for point in memory.curve():
            yield Sample(epoch + point.at, point.resident, point.most)


def epoch_of(capture: Capture, began: int) -> float:
    """Seconds since the epoch when recording of memory began, at this moment of CLOCK_MONOTONIC."""
    timeline = capture.timeline
    if timeline is not None and timeline.clock:
        _, monotonic = timeline.clock[0]
        return timeline.epoch + (began - monotonic) / SECOND
    if capture.run is not None:
        return capture.run.started
    return time.time() - time.monotonic() + began / SECOND


def spans_of(stats: ProfileSet) -> list[Span]:
    """The longest calls of the program's own functions, in order of their start."""
    if all(capture.timeline is None for capture in stats.captures):
        return []
    tracks = tracks_of(stats, Window())
    # mprof takes a blank for the end of a name.
    names = ["_".join(name.split()) for name in unique_names(Paths(tracks.rows, ()))]
    found = sorted(
        (one for number, track in enumerate(tracks) for one in calls_of(track, number, tracks)),
        key=lambda call: (call.start - call.end, call),
    )
    return [
        Span(
            names[call.row],
            tracks.epoch + call.start / SECOND,
            tracks.epoch + call.end / SECOND,
            level,
        )
        for call, level in leveled(found[:SPANS])
    ]


def calls_of(track: Track, number: int, tracks: Tracks) -> Iterator[Call]:
    """The calls of a thread that are of the program's own functions."""
    times, slices = track.process.times, track.slices
    for start, end, node in zip(slices.starts, slices.ends, slices.nodes, strict=True):
        row = track.rows[node]
        if row != NO_ROW and tracks.kinds[row] == OWN:
            yield Call(number, times.ns(start), times.ns(end), row)


def leveled(calls: list[Call]) -> Iterator[tuple[Call, int]]:
    """The calls in order of their start, each with how many of the others are around it."""
    around: dict[int, list[int]] = {}  # the ends of the calls that run in each thread
    for call in sorted(calls, key=lambda call: (call.start, -call.end)):
        ends = around.setdefault(call.thread, [])
        while ends and ends[-1] <= call.start:
            ends.pop()
        yield call, len(ends)
        ends.append(call.end)
