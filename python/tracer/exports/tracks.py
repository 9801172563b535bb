"""Tracks: the timelines of a profile as exports draw them. Times are whole nanoseconds.

tracks_of() puts the timelines of all processes on one clock, cuts a part out, and leaves out what
is short. lanes.py sorts the intervals beside the calls; a format writes all that down.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from tracer._core import draw_slices, slice_lengths
from tracer.analysis.call_tree import Paths, Row
from tracer.data.records import NO_ROW
from tracer.exports.lanes import Lane, lanes_of
from tracer.exports.names import placed_names, shown
from tracer.exports.times import FOREVER, NoTimeline, Times, Window, duration, times_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tracer.data.profile_set import Part, ProfileSet
    from tracer.data.timeline import Slices, ThreadTimeline, Timeline

__all__ = ["Flow", "Instant", "Process", "Track", "Tracks", "tracks_of"]

WAITED = (
    "waited for the GIL or a CPU",
    "waited in C",
)  # gaps in Python functions, and in C functions


class Instant(NamedTuple):
    """A moment: a mark, a fork, an exec. values: as tracer.mark() was given them."""

    at: int
    name: str
    kind: str
    values: tuple[tuple[str, Any], ...] = ()


class Flow(NamedTuple):
    """An arrow from one track to another. number: different for each, from 1."""

    number: int
    name: str
    start_track: Track
    start: int
    end_track: Track
    end: int


class Track:
    """A thread: its slices, and what is beside them.

    pid, tid: different for each process and for each thread, whatever the system gave twice.
    lanes: ranges and collections, sorted so that they nest. least: ticks; what is shorter is left
    out.
    """

    def __init__(
        self,
        process: Process,
        log: ThreadTimeline,
        name: str,
        tid: int,
        rows: array[int],
        is_first: bool,
    ) -> None:
        self.process: Process = process
        self.log: ThreadTimeline = log
        self.name: str = name
        self.tid: int = tid
        self.rows: array[int] = rows
        self.is_first: bool = is_first
        self.instants: list[Instant] = []
        self.lanes: list[Lane] = []
        self.least: int = 0
        self._slices: Slices | None = None

    @property
    def slices(self) -> Slices:
        if self._slices is None:
            times = self.process.times
            self._slices = self.log.read(times.first, times.last, self.least)
        return self._slices

    def leave_out(self, least: int) -> None:
        """From now on, slices shorter than so many ticks are left out."""
        self.least, self._slices = least, None

    def draw(
        self,
        form: str,
        tracks: Tracks,
        pieces: Sequence[bytes],
        others: Sequence[bytes],
        write: Callable[[bytes], object],
        number: int = 0,
    ) -> Any:
        """Write the slices: see _core.draw_slices()."""
        rows, times = self.rows.tobytes(), self.process.times
        return draw_slices(
            form, self.slices, rows, tracks.in_c, tuple(pieces), tuple(others), times, number, write
        )


class Process:
    """What one capture recorded. counters: {name: [(at, value)]}. tasks: the lanes of tasks and of
    greenlets."""

    def __init__(self, pid: int, name: str, times: Times) -> None:
        self.pid: int = pid
        self.name: str = name
        self.times: Times = times
        self.tracks: list[Track] = []
        self.counters: dict[str, list[tuple[int, float]]] = {}
        self.tasks: list[Lane] = []


class Tracks:
    """The timelines of a profile.

    rows, names, in_c: the functions, names for pictures, and a byte each: 1 for a function in C.
    notes: sentences on what is left out. start, end: of what is drawn. epoch: time.time() at 0.
    """

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.rows: tuple[Row, ...] = ()
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.in_c: bytes = b""
        self.flows: list[Flow] = []
        self.notes: list[str] = []
        self.epoch: float = 0.0

    def __iter__(self) -> Iterator[Track]:
        return (track for process in self.processes for track in process.tracks)

    @property
    def slice_count(self) -> int:
        return sum(len(track.slices.starts) for track in self)


def tracks_of(profiles: ProfileSet, window: Window, most: int = 0) -> Tracks:
    """The timelines of these profiles. most: how many slices there may be at most; 0: any number.
    Raises NoTimeline."""
    parts = [part for part in profiles.parts if part.capture.timeline is not None]
    if not parts:
        raise NoTimeline("has no timeline; record one with 'run --timeline'")
    tracks = Tracks()
    timelines = {part.capture: part.capture.timeline for part in parts}
    clocks = dict(zip(timelines, times_of(list(timelines.values()), window), strict=True))
    tracks.epoch = clocks[parts[0].capture].epoch
    numbers: dict[Row, int] = {}
    processes: dict[Any, tuple[Process, dict[int, Track]]] = {}
    pids: set[int] = set()
    for part in parts:
        timeline = part.capture.timeline
        if part.capture not in processes:
            pid = unused(timeline.pid, pids)
            process = Process(pid, name_of(part), clocks[part.capture].times)
            processes[part.capture] = process, {}
            tracks.processes.append(process)
        process, found = processes[part.capture]
        add_threads(part, timeline, process, found, numbers)
    name_rows(tracks, numbers)
    for capture, (process, found) in processes.items():
        note_losses(tracks, timelines[capture], process.times)
        add_beside(timelines[capture], tracks, process, found)
    leave_out_short(tracks, window, most)
    left = sum(part.capture.timeline is None for part in profiles.parts)
    if left:
        tracks.notes.append(f"{left} of {len(profiles.parts)} profiles have no timeline")
    return tracks


def name_of(part: Part) -> str:
    run = part.capture.run
    return shown(" ".join(run.command)) if run is not None else "Python"


def unused(number: int, taken: set[int]) -> int:
    """The number, if nothing else has it, else one that no process and no thread of a system has:
    viewers take what has the same number for the same thing."""
    if number <= 0 or number in taken:
        number = max(max(taken, default=0), 2**22) + 1
    taken.add(number)
    return number


def add_threads(
    part: Part,
    timeline: Timeline,
    process: Process,
    found: dict[int, Track],
    numbers: dict[Row, int],
) -> None:
    """Add a track for each thread of the part. found: by the thread's position in the timeline."""
    capture = part.capture
    of_function = array("I")
    for position, function in enumerate(capture.functions):
        is_out = position in capture.left_out
        label = Row(*function.label("qualname", part.stripped))
        of_function.append(NO_ROW if is_out else numbers.setdefault(label, len(numbers)))
    tids = {track.tid for track in found.values()}
    both = zip(capture.threads, timeline.threads, strict=True)
    for position, (thread, log) in enumerate(both):
        if not any(thread is wanted for wanted in part.threads) or position in found:
            continue
        rows = (NO_ROW if number == NO_ROW else of_function[number] for number in log.functions)
        tid = unused(thread.native_id, tids)
        name = shown(thread.name) if thread.name else f"thread {tid}"
        found[position] = Track(process, log, name, tid, array("I", rows), position == 0)
        process.tracks.append(found[position])


def name_rows(tracks: Tracks, numbers: dict[Row, int]) -> None:
    paths = Paths(numbers, ())
    tracks.rows = paths.rows
    tracks.names = placed_names(paths)
    tracks.kinds = [module.kind for module in paths.modules]
    tracks.in_c = bytes(row.file == "~" for row in paths.rows)


def add_beside(
    timeline: Timeline, tracks: Tracks, process: Process, found: dict[int, Track]
) -> None:
    """Add what is beside the calls, of the threads that were found."""
    times = process.times
    for position, _, tick, name, values in timeline.marks:
        if position in found and times.has(tick):
            found[position].instants.append(Instant(times.ns(tick), shown(name), "mark", values))
    for position, tick, what, pid in timeline.forks:
        if position in found and times.has(tick):
            known = (("pid", pid),) if pid > 0 else ()
            found[position].instants.append(Instant(times.ns(tick), shown(what), "fork", known))
    for position, tick, name, value in timeline.counters:
        if position in found and times.has(tick):
            process.counters.setdefault(shown(name), []).append((times.ns(tick), value))
    for name, position, start, other, end in timeline.flows:
        if position in found and other in found and times.has(start) and times.has(end):
            ends = found[position], times.ns(start), found[other], times.ns(end)
            tracks.flows.append(Flow(len(tracks.flows) + 1, shown(name), *ends))
    lanes_of(timeline, process, found)


def leave_out_short(tracks: Tracks, window: Window, most: int) -> None:
    """Leave out slices that are too short, and say so."""
    for track in tracks:
        track.leave_out(track.process.times.ticks(window.least))
    count = tracks.slice_count
    if most and count > most:
        least = threshold(tracks, most)
        for track in tracks:
            track.leave_out(track.process.times.ticks(least))
        tracks.notes.append(
            f"{count:,} slices are more than {most:,}: the {tracks.slice_count:,} of "
            f"{duration(least)} or more are drawn"
        )
    elif window.least:
        tracks.notes.append(f"slices of {duration(window.least)} or more are drawn")
    if (window.start, window.end) != Window()[:2]:
        end = duration(window.end) if window.end < FOREVER else "the end"
        tracks.notes.append(f"drawn from {duration(window.start)} to {end}")


def note_losses(tracks: Tracks, timeline: Timeline, times: Times) -> None:
    """Say what the recording itself left out."""
    if timeline.least:
        least = duration(timeline.least * times.ns_per_tick)
        tracks.notes.append(f"slices below {least} found no room in the timeline")
    if timeline.since:
        since = duration(timeline.since * times.ns_per_tick + times.shift)
        tracks.notes.append(f"the timeline was overwritten up to {since}")
    if timeline.lost:
        tracks.notes.append(f"{timeline.lost:,} longer slices found no room either")
    for what, count in timeline.dropped.items():
        if count:
            tracks.notes.append(f"{count:,} {what} found no room in the timeline")


def threshold(tracks: Tracks, most: int) -> int:
    """The nanoseconds from which on there are no more than `most` slices."""
    lengths: dict[int, int] = {}
    for track in tracks:
        per_tick = track.process.times.ns_per_tick
        for length, count in slice_lengths(track.slices.starts, track.slices.ends):
            nanoseconds = -int(-length * per_tick // 1)
            lengths[nanoseconds] = lengths.get(nanoseconds, 0) + count
    total, least = 0, 0
    for length in sorted(lengths, reverse=True):
        total += lengths[length]
        if total > most:
            break
        least = length
    return least or max(lengths) + 1
