"""Memory in exports: the figures of functions, and the text that says by which measure paths are.

analysis/memory/memory.py adds the figures up. The formats write them where memory was recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracer.analysis.memory.memory import has_memory, memory_of, whole_of_runs
from tracer.data.line_memory import line_memory_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.memory.memory import FunctionMemory
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.memory import Memory
    from tracer.data.profile_set import ProfileSet

# The measures that a file of paths can be of, the default first.
MEASURES = {
    "peak": "memory live at the peak",
    "live": "memory live at the end",
    "allocated": "memory allocated",
    "temporary": "temporary memory",
}
COLUMNS = (
    "allocated_bytes",
    "allocations",
    "freed_bytes",
    "live_bytes",
    "live_blocks",
    "peak_bytes",
    "peak_blocks",
    "temporary",
    "temporary_bytes",
)


def figures_of(memory: FunctionMemory) -> dict[str, int]:
    """The figures of a function itself, by the names of COLUMNS."""
    figures = (
        *memory.allocated[:2],
        memory.freed.bytes,
        *memory.live[:2],
        *memory.peak[:2],
        memory.temporary.blocks,
        memory.temporary.bytes,
    )
    return dict(zip(COLUMNS, figures, strict=True))


def by_line(stats: ProfileSet) -> list[dict[str, Any]]:
    """The lines that were reached, by file and function, with their figures; none where no lines
    were recorded by memory."""
    found = line_memory_of(stats.captures)
    return [
        {
            "file": key[0],
            "function": key[3],
            "first_line": key[1],
            "line": line,
            "hits": memory.hits,
            "memory": {
                "increment_bytes": memory.increment,
                "allocated_bytes": memory.allocated.bytes,
                "allocations": memory.allocated.blocks,
                "live_bytes": memory.live.bytes,
                "live_blocks": memory.live.blocks,
                "peak_bytes": memory.peak.bytes,
                "peak_blocks": memory.peak.blocks,
                "rss_bytes": memory.resident or None,
            },
        }
        for key, lines in sorted(found.items())
        for line, memory in sorted(lines.items())
    ]


def by_row(stats: ProfileSet, rows: Iterable[Row]) -> list[dict[str, int]] | None:
    """The figures of each of these rows; None where no memory was recorded."""
    if not has_memory(stats):
        return None
    known: dict[Any, FunctionMemory] = dict(memory_of(stats, names="qualname"))
    none = dict.fromkeys(COLUMNS, 0)
    found = (known.get(tuple(row)) for row in rows)
    return [none if memory is None else figures_of(memory) for memory in found]


def whole(stats: ProfileSet) -> dict[str, Any] | None:
    """The memory of all runs, as json has it; None where none was recorded."""
    runs = [memory for it in stats.captures if (memory := it.memory) is not None]
    if not runs:
        return None
    found = whole_of_runs(stats)
    return {
        "peak_bytes": found.peak.bytes,
        "peak_blocks": found.peak.blocks,
        "peak_rss_bytes": max(it.resident for it in runs) or None,
        "live_bytes": found.live.bytes,
        "live_blocks": found.live.blocks,
        "lost_allocations": sum(it.lost for it in runs),
        "runs": [run_of(it) for it in runs],
    }


def run_of(memory: Memory) -> dict[str, Any]:
    """When memory was cut off, and the curve: an array for each figure of its points."""
    points = list(memory.curve())
    return {
        "cut_off_ns": None if memory.cut_off is None else round(memory.cut_off * 1e9),
        "curve": {
            "at_ns": [round(point.at * 1e9) for point in points],
            "least_bytes": [point.least for point in points],
            "most_bytes": [point.most for point in points],
            "last_bytes": [point.last for point in points],
            "rss_bytes": [point.resident or None for point in points],
        },
    }
