"""Moments of a thread without tracing overhead: what recording a call costs is taken out.

data/overhead.py has the costs of calls, which a profile measures with `compensate`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
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
    """The moments of a thread whose slices these are. costs: of the function of each node."""

    def __init__(self, slices: Slices, costs: Sequence[CallCosts]) -> None:
        self.starts: memoryview[int] = slices.starts
        self.until: list[float] = [0.0]  # what the calls before each one cost
        self.inside: list[float] = []  # the same with what the call costs its caller
        total, callers = 0.0, set()
        for node, parent in zip(slices.nodes, slices.parents, strict=True):
            callee, caller = costs[node][parent in callers]
            callers.add(parent)
            self.inside.append(total := total + caller)
            self.until.append(total := total + callee)

    def of_call(self, at: int, end: int) -> tuple[int, int]:
        """When the call of slice number `at`, which ended then, began and ended."""
        start = self.starts[at] - round(self.inside[at])
        return start, max(start, self.of(end))

    def of_range(self, start: int, end: int) -> tuple[int, int]:
        """When a range that lasted from `start` to `end` began and ended."""
        begun = self.of(start)
        return begun, max(begun, self.of(end))

    def of(self, tick: int) -> int:
        """Calls that begin at that very tick are not before it."""
        return tick - round(self.until[bisect_left(self.starts, tick)])
