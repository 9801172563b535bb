"""The first rows of a Stats as an HTML table for notebooks. page/ makes the whole page."""

from __future__ import annotations

import html
from pstats import func_std_string  # type: ignore[attr-defined]
from typing import TYPE_CHECKING

from tracer.report.drawing import FUNCTION, calls
from tracer.results.table import html_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.data.types import Label, StatsDict

ROWS = 50
HEADS = ("ncalls", "tottime", "percall", "cumtime", "percall", FUNCTION)


def html_of(stats: StatsDict, order: Sequence[Label], title: str) -> str:
    """The rows of `stats` in this order, below a title."""
    lefts = [head == FUNCTION for head in HEADS]
    table = html_table(HEADS, (cells_of(stats, label) for label in order[:ROWS]), lefts)
    more = len(order) - ROWS
    return f"<p>{html.escape(title)}</p>{table}" + f"<p>{more} more functions</p>" * (more > 0)


def cells_of(stats: StatsDict, label: Label) -> tuple[str, ...]:
    primitive, ncalls, tottime, cumtime, _ = stats[label]
    per_call = f"{tottime / ncalls:.3g}" if ncalls else ""
    per_primitive = f"{cumtime / primitive:.3g}" if primitive else ""
    times = f"{tottime:.3f}", per_call, f"{cumtime:.3f}", per_primitive
    return (calls(ncalls, primitive), *times, func_std_string(label))
