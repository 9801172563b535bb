"""The memory of a program in a summary: of the whole, and the functions that held most."""

from __future__ import annotations

from heapq import nsmallest

from tracer.analysis.memory.memory import memory_of, whole_of_runs
from tracer.analysis.memory.sizes import UNITS, cell, size_text, unit_for
from tracer.report.aligned import aligned
from tracer.report.cells import with_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet

FUNCTIONS = 5
LEAST = 0.001  # of the peak: a function that held less is not told


def memory_summary(profiles: ProfileSet) -> list[list[str]]:
    """A table of the whole, and one of the functions that held most when most was live. Raises
    ValueError where no memory was recorded."""
    whole = whole_of_runs(profiles)
    rows = [
        ["", "size", "blocks"],
        ["live at the peak", size_text(whole.peak.bytes), f"{whole.peak.blocks:,}"],
        ["live at the end", size_text(whole.live.bytes), f"{whole.live.blocks:,}"],
    ]
    if whole.resident:
        rows += [
            ["resident at most", size_text(whole.resident)],
            ["  of it in no block", size_text(whole.rest)],
        ]
    blocks = [["Memory, of the whole recording", "", *aligned(rows)]]
    found = memory_of(profiles)
    held = [label for label in found if found[label].peak.bytes >= LEAST * whole.peak.bytes > 0]
    most = nsmallest(FUNCTIONS, held, key=lambda label: (-found[label].peak.bytes, label))
    if most:
        unit = unit_for(max(found[label].peak.bytes, found[label].live.bytes) for label in most)
        heads = (f"at peak ({UNITS[unit]})", "at end", "allocated", "blocks", "ratio %")
        table = [["function", *heads]]
        for label in most:
            memory = found[label]
            sizes = (memory.peak.bytes, memory.live.bytes, memory.allocated.bytes)
            ratio = 100 * memory.peak.bytes / whole.peak.bytes
            cells = [cell(size, unit, 0) for size in sizes]
            table.append(
                [with_place(label), *cells, f"{memory.allocated.blocks:,}", f"{ratio:.1f}"]
            )
        blocks.append(aligned(table))
    return blocks
