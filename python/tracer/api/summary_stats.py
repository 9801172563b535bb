"""The methods of Stats that tell of steps: what `show --summary` prints, and the list of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from tracer.api.printing_set import PrintingSet
from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.steps.steps import StepTimes


@all_aside
class SummaryStats(PrintingSet):
    """Tells of profiles that were recorded with a timeline."""

    @property
    def steps(self) -> list[StepTimes]:
        """The recorded steps that ended, by time: see StepTimes. Empty without a timeline."""
        from tracer.analysis.steps.steps import steps_of

        return steps_of(self)

    def print_summary(
        self,
        sorted_by: str | None = None,
        views: str | Iterable[str] | None = None,
        time_unit: str = "ms",
        by_thread: bool = False,
    ) -> Self:
        """Print where the time of the recorded steps went, as a table for each view.

        sorted_by: total, calls, average, max, min or name; None: phases in their usual order, the
        rest by total. views: of device, overview, model, operators, ranges, memory, steps; several
        as a list, or as a text with commas; None: all that there is something to tell of.
        time_unit: s, ms, us or ns. by_thread: the overview, the model and the ranges of each
        thread. Raises ValueError for other values, and where no timeline was recorded.
        """
        from tracer.report.summary import SummaryText

        text = SummaryText(self, sorted_by, views, time_unit, by_thread).text()
        return self._print(text)
