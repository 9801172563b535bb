"""The table of the lines with the most memory, of all functions together, the most first.

line_memory.py prints the lines of each function.
"""

from __future__ import annotations

from pstats import func_std_string  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from tracer.report.drawing import FUNCTION, aligned
from tracer.report.lines import changed_since
from tracer.source.functions import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tracer.data.line_memory import LineMemory
    from tracer.data.lines import Key, Lines

ORDERS = {  # by the option's key
    "peak": "bytes of the line that were live at the peak",
    "live": "bytes of the line that were live at the end",
    "allocated": "bytes allocated on the line",
    "count": "allocations on the line",
}
TITLES = ("At peak", "At end", "Allocated", "Blocks", "Increment", "Hits", FUNCTION)
OF_LINES = (
    "Sizes are bytes, without what other lines that are recorded allocate: no byte is in two\n"
    "lines. Increment: with all that the line calls, less what was freed on it.\n"
)


def hottest_memory(
    found: Mapping[Key, Mapping[int, LineMemory]],
    lines: Lines,
    limit: int | None,
    by: str = "peak",
) -> str:
    """The table of `limit` lines as text. by: a key of ORDERS. A line that has nothing of it is
    left out. lines: has the texts of the files, as far as the profiles keep them."""
    rows = [
        (figure_of(memory, by), key, number)
        for key, those in found.items()
        for number, memory in those.items()
        if figure_of(memory, by)
    ]
    rows.sort(key=lambda row: (-row[0], row[1:]))
    shown = rows[:limit]
    text = [f"   Ordered by: {ORDERS[by]}"]
    if not rows:
        return "\n".join([*text, "", "   No line had any.", ""])
    if len(shown) < len(rows):
        text.append(f"   List reduced from {len(rows):,} lines to {len(shown):,}")
    cells = [TITLES, *(cells_of(key, number, found[key][number]) for _, key, number in shown)]
    contents = ["Line Contents", *(content_of(key, number, lines) for _, key, number in shown)]
    pairs = zip(aligned(cells, other=9, gap="  "), contents, strict=True)
    text += ["", *(f"{left}  {content}".rstrip() for left, content in pairs)]
    edited = changed_since({key[0] for _, key, _ in shown}, lines)
    return "\n".join([*text, "", *edited.values(), OF_LINES])


def figure_of(memory: LineMemory, by: str) -> int:
    if by == "count":
        return memory.allocated.blocks
    amount = {"peak": memory.peak, "live": memory.live, "allocated": memory.allocated}[by]
    return amount.bytes


def cells_of(key: Key, number: int, memory: LineMemory) -> tuple[str, ...]:
    sizes = (memory.peak.bytes, memory.live.bytes, memory.allocated.bytes)
    others = (memory.allocated.blocks, memory.increment, memory.hits)
    name: str = func_std_string((key[0], number, key[2]))
    return (*(f"{figure:,}" for figure in (*sizes, *others)), name)


def content_of(key: Key, number: int, lines: Lines) -> str:
    """The source text of a line; empty if it is not known."""
    file, first, _, name = key
    kept = lines.texts.get(file)
    source = Source.of(file, first, name, number, None if kept is None else kept.data)
    return dict(source.lines([number])).get(number, "").strip()
