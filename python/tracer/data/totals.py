"""Adding up the figures of several captures, or of several threads of one capture.

figures.py says how each figure is merged. For a single capture, capture.py has the core add up.
"""

from __future__ import annotations

import pstats
from collections.abc import Sequence

from tracer.data.figures import FIGURES
from tracer.data.types import CallerResumes, Label, Resumes, StatsDict, Totals


def added_up(parts: Sequence[Totals]) -> Totals:
    """The figures of all parts, added up."""
    extras: dict[str, dict[Label, float]] = {}
    for part in parts:
        for name, more in part.extras.items():
            _merge(extras.setdefault(name, {}), more, name)
    return Totals(
        sum_of([part.stats for part in parts]),
        _resumes([part.resumes for part in parts], extras.get("suspended", {})),
        extras,
        (sum(part.taken_out[0] for part in parts), sum(part.taken_out[1] for part in parts)),
    )


def _merge(known: dict[Label, float], more: dict[Label, float], name: str) -> None:
    merge = FIGURES[name].merge
    for label, seconds in more.items():
        known[label] = merge((known[label], seconds)) if label in known else seconds


def _resumes(
    parts: Sequence[dict[Label, Resumes]], suspended: dict[Label, float]
) -> dict[Label, Resumes]:
    merged: dict[Label, Resumes] = {}
    for part in parts:
        for label, more in part.items():
            known = merged.get(label, Resumes(0, 0, {}, 0.0))
            callers = dict(known.callers)
            for caller, counts in more.callers.items():
                before = callers.get(caller, CallerResumes(0, 0))
                callers[caller] = CallerResumes(
                    before.total + counts.total, before.primitive + counts.primitive
                )
            merged[label] = Resumes(
                known.total + more.total,
                known.primitive + more.primitive,
                callers,
                suspended.get(label, 0.0),
            )
    return merged


def sum_of(parts: Sequence[StatsDict]) -> StatsDict:
    """The rows of all parts, added up as pstats adds them."""
    total: StatsDict = {}
    for part in parts:
        for label, figures in part.items():
            before = total.get(label)
            total[label] = (
                figures if before is None else pstats.add_func_stats(before, figures)  # type: ignore[attr-defined]
            )
    return total
