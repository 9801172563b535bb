"""Who calls a function, in the words of findings. A wrapper is no caller: who called that is."""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.outline.finding import NOBODY
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.folding import LEADERS
from tracer.analysis.tree.kinds import PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline

SOLE_CALLER = 0.95  # of the calls: whoever has so many is the caller


def by_whom(outline: Outline, row: int) -> str:
    calls = callers_of(outline, row)
    if not calls:
        return ""
    most = max(calls, key=lambda caller: calls[caller])
    whole = sum(calls.values())
    if calls[most] >= SOLE_CALLER * whole:
        return f" by {caller_name(outline, most)}"
    if 2 * calls[most] >= whole or len(calls) == 2:
        return f", most by {caller_name(outline, most)}"
    return f" by {len(calls)} functions"


def callers_of(outline: Outline, row: int) -> dict[int, int]:
    """Who called a function how often: of a wrapper, who called that."""
    calls: dict[int, int] = defaultdict(int)
    waiting = [(one, 1.0) for one in outline.sums.rows_of(row)]
    seen = {row, NOBODY, *outline.sums.rows_of(row)}
    while waiting:
        one, part = waiting.pop()
        found = outline.sums.callers_of(one)
        whole = sum(found.values()) or 1
        for caller, often in found.items():
            if caller in seen or not often or starts(outline, caller):
                continue
            if outline.is_wrapper(caller):
                seen.add(caller)
                waiting.append((caller, part * often / whole))
            else:
                calls[caller] += max(1, round(part * often))
    return calls


def starts(outline: Outline, row: int) -> bool:
    """Whether a package only starts the code of a thread."""
    return outline.kinds[row] == PACKAGE and outline.rows[row].name in LEADERS


def caller_name(outline: Outline, row: int) -> str:
    function = outline.rows[row]
    return called(function) if function.file != "~" else function.name
