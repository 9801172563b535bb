"""Format: what a format says of itself. Options: what its write() is given.

export.py finds the formats. README.md says how to make one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


# "functions": their figures, as pstats has them. "paths": the calling contexts. "timeline": each
# call that was kept, with its times. "memory": what was allocated, over time. "native": the calling
# contexts with native functions, by samples.
Need: TypeAlias = Literal["functions", "paths", "timeline", "memory", "native"]


def nobody(done: int) -> None:
    """Ignore the progress."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """opened_by: tools that open the format. holds: what a file has in it, if `opened_by` does not
    say so; the manual has the same words. Both and the minimum have 76 characters of a line of
    `export --help`. suffix: how file names end. mark:
    what files that tracer wrote have near their start, and others have not; empty where the format
    has no place for one. is_text: whether a terminal can show the format.
    needs: the only part of a profile that write() looks at. "paths" include the functions of the
    rows. A format that needs the timeline has draw() in place of write(). One that needs memory is
    for profiles that were recorded with it.
    may_draw: whether a format that needs paths has draw(), too, for a profile with a timeline.
    most_slices: how many of them draw() is given at most, the longest; 0: all.

    prunes: what a minimum (`--min`) leaves out. "paths": small paths are taken together before
    write() sees them. "functions": write() leaves out small functions itself, see
    pruning.large_functions. minimum: the default percentage. "slices": those that are shorter than
    a duration.
    weighs_memory: whether paths may have memory in the place of time, see ProfileSet.seen_by().
    weighs_native: whether they may have CPU time by native samples, with native functions among
    the others, see ProfileSet.seen_by_native(). by_address: each address is then a row.
    """

    opened_by: str
    holds: str = ""
    suffix: str
    mark: bytes = b""
    is_text: bool = True
    needs: Need = "paths"
    may_draw: bool = False
    most_slices: int = 0
    prunes: Literal["paths", "functions", "slices", "nothing"] = "nothing"
    minimum: float = 0.0
    weighs_memory: bool = False
    weighs_native: bool = False
    by_address: bool = False

    @property
    def draws(self) -> bool:
        """Whether the format can show a timeline."""
        return self.may_draw or self.needs == "timeline"


@dataclass(frozen=True, kw_only=True)
class Options:
    """title: the name of the profile in a viewer, as names.shown() gives it. progress: called now
    and then with the number of nodes done. minimum: percent of the time of all threads, for a
    format that prunes functions."""

    title: str = "tracer"
    progress: Callable[[int], object] = nobody
    minimum: float = 0.0
