"""firefox: JSON of the Firefox Profiler's processed profile, for profiler.firefox.com.

A thread has samples: one for each stretch of time in which its stack stayed the same, which lasts
as long. So the profiler's times are exact. export_slices() writes the samples, and makes the table
of stacks. Ranges, marks, collections, gaps, tasks, flows and counters are markers. Times are
milliseconds, with nanoseconds behind the point.

With native functions there is no timeline: write() makes a sample of each calling context that has
CPU time, one behind the other.
"""

from __future__ import annotations

import json
from array import array
from math import isfinite

from tracer._version import __version__
from tracer.data.records import NO_ROW
from tracer.exports.format import Format, Options
from tracer.exports.names import shown, thread_names, values_shown
from tracer.exports.sampled import Sampled, parents_of
from tracer.exports.times import duration
from tracer.exports.tracks import WAITED
from tracer.exports.writing import write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Process, Track, Tracks

FORMAT = Format(
    opened_by="profiler.firefox.com, profiler-cli",
    holds="the timeline",
    suffix=".firefox.json",
    mark=b'"importedFrom": "tracer"',
    needs="timeline",
    prunes="slices",
    most_slices=2_000_000,
    weighs_native=True,
)

VERSION = 57  # of the format: the profiler takes what is older than itself
GECKO_VERSION = 31
INSTANT, INTERVAL = 0, 1  # phases of markers
MILLISECOND = 1_000_000
# By the kind of a module, and the colour that the profiler gives them.
CATEGORIES = {
    "own": ("Own code", "blue"),
    "library": ("Standard library", "green"),
    "site": ("Installed packages", "yellow"),
    "builtin": ("Written in C", "grey"),
    "native": ("Native code", "red"),
    "other": ("Other", "grey"),
}
NUMBERS = {kind: number for number, kind in enumerate(CATEGORIES)}
FACTS: dict[str, Any] = {  # of each thread
    "processType": "default",
    "processStartupTime": 0,
    "processShutdownTime": None,
    "registerTime": 0,
    "unregisterTime": None,
    "pausedRanges": [],
    "showMarkersInTimeline": True,
}
CHARTS = ["marker-chart", "marker-table", "timeline-overview"]
TABLES = ["marker-chart", "marker-table"]


class Strings:
    """Texts by their numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def of(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def draw(tracks: Tracks, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    strings = Strings()
    counters = sorted({name for process in tracks.processes for name in process.counters})
    out.write(f'{{"meta":{json.dumps(meta(tracks, options, counters))},'.encode())
    out.write(b'"libs":[],"pages":[],"counters":[],"threads":[')
    markers: dict[Track, Markers] = {track: Markers(strings) for track in tracks}
    fill(tracks, markers)
    done = 0
    for position, (track, of_track) in enumerate(markers.items()):
        out.write(b",\n" if position else b"\n")
        begin_thread(facts(track), of_track, out)
        end_thread(*samples(track, tracks, out), tables(tracks, strings), out)
        done += len(track.slices.starts)
        options.progress(done)
    out.write(f'],"shared":{{"stringArray":{json.dumps(list(strings.numbers))}}}}}\n'.encode())


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    """Native samples. The threads stand one below the other, in one process."""
    strings, sampled = Strings(), Sampled(paths, stats)
    out.write(f'{{"meta":{json.dumps(meta(sampled, options, []))},'.encode())
    out.write(b'"libs":[],"pages":[],"counters":[],"threads":[')
    done = 0
    for position, (name, tree) in enumerate(zip(thread_names(paths), paths.trees, strict=True)):
        parents, used = parents_of(tree), [node for node, time in enumerate(tree.time) if time > 0]
        weights = [milliseconds(tree.time[node]) for node in used]
        stacks = [str(node - 1) if node else "null" for node in used]
        deltas = ["0", *weights[:-1]] if weights else []
        known = {**FACTS, "name": name, "isMainThread": not position, "processName": options.title}
        known |= {"pid": "0", "tid": tree.native_id or position}
        out.write(b",\n" if position else b"\n")
        begin_thread(known, Markers(strings), out)
        for column, texts in (("stack", stacks), ("timeDeltas", deltas), ("weight", weights)):
            write_text(out, (f',"{column}":[', ",".join(texts), "]"))
        of_stacks = parents[1:].tobytes(), tree.row[1:].tobytes()
        end_thread(*of_stacks, len(used), tables(sampled, strings), out)
        done += len(tree)
        options.progress(done)
    out.write(f'],"shared":{{"stringArray":{json.dumps(list(strings.numbers))}}}}}\n'.encode())


def meta(tracks: Tracks | Sampled, options: Options, counters: Iterable[str]) -> dict[str, Any]:
    """What the profiler knows of the profile as a whole."""
    facts = [("tracer", __version__), *(("Note", note) for note in tracks.notes)]
    return {
        "interval": 1 / MILLISECOND,
        "startTime": tracks.epoch * 1000,
        "processType": 0,
        "product": options.title,
        "importedFrom": "tracer",
        "stackwalk": 0,
        "toolkit": "",
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        "symbolicated": True,
        "usesOnlyOneStackType": True,
        "sourceCodeIsNotOnSearchfox": True,
        "extensions": {"id": [], "name": [], "baseURL": [], "length": 0},
        "categories": [
            {"name": name, "color": color, "subcategories": ["Other"]}
            for name, color in CATEGORIES.values()
        ],
        "markerSchema": [*schemas(), *map(counter_schema, counters)],
        "extra": [
            {
                "label": "Recording",
                "entries": [
                    {"label": label, "format": "string", "value": value} for label, value in facts
                ],
            }
        ],
    }


# -- Threads ---------------------------------------------------------------------------------------


def begin_thread(known: dict[str, Any], markers: Markers, out: BinaryIO) -> None:
    """Write what stands before the columns of samples."""
    out.write(f'{json.dumps(known)[:-1]},"markers":{{'.encode())
    write_text(out, markers.text())
    out.write(b'},"samples":{"weightType":"tracing-ms"')


def end_thread(
    parents: bytes, rows: bytes, count: int, tables: dict[str, Any], out: BinaryIO
) -> None:
    """Write what stands behind them. parents, rows: see stack_table(). count: of samples."""
    out.write(f',"length":{count}}},{json.dumps(tables)[1:-1]},'.encode())
    write_text(out, stack_table(parents, rows))
    out.write(b"}")


def facts(track: Track) -> dict[str, Any]:
    """What the profiler knows of the thread."""
    return {
        **FACTS,
        "name": track.name,
        "isMainThread": track.is_first,
        "processName": track.process.name,
        "pid": str(track.process.pid),
        "tid": track.tid,
    }


def samples(track: Track, tracks: Tracks, out: BinaryIO) -> tuple[bytes, bytes, int]:
    """Write the columns of the samples."""
    pieces = (b"",) * len(tracks.rows)
    for column, form in (("stack", "stacks"), ("timeDeltas", "deltas"), ("weight", "weights")):
        out.write(f',"{column}":['.encode())
        made: tuple[bytes, bytes, int] = track.draw(form, tracks, pieces, pieces, out.write)
        out.write(b"]")
    return made


def stack_table(parents: bytes, rows: bytes) -> Iterator[str]:
    """The table of stacks, in pieces of text. Frames have the numbers of rows."""
    below, frames = array("I", parents), array("I", rows)
    prefixes = (str(parent - 1) if parent else "null" for parent in below)
    yield '"stackTable":{"frame":['
    yield from between_commas(map(str, frames))
    yield '],"prefix":['
    yield from between_commas(prefixes)
    yield f'],"length":{len(frames)}}}'


def between_commas(texts: Iterable[str]) -> Iterator[str]:
    comma = ""
    for text in texts:
        yield comma + text
        comma = ","


def tables(tracks: Tracks | Sampled, strings: Strings) -> dict[str, Any]:
    """A function and a frame for each row. Every thread has its own tables in this version."""
    count = len(tracks.rows)
    nothing, numbers = [None] * count, list(range(count))
    lines = [row.line if has_file(row.file) else None for row in tracks.rows]
    files = [strings.of(shown(row.file)) if has_file(row.file) else None for row in tracks.rows]
    kinds = [
        NUMBERS.get("builtin" if in_c else kind, NUMBERS["other"])
        for kind, in_c in zip(tracks.kinds, tracks.in_c, strict=True)
    ]
    return {
        "frameTable": {
            "address": [-1] * count,
            "inlineDepth": [0] * count,
            "category": kinds,
            "subcategory": [0] * count,
            "func": numbers,
            "nativeSymbol": nothing,
            "innerWindowID": nothing,
            "line": lines,
            "column": nothing,
            "length": count,
        },
        "funcTable": {
            "name": [strings.of(name) for name in tracks.names],
            "isJS": [False] * count,
            "relevantForJS": [False] * count,
            "resource": [-1] * count,
            "fileName": files,
            "lineNumber": lines,
            "columnNumber": nothing,
            "length": count,
        },
        "resourceTable": {"lib": [], "name": [], "host": [], "type": [], "length": 0},
        "nativeSymbols": {
            "libIndex": [],
            "address": [],
            "name": [],
            "functionSize": [],
            "length": 0,
        },
    }


def has_file(file: str) -> bool:
    return file not in ("~", "")


# -- Markers ---------------------------------------------------------------------------------------


def schemas() -> list[dict[str, Any]]:
    """How the profiler shows each kind of marker, but counters."""
    values = {"key": "values", "label": "Values", "format": "string"}
    lane = {"key": "lane", "label": "In", "format": "string"}
    kinds = ("range", "mark", "fork", "collection", "task", "running", "gap")
    flow = {
        "name": "flow",
        "display": CHARTS,
        "fields": [
            {"key": "begins", "label": "Begins", "format": "flow-id"},
            {"key": "ends", "label": "Ends", "format": "terminating-flow-id"},
        ],
    }
    shapes: list[dict[str, Any]] = [
        {
            "name": kind,
            "display": TABLES if kind in ("gap", "running") else CHARTS,
            "tooltipLabel": "{marker.name}",
            "tableLabel": "{marker.name} {marker.data.values}",
            "chartLabel": "{marker.name}",
            "fields": [lane, values],
        }
        for kind in kinds
    ]
    return [*shapes, flow]


def counter_schema(name: str) -> dict[str, Any]:
    return {
        "name": f"counter {name}",
        "display": CHARTS,
        "fields": [{"key": "value", "label": "Value", "format": "decimal"}],
        "graphs": [{"key": "value", "type": "line", "color": "blue"}],
    }


class Markers:
    """The markers of a thread."""

    def __init__(self, strings: Strings) -> None:
        self.strings: Strings = strings
        self.found: list[tuple[str, int, int | None, dict[str, Any]]] = []

    def add(self, name: str, start: int, end: int | None, kind: str, **known: Any) -> None:
        self.found.append((name, start, end, {"type": kind, **known}))

    def text(self) -> Iterator[str]:
        """The columns of the table, in pieces."""
        of, found = self.strings.of, self.found
        columns: dict[str, Iterable[str]] = {
            "data": (json.dumps(known) for _, _, _, known in found),
            "name": (str(of(name)) for name, _, _, _ in found),
            "startTime": (milliseconds(start) for _, start, _, _ in found),
            "endTime": (milliseconds(end) for _, _, end, _ in found),
            "phase": (str(INSTANT if end is None else INTERVAL) for _, _, end, _ in found),
            "category": (str(NUMBERS["own"]) for _ in found),
        }
        for name, texts in columns.items():
            yield f'"{name}":['
            yield from between_commas(texts)
            yield "],"
        yield f'"length":{len(found)}'


def milliseconds(nanoseconds: int | None) -> str:
    return "null" if nanoseconds is None else f"{nanoseconds}e-6"


def fill(tracks: Tracks, markers: dict[Track, Markers]) -> None:
    """Add all that is beside the calls. Tasks are in the first thread of their process."""
    for process in tracks.processes:
        for track in process.tracks:
            add_gaps(track, tracks, markers[track])
            for at, name, kind, values in track.instants:
                markers[track].add(name, at, None, kind, values=text_of(values))
            for lane in track.lanes:
                add_lane(lane.name, lane.intervals, markers[track])
        if process.tracks:
            first = markers[process.tracks[0]]
            for lane in process.tasks:
                add_lane(lane.name, lane.intervals, first)
            add_counters(process, first)
    for flow in tracks.flows:
        name, number = f"flow {flow.name}", first_string(markers).of(f"flow {flow.number}")
        markers[flow.start_track].add(name, flow.start, None, "flow", begins=number)
        markers[flow.end_track].add(name, flow.end, None, "flow", ends=number)


def first_string(markers: dict[Track, Markers]) -> Strings:
    return next(iter(markers.values())).strings


def add_lane(name: str, intervals: Iterable[Any], markers: Markers) -> None:
    for one in intervals:
        known = one.values if one.ended else (*one.values, ("ended", False))
        markers.add(one.name, one.start, one.end, one.kind, lane=name, values=text_of(known))


def add_counters(process: Process, markers: Markers) -> None:
    for name, points in process.counters.items():
        for at, value in points:
            if isfinite(value):
                markers.add(name, at, None, f"counter {name}", value=value)


def add_gaps(track: Track, tracks: Tracks, markers: Markers) -> None:
    """Gaps: node 0. How long the thread had no CPU is among the values."""
    slices, times = track.slices, track.process.times
    for position, node in enumerate(slices.nodes):
        if node:
            continue
        parent = slices.parents[position]
        row = track.rows[slices.nodes[parent]] if parent >= 0 else NO_ROW
        name = WAITED[row != NO_ROW and tracks.in_c[row]]
        start, end = times.ns(slices.starts[position]), times.ns(slices.ends[position])
        waited = round(slices.values[position] * times.ns_per_tick)
        values = text_of([("without CPU", duration(waited))])
        markers.add(name, start, end, "gap", lane="gaps", values=values)


def text_of(values: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}={value}" for name, value in values_shown(values).items())
