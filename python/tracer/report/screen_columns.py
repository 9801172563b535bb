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
    from tracer.data.sampled import Count

    Amount = Callable[[Any], int]

SHORT_RUN = 0.1  # seconds: the times of a shorter run need six decimals
MILLION = 1_000_000


def time_column(title: str, outline: Outline, of: Amount, *, blank: bool = False) -> Column:
    """blank: nothing stands for a time that is too short to be seen."""

    def text_of(row: Any) -> str:
        text = f"{of(row) / NANOSECONDS:.{digits_in(outline)}f}"
        return "" if blank and not text.strip("0.") else text

    return Column(title, 8, text_of)


def digits_in(outline: Outline) -> int:
    return 6 if outline.whole < SHORT_RUN * NANOSECONDS else 3


def waited_column(outline: Outline, of: Amount) -> list[Column]:
    """The column of waits, where they are worth telling."""
    are_told = outline.waits.are_worth_telling
    return [time_column("waited", outline, of, blank=True)] if are_told else []


def error_column(outline: Outline, of: Amount, *, blank: bool = False) -> list[Column]:
    """The column of two standard errors of a time, where times come from samples. blank: nothing
    stands for that of no time."""
    sampled = outline.paths.sampled
    if sampled is None:
        return []

    def text_of(row: Any) -> str:
        time = of(row)
        if blank and not time:
            return ""
        return f"{sampled.error(time / NANOSECONDS):.{digits_in(outline)}f}"

    return [Column("+-", 6, text_of)]


def share_column(outline: Outline, of: Amount) -> Column:
    def text_of(row: Any) -> str:
        percent = 100 * of(row) / (outline.length or 1)
        return share(f"{percent:.1f}", percent)

    return Column("%", 6, text_of)


def count_column(of: Amount, counted: Callable[[Any], Count | None] | None = None) -> Column:
    """counted: what is known of a row's calls, where they were counted as far as that was cheap."""

    def text_of(row: Any) -> str:
        known = None if counted is None else counted(row)
        count = of(row)
        more = "+" if known is not None and not known.is_exact else ""
        if count >= 10 * MILLION:
            return f"{count / MILLION:,.0f}M{more}"
        return f"{count:,}{more}" if count else ""

    return Column("calls", 9, text_of)
