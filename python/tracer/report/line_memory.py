"""The table of lines by memory, in the layout of memory_profiler's, with exact columns beside."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tracer.data.line_memory import LineMemory
    from tracer.data.lines import Key

MIB = 1024.0**2
HEAD = (
    "Line #    Mem usage    Increment  Occurrences    Allocated      At peak       At end   "
    "Line Contents"
)


def line_memory_table(
    found: Mapping[Key, Mapping[int, LineMemory]], text_of: Callable[[str], Sequence[str]]
) -> str:
    """A table a function. text_of: the lines of a file; empty: it is not known."""
    return "".join(function_table(key, found[key], text_of(key[0])) for key in sorted(found))


def function_table(key: Key, lines: Mapping[int, LineMemory], text: Sequence[str]) -> str:
    file, first, _, name = key
    rows = [f"Filename: {file}", f"Function: {name}", "", HEAD, "=" * len(HEAD)]
    usage = 0
    for number in range(min(first, *lines), max(lines) + 1):
        content = text[number - 1].rstrip("\n") if 0 < number <= len(text) else ""
        memory = lines.get(number)
        if memory is None:
            rows.append(f"{number:6}{'':78}{content}".rstrip())
            continue
        usage = memory.resident or usage
        cells = (
            f"{mib(usage)} {mib(memory.increment)} {memory.hits:12,}",
            f"{mib(memory.allocated.bytes)} {mib(memory.peak.bytes)} {mib(memory.live.bytes)}",
        )
        rows.append(f"{number:6} {' '.join(cells)}   {content}".rstrip())
    return "".join(f"{row}\n" for row in [*rows, ""])


def mib(size: int) -> str:
    return f"{size / MIB:8,.1f} MiB"
