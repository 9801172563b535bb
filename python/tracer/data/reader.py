"""Reading profile files: from bytes to the captures that a file holds, or a clear error.

The C core scans the bytes (ext/core/report/reader.c), schema.py checks the shape of the section,
and lprof.py reads .lprof files. section.py makes the bytes of profile files.
"""

from __future__ import annotations

import os
from typing import NamedTuple

from tracer._core import ProfileFormatError, read_profile
from tracer.data.capture import Capture, capture_of_lines
from tracer.data.killed import put_together
from tracer.data.schema import NEWER_RUN_SHAPE, RUN_SHAPE, sections_of
from tracer.data.section import LOG_FILE_INFIX, LOG_FILE_MAGIC
from tracer.data.types import RunInfo, StatsDict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PICKLED = b"\x80"  # the first byte of an .lprof file, and of no other


class Contents(NamedTuple):
    """stats: the part of a profile file that pstats reads. captures: one for each run in the file.
    problem: why there is no section where there should be ("truncated", "damaged" or "foreign")."""

    stats: StatsDict
    captures: tuple[Capture, ...]
    problem: str | None


def read(data: bytes, name: str) -> Contents:
    """Read the bytes of a profile file or an .lprof file. Raises ProfileFormatError, which names
    the file `name`."""
    if data.startswith(PICKLED):
        from tracer.data import lprof
        from tracer.data.line_timings import snapshot_of

        return Contents({}, (capture_of_lines(snapshot_of(*lprof.read(data, name))),), None)
    if data.startswith(LOG_FILE_MAGIC):
        raise _timeline_alone(name)
    try:
        stats, payload, problem = read_profile(data)
        sections = () if payload is None else sections_of(payload)
        captures = tuple(_capture_from_section(put_together(it, name)) for it in sections)
        for capture in captures:
            capture.check()
    except ProfileFormatError as error:
        raise ProfileFormatError(
            f"no profile, or damaged: {error.reason}",
            path=name,
            remedy=error.remedy or "name a file that tracer, cProfile or line_profiler wrote",
        ) from None
    except ValueError as error:
        raise ProfileFormatError(
            f"damaged: {error}", path=name, remedy="make the profile again"
        ) from None
    return Contents(stats, captures, problem)


def _capture_from_section(section: dict[str, Any]) -> Capture:
    run = section["run"]
    known = {**RUN_SHAPE, **NEWER_RUN_SHAPE}
    return Capture(
        section, None if run is None else RunInfo(**{k: run[k] for k in known if k in run})
    )


def _timeline_alone(name: str) -> ProfileFormatError:
    """The error that a file is what launch/timeline_file.py makes beside FILE."""
    file = name.rpartition(LOG_FILE_INFIX)[0]
    remedy = "its run has saved no profile beside it"
    if file and os.path.exists(file):
        remedy = f"name {file}, which is shown with it"
    return ProfileFormatError("a timeline alone", path=name, remedy=remedy)
