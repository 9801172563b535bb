"""Live objects as text: the table of a census, and the path that keeps an object alive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.report.memory import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.data.heap import Kind

HEAD = " index      count   %          size   %    cumulative   %  kind"
HEAD_OF_DIFFERENCE = " index      count          size  kind"


def heap_table(kinds: Sequence[Kind], grouping: str, limit: int | None) -> str:
    """The table of a census, without a line break at its end. limit: rows; None: all."""
    count, size = sum(kind.count for kind in kinds), sum(kind.size for kind in kinds)
    lines = [f"{count:,} objects, {size_text(size)}, by {grouping}", HEAD]
    cumulative = 0
    for number, kind in enumerate(kinds[:limit]):
        cumulative += kind.size
        lines.append(
            f"{number:6} {kind.count:10,} {share(kind.count, count)} {kind.size:13,} "
            f"{share(kind.size, size)} {cumulative:13,} {share(cumulative, size)}  {kind.name}"
        )
    return "\n".join([*lines, *rest(len(kinds), limit)])


def difference_table(kinds: Sequence[Kind], grouping: str, limit: int | None) -> str:
    """The table of what a census has more, or less, than another."""
    count, size = sum(kind.count for kind in kinds), sum(kind.size for kind in kinds)
    sign = "-" if size < 0 else "+"
    lines = [f"{count:+,} objects, {sign}{size_text(abs(size))}, by {grouping}"]
    if kinds:
        lines.append(HEAD_OF_DIFFERENCE)
    lines += [
        f"{number:6} {kind.count:+10,} {kind.size:+13,}  {kind.name}"
        for number, kind in enumerate(kinds[:limit])
    ]
    return "\n".join([*lines, *rest(len(kinds), limit)])


def share(part: int, whole: int) -> str:
    return f"{100 * part / (whole or 1):3.0f}"


def rest(count: int, limit: int | None) -> list[str]:
    left = 0 if limit is None else count - limit
    return [f"       {left:,} more; table(None) has all"] if left > 0 else []


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
