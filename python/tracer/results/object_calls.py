"""What the header and the page's overview say of calls of objects that have no row, where they took
a good part of the run: a function's own time is then mostly that of others."""

from __future__ import annotations

from tracer.analysis.outline.finding import NANOSECONDS, counted, seconds
from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.called_names import called, called_object
from tracer.analysis.tree.object_calls import object_calls_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.tree.object_calls import ObjectCalls
    from tracer.data.profile_set import ProfileSet

WORTH_TELLING = 0.05  # of the run
PART = 0.1  # of the time of a function's objects: one that took less is not named
MOST = 3  # objects, and functions, are named at most
HINT = "--all-builtins gives them rows"


def object_lines(profiles: ProfileSet) -> Iterable[tuple[str, str]]:
    """(label, text) of each line; none where such calls are not known, or took little."""
    if not profiles.knows_calls:
        return
    whole = sum(row[2] for row in profiles.stats.values())
    told = [
        it
        for it in object_calls_of(profiles)
        if it.seconds > WORTH_TELLING * whole and it.caller in profiles.stats
    ]
    for place, found in enumerate(told[:MOST]):
        yield "objects" if place == 0 else "", said(found, profiles.stats[found.caller][2])
    if told:
        yield "", HINT


def said(found: ObjectCalls, own: float) -> str:
    """As "of main's 0.35 s own, 0.31 s: 200 calls of f, 200 of numpy.add"."""
    named = [
        (called_object(Row(*label)), calls)
        for label, (calls, took) in found.objects.items()
        if took >= PART * found.seconds
    ][:MOST]
    parts = [
        f"{counted(calls) if place == 0 else f'{calls:,}'} of {name}"
        for place, (name, calls) in enumerate(named)
    ]
    rest = len(found.objects) - len(named)
    if rest:
        parts.append("1 other" if rest == 1 else f"{rest:,} others")
    times = seconds(own * NANOSECONDS), seconds(found.seconds * NANOSECONDS)
    return f"of {called(Row(*found.caller))}'s {times[0]} own, {times[1]}: {', '.join(parts)}"
