"""From what a Profiler holds to the bytes of a profile file.

The command has this loaded before the program starts, and what the program then does to modules is
no matter: nothing here, and nothing that is used here, imports what the interpreter has not loaded
by itself. Reading such files and the classes for what they hold are in capture.py.
"""

from __future__ import annotations

import marshal
import os
import sys

from tracer._core import add_up, pack_section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tracer.calibration import Costs
    from tracer.capture import Label, StatsDict, ThreadRecords

    RawResumes = dict[Label, tuple[int, int, dict[Label, tuple[int, int]], float]]

# Version 4 is read by every Python that tracer runs on, and by older ones.
MARSHAL_VERSION = 4
LEFT_OUT = 2**32 - 1


def section_of(snapshot: dict[str, Any], run: dict[str, Any] | None) -> dict[str, Any]:
    """Our section of a file, of Profiler.snapshot() and what RunInfo holds."""
    threads = tuple({**thread, "name": thread_name(thread)} for thread in snapshot["threads"])
    return {"byte_order": sys.byteorder, **snapshot, "threads": threads, "run": run}


def thread_name(thread: dict[str, Any]) -> str:
    """`threading` names most threads; of those it does not know, the first is the main one."""
    name: str | None = thread["name"]
    if name is None:
        main = thread["native_id"] == os.getpid()
        name = "MainThread" if main else f"Thread {thread['ident']}"
    return name


def rolled_up(
    labels: Sequence[Label],
    left_out: Iterable[int],
    threads: Iterable[ThreadRecords],
    seconds_per_tick: float,
    callers: bool,
    costs: Costs | None = None,
) -> tuple[StatsDict, RawResumes, tuple[float, float]]:
    """The figures of functions by their labels: (stats as pstats has them, resumes, what was taken
    out). Functions with one label are one row: their numbers are added. `costs` of tracing are
    taken out of the times: so many seconds, of which so many there were not to be taken."""
    row_of_label = {label: row for row, label in enumerate(dict.fromkeys(labels))}
    rows = [row_of_label[label] for label in labels]
    for function in left_out:
        rows[function] = LEFT_OUT
    packed = b"".join([row.to_bytes(4, sys.byteorder) for row in rows])
    compensation = None
    if costs is not None:
        from tracer.calibration import compensation_of

        compensation = compensation_of(costs, ((label[0], label[2]) for label in labels))
    return add_up(
        tuple(threads), packed, tuple(row_of_label), seconds_per_tick, callers, compensation
    )


def dumps(section: dict[str, Any], stats: StatsDict | None = None) -> bytes:
    """A profile file. `stats` are what pstats is to read in it, when they are known already."""
    if stats is None:
        stats, _, _ = rolled_up(
            [names[:3] for names in section["functions"]],
            section["left_out"],
            [
                (thread["nodes"], thread["folds"], thread["outers"], thread["waits"])
                for thread in section["threads"]
            ],
            section["seconds_per_tick"],
            section["subcalls"],
            section["costs"],
        )
    payload = marshal.dumps(section, MARSHAL_VERSION)
    return marshal.dumps(stats, MARSHAL_VERSION) + pack_section(payload) + payload
