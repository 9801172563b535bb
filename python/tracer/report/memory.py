"""The table of memory: what each function allocated, and what of it was live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.analysis.memory import memory_of
from tracer.analysis.sizes import UNITS, cell, size_text, unit_for
from tracer.report.styled import HEAD as STYLE_OF_HEAD
from tracer.report.styled import function, in_lines, styled

if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.memory import FunctionMemory
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.functions import Restrict

__all__ = ["ORDERS", "UNITS", "cell", "measure_of", "memory_table", "size_text", "unit_for"]

# By what the table is sorted, for its head.
ORDERS = {
    "peak": "memory live at the peak",
    "live": "memory live at the end",
    "allocated": "memory allocated",
    "temporary": "temporary memory",
    "count": "allocations",
}
HEAD = (
    "  at peak       cum       end  allocated        cum  temporary     blocks  "
    "filename:lineno(function)"
)


def memory_table(
    profiles: ProfileSet,
    restrict: Restrict,
    by: str = "peak",
    shown: Callable[[Label], str] = function,
) -> str:
    """The table of the functions that `restrict` selects. by: a key of ORDERS. shown: the text of a
    function. Raises ValueError where no memory was recorded."""
    found = memory_of(profiles)
    order = sorted(found, key=lambda label: (*(-it for it in key_of(found[label], by)), label))
    # Much is allocated in time, of which little is live at any moment.
    held = unit_for(it.cumulative for memory in found.values() for it in (memory.peak, memory.live))
    made = max(held, unit_for(memory.allocated.cumulative for memory in found.values()))
    units = UNITS[held] if made == held else f"{UNITS[held]}, of what was allocated {UNITS[made]}"
    message = f"   Ordered by: {ORDERS[by]}. Sizes are {units}\n"
    chosen, message = restrict(order, message)
    lines: list[str] = [message, styled(HEAD, STYLE_OF_HEAD)] if chosen else [message]
    for label in chosen:
        memory = found[label]
        cells = [
            cell(memory.peak.bytes, held, 9),
            cell(memory.peak.cumulative, held, 9),
            cell(memory.live.bytes, held, 9),
            cell(memory.allocated.bytes, made, 10),
            cell(memory.allocated.cumulative, made, 10),
            cell(memory.temporary.bytes, made, 10),
            f"{memory.allocated.blocks:10,}",
        ]
        lines.append(f"{' '.join(cells)}  " + shown(label))
    return in_lines([*lines, ""])


def measure_of(by: str) -> str:
    """The measure of this order; "count" counts what is allocated."""
    return "allocated" if by == "count" else by


def key_of(memory: FunctionMemory, by: str) -> tuple[int, int]:
    if by == "count":
        return memory.allocated.blocks, memory.allocated.bytes
    share = getattr(memory, by)
    return share.bytes, share.cumulative
