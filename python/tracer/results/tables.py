"""The tables of a profile, by name: which there are, how their rows are chosen and sorted."""

from __future__ import annotations

from numbers import Integral
from operator import attrgetter

from tracer.results.code_tables import LineRow, NativeRow, lines, native
from tracer.results.function_tables import (
    CallRow,
    FunctionRow,
    MemoryRow,
    ThreadRow,
    callees,
    callers,
    functions,
    memory,
    threads,
)
from tracer.results.table import NOTHING, Omitted, Table, columns_of
from tracer.results.timed_tables import RangeRow, SlowRow, StepRow, ranges, slowest, steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from tracer.data.profile_set import ProfileSet

    # Makes the rows, of a profile and of what `only` names, and says what they lack.
    Make = Callable[[ProfileSet, str | None], tuple[list[Any], list[Omitted]]]


def kinds() -> dict[str, tuple[type[Any], str, Make]]:
    """The tables, by name: their rows, by which column they are sorted, and what makes them. Sorted
    by "", they have an order of their own."""
    return {
        "functions": (FunctionRow, "tottime", functions),
        "threads": (ThreadRow, "time", threads),
        "callers": (CallRow, "cumtime", callers),
        "callees": (CallRow, "cumtime", callees),
        "lines": (LineRow, "time", lines),
        "memory": (MemoryRow, "peak", memory),
        "native": (NativeRow, "own", native),
        "ranges": (RangeRow, "total", ranges),
        "slowest": (SlowRow, "took", slowest),
        "steps": (StepRow, "", steps),
    }


def table_of(
    profiles: ProfileSet,
    name: str,
    by: str | None = None,
    only: str | None = None,
    limit: int | None = None,
) -> Table[Any]:
    """See Stats.table()."""
    known = kinds()
    if name not in known:
        raise ValueError(f"there is no table {name!r}; choose from {', '.join(known)}")
    row, order, make = known[name]
    by = order if by is None else by
    check_order(name, row, by)
    check_limit(limit)
    rows, omitted = make(profiles, only)
    if not (profiles.stats or rows or omitted):
        omitted = [NOTHING]
    return sorted_table(name, row, rows, by, limit, omitted)


def sorted_table(
    name: str,
    row: type[Any],
    rows: Iterable[Any],
    by: str,
    limit: int | None,
    omitted: Iterable[Omitted],
) -> Table[Any]:
    """The rows in this order, the first `limit` of them."""
    ordered = list(rows)
    if by:
        column = next(column for column in columns_of(row) if column.key == by)
        of = attrgetter(by)
        known = [it for it in ordered if of(it) is not None]
        known.sort(key=of, reverse=column.kind not in ("text", "moment"))
        ordered = known + [it for it in ordered if of(it) is None]
    left = list(omitted)
    if limit is not None and len(ordered) > limit:
        more = len(ordered) - limit
        left.append(Omitted(more, len(ordered), f"the limit is {limit:,}", "give limit=None"))
    return Table(name, row, ordered[:limit], order=by, whole=len(ordered), omitted=left)


def check_order(name: str, row: type[Any], by: str) -> None:
    """Raise ValueError for what is no column that a table can be sorted by."""
    keys = [it.key for it in columns_of(row) if not it.type.startswith("dict")]
    if by and by not in keys:
        raise ValueError(f"the table {name!r} has no column {by!r}; choose from {', '.join(keys)}")


def check_limit(limit: object) -> None:
    if limit is not None and (not isinstance(limit, Integral) or isinstance(limit, bool)):
        raise TypeError(f"limit must be a whole number or None, not {limit!r}")
    if isinstance(limit, Integral) and limit < 0:
        raise ValueError(f"limit must be 0 or more, or None for all, not {limit!r}")
