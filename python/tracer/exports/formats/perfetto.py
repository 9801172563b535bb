"""perfetto: packets of Perfetto's trace format, for ui.perfetto.dev and trace_processor.

Each thread has a track, and a sequence of packets of its own, whose clock tells the time since the
packet before. The sequence begins with the names and places of the functions; the packets bear
their numbers. export_slices() writes those packets. Descriptors and what is beside the calls are on
sequence 1, whose clock shows the time itself. protobuf.py encodes the fields.
"""

from __future__ import annotations

from collections import Counter
from math import isfinite
from struct import pack

from tracer._version import __version__
from tracer.data.records import NO_ROW
from tracer.exports.format import Format, Options
from tracer.exports.names import shown
from tracer.exports.protobuf import data, integer, varint
from tracer.exports.tracks import WAITED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, BinaryIO

    from tracer.data.profile_set import ProfileSet
    from tracer.exports.tracks import Lane, Process, Track, Tracks

EXPORTER = "exported by tracer "  # begins the first label of each process

FORMAT = Format(
    opened_by="ui.perfetto.dev, trace_processor",
    holds="the timeline",
    suffix=".pftrace",
    mark=EXPORTER.encode(),
    is_text=False,
    needs="timeline",
    prunes="slices",
)

# Numbers of fields, by message.
PACKET = 1
CLOCK_SNAPSHOT, TIMESTAMP, SEQUENCE, TRACK_EVENT, INTERNED = 6, 8, 10, 11, 12
SEQUENCE_FLAGS, DEFAULTS, TRACK_DESCRIPTOR = 13, 59, 60
CLOCKS, CLOCK_ID, CLOCK_TIME, IS_INCREMENTAL = 1, 1, 2, 3
DEFAULT_CLOCK, EVENT_DEFAULTS, DEFAULT_TRACK = 58, 11, 11
EVENT_NAMES, SOURCE_LOCATIONS, IID, TEXT = 2, 4, 1, 2
LOCATION_FUNCTION, LOCATION_LINE = 3, 4
UUID, NAME, PROCESS, THREAD, PARENT, COUNTER, DESCRIPTION = 1, 2, 3, 4, 5, 8, 14
PROCESS_PID, PROCESS_NAME, PROCESS_LABELS = 1, 6, 8
THREAD_PID, THREAD_TID, THREAD_NAME = 1, 2, 5
EVENT_ANNOTATIONS, EVENT_TYPE, NAME_IID, EVENT_TRACK, EVENT_NAME = 4, 9, 10, 11, 23
COUNTER_INTEGER, LOCATION_IID, COUNTER_DOUBLE, FLOWS, LAST_FLOWS = 30, 34, 44, 47, 48
ANNOTATION_BOOL, ANNOTATION_INTEGER, ANNOTATION_DOUBLE, ANNOTATION_TEXT = 2, 4, 5, 6
ANNOTATION_NAME = 10

FIXED64 = 1  # the kind of a field
BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4  # types of events
STATE_CLEARED = 1  # a sequence's flag: nothing before this packet counts
BOOTTIME, INCREMENTAL = 6, 64  # clocks: that of the trace, and that of a sequence
BESIDE, FIRST_SEQUENCE = 1, 2


def draw(tracks: Tracks, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    uuids = Uuids()
    for piece in beside(tracks, uuids, options.title):
        out.write(piece)
    done = 0
    for sequence, track in enumerate(tracks, FIRST_SEQUENCE):
        short, long, interned = pieces_of(tracks, track)
        out.write(beginning(sequence, uuids.of(track), interned))
        track.draw("perfetto", tracks, short, long, out.write, sequence)
        done += len(track.slices.starts)
        options.progress(done)


class Uuids:
    """Numbers of tracks."""

    def __init__(self) -> None:
        self.known: dict[object, int] = {}

    def of(self, what: object) -> int:
        return self.known.setdefault(what, len(self.known) + 1)

    def new(self) -> int:
        return self.of(object())


def packet(fields: bytes, sequence: int = BESIDE) -> bytes:
    return data(PACKET, integer(SEQUENCE, sequence) + fields)


def fixed64(field: int, value: int | float) -> bytes:
    kind = "<d" if isinstance(value, float) else "<Q"
    return varint(field << 3 | FIXED64) + pack(kind, value)


# -- The slices of a thread --------------------------------------------------------------------


def pieces_of(tracks: Tracks, track: Track) -> tuple[list[bytes], list[bytes], bytes]:
    """The fields of the event that begins a slice, by row: of short slices the name, of longer ones
    also the place, which takes three bytes more. And the names and places themselves.

    The functions that are called most have the smallest numbers, which take one byte.
    """
    nodes, rows = track.slices.nodes, track.rows
    often: Counter[int] = Counter()
    for node, count in Counter(nodes[:: max(len(nodes) // 2**16, 1)]).items():
        often[rows[node]] += count
    often[NO_ROW] = 0
    known = sorted({*rows} - {NO_ROW}, key=lambda row: -often[row])
    short, long = ([b""] * len(tracks.rows) for _ in range(2))
    interned = []
    for iid, row in enumerate(known, 1):
        short[row] = long[row] = integer(NAME_IID, iid)
        interned.append(data(EVENT_NAMES, text_of(iid, tracks.names[row])))
        place = tracks.rows[row]
        if place.file not in ("~", ""):
            long[row] += integer(LOCATION_IID, iid)
            location = text_of(iid, shown(place.file)) + integer(LOCATION_LINE, place.line)
            location += data(LOCATION_FUNCTION, shown(place.name).encode())
            interned.append(data(SOURCE_LOCATIONS, location))
    for iid, name in enumerate(WAITED, len(known) + 1):
        short.append(integer(NAME_IID, iid))
        long.append(integer(NAME_IID, iid))
        interned.append(data(EVENT_NAMES, text_of(iid, name)))
    return short, long, b"".join(interned)


def text_of(iid: int, text: str) -> bytes:
    return integer(IID, iid) + data(TEXT, text.encode())


def beginning(sequence: int, track: int, interned: bytes) -> bytes:
    """The first packet of a sequence."""
    boot = integer(CLOCK_ID, BOOTTIME) + zero(CLOCK_TIME)
    own = integer(CLOCK_ID, INCREMENTAL) + zero(CLOCK_TIME) + integer(IS_INCREMENTAL, 1)
    clocks = data(CLOCKS, boot) + data(CLOCKS, own)
    defaults = integer(DEFAULT_CLOCK, INCREMENTAL)
    defaults += data(EVENT_DEFAULTS, integer(DEFAULT_TRACK, track))
    cleared = integer(SEQUENCE_FLAGS, STATE_CLEARED)
    snapshot = cleared + data(CLOCK_SNAPSHOT, clocks) + data(DEFAULTS, defaults)
    return packet(snapshot + data(INTERNED, interned), sequence)


def zero(field: int) -> bytes:
    """A 0 that has to be there."""
    return varint(field << 3) + b"\0"


# -- Beside the slices -------------------------------------------------------------------------


def beside(tracks: Tracks, uuids: Uuids, title: str) -> Iterator[bytes]:
    """Descriptors, and all events but those of the slices."""
    yield packet(integer(SEQUENCE_FLAGS, STATE_CLEARED))
    notes = [f"{EXPORTER}{__version__}", title, *tracks.notes]
    for process in tracks.processes:
        yield descriptor(uuids.of(process), data(PROCESS, process_of(process, notes)))
        for track in process.tracks:
            fields = parent(uuids.of(process)) + data(THREAD, thread_of(track))
            yield descriptor(uuids.of(track), fields)
            for instant in track.instants:
                fields = data(EVENT_NAME, instant.name.encode()) + annotated(instant.values)
                yield event(INSTANT, instant.at, uuids.of(track), fields)
            for lane in track.lanes:
                yield from lane_events(lane, uuids.of(track), uuids)
        for lane in process.tasks:
            yield from lane_events(lane, uuids.of(process), uuids)
        for name, points in process.counters.items():
            uuid = uuids.new()
            fields = parent(uuids.of(process)) + data(NAME, name.encode()) + data(COUNTER, b"")
            yield descriptor(uuid, fields)
            for at, value in points:
                if isfinite(value):
                    yield event(COUNT, at, uuid, value_of(value))
    for flow in tracks.flows:
        named = data(EVENT_NAME, f"flow {flow.name}".encode())
        start, end = fixed64(FLOWS, flow.number), fixed64(LAST_FLOWS, flow.number)
        yield event(INSTANT, flow.start, uuids.of(flow.start_track), named + start)
        yield event(INSTANT, flow.end, uuids.of(flow.end_track), named + end)


def process_of(process: Process, notes: Iterable[str]) -> bytes:
    labels = b"".join(data(PROCESS_LABELS, note.encode()) for note in notes)
    named = data(PROCESS_NAME, process.name.encode())
    return integer(PROCESS_PID, process.pid) + named + labels


def thread_of(track: Track) -> bytes:
    ids = integer(THREAD_PID, track.process.pid) + integer(THREAD_TID, track.tid)
    return ids + data(THREAD_NAME, track.name.encode())


def descriptor(uuid: int, fields: bytes) -> bytes:
    return packet(data(TRACK_DESCRIPTOR, integer(UUID, uuid) + fields))


def parent(uuid: int) -> bytes:
    return integer(PARENT, uuid)


def event(kind: int, at: int, track: int, fields: bytes) -> bytes:
    head = integer(EVENT_TYPE, kind) + integer(EVENT_TRACK, track)
    return packet(varint(TIMESTAMP << 3) + varint(max(at, 0)) + data(TRACK_EVENT, head + fields))


def lane_events(lane: Lane, above: int, uuids: Uuids) -> Iterator[bytes]:
    """A track with the intervals of a lane, which nest."""
    uuid = uuids.new()
    yield descriptor(uuid, parent(above) + data(NAME, lane.name.encode()))
    ends: list[int] = []
    for one in lane.intervals:
        while ends and ends[-1] <= one.start:
            yield event(END, ends.pop(), uuid, b"")
        known = one.values if one.ended else (*one.values, ("ended", False))
        fields = data(EVENT_NAME, one.name.encode()) + annotated(known)
        yield event(BEGIN, one.start, uuid, fields)
        ends.append(one.end)
    for end in reversed(ends):
        yield event(END, end, uuid, b"")


def value_of(value: float) -> bytes:
    """The field of a counter's value."""
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return varint(COUNTER_INTEGER << 3) + varint(value)
    return fixed64(COUNTER_DOUBLE, float(value))


def annotated(values: Iterable[tuple[str, Any]]) -> bytes:
    return b"".join(
        data(EVENT_ANNOTATIONS, data(ANNOTATION_NAME, shown(name).encode()) + annotation(value))
        for name, value in values
    )


def annotation(value: Any) -> bytes:
    if isinstance(value, bool):
        return varint(ANNOTATION_BOOL << 3) + varint(value)
    if isinstance(value, int) and -(2**63) <= value < 2**63:
        return varint(ANNOTATION_INTEGER << 3) + varint(value)
    if isinstance(value, float) and isfinite(value):
        return fixed64(ANNOTATION_DOUBLE, value)
    return data(ANNOTATION_TEXT, shown(str(value)).encode())
