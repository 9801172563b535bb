"""The method of Stats that prints lines by memory."""

from __future__ import annotations

from typing import Self

from tracer.api.printing_set import PrintingSet
from tracer.runtime.unrecorded import all_aside


@all_aside
class MemoryStats(PrintingSet):
    """Prints of profiles that were recorded with memory."""

    def print_line_memory(self, *, exact: bool = True, precision: int = 3) -> Self:
        """Print the lines by memory, a table for each function with memory_profiler's columns: of a
        run with --memory and --lines. exact: also print the bytes that were allocated on each line,
        and which of them were live at the peak and at the end. precision: digits behind the point
        of MiB. Raises ValueError where no memory was recorded."""
        from tracer.data.line_memory import line_memory_of
        from tracer.data.memory import NO_MEMORY
        from tracer.report.line_memory import line_memory_tables

        captures = self.captures
        if all(capture.memory_data is None for capture in captures):
            raise ValueError(NO_MEMORY)
        found = line_memory_of(captures)
        text = line_memory_tables(found, self.lines, exact=exact, precision=precision)
        return self._print(text)
