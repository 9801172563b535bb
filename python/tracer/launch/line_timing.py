"""What -l and --lines ask for: whose lines are timed, and how that begins.

The figures become a part of the profile in run_section.py, and text in cli/tables.py.
"""

from __future__ import annotations

import os
import sys

from tracer._core import LineRecorder
from tracer.api.decorator import profile
from tracer.launch.errors import UsageError
from tracer.source.checksums import Sources
from tracer.source.code_objects import codes_within
from tracer.source.origin import SITE_FOLDERS
from tracer.source.statements import learn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Literal

    from tracer.launch.program import Program
    from tracer.recording.line_overhead import LineCosts


class LineTiming:
    """The lines of one run. `are_alone`: those of what is decorated with @profile are timed, and no
    functions are recorded; else functions are, and the lines of all of the user's own code."""

    def __init__(self, recorder: LineRecorder, sources: Sources, *, are_alone: bool) -> None:
        self.recorder = recorder
        self.sources = sources
        self.are_alone = are_alone
        profile.attach(recorder, sources)

    def start(self) -> None:
        try:
            self.recorder.enable()
        except RuntimeError as error:
            raise UsageError(f"lines cannot be timed: {error}") from None

    def add_text(self, code: CodeType, text: tuple[str, bytes]) -> None:
        """The code of a program that is in no file; the name and the source that it has instead."""
        learn(*text)
        if not self.are_alone:
            for found in codes_within(code):
                self.recorder.add_code(found)

    def section(self) -> dict[str, Any]:
        """What a profile file is to hold of the lines."""
        return self.sources.beside(self.recorder.snapshot())


def decorated_lines(timer: Literal["wall", "cpu"] | None, *, compensate: bool) -> LineTiming:
    """What times the lines of the functions that are decorated with @profile."""
    sources = Sources()
    costs = line_costs(timer, None, compensate)
    recorder = LineRecorder(timer, fold=sources.fold, costs=costs)
    return LineTiming(recorder, sources, are_alone=True)


def own_lines(
    program: Program,
    timer: Literal["wall", "cpu"] | None,
    *,
    builtins: bool,
    compensate: bool,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> LineTiming:
    """What times the lines of the user's own code and of the paths that are included besides, less
    those that are excluded. `builtins`: whether functions written in C are recorded."""
    sources = Sources()
    # Up to 3.11 lines and calls are told of by different ways, and cannot be put together.
    calls = sys.version_info >= (3, 12)
    functions = {"timer": timer, "builtins": builtins} if calls else None
    recorder = LineRecorder(
        timer,
        calls=calls,
        whole=True,
        fold=sources.fold,
        costs=line_costs(timer, functions, compensate),
        **whose_lines(program, include, exclude),
    )
    return LineTiming(recorder, sources, are_alone=False)


def line_costs(
    timer: Literal["wall", "cpu"] | None, functions: dict[str, Any] | None, compensate: bool
) -> LineCosts | None:
    """What is to be subtracted from the times."""
    if not compensate:
        return None
    from tracer.recording.line_overhead import line_costs_for

    return line_costs_for(timer, functions)


def whose_lines(
    program: Program, include: tuple[str, ...], exclude: tuple[str, ...]
) -> dict[str, Any]:
    """The paths of which lines are timed.

    Where the program itself is of what others have installed, it is all that is the user's own.
    """
    place = os.path.realpath(program.home())
    own = tuple(os.path.realpath(path) for path in program.own_files())
    if is_installed(place):
        return {"include": (*include, *own), "exclude": exclude}
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    others = [library(), package]
    if program.is_installed:
        others.append(os.path.dirname(os.path.realpath(program.path)))
    for name in SITE_FOLDERS:
        others += [f"{place}/{name}", f"{place}/*/{name}"]
    return {
        "include": (*include, *own),
        "exclude": exclude,
        "own": (place,),
        "own_but": tuple(others),
    }


def is_installed(place: str) -> bool:
    """What others have installed is not the user's own, wherever it lies."""
    parts = place.split(os.sep)
    return f"{place}/".startswith(f"{library()}/") or any(name in parts for name in SITE_FOLDERS)


def library() -> str:
    """The folder of the standard library."""
    return os.path.realpath(os.path.dirname(os.__file__))
