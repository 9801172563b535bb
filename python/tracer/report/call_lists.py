"""Who called some functions, or whom they called: the lists of pstats, in the order of the figures.

pstats sorts the callers of a function by their files, and prints them all. Here those with the
largest figure come first, and a limit cuts them.
"""

from __future__ import annotations

from pstats import f8  # type: ignore[attr-defined]

from tracer.report.styled import HEAD, function, in_lines, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tracer.data.types import CallerFigures, Label, StatsDict

    Calls = Mapping[Label, CallerFigures]

# Where a caller's figures have what a row of pstats has at 0, 1, 2, 3.
PLACES = (1, 0, 2, 3)
BY_CUMTIME = 3
FIGURES = "    ncalls  tottime  cumtime"
CPU_FIGURES = "   samples  own CPU  cum CPU"  # by native samples


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
    figures: str = FIGURES,
) -> str:
    """The functions, each with those that called it or that it called. by: the place in a row of
    pstats of the figure that these are sorted by; None: they are sorted by their labels. limit: so
    many of them are printed below each function. shown: the text of a function. figures: the
    heads of the columns."""
    if not calls:
        return ""
    size = max(len(shown(label)) for label in calls) + 2
    head = styled(f"{'Function ':<{size}}{title}", HEAD)
    lines: list[str] = [head, f"{'':{size}}{figures}"]
    for label, those in calls.items():
        left = shown(label)
        left += " " * (size - len(left)) + f"{arrow} "
        for text in rows(those, by, limit, shown):
            lines.append(left + text)
            left = " " * (size + len(arrow) + 1)
        if not those:
            lines.append(left)
    return in_lines([*lines, "", ""])


def rows(
    calls: Calls, by: int | None, limit: int | None, shown: Callable[[Label], str]
) -> Iterator[str]:
    """A line for each function, and how many there are past the limit."""
    order = sorted(calls)
    if by is not None:
        order.sort(key=lambda label: -calls[label][PLACES[by]])
    for label in order[:limit]:
        ncalls, primitive, tottime, cumtime = calls[label]
        count = str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"
        yield f"{count:>7} {f8(tottime)} {f8(cumtime)}  " + shown(label)
    more = len(order[limit:]) if limit is not None else 0
    if more:
        yield f"{'':7} and {more:,} more"
