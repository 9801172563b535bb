"""The rows of pstats' table with columns that pstats does not have: busy, waited, longest.

api/stats.py prints them, where such columns are asked for; figure_tables.py lists the sort keys.
"""

from __future__ import annotations

from tracer.report.styled import HEAD as STYLE_OF_HEAD
from tracer.report.styled import styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

HEAD = "   ncalls  tottime  percall  cumtime  percall"


def wide_head(columns: Sequence[str]) -> str:
    titles = "".join(f" {column:>8}" for column in columns)
    return styled(f"{HEAD}{titles} filename:lineno(function)", STYLE_OF_HEAD)


def wide_row(
    profiles: ProfileSet, label: Label, columns: Sequence[str], shown: Callable[[Label], str]
) -> str:
    primitive, ncalls, tottime, cumtime, _ = profiles.stats[label]
    calls = str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"
    each = f"{tottime / ncalls:8.3f}" if ncalls else " " * 8
    each_primitive = f"{cumtime / primitive:8.3f}" if primitive else " " * 8
    besides = "".join(f" {figure_of(profiles, label, column):8.3f}" for column in columns)
    figures = f"{calls:>9} {tottime:8.3f} {each} {cumtime:8.3f} {each_primitive}{besides} "
    return figures + shown(label)


def figure_of(profiles: ProfileSet, label: Label, name: str) -> float:
    """A figure of FIGURE_KEYS, in seconds."""
    extras = profiles.totals.extras
    if name != "busy":
        return extras.get(name, {}).get(label, 0.0)
    return max(0.0, profiles.stats[label][2] - extras.get("waited", {}).get(label, 0.0))
