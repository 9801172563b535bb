"""The columns of the first screen. Each takes a function that gives nanoseconds, or a count, of a
row."""

from __future__ import annotations

from tracer.analysis.tree.call_tree import NANOSECONDS
from tracer.report.drawing import Column
from tracer.report.styled import share

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tracer.analysis.outline.outline import Outline

    Amount = Callable[[Any], int]

SHORT_RUN = 0.1  # seconds: the times of a shorter run need six decimals
MILLION = 1_000_000


def time_column(title: str, outline: Outline, of: Amount, *, blank: bool = False) -> Column:
    """blank: nothing stands for a time that is too short to be seen."""
    digits = 6 if outline.whole < SHORT_RUN * NANOSECONDS else 3

    def text_of(row: Any) -> str:
        text = f"{of(row) / NANOSECONDS:.{digits}f}"
        return "" if blank and not text.strip("0.") else text

    return Column(title, 8, text_of)


def waited_column(outline: Outline, of: Amount) -> list[Column]:
    """The column of waits, where they are worth telling."""
    are_told = outline.waits.are_worth_telling
    return [time_column("waited", outline, of, blank=True)] if are_told else []


def share_column(outline: Outline, of: Amount) -> Column:
    def text_of(row: Any) -> str:
        percent = 100 * of(row) / (outline.length or 1)
        return share(f"{percent:.1f}", percent)

    return Column("%", 6, text_of)


def count_column(of: Amount) -> Column:
    def text_of(row: Any) -> str:
        count = of(row)
        if count >= 10 * MILLION:
            return f"{count / MILLION:,.0f}M"
        return f"{count:,}" if count else ""

    return Column("calls", 9, text_of)
