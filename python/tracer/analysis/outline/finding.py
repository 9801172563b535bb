"""A finding, how rules are asked, and the words of which findings are made.

A rule is a function that reads an outline, a timeline or profiles, and returns its Finding, several
or None. The rules are in analysis/findings.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.tree.called_names import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tracer.analysis.tree.call_tree import Paths, Row

    Rule = Callable[..., "Finding | Iterable[Finding] | None"]

NANOSECONDS = 1e9
MOSTLY = 0.5  # of a time by samples: what has a larger error is no finding
NOBODY = -1  # in the place of a row


class Finding(NamedTuple):
    """parts: one line; a Row in it stands for its place, one of line 0 for its file. saving: the
    nanoseconds that it could save at most. row: the function of the program to look at. about: what
    it is about, where that is not `row`; of two findings about the same, only the first is told.
    aside: what follows the line where there is room. also: what else it is about. advice: what may
    be done. figure, callee: the line of `row` that has most of this figure, "waited", "suspended"
    or "live", is the one to look at; one that names the callee comes before others. line: the one
    to look at, where the rule knows it. rule: the name of the function that found it. leads: it
    comes before those that save time. instead: functions of which this is told in the place of what
    costly.py says, where it is most of that."""

    parts: tuple[str | Row, ...]
    saving: float = 0.0
    row: Row | None = None
    about: object = None
    aside: str = ""
    also: tuple[object, ...] = ()
    advice: str = ""
    figure: str = ""
    callee: Row | None = None
    line: int | None = None
    rule: str = ""
    leads: bool = False
    instead: tuple[Row, ...] = ()

    @property
    def subject(self) -> object:
        return self.row if self.about is None else self.about


def found_by(rules: Iterable[Rule], *given: object) -> Iterator[Finding]:
    """What these rules find in what they are given, each with the name of its rule."""
    for rule in rules:
        found = rule(*given)
        those = (found,) if isinstance(found, Finding) else found or ()
        yield from (finding._replace(rule=rule.__name__) for finding in those)


def said_of(row: Row, before: str, after: str = "") -> tuple[str | Row, ...]:
    """The parts of a line that names a function, then its place. A builtin has none."""
    if row.file == "~":
        return (f"{before} {called(row)}{after}",)
    return f"{before} {called(row)}, ", row, *filter(None, (after,))


def share(time: float, whole: float) -> str:
    return f"{100 * time / whole:.0f}%"


def seconds(time: float) -> str:
    return f"{time / NANOSECONDS:.2f} s" if time >= NANOSECONDS / 10 else short(time)


def seconds_of(paths: Paths, time: float) -> str:
    """A time of a profile, with two standard errors where times come from samples."""
    if paths.sampled is None:
        return seconds(time)
    error = paths.sampled.error(time / NANOSECONDS)
    digits = 2 if time >= NANOSECONDS / 10 else 3
    return f"{time / NANOSECONDS:.{digits}f} +- {error:.{digits}f} s"


def is_sure(paths: Paths, time: float) -> bool:
    """Whether a time of a profile is not mostly the error of samples."""
    error = 0.0 if paths.sampled is None else paths.sampled.error(time / NANOSECONDS)
    return error * NANOSECONDS <= MOSTLY * time


def short(time: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if time >= 0.9995 * size:  # which is 1 in three digits
            return f"{time / size:.3g} {unit}"
    return f"{time:.0f} ns"


def counted(number: int, what: str = "call") -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def names(paths: Paths, row: int) -> tuple[str, str]:
    return paths.modules[row].name, paths.rows[row].name
