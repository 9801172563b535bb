"""The methods of Stats that print of a timeline, as the options of `show` that are named alike."""

from __future__ import annotations

from typing import Self

from tracer.api.printing_set import PrintingSet
from tracer.runtime.unrecorded import all_aside

SLOWEST = 20  # calls


@all_aside
class TimelineStats(PrintingSet):
    """Prints of profiles that were recorded with a timeline. Of others the methods raise
    ValueError."""

    def print_timeline(self, limit: int | None = None) -> Self:
        """Print each run over time: which function led when in each thread, and where it waited
        longest. `limit`: only the threads with the most time."""
        from tracer.report.timeline_tables import strips

        return self._print(strips(self, limit))

    def print_slowest(self, number: int = SLOWEST) -> Self:
        """Print the `number` longest single calls, when each was and below what."""
        from tracer.report.timeline_tables import longest_calls

        return self._print(longest_calls(self, number))

    def print_ranges(self, limit: int | None = None) -> Self:
        """Print the ranges that the program marked, by name, and the longest of them. `limit`: the
        rows of each table."""
        from tracer.report.timeline_tables import ranges

        return self._print(ranges(self, limit))
