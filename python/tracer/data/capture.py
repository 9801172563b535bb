"""Captures: everything a profile recorded, and the files they are kept in.

A profile file is what `pstats.Stats(path)` reads, one marshalled dict, with a section of our own
behind it that holds the call tree, threads and names; ext/README.md describes both byte by byte.
Their bytes are made in section.py; turning a capture into tables is api/stats.py's work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

from tracer._core import ProfileFormatError, add_up, read_profile
from tracer.data.lines import Lines, snapshot_of
from tracer.data.schema import NEWER_RUN_SHAPE, RUN_SHAPE, sections_of
from tracer.data.section import LEFT_OUT, dumps, packed, records_of, rolled_up, thread_name
from tracer.runtime.atomic_files import AnyPath, write_whole
from tracer.runtime.unrecorded import all_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.section import ThreadRecords
    from tracer.recording.call_overhead import Costs

__all__ = ["Capture", "Function", "ProfileFormatError", "Resumes", "RunInfo", "Thread", "read"]

# (file name, line, name): what pstats calls a function. A builtin's is ("~", 0, "<description>").
Label: TypeAlias = tuple[str, int, str]
# ncalls, primitive calls, tottime, cumtime
CallerFigures: TypeAlias = tuple[int, int, float, float]
# primitive calls, ncalls, tottime, cumtime, callers: the order pstats has them in
StatsDict: TypeAlias = dict[Label, tuple[int, int, float, float, dict[Label, CallerFigures]]]
# The paths that are included, and those that are excluded; None where nothing was left out.
Focus: TypeAlias = tuple[tuple[str, ...], tuple[str, ...]] | None


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
    and the name and ids are the last one's. `lost_calls` found no memory and are in no figure.
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


@all_aside
class Capture:
    """All that a profile held at one moment. Made by `Profile.capture()` and by reading a file."""

    def __init__(self, data: dict[str, Any], run: RunInfo | None = None) -> None:
        self.functions: tuple[Function, ...] = tuple(
            Function(*names) for names in data["functions"]
        )
        self.left_out: frozenset[int] = frozenset(data["left_out"])
        self.threads: tuple[Thread, ...] = tuple(
            Thread(
                thread_name(thread),
                thread["ident"],
                thread["native_id"],
                thread["sharers"],
                thread.get("cut_off"),
                thread["lost_calls"],
                records_of(thread),
            )
            for thread in data["threads"]
        )
        self.backend: str = data.get("backend", "setprofile")
        self.clock: str = data["clock"]
        self.seconds_per_tick: float = data["seconds_per_tick"]
        self.subcalls: bool = data["subcalls"]
        self.builtins: bool | str = data["builtins"]
        self.focus: Focus = data.get("focus")  # the paths included and those excluded, if any
        # What a call cost when this was recorded, by kind; None: nobody wanted to know.
        self.costs: Costs | None = data.get("costs")
        # Of LineRecorder.snapshot(); None: no lines were timed.
        self.timed_lines: dict[str, Any] | None = data.get("lines")
        # By file; of the program's own, where `python -m tracer` recorded it with -o. Under
        # --no-source there are none, and none are to be looked for.
        sources = data.get("sources", {})
        self.keeps_source: bool = sources is not None
        self.sources: dict[str, SourceText] = {
            file: SourceText(*text) for file, text in (sources or {}).items()
        }
        self.run = run

    def __repr__(self) -> str:
        functions, threads = len(self.functions), self.thread_count
        return (
            f"<tracer.Capture: {functions} function{'s' * (functions != 1)}, "
            f"{threads} thread{'s' * (threads != 1)}>"
        )

    @property
    def thread_count(self) -> int:
        """How many threads there were, those counted that share the record of another."""
        return sum(thread.sharers for thread in self.threads)

    @property
    def total_calls(self) -> int:
        """Calls of all functions, resumes not counted."""
        return sum(ncalls for _, ncalls, _, _, _ in self.figures().stats.values())

    @property
    def lost_calls(self) -> int:
        """Calls that found no memory: they are in no figure, and their time is their caller's."""
        return sum(thread.lost_calls for thread in self.threads)

    @property
    def taken_out(self) -> tuple[float, float]:
        """The seconds of tracing itself that compensation finds, and how many of them it leaves in
        the figures, because a function had less time than its calls should have cost."""
        return self.figures().taken_out

    def figures(
        self,
        names: str = "label",
        thread: Thread | None = None,
        strip_dirs: bool = False,
        *,
        raw: bool = False,
        callers: bool = True,
    ) -> Totals:
        """The figures of every function, of all threads or of one, with file names as they are or
        without their folders. Functions with one label are one row: their numbers are added, and a
        call of one by the other is a recursion. Where the costs of tracing are known they are taken
        out of the times, unless `raw`. Without `callers` none are told, which is faster."""
        threads = self.threads if thread is None else (thread,)
        labels = [function.label(names, strip_dirs) for function in self.functions]
        stats, resumes, extras, taken_out = rolled_up(
            labels,
            self.left_out,
            [thread.records for thread in threads],
            self.seconds_per_tick,
            self.subcalls and callers,
            None if raw else self.costs,
            ((function.filename, function.name) for function in self.functions),
        )
        suspended = extras["suspended"]
        return Totals(
            stats,
            {
                label: Resumes(
                    total,
                    primitive,
                    {caller: CallerResumes(*counts) for caller, counts in found.items()},
                    suspended.get(label, 0.0),
                )
                for label, (total, primitive, found) in resumes.items()
            },
            extras,
            taken_out,
        )

    def of_threads(self, threads: Iterable[Thread]) -> Capture:
        """What it holds of these threads alone; of lines nothing, which are of all threads."""
        part = copy(self)
        part.threads, part.timed_lines = tuple(threads), None
        return part

    def lines(self, *, raw: bool = False) -> Lines:
        """The lines that were timed, if any; less what tracing cost where that is known, unless
        `raw`."""
        return lines_of([self], raw=raw)

    def check(self) -> None:
        """Raise ValueError when a record names what is not there, as in a damaged file."""
        self.lines()
        nobody = LEFT_OUT.to_bytes(4, sys.byteorder) * len(self.functions)
        add_up(tuple(tuple(it.records.values()) for it in self.threads), nobody, (), 1.0, False)

    def section(self) -> dict[str, Any]:
        """What tracer's part of a profile file holds of it."""
        return {
            "byte_order": sys.byteorder,
            "functions": tuple(tuple(function) for function in self.functions),
            "left_out": tuple(sorted(self.left_out)),
            "threads": tuple({**thread.facts(), **thread.records} for thread in self.threads),
            "backend": self.backend,
            "clock": self.clock,
            "seconds_per_tick": self.seconds_per_tick,
            "subcalls": self.subcalls,
            "builtins": self.builtins,
            "focus": self.focus,
            "costs": self.costs,
            "run": None if self.run is None else asdict(self.run),
            "lines": self.timed_lines,
            "sources": {file: tuple(text) for file, text in self.sources.items()}
            if self.keeps_source
            else None,
        }

    def dumps(self, stats: StatsDict | None = None) -> bytes:
        """The capture as the bytes of a profile file. `stats` are those of figures(), when they are
        known already."""
        return dumps(self.section(), stats)

    def write(self, path: AnyPath) -> None:
        """Write a profile file, whole or not at all: a temporary file beside it is renamed.

        A path that is no regular file (a pipe, a device) is written to directly. Raises OSError.
        """
        write_whole(path, self.dumps())


def lines_of(captures: Iterable[Capture], *, raw: bool = False) -> Lines:
    """The lines that were timed in all of these."""
    timed, texts = [], {}
    for capture in captures:
        if capture.timed_lines is not None:
            timed.append(capture.timed_lines)
            texts.update(capture.sources)
    return Lines(timed, raw=raw, texts=texts)


PICKLED = b"\x80"  # how an .lprof file begins, and no other
# A capture without functions.
NOTHING: dict[str, Any] = {
    "functions": (),
    "left_out": (),
    "threads": (),
    "clock": "custom",
    "seconds_per_tick": 1.0,
    "subcalls": True,
    "builtins": True,
}


def capture_of_lines(snapshot: dict[str, Any]) -> Capture:
    """A capture of lines alone: of LineRecorder.snapshot(), and `sources`."""
    return Capture({**NOTHING, "lines": snapshot})


def dumps_all(captures: Sequence[Capture], stats: StatsDict) -> bytes:
    """The bytes of a profile file that holds all of these captures; `stats` are their sum."""
    if not captures:
        return packed(stats, None)
    if len(captures) == 1:
        return captures[0].dumps(stats)
    return packed(stats, {"merged": tuple(capture.section() for capture in captures)})


class Contents(NamedTuple):
    """What a profile file holds: the pstats part; our sections, of a merged file one for each run;
    and why there is none if there should be ("truncated", "damaged" or "foreign")."""

    stats: StatsDict
    captures: tuple[Capture, ...]
    problem: str | None


def read(data: bytes, name: str) -> Contents:
    """Read the bytes of a profile file, of an .lprof file too; `name` is for messages. Raises
    ProfileFormatError."""
    if data.startswith(PICKLED):
        from tracer.data import lprof

        return Contents({}, (capture_of_lines(snapshot_of(*lprof.read(data, name))),), None)
    try:
        stats, payload, problem = read_profile(data)
        sections = () if payload is None else sections_of(payload)
        captures = tuple(map(_capture_from_section, sections))
        for capture in captures:
            capture.check()
    except ProfileFormatError as error:
        remedy = (
            ""
            if "newer" in str(error)
            else "; name a file that tracer, cProfile or line_profiler wrote"
        )
        raise ProfileFormatError(f"{name}: no profile, or damaged: {error}{remedy}") from None
    except ValueError as error:
        raise ProfileFormatError(f"{name}: damaged: {error}; make the profile again") from None
    return Contents(stats, captures, problem)


def _capture_from_section(section: dict[str, Any]) -> Capture:
    run = section["run"]
    known = {**RUN_SHAPE, **NEWER_RUN_SHAPE}
    return Capture(
        section, None if run is None else RunInfo(**{k: run[k] for k in known if k in run})
    )
