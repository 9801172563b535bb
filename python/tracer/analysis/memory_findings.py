"""What stands out in the memory of a run: a function of the program that keeps much to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.analysis.finding import Finding, bare, share
from tracer.analysis.folding import MODULE
from tracer.analysis.kinds import OWN
from tracer.analysis.memory import has_memory, shares_by, whole_of_runs
from tracer.analysis.sizes import size_text

if TYPE_CHECKING:
    from tracer.analysis.memory import Share
    from tracer.analysis.outline import Outline
    from tracer.data.profile_set import ProfileSet

KEPT = 2**20  # bytes: less that is live at the end is no finding
OF_PEAK = 0.25  # ... and a smaller part of the peak
AS_MUCH = 0.8  # of what the first function kept: a callee with so much is the one that is meant


def kept_memory(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """A function of the program that allocated, with what it called, much of what is live at the
    end. Its callers have as much: of these the innermost is meant. What the code of a module keeps
    is what was imported, most often, and no finding."""
    if not has_memory(profiles):
        return None
    live = shares_by(profiles, "live", names="qualname")
    peak = whole_of_runs(profiles).peak.bytes
    kept: dict[int, Share] = {
        number: live[row]
        for number, (row, kind) in enumerate(zip(outline.rows, outline.kinds, strict=True))
        if kind == OWN and row.name != MODULE and row in live
    }
    most = max((it.cumulative for it in kept.values()), default=0)
    if most < max(KEPT, OF_PEAK * peak):
        return None
    alike = [row for row, it in kept.items() if it.cumulative >= AS_MUCH * most]
    found = min(alike, key=lambda row: (kept[row].cumulative, -kept[row].bytes, row))
    size, function = kept[found].cumulative, outline.rows[found]
    kept_most = f"{size_text(size)} live at the end, {share(size, peak)} of the peak"
    return Finding(
        f"{kept_most}: {bare(function.name)}, {{place}}, keeps what it allocates",
        0.0,
        ("memory", function),
        function,
        rule="kept_memory",
    )
