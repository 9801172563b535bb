"""What stands out in the memory of a run: a function of the program that allocated much of what is
live at the end."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from tracer.analysis.memory.memory import has_memory, whole_of_runs
from tracer.analysis.memory.sizes import size_text
from tracer.analysis.outline.finding import Finding, said_of, share
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.kinds import OWN

if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet

KEPT = 2**20  # bytes: less that is live at the end is no finding
OF_PEAK = 0.25  # ... and a smaller part of the peak
GRAVE = 0.5  # of the peak, from which on the finding comes before those of time
OPEN, AGAIN = "open Objects", "the program with --live --memory"


def kept_memory(outline: Outline, profiles: ProfileSet, is_running: bool = False) -> Finding | None:
    """The function of the program that allocated most of what is live at the end. The function has
    what libraries and C allocated for it. What the code of a module keeps is what was imported,
    most often, and no finding. is_running: the program is, and shows its objects on the page."""
    if not has_memory(profiles):
        return None
    held = held_by_own(outline, profiles)
    peak = whole_of_runs(profiles).peak.bytes
    function = max(held, key=lambda row: (held[row], row), default=None)
    if function is None or held[function] < max(KEPT, OF_PEAK * peak):
        return None
    size = held[function]
    when = "now" if is_running else "at the end"
    live = f"{size_text(size)} live {when}, {share(size, peak)} of the peak: allocated by"
    return Finding(
        said_of(function, live),
        row=function,
        about=("memory", function),
        advice=f"To see who holds it, {OPEN if is_running else f'run {AGAIN}, and {OPEN}'}.",
        figure="live",
        leads=size >= GRAVE * peak,
    )


def held_by_own(outline: Outline, profiles: ProfileSet) -> dict[Row, int]:
    """The bytes that are live at the end, by the function of the program that allocated them: the
    innermost one that ran. Functions only, no modules."""
    own = {row for row, kind in zip(outline.rows, outline.kinds, strict=True) if kind == OWN}
    paths = paths_of(profiles.seen_by("live", names="qualname"))
    held: dict[Row, int] = defaultdict(int)
    for tree in paths.trees:
        owners: list[Row | None] = [None]  # by depth
        for depth, number, size in list(zip(tree.depth, tree.row, tree.time, strict=True))[1:]:
            row = paths.rows[number]
            owner = row if row in own else owners[depth - 1]
            owners[depth:] = [owner]
            if owner is not None and owner.name != MODULE:
                held[owner] += size
    return held
