"""Timings of lines as line_profiler has them: made from Lines, and made into a snapshot.

lprof.py reads and writes the files that hold such timings.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from tracer.data.records import LINE, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.lines import Lines

# (file, first line, function's name): a function, for line_profiler.
Key: TypeAlias = tuple[str, int, str]
# (line, hits, time in units)
Timing: TypeAlias = tuple[int, int, int | float]
Timings: TypeAlias = dict[Key, list[Timing]]

UNIT = 1e-9  # seconds: the unit of the times in timings_of()


def timings_of(lines: Lines) -> dict[Key, list[Timing]]:
    """{(file, first line, qualified name): [(line, hits, time in UNIT)]}, as in line_profiler."""
    timings: dict[Key, list[Timing]] = {}
    for function in lines.functions:
        key = (function.file, function.first_line, function.qualname)
        timings.setdefault(key, []).extend(
            (line.line, line.hits, round(line.time / UNIT)) for line in function.lines
        )
    return timings


def snapshot_of(timings: Timings, unit: float) -> dict[str, Any]:
    """The timings of an .lprof file as LineRecorder.snapshot() would return them.

    A tick is `unit` seconds.
    """
    records = [
        LINE.pack(code, line, hits, round(time), UNKNOWN, UNKNOWN, 0, 0)
        for code, rows in enumerate(timings.values())
        for line, hits, time in rows
        if hits
    ]
    thread = {"ident": 0, "native_id": 0, "lines": b"".join(records)}
    return {
        "codes": tuple((file, line, name, name) for file, line, name in timings),
        "threads": (thread,),
        "seconds_per_tick": unit,
        "measured": 0.0,
        "left_out": 0,
        "lost": 0,
        "sources": {},
    }
