"""Moments of a thread without tracing overhead: what recording a call costs is taken out.

data/overhead.py has the costs of calls, which a profile measures with `compensate`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import inf
from typing import TYPE_CHECKING

from tracer.data.overhead import kind_of

if TYPE_CHECKING:
    from tracer.data.capture import Capture
    from tracer.data.overhead import CallCosts
    from tracer.data.timeline import Slices

__all__ = ["Moments", "costs_of_functions"]

NOTHING: CallCosts = ((0.0, 0.0), (0.0, 0.0))  # of a gap, which is no call


def costs_of_functions(capture: Capture) -> list[CallCosts] | None:
    """What a call of each function costs, in ticks: of the callee and of the caller, for the first
    call in an activation and for later ones. None where the costs were not measured."""
    costs = capture.costs_here
    if costs is None:
        return None
    ticks: dict[str, CallCosts] = {}
    for kind, ((callee, caller), (again_callee, again_caller)) in costs.items():
        unit = capture.seconds_per_tick
        first, again = (callee / unit, caller / unit), (again_callee / unit, again_caller / unit)
        ticks[kind] = first, again
    return [ticks[kind_of(function.filename, function.name)] for function in capture.functions]


class Moments:
    """The moments of a thread whose slices these are. costs: of the function of each node.

    What a call costs its caller lies before the call's start, and what it costs the callee behind.
    In both, the moment stays the same. Costs are averages, and a call may come sooner than they
    allow: no more is subtracted then than leads to the moment of the call before. So a later tick
    never has an earlier moment.
    """

    def __init__(self, slices: Slices, costs: Sequence[CallCosts]) -> None:
        self.starts: memoryview[int] = slices.starts
        self.until: list[float] = [0.0]  # what the calls before each one cost
        self.begun: list[float] = []  # the moment at which each one begins
        total, latest, callers = 0.0, -inf, set()
        for start, node, parent in zip(slices.starts, slices.nodes, slices.parents, strict=True):
            callee, caller = costs[node][parent in callers]
            callers.add(parent)
            total += caller
            self.begun.append(latest := max(start - total, latest))
            self.until.append(total := total + callee)

    def of_call(self, at: int, end: int) -> tuple[int, int]:
        """When the call of slice number `at`, which ended then, began and ended."""
        return round(self.begun[at]), self.of(end)

    def of(self, tick: int) -> int:
        """Calls that begin at that very tick are not before it."""
        following = bisect_left(self.starts, tick)
        moment = tick - self.until[following]
        if following > 0:
            moment = max(moment, self.begun[following - 1])
        if following < len(self.begun):
            moment = min(moment, self.begun[following])
        return round(moment)
