"""What two profiles have in common, judged once for every output: which functions are the same,
from which change on one matters, and whether the later run waited."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from tracer.analysis.recordings import has_builtins
from tracer.analysis.tree.waiting import Waits, ran_for
from tracer.results.comparison import compare, matched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.tree.call_tree import Paths, Row
    from tracer.analysis.tree.waiting import Ran
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.results.comparison import Comparison

SAME_CALLS = 0.01  # share of the calls: up to this difference they count as equal
LONGER = 0.2  # share of the real time by which it must outgrow the processor time
WAITED = (
    "the calls are as many, and the processor worked for less of the real time: the program "
    "waited, or the machine was busy"
)
MOSTLY_WAITS = (
    "most of the change is waits of Python functions: the machine was busy, or they wanted the GIL "
    "or a lock"
)
EXPLAINED = {"": "", "program": WAITED, "python": MOSTLY_WAITS}


class InCommon(NamedTuple):
    """before, after: by row of a profile's paths, the number of the function, which both have if it
    is in both. noise: the seconds from which on a change matters. waited: of waited_of()."""

    before: array[int]
    after: array[int]
    noise: float
    waited: str


def in_common(pair: Sequence[ProfileSet], paths: Sequence[Paths]) -> InCommon:
    """Of two profiles of equal `names`, and their paths, whose names match. Without profiles, every
    change matters."""
    numbers = common_numbers(paths[0].rows, paths[1].rows)
    if not pair:
        return InCommon(*numbers, 0.0, "")
    comparison = compare(*pair)
    return InCommon(*numbers, comparison.noise("tottime"), waited_of(comparison, pair))


def common_numbers(before: Sequence[Row], after: Sequence[Row]) -> tuple[array[int], array[int]]:
    """By place in each: the number of the function."""
    sides = before, after
    numbers = array("I", bytes(4 * len(before))), array("I", bytes(4 * len(after)))
    places: list[dict[Label, int]] = [{row: at for at, row in enumerate(rows)} for rows in sides]
    for number, (_, *labels) in enumerate(matched(*sides)):
        for those, place, side in zip(labels, places, numbers, strict=True):
            for label in those:
                side[place[label]] = number
    return numbers


def waited_of(comparison: Comparison, pair: Sequence[ProfileSet]) -> str:
    """Whether most of the change is waits: "python", of Python functions, as far as the profiles
    know; "program", of the program as a whole, by its times; or "". A key of EXPLAINED."""
    if are_mostly_waits(comparison, pair):
        return "python"
    then, now = ((stats.total_calls, ran_for(stats.captures)) for stats in pair)
    return "program" if has_waited(*then, *now) else ""


def are_mostly_waits(comparison: Comparison, pair: Sequence[ProfileSet]) -> bool:
    """Whether most of the change is waits of Python functions, as far as the profiles know."""
    told = are_waits_worth_telling(comparison, pair) and has_builtins(*pair)
    return told and comparison.is_mostly_waits()


def are_waits_worth_telling(comparison: Comparison, pair: Sequence[ProfileSet]) -> bool:
    """Whether the waits of one run, or of both, are, where both are known."""
    both = (it for it in comparison.total[2:] if it is not None)
    are_known = all(stats.knows_calls for stats in pair)
    return are_known and any(Waits(it.tottime, it.waited).are_worth_telling for it in both)


def has_waited(calls: int, ran: Ran, calls_now: int, ran_now: Ran) -> bool:
    """Whether the later run made as many calls, but its real time grew by more than its processor
    time explains."""
    if not (ran.busy and ran_now.busy) or abs(calls_now - calls) > SAME_CALLS * calls:
        return False
    return ran_now.real - ran.real - (ran_now.busy - ran.busy) > LONGER * ran.real
