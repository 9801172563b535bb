"""Tracks: the timelines of a profile as exports draw them. Times are whole nanoseconds.

timelines.py makes them of what was recorded. A format writes them down.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer._core import export_slices

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from tracer.analysis.tree.call_tree import Row
    from tracer.data.timeline import Slices, ThreadTimeline
    from tracer.exports.times import Times

__all__ = ["WAITED", "Flow", "Instant", "Interval", "Lane", "Process", "Track", "Tracks"]

WAITED = "waited for a lock, the GIL or a CPU", "waited in C"  # a gap in a Python function, or in C


class Interval(NamedTuple):
    """kind: "range", "collection", "task", or "running": a stretch in which a task or greenlet ran.
    ended: False for one that had not ended; its end is then that of the recording."""

    start: int
    end: int
    name: str
    kind: str
    values: tuple[tuple[str, Any], ...] = ()
    ended: bool = True


class Lane(NamedTuple):
    """Intervals in order of their start, an outer one before what is inside. kind: "ranges",
    "collections", "task", "greenlet"."""

    name: str
    kind: str
    intervals: list[Interval]


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
        """Write the slices: see _core.export_slices()."""
        rows, times = self.rows.tobytes(), self.process.times
        return export_slices(
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
    losses: sentences on what is not there though nobody asked for that. chosen: sentences on which
    part was asked for. epoch: time.time() at 0.
    """

    def __init__(self) -> None:
        self.processes: list[Process] = []
        self.rows: tuple[Row, ...] = ()
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.in_c: bytes = b""
        self.flows: list[Flow] = []
        self.losses: list[str] = []
        self.chosen: list[str] = []
        self.epoch: float = 0.0

    def __iter__(self) -> Iterator[Track]:
        return (track for process in self.processes for track in process.tracks)

    @property
    def notes(self) -> list[str]:
        """What a reader of the export should know of what is left out."""
        return self.losses + self.chosen

    @property
    def slice_count(self) -> int:
        return sum(len(track.slices.starts) for track in self)
