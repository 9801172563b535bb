"""The cells of what is printed of a timeline: moments, lengths, functions."""

from __future__ import annotations

from tracer.analysis.outline.finding import short
from tracer.analysis.tree.called_names import bare, plain_name
from tracer.analysis.tree.folding import MODULE
from tracer.report.cells import (
    cut_middle,
    fitted,
    joined,
    on_one_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.timeline.run import TimedRun
    from tracer.report.outline import Place

NANOSECONDS = 1e9
LABEL, LONG_LABEL = 12, 28  # characters of a thread's name: on a terminal, and elsewhere at most


def moment(run: TimedRun, ticks: int) -> str:
    """Seconds since the start."""
    return f"{ticks * run.tick:10.6f}"


def labels(names: Iterable[str]) -> int:
    """How many characters the column of these threads has where nothing need be cut."""
    longest = max((len(on_one_line(name)) for name in names), default=0)
    return min(max(longest, LABEL), LONG_LABEL)


def thread_name(name: str, room: int) -> str:
    """The name of a thread; of a long one both ends, as its number is at the end."""
    return f"{cut_middle(on_one_line(name), room):{room}}"


def lasting(run: TimedRun, ticks: float) -> str:
    return short(round(ticks * run.tick * NANOSECONDS))


def function_told(run: TimedRun, row: int, room: int, place: Place) -> str:
    """A function and its place, in so many characters. A library's module is an import."""
    function = run.outline.rows[row]
    if function.file == "~":
        return fitted(plain_name(function.name), "", room)
    name, where = function.name, place(function)
    if name == MODULE and not run.is_own(row):
        return fitted(f"import {run.outline.paths.modules[row].name}", "", room)
    if len(joined(name, where)) > room:
        name = bare(name)
    return fitted(name, where, room)
