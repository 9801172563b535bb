"""The functions with the most own time, for the first screen."""

from __future__ import annotations

from heapq import nlargest

from tracer.analysis.finding import plain_name
from tracer.report.cells import (
    cell_of_count,
    cell_of_share,
    cell_of_time,
    fitted,
)
from tracer.report.styled import HEAD as STYLE_OF_HEAD
from tracer.report.styled import styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline import Outline
    from tracer.report.outline import Place

HEAD = "     own      %     time     calls  function"


def hot_functions(outline: Outline, rows: int, width: int, place: Place) -> list[str]:
    """The lines of the table: a head, and `rows` functions at most."""
    figures = outline.paths.figures
    whole = outline.whole
    has_waits = outline.waits.are_worth_telling
    head = "     own      %   waited     time     calls  function" if has_waits else HEAD
    lines: list[str] = [styled(head[:width], STYLE_OF_HEAD)]
    for row in nlargest(rows, figures, key=lambda row: (figures[row].tottime, -row)):
        of = figures[row]
        if of.tottime <= 0:
            break
        waited = f"{cell_of_time(of.waited, whole, blank=True)} " if has_waits else ""
        rest = f" {waited}{cell_of_time(of.cumtime, whole)} {cell_of_count(of.ncalls)}  "
        numbers = f"{cell_of_time(of.tottime, whole)} " + cell_of_share(of.tottime, whole) + rest
        function = outline.paths.rows[row]
        where = place(function) if function.file != "~" else ""
        name = function.name if where else plain_name(function.name)
        lines.append(numbers + fitted(name, where, width - len(numbers)))
    return lines
