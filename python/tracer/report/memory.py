"""The table of memory: what each function allocated, and what of it was live."""

from __future__ import annotations

from tracer.analysis.memory.memory import has_memory
from tracer.analysis.memory.sizes import UNITS, unit_for
from tracer.data.memory import NO_MEMORY
from tracer.report.drawing import FUNCTION, Column, drawn, size
from tracer.report.styled import function, in_lines
from tracer.results.function_tables import memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.functions import Restrict
    from tracer.results.function_tables import MemoryRow

# By what the table is sorted, for its head; and the columns that it is sorted by.
ORDERS = {
    "peak": "memory live at the peak",
    "live": "memory live at the end",
    "allocated": "memory allocated",
    "temporary": "temporary memory",
    "count": "allocations",
}
BY_COUNT = ("blocks", "allocated")


def memory_table(
    profiles: ProfileSet,
    restrict: Restrict,
    by: str = "peak",
    shown: Callable[[Label], str] = function,
) -> str:
    """The table of the functions that `restrict` selects. by: a key of ORDERS. shown: the text of a
    function. Raises ValueError where no memory was recorded."""
    if not has_memory(profiles):
        raise ValueError(NO_MEMORY)
    first, second = BY_COUNT if by == "count" else (by, f"{by}_cumulative")
    found = {(row.file, row.line, row.name): row for row in memory(profiles, None)[0]}
    order = sorted(
        found, key=lambda it: (-getattr(found[it], first), -getattr(found[it], second), it)
    )
    # Much is allocated in time, of which little is live at any moment.
    rows = found.values()
    held = unit_for(max(row.peak_cumulative, row.live_cumulative) for row in rows)
    made = max(held, unit_for(row.allocated_cumulative for row in rows))
    units = UNITS[held] if made == held else f"{UNITS[held]}, of what was allocated {UNITS[made]}"
    chosen, message = restrict(order, f"   Ordered by: {ORDERS[by]}. Sizes are {units}\n")

    def text_of(row: MemoryRow) -> str:
        return shown((row.file, row.line, row.name))

    columns = (
        size("peak", held, "at peak"),
        size("peak_cumulative", held, "cum"),
        size("live", held, "end"),
        size("allocated", made, width=10),
        size("allocated_cumulative", made, "cum", width=10),
        size("temporary", made, width=10),
        Column("blocks", 10, lambda row: f"{row.blocks:,}"),
    )
    lines = drawn(columns, map(found.__getitem__, chosen), FUNCTION, text_of, "  ")
    return in_lines([message, *(lines if chosen else ()), ""])


def measure_of(by: str) -> str:
    """The measure of this order; "count" counts what is allocated."""
    return "allocated" if by == "count" else by
