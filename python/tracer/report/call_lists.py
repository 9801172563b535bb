"""Who called some functions, or whom they called: the lists of pstats, in the order of the figures.

pstats sorts the callers of a function by their files, and prints them all. Here those with the
largest figure come first, and a limit cuts them.
"""

from __future__ import annotations

from pstats import f8  # type: ignore[attr-defined]
from typing import NamedTuple

from tracer.report.drawing import padded, some
from tracer.report.styled import HEAD, function, in_lines, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tracer.data.sampled_set import SampledSet
    from tracer.data.types import CallerFigures, Label, StatsDict

    Calls = Mapping[Label, CallerFigures]

# Where a caller's figures have what a row of pstats has at 0, 1, 2, 3.
PLACES = (1, 0, 2, 3)
TO_CALLEES = "->"
BY_CUMTIME = 3


class CallFigures(NamedTuple):
    """How the figures of calls are told. head: of their columns. text: of those of the calls of a
    function."""

    head: str
    text: Callable[[CallerFigures, Label], str]


def as_pstats(figures: CallerFigures, callee: Label) -> str:
    ncalls, primitive, tottime, cumtime = figures
    count = str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"
    return f"{count:>7} {f8(tottime)} {f8(cumtime)}"


EXACT = CallFigures("    ncalls  tottime  cumtime", as_pstats)
BY_CPU = CallFigures("   samples  own CPU  cum CPU", as_pstats)  # by native samples


def figures_in(sampled: SampledSet | None) -> CallFigures:
    """sampled: what is known of the samples that times come from: then these have their errors, and
    calls are told as far as they were counted."""
    if sampled is None:
        return EXACT

    def text_of(figures: CallerFigures, callee: Label) -> str:
        ncalls, _, *times = figures
        known = sampled.counts.get(callee)
        count = ""
        if known is not None and ncalls > 0:  # there is no edge without a call
            count = f"{ncalls}{'' if known.is_exact else '+'}"
        told = (f"{f8(time)} {padded(some(sampled.error(time)), 7)}" for time in times)
        return f"{count:>7} {' '.join(told)}"

    return CallFigures("    ncalls  tottime      +-  cumtime      +-", text_of)


def callers_of(stats: StatsDict, chosen: Sequence[Label]) -> dict[Label, Calls]:
    """{function: its callers} of the chosen functions."""
    return {label: stats[label][4] for label in chosen}


def callees_of(stats: StatsDict, chosen: Sequence[Label]) -> dict[Label, Calls]:
    """{function: the functions that it called} of the chosen functions."""
    found: dict[Label, dict[Label, CallerFigures]] = {label: {} for label in chosen}
    for callee, (*_, callers) in stats.items():
        for caller in callers.keys() & found.keys():
            found[caller][callee] = callers[caller]
    return dict(found)


def call_list(
    calls: Mapping[Label, Calls],
    title: str,
    arrow: str,
    by: int | None,
    limit: int | None,
    shown: Callable[[Label], str] = function,
    figures: CallFigures = EXACT,
) -> str:
    """The functions, each with those that called it or that it called. by: the place in a row of
    pstats of the figure that these are sorted by; None: they are sorted by their labels. limit: so
    many of them are printed below each function. shown: the text of a function."""
    if not calls:
        return ""
    size = max(len(shown(label)) for label in calls) + 2
    head = styled(f"{'Function ':<{size}}{title}", HEAD)
    lines = call_lines(calls, size, arrow, by, limit, shown, figures)
    return in_lines([head, f"{'':{size}}{figures.head}", *lines, "", ""])


def call_lines(
    calls: Mapping[Label, Calls],
    size: int,
    arrow: str,
    by: int | None,
    limit: int | None,
    shown: Callable[[Label], str],
    figures: CallFigures,
) -> Iterator[str]:
    """The lines of each function. size: the width of its text."""
    for label, those in calls.items():
        left = shown(label)
        left += " " * (size - len(left)) + f"{arrow} "
        for other in ordered(those, by)[:limit]:
            callee = other if arrow == TO_CALLEES else label
            yield left + f"{figures.text(those[other], callee)}  " + shown(other)
            left = " " * (size + len(arrow) + 1)
        more = 0 if limit is None else len(those) - limit
        if more > 0:
            yield left + f"{'':7} and {more:,} more"
        if not those:
            yield left


def ordered(calls: Calls, by: int | None) -> list[Label]:
    order = sorted(calls)
    if by is not None:
        order.sort(key=lambda label: -calls[label][PLACES[by]])
    return order
