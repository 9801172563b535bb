"""Stats: sorts, filters and prints profiles. A pstats.Stats that also knows threads and resumes.

pstats itself prints its own tables, so they are the same to the character. This file takes the
sources of the numbers. data/reader.py reads files; report/ makes the other tables, most of which
figure_stats.py, memory_stats.py, summary_stats.py and timeline_stats.py print.
result_stats.py gives results as data, and as files of other tools.
"""

from __future__ import annotations

import os
import pstats
import time
from typing import TYPE_CHECKING, Any, Self, TextIO, overload

from tracer._core import ProfileFormatError, Profiler
from tracer.analysis.tree.function_names import Choice
from tracer.api.captured import captured
from tracer.api.figure_stats import FigureStats
from tracer.api.memory_stats import MemoryStats
from tracer.api.result_stats import ResultStats
from tracer.api.summary_stats import SummaryStats
from tracer.api.timeline_stats import TimelineStats
from tracer.data.capture import Capture, dumps_all
from tracer.data.part import Part
from tracer.data.profile_set import ProfileSet
from tracer.data.reader import read
from tracer.data.totals import sum_of
from tracer.data.types import Label, StatsDict, Thread
from tracer.report.call_lists import call_lines, figures_in
from tracer.report.figure_tables import FIGURE_KEYS
from tracer.report.functions import wide_head, wide_row
from tracer.report.styled import StyledStream, function, in_lines
from tracer.results.function_tables import function_row
from tracer.runtime.atomic_files import AnyPath, read_whole, write_whole
from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.server.viewer import Frame, Viewing

__all__ = ["ProfileFormatError", "Stats", "Threads"]

THREADS_NAMED = 10


@all_aside
class Stats(FigureStats, MemoryStats, ResultStats, SummaryStats, TimelineStats, pstats.Stats):
    """Stats(*sources, stream=None, names="label", raw=False)

    sources: paths (str or os.PathLike), open binary files, Profiles (live ones go on recording),
    Captures, other Stats, or whatever pstats.Stats takes. Several are added up; a Stats without
    sources is empty.
    stream: where to print; None is sys.stdout.
    names: "label" names functions as pstats does, "qualname" as `Class.method`.
    raw: leave tracing overhead in the times, also where compensation was asked for.

    Raises OSError when a file cannot be read, and ProfileFormatError when it is no profile. Raises
    ValueError when qualified names are asked of a file that has none, or of a Stats without them.
    """

    stats: StatsDict
    fcn_list: list[Label] | None
    files: list[str]
    total_calls: int
    total_tt: float
    sort_type: str
    shown: Callable[[Label], str]  # the text of a function
    extra_columns: tuple[str, ...] = ()  # which print_stats() prints besides those of pstats

    def __init__(
        self,
        *sources: Any,
        stream: TextIO | None = None,
        names: str = "label",
        raw: bool = False,
    ) -> None:
        ProfileSet.__init__(self, names=names, raw=raw)
        self.shown = function
        pstats.Stats.__init__(self, *sources, stream=stream)

    # -- Where the numbers come from --------------------------------------------------------

    def load_stats(self, arg: Any) -> None:
        """Take one source. pstats calls this method."""
        if isinstance(arg, Capture):
            self._take(arg)
            self.files = []
        elif isinstance(arg, Profiler):
            self._take(captured(arg))
            self.files = []
        elif isinstance(arg, (str, os.PathLike)):
            path = os.fspath(arg)
            data, modified = read_whole(path)
            self._take_file(data, str(path))
            self.files = [f"{time.ctime(modified)}    {path}"]
        elif isinstance(arg, pstats.Stats):
            self._take_stats(arg)
        elif hasattr(arg, "read"):
            try:
                content = arg.read()
            except UnicodeError:
                content = ""  # the file is open in text mode, which _take_file() refuses
            self._take_file(content, str(getattr(arg, "name", "the open file")))
            self.files = []
        else:
            super().load_stats(arg)
            self._whole = arg is None

    def _take_stats(self, other: pstats.Stats) -> None:
        names = getattr(other, "names", "label")
        if names != self.names:
            raise ValueError(
                f"a Stats with names={names!r} cannot be taken into one with names={self.names!r}: "
                "make both with the same names"
            )
        self.stats = dict(other.stats)  # type: ignore[attr-defined]
        self.files = list(other.files)  # type: ignore[attr-defined]
        self._whole = isinstance(other, Stats) and other._whole
        if isinstance(other, Stats):
            self._set_parts(list(other._parts))
            self.problems.extend(other.problems)
            self._unstripped = other._unstripped

    def _take(self, *captures: Capture) -> None:
        self._set_parts(list(map(Part, captures)))
        self.stats = self.totals.stats

    def _take_file(self, data: bytes | str, name: str) -> None:
        if isinstance(data, str):
            raise TypeError(f"{name}: open a profile in binary mode, 'rb'")
        contents = read(data, name)
        if contents.problem is not None:
            self.problems.append(
                f"{name}: tracer's part of the file is {contents.problem}: functions and callers "
                "are all there; threads, paths, resumes, lines, sources and the facts of the run "
                "are not; make the profile again to have them"
            )
        captures = contents.captures
        self._whole = bool(captures)
        if self.names == "label" and not (self.raw and any(it.costs for it in captures)):
            self._set_parts(list(map(Part, captures)))
            self.stats = contents.stats
            # profiling.sampling marks its files with a key that is no function.
            self.stats.pop(("__sampled__",), None)  # type: ignore[arg-type]
        elif not captures:
            raise ValueError(
                f"{name}: holds no qualified names, because tracer did not write it: "
                "leave names='qualname' out"
            )
        else:
            self._take(*captures)

    def add(self, *arg_list: Any) -> Self:
        """Add more sources, of any kind that Stats() takes."""
        others = [type(self)(item, names=self.names, raw=self.raw) for item in arg_list]
        if any(it._unstripped is not None for it in (self, *others)):
            self._unstripped = sum_of([it.unstripped for it in (self, *others)])
        super().add(*others)
        for other in others:
            self._set_parts(self._parts + other._parts)
            self._whole = self._whole and other._whole
            self.problems.extend(other.problems)
        return self

    def strip_dirs(self) -> Self:
        """Take the folders out of the file names. Functions that become one row are added up."""
        rows, self._unstripped = len(self.stats), self.unstripped
        super().strip_dirs()
        self._set_parts([part._replace(stripped=True) for part in self._parts])
        if len(self.stats) < rows and self._whole:
            # If one of two such rows called the other, pstats counts the time of the call twice.
            self.stats = self.totals.stats
        return self

    def dump_stats(self, filename: AnyPath) -> None:
        """Write a profile file, whole or not at all. The file has all that was captured if all
        sources are captures whose labels are unchanged: with folders, without qualified names. Else
        the file has what pstats knows."""
        whole = self._whole and self.names == "label"
        for part in self._parts:
            whole = whole and part.thread is None and not part.stripped
        write_whole(filename, dumps_all(self.captures if whole else (), self.stats))

    def eval_print_amount(self, sel: Any, list: Any, msg: str) -> Any:
        """The rows that `sel` selects, as pstats does; or a Choice of functions."""
        if not isinstance(sel, Choice):
            return super().eval_print_amount(sel, list, msg)
        some = [label for label in list if label in sel.labels]
        if len(some) < len(list):
            reduced = f"List reduced from {len(list)} to {len(some)}"
            msg += f"   {reduced} due to restriction <{sel!r}>\n"
        return some, msg

    def sort_stats(self, *field: Any) -> Self:
        """Sort as pstats does; without a key, by cumulative time. "busy", "waited" and "longest"
        are keys, too, each of them alone: print_stats() then has a column of the figure."""
        key = field[0] if len(field) == 1 else None
        if key not in FIGURE_KEYS:
            self.extra_columns = ()
            return super().sort_stats(*(field or ("cumulative",)))
        self.sort_type, self.extra_columns = FIGURE_KEYS[key]
        self.fcn_list = sorted(
            self.stats, key=lambda label: -(getattr(function_row(self, label), key) or 0.0)
        )
        return self

    def print_stats(self, *amount: Any) -> Self:
        """Print the table, as pstats does."""
        if self.sampled is not None and not self.sampled.has_all_counts:
            from tracer.data.sampled_set import AtLeast

            self.total_calls = AtLeast(self.total_calls)
        return super().print_stats(*amount)

    def print_title(self) -> None:
        """Print the head of the table. pstats calls this method."""
        if self.draws:
            head = wide_head(self.extra_columns, sampled=self.sampled is not None)
            self._print(head + "\n")
        else:
            super().print_title()

    def print_line(self, func: Any) -> None:
        """Print the row of a function. pstats calls this method."""
        if self.draws:
            self._print(wide_row(self, func, self.extra_columns, self.shown) + "\n")
        else:
            super().print_line(func)

    @property
    def draws(self) -> bool:
        """Whether the rows of functions are not pstats' own: they have more columns, or styles."""
        more = bool(self.extra_columns) or self.sampled is not None
        return more or isinstance(self.stream, StyledStream)

    def print_call_heading(self, name_size: int, column_title: str) -> None:
        """Print the heads of callers. pstats calls this method."""
        if self.sampled is None:
            super().print_call_heading(name_size, column_title)
            return
        self._print(f"{'Function ':<{name_size}}{column_title}\n")
        self._print(f"{'':{name_size}}{figures_in(self.sampled).head}\n")

    def print_call_line(
        self,
        name_size: int,
        source: Any,
        call_dict: dict[Any, Any],
        arrow: str = "->",
    ) -> None:
        """Print the callers, or the callees, of a function. pstats calls this method."""
        if self.sampled is None:
            super().print_call_line(name_size, source, call_dict, arrow)
            return
        lines = call_lines(
            {source: call_dict}, name_size, arrow, None, None, self.shown, figures_in(self.sampled)
        )
        self._print(in_lines(lines))

    def print_callers(self, *amount: Any) -> Self:
        """Print who called each function, as pstats does. A text is a regular expression:
        re.escape() makes one of a row's text."""
        return super().print_callers(*amount)

    def print_callees(self, *amount: Any) -> Self:
        """Print whom each function called, as pstats does."""
        return super().print_callees(*amount)

    # -- The page ---------------------------------------------------------------------------

    def view(self) -> Viewing | Frame:
        """Show the profile in the browser. In a notebook the page is in the cell. Elsewhere the
        process serves the page as long as it lives, and opens a browser. A script that would end at
        once can wait with `input()`, or write a file with to_html()."""
        from tracer.server.viewer import view

        return view(self)

    def to_html(self, path: AnyPath, *, libraries: bool = False) -> None:
        """Write the page that shows the profile as one file. `libraries`: with the source of
        libraries, too. Raises OSError."""
        from tracer.server.viewer import write_html

        write_html(self, path, libraries)

    # -- Beyond pstats ----------------------------------------------------------------------

    def by_native(self) -> Stats:
        """The Stats by native samples: times are CPU time, calls are samples, and native functions
        are among the functions, below those for which they ran. Raises ValueError where no native
        code was sampled."""
        seen = self.seen_by_native()
        stats = Stats(stream=self.stream, names=self.names)
        stats._set_parts(list(seen.parts))
        stats.stats, stats.total_calls = seen.stats, seen.total_calls
        stats.total_tt = sum(tottime for _, _, tottime, _, _ in seen.stats.values())
        return stats

    def print_threads(self, limit: int | None = None) -> Self:
        """Print a line for each thread: calls, seconds, ids. Of the seconds in its functions it was
        busy, or waited; it was idle where none of them ran. `limit`: only the threads with the most
        time."""
        from tracer.report.threads import threads_table

        return self._print(threads_table(self, limit))

    def print_tree(
        self,
        depth: int | None = None,
        percent: float = 1.0,
        limit: int | None = None,
    ) -> Self:
        """Print the call tree, by cumulative time: the paths with at least `percent` of the time
        and at most `depth` calls; of these, the `limit` that took longest. Files that tracer did
        not write give an estimate of the paths, and the text says so. Raises TypeError for what is
        no number, and ValueError for a depth or limit below 1 or a percentage outside 0 to 100."""
        from tracer.report.call_tree import tree_table

        encoding = getattr(self.stream, "encoding", None)
        return self._print(tree_table(self, depth, percent, limit, encoding)[0])

    @property
    def threads(self) -> Threads:
        """A Stats for each thread, by position, name or ident; see Threads."""
        return Threads(
            self._of_thread(part._replace(thread=thread))
            for part in self._parts
            for thread in part.threads
        )

    def _of_thread(self, part: Part) -> ThreadStats:
        stats = ThreadStats(stream=self.stream, names=self.names, raw=self.raw)
        assert part.thread is not None
        stats._set_parts([part])
        stats.thread, stats.problems = part.thread, list(self.problems)
        stats.stats = stats.totals.stats
        stats.get_top_level_stats()
        return stats

    def __repr__(self) -> str:
        threads = sum(part.capture.thread_count for part in self._parts if part.thread is None)
        of_threads = f", {threads} thread{'s' * (threads != 1)}" if threads else ""
        return (
            f"<tracer.{type(self).__name__}: {self.total_calls} calls of {len(self.stats)} "
            f"functions in {self.total_tt:.3f} s{of_threads}>"
        )

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        from tracer.report.notebook_table import html_of

        order = self.fcn_list or sorted(self.stats, key=lambda label: -self.stats[label][3])
        return html_of(self.stats, order, repr(self)[1:-1])


@all_aside
class ThreadStats(Stats):
    """The Stats of one thread; `thread` is the tracer.data.types.Thread with its name and ids.

    If threads of one name are added up, the ids are the last thread's, and there are no records.
    """

    thread: Thread

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} in {self.thread.name} ({self.thread.ident})>"


@all_aside
class Threads(tuple[ThreadStats, ...]):
    """The threads of a Stats, in the order in which they were first seen.

    threads[0] is by position. threads["MainThread"] is by name; threads of one name are added up.
    threads[threading.get_ident()] is by ident: the latest, because systems reuse idents. Raises
    KeyError when there is no such thread.
    """

    @overload  # type: ignore[override]
    def __getitem__(self, key: int | str) -> ThreadStats: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[ThreadStats, ...]: ...
    def __getitem__(self, key: int | str | slice) -> ThreadStats | tuple[ThreadStats, ...]:
        if isinstance(key, slice) or (isinstance(key, int) and -len(self) <= key < len(self)):
            return super().__getitem__(key)
        found = [item for item in self if key in (item.thread.name, item.thread.ident)]
        if not found:
            known = ", ".join(
                f"{item.thread.name} ({item.thread.ident})" for item in self[:THREADS_NAMED]
            )
            rest = len(self) - THREADS_NAMED
            more = f" and {rest:,} more" if rest > 0 else ""
            raise KeyError(f"no thread {key!r}; there are: {known or 'none'}{more}")
        return found[-1] if isinstance(key, int) or len(found) == 1 else added_up(found)


def added_up(parts: list[ThreadStats]) -> ThreadStats:
    """Several threads as one, which has the name and the ids of the last."""
    last = parts[-1]
    total = ThreadStats(stream=last.stream, names=last.names, raw=last.raw).add(*parts)
    total.problems = list(last.problems)
    total.thread = last.thread._replace(
        sharers=sum(part.thread.sharers for part in parts),
        lost_calls=sum(part.thread.lost_calls for part in parts),
        records=dict.fromkeys(last.thread.records, b""),
    )
    return total
