"""Sizes of memory as text, in one unit for a column or each in its own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
MOST = 10_000  # in a column: above, the next unit is taken


def unit_for(sizes: Iterable[int], most: int = MOST) -> int:
    """The place in UNITS of the unit in which the largest of these sizes is below `most`."""
    largest = max(sizes, default=0)
    number = 0
    while number < len(UNITS) - 1 and largest >= most:
        largest //= 1024
        number += 1
    return number


def cell(size: int, unit: int, width: int) -> str:
    digits = 1 if unit else 0
    return f"{size / 1024**unit:{width},.{digits}f}"


def size_text(size: int, most: int = MOST) -> str:
    """A size with its unit, in which it is below `most`: 312.3 MiB."""
    number = unit_for([size], most)
    return f"{cell(size, number, 0)} {UNITS[number]}"
