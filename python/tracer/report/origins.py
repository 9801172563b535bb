"""Where live objects were allocated, as text: a table, and the calls that led to one object."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.report.memory import size_text
from tracer.report.objects import rest, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    Row = tuple[int, int, str | None, str | None, int | None]

HEAD = " index      count   %          size   %  allocated by"
HEAD_OF_DIFFERENCE = " index      count          size  allocated by"
NOT_KNOWN = "(not known: older than the recording, or of no function of the program)"


def origins_table(
    kind: str | None, is_difference: bool, rows: Sequence[Row], limit: int | None
) -> str:
    """The table of where objects of a type were allocated, without a line break at its end. limit:
    rows; None: all."""
    count, size = sum(row[0] for row in rows), sum(row[1] for row in rows)
    of_kind = "" if kind is None else f" of {kind}"
    if is_difference:
        sign = "-" if size < 0 else "+"
        lines = [
            f"{count:+,} objects{of_kind}, {sign}{size_text(abs(size))}, by allocating function"
        ]
    else:
        lines = [f"{count:,} objects{of_kind}, {size_text(size)}, by allocating function"]
    if rows:
        lines.append(HEAD_OF_DIFFERENCE if is_difference else HEAD)
    for number, (counted, sized, function, file, line) in enumerate(rows[:limit]):
        if is_difference:
            lines.append(
                f"{number:6} {counted:+10,} {sized:+13,}  {place_text(function, file, line)}"
            )
        else:
            lines.append(
                f"{number:6} {counted:10,} {share(counted, count)} {sized:13,} "
                f"{share(sized, size)}  {place_text(function, file, line)}"
            )
    return "\n".join([*lines, *rest(len(rows), limit)])


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
