"""What a timed line worked without the Python functions that it calls: for sure, and at most.

A line's time in C has the Python functions in it that C calls back: `"".join(texts())` has all of
texts(). The own time of the line's function and the times of the C callables that it called hold no
Python callee. So all lines of a function together have no more in C than these; what they have
beyond was called back, nobody knows from which of them.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tracer.data.lines import Line, Lines, TimedFunction
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label, StatsDict


class LineWork(NamedTuple):
    """A line. worked: the seconds that it worked for sure, without what it waited. in_c: those of
    them in C. is_sure: whether the figures of its function are known; else what C calls back is in
    it."""

    function: TimedFunction
    line: Line
    worked: float
    in_c: float
    is_sure: bool


def bounds_of_lines(profiles: ProfileSet) -> Iterator[LineWork]:
    """The lines whose own time and time in C are known."""
    lines = profiles.lines
    whole = profiles.with_folders()
    name = "name" if profiles.names == "label" else "qualname"
    rooms = rooms_in_c(lines, whole.stats, name)
    for function in lines.functions:
        room = rooms.get(label_of(function, name))
        called_back = 0.0
        if room is not None:
            called_back = max(0.0, sum(line.c_time or 0.0 for line in function.lines) - room)
        for line in function.lines:
            if line.own is not None and line.c_time is not None:
                in_c = max(0.0, line.c_time - called_back)
                worked = max(0.0, line.own + in_c - (line.waited or 0.0))
                yield LineWork(function, line, worked, min(in_c, worked), room is not None)


def rooms_in_c(lines: Lines, stats: StatsDict, name: str = "name") -> Mapping[Label, float]:
    """Seconds that the C callables called by each timed function took themselves, where functions
    were recorded, too. name: of a TimedFunction, as in the rows of stats."""
    labels = [label_of(function, name) for function in lines.functions]
    rooms = {label: stats[label][2] for label in labels if label in stats}
    # C code that is not recorded as a callable, such as a class, is in the function's own time.
    for function, label in zip(lines.functions, labels, strict=True):
        if label in rooms:
            rooms[label] -= sum(line.own or 0.0 for line in function.lines)
    rooms = {label: max(room, 0.0) for label, room in rooms.items()}
    for (file, _, _), (_, _, _, _, callers) in stats.items():
        for caller, (_, _, tottime, _) in callers.items() if file == "~" else ():
            if caller in rooms:
                rooms[caller] += tottime
    return rooms


def label_of(function: TimedFunction, name: str = "name") -> Label:
    return function.file, function.first_line, getattr(function, name)
