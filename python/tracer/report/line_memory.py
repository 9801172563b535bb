"""The table of lines by memory: memory_profiler's columns, and behind them exact ones, in bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tracer.report.lines import changed_since
from tracer.source.functions import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tracer.data.line_memory import LineMemory
    from tracer.data.lines import Key, Lines

MIB = 1024.0**2
HEADS = ("Line #", "Mem usage", "Increment", "Occurrences")
CONTENTS = "Line Contents"
EXACT = ("Allocated", "At peak", "At end")
EXACT_WIDTH = 14
WIDE = 120  # columns of a terminal from which on the exact ones have room
LEGEND = (
    "Mem usage: the most resident memory of the process at an end of the line. Increment: how the\n"
    "memory of its thread changed on it, callees included. Allocated, at peak, at end: bytes of\n"
    "the line itself, and of callees whose lines were not recorded.\n"
)


class Row(NamedTuple):
    """A line to print: its number, its text, and its memory, if it was reached."""

    number: int
    contents: str
    memory: LineMemory | None


def line_memory_tables(
    found: Mapping[Key, Mapping[int, LineMemory]],
    lines: Lines,
    *,
    exact: bool = True,
    precision: int = 3,
) -> str:
    """A table for each function that was reached. lines: has the texts of the files, as far as the
    profiles keep them. exact: also print what was allocated, in bytes. precision: digits behind the
    point of MiB."""
    edited = changed_since({key[0] for key in found}, lines)
    tables = []
    for key in sorted(found):
        if found[key]:
            file, first, _, name = key
            kept = lines.texts.get(file)
            text = None if kept is None else kept.data
            source = Source.of(file, first, name, max(found[key]), text)
            above = [f"Filename: {file}", f"Function: {name} at line {first}", ""]
            above += [line.rstrip("\n") for line in source.problem]
            table = rows_text(rows_of(source, found[key]), exact=exact, precision=precision)
            below = [edited[file]] if file in edited else []
            tables.append("".join(f"{line}\n" for line in [*above, *table, *below, ""]))
    return "".join([*tables, LEGEND if tables and exact else ""])


def rows_of(source: Source, found: Mapping[int, LineMemory]) -> Iterator[Row]:
    for number, contents in source.lines(found):
        yield Row(number, contents, found.get(number))


def rows_text(rows: Iterable[Row], *, exact: bool, precision: int) -> list[str]:
    """The lines of a table, from its head on, as memory_profiler has them."""
    head = row_text(HEADS, EXACT if exact else (), CONTENTS)
    return [head, "=" * len(head), *(text_of(row, exact, precision) for row in rows)]


def text_of(row: Row, exact: bool, precision: int) -> str:
    memory = row.memory
    if memory is None:
        blank = ("",) * len(EXACT) if exact else ()
        return row_text((str(row.number), "", "", ""), blank, row.contents)
    usage = mib(memory.resident, precision) if memory.resident else "-"
    first = (str(row.number), usage, mib(memory.increment, precision), str(memory.hits))
    sizes = (memory.allocated.bytes, memory.peak.bytes, memory.live.bytes)
    return row_text(first, [f"{size:,}" for size in sizes] if exact else (), row.contents)


def row_text(first: Sequence[str], others: Sequence[str], contents: str) -> str:
    number, usage, increment, hits = first
    behind = "".join(f" {other:>{EXACT_WIDTH}}" for other in others)
    return f"{number:>6} {usage:>12} {increment:>12}  {hits:>10}{behind}   {contents}".rstrip()


def mib(size: int, precision: int) -> str:
    return f"{size / MIB:{precision + 4}.{precision}f} MiB"
