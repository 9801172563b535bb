"""The tables of native samples: which native functions ran, and how much CPU each function used."""

from __future__ import annotations

from os.path import basename
from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from tracer.analysis.native import native_of, whole_of
from tracer.report.styled import HEAD as STYLE_OF_HEAD
from tracer.report.styled import function, in_lines, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.native import Native
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.functions import Restrict

__all__ = ["ORDERS", "native_name", "native_table"]

ORDERS = {"tottime": "own CPU time", "cumulative": "cumulative CPU time"}
HEAD = "      own      +-       %      cum  native function (library) <- functions it ran for"
NOTHING = "No sample: no thread used enough CPU while it was recorded."
BY_FUNCTION = "  own CPU      +-   native    off CPU  overhead  filename:lineno(function)"
NAMED = 3  # functions of the program beside a native one
NAME_WIDTH = 60  # of a function's name: templates of C++ are longer


def native_table(
    profiles: ProfileSet,
    restrict: Restrict,
    by: str = "tottime",
    *,
    strip_dirs: bool = False,
    shown: Callable[[Label], str] = function,
) -> str:
    """The table of native functions that `restrict` selects, and below it that of the functions for
    which they ran. by: a key of ORDERS. strip_dirs: leave out the folders of files; the profiles
    have them, because they tell the program's own files from others. shown: the text of a function.
    Raises ValueError where no native code was sampled."""
    native, whole = native_of(profiles), whole_of(profiles)
    if not whole.samples:
        return f"   {NOTHING}\n\n"
    found = native.functions

    def key(label: Label) -> tuple[float, float, Label]:
        own, cumulative = found[label].own.seconds, found[label].cumulative.seconds
        first, second = (own, cumulative) if by == "tottime" else (cumulative, own)
        return -first, -second, label

    order = sorted((label for label in found if found[label].cumulative.seconds), key=key)
    message = (
        f"   Ordered by: {ORDERS[by]}, in seconds. A sample stands for {1000 * whole.unit:.3g} ms\n"
    )
    chosen, message = restrict(order, message)
    lines: list[str] = [message, styled(HEAD, STYLE_OF_HEAD)] if chosen else [message]
    for label in chosen:
        own, cumulative, *callers = found[label]
        share = 100 * own.seconds / (whole.cpu or 1)
        figures = f"{own.seconds:9.3f} {own.error:7.3f} {share:6.1f}% {cumulative.seconds:8.3f}"
        of_cumulative = by != "tottime" or not own.seconds
        lines.append(f"{figures}  {native_name(label)}{told_callers(callers[of_cumulative])}")
    return in_lines([*lines, "", *functions_of(native, len(chosen), strip_dirs, shown), ""])


def native_name(label: Label) -> str:
    """A native function with its library; where that is in the name already, as of a function
    without a symbol, only once."""
    file, _, name = label
    library = basename(file)
    if not file or name.startswith(f"{library}+0x"):
        return name
    short = name if len(name) <= NAME_WIDTH else f"{name[: NAME_WIDTH - 3]}..."
    return f"{short} ({library})"


def told_callers(callers: tuple[tuple[Label, float], ...]) -> str:
    named = [
        f"{label[2]} {share:.0%}" if share < 0.995 else label[2]
        for label, share in callers[:NAMED]
        if share >= 0.01
    ]
    return f" <- {', '.join(named)}" if named else ""


def functions_of(
    native: Native, limit: int, strip_dirs: bool, shown: Callable[[Label], str]
) -> list[str]:
    """The functions of the program that used the most CPU for their own code."""
    found = native.by_caller
    order = sorted(found, key=lambda label: (-found[label].cpu.seconds, label))
    order = [label for label in order if found[label].cpu.seconds][: max(limit, 1)]
    lines: list[str] = [styled(BY_FUNCTION, STYLE_OF_HEAD)] if order else []
    for label in order:
        it = found[label]
        waits = f"{it.waiting:9.3f}" if it.waiting else f"{'-':>9}"
        overhead = f"{it.overhead:8.3f}" if it.overhead else f"{'-':>8}"
        figures = f"{it.cpu.seconds:9.3f} {it.cpu.error:7.3f} {it.native:8.3f}  {waits}  {overhead}"
        named: Label = func_strip_path(label) if strip_dirs else label
        lines.append(f"{figures}  " + shown(named))
    return lines
