"""From the snapshot of a Profiler to the bytes of a profile file.

The command loads this module before the program starts. Neither this module nor those that it uses
import what the interpreter has not loaded by itself, so the program's own modules cannot harm them.
reader.py reads profile files; capture.py and types.py have the classes.
"""

from __future__ import annotations

import marshal
import os
import sys

from tracer._core import RECORDS, add_up, pack_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tracer.data.overhead import Costs, Handlers
    from tracer.data.types import Label, StatsDict, ThreadLog, ThreadRecords, ThreadWaits

    # What add_up() returns: stats, {label: (resumes, primitive resumes, {caller: both})}, extras,
    # (seconds of overhead, seconds of it that could not be subtracted).
    RolledUp = tuple[
        StatsDict,
        dict[Label, tuple[int, int, dict[Label, tuple[int, int]]]],
        dict[str, dict[Label, float]],
        tuple[float, float],
    ]

# Every Python that tracer runs on, and older ones, read version 4.
MARSHAL_VERSION = 4
LEFT_OUT = 2**32 - 1
# Stands for how a run ended, in a file that was saved before its end: see RunInfo.
RUNNING = "saved while the program ran"
UNKNOWN = "not known: "
# How the timelines of files are packed; those of snapshots are not, "".
ZLIB = "zlib"
# What a timeline's own file begins with, and the bytes before its blocks:
# ext/recorders/timeline.h.
LOG_FILE_MAGIC = b"\x89TRCLOG\n"
LOG_FILE_HEAD = 4096
# Behind the name of FILE, in that of the file beside it; the process id follows.
LOG_FILE_INFIX = ".timeline-"


def end_text(ended: str) -> str:
    """How a run ended, as headers print it."""
    return f"{UNKNOWN}{ended}" if ended == RUNNING else ended


def section_of(
    snapshot: dict[str, Any],
    run: dict[str, Any] | None,
    lines: dict[str, Any] | None = None,
    sources: dict[str, tuple[bytes, bool]] | None = None,
) -> dict[str, Any]:
    """Tracer's section of a file.

    snapshot: of Profiler.snapshot(). run: the fields of RunInfo. lines: of LineRecorder.snapshot();
    None: no lines were timed. sources: of source/texts.py's texts_of(); None: none are wanted.
    """
    if "sampled" in snapshot:
        from tracer.data.sampled_records import as_records  # loaded before the program

        snapshot = as_records(snapshot)
    threads = tuple({**thread, "name": thread_name(thread)} for thread in snapshot["threads"])
    return {
        "byte_order": sys.byteorder,
        **snapshot,
        "threads": threads,
        "run": run,
        "lines": lines,
        "sources": sources,
    }


def files_of(snapshot: dict[str, Any], lines: dict[str, Any] | None) -> list[str]:
    """The file of each function in these snapshots: a file comes once for each of its functions."""
    sampled = snapshot["sampled"]["codes"] if "sampled" in snapshot else ()
    functions = (*snapshot["functions"], *sampled, *(() if lines is None else lines["codes"]))
    return [names[0] for names in functions]


def named_and_timed(
    snapshot: dict[str, Any], lines: dict[str, Any] | None
) -> tuple[tuple[str, ...], set[str]]:
    """The paths that the focus of these snapshots includes, and the files whose lines were timed:
    their sources are wanted."""
    focus = snapshot.get("focus")
    timed = set() if lines is None else {names[0] for names in lines["codes"]}
    return (() if focus is None else focus[0]), timed


def thread_name(thread: dict[str, Any]) -> str:
    """The name of a thread. `threading` names most threads. Of the others, the thread whose native
    id is the process id is the main one."""
    name: str | None = thread["name"]
    if name is None:
        main = thread["native_id"] == os.getpid()
        name = "MainThread" if main else f"Thread {thread['ident']}"
    return name


def records_of(thread: dict[str, Any]) -> ThreadRecords:
    """The records of a thread in a snapshot or a file; b"" for a kind that an old file lacks."""
    return {key: thread.get(key, b"") for key in RECORDS}


def log_of(thread: dict[str, Any]) -> ThreadLog | None:
    """The timeline of a thread in a snapshot or a file, or None."""
    from tracer.data.types import ThreadLog

    return ThreadLog._make(thread[it] for it in ThreadLog._fields) if "slices" in thread else None


def waits_of(thread: dict[str, Any]) -> ThreadWaits | None:
    """The waits of a thread in a file of samples, or None."""
    from tracer.data.types import ThreadWaits

    fields = ThreadWaits._fields
    return ThreadWaits._make(thread[it] for it in fields) if "looks" in thread else None


def packed_timeline(section: dict[str, Any]) -> dict[str, Any]:
    """The section with its timeline packed, as files hold it."""
    timeline = section.get("timeline")
    if timeline is None or timeline["packing"] == ZLIB:
        return section
    import zlib

    threads = tuple(
        {**thread, **{name: zlib.compress(thread[name], 1) for name in ("slices", "bins")}}
        for thread in section["threads"]
    )
    return {**section, "threads": threads, "timeline": {**timeline, "packing": ZLIB}}


def rolled_up(
    labels: Sequence[Label],
    left_out: Iterable[int],
    threads: Iterable[ThreadRecords],
    seconds_per_tick: float,
    callers: bool,
    costs: Costs | None = None,
    handlers: Handlers | None = None,
    names: Iterable[tuple[str, str]] | None = None,
) -> RolledUp:
    """The figures of functions by label. Times are seconds.

    Functions with the same label are one row: their figures are added. costs, handlers: as a file
    keeps the tracing overhead, which is subtracted from the times; the last item of the result is
    (seconds of overhead, seconds that could not be subtracted). names: (file, bare name) of each
    function, which tell its kind; None: the labels have them.
    """
    row_of_label = {label: row for row, label in enumerate(dict.fromkeys(labels))}
    rows = [row_of_label[label] for label in labels]
    for function in left_out:
        rows[function] = LEFT_OUT
    packed = b"".join([row.to_bytes(4, sys.byteorder) for row in rows])
    compensation = None
    if costs is not None:
        from tracer.data.overhead import compensation_of, in_program

        costs = in_program(costs, handlers, seconds_per_tick)
        bare = ((label[0], label[2]) for label in labels) if names is None else names
        compensation = compensation_of(costs, bare)
    records = tuple([tuple(records.values()) for records in threads])
    return add_up(records, packed, tuple(row_of_label), seconds_per_tick, callers, compensation)


def dumps(section: dict[str, Any], stats: StatsDict | None = None) -> bytes:
    """The bytes of a profile file. stats: the part for pstats; None: the section's is added up."""
    if stats is None:
        labels = [names[:3] for names in section["functions"]]
        stats = rolled_up(
            labels,
            section["left_out"],
            map(records_of, section["threads"]),
            section["seconds_per_tick"],
            section["subcalls"],
            section["costs"],
            section.get("handlers"),
        )[0]
        if section.get("sampled") is not None:
            from tracer.data.sampled_records import with_counts

            stats = with_counts(stats, labels, section["left_out"], section["sampled"])
    return packed(stats, packed_timeline(section))


def packed(stats: StatsDict, payload: dict[str, Any] | None) -> bytes:
    """The bytes of a file: the part that pstats reads, then tracer's section, if there is one."""
    first = marshal.dumps(stats, MARSHAL_VERSION)
    if payload is None:
        return first
    rest = marshal.dumps(payload, MARSHAL_VERSION)
    return first + pack_section(rest) + rest
