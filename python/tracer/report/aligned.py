"""A table of names and numbers, in aligned columns."""

from __future__ import annotations

from tracer.report.cells import cut_middle, on_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 100  # columns of a table, unless its numbers are long
SHORTEST, LEAST = 20, 10  # columns of names, and of numbers, at least


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table: names to the left, cut where the table would be too wide, and numbers to the right.
    Rows may be short."""
    number = max(map(len, rows))
    widths = [
        max(LEAST, *(len(row[at]) + 2 for row in rows if at < len(row))) for at in range(1, number)
    ]
    names = [on_one_line(row[0]) for row in rows]
    room = max(SHORTEST, min(max(map(len, names)), WIDTH - sum(widths)))
    return [
        f"{cut_middle(name, room):{room}}"
        + "".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths, strict=False))
        for name, row in zip(names, rows, strict=True)
    ]
