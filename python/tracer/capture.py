"""Captures: everything a profile recorded, and the files they are kept in.

A profile file is what `pstats.Stats(path)` reads, one marshalled dict, with a section of our own
behind it that holds the call tree, threads and names; ext/README.md describes both byte by byte.
Their bytes are made in writing.py; turning a capture into tables is stats.py's work.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeAlias

from tracer._core import ProfileFormatError, add_up, read_profile
from tracer.aside import all_aside
from tracer.calibration import KINDS
from tracer.files import AnyPath, write_whole
from tracer.writing import LEFT_OUT, dumps, rolled_up, thread_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.calibration import Costs
    from tracer.writing import RawResumes

__all__ = ["Capture", "Function", "ProfileFormatError", "Resumes", "RunInfo", "Thread", "read"]

# (file name, line, name): what pstats calls a function. A builtin's is ("~", 0, "<description>").
Label: TypeAlias = tuple[str, int, str]
# ncalls, primitive calls, tottime, cumtime
CallerFigures: TypeAlias = tuple[int, int, float, float]
# primitive calls, ncalls, tottime, cumtime, callers: the order pstats has them in
StatsDict: TypeAlias = dict[Label, tuple[int, int, float, float, dict[Label, CallerFigures]]]
# nodes, folds, outers, waits: packed records, see ext/core/capture.h
ThreadRecords: TypeAlias = tuple[bytes, bytes, bytes, bytes]
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


@dataclass(frozen=True)
class RunInfo:
    """A run of `python -m tracer`: its command line, when it began (seconds since the epoch), its
    real, user and system time (seconds), and the most memory it held (bytes)."""

    command: tuple[str, ...]
    started: float
    real: float
    user: float
    system: float
    max_memory: int


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
        shown = self._asdict()
        del shown["records"]  # bytes by the thousand
        return f"Thread({', '.join(f'{name}={value!r}' for name, value in shown.items())})"


@all_aside
class Capture:
    """All that a profile held at one moment. Made by `Profile.capture()` and by reading a file."""

    def __init__(self, data: dict[str, Any], run: RunInfo | None = None) -> None:
        self.functions = tuple(Function(*names) for names in data["functions"])
        self.left_out = frozenset(data["left_out"])
        self.threads = tuple(
            Thread(
                thread_name(thread),
                thread["ident"],
                thread["native_id"],
                thread["sharers"],
                thread.get("cut_off"),
                thread["lost_calls"],
                (thread["nodes"], thread["folds"], thread["outers"], thread.get("waits", b"")),
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
        stats, _ = self.figures()
        return sum(ncalls for _, ncalls, _, _, _ in stats.values())

    @property
    def lost_calls(self) -> int:
        """Calls that found no memory: they are in no figure, and their time is their caller's."""
        return sum(thread.lost_calls for thread in self.threads)

    @property
    def taken_out(self) -> tuple[float, float]:
        """The seconds of tracing itself that compensation finds, and how many of them it leaves in
        the figures, because a function had less time than its calls should have cost."""
        labels = [function.label("label") for function in self.functions]
        return self._rolled_up(labels, self.threads, self.costs)[2]

    def _rolled_up(
        self, labels: Sequence[Label], threads: Sequence[Thread], costs: Costs | None
    ) -> tuple[StatsDict, RawResumes, tuple[float, float]]:
        return rolled_up(
            labels,
            self.left_out,
            [thread.records for thread in threads],
            self.seconds_per_tick,
            self.subcalls,
            costs,
        )

    def figures(
        self,
        names: str = "label",
        thread: Thread | None = None,
        strip_dirs: bool = False,
        *,
        raw: bool = False,
    ) -> tuple[StatsDict, dict[Label, Resumes]]:
        """The figures of every function: (stats as pstats has them, resumes), of all threads or of
        one, with file names as they are or without their folders. Functions with one label are one
        row: their numbers are added, and a call of one by the other is a recursion. Where the costs
        of tracing are known they are taken out of the times, unless `raw`."""
        threads = self.threads if thread is None else (thread,)
        labels = [function.label(names, strip_dirs) for function in self.functions]
        stats, resumes, _ = self._rolled_up(labels, threads, None if raw else self.costs)
        return stats, {
            label: Resumes(
                total, primitive, {k: CallerResumes(*v) for k, v in callers.items()}, suspended
            )
            for label, (total, primitive, callers, suspended) in resumes.items()
        }

    def check(self) -> None:
        """Raise ValueError when a record names what is not there, as in a damaged file."""
        nobody = LEFT_OUT.to_bytes(4, sys.byteorder) * len(self.functions)
        add_up(tuple(thread.records for thread in self.threads), nobody, (), 1.0, False)

    def dumps(self, stats: StatsDict | None = None) -> bytes:
        """The capture as the bytes of a profile file. `stats` are those of figures(), when they are
        known already."""
        return dumps(
            {
                "byte_order": sys.byteorder,
                "functions": tuple(tuple(function) for function in self.functions),
                "left_out": tuple(sorted(self.left_out)),
                "threads": tuple(_thread_as_dict(thread) for thread in self.threads),
                "backend": self.backend,
                "clock": self.clock,
                "seconds_per_tick": self.seconds_per_tick,
                "subcalls": self.subcalls,
                "builtins": self.builtins,
                "focus": self.focus,
                "costs": self.costs,
                "run": None if self.run is None else asdict(self.run),
            },
            stats,
        )

    def write(self, path: AnyPath) -> None:
        """Write a profile file, whole or not at all: a temporary file beside it is renamed.

        A path that is no regular file (a pipe, a device) is written to directly. Raises OSError.
        """
        write_whole(path, self.dumps())


def _thread_as_dict(thread: Thread) -> dict[str, Any]:
    nodes, folds, outers, waits = thread.records
    return {
        "name": thread.name,
        "ident": thread.ident,
        "native_id": thread.native_id,
        "sharers": thread.sharers,
        "cut_off": thread.cut_off,
        "lost_calls": thread.lost_calls,
        "nodes": nodes,
        "folds": folds,
        "outers": outers,
        "waits": waits,
    }


class Contents(NamedTuple):
    """What a profile file holds: the pstats part, our section if there is one, and why not if there
    should be ("truncated", "damaged" or "foreign")."""

    stats: StatsDict
    capture: Capture | None
    problem: str | None


def read(data: bytes, name: str) -> Contents:
    """Read the bytes of a profile file; `name` is for messages. Raises ProfileFormatError."""
    try:
        stats, payload, problem = read_profile(data)
        capture = None if payload is None else _capture_from_payload(payload)
        if capture is not None:
            capture.check()
    except ProfileFormatError as error:
        remedy = "" if "newer" in str(error) else "; name a file that tracer or cProfile wrote"
        raise ProfileFormatError(f"{name}: no profile, or damaged: {error}{remedy}") from None
    except ValueError as error:
        raise ProfileFormatError(f"{name}: damaged: {error}; make the profile again") from None
    return Contents(stats, capture, problem)


# -- The shape of our section -----------------------------------------------------------------

Shape: TypeAlias = dict[str, Callable[[Any], bool]]


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_functions(value: Any) -> bool:
    kinds = (str, int, str, str)
    return type(value) is tuple and all(
        type(names) is tuple and tuple(map(type, names)) == kinds for names in value
    )


def _is_words(value: Any) -> bool:
    return type(value) is tuple and all(type(word) is str for word in value)


def _is_costs(value: Any) -> bool:
    def is_cost(cost: Any) -> bool:
        return type(cost) is tuple and tuple(map(type, cost)) == (float, float)

    return (
        type(value) is dict
        and value.keys() == {*KINDS, "resume"}
        and all(type(pair) is tuple and len(pair) == 2 for pair in value.values())
        and all(is_cost(cost) for pair in value.values() for cost in pair)
    )


def _fits(value: Any, shape: Shape, optional: Shape | None = None) -> bool:
    return (
        type(value) is dict
        and all(key in value and shape[key](value[key]) for key in shape)
        and all(key not in value or fits(value[key]) for key, fits in (optional or {}).items())
    )


def _is(*kinds: type) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        return type(value) in kinds

    return check


THREAD_SHAPE: Shape = {
    "name": _is(str),
    "ident": _is_count,
    "native_id": _is_count,
    "sharers": _is_count,
    "lost_calls": _is_count,
    "nodes": _is(bytes),
    "folds": _is(bytes),
    "outers": _is(bytes),
}
# What files of the first days do not have.
NEWER_THREAD_SHAPE: Shape = {
    "cut_off": _is(float, type(None)),
    "waits": _is(bytes),
}
RUN_SHAPE: Shape = {
    "command": _is_words,
    "started": _is(float, int),
    "real": _is(float, int),
    "user": _is(float, int),
    "system": _is(float, int),
    "max_memory": _is_count,
}
SECTION_SHAPE: Shape = {
    "byte_order": _is(str),
    "functions": _is_functions,
    "left_out": lambda value: type(value) is tuple and all(map(_is_count, value)),
    "threads": lambda value: (
        type(value) is tuple and all(_fits(t, THREAD_SHAPE, NEWER_THREAD_SHAPE) for t in value)
    ),
    "clock": _is(str),
    "seconds_per_tick": lambda value: type(value) is float and 0 < value < 1e9,
    "subcalls": _is(bool),
    "builtins": lambda value: type(value) is bool or value == "all",
    "run": lambda value: value is None or _fits(value, RUN_SHAPE),
}
NEWER_SECTION_SHAPE: Shape = {
    "backend": _is(str),
    "costs": lambda value: value is None or _is_costs(value),
    "focus": lambda value: (
        value is None
        or (type(value) is tuple and len(value) == 2 and all(_is_words(paths) for paths in value))
    ),
}


def _capture_from_payload(payload: dict[str, Any]) -> Capture:
    for key, fits in {**SECTION_SHAPE, **NEWER_SECTION_SHAPE}.items():
        missing = key not in payload and key in SECTION_SHAPE
        if missing or (key in payload and not fits(payload[key])):
            raise ValueError(f"its section has no proper {key!r}")
    if payload["byte_order"] != sys.byteorder:
        raise ValueError(f"it was written on a {payload['byte_order']}-endian machine")
    if any(function >= len(payload["functions"]) for function in payload["left_out"]):
        raise ValueError("its section leaves out a function that is not there")
    run = payload["run"]
    return Capture(payload, None if run is None else RunInfo(**{k: run[k] for k in RUN_SHAPE}))


def merged_resumes(parts: Sequence[dict[Label, Resumes]]) -> dict[Label, Resumes]:
    """Resumes of several captures, added up."""
    merged: dict[Label, Resumes] = {}
    for part in parts:
        for label, more in part.items():
            known = merged.get(label, Resumes(0, 0, {}, 0.0))
            callers = dict(known.callers)
            for caller, counts in more.callers.items():
                before = callers.get(caller, CallerResumes(0, 0))
                callers[caller] = CallerResumes(
                    before.total + counts.total, before.primitive + counts.primitive
                )
            merged[label] = Resumes(
                known.total + more.total,
                known.primitive + more.primitive,
                callers,
                known.suspended + more.suspended,
            )
    return merged
