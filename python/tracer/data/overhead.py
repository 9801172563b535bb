"""The tracing overhead of calls as a profile keeps it: the cost of each kind of call.

recording/call_overhead.py measures the costs on code of its own, where the processor's caches hold
tracer and the interpreter. A profile also keeps what tracer's handlers of events took in the
program (ext/recorders/handlers.h). The difference is added to the costs, and so is what an event
costs more far from the start of its code. The C core subtracts the costs from the times (add_up()).
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
    # By kind; "resume" has two equal costs. Files of today also have "unseen", the cost of a call
    # of what has no row, such as a type; "handlers": how long tracer's handlers of (a call, its
    # return) took where the costs were measured, of functions written in Python and in C; "far":
    # what an event far from the start of its code costs more.
    Costs: TypeAlias = dict[str, CallCosts]
    # Of each handler: (events, ticks, events far from the start of their code). Call, return; C
    # call, its return; resume, yield; a call of a Python function where it is called.
    Handlers: TypeAlias = tuple[tuple[int, int, int], ...]
    Compensation: TypeAlias = (
        tuple[bytes, tuple[CallCosts, ...], Cost] | tuple[bytes, tuple[CallCosts, ...], Cost, float]
    )

KINDS = ("function", "init", "builtin", "method")
NEWER_KINDS = ("unseen", "handlers", "far")
# Of a kind: the number of its handlers in "handlers", and of the first of both among Handlers.
HANDLERS_OF = {
    "function": (0, 0),
    "init": (0, 0),
    "builtin": (1, 2),
    "method": (1, 2),
    "resume": (0, 4),
}
C_CALL, CALL_SITE = 2, 6  # numbers among Handlers
ENOUGH = 30  # timed events, from which a mean is taken
# Where the handlers miss the caches, so does the interpreter on its way to them and back, about as
# often: what it takes longer there can be measured by none of its own events.
INTERPRETER = 2.0


def kind_of(filename: str, name: str) -> str:
    """The kind of a function. A call of a class has events of its own, which are in no row: they
    count as the cost of `__init__`."""
    if filename != "~":
        return "init" if name == "__init__" else "function"
    return "method" if name.startswith("<method ") else "builtin"


def in_program(costs: Costs, handlers: Handlers | None, seconds_per_tick: float) -> Costs:
    """The costs of calls in the program whose handlers these are."""
    if handlers is None or "handlers" not in costs:
        return costs

    def longer(kind: str, side: int) -> float:
        """By how many seconds an event takes longer in the program."""
        there, here = HANDLERS_OF[kind]
        events, ticks, _ = handlers[here + side]
        before = costs["handlers"][there][side]
        if events < ENOUGH or before == 0.0:  # 0: another profile was enabled, too
            return 0.0
        seconds = max(0.0, seconds_per_tick * ticks / events - before)
        return seconds if kind == "resume" else seconds * INTERPRETER

    def far(handler: int) -> float:
        """What events of this handler cost more for their distance from the start, on average."""
        events, _, far_events = handlers[handler]
        if events < ENOUGH or "far" not in costs:
            return 0.0
        return sum(costs["far"][0]) * far_events / events

    def added(kind: str) -> CallCosts:
        here = HANDLERS_OF[kind][1]
        # Before a handler has read the clock it is the time of one, and then of the other.
        half = (far(here) + far(here + 1)) / 2
        callee, caller = longer(kind, 0) + half, longer(kind, 1) + half
        if here == 0:
            caller += far(CALL_SITE)
        return _plus(costs[kind], callee, caller)

    found = costs | {kind: added(kind) for kind in HANDLERS_OF}
    if "unseen" in costs:
        found["unseen"] = _plus(costs["unseen"], 0.0, far(C_CALL) + far(C_CALL + 1))
    return found


def _plus(costs: CallCosts, callee: float, caller: float) -> CallCosts:
    first, again = costs
    return (first[0] + callee, first[1] + caller), (again[0] + callee, again[1] + caller)


def compensation_of(costs: Costs, labels: Iterable[tuple[str, str]]) -> Compensation:
    """The costs as add_up() takes them. `labels`: (file, name) of each function."""
    position = {kind: number for number, kind in enumerate(KINDS)}
    kinds = bytes(position[kind_of(filename, name)] for filename, name in labels)
    calls = tuple(costs[kind] for kind in KINDS)
    if "unseen" not in costs:  # of an old file
        return kinds, calls, costs["resume"][0]
    return kinds, calls, costs["resume"][0], costs["unseen"][0][1]
