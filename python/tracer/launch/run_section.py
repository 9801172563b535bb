"""Makes the section of a run, which a profile file holds: snapshot, command, times, end, sources.

A section can be made at any time of the run. profile_output.py writes it. This module imports only
what the interpreter has loaded by itself.
"""

from __future__ import annotations

import os
import sys
from time import perf_counter, time

from tracer._core import usage
from tracer.data.section import files_of, named_and_timed, section_of
from tracer.launch.errors import exit_code
from tracer.launch.interpreter_state import imports_can_be_made
from tracer.runtime.folders import PROJECT, current_folder, nearest
from tracer.source.texts import texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracer._core import Profiler
    from tracer.launch.line_timing import LineTiming
    from tracer.launch.timeline_file import TimelineFile


# What a section has of the timeline: all; all but what stands in its file; nothing.
WHOLE, BESIDE, NOWHERE = "whole", "beside", "nowhere"


class RunSection:
    """Makes the section of one run."""

    def __init__(
        self,
        profile: Profiler,
        lines: LineTiming | None,
        words: list[str],
        *,
        keeps_sources: bool,
        reads_files: bool,
    ) -> None:
        self.profile = profile
        self.lines = lines
        self.words = words
        self.keeps_sources = keeps_sources
        self.reads_files = reads_files  # else only the source of a program in no file is kept
        self.text: tuple[str, bytes] | None = None  # name and source of a program in no file
        self.timeline_file: TimelineFile | None = None

    def start_clock(self) -> None:
        self.started: float = time()
        self.clock: float = perf_counter()
        self.folder: str | None = current_folder()
        self.processors: int = os.cpu_count() or 0  # who looks may have another machine
        self.user: float
        self.system: float
        self.children: float
        self.preemptions: int
        self.user, self.system, self.children, self.preemptions, _ = usage()

    def times(self) -> dict[str, float | int]:
        """How long the program has run so far, in seconds, what processors worked for it, and how
        often one was taken away."""
        user, system, children, preemptions, _ = usage()
        return {
            "real": perf_counter() - self.clock,
            "user": user - self.user,
            "system": system - self.system,
            "children": children - self.children,
            "preemptions": preemptions - self.preemptions,
        }

    def make(
        self, ended: str, *, is_over: bool, texts: bool = True, timeline: str = WHOLE
    ) -> dict[str, Any]:
        """The section. `ended`: how the run ended, as in RunInfo. `texts`: whether to include the
        texts of source files. `timeline`: WHOLE, NOWHERE, or BESIDE: without what its file has."""
        memory = max_memory(usage()[4])  # before the snapshot takes memory
        times = self.times() if is_over else None
        lines = None if self.lines is None else self.lines.section()
        kept_in = self.timeline_file.name if timeline == BESIDE and self.timeline_file else None
        snapshot = self.profile.snapshot(slices=kept_in is None and timeline != NOWHERE)
        if self.lines is not None and self.lines.memory is not None:
            snapshot["memory"]["lines"] = self.lines.memory.snapshot()
        if kept_in is not None:
            snapshot["timeline"]["kept_in"] = kept_in
        if timeline == NOWHERE:
            snapshot["timeline"] = None
        # While the program goes on, the times are read after the snapshot, so that they cover it.
        times = times or self.times()
        run = {
            "command": tuple(self.words),
            "started": self.started,
            **times,
            "max_memory": memory,
            "processors": self.processors,
            "python": "CPython {}.{}.{}".format(*sys.version_info),
            "ended": ended,
        }
        sources: dict[str, tuple[bytes, bool]] | None = None
        if self.keeps_sources:
            sources = {}
            if texts and self.reads_files:
                sources = texts_of(
                    files_of(snapshot, lines), self.started, *named_and_timed(snapshot, lines)
                )
            if self.text is not None:
                sources[self.text[0]] = self.text[1], False
        return section_of(snapshot, run, lines, sources)

    def add_phases(self, section: dict[str, Any]) -> str:
        """Have a section with a timeline keep the phases of the project that the program was
        started in. Returns what is wrong with its file, else "". To be called where modules
        can be imported."""
        if section.get("timeline") is None:
            return ""
        if nearest(PROJECT, self.folder) is None:
            section["project_phases"] = {}
        elif imports_can_be_made():
            try:
                from tracer.analysis.steps.phase_rules import rules_to_keep

                section["project_phases"], problem = rules_to_keep(self.folder)
            except Exception:
                return ""  # the program broke a module: the profile is kept without rules
            return problem
        return ""


def max_memory(ru_maxrss: int) -> int:
    """The most memory the process had, in bytes.

    On Linux ru_maxrss starts at what the parent process used, so it is the last resort there.
    """
    in_bytes = ru_maxrss if sys.platform == "darwin" else ru_maxrss * 1024
    try:
        status = os.open("/proc/self/status", os.O_RDONLY)
    except OSError:
        return in_bytes
    try:
        for line in os.read(status, 2**16).splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    finally:
        os.close(status)
    return in_bytes


def end_by(error: BaseException) -> str:
    """How a program ends that raises `error`, as in RunInfo."""
    if not isinstance(error, SystemExit):
        return f"by {type(error).__name__}"
    code = exit_code(error)
    if code is None or isinstance(code, int):
        return end_with(code or 0)
    return end_with(1)  # the interpreter prints the code


def end_with(status: int) -> str:
    """How a program ends with an exit status, of which the system keeps eight bits."""
    return f"with exit status {status & 0xFF}" if status & 0xFF else ""
