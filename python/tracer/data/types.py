"""The types of a profile's contents: functions, threads, runs, source texts, figures.

capture.py and the other modules of this folder make them and use them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

# (file name, line, name): a function, for pstats. A builtin's is ("~", 0, "<description>").
Label: TypeAlias = tuple[str, int, str]
# ncalls, primitive calls, tottime, cumtime
CallerFigures: TypeAlias = tuple[int, int, float, float]
# primitive calls, ncalls, tottime, cumtime, callers: in the order of pstats
StatsDict: TypeAlias = dict[Label, tuple[int, int, float, float, dict[Label, CallerFigures]]]
# (included paths, excluded paths); None where no code was left out.
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

    primitive: the resumes that were not made from within the same function. callers: who resumed
    it, {label: CallerResumes}. suspended: seconds that it waited for its resumes. A wait that has
    not ended is not in `suspended`, and no wait is in tottime or cumtime.
    """

    total: int
    primitive: int
    callers: dict[Label, CallerResumes]
    suspended: float


class Totals(NamedTuple):
    """The figures of every function; times are seconds.

    stats: as pstats has them. extras: the times that pstats has no place for, where they are not 0:
    {"suspended": {label: seconds}}. taken_out: (seconds of tracing overhead, seconds of it that
    could not be subtracted). The latter stay in the figures: a function had less time than its
    calls should have cost.
    """

    stats: StatsDict
    resumes: dict[Label, Resumes]
    extras: dict[str, dict[Label, float]]
    taken_out: tuple[float, float]


@dataclass(frozen=True)
class RunInfo:
    """A run of `python -m tracer`.

    command: the command line. started: seconds since the epoch. real, user, system: seconds.
    children: seconds for which processors worked for child processes that ended. preemptions: how
    often the system took a processor from a thread that had work to do. processors: of the machine;
    0: not known, as in older files.
    max_memory: the most bytes that the run held. python: the Python that ran it; "": not known.
    ended: how the run ended: "by SIGTERM", "by ValueError", "with exit status 3"; "saved while the
    program ran" in a file saved before the end; "" for exit status 0, or where it is not known.
    """

    command: tuple[str, ...]
    started: float
    real: float
    user: float
    system: float
    max_memory: int
    python: str = ""
    ended: str = ""
    children: float = 0.0
    preemptions: int = 0
    processors: int = 0


class Function(NamedTuple):
    """A function as captured. qualname: `Class.method` where `name` is `method`."""

    filename: str
    line: int
    name: str
    qualname: str

    def label(self, names: str, strip_dirs: bool = False) -> Label:
        """The key of the function's row: as in pstats with names="label", or by its qualified name
        with names="qualname"."""
        filename = os.path.basename(self.filename) if strip_dirs else self.filename
        if names == "label":
            return filename, self.line, self.name
        # pstats prints a builtin's name in braces when it stands in angle brackets.
        name = f"<{self.qualname}>" if self.filename == "~" else self.qualname
        return filename, self.line, name


class SourceText(NamedTuple):
    """data: the bytes of a source file when the run ended. changed: whether the file was changed
    during the run."""

    data: bytes
    changed: bool


class ThreadLog(NamedTuple):
    """What a file holds of a thread's timeline. slices, bins: packed as the timeline says. folded:
    the numbers of the nodes that stand for many paths. began, ended: ticks of its first and last
    event. is_over: whether the thread had ended."""

    slices: bytes
    bins: bytes
    folded: bytes
    began: int
    ended: int
    is_over: bool


class ThreadWaits(NamedTuple):
    """What a file of samples holds of a thread's waits. wait_nodes: where it waited, as nodes whose
    ticks are nanoseconds. looks: how many times it was seen to wait. real, cpu: the seconds for
    which it was sampled, and those of CPU meanwhile."""

    wait_nodes: bytes
    looks: int
    real: float
    cpu: float

    @property
    def waited(self) -> float:
        return max(0.0, self.real - self.cpu)


class Thread(NamedTuple):
    """A thread as captured. name, ident, native_id: as in threading.

    sharers: the number of threads in this record. It is 1, but past a thousand threads a new thread
    continues the record of one that has ended; the name and ids are then the last thread's.
    lost_calls: calls dropped: out of memory. cut_off: None, or the seconds from enable() to the
    last event before the program took the thread's profile function away. Nothing is recorded
    of the thread after that. log: where a timeline was recorded. memory: where memory was
    recorded, what each context allocated (data/memory.py). native: where native code was sampled,
    the samples (data/samples.py); native_cpu: the seconds of CPU meanwhile, or -1. waits: where
    times come from samples. object_calls: of objects that have no row (analysis/tree).
    """

    name: str
    ident: int
    native_id: int
    sharers: int
    cut_off: float | None
    lost_calls: int
    records: ThreadRecords
    log: ThreadLog | None = None
    memory: bytes | None = None
    native: bytes | None = None
    native_cpu: float = -1.0
    waits: ThreadWaits | None = None
    object_calls: bytes = b""

    def __repr__(self) -> str:
        facts = self.facts().items()  # records are bytes by the thousand
        return f"Thread({', '.join(f'{name}={value!r}' for name, value in facts)})"

    def facts(self) -> dict[str, Any]:
        """All but what is bytes: the records, the log, the memory, the samples, the waits, and the
        calls of objects."""
        facts = self._asdict()
        for name in ("records", "log", "memory", "native", "native_cpu", "waits", "object_calls"):
            del facts[name]
        return facts

    def as_dict(self) -> dict[str, Any]:
        """The thread as the section of a file holds it."""
        log = {} if self.log is None else self.log._asdict()
        memory = {} if self.memory is None else {"memory": self.memory}
        native = {"native": self.native, "native_cpu": self.native_cpu}
        waits = {} if self.waits is None else self.waits._asdict()
        objects = {"object_calls": self.object_calls} if self.object_calls else {}
        return {
            **self.facts(),
            **self.records,
            **log,
            **memory,
            **waits,
            **objects,
            **({} if self.native is None else native),
        }
