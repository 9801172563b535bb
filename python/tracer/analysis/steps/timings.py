"""How long the steps of a loop took, and its reader: the figures of a StepClock's lists.

Each figure is over the same steps: all that are kept. report/step_timings.py prints them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, isnan

from tracer.analysis.timeline.ranges import percentile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True)
class Distribution:
    """Of a list of numbers. p95: the least of them that 95 percent do not exceed."""

    average: float
    max: float
    min: float
    p95: float


@dataclass(frozen=True)
class StepTimings:
    """first: the number of the first step that is kept, 0 unless there were millions. lengths:
    seconds of each step. reads: seconds of them that the reader took; empty where nothing was read
    by loader() or a known function. items: how many items each step worked on; None: not told."""

    first: int
    lengths: tuple[float, ...]
    reads: tuple[float, ...]
    items: tuple[float | None, ...]

    def __repr__(self) -> str:
        number = len(self.lengths)
        return f"<tracer.StepTimings: {number:,} step{'s' * (number != 1)} from {self.first}>"

    @property
    def batch_cost(self) -> Distribution | None:
        """Seconds of a step, the reader included; None without steps."""
        return distribution_of(self.lengths)

    @property
    def reader_cost(self) -> Distribution | None:
        """Seconds of the reader in a step; None where nothing was read."""
        return distribution_of(self.reads)

    @property
    def items_per_second(self) -> Distribution | None:
        """Of the steps whose items were told and that took time. average: all their items by all
        their time. None where there is no such step."""
        amounts = [
            (items, length)
            for items, length in zip(self.items, self.lengths, strict=True)
            if items is not None and length > 0
        ]
        return rates_of(amounts)

    @property
    def steps_per_second(self) -> Distribution | None:
        return rates_of([(1.0, length) for length in self.lengths if length > 0])

    @property
    def reader_ratio(self) -> float | None:
        """The percentage of the steps' time that the reader took; None where nothing was read."""
        whole = fsum(self.lengths)
        return min(100.0, 100 * fsum(self.reads) / whole) if self.reads and whole > 0 else None


def distribution_of(numbers: Iterable[float]) -> Distribution | None:
    ascending = sorted(numbers)
    if not ascending:
        return None
    least, most = ascending[0], ascending[-1]
    average = min(max(fsum(ascending) / len(ascending), least), most)  # a mean of equals rounds
    return Distribution(average, most, least, percentile(ascending, 95))


def rates_of(amounts: list[tuple[float, float]]) -> Distribution | None:
    """Of (amount, seconds): amounts a second."""
    spread = distribution_of(amount / seconds for amount, seconds in amounts)
    if spread is None:
        return None
    average = fsum(amount for amount, _ in amounts) / fsum(seconds for _, seconds in amounts)
    return replace(spread, average=min(max(average, spread.min), spread.max))


def timings_of(columns: tuple[int, bytes, bytes, bytes], seconds_per_tick: float) -> StepTimings:
    """columns: of StepClock._columns()."""
    first, lengths, reads, items = columns
    unit = seconds_per_tick
    numbers = memoryview(items).cast("d")
    return StepTimings(
        first,
        tuple(ticks * unit for ticks in memoryview(lengths).cast("q")),
        tuple(ticks * unit for ticks in memoryview(reads).cast("q")),
        tuple(None if isnan(number) else number for number in numbers)
        if items
        else (None,) * (len(lengths) // 8),
    )
