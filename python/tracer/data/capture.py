"""Captures: everything that a profile recorded, as objects and as profile files.

A profile file is one marshalled dict that `pstats.Stats(path)` reads, then tracer's own section:
the call tree, threads and names (docs/reference/file-format.md). section.py makes the bytes,
reader.py reads them, and profile_set.py adds captures up.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import asdict
from typing import Any

from tracer._core import add_up
from tracer.data.lines import Lines
from tracer.data.section import (
    LEFT_OUT,
    dumps,
    log_of,
    packed,
    packed_timeline,
    records_of,
    rolled_up,
    thread_name,
    waits_of,
)
from tracer.data.types import (
    CallerResumes,
    Focus,
    Function,
    Resumes,
    RunInfo,
    SourceText,
    StatsDict,
    Thread,
    Totals,
)
from tracer.runtime.atomic_files import AnyPath, write_whole
from tracer.runtime.unrecorded import all_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.memory import Memory
    from tracer.data.overhead import Costs, Handlers
    from tracer.data.sampled import Sampled
    from tracer.data.samples import Samples
    from tracer.data.timeline import Timeline


@all_aside
class Capture:
    """All that a profile held at one moment. `Profile.capture()` makes one; a file holds some."""

    def __init__(self, data: dict[str, Any], run: RunInfo | None = None) -> None:
        self.functions: tuple[Function, ...] = tuple(
            Function(*names) for names in data["functions"]
        )
        self.left_out: frozenset[int] = frozenset(data["left_out"])
        # (position, module, its file) of the functions of extension modules, but those of the
        # standard library.
        self.extensions: tuple[tuple[int, str, str], ...] = data.get("extensions", ())
        self.threads: tuple[Thread, ...] = tuple(
            Thread(
                thread_name(thread),
                thread["ident"],
                thread["native_id"],
                thread["sharers"],
                thread.get("cut_off"),
                thread["lost_calls"],
                records_of(thread),
                log_of(thread),
                thread.get("memory"),
                thread.get("native"),
                thread.get("native_cpu", -1.0),
                waits_of(thread),
                thread.get("object_calls", b""),
            )
            for thread in data["threads"]
        )
        self.backend: str = data.get("backend", "setprofile")
        self.clock: str = data["clock"]
        self.seconds_per_tick: float = data["seconds_per_tick"]
        self.subcalls: bool = data["subcalls"]
        self.builtins: bool | str = data["builtins"]
        self.focus: Focus = data.get("focus")  # (included paths, excluded paths), or None
        # The tracing overhead of a call when this was recorded, by kind; None: not measured.
        self.costs: Costs | None = data.get("costs")
        # What tracer's handlers of events took in the program; None: not measured.
        self.handlers: Handlers | None = data.get("handlers")
        # What the threads share of a timeline, as a file holds it; None: none was recorded.
        self.timeline_data: dict[str, Any] | None = data.get("timeline")
        # What the threads share of memory, as a file holds it; None: none was recorded.
        self.memory_data: dict[str, Any] | None = data.get("memory")
        # What the threads share of native samples, as a file holds it; None: none were taken.
        self.native_data: dict[str, Any] | None = data.get("native")
        # What is known of samples and counts, where times are shares of samples; else None.
        self.sampled_data: dict[str, Any] | None = data.get("sampled")
        # The user's own phases of a step, by category: the names of functions (data/phases.py).
        self.phases: dict[str, tuple[str, ...]] = data.get("phases", {})
        # Likewise those of the project's pyproject.toml, as it was when this was recorded; None:
        # not kept.
        self.project_phases: dict[str, tuple[str, ...]] | None = data.get("project_phases")
        # What the processors did meanwhile (runtime/processor_use.py); None: not measured.
        self.use: dict[str, Any] | None = data.get("use")
        # As LineRecorder.snapshot() returns it; None: no lines were timed.
        self.timed_lines: dict[str, Any] | None = data.get("lines")
        # By file: the program's own files, where `python -m tracer` recorded with -o. Under
        # --no-source there are none, and nothing looks for any.
        sources = data.get("sources", {})
        self.keeps_source: bool = sources is not None
        self.sources: dict[str, SourceText] = {
            file: SourceText(*text) for file, text in (sources or {}).items()
        }
        self.run = run
        # The positions of the native functions, in a capture that is seen by its native samples.
        self.native_functions: frozenset[int] = frozenset()

    def __repr__(self) -> str:
        functions, threads = len(self.functions), self.thread_count
        return (
            f"<tracer.Capture: {functions} function{'s' * (functions != 1)}, "
            f"{threads} thread{'s' * (threads != 1)}>"
        )

    @property
    def thread_count(self) -> int:
        """The number of threads, with those that share another thread's record."""
        return sum(thread.sharers for thread in self.threads)

    @property
    def total_calls(self) -> int:
        """Calls of all functions. Resumes are not counted."""
        return sum(ncalls for _, ncalls, _, _, _ in self.figures().stats.values())

    @property
    def lost_calls(self) -> int:
        """Calls dropped: out of memory. No figure counts them; their time is in their caller's."""
        return sum(thread.lost_calls for thread in self.threads)

    @property
    def costs_here(self) -> Costs | None:
        """The costs in the program. `costs` are those where they were measured."""
        if self.costs is None:
            return None
        from tracer.data.overhead import in_program

        return in_program(self.costs, self.handlers, self.seconds_per_tick)

    @property
    def taken_out(self) -> tuple[float, float]:
        """(seconds of tracing overhead, seconds of it that could not be subtracted).

        The latter stay in the figures: a function had less time than its calls should have cost.
        """
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
        """The figures of every function, in all threads or in `thread`. Times are seconds.

        Functions with the same label are one row: their figures are added, and a call of one by
        the other is a recursion. `strip_dirs` takes the folders off file names. Tracing overhead
        is subtracted where it was measured, unless `raw`. Without `callers` no callers are
        reported, which is faster.
        """
        threads = self.threads if thread is None else (thread,)
        labels = [function.label(names, strip_dirs) for function in self.functions]
        stats, resumes, extras, taken_out = rolled_up(
            labels,
            self.left_out,
            [thread.records for thread in threads],
            self.seconds_per_tick,
            self.subcalls and callers,
            None if raw else self.costs,
            self.handlers,
            ((function.filename, function.name) for function in self.functions),
        )
        if self.sampled_data is not None and len(threads) == len(self.threads):
            from tracer.data.sampled_records import with_counts

            stats = with_counts(stats, labels, self.left_out, self.sampled_data)
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
        """A capture of these threads alone."""
        part = copy(self)
        part.threads = tuple(threads)
        if self.timeline_data is not None:
            from tracer.data.timeline import of_threads

            kept = [self.threads.index(thread) for thread in part.threads]
            part.timeline_data = of_threads(self.timeline_data, kept)
        ids = {(thread.ident, thread.native_id) for thread in part.threads}

        def of_these(lines: dict[str, Any]) -> dict[str, Any]:
            some = (it for it in lines["threads"] if (it["ident"], it["native_id"]) in ids)
            return {**lines, "threads": tuple(some)}

        if self.timed_lines is not None:
            part.timed_lines = of_these(self.timed_lines)
        memory = self.memory_data
        if memory is not None and "lines" in memory:
            part.memory_data = {**memory, "lines": of_these(memory["lines"])}
        return part

    @property
    def timeline(self) -> Timeline | None:
        """When each call ran; None where no timeline was recorded."""
        if self.timeline_data is None:
            return None
        from tracer.data.timeline import timeline_of

        logs = [(it.records, it.log) for it in self.threads if it.log is not None]
        return timeline_of(self.timeline_data, logs, self.seconds_per_tick)

    @property
    def memory(self) -> Memory | None:
        """What was allocated; None where no memory was recorded."""
        if self.memory_data is None:
            return None
        from tracer.data.memory import Memory

        return Memory(self.memory_data)

    @property
    def native(self) -> Samples | None:
        """The native samples; None where none were taken."""
        if self.native_data is None:
            return None
        from tracer.data.samples import Samples

        return Samples(self.native_data)

    @property
    def sampled(self) -> Sampled | None:
        """What its samples and counts tell; None where each call was recorded."""
        if self.sampled_data is None:
            return None
        from tracer.data.sampled import Sampled

        return Sampled(self.sampled_data)

    def seen_by(self, measure: str) -> Capture:
        """The capture with bytes of a measure of memory in the place of nanoseconds, and blocks in
        the place of calls: see data/memory.py. Raises ValueError where no memory was recorded."""
        from tracer.data.memory import BYTE, NO_MEMORY, seen_by

        if self.memory_data is None:
            raise ValueError(NO_MEMORY)
        view = copy(self)
        view.seconds_per_tick = BYTE
        view.costs = view.handlers = view.timeline_data = view.timed_lines = None
        view.native_data = None
        view.threads = tuple(seen_by(self.threads, measure))
        return view

    def lines(self, *, raw: bool = False) -> Lines:
        """The timed lines, if any. Tracing overhead is subtracted where it was measured, unless
        `raw`."""
        return lines_of([self], raw=raw)

    def check(self) -> None:
        """Raise ValueError when a record refers to a function or code object that is not there, as
        in a damaged file."""
        self.lines()
        nobody = LEFT_OUT.to_bytes(4, sys.byteorder) * len(self.functions)
        add_up(tuple(tuple(it.records.values()) for it in self.threads), nobody, (), 1.0, False)

    def section(self) -> dict[str, Any]:
        """The capture as tracer's section of a profile file."""
        return {
            "byte_order": sys.byteorder,
            "functions": tuple(tuple(function) for function in self.functions),
            "left_out": tuple(sorted(self.left_out)),
            "extensions": self.extensions,
            "threads": tuple(thread.as_dict() for thread in self.threads),
            "timeline": self.timeline_data,
            "memory": self.memory_data,
            "native": self.native_data,
            "sampled": self.sampled_data,
            "phases": self.phases,
            "project_phases": self.project_phases,
            "use": self.use,
            "backend": self.backend,
            "clock": self.clock,
            "seconds_per_tick": self.seconds_per_tick,
            "subcalls": self.subcalls,
            "builtins": self.builtins,
            "focus": self.focus,
            "costs": self.costs,
            "handlers": self.handlers,
            "run": None if self.run is None else asdict(self.run),
            "lines": self.timed_lines,
            "sources": {file: tuple(text) for file, text in self.sources.items()}
            if self.keeps_source
            else None,
        }

    def dumps(self, stats: StatsDict | None = None) -> bytes:
        """The capture as the bytes of a profile file. `stats`: those of figures(), where the caller
        has them already."""
        return dumps(self.section(), stats)

    def write(self, path: AnyPath) -> None:
        """Write a profile file, whole or not at all: a temporary file beside it is renamed.

        A pipe or a device is written to directly. Raises OSError.
        """
        write_whole(path, self.dumps())


def lines_of(captures: Iterable[Capture], *, raw: bool = False) -> Lines:
    """The timed lines of all these captures, added up."""
    timed, texts = [], {}
    for capture in captures:
        if capture.timed_lines is not None:
            timed.append(capture.timed_lines)
            texts.update(capture.sources)
    return Lines(timed, raw=raw, texts=texts)


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
    """A capture of lines alone. `snapshot`: LineRecorder.snapshot() with `sources`."""
    return Capture({**NOTHING, "lines": snapshot})


def dumps_all(captures: Sequence[Capture], stats: StatsDict) -> bytes:
    """The bytes of a profile file that holds all these captures. `stats`: their sum."""
    if not captures:
        return packed(stats, None)
    if len(captures) == 1:
        return captures[0].dumps(stats)
    sections = tuple(packed_timeline(capture.section()) for capture in captures)
    return packed(stats, {"merged": sections})
