"""The types of what a profile holds: functions, threads, runs, source texts, figures.

What is made of these types, and how, is in the modules beside this one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

# (file name, line, name): what pstats calls a function. A builtin's is ("~", 0, "<description>").
Label: TypeAlias = tuple[str, int, str]
# ncalls, primitive calls, tottime, cumtime
CallerFigures: TypeAlias = tuple[int, int, float, float]
# primitive calls, ncalls, tottime, cumtime, callers: the order pstats has them in
StatsDict: TypeAlias = dict[Label, tuple[int, int, float, float, dict[Label, CallerFigures]]]
# The paths that are included, and those that are excluded; None where nothing was left out.
Focus: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]] | None


# A thread's packed records by their keys, in the order of _core.RECORDS: see
# ext/core/report/capture.h.
ThreadRecords: TypeAlias = dict[str, bytes]


class CallerResumes(NamedTuple):
    """How often a caller resumed a generator or coroutine."""

    total: int
    primitive: int


class Resumes(NamedTuple):
    """How often a generator or coroutine went on after it was suspended.

    `primitive` counts the resumes that were not made from within the same function, and `callers`
    says who resumed it: {label: CallerResumes}. `suspended` is how long it had waited for them, in
    seconds: a wait that has not ended is not in it, and no wait is in tottime or cumtime.
    """

    total: int
    primitive: int
    callers: dict[Label, CallerResumes]
    suspended: float


class Totals(NamedTuple):
    """The figures of every function: `stats` as pstats has them, and `resumes`. `extras` are those,
    by name, that pstats has no place for, where they are not 0: {"suspended": {label: seconds}}.
    `taken_out` is how many seconds tracing itself cost, and how many of them there were not to be
    taken, because a function had less time than its calls should have cost."""

    stats: StatsDict
    resumes: dict[Label, Resumes]
    extras: dict[str, dict[Label, float]]
    taken_out: tuple[float, float]


@dataclass(frozen=True)
class RunInfo:
    """A run of `python -m tracer`: its command line, when it began (seconds since the epoch), its
    real, user and system time (seconds), the most memory it held (bytes), which Python ran it, ""
    where that is not known, and how it ended, "by SIGTERM", "by ValueError", "with exit status 3",
    "saved while the program ran" where it had not by then, or "" where that was with status 0 or is
    not known."""

    command: tuple[str, ...]
    started: float
    real: float
    user: float
    system: float
    max_memory: int
    python: str = ""
    ended: str = ""


class Function(NamedTuple):
    """A function as captured; `qualname` is `Class.method` where `name` is `method`."""

    filename: str
    line: int
    name: str
    qualname: str

    def label(self, names: str, strip_dirs: bool = False) -> Label:
        """The key of its row, with names="label" as in pstats, or names="qualname"."""
        filename = os.path.basename(self.filename) if strip_dirs else self.filename
        if names == "label":
            return filename, self.line, self.name
        # pstats prints a builtin's name in braces when it stands in angle brackets.
        name = f"<{self.qualname}>" if self.filename == "~" else self.qualname
        return filename, self.line, name


class SourceText(NamedTuple):
    """What a source file held when the run ended, and whether it was changed while it ran."""

    data: bytes
    changed: bool


class Thread(NamedTuple):
    """A thread as captured: `ident` and `native_id` as in threading. Past a thousand threads, new
    ones go on in the record of one that has ended: then `sharers`, 1 otherwise, is how many did,
    and the name and ids are the last one's. `lost_calls` were dropped, out of memory.
    `cut_off` is None, or the seconds from enable() to the last event before the program took the
    thread's profile function away: nothing is known of the thread from there on."""

    name: str
    ident: int
    native_id: int
    sharers: int
    cut_off: float | None
    lost_calls: int
    records: ThreadRecords

    def __repr__(self) -> str:
        facts = self.facts().items()  # records are bytes by the thousand
        return f"Thread({', '.join(f'{name}={value!r}' for name, value in facts)})"

    def facts(self) -> dict[str, Any]:
        """All but the records."""
        facts = self._asdict()
        del facts["records"]
        return facts
