"""The tables of ranges: by name and category, and the longest ones."""

from __future__ import annotations

from heapq import nlargest

from tracer.analysis.finding import bare, short
from tracer.analysis.timeline_ranges import ran_in
from tracer.data.records import NO_ROW
from tracer.report.cells import cut_end, on_one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.timeline_ranges import OneRange, RangeSum
    from tracer.report.outline import Place

NANOSECONDS = 1e9
TIMES = ("total", "min", "mean", "max", "p50", "p95")
LONGEST = 10
HEAD = "        at      took       ran  the longest ranges, their values, and where they began"
NO_RANGES = 'No range was marked there; a program marks one by tracer.range("name").'


def range_table(sums: Sequence[RangeSum], key: str, limit: int | None, width: int) -> list[str]:
    """The lines of the table: a head, and a line for each name and category. limit: None: all."""
    if not sums:
        return [NO_RANGES]
    has_open = any(row.open for row in sums)
    heads = "".join(f"{name:>9}" for name in TIMES)
    lines = [
        f"   Ordered by: {key}",
        "",
        f"    count{heads}{'  not ended' * has_open}  range [category]",
    ]
    for row in sums[:limit]:
        times = "".join(f"{time_of(getattr(row, name), row.number):>9}" for name in TIMES)
        still_open = f"{row.open or '':>11}" if has_open else ""
        numbers = f"{row.number:9,}{times}{still_open}  "
        lines.append((numbers + cut_end(named(row), width - len(numbers))).rstrip())
    return lines


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
