"""The tracing overhead of calls as a profile keeps it: the cost of each kind of call.

recording/call_overhead.py measures the costs. The C core subtracts them from the times (add_up()).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    # Seconds that a call adds to the time of (its callee, its caller).
    Cost: TypeAlias = tuple[float, float]
    # Of (the first call from an activation of the caller, each call after that).
    CallCosts: TypeAlias = tuple[Cost, Cost]
    Costs: TypeAlias = dict[str, CallCosts]  # by kind; "resume" has two equal costs
    Compensation: TypeAlias = tuple[bytes, tuple[CallCosts, ...], Cost]

KINDS = ("function", "init", "builtin", "method")


def kind_of(filename: str, name: str) -> str:
    """The kind of a function. A call of a class has events of its own, which are in no row: they
    count as the cost of `__init__`."""
    if filename != "~":
        return "init" if name == "__init__" else "function"
    return "method" if name.startswith("<method ") else "builtin"


def compensation_of(costs: Costs, labels: Iterable[tuple[str, str]]) -> Compensation:
    """The costs as add_up() takes them. `labels`: (file, name) of each function."""
    position = {kind: number for number, kind in enumerate(KINDS)}
    kinds = bytes(position[kind_of(filename, name)] for filename, name in labels)
    return kinds, tuple(costs[kind] for kind in KINDS), costs["resume"][0]
