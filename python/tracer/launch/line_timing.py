"""What -l and --lines ask for: whose lines are timed, and how that begins.

The figures become a part of the profile in profiled_run.py, and text in cli/tables.py.
"""

from __future__ import annotations

import builtins
import os
import sys

from tracer._core import LineRecorder
from tracer.api.decorator import profile
from tracer.launch.errors import UsageError
from tracer.source.code_objects import codes_within
from tracer.source.origin import SITE_FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from tracer.launch.program import Program
    from tracer.recording.line_overhead import LineCosts


def line_recorder(values: dict[str, Any], program: Program) -> LineRecorder | None:
    """What times the lines that these options ask for, or None; `profile` becomes a builtin, as
    what marks functions for it."""
    builtins.profile = profile  # type: ignore[attr-defined]
    if not (values["l"] or values["lines"]):
        profile.attach(None)
        return None
    from tracer.source.checksums import Sources

    sources = Sources()
    if values["lines"]:
        # Up to 3.11 lines and calls are told of by different ways, and cannot be put together.
        calls = sys.version_info >= (3, 12)
        functions = {"timer": values["timer"], "builtins": not values["no_builtins"]}
        recorder = LineRecorder(
            values["timer"],
            calls=calls,
            whole=True,
            fold=sources.fold,
            costs=costs(values, functions if calls else None),
            **whose_lines(values, program),
        )
    else:
        recorder = LineRecorder(values["timer"], fold=sources.fold, costs=costs(values, None))
    profile.attach(recorder, sources)
    return recorder


def costs(values: dict[str, Any], functions: dict[str, Any] | None) -> LineCosts | None:
    """What is to be taken out of the times."""
    if not values["compensate"]:
        return None
    from tracer.recording.line_overhead import line_costs_for

    return line_costs_for(values["timer"], functions)


def whose_lines(values: dict[str, Any], program: Program) -> dict[str, Any]:
    """The paths of the user's own code and of what is included besides, less what is excluded.

    Where the program itself is of what others have installed, it is all that is the user's own.
    """
    from tracer.recording.focus import paths_of

    try:
        include = paths_of(values["include"], "--include", program.also())
        exclude = paths_of(values["exclude"], "--exclude", program.also())
    except ValueError as error:
        raise UsageError(str(error)) from None
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


def add_all(recorder: LineRecorder, code: CodeType) -> None:
    """Time the lines of a code object, and of all that it makes."""
    for found in codes_within(code):
        recorder.add_code(found)


def section_of(recorder: LineRecorder) -> dict[str, Any]:
    """What a profile file is to hold of the lines."""
    assert profile.sources is not None
    return profile.sources.beside(recorder.snapshot())


def is_installed(place: str) -> bool:
    """What others have installed is not the user's own, wherever it lies."""
    parts = place.split(os.sep)
    return f"{place}/".startswith(f"{library()}/") or any(name in parts for name in SITE_FOLDERS)


def library() -> str:
    """The folder of the standard library."""
    return os.path.realpath(os.path.dirname(os.__file__))
