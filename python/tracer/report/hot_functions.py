"""The functions with the most own time, for the first screen: those of the program first, by what
others did for them, too, then those of others. Imports are one row."""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.outline.import_times import import_times
from tracer.analysis.tree.called_names import plain_name
from tracer.analysis.tree.function_names import IMPORTS
from tracer.analysis.tree.kinds import OWN
from tracer.report.cells import fitted
from tracer.report.drawing import drawn_within
from tracer.report.screen_columns import (
    count_column,
    error_column,
    share_column,
    time_column,
    waited_column,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.data.sampled import Count
    from tracer.report.outline import Place

LEAST = 0.005  # of the time: a function of the program with less is not among the first
MUCH = 0.02  # of the time: functions of others with so much have half of the rows
OWN_FIRST = ", the program's own first"
ALL_IMPORTS = -1  # in the place of a row


class Hot(NamedTuple):
    """A row of the list. row: of the paths, or ALL_IMPORTS. real: of its own time. Times are
    nanoseconds."""

    row: int
    real: int
    own: int
    waited: int
    time: int
    calls: int


def hot_functions(outline: Outline, rows: int, width: int, place: Place) -> list[str]:
    """The lines of the table: a head, and `rows` functions at most."""
    sampled = outline.paths.sampled

    def counted(it: Hot) -> Count | None:
        if sampled is None or it.row == ALL_IMPORTS:
            return None
        return sampled.counts.get(outline.paths.rows[it.row])

    columns = [
        time_column("own", outline, lambda it: it.own),
        *error_column(outline, lambda it: it.own),
        share_column(outline, lambda it: it.real),
        *waited_column(outline, lambda it: it.waited),
        time_column("time", outline, lambda it: it.time),
        *error_column(outline, lambda it: it.time),
        count_column(lambda it: it.calls, counted),
    ]

    def text_of(it: Hot, room: int) -> str:
        if it.row == ALL_IMPORTS:
            return IMPORTS
        function = outline.paths.rows[it.row]
        where = place(function) if function.file != "~" else ""
        return fitted(function.name if where else plain_name(function.name), where, room)

    found = listed(outline, rows)
    is_own = {it.row != ALL_IMPORTS and outline.kinds[it.row] == OWN for it in found}
    head = f"function{OWN_FIRST if len(is_own) > 1 else ''}"
    return [*drawn_within(width, columns, found, head, text_of)]


def listed(outline: Outline, rows: int) -> list[Hot]:
    """The rows: functions of the program, then others."""
    in_imports = import_times(outline)
    figures, unreal = outline.paths.figures, outline.real.unreal
    real = {
        row: of.tottime - unreal.get(row, 0) - (in_imports[row][0] if row in in_imports else 0)
        for row, of in figures.items()
        if of.tottime > 0
    }
    imported = sum(time for time, _ in in_imports.values())
    if imported:
        real[ALL_IMPORTS] = imported
    found = [hot(outline, row, real, in_imports) for row in chosen(outline, rows, real)]
    return [it for it in found if it.own > 0]


def chosen(outline: Outline, rows: int, real: dict[int, int]) -> list[int]:
    """real: by row, its own time."""
    busy, kinds, length = outline.sums.busy, outline.kinds, outline.length
    own = {row for row in real if row != ALL_IMPORTS and kinds[row] == OWN}
    worth = {row: max(real[row], busy[row]) for row in own}
    first = nlargest(rows, own, key=lambda row: (worth[row], -row))
    first = [row for row in first if worth[row] >= LEAST * length]
    much = [row for row, time in real.items() if row not in own and time >= MUCH * length]
    first = first[: rows - min(len(much), rows // 2)]
    rest = real.keys() - first
    return first + nlargest(rows - len(first), rest, key=lambda row: (real[row], -row))


def hot(
    outline: Outline, row: int, real: dict[int, int], in_imports: dict[int, tuple[int, int]]
) -> Hot:
    if row == ALL_IMPORTS:
        return Hot(row, real[row], real[row], 0, real[row], 0)
    of, (time, calls) = outline.paths.figures[row], in_imports.get(row, (0, 0))
    return Hot(row, max(0, real[row]), of.tottime - time, of.waited, of.cumtime, of.ncalls - calls)
