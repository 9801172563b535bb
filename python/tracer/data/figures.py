"""The figures of a function: the name of each, its meaning, and how several are merged.

This is the only list of figures: csv, json and the page have them all, in this order.
analysis/tree/call_tree.py fills them in. ext/core/tree/figures.h lists those that only the core
measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

__all__ = ["FIGURES", "Figure", "Figures", "merged"]


class Figure(NamedTuple):
    """about: a sentence for the reader of a table. is_time: nanoseconds if true, else a count.
    merge: `sum` or `max`, which makes one figure of those of several threads or runs. None: the
    figure comes with the largest value of the figure before it."""

    about: str
    is_time: bool = False
    merge: Callable[[Iterable[Any]], Any] | None = sum


class Figures(NamedTuple):
    """The figures of a function, as in Stats; times are nanoseconds."""

    ncalls: Annotated[int, Figure("How often it was called")] = 0
    primitive: Annotated[int, Figure("Calls that were no recursion")] = 0
    tottime: Annotated[int, Figure("Time in the function itself", True)] = 0
    cumtime: Annotated[int, Figure("Time in the function and all it called", True)] = 0
    resumes: Annotated[int, Figure("How often a generator or coroutine went on")] = 0
    suspended: Annotated[int, Figure("From suspension to resume; in no other time", True)] = 0
    waited: Annotated[int, Figure("Part of tottime in which its thread did not run", True)] = 0
    longest: Annotated[int, Figure("The longest stretch from a call or resume", True, max)] = 0
    longest_at: Annotated[int, Figure("When that stretch began, in the run", True, None)] = 0


def rule_of(figure: Figure) -> str:
    """The name of a figure's merge: "sum", "max", or "with", where it comes with the figure
    before it."""
    return "with" if figure.merge is None else figure.merge.__name__


FIGURES: dict[str, Figure] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(Figures, include_extras=True).items()
}


def merged(parts: Iterable[Figures]) -> Figures:
    """One function's figures in several threads or runs, merged."""
    columns = list(zip(*parts, strict=True))
    values: list[int] = []
    for figure, column in zip(FIGURES.values(), columns, strict=True):
        if figure.merge is None:
            before = len(values) - 1
            values.append(column[columns[before].index(values[before])])
        else:
            values.append(figure.merge(column))
    return Figures(*values)
