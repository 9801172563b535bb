"""Stats: sort, filter and print profiles. A pstats.Stats that also knows threads and resumes.

Everything pstats prints is printed by pstats itself, so it is the same to the character. What
else belongs here is where the numbers come from; how files are read is in data/capture.py.
"""

from __future__ import annotations

import os
import pstats
import time
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO, overload

from tracer._core import Profiler
from tracer.data.capture import (
    Capture,
    Label,
    ProfileFormatError,
    Resumes,
    StatsDict,
    Thread,
    Totals,
    dumps_all,
    lines_of,
    read,
)
from tracer.data.lines import Lines
from tracer.data.totals import added_up, sum_of
from tracer.runtime.atomic_files import AnyPath, write_whole
from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from tracer.server.viewer import Frame, Viewing

__all__ = ["ProfileFormatError", "Stats", "Threads"]

NAMES = ("label", "qualname")
THREADS_NAMED = 10


class Part(NamedTuple):
    """What a Stats is made of: a capture, or one thread of it, with or without folders."""

    capture: Capture
    thread: Thread | None = None
    stripped: bool = False

    @property
    def threads(self) -> tuple[Thread, ...]:
        return self.capture.threads if self.thread is None else (self.thread,)

    def figures(self, names: str, raw: bool) -> Totals:
        return self.capture.figures(names, self.thread, self.stripped, raw=raw)


@all_aside
class Stats(pstats.Stats):
    """Stats(*sources, stream=None, names="label", raw=False)

    sources: paths (str or os.PathLike), open binary files, Profiles (live ones go on recording),
    Captures, other Stats, or whatever pstats.Stats takes; several are added up. With none it is
    empty.
    stream: where to print; None is sys.stdout.
    names: "label" names functions as pstats does, "qualname" as `Class.method`.
    raw: leave what tracing itself cost in the times, also where compensation was asked for.

    Raises OSError when a file cannot be read and ProfileFormatError when it is no profile;
    ValueError when qualified names are asked of a file that has none, or of a Stats without them.
    """

    stats: StatsDict
    fcn_list: list[Label] | None
    files: list[str]
    stream: TextIO
    total_calls: int
    total_tt: float

    def __init__(
        self,
        *sources: Any,
        stream: TextIO | None = None,
        names: str = "label",
        raw: bool = False,
    ) -> None:
        if names not in NAMES:
            raise ValueError(f"names must be 'label' or 'qualname', not {names!r}")
        self.names: str = names
        self.raw: bool = raw
        self.problems: list[str] = []
        self._parts: list[Part] = []
        self._whole = True  # whether all figures are of these parts
        self._totals: Totals | None = None  # of these parts, once somebody asked
        self._unstripped: StatsDict | None = None  # before strip_dirs(); None: it was not called
        super().__init__(*sources, stream=stream)

    # -- Where the numbers come from --------------------------------------------------------

    def load_stats(self, arg: Any) -> None:
        """Called by pstats with one source."""
        if isinstance(arg, Capture):
            self._take(arg)
            self.files = []
        elif isinstance(arg, Profiler):
            self._take(Capture(arg.snapshot()))
            self.files = []
        elif isinstance(arg, (str, os.PathLike)):
            path = os.fspath(arg)
            with open(path, "rb") as file:
                self._take_file(file.read(), str(path))
                modified = time.ctime(os.fstat(file.fileno()).st_mtime)
            self.files = [f"{modified}    {path}"]
        elif isinstance(arg, pstats.Stats):
            self._take_stats(arg)
        elif hasattr(arg, "read"):
            self._take_file(arg.read(), str(getattr(arg, "name", "the open file")))
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
            self.problems, self._parts = list(other.problems), list(other._parts)
            self._unstripped = other._unstripped

    def _take(self, *captures: Capture) -> None:
        self._parts = list(map(Part, captures))
        self.stats = self.totals.stats

    def _take_file(self, data: bytes | str, name: str) -> None:
        if isinstance(data, str):
            raise TypeError(f"{name}: open a profile in binary mode, 'rb'")
        contents = read(data, name)
        if contents.problem is not None:
            self.problems = [
                f"{name}: tracer's part of the file is {contents.problem}: functions and callers "
                "are all there, threads and resumes are not; make the profile again to have them"
            ]
        captures = contents.captures
        self._whole = bool(captures)
        if self.names == "label" and not (self.raw and any(it.costs for it in captures)):
            self._parts = list(map(Part, captures))
            self.stats = contents.stats
            # profiling.sampling marks its files by a key that is no function.
            self.stats.pop(("__sampled__",), None)  # type: ignore[arg-type]
        elif not captures:
            raise ValueError(f"{name}: holds no qualified names, because tracer did not write it")
        else:
            self._take(*captures)

    def add(self, *arg_list: Any) -> Self:
        """Add more sources, of any kind that Stats() takes."""
        others = [type(self)(item, names=self.names, raw=self.raw) for item in arg_list]
        if any(it._unstripped is not None for it in (self, *others)):
            self._unstripped = sum_of([it.unstripped for it in (self, *others)])
        super().add(*others)
        for other in others:
            self._parts += other._parts
            self._whole = self._whole and other._whole
            self.problems += other.problems
            self._totals = None
        return self

    def strip_dirs(self) -> Self:
        """Take the folders out of the file names. Functions that become one row are added up."""
        rows, self._unstripped = len(self.stats), self.unstripped
        super().strip_dirs()
        self._parts = [part._replace(stripped=True) for part in self._parts]
        self._totals = None
        if len(self.stats) < rows and self._whole:
            # Where one of two rows called the other, pstats counts the time of that twice.
            self.stats = self.totals.stats
        return self

    def dump_stats(self, filename: AnyPath) -> None:
        """Write a profile file, whole or not at all. It has all that was captured when all is of
        captures, and labels are as they were there: no folders taken out, no qualified names. Else
        it has what pstats knows."""
        whole = self._whole and self.names == "label"
        for part in self._parts:
            whole = whole and part.thread is None and not part.stripped
        write_whole(filename, dumps_all(self.captures if whole else (), self.stats))

    def sort_stats(self, *field: Any) -> Self:
        """Sort as pstats does; without a key, by cumulative time."""
        return super().sort_stats(*(field or ("cumulative",)))

    def print_stats(self, *amount: Any) -> Self:
        """Print the table, as pstats does."""
        return super().print_stats(*amount)

    def print_callers(self, *amount: Any) -> Self:
        """Print who called each function, as pstats does. A text is a regular expression: re.escape
        makes one of a row's text."""
        return super().print_callers(*amount)

    def print_callees(self, *amount: Any) -> Self:
        """Print whom each function called, as pstats does."""
        return super().print_callees(*amount)

    # -- The page ---------------------------------------------------------------------------

    def view(self) -> Viewing | Frame:
        """Show the profile in the browser. In a notebook the page is in the cell; elsewhere it is
        served as long as the process lives, and a browser opened. A script that would end at once
        keeps it with `input()`, or writes it to a file by to_html()."""
        from tracer.server.viewer import view

        return view(self)

    def to_html(self, path: AnyPath, *, libraries: bool = False) -> None:
        """Write the page that shows the profile as one file, with the source of libraries, too,
        when that is asked for. Raises OSError."""
        from tracer.server.viewer import write_html

        write_html(self, path, libraries)

    # -- What pstats does not have ----------------------------------------------------------

    def export(self, format: str, path: AnyPath, *, minimum: float | None = None) -> None:
        """Write a file that another tool opens, in one of the formats that `tracer export --help`
        lists. `minimum`: leave out what took less than this percentage of the time, as --min does;
        None is what the format does by itself. Raises ValueError for another format, and for a
        minimum where the format leaves nothing out; OSError."""
        from tracer.exports import export

        export(self, format, path, minimum)

    def print_suspended(self, *amount: Any) -> Self:
        """Print how often generators and coroutines went on and how long they had waited for that,
        in seconds, the longest first; `amount` as for print_stats()."""
        return self._print_figure("suspended", amount)

    def print_resumes(self, *amount: Any) -> Self:
        """Print how often generators and coroutines went on, and who resumed them, the most often
        first; `amount` as for print_stats()."""
        from tracer.report.functions import print_resumes

        print_resumes(self, amount, self._whole)
        return self

    def _print_figure(self, name: str, amount: tuple[Any, ...]) -> Self:
        from tracer.report.functions import print_figure

        print_figure(self, name, amount, self._whole)
        return self

    def print_threads(self, limit: int | None = None) -> Self:
        """Print a line for each thread, or for the `limit` with the most time: calls, time, ids."""
        from tracer.report.functions import print_threads

        print_threads(self, limit)
        return self

    def print_tree(
        self,
        depth: int | None = None,
        percent: float = 1.0,
        limit: int | None = None,
    ) -> Self:
        """Print the call tree, by cumulative time: the paths with at least `percent` of the time,
        `depth` calls deep at most, and of them the `limit` that took longest. Of what tracer did
        not write the paths are an estimate, and that is said."""
        from tracer.report.call_tree import print_tree

        print_tree(self, depth, percent, limit)
        return self

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it is made of: captures, or threads of them."""
        return tuple(self._parts)

    @property
    def is_whole(self) -> bool:
        """Whether all figures are of its parts: none is of a file that tracer did not write."""
        return self._whole

    @property
    def unstripped(self) -> StatsDict:
        """The rows as they were before strip_dirs() made several of them one."""
        return self.stats if self._unstripped is None else self._unstripped

    @property
    def captures(self) -> list[Capture]:
        """The Captures among the sources: of Profiles, and of files that tracer wrote. Where only
        some threads of a Capture are here, one of these threads alone."""
        threads: dict[Capture, list[Thread]] = {}
        for part in self._parts:
            if part.thread is not None:
                threads.setdefault(part.capture, []).append(part.thread)
        whole = [part.capture for part in self._parts if part.thread is None]
        return whole + [capture.of_threads(those) for capture, those in threads.items()]

    @property
    def lines(self) -> Lines:
        """The lines that were timed, of all sources that tracer wrote: see tracer.Lines."""
        return lines_of(self.captures, raw=self.raw)

    @property
    def resumes(self) -> dict[Label, Resumes]:
        """{label: Resumes} of the generators and coroutines that were resumed.

        ncalls + resumes is the ncalls that cProfile shows. Empty for files that tracer did not
        write.
        """
        return self.totals.resumes

    @property
    def totals(self) -> Totals:
        """All figures of its parts, those too that pstats has no place for: see Totals in
        data/capture.py."""
        if self._totals is None:
            self._totals = added_up([part.figures(self.names, self.raw) for part in self._parts])
        return self._totals

    @property
    def threads(self) -> Threads:
        """A Stats for each thread: by position, by name or by ident; see Threads."""
        return Threads(
            self._of_thread(part._replace(thread=thread))
            for part in self._parts
            for thread in part.threads
        )

    def _of_thread(self, part: Part) -> ThreadStats:
        stats = ThreadStats(stream=self.stream, names=self.names, raw=self.raw)
        assert part.thread is not None
        stats.thread, stats._parts, stats.problems = part.thread, [part], list(self.problems)
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

        return html_of(self)


@all_aside
class ThreadStats(Stats):
    """The Stats of one thread; `thread` is the tracer.data.capture.Thread with its name and ids.

    Where threads of one name are added up, the ids are the last one's and there are no records.
    """

    thread: Thread

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} in {self.thread.name} ({self.thread.ident})>"


@all_aside
class Threads(tuple[ThreadStats, ...]):
    """The threads of a Stats, in the order in which they were first seen.

    threads[0] is by position, threads["MainThread"] by name (several of one name are added up),
    threads[threading.get_ident()] by ident: the latest, for systems give idents again. KeyError
    when there is no such thread.
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
        return found[-1] if isinstance(key, int) or len(found) == 1 else _of_one_name(found)


def _of_one_name(parts: list[ThreadStats]) -> ThreadStats:
    last = parts[-1]
    total = ThreadStats(stream=last.stream, names=last.names, raw=last.raw).add(*parts)
    total.problems = list(last.problems)
    total.thread = last.thread._replace(
        sharers=sum(part.thread.sharers for part in parts),
        lost_calls=sum(part.thread.lost_calls for part in parts),
        records=dict.fromkeys(last.thread.records, b""),
    )
    return total
