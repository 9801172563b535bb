"""Garbage collections that take much of a run. Whoever allocates when one is due has its time, so
the findings of functions are without it: see Sums.leave_out()."""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.outline.finding import Finding, said_of, seconds_of, share, short
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.outline import Outline

COLLECTING = 0.05  # of the run: collections with less are no finding
ADVICE = (
    "They look at all objects that may be in cycles: gc.freeze() takes out those that stay, a "
    "higher gc.set_threshold() makes them rarer, and gc.disable() may do while many are made."
)


def collections(outline: Outline) -> Finding | None:
    """What all garbage collections took, and the function of the program with most of it."""
    found = outline.collected
    time = sum(it.time for it in found)
    if not found or time < COLLECTING * outline.length:
        return None
    number, longest = sum(it.number for it in found), max(it.longest for it in found)
    what, longest_one = "a garbage collection", ""
    if number > 1:
        what, longest_one = f"{number:,} garbage collections", f", the longest {short(longest)}"
    elif number == 0:  # by samples
        what = "garbage collections"
    whole = seconds_of(outline.paths, time)
    took = f"{share(time, outline.length)}: {what} took {whole}{longest_one}"
    times: dict[int, int] = defaultdict(int)
    for it in found:
        times[it.below] += it.time
    most = max(times, key=lambda row: times[row])
    if most == NO_ROW:
        return Finding((took,), time, about="collections", advice=ADVICE)
    function = outline.rows[most]
    below = f"{took}, most below" if times[most] < time else f"{took} below"
    return Finding(said_of(function, below), time, function, "collections", advice=ADVICE)
