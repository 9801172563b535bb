"""The tables of functions: pstats' own with more columns, those of a figure, and that of resumes.

figure_tables.py has the texts and columns of figures. Stats prints what these functions return.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from tracer.analysis.tree.call_tree import Row, paths_of
from tracer.analysis.tree.cumulative_waits import cumulative_waits
from tracer.report.drawing import (
    FUNCTION,
    NCALLS,
    Column,
    calls,
    cells,
    count,
    drawn,
    head,
    ratio,
    seconds,
)
from tracer.report.figure_tables import CUMWAIT, FIGURE_TABLES, PERCALL
from tracer.report.styled import HEAD, function, in_lines, joined, styled
from tracer.results.facts import reason_of_none
from tracer.results.function_tables import AT_LEAST, EXACT, FunctionRow, function_row
from tracer.results.table import columns_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.figure_tables import FigureTable

    # Selects some of the labels, and adds the selection to the message above the table.
    Restrict = Callable[[list[Label], str], tuple[list[Label], str]]

OF_PSTATS = (
    NCALLS,
    seconds("tottime"),
    Column("percall", 8, lambda row: ratio(row.tottime, row.ncalls)),
    seconds("cumtime"),
    Column("percall", 8, lambda row: ratio(row.cumtime, row.primitive)),
)
# The same where times come from samples: each has its error, and calls may not be known.
OF_SAMPLES = (
    Column("ncalls", 10, lambda row: counted_calls(row)),
    seconds("tottime"),
    seconds("own_error", "+-", 7),
    Column("percall", 8, lambda row: exact_ratio(row, row.tottime)),
    seconds("cumtime"),
    seconds("error", "+-", 7),
    Column("percall", 8, lambda row: exact_ratio(row, row.cumtime)),
)


def counted_calls(row: FunctionRow) -> str:
    return f"{row.ncalls}{'+' * (row.counted == AT_LEAST)}" if row.counted else ""


def exact_ratio(row: FunctionRow, time: float) -> str:
    return "" if row.ncalls is None or row.counted != EXACT else ratio(time, row.ncalls)


# -- The table of pstats --------------------------------------------------------------------------


def wide_head(more: tuple[str, ...], *, sampled: bool = False) -> str:
    """The head of pstats' table with further columns, keys of a FunctionRow. sampled: whether times
    come from samples."""
    return styled(f"{head(columns_with(more, sampled))} {FUNCTION}", HEAD)


def wide_row(
    profiles: ProfileSet, label: Label, more: tuple[str, ...], shown: Callable[[Label], str]
) -> str:
    row = function_row(profiles, label)
    columns = columns_with(more, profiles.sampled is not None)
    return joined(" ", (cells(columns, row), shown(label)))


@cache
def columns_with(more: tuple[str, ...], sampled: bool) -> tuple[Column, ...]:
    kinds = (count(key, width=8) if KINDS[key] == "count" else seconds(key) for key in more)
    return (*(OF_SAMPLES if sampled else OF_PSTATS), *kinds)


# -- The table of a figure ------------------------------------------------------------------------


class Figured(NamedTuple):
    """A function. cumwait: the seconds that it, and all that it called, waited."""

    label: Label
    row: FunctionRow
    cumwait: float

    def of(self, name: str) -> float:
        value: float | None = self.cumwait if name == CUMWAIT else getattr(self.row, name)
        return value or 0.0


def figure_table(
    profiles: ProfileSet,
    name: str,
    restrict: Restrict,
    awaited: Mapping[Label, Label] | None = None,
    shown: Callable[[Label], str] = function,
) -> str:
    """The table of the figure `name`, for the functions that `restrict` selects. awaited: what
    stands behind functions, {function: another}. shown: the text of a function."""
    table = FIGURE_TABLES[name]
    above, chosen = selected(profiles, table, restrict)

    def text_of(it: Figured) -> str:
        inner = awaited.get(it.label) if awaited else None
        return shown(it.label) + (" -> " + shown(inner) if inner else "")

    columns = [column_of(table, column) for column in table.columns]
    last = f"{FUNCTION} -> the innermost that it awaited" if awaited else FUNCTION
    return in_lines([*above, *(drawn(columns, chosen, last, text_of) if chosen else ()), ""])


def resumes_table(
    profiles: ProfileSet, restrict: Restrict, shown: Callable[[Label], str] = function
) -> str:
    """The table of resumes. Below each function are the functions that resumed it."""
    above, chosen = selected(profiles, FIGURE_TABLES["resumes"], restrict)
    lines: list[str] = []
    if chosen:
        lines.append(styled(f"   ncalls   resumes  {FUNCTION}, and who resumed it", HEAD))
    for it in chosen:
        total, primitive, callers, _ = profiles.resumes[it.label]
        lines.append(f"{it.row.ncalls:9} {calls(total, primitive):>9}  " + shown(it.label))
        for caller, counts in sorted(callers.items(), key=lambda it: (-it[1].total, it[0])):
            lines.append(f"{'':9} {calls(*counts):>9}    <- " + shown(caller))
    return in_lines([*above, *lines, ""])


def selected(
    profiles: ProfileSet, table: FigureTable, restrict: Restrict
) -> tuple[list[str], list[Figured]]:
    """What stands above the table, and the functions in it."""
    found = {it.label: it for it in figured(profiles, table)}
    some = [it for it in found.values() if it.of(table.among)]
    if not some:
        nothing = table.nothing if profiles.knows_calls else none_recorded(profiles, table.what)
        return [f"   {nothing}"], []
    some.sort(key=lambda it: (-it.of(table.name), -it.of(table.among)))
    chosen, message = restrict([it.label for it in some], f"   Ordered by: {table.by}\n")
    return [message] if chosen else [message.removesuffix("\n")], [found[it] for it in chosen]


def figured(profiles: ProfileSet, table: FigureTable) -> Iterator[Figured]:
    rows = [function_row(profiles, label) for label in profiles.stats]
    below: Mapping[Row, float] = {}
    if CUMWAIT in table.columns and any(row.waited for row in rows):
        below = cumulative_waits(paths_of(profiles, profiles.names))
    for row in rows:
        if profiles.knows_calls and not (row.ncalls or row.resumes):
            continue  # it ran already when recording began
        label = row.file, row.line, row.name
        own = row.waited or 0.0  # what is not in the paths that were kept is its own
        yield Figured(label, row, max(own, below.get(Row(*label), 0.0)))


def column_of(table: FigureTable, name: str) -> Column:
    if name == PERCALL:
        return Column(name, 10, lambda it: per_call(table, it))
    title = "at" if name == "longest_at" else name
    if KINDS.get(name) == "count":
        return Column(title, 9, lambda it: f"{it.of(name):.0f}")
    return Column(title, max(8, len(title)), lambda it: f"{it.of(name):.3f}")


def per_call(table: FigureTable, it: Figured) -> str:
    return f"{it.of(table.of) / (sum(map(it.of, table.per)) or 1):.6f}"


KINDS = {column.key: column.kind for column in columns_of(FunctionRow)}


# -- Why there is no table ------------------------------------------------------------------------


def none_recorded(profiles: ProfileSet, what: str) -> str:
    """The sentence that none of `what` are recorded, and why: only tracer records them."""
    return f"No {what} are recorded here: {reason_of_none(profiles)}."
