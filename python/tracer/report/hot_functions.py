"""The functions with the most own time, for the first screen: those of the program first, by what
others did for them, too, then those of others. Imports are one row."""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.outline.import_times import import_times
from tracer.analysis.outline.sums import Sum
from tracer.analysis.tree.called_names import plain_name
from tracer.analysis.tree.function_names import IMPORTS
from tracer.analysis.tree.kinds import OWN
from tracer.report.cells import fitted
from tracer.report.drawing import drawn_within
from tracer.report.screen_columns import count_column, share_column, time_column, waited_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.report.outline import Place

LEAST = 0.005  # of the time: a function of the program with less is not among the first
MUCH = 0.02  # of the time: functions of others with so much have half of the rows
NOTHING = Sum()


class Hot(NamedTuple):
    """A row of the list. row: of the paths; -1: all imports. real: of its own time. Times are
    nanoseconds."""

    row: int
    real: int
    own: int
    waited: int
    time: int
    calls: int


def hot_functions(outline: Outline, rows: int, width: int, place: Place) -> list[str]:
    """The lines of the table: a head, and `rows` functions at most."""
    columns = [
        time_column("own", outline, lambda hot: hot.own),
        share_column(outline, lambda hot: hot.real),
        *waited_column(outline, lambda hot: hot.waited),
        time_column("time", outline, lambda hot: hot.time),
        count_column(lambda hot: hot.calls),
    ]

    def text_of(hot: Hot, room: int) -> str:
        if hot.row < 0:
            return IMPORTS
        function = outline.paths.rows[hot.row]
        where = place(function) if function.file != "~" else ""
        return fitted(function.name if where else plain_name(function.name), where, room)

    return [*drawn_within(width, columns, listed(outline, rows), "function", text_of)]


def listed(outline: Outline, rows: int) -> list[Hot]:
    """The rows: functions of the program, then others."""
    wholes = outline.sums.wholes
    hot = all_of(outline)
    is_own = [kind == OWN for kind in outline.kinds]
    own = [it for it in hot if it.row >= 0 and is_own[it.row]]
    others = [it for it in hot if it.row < 0 or not is_own[it.row]]
    worth = {it.row: max(it.real, wholes.get(it.row, NOTHING).busy) for it in own}
    own.sort(key=lambda it: (-worth[it.row], it.row))
    first = [it for it in own if worth[it.row] >= LEAST * outline.length]
    much = [it for it in others if it.real >= MUCH * outline.length]
    first = first[: rows - min(len(much), rows // 2)]
    rest = [*own[len(first) :], *others]
    return first + nlargest(rows - len(first), rest, key=lambda it: (it.real, -it.row))


def all_of(outline: Outline) -> list[Hot]:
    in_imports = import_times(outline)
    found = []
    for row, of in outline.paths.figures.items():
        time, calls = in_imports.get(row, (0, 0))
        own, real = of.tottime - time, outline.own_of(row) - time
        if own > 0:
            found.append(Hot(row, max(0, real), own, of.waited, of.cumtime, of.ncalls - calls))
    if imported := sum(time for time, _ in in_imports.values()):
        found.append(Hot(-1, imported, imported, 0, imported, 0))
    return found
