"""Lines: what LineRecorder counted and timed, by function and line.

The recording is in C (tracer._core.LineRecorder), the table is printed by report/line_table.py.
Here are the figures: of one recorder, or of several runs added up.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tracer.data.records import LINE, UNKNOWN
from tracer.runtime.unrecorded import all_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tracer.data.types import SourceText

__all__ = ["Line", "Lines", "TimedFunction"]


class Line(NamedTuple):
    """A line that was hit; of a statement of several lines, its first. Times are seconds.

    hits: how often it was reached. time: with all that it calls; of a line that recurses, of its
    outermost activation. c_time: of this, in C callables that it calls (operators, `in` and
    subscripts are no calls); None: not known, as up to Python 3.11, and in compensated figures.
    own: neither in those nor in Python functions; None: likewise, and where calls were not
    recorded. suspended: while a generator or coroutine waited on it, which is in no other time.
    cost: what recording took, taken out of `time` or, where raw figures were asked for, not.
    """

    line: int
    hits: int
    time: float
    c_time: float | None
    own: float | None
    suspended: float
    cost: float


class TimedFunction(NamedTuple):
    """A function, class body or module whose lines were timed. `lines` are those that were hit, in
    their order: none if it was never called. `time` is their sum, in seconds."""

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

    functions: in the order of their files and lines. measured: seconds that recording was on;
    0 where the timer was the user's own. sources: what each file held then, by its checksums:
    one, unless it was edited between the runs. texts: what of the files the profiles hold, each of
    which is the latest run's.
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
        self.lost: int = 0  # events that were dropped, out of memory
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
            for code, number, *figures in LINE.iter_unpack(thread["lines"]):
                if code >= len(codes):
                    raise ValueError("a line is of a code object that is not there")
                line = self._line(number, tick, *figures)
                lines = self._figures[codes[code]]
                known = lines.get(number)
                lines[number] = line if known is None else added(known, line)

    def _line(
        self,
        number: int,
        tick: float,
        hits: int,
        ticks: int,
        c_ticks: int,
        own_ticks: int,
        suspended: int,
        cost: int,
    ) -> Line:
        if cost and not self.raw:  # how it falls into the parts is not known
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
        )

    @property
    def compensated(self) -> bool:
        """Whether what recording took is known: then it is not in the times, unless raw."""
        return any(line.cost for lines in self._figures.values() for line in lines.values())

    @property
    def functions(self) -> tuple[TimedFunction, ...]:
        """All that were timed, by file and first line; those never called have no lines. A module
        that is empty was called, and has none to be timed: it is not here."""
        return tuple(
            TimedFunction(*key, tuple(lines[number] for number in sorted(lines)))
            for key, lines in sorted(self._figures.items())
            if lines or key[2] != "<module>"
        )

    def __bool__(self) -> bool:
        """Whether any line was hit."""
        return any(self._figures.values())

    def __repr__(self) -> str:
        functions = self.functions
        hit = sum(1 for function in functions if function.lines)
        return f"<tracer.Lines: {hit} of {len(functions)} functions were called>"


def added(one: Line, other: Line) -> Line:
    """The figures of a line in two threads or runs, together."""
    return Line(
        one.line,
        one.hits + other.hits,
        one.time + other.time,
        None if one.c_time is None or other.c_time is None else one.c_time + other.c_time,
        None if one.own is None or other.own is None else one.own + other.own,
        one.suspended + other.suspended,
        one.cost + other.cost,
    )
