"""Live objects as text: the table of a census, where objects were allocated, and the path that
keeps an object alive."""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.memory.sizes import size_text
from tracer.report.drawing import Column, drawn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.data.heap import Kind

    # Count, size, function, file, line; without a function, the place is not known.
    Origin = tuple[int, int, str | None, str | None, int | None]

NOT_KNOWN = "(not known: older than the recording, or of no function of the program)"


class Row(NamedTuple):
    """Objects that have something in common. number: of the row. cumulative: bytes of this row and
    those before it."""

    number: int
    objects: int
    size: int
    cumulative: int
    name: str


def heap_table(
    kinds: Sequence[Kind], grouping: str, limit: int | None, *, is_difference: bool = False
) -> str:
    """The table of a census, or of what it has more, or less, than another; without a line break at
    its end. limit: rows; None: all."""
    found = [(kind.count, kind.size, kind.name) for kind in kinds]
    return table(found, ("", grouping), "kind", limit, is_difference, is_running=not is_difference)


def origins_table(
    kind: str | None, is_difference: bool, origins: Sequence[Origin], limit: int | None
) -> str:
    """The table of where objects of a type were allocated, without a line break at its end. limit:
    rows; None: all."""
    found = [(origin[0], origin[1], place_text(*origin[2:])) for origin in origins]
    what = "" if kind is None else f" of {kind}", "allocating function"
    return table(found, what, "allocated by", limit, is_difference)


def table(
    found: Sequence[tuple[int, int, str]],
    what: tuple[str, str],
    last: str,
    limit: int | None,
    is_difference: bool,
    *,
    is_running: bool = False,
) -> str:
    """found: counts, sizes, names. what: which objects these are, and by what they are grouped.
    last: the head of names. is_running: a column has the sizes up to there."""
    count, size = sum(it[0] for it in found), sum(it[1] for it in found)
    objects, sign = (f"{count:+,}", "+-"[size < 0]) if is_difference else (f"{count:,}", "")
    lines: list[str] = [f"{objects} objects{what[0]}, {sign}{size_text(abs(size))}, by {what[1]}"]
    rows, cumulative = [], 0
    for number, (counted, sized, name) in enumerate(found[:limit]):
        cumulative += sized
        rows.append(Row(number, counted, sized, cumulative, name))
    signed = "+," if is_difference else ","
    shares = not is_difference
    columns = [
        Column("index", 6, lambda row: str(row.number)),
        Column("count", 10, lambda row: f"{row.objects:{signed}}"),
        *([Column("%", 3, lambda row: share(row.objects, count))] if shares else []),
        Column("size", 13, lambda row: f"{row.size:{signed}}"),
        *([Column("%", 3, lambda row: share(row.size, size))] if shares else []),
    ]
    if is_running:
        columns.append(Column("cumulative", 13, lambda row: f"{row.cumulative:,}"))
        columns.append(Column("%", 3, lambda row: share(row.cumulative, size)))
    if found or is_running:
        lines += drawn(columns, rows, last, lambda row: row.name, "  ")
    more = 0 if limit is None else len(found) - limit
    return "\n".join([*lines, *([f"       {more:,} more; table(None) has all"] * (more > 0))])


def share(part: int, whole: int) -> str:
    return f"{100 * part / (whole or 1):.0f}"


def place_text(function: str | None, file: str | None, line: int | None) -> str:
    if function is None:
        return NOT_KNOWN
    return function if file == "~" else f"{function}, {file}:{line}"


def allocation_text(
    kind: str,
    size: int,
    calls: Sequence[tuple[str, str, int]],
    place: tuple[str, str, int] | None,
) -> str:
    """The calls that led to the allocation of an object, the outermost first."""
    if place is None:
        return (
            f"{kind}: its allocation is not known; the object is older than the recording, or of "
            "no function of the program"
        )
    lines = [f"{kind}: {size:,} bytes, allocated by {place_text(*place)}"]
    return "\n".join([*lines, *(f"  {place_text(*call)}" for call in calls)])


def path_text(kind: str, start: str, expression: str, steps: Sequence[tuple[str, str]]) -> str:
    """Why an object is alive. steps: (what leads on, the type of the object that it leads to)."""
    width = max((len(text) for text, _ in steps), default=0)
    lines = [f"{kind}: {expression}", f"  {start}"]
    lines += [f"  {text:{width}}  {type_name}" for text, type_name in steps]
    return "\n".join(lines)


def no_path_text(kind: str) -> str:
    return (
        f"{kind}: no path leads here from a module or a running function; "
        "the object is garbage, or C code holds it"
    )
