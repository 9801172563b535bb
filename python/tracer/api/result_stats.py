"""The methods of Stats that give results as data, which are tables, the call tree and findings, and
as files that other tools open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from tracer.data.profile_set import ProfileSet
from tracer.runtime.atomic_files import AnyPath
from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.results.code_tables import LineRow, NativeRow
    from tracer.results.function_tables import CallRow, FunctionRow, MemoryRow, ThreadRow
    from tracer.results.records import Finding
    from tracer.results.table import Table
    from tracer.results.timed_tables import RangeRow, SlowRow, StepRow
    from tracer.results.tree_table import TreeRow

    class How(TypedDict, total=False):
        """How table() chooses and sorts rows."""

        by: str | None
        only: str | None
        limit: int | None


@all_aside
class ResultStats(ProfileSet):
    """Results as data. The reference lists the columns of each table, with types and units."""

    @overload
    def table(self, name: Literal["functions"] = ..., **how: Unpack[How]) -> Table[FunctionRow]: ...
    @overload
    def table(self, name: Literal["threads"], **how: Unpack[How]) -> Table[ThreadRow]: ...
    @overload
    def table(self, name: Literal["callers", "callees"], **how: Unpack[How]) -> Table[CallRow]: ...
    @overload
    def table(self, name: Literal["lines"], **how: Unpack[How]) -> Table[LineRow]: ...
    @overload
    def table(self, name: Literal["memory"], **how: Unpack[How]) -> Table[MemoryRow]: ...
    @overload
    def table(self, name: Literal["native"], **how: Unpack[How]) -> Table[NativeRow]: ...
    @overload
    def table(self, name: Literal["ranges"], **how: Unpack[How]) -> Table[RangeRow]: ...
    @overload
    def table(self, name: Literal["slowest"], **how: Unpack[How]) -> Table[SlowRow]: ...
    @overload
    def table(self, name: Literal["steps"], **how: Unpack[How]) -> Table[StepRow]: ...
    @overload
    def table(self, name: str, **how: Unpack[How]) -> Table[Any]: ...
    def table(
        self,
        name: str = "functions",
        *,
        by: str | None = None,
        only: str | None = None,
        limit: int | None = None,
    ) -> Table[Any]:
        """A table as data: a sequence of named tuples. name: functions, threads, callers, callees,
        lines, memory, native, ranges, slowest or steps. by: the column to sort by, the largest
        first, of texts and moments the least; None: that of the table. only: functions, by a name
        as a table or the page prints it, or by a regular expression; of callers and callees, whose
        these are; of threads and ranges, their name. limit: so many rows; None: all. What a profile
        has not, `omitted` names. Raises ValueError for another name, column or limit, and for a
        pattern that is no regular expression; TypeError for a limit that is no whole number."""
        from tracer.results.tables import table_of

        return table_of(self, name, by, only, limit)

    def tree(
        self,
        depth: int | None = None,
        percent: float = 1.0,
        limit: int | None = None,
        root: str | None = None,
        fold: bool | Iterable[str] = (),
    ) -> Table[TreeRow]:
        """The call tree as data, in preorder: the paths with at least `percent` of the time and at
        most `depth` calls; of these, the `limit` that took longest. root: only what is below all
        calls of the functions of this name. fold: packages and modules of which each call is one
        row; True: all that is not the program's own. Raises as print_tree() does."""
        from tracer.results.tree_table import tree_of

        return tree_of(self, depth, percent, limit, root, fold)

    def findings(self) -> tuple[Finding, ...]:
        """What stands out: first what is wrong with the figures, then what could save most, as on
        the first screen, then hints. Raises ProfileFormatError for impossible figures."""
        from tracer.analysis.tree.call_tree import paths_of
        from tracer.results.all_findings import findings_of

        return findings_of(self, paths_of(self))

    def export(
        self,
        format: str,
        path: AnyPath,
        *,
        minimum: float | None = None,
        start: float = 0.0,
        end: float | None = None,
        least: float = 0.0,
        paths: bool = False,
        memory: str | None = None,
        native: bool = False,
    ) -> None:
        """Write a file that another tool opens, in a format that `tracer export --help` lists.
        `minimum`: leave out what took less than this percentage of the time, as --min does; None:
        the format's own. `start`, `end`, `least`: of a timeline, the part that is written, in
        seconds since the start, and the seconds below which slices are left out. `paths`: write the
        paths, also where the format could have the timeline. `memory`: write the paths with bytes
        in the place of time: "peak", "live", "allocated" or "temporary". `native`: write the paths
        with CPU time by native samples, and with native functions.

        Raises ValueError for another format, for a minimum outside 0 to 100, for a choice that the
        format cannot make, and where a timeline, memory or native samples are asked for and there
        are none. Raises OSError."""
        from tracer.exports.export import export
        from tracer.exports.times import window_of

        window = window_of(start, end, least)
        export(self, format, path, minimum, window, merged=paths, measure=memory, native=native)
