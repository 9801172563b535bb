"""The figures of a function: what each is called, what it tells, what makes one of several.

This is the one list of them: csv, json and the page have them all, in this order. What is in them
is put together in analysis/call_tree.py; those that the core alone measures are listed in
ext/core/tree/figures.h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

__all__ = ["FIGURES", "Figure", "Figures", "merged"]


class Figure(NamedTuple):
    """`about`: a sentence for who sees it. `is_time`: whether it is nanoseconds, a count otherwise.
    `merge`: `sum` or `max`, what makes one of those of several threads or runs."""

    about: str
    is_time: bool = False
    merge: Callable[[Iterable[Any]], Any] = sum


class Figures(NamedTuple):
    """What a function has, as in Stats; times are nanoseconds."""

    ncalls: Annotated[int, Figure("How often it was called")] = 0
    primitive: Annotated[int, Figure("Calls that were no recursion")] = 0
    tottime: Annotated[int, Figure("Time in the function itself", True)] = 0
    cumtime: Annotated[int, Figure("Time in the function and all it called", True)] = 0
    resumes: Annotated[int, Figure("How often a generator or coroutine went on")] = 0
    suspended: Annotated[int, Figure("How long it waited to go on; in no other time", True)] = 0


FIGURES: dict[str, Figure] = {
    name: get_args(hint)[1] for name, hint in get_type_hints(Figures, include_extras=True).items()
}


def merged(parts: Iterable[Figures]) -> Figures:
    """The figures of one function in several threads, or runs, as one."""
    columns = zip(FIGURES.values(), zip(*parts, strict=True), strict=True)
    return Figures(*(figure.merge(values) for figure, values in columns))
