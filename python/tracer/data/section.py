"""From what a Profiler holds to the bytes of a profile file.

The command has this loaded before the program starts, and what the program then does to modules is
no matter: nothing here, and nothing that is used here, imports what the interpreter has not loaded
by itself. Reading such files and the classes for what they hold are in capture.py.
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

    from tracer.data.overhead import Costs
    from tracer.data.types import Label, StatsDict, ThreadRecords

    # What add_up() gives: stats, {label: (resumes, primitive, by caller)}, extras, taken out.
    RolledUp = tuple[
        StatsDict,
        dict[Label, tuple[int, int, dict[Label, tuple[int, int]]]],
        dict[str, dict[Label, float]],
        tuple[float, float],
    ]

# Version 4 is read by every Python that tracer runs on, and by older ones.
MARSHAL_VERSION = 4
LEFT_OUT = 2**32 - 1
# In the place of how a run ended, in a file that was saved before it did: see RunInfo.
RUNNING = "saved while the program ran"
UNKNOWN = "not known: "


def told_end(ended: str) -> str:
    """How a run ended, as it is told."""
    return f"{UNKNOWN}{ended}" if ended == RUNNING else ended


def section_of(
    snapshot: dict[str, Any],
    run: dict[str, Any] | None,
    lines: dict[str, Any] | None = None,
    sources: dict[str, tuple[bytes, bool]] | None = None,
) -> dict[str, Any]:
    """Our section of a file, of Profiler.snapshot(), what RunInfo holds, LineRecorder.snapshot()
    where lines were timed, and the texts of source files as source/texts.py has them; None: none
    are wanted."""
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
    """The files of the functions in such snapshots; more than once where they have several."""
    functions = (*snapshot["functions"], *(() if lines is None else lines["codes"]))
    return [names[0] for names in functions]


def thread_name(thread: dict[str, Any]) -> str:
    """`threading` names most threads; of those it does not know, the first is the main one."""
    name: str | None = thread["name"]
    if name is None:
        main = thread["native_id"] == os.getpid()
        name = "MainThread" if main else f"Thread {thread['ident']}"
    return name


def records_of(thread: dict[str, Any]) -> ThreadRecords:
    """The records in a snapshot's or a file's thread; a file that is older than some has none."""
    return {key: thread.get(key, b"") for key in RECORDS}


def rolled_up(
    labels: Sequence[Label],
    left_out: Iterable[int],
    threads: Iterable[ThreadRecords],
    seconds_per_tick: float,
    callers: bool,
    costs: Costs | None = None,
    names: Iterable[tuple[str, str]] | None = None,
) -> RolledUp:
    """The figures of functions by their labels. Functions with one label are one row: their numbers
    are added. `costs` of tracing are subtracted from the times: so many seconds, and of these so
    many seconds that could not be subtracted. `names` are file and bare name of each function,
    where the labels have others: a method's calls cost something else than a function's."""
    row_of_label = {label: row for row, label in enumerate(dict.fromkeys(labels))}
    rows = [row_of_label[label] for label in labels]
    for function in left_out:
        rows[function] = LEFT_OUT
    packed = b"".join([row.to_bytes(4, sys.byteorder) for row in rows])
    compensation = None
    if costs is not None:
        from tracer.data.overhead import compensation_of

        bare = ((label[0], label[2]) for label in labels) if names is None else names
        compensation = compensation_of(costs, bare)
    records = tuple([tuple(records.values()) for records in threads])
    return add_up(records, packed, tuple(row_of_label), seconds_per_tick, callers, compensation)


def dumps(section: dict[str, Any], stats: StatsDict | None = None) -> bytes:
    """A profile file. `stats` are what pstats is to read in it, when they are known already."""
    if stats is None:
        stats = rolled_up(
            [names[:3] for names in section["functions"]],
            section["left_out"],
            map(records_of, section["threads"]),
            section["seconds_per_tick"],
            section["subcalls"],
            section["costs"],
        )[0]
    return packed(stats, section)


def packed(stats: StatsDict, payload: dict[str, Any] | None) -> bytes:
    """The bytes of a file: what pstats reads of it, and what follows that, if anything."""
    first = marshal.dumps(stats, MARSHAL_VERSION)
    if payload is None:
        return first
    rest = marshal.dumps(payload, MARSHAL_VERSION)
    return first + pack_section(rest) + rest
