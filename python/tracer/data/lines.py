"""Lines: the figures that LineRecorder took, by function and line, of one run or several added up.

tracer._core.LineRecorder records, in C. report/line_table.py prints the table.
"""

from __future__ import annotations

from copy import copy
from typing import Any, NamedTuple

from tracer.data.records import LINE, LINE_SAMPLES, LINE_WAIT, UNKNOWN
from tracer.runtime.unrecorded import all_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tracer.data.types import SourceText

__all__ = ["Line", "Lines", "TimedFunction"]


class Line(NamedTuple):
    """A line that was hit, or the first line of a statement of several. Times are seconds.

    hits: how often the line was reached. time: total time, with everything that the line calls; of
    a line that recurses, only its outermost activation counts. c_time: the part of `time` in C
    callables that the line calls (operators, `in` and subscripts are no calls). None: not known, as
    up to Python 3.11 and in compensated figures. own: the part of `time` in no callee. None: not
    known, as c_time, or calls were not recorded. suspended: a generator or coroutine waited on the
    line; this is in no other time. cost: tracing overhead, subtracted from `time` unless figures
    are raw. waited: the part of `time` in which the thread did not run, on the line or in callees
    whose lines are not timed. None: not known, as of CPU time and in older files. python, native:
    CPU time by native samples, on the line or in callees whose lines are not timed: in the
    interpreter's own loop, and in native code. None: there were no samples. error, own_error: two
    standard errors of `time` and `own`, where those come from samples. is_counted: whether `hits`
    is exact; else the line was reached so often at least, or, where it is 0, it is not known how
    often.
    """

    line: int
    hits: int
    time: float
    c_time: float | None
    own: float | None
    suspended: float
    cost: float
    waited: float | None = None
    python: float | None = None
    native: float | None = None
    error: float | None = None
    is_counted: bool = True
    own_error: float | None = None


class TimedFunction(NamedTuple):
    """A function, class body or module whose lines were timed. lines: those that were hit, in
    order; none if it was never called. time: the sum of their times, in seconds."""

    file: str
    first_line: int
    name: str
    qualname: str
    lines: tuple[Line, ...]

    @property
    def time(self) -> float:
        return sum(line.time for line in self.lines)


Key = tuple[str, int, str, str]


@all_aside
class Lines:
    """The lines of all functions that were timed, of one run or several added up.

    functions: in the order of their files and lines. measured: seconds for which recording was on;
    0 where the user gave the timer. sources: the checksums of each file when its lines were timed:
    one, unless the file was edited between the runs. texts: the texts of files that the profiles
    keep, as of the latest run.
    """

    def __init__(
        self,
        snapshots: Iterable[dict[str, Any]] = (),
        *,
        raw: bool = False,
        texts: Mapping[str, SourceText] | None = None,
    ) -> None:
        self.measured: float = 0.0
        self.raw = raw
        self.left_out: int = 0  # code objects past the limit
        self.lost: int = 0  # events dropped: out of memory
        self.are_sampled: bool = False  # whether times come from samples, ...
        self.are_chosen: bool = True  # ... of the code that the user chose; else of all
        self.sources: dict[str, set[int]] = {}
        self.texts: dict[str, SourceText] = dict(texts or {})
        self._figures: dict[Key, dict[int, Line]] = {}
        for snapshot in snapshots:
            self._add(snapshot)

    def _add(self, snapshot: dict[str, Any]) -> None:
        self.measured += snapshot["measured"]
        self.left_out += snapshot["left_out"]
        self.lost += snapshot["lost"]
        for file, number in snapshot.get("sources", {}).items():
            self.sources.setdefault(file, set()).add(number)
        codes: list[Key] = list(snapshot["codes"])
        for key in codes:
            self._figures.setdefault(key, {})
        tick: float = snapshot["seconds_per_tick"]
        for thread in snapshot["threads"]:
            waits, samples = waits_of(thread), samples_of(thread)
            for place, (code, number, *figures) in enumerate(LINE.iter_unpack(thread["lines"])):
                if code >= len(codes):
                    raise ValueError("a line is of a code object that is not there")
                waited = UNKNOWN if waits is None else waits.get(place, 0)
                line = self._line(number, tick, waited, *figures)
                if samples is not None:
                    python, native = samples.get(place, (0.0, 0.0))
                    line = line._replace(python=python, native=native)
                self.add(codes[code], line)

    def add(self, key: Key, line: Line) -> None:
        """Add what is known of a line of a function."""
        lines = self._figures.setdefault(key, {})
        known = lines.get(line.line)
        lines[line.line] = line if known is None else added(known, line)

    def change(self, changed: Callable[[Line], Line]) -> None:
        """Put another line in the place of each."""
        for lines in self._figures.values():
            lines.update((number, changed(line)) for number, line in lines.items())

    def _line(
        self,
        number: int,
        tick: float,
        waited: int,
        hits: int,
        ticks: int,
        c_ticks: int,
        own_ticks: int,
        suspended: int,
        cost: int,
    ) -> Line:
        if cost and not self.raw:  # how much of `cost` is in each part is not known
            ticks = max(0, ticks - cost)
            c_ticks = own_ticks = UNKNOWN
        return Line(
            number,
            hits,
            tick * ticks,
            None if c_ticks < 0 else tick * c_ticks,
            None if own_ticks < 0 else tick * own_ticks,
            tick * suspended,
            tick * cost,
            None if waited < 0 else tick * min(waited, ticks),
        )

    @property
    def compensated(self) -> bool:
        """Whether tracing overhead was measured. The times then exclude it, unless raw."""
        return any(line.cost for lines in self._figures.values() for line in lines.values())

    @property
    def functions(self) -> tuple[TimedFunction, ...]:
        """All timed functions, by file and first line. One that was never called has no lines.

        A module without lines is left out: it is empty.
        """
        return tuple(
            TimedFunction(*key, tuple(lines[number] for number in sorted(lines)))
            for key, lines in sorted(self._figures.items())
            if lines or key[2] != "<module>"
        )

    def only(self, keep: Callable[[Key], bool]) -> Lines:
        """The lines of some functions: of those of which `keep` is true."""
        some = copy(self)
        some._figures = {key: lines for key, lines in self._figures.items() if keep(key)}
        return some

    def __bool__(self) -> bool:
        """Whether any line was hit."""
        return any(self._figures.values())

    def __repr__(self) -> str:
        functions = self.functions
        hit = sum(1 for function in functions if function.lines)
        return f"<tracer.Lines: {hit} of {len(functions)} functions were called>"


def waits_of(thread: dict[str, Any]) -> dict[int, int] | None:
    """The ticks that a thread's lines waited, by their position; None: not known."""
    if "line_waits" not in thread:
        return None
    waits = {place: ticks for place, _, ticks in LINE_WAIT.iter_unpack(thread["line_waits"])}
    if waits and max(waits) >= len(thread["lines"]) // LINE.size:
        raise ValueError("a wait is of a line that is not there")
    return waits


def samples_of(thread: dict[str, Any]) -> dict[int, tuple[float, float]] | None:
    """The seconds of CPU of a thread's lines in Python and in native code, by their position; None:
    there were no samples."""
    if "line_samples" not in thread:
        return None
    records = LINE_SAMPLES.iter_unpack(thread["line_samples"])
    samples = {place: (python * 1e-9, native * 1e-9) for place, _, python, native in records}
    if samples and max(samples) >= len(thread["lines"]) // LINE.size:
        raise ValueError("a sample is of a line that is not there")
    return samples


def added(one: Line, other: Line) -> Line:
    """One line's figures in two threads or runs, added up."""
    return Line(
        one.line,
        one.hits + other.hits,
        one.time + other.time,
        both(one.c_time, other.c_time),
        both(one.own, other.own),
        one.suspended + other.suspended,
        one.cost + other.cost,
        both(one.waited, other.waited),
        both(one.python, other.python),
        both(one.native, other.native),
        both(one.error, other.error),
        one.is_counted and other.is_counted,
        both(one.own_error, other.own_error),
    )


def both(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one + other
