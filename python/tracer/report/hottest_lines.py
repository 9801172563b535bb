"""The table of the lines that took longest, of all functions together, the longest first; or of
those that waited, or were suspended, longest.

A line's time is its total time, with all that it calls; or, by choice, its own time and its time in
C, without the Python functions that it calls, so that no second counts twice. line_table.py prints
the lines of each function; lines.py has the notes.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from tracer.analysis.findings.line_bounds import label_of, rooms_in_c
from tracer.report.drawing import FUNCTION, aligned
from tracer.report.line_table import WIDTHS, fitting, hits_shown
from tracer.report.lines import (
    BY_SAMPLES,
    MUCH,
    OUTPUT_UNIT,
    PARTS,
    SAMPLED,
    TITLES,
    changed_since,
    has_samples,
    losses,
    on_samples,
    parts_of,
    remark_on_shares,
    remark_on_suspended,
    share_of,
    time_of_run,
)
from tracer.report.styled import HEAD, in_lines, rstripped, share, styled
from tracer.report.styled import function as function_text
from tracer.source.functions import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tracer.data.lines import Line, Lines, TimedFunction
    from tracer.data.types import Label, StatsDict

ORDERS = {  # by the option's key
    "total": "total time of the line, with all that it calls",
    "own": "time of the line without the Python functions that it calls: own, and in C",
    "waited": "time that the line waited",
    "suspended": "time that the line was suspended, which is in no other time",
}
FOR_WANT = {
    "own": "total time of the line, because own time is not known of every line",
    "waited": "total time of the line, because waits are not known of every line",
}
ENDLESS = 30  # digits of hits
NOTHING = {"waited": "No line waited.", "suspended": "No line was suspended."}
BOUND = [
    "Time: a line's own and, of that in C, at most what the C callables that its function calls",
    "took themselves, without the Python functions that these call back. What is not timed by",
    "line, as libraries are not, is in no line here: the table of functions has it.",
]

WITH_WAITS = [
    "Waited: the thread did not run, on the line or in functions that it calls and that are not",
    "timed by line.",
]


LEAST = WIDTHS["time"], WIDTHS["percent"], WIDTHS["hits"]  # of the first columns


class HotLine(NamedTuple):
    """A line, its seconds as this table counts them, and those that the table is sorted by."""

    time: float
    function: TimedFunction
    line: Line
    by: float


def hottest(lines: Lines, stats: StatsDict, by: str = "total") -> tuple[list[HotLine], str]:
    """All lines that were hit, those with the most of `by` first, a key of ORDERS; and that key. If
    any line lacks this figure, it is "total", because the two cannot be compared. By "own", the
    times exclude Python callees. By "waited" and "suspended", lines that were not are left out.
    `stats`: of the functions recorded beside the lines, with folders in the file names."""
    found = [(function, line) for function in lines.functions for line in function.lines]
    if by in FOR_WANT and any(getattr(line, by) is None for _, line in found):
        by = "total"
    rooms = rooms_in_c(lines, stats) if by == "own" else {}
    rows = []
    for function, line in found:
        time = line.time
        if by == "own" and line.own is not None:
            time = line.own + min(line.c_time or 0.0, rooms.get(label_of(function), 0.0))
        key = getattr(line, by) if by in NOTHING else time
        if key or by not in NOTHING:
            rows.append(HotLine(time, function, line, key))
    # The sort is stable: lines with equal times stay in the order of their files and numbers.
    return sorted(rows, key=lambda row: -row.by), by


def report(
    lines: Lines,
    stats: StatsDict,
    limit: int | None,
    unit: float | None = None,
    *,
    by: str = "total",
    parts: bool = False,
    percent: float = 0.0,
    strip_dirs: bool = False,
    shown: Callable[[Label], str] = function_text,
) -> str:
    """The table of `limit` lines as text, in units of `unit` seconds. by: the key of ORDERS that
    they are sorted by. parts: add the parts of each time. percent: leave out lines with less of
    that time than this share of the run (or, if the run's time is not known, of the line that took
    longest). shown: the text of a function."""
    unit = unit or OUTPUT_UNIT
    rows, order = hottest(lines, stats, by)
    text: list[str] = [f"Timer unit: {unit:g} s\n"]
    if not rows and order in NOTHING:
        return in_lines([*text, f"   {NOTHING[order]}", *losses(lines)])
    run = time_of_run(lines)
    whole = run or max((row.time for row in rows), default=0.0)
    least = percent / 100 * whole
    chosen = [row for row in rows if row.by >= least][:limit]
    text.append(f"   Ordered by: {ORDERS[by] if order == by else FOR_WANT[by]}")
    if len(chosen) < len(rows):
        text.append(f"   List reduced from {len(rows):,} lines to {len(chosen):,}")
    sources = sources_of(chosen, lines)
    is_waiting = order == "waited" or any((it.line.waited or 0.0) > MUCH * whole for it in chosen)
    is_sampled = parts and has_samples(lines)
    wanted = dict.fromkeys(TITLES[1:], parts) | dict.fromkeys(BY_SAMPLES, is_sampled)
    wanted["Suspended"] = parts or order == "suspended"
    wanted["Waited"] = parts or is_waiting
    titles = tuple(title for title in TITLES[1:] if wanted[title])
    if lines.are_sampled:
        titles = ("+-",)
    cells: list[tuple[str, ...]] = [("Time", "% Run", "Hits", *titles, FUNCTION)]
    for row in chosen:
        time = fitting(row.time / unit, "5.1f", "5.3g", WIDTHS["time"])
        part = share(share_of(row.time, run), 100 * row.time / run if run else 0.0)
        figures = time, part, hits_shown(row.line.hits, not row.line.is_counted, ENDLESS)
        found = dict(zip(TITLES[1:], parts_of(row.line, unit), strict=True))
        error = row.line.own_error if order == "own" else row.line.error
        found["+-"] = f"{(error or 0.0) / unit:.1f}"
        more = (found[title] for title in titles)
        cells.append((*figures, *more, shown(label_shown(row, strip_dirs))))
    head, *left = aligned(cells, LEAST)
    contents = (text_of(row, sources) for row in chosen)
    text += ["", styled(f"{head}  Line Contents", HEAD)]
    text += (rstripped(it + f"  {source}") for it, source in zip(left, contents, strict=True))
    remarks = dict.fromkeys(line.rstrip() for it in sources.values() for line in it.problem[:1])
    edited = changed_since({row.function.file for row in chosen}, lines)
    text += ["", *remarks, *edited.values(), *losses(lines), *(BOUND if order == "own" else ())]
    text += remark_on_shares((row.time for row in chosen), run)
    if "Suspended" in titles:
        text += remark_on_suspended((row.line.suspended for row in chosen), run)
    if lines.are_sampled:
        return in_lines([*text, *on_samples(lines)])
    text += PARTS if parts else WITH_WAITS if is_waiting else ()
    return in_lines([*text, *(SAMPLED if is_sampled else ())])


def sources_of(rows: Sequence[HotLine], lines: Lines) -> dict[Label, Source]:
    """The sources of the functions that the lines belong to."""
    functions = {label_of(row.function): row.function for row in rows}
    texts = {file: text.data for file, text in lines.texts.items()}
    return {
        label: Source.of(it.file, it.first_line, it.qualname, it.lines[-1].line, texts.get(it.file))
        for label, it in functions.items()
    }


def text_of(row: HotLine, sources: Mapping[Label, Source]) -> str:
    """The source text of a line; empty if it is not known."""
    number = row.line.line
    return dict(sources[label_of(row.function)].lines([number])).get(number, "").strip()


def label_shown(row: HotLine, strip_dirs: bool) -> Label:
    """The line as a function, with the line's own number."""
    file = os.path.basename(row.function.file) if strip_dirs else row.function.file
    return file, row.line.line, row.function.name
