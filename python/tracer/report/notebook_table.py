"""The first rows of a Stats as an HTML table for notebooks. page/ makes the whole page."""

from __future__ import annotations

import html
import pstats
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.data.types import Label, StatsDict

ROWS = 50
HEADS = ("ncalls", "tottime", "percall", "cumtime", "percall", "filename:lineno(function)")


def html_of(stats: StatsDict, order: Sequence[Label], title: str) -> str:
    """The rows of `stats` in this order, below a title."""
    rows = "".join(row_of(stats, label) for label in order[:ROWS])
    more = len(order) - ROWS
    rest = f"<p>{more} more functions</p>" if more > 0 else ""
    head = "".join(f"<th>{name}</th>" for name in HEADS)
    return (
        f"<p>{html.escape(title)}</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{rest}"
    )


def row_of(stats: StatsDict, label: Label) -> str:
    primitive, ncalls, tottime, cumtime, _ = stats[label]
    calls = str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"
    per_call = f"{tottime / ncalls:.3g}" if ncalls else ""
    per_primitive = f"{cumtime / primitive:.3g}" if primitive else ""
    cells = (calls, f"{tottime:.3f}", per_call, f"{cumtime:.3f}", per_primitive)
    name = html.escape(pstats.func_std_string(label))  # type: ignore[attr-defined]
    figures = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr>{figures}<td style="text-align: left">{name}</td></tr>'
