"""The tables of ranges: by name and category, and the longest ones."""

from __future__ import annotations

from heapq import nlargest

from tracer.analysis.outline.finding import short
from tracer.analysis.timeline.ranges import ran_in
from tracer.analysis.tree.called_names import bare
from tracer.data.records import NO_ROW
from tracer.report.cells import cut_end, on_one_line
from tracer.report.drawing import Column, cells, drawn
from tracer.report.styled import rstripped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.timeline.ranges import OneRange, RangeSum
    from tracer.report.outline import Place

NANOSECONDS = 1e9
TIMES = ("total", "min", "mean", "max", "p50", "p95")
LONGEST = 10
NO_RANGES = 'No range was marked there; a program marks one by tracer.range("name").'


def range_table(sums: Sequence[RangeSum], key: str, limit: int | None, width: int) -> list[str]:
    """The lines of the table: a head, and a line for each name and category. limit: None: all."""
    if not sums:
        return [NO_RANGES]
    columns = [Column("count", 9, lambda row: f"{row.number:,}"), *map(time_column, TIMES)]
    if any(row.open for row in sums):
        columns.append(Column("not ended", 10, lambda row: str(row.open or "")))

    def text_of(row: RangeSum) -> str:
        return cut_end(named(row), width - len(cells(columns, row)) - 2)

    lines = drawn(columns, sums[:limit], "range [category]", text_of, "  ")
    return [f"   Ordered by: {key}", "", *map(rstripped, lines)]


def time_column(name: str) -> Column:
    return Column(name, 8, lambda row: time_of(getattr(row, name), row.number))


def time_of(seconds: float, count: int) -> str:
    return short(round(seconds * NANOSECONDS)) if count else ""


def named(one: RangeSum | OneRange) -> str:
    return on_one_line(one.name) + (f" [{on_one_line(one.category)}]" if one.category else "")


def longest_ranges(
    ranges: Sequence[OneRange], width: int, place: Place, number: int | None = LONGEST
) -> list[str]:
    """The lines on the longest ranges: when each was, how long it took, for how much of that its
    task, or its thread, ran, and where it began. number: None: all."""
    if not ranges:
        return []
    number = len(ranges) if number is None else number
    longest = nlargest(number, ranges, key=lambda one: (one.length, -one.start))
    lines = [
        "        at      took       ran  the longest ranges, their values, and where they began"
    ]
    for one, ran in zip(longest, ran_in(longest), strict=True):
        words = [named(one)]
        words += [f"{on_one_line(name)}={on_one_line(repr(value))}" for name, value in one.values]
        if one.row != NO_ROW:
            function = one.run.outline.rows[one.row]
            words.append(f"in {bare(function.name)}, {place(function)}")
        words += [on_one_line(one.thread)]
        words += ["not ended"] * one.is_open
        times = (one.length, 0.0 if ran is None else ran)
        took, worked = (short(round(seconds * NANOSECONDS)) for seconds in times)
        numbers = f"{one.start:10.6f}  {took:>8}  {'' if ran is None else worked:>8}  "
        lines.append(numbers + cut_end("  ".join(words), width - len(numbers)))
    return lines
