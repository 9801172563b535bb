"""A function whose calls are so short that much of its time is what recording them took."""

from __future__ import annotations

from tracer.analysis.outline.finding import Finding, short
from tracer.analysis.tree.called_names import called

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline
    from tracer.data.profile_set import ProfileSet

MANY = 100_000  # calls: fewer are no finding
TINY = 200  # ns: recording a call costs about half as much
WORTH = 0.01  # of the time: nor is a function with less ...
RECORDING = 100  # ns: what recording such a call takes ...
MATTERS = 0.1  # ... and of the time: if that is less, it matters not


def tiny_calls(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """The function with the most calls that are tiny. What another tool recorded, and what is
    compensated, is told without the remedy. Times of samples have no part that is tracing's own."""
    paths, whole = outline.paths, outline.whole
    tiny = {
        row: of
        for row, of in paths.figures.items()
        if of.ncalls > MANY
        and WORTH * whole < of.tottime < TINY * of.ncalls
        and of.ncalls * RECORDING >= MATTERS * outline.length
    }
    if not tiny or outline.paths.sampled is not None:
        return None
    row = max(tiny, key=lambda row: tiny[row].ncalls)
    function, of = paths.rows[row], tiny[row]
    captures = profiles.captures
    has_remedy = captures and not any(capture.costs for capture in captures)
    others = len(tiny) - 1
    are = "other function is" if others == 1 else "other functions are"
    also = f" {others:,} {are} like that, too." if others else ""
    each = short(of.tottime / of.ncalls)
    return Finding(
        (f"{called(function)} has {of.ncalls:,} calls of {each}, much of it tracing's own",),
        of.tottime,
        function,
        aside=": use --slowdown" if has_remedy else "",
        advice=f"Trust the counts more than the times.{also}",
    )
