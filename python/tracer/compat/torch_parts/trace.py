"""The trace file of PyTorch's profiler: tracer's export for Chrome in the look that TensorBoard and
other readers of PyTorch's traces know. Ranges and steps are slices among the calls.
"""

from __future__ import annotations

from bisect import bisect_right

from tracer.api.stats import Stats
from tracer.compat.torch_parts.figures import Names
from tracer.compat.torch_parts.ranges import Steps, name_in_trace
from tracer.data.records import NO_ROW
from tracer.exports.export import Export
from tracer.exports.format import Options
from tracer.exports.formats import chrome
from tracer.exports.names import shown
from tracer.runtime.streamed_file import whole_file
from tracer.runtime.unrecorded import aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tracer.data.capture import Capture
    from tracer.exports.tracks import Interval, Lane, Track, Tracks

# The categories of PyTorch's traces.
PYTHON, IN_C, MARKED = "python_function", "cpu_op", "user_annotation"


class TorchLook(chrome.Look):
    """facts: what stands in the file before the events, metadata of the user's among it."""

    def __init__(self, names: Names, steps: Steps, facts: dict[str, Any]) -> None:
        self._names = names
        self._steps = steps
        self._facts = facts

    def head(self, about: dict[str, Any]) -> dict[str, Any]:
        return {**self._facts, "displayTimeUnit": "ms", "otherData": about}

    def slice_pieces(self, tracks: Tracks, track: Track) -> list[bytes]:
        keys = map(self._names.of_row, tracks.rows)
        return [
            chrome.row_piece(track, key.text, PYTHON if key.is_python else IN_C) for key in keys
        ]

    def lane_events(self, lane: Lane, track: Track, number: int) -> Iterator[dict[str, Any]]:
        if lane.kind != "ranges" or lane not in track.lanes:
            yield from super().lane_events(lane, track, number)
            return
        apart = []  # what overlaps calls cannot be drawn among them
        for one in lane.intervals:
            values = dict(one.values)
            name = name_in_trace(
                one.name, values.get("category"), values.get("number"), self._steps
            )
            if name is None:
                continue
            until = end_of_its_function(one, track)
            if until >= one.end or not one.ended:
                yield _slice(one._replace(name=name, end=min(until, one.end)), track)
            else:
                apart.append(one._replace(name=name))
        yield from super().lane_events(lane._replace(intervals=apart), track, number)


def end_of_its_function(one: Interval, track: Track) -> int:
    """When the function ended in which a range began, in nanoseconds; of none, with the range."""
    times, slices = track.process.times, track.slices
    tick = round((one.start - times.shift) / times.ns_per_tick)
    at = bisect_right(slices.starts, tick) - 1
    while at >= 0:
        node, end = slices.nodes[at], times.ns(slices.ends[at])
        if node and track.rows[node] != NO_ROW and end > one.start:
            return end
        at = slices.parents[at]
    return one.end


def _slice(one: Interval, track: Track) -> dict[str, Any]:
    place = chrome.event("X", one.start, track.process, track.tid)
    args = {} if one.ended else {"finished": False}
    args |= {name: value for name, value in one.values if name not in ("category", "number")}
    return {
        **place,
        "dur": (one.end - one.start) / 1000,
        "cat": MARKED,
        "name": one.name,
        "args": args,
    }


@aside
def write_trace(
    path: str, capture: Capture, steps: Steps, metadata: dict[str, Any], trace_id: str
) -> None:
    """Write the trace of a capture, whole or not at all; packed where the path ends in .gz. Raises
    OSError."""
    made = Export(Stats(capture), "chrome")
    assert made.tracks is not None
    facts: dict[str, Any] = {
        "schemaVersion": 1,
        "deviceProperties": [],
        "trace_id": trace_id,
        **metadata,
        "host_name": _host(),
        "baseTimeNanoseconds": round(made.tracks.epoch * 1e9),
        "traceName": shown(path),
    }
    look = TorchLook(Names([capture]), steps, facts)
    options = Options(title=shown(path))
    with whole_file(path) as out:
        if not path.endswith(".gz"):
            chrome.draw(made.tracks, made.profiles, out, options, look)
            return
        from gzip import GzipFile

        with GzipFile(fileobj=out, mode="wb") as packed:
            chrome.draw(made.tracks, made.profiles, packed, options, look)  # type: ignore[arg-type]


def _host() -> str:
    import socket

    return socket.gethostname()
