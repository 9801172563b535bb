"""The functions with the most own time, for the first screen."""

from __future__ import annotations

from heapq import nlargest

from tracer.analysis.tree.called_names import plain_name
from tracer.report.cells import fitted
from tracer.report.drawing import drawn_within
from tracer.report.screen_columns import count_column, share_column, time_column, waited_column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.report.outline import Place


def hot_functions(outline: Outline, rows: int, width: int, place: Place) -> list[str]:
    """The lines of the table: a head, and `rows` functions at most."""
    figures = outline.paths.figures
    columns = [
        time_column("own", outline, lambda row: figures[row].tottime),
        share_column(outline, outline.own_of),
        *waited_column(outline, lambda row: figures[row].waited),
        time_column("time", outline, lambda row: figures[row].cumtime),
        count_column(lambda row: figures[row].ncalls),
    ]

    def text_of(row: int, room: int) -> str:
        function = outline.paths.rows[row]
        where = place(function) if function.file != "~" else ""
        return fitted(function.name if where else plain_name(function.name), where, room)

    hot = nlargest(rows, figures, key=lambda row: (outline.own_of(row), -row))
    hot = [row for row in hot if figures[row].tottime > 0]
    return [*drawn_within(width, columns, hot, "function", text_of)]
