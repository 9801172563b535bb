"""Tells of a function whose calls are so short that much of its time is what recording them took.

The page has the same rule: page/findings.js.
"""

from __future__ import annotations

from tracer.analysis.finding import bare, short
from tracer.report.cells import plain_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths

MANY = 100_000  # calls: fewer are not told of
TINY = 200  # ns: recording a call costs about half as much
WORTH = 0.01  # of the time: nor is a function with less


def tiny_calls(paths: Paths, whole: int) -> str:
    """The function with the most calls that are tiny; empty if there is none."""
    rows = [
        row
        for row, of in paths.figures.items()
        if of.ncalls > MANY and WORTH * whole < of.tottime < TINY * of.ncalls
    ]
    if not rows:
        return ""
    row = max(rows, key=lambda row: paths.figures[row].ncalls)
    of = paths.figures[row]
    each = short(of.tottime / of.ncalls)
    function = paths.rows[row]
    name = plain_name(function.name) if function.file == "~" else bare(function.name)
    return f"{name} has {of.ncalls:,} calls of {each}, much of it tracing's own"
