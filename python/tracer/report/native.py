"""The tables of native samples: which native functions ran, and how much CPU each function used."""

from __future__ import annotations

from os.path import basename
from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from tracer.analysis.native.native import native_of, whole_of
from tracer.report.drawing import FUNCTION, Column, drawn, some
from tracer.report.styled import function, in_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.native.native import Native
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.functions import Restrict

__all__ = ["ORDERS", "native_name", "native_table"]

ORDERS = {"tottime": "own CPU time", "cumulative": "cumulative CPU time"}
NATIVE_FUNCTION = "native function (library) <- functions it ran for"
NOTHING = "No sample: no thread used enough CPU while it was recorded."
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
    columns = (
        Column("own", 9, lambda label: f"{found[label].own.seconds:.3f}"),
        Column("+-", 7, lambda label: f"{found[label].own.error:.3f}"),
        Column("%", 7, lambda label: f"{100 * found[label].own.seconds / (whole.cpu or 1):.1f}%"),
        Column("cum", 8, lambda label: f"{found[label].cumulative.seconds:.3f}"),
    )

    def text_of(label: Label) -> str:
        own, _, *callers = found[label]
        return native_name(label) + told_callers(callers[by != "tottime" or not own.seconds])

    lines = drawn(columns, chosen, NATIVE_FUNCTION, text_of, "  ") if chosen else ()
    return in_lines(
        [message, *lines, "", *functions_of(native, len(chosen), strip_dirs, shown), ""]
    )


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
    columns = (
        Column("own CPU", 9, lambda label: f"{found[label].cpu.seconds:.3f}"),
        Column("+-", 7, lambda label: f"{found[label].cpu.error:.3f}"),
        Column("native", 8, lambda label: f"{found[label].native:.3f}"),
        Column("off CPU", 10, lambda label: some(found[label].waiting or None)),
        Column("overhead", 9, lambda label: some(found[label].overhead or None)),
    )

    def text_of(label: Label) -> str:
        return shown(func_strip_path(label) if strip_dirs else label)

    return [*drawn(columns, order, FUNCTION, text_of, "  ")] if order else []
