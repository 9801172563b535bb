"""chrome: JSON of the Trace Event Format, for ui.perfetto.dev, Chrome's tracing and others.

A complete event ("X") for each slice, a line each. Ranges, collections, tasks and greenlets are
asynchronous events ("b", "e"): they overlap calls. Times are microseconds, with nanoseconds behind
the point. export_slices() writes the slices. compat/torch_parts/trace.py has another Look.
"""

from __future__ import annotations

import json
from math import isfinite

from tracer._version import __version__
from tracer.exports.format import Format, Options
from tracer.exports.names import values_shown
from tracer.exports.tracks import WAITED
from tracer.exports.writing import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, BinaryIO

    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Lane, Process, Track, Tracks

FORMAT = Format(
    opened_by="ui.perfetto.dev, Chrome's tracing",
    holds="the timeline",
    suffix=".trace.json",
    mark=b'{"displayTimeUnit": "ns", "otherData": {"tracer": "',
    needs="timeline",
    prunes="slices",
    most_slices=2_000_000,
)


class Look:
    """What the events look like. A subclass has what another program knows them by."""

    def head(self, about: dict[str, Any]) -> dict[str, Any]:
        """What stands in the file before the events. about: of tracer and the profile."""
        return {"displayTimeUnit": "ns", "otherData": about}

    def slice_pieces(self, tracks: Tracks, track: Track) -> list[bytes]:
        """How the event of each row begins, and those of gaps, if these are drawn."""
        pieces = [row_piece(track, name) for name in tracks.names]
        return pieces + [row_piece(track, name, "gap") for name in WAITED]

    def lane_events(self, lane: Lane, track: Track, number: int) -> Iterator[dict[str, Any]]:
        """The events of a lane, in the row of a track. number: of the lane, from 1."""
        return lane_events(lane, track.process, track.tid, number)


def draw(
    tracks: Tracks,
    stats: ProfileSet,
    out: BinaryIO,
    options: Options,
    look: Look = Look(),  # noqa: B008, it has no state
) -> None:
    about = {"tracer": __version__, "title": options.title, "notes": tracks.notes}
    out.write(text(look.head(about))[:-1].encode() + b',"traceEvents":[\n')
    write_text(out, (f"{text(event)},\n" for event in beside(tracks, look)))
    done = 0
    for track in tracks:
        pieces = look.slice_pieces(tracks, track)
        track.draw("chrome", tracks, pieces, pieces, out.write)
        done += len(track.slices.starts)
        options.progress(done)
    # A last event, which has no comma behind it.
    out.write(text({"ph": "M", "pid": 0, "name": "tracer", "args": about}).encode())
    out.write(b"\n]}\n")


def text(value: Any) -> str:
    """JSON with all letters as they are: trace_processor leaves escapes of letters in names."""
    return json.dumps(value, ensure_ascii=False)


def row_piece(track: Track, name: str, category: str = "") -> bytes:
    """How the event of a slice begins."""
    kind = f'"cat":{text(category)},' if category else ""
    head = f'{{"ph":"X","pid":{track.process.pid},"tid":{track.tid},'
    return f'{head}{kind}"name":{text(name)}'.encode()


def beside(tracks: Tracks, look: Look) -> Iterator[dict[str, Any]]:
    """All events but those of the slices."""
    rows = 0
    for process in tracks.processes:
        yield from names_of(process)
        for track in process.tracks:
            for instant in track.instants:
                yield {
                    **event("i", instant.at, process, track.tid),
                    "s": "t",
                    "cat": instant.kind,
                    "name": instant.name,
                    "args": values_shown(instant.values),
                }
        lanes = [(lane, track) for track in process.tracks for lane in track.lanes]
        lanes += [(lane, process.tracks[0]) for lane in process.tasks]
        for lane, track in lanes:
            rows += 1
            yield from look.lane_events(lane, track, rows)
        for name, points in process.counters.items():
            for at, value in points:
                if isfinite(value):
                    yield {**event("C", at, process, 0), "name": name, "args": {"value": value}}
    for flow in tracks.flows:
        of = {"cat": "flow", "name": flow.name, "id": flow.number}
        # An arrow goes from slice to slice: these two are there whatever else is drawn.
        ends = ("s", flow.start_track, flow.start), ("f", flow.end_track, flow.end)
        for phase, track, at in ends:
            place = {**event("X", at, track.process, track.tid), "dur": 0}
            yield {**place, "cat": "flow", "name": f"flow {flow.name}"}
            yield {**event(phase, at, track.process, track.tid), **of, "bp": "e"}


def names_of(process: Process) -> Iterator[dict[str, Any]]:
    yield {"ph": "M", "pid": process.pid, "name": "process_name", "args": {"name": process.name}}
    for position, track in enumerate(process.tracks):
        place = {"ph": "M", "pid": process.pid, "tid": track.tid}
        yield {**place, "name": "thread_name", "args": {"name": track.name}}
        yield {**place, "name": "thread_sort_index", "args": {"sort_index": position}}


def event(phase: str, at: int, process: Process, tid: int) -> dict[str, Any]:
    return {"ph": phase, "ts": max(at, 0) / 1000, "pid": process.pid, "tid": tid}


def lane_events(lane: Lane, process: Process, tid: int, number: int) -> Iterator[dict[str, Any]]:
    """The intervals of a lane, which nest. Events of one number are in one row."""
    of = {"cat": lane.kind, "id2": {"local": str(number)}}
    opened: list[tuple[int, str]] = []
    for one in lane.intervals:
        while opened and opened[-1][0] <= one.start:
            end, name = opened.pop()
            yield {**event("e", end, process, tid), **of, "name": name}
        known = one.values if one.ended else (*one.values, ("ended", False))
        begin = {**event("b", one.start, process, tid), **of, "name": one.name}
        yield {**begin, "args": {"lane": lane.name, **values_shown(known)}}
        opened.append((one.end, one.name))
    for end, name in reversed(opened):
        yield {**event("e", end, process, tid), **of, "name": name}
