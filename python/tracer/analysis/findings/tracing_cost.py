"""What of the times was the cost of tracing, where it was measured."""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.capture import Capture


class TracingCost(NamedTuple):
    """Seconds. taken: what the times would have more. kept: what should have been taken out, too,
    but some functions had less time than their calls should have cost."""

    taken: float
    kept: float


def tracing_cost(captures: Iterable[Capture]) -> TracingCost | None:
    """None where it was measured in no run."""
    pairs = [capture.taken_out for capture in captures if capture.costs]
    if not pairs:
        return None
    whole, kept = (sum(column) for column in zip(*pairs, strict=True))
    return TracingCost(whole - kept, kept)
