"""What tracing itself costs, as a profile holds that: costs by kind of call, and their use.

recording/call_overhead.py measures the costs. The C core takes them out of the times (add_up()).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    # Seconds that a call adds to the time of the called, and of the caller.
    Cost: TypeAlias = tuple[float, float]
    # That of the first from an activation of the caller, and that of those after it.
    CallCosts: TypeAlias = tuple[Cost, Cost]
    Costs: TypeAlias = dict[str, CallCosts]  # by kind; of a resume both are the same
    Compensation: TypeAlias = tuple[bytes, tuple[CallCosts, ...], Cost]

KINDS = ("function", "init", "builtin", "method")


def kind_of(filename: str, name: str) -> str:
    """The kind of a function with this label. A class that is called has events of its own, which
    are in no row: they count as the cost of its __init__."""
    if filename != "~":
        return "init" if name == "__init__" else "function"
    return "method" if name.startswith("<method ") else "builtin"


def compensation_of(costs: Costs, labels: Iterable[tuple[str, str]]) -> Compensation:
    """The costs as add_up() takes them; `labels` are file and name of each function."""
    position = {kind: number for number, kind in enumerate(KINDS)}
    kinds = bytes(position[kind_of(filename, name)] for filename, name in labels)
    return kinds, tuple(costs[kind] for kind in KINDS), costs["resume"][0]
