"""What a format says of itself, and what its write() is told. Which formats there are is found by
export.py; how one is made is in README.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


# The figures of functions, as pstats has them; or the calling contexts.
Need: TypeAlias = Literal["functions", "paths"]


def nobody(done: int) -> None:
    """Nobody wants to know how far it has come."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """opened_by: what opens it. holds: what is in it, where that does not say so; the manual has
    the same words. They and the minimum have 76 characters of a line of `export --help`. suffix:
    how its files end. is_text: whether a terminal can show it.
    needs: what of a profile it is made of; nothing else is looked at. "paths" have the functions of
    the rows, too.

    prunes: what a minimum (`--min`) leaves out. "paths" are taken together before write() sees
    them; "functions" are left out by write() itself, see pruning.large_functions. minimum: the
    percentage where none is given.
    """

    opened_by: str
    holds: str = ""
    suffix: str
    is_text: bool = True
    needs: Need = "paths"
    prunes: Literal["paths", "functions", "nothing"] = "nothing"
    minimum: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Options:
    """title: what a viewer shows as the name of the profile, as naming.shown gives it. progress:
    called now and then with the number of nodes done. minimum: percent of the time of all threads,
    for what prunes functions."""

    title: str = "tracer"
    progress: Callable[[int], object] = nobody
    minimum: float = 0.0
