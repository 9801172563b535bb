"""-l and --lines: whose lines are timed, and how timing starts.

run_section.py puts the figures into the profile; cli/tables.py prints them.
"""

from __future__ import annotations

import os
import sys

from tracer._core import LineRecorder
from tracer.api.decorator import profile
from tracer.launch.errors import UsageError
from tracer.runtime.folders import resolved
from tracer.source.checksums import Sources
from tracer.source.code_objects import codes_within
from tracer.source.file_kinds import SITE_FOLDERS
from tracer.source.statements import learn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Literal

    from tracer.launch.program import Program
    from tracer.recording.line_overhead import LineCosts


class LineTiming:
    """Times the lines of one run.

    `are_alone`: only functions that are decorated with @profile are timed by line, and no functions
    are recorded. Otherwise functions are recorded, and all the user's own code is timed by line.
    """

    def __init__(
        self,
        recorder: LineRecorder,
        sources: Sources,
        *,
        are_alone: bool,
        memory: LineRecorder | None = None,
    ) -> None:
        self.recorder = recorder
        self.memory = memory  # records the same lines by memory, where that is recorded
        self.sources = sources
        self.are_alone = are_alone
        profile.attach(recorder, sources)

    def start(self) -> None:
        try:
            self.recorder.enable()
            if self.memory is not None:
                self.memory.enable()
        except RuntimeError as error:
            raise UsageError(f"lines cannot be timed: {error}") from None

    def stop(self) -> None:
        """Let go of all code: of the recorder's, and of what is decorated."""
        profile.attach(None)
        profile.codes.clear()

    def add_text(self, code: CodeType, text: tuple[str, bytes]) -> None:
        """Add a program that is in no file: its code; and `text`, its name and source."""
        learn(*text)
        if not self.are_alone:
            for found in codes_within(code):
                self.recorder.add_code(found)
                if self.memory is not None:
                    self.memory.add_code(found)

    def section(self) -> dict[str, Any]:
        """The lines as a profile file holds them."""
        return self.sources.beside(self.recorder.snapshot())


def decorated_lines(timer: Literal["wall", "cpu"] | None, *, compensate: bool) -> LineTiming:
    """Times the lines of the functions that are decorated with @profile."""
    sources = Sources()
    costs = line_costs(timer, None, compensate)
    recorder = LineRecorder(timer, first_lines=sources.first_lines, costs=costs)
    return LineTiming(recorder, sources, are_alone=True)


def own_lines(
    program: Program,
    timer: Literal["wall", "cpu"] | None,
    *,
    builtins: bool,
    compensate: bool,
    own: bool = True,
    include: tuple[str, ...] = (),
    exclude: tuple[str, ...] = (),
    besides: tuple[str, ...] = (),
    memory: bool = False,
) -> LineTiming:
    """Times the lines of the paths in `besides` and, with `own`, of the user's own code or, where
    a focus includes some paths, of these. `exclude`: paths to leave out. `builtins`: whether
    functions written in C are recorded. `memory`: whether memory is recorded."""
    sources = Sources()
    # Up to Python 3.11 lines and calls come from different hooks, and cannot be put together.
    calls = sys.version_info >= (3, 12)
    functions = {"timer": timer, "builtins": builtins} if calls else None
    whose = whose_lines(program, own=own, include=include, besides=besides)
    recorder = LineRecorder(
        timer,
        calls=calls,
        whole=True,
        first_lines=sources.first_lines,
        costs=line_costs(timer, functions, compensate),
        exclude=exclude,
        **whose,
    )
    by_memory = None
    if memory:
        by_memory = LineRecorder(
            "memory",
            calls=calls,
            whole=True,
            first_lines=sources.first_lines,
            exclude=exclude,
            **whose,
        )
    return LineTiming(recorder, sources, are_alone=False, memory=by_memory)


def whose_lines(
    program: Program, *, own: bool, include: tuple[str, ...], besides: tuple[str, ...]
) -> dict[str, Any]:
    """The options of LineRecorder for that code; all but `exclude`."""
    whose = own_code(program) if own and not include else {"include": include if own else ()}
    return {**whose, "include": (*whose["include"], *besides)}


def line_costs(
    timer: Literal["wall", "cpu"] | None, functions: dict[str, Any] | None, compensate: bool
) -> LineCosts | None:
    """The tracing overhead to subtract from the times of lines; None without `compensate`."""
    if not compensate:
        return None
    from tracer.recording.line_overhead import line_costs_for

    return line_costs_for(timer, functions)


def own_code(program: Program) -> dict[str, Any]:
    """The options of LineRecorder that make it time the user's own code.

    Only the program's own files are the user's own if the program lies among installed code, or
    the folder of the user's own code was removed.
    """
    home = program.home()
    files = tuple(resolved(path) for path in program.own_files())
    if home is None or is_installed(place := resolved(home)):
        return {"include": files}
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    others = [library(), package]
    if program.is_installed:
        others.append(os.path.dirname(resolved(program.path)))
    for name in SITE_FOLDERS:
        others += [f"{place}/{name}", f"{place}/*/{name}"]
    return {"include": files, "own": (place,), "own_but": tuple(others)}


def is_installed(place: str) -> bool:
    """Whether a folder is of the standard library or of installed code, wherever it lies."""
    parts = place.split(os.sep)
    return f"{place}/".startswith(f"{library()}/") or any(name in parts for name in SITE_FOLDERS)


def library() -> str:
    """The folder of the standard library."""
    return os.path.realpath(os.path.dirname(os.__file__))
