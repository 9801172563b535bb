"""The methods of Stats that print figures of functions for which pstats has no table: waits, the
longest calls, suspensions, memory, native code. report/ makes the tables.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from tracer.api.printing_set import PrintingSet
from tracer.report.selection import Selection
from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.report.functions import Restrict


@all_aside
class FigureStats(PrintingSet):
    """Prints of the functions that are chosen as for print_stats()."""

    eval_print_amount: Callable[[Any, Any, str], Any]  # of pstats

    def print_suspended(self, *amount: Any) -> Self:
        """Print how often generators and coroutines were resumed, and how many seconds they were
        suspended, the longest first. `amount`: as for print_stats()."""
        return self._print_figure("suspended", amount)

    def print_resumes(self, *amount: Any) -> Self:
        """Print how often generators and coroutines were resumed, and who resumed them, the most
        often first. `amount`: as for print_stats()."""
        from tracer.report.functions import resumes_table

        return self._print(resumes_table(self, self._restricted_by(amount)))

    def print_waited(self, *amount: Any) -> Self:
        """Print the part of each function's own time in which its thread did not run, the longest
        waits first. `amount`: as for print_stats()."""
        if self.sampled is not None:
            from tracer.report.sampled_waits import sampled_waits_table

            return self._print(sampled_waits_table(self, self._restricted_by(amount), self.shown))
        return self._print_figure("waited", amount)

    def print_longest(self, *amount: Any) -> Self:
        """Print how long the longest call of each function took, and when it was: the longest
        first. Of a generator or coroutine, it is the longest stretch between two suspensions.
        `amount`: as for print_stats()."""
        return self._print_figure("longest", amount)

    def print_memory(self, *amount: Any, by: str = "peak") -> Self:
        """Print what each function allocated, and what of it was live at the peak and at the end.
        by: "peak", "live", "allocated", "temporary" or "count", the most first. `amount`: as for
        print_stats(). Raises ValueError for another `by`, and where no memory was recorded."""
        from tracer.report.memory import ORDERS, memory_table

        if by not in ORDERS:
            raise ValueError(f"by must be one of {', '.join(ORDERS)}, not {by!r}")
        return self._print(memory_table(self, self._restricted_by(amount), by))

    def print_native(self, *amount: Any, by: str = "tottime") -> Self:
        """Print which native functions used CPU time, and for which Python functions, by samples;
        below it, how much CPU time each function used. by: "tottime" or "cumulative". `amount`: as
        for print_stats(), of the native functions. Raises ValueError for another `by`, and where no
        native code was sampled."""
        from tracer.report.native import ORDERS, native_table

        if by not in ORDERS:
            raise ValueError(f"by must be one of {', '.join(ORDERS)}, not {by!r}")
        whole, restrict = self.with_folders(), self._restricted_by(amount)
        return self._print(
            native_table(whole, restrict, by, strip_dirs=self._unstripped is not None)
        )

    def _print_figure(self, name: str, amount: tuple[Any, ...]) -> Self:
        from tracer.report.functions import figure_table

        return self._print(figure_table(self, name, self._restricted_by(amount)))

    def _restricted_by(self, amount: tuple[Any, ...]) -> Restrict:
        """A function that selects labels by `amount`, as pstats does."""
        return Selection(self.eval_print_amount, amount)
