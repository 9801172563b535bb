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
        _merge(extras, part.extras)
    return Totals(
        sum_of([part.stats for part in parts]),
        _resumes([part.resumes for part in parts], extras.get("suspended", {})),
        extras,
        (sum(part.taken_out[0] for part in parts), sum(part.taken_out[1] for part in parts)),
    )


def _merge(extras: dict[str, dict[Label, float]], parts: dict[str, dict[Label, float]]) -> None:
    """Merge the extras of one more part. Of an extra without a rule of its own, the value comes
    with the largest of the extra before it."""
    changed: list[Label] = []
    for name, more in parts.items():
        merge = FIGURES[name].merge
        known = extras.setdefault(name, {})
        if merge is None:
            for label in changed:
                known.pop(label, None)
            known.update((label, more[label]) for label in changed if label in more)
            continue
        merged = {
            label: merge((known[label], value)) if label in known else value
            for label, value in more.items()
        }
        changed = [label for label, value in merged.items() if value != known.get(label)]
        known.update(merged)


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
