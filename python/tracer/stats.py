"""Stats: sort, filter and print profiles. A pstats.Stats that also knows threads and resumes.

Everything pstats prints is printed by pstats itself, so it is the same to the character. What
else belongs here is where the numbers come from; how files are read is in capture.py.
"""

from __future__ import annotations

import html
import os
import pstats
import time
from typing import Any, NamedTuple, Self, TextIO, overload

from tracer._core import Profiler
from tracer.aside import all_aside
from tracer.capture import (
    Capture,
    Label,
    ProfileFormatError,
    Resumes,
    StatsDict,
    Thread,
    merged_resumes,
    read,
)
from tracer.files import AnyPath, write_whole

__all__ = ["ProfileFormatError", "Stats", "Threads"]

NAMES = ("label", "qualname")
NOTHING_WAITED = "No generator or coroutine went on."
WAITS_UNKNOWN = "Nothing of suspensions is recorded here: tracer did not write all of this."
HTML_ROWS = 50
SUSPENDED_HEAD = "   ncalls   resumes suspended  percall filename:lineno(function)"
THREADS_NAMED = 10


class Part(NamedTuple):
    """What a Stats is made of: a capture, or one thread of it, with or without folders."""

    capture: Capture
    thread: Thread | None = None
    stripped: bool = False

    def figures(self, names: str, raw: bool) -> tuple[StatsDict, dict[Label, Resumes]]:
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
        self.names, self.raw = names, raw
        self.problems: list[str] = []
        self._parts: list[Part] = []
        self._whole = True  # whether all figures are of these parts
        self._resumes: dict[Label, Resumes] | None = None
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

    def _take(self, capture: Capture) -> None:
        self._parts = [Part(capture)]
        self.stats, self._resumes = capture.figures(self.names, raw=self.raw)

    def _take_file(self, data: bytes | str, name: str) -> None:
        if isinstance(data, str):
            raise TypeError(f"{name}: open a profile in binary mode, 'rb'")
        contents = read(data, name)
        if contents.problem is not None:
            self.problems = [
                f"{name}: tracer's part of the file is {contents.problem}: functions and callers "
                "are all there, threads and resumes are not; make the profile again to have them"
            ]
        self._whole = contents.capture is not None
        if contents.capture is not None:
            self._parts = [Part(contents.capture)]
        capture = contents.capture
        if self.names == "label" and not (self.raw and capture is not None and capture.costs):
            self.stats = contents.stats
            # profiling.sampling marks its files by a key that is no function.
            self.stats.pop(("__sampled__",), None)  # type: ignore[arg-type]
        elif contents.capture is None:
            raise ValueError(f"{name}: holds no qualified names, because tracer did not write it")
        else:
            self._take(contents.capture)

    def add(self, *arg_list: Any) -> Self:
        """Add more sources, of any kind that Stats() takes."""
        others = [type(self)(item, names=self.names, raw=self.raw) for item in arg_list]
        super().add(*others)
        for other in others:
            self._parts += other._parts
            self._whole = self._whole and other._whole
            self.problems += other.problems
            self._resumes = None
        return self

    def strip_dirs(self) -> Self:
        """Take the folders out of the file names. Functions that become one row are added up."""
        rows = len(self.stats)
        super().strip_dirs()
        self._parts = [part._replace(stripped=True) for part in self._parts]
        self._resumes = None
        if len(self.stats) < rows and self._whole:
            # Where one of two rows called the other, pstats counts the time of that twice.
            self.stats = _added_up([part.figures(self.names, self.raw)[0] for part in self._parts])
        return self

    def dump_stats(self, filename: AnyPath) -> None:
        """Write a profile file. It has threads and resumes when all is of one capture, and labels
        are as they were there: no folders taken out, no qualified names. Else it has not."""
        if self._whole and self.names == "label" and len(self._parts) == 1:
            capture, thread, stripped = self._parts[0]
            if thread is None and not stripped:
                write_whole(filename, capture.dumps(self.stats))
                return
        super().dump_stats(filename)

    def sort_stats(self, *field: Any) -> Self:
        """Sort as pstats does; without a key, by cumulative time."""
        return super().sort_stats(*(field or ("cumulative",)))

    def print_stats(self, *amount: Any) -> Self:
        """Print the table, as pstats does."""
        return super().print_stats(*amount)

    def print_callers(self, *amount: Any) -> Self:
        """Print who called each function, as pstats does."""
        return super().print_callers(*amount)

    def print_callees(self, *amount: Any) -> Self:
        """Print whom each function called, as pstats does."""
        return super().print_callees(*amount)

    # -- What pstats does not have ----------------------------------------------------------

    def print_suspended(self, *amount: Any) -> Self:
        """Print how often generators and coroutines went on and how long they had waited for that,
        in seconds, the longest first; `amount` as for print_stats()."""
        waits = {label: self.resumes[label] for label in self.stats if label in self.resumes}
        if not waits:
            print(f"   {NOTHING_WAITED if self._whole else WAITS_UNKNOWN}\n", file=self.stream)
            return self
        chosen: Any = sorted(waits, key=lambda label: -waits[label].suspended)
        message = "   Ordered by: suspended time\n"
        for selection in amount:
            chosen, message = self.eval_print_amount(selection, chosen, message)
        print(message, file=self.stream)
        if chosen:
            print(SUSPENDED_HEAD, file=self.stream)
        for label in chosen:
            suspended, resumes = waits[label].suspended, waits[label].total
            name = pstats.func_std_string(label)  # type: ignore[attr-defined]
            calls = self.stats[label][1]
            figures = f"{suspended:9.3f} {suspended / resumes:8.3f}"
            print(f"{calls:9} {resumes:9} {figures} {name}", file=self.stream)
        if chosen:
            print(file=self.stream)
        return self

    @property
    def captures(self) -> list[Capture]:
        """The Captures among the sources: of Profiles, and of files that tracer wrote."""
        return [part.capture for part in self._parts if part.thread is None]

    @property
    def resumes(self) -> dict[Label, Resumes]:
        """{label: Resumes} of the generators and coroutines that were resumed.

        ncalls + resumes is the ncalls that cProfile shows. Empty for files that tracer did not
        write.
        """
        if self._resumes is None:
            self._resumes = merged_resumes(
                [part.figures(self.names, self.raw)[1] for part in self._parts]
            )
        return self._resumes

    @property
    def threads(self) -> Threads:
        """A Stats for each thread: by position, by name or by ident; see Threads."""
        return Threads(
            self._of_thread(part._replace(thread=thread))
            for part in self._parts
            if part.thread is None
            for thread in part.capture.threads
        )

    def _of_thread(self, part: Part) -> ThreadStats:
        stats = ThreadStats(stream=self.stream, names=self.names, raw=self.raw)
        assert part.thread is not None
        stats.thread, stats._parts = part.thread, [part]
        stats.stats, stats._resumes = part.figures(self.names, self.raw)
        stats.get_top_level_stats()
        return stats

    def __repr__(self) -> str:
        threads = sum(capture.thread_count for capture in self.captures)
        of_threads = f", {threads} thread{'s' * (threads != 1)}" if threads else ""
        return (
            f"<tracer.{type(self).__name__}: {self.total_calls} calls of {len(self.stats)} "
            f"functions in {self.total_tt:.3f} s{of_threads}>"
        )

    def _repr_html_(self) -> str:
        """The first rows as a table, for notebooks."""
        order = self.fcn_list or sorted(self.stats, key=lambda label: -self.stats[label][3])
        rows = "".join(self._html_row(label) for label in order[:HTML_ROWS])
        more = len(order) - HTML_ROWS
        rest = f"<p>{more} more functions</p>" if more > 0 else ""
        heads = ("ncalls", "tottime", "percall", "cumtime", "percall", "filename:lineno(function)")
        head = "".join(f"<th>{name}</th>" for name in heads)
        return (
            f"<p>{html.escape(repr(self)[1:-1])}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
        )

    def _html_row(self, label: Label) -> str:
        primitive, ncalls, tottime, cumtime, _ = self.stats[label]
        calls = str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"
        per_call = f"{tottime / ncalls:.3g}" if ncalls else ""
        per_primitive = f"{cumtime / primitive:.3g}" if primitive else ""
        cells = (calls, f"{tottime:.3f}", per_call, f"{cumtime:.3f}", per_primitive)
        name = html.escape(pstats.func_std_string(label))  # type: ignore[attr-defined]
        figures = "".join(f"<td>{cell}</td>" for cell in cells)
        return f'<tr>{figures}<td style="text-align: left">{name}</td></tr>'


@all_aside
class ThreadStats(Stats):
    """The Stats of one thread; `thread` is the tracer.capture.Thread with its name and ids.

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
    total = ThreadStats(stream=last.stream, names=last.names).add(*parts)
    total.thread = last.thread._replace(
        sharers=sum(part.thread.sharers for part in parts),
        lost_calls=sum(part.thread.lost_calls for part in parts),
        records=(b"", b"", b"", b""),
    )
    return total


def _added_up(parts: list[StatsDict]) -> StatsDict:
    total: StatsDict = {}
    for part in parts:
        for label, figures in part.items():
            before = total.get(label)
            total[label] = (
                figures if before is None else pstats.add_func_stats(before, figures)  # type: ignore[attr-defined]
            )
    return total
