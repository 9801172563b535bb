"""The numbers of the rules that the page judges by the threads that are chosen there."""

from __future__ import annotations

from tracer.analysis.findings.memory import GRAVE
from tracer.analysis.steps.steps import SLOWER
from tracer.analysis.tree.waiting import SHORTEST, WORTH_TELLING

IDLE = 0.001  # s: of a thread that was idle for less, that is not told
OUTSIDE = 0.02  # of what functions have: less memory of no function is not told
NS = 1e9


def limits() -> dict[str, float]:
    """As JSON has them. waitedPart, waitedTime: waits are told from this part of the time on, and
    these nanoseconds. idle: nanoseconds. mostlyLive: of the peak, what is live at the end is shown
    first from there on. outside: a part of what functions have. slowPhase: of the median step, by
    which a phase of a step is longer than it is at the median, and is marked."""
    return {
        "waitedPart": WORTH_TELLING,
        "waitedTime": SHORTEST * NS,
        "idle": IDLE * NS,
        "mostlyLive": GRAVE,
        "outside": OUTSIDE,
        "slowPhase": SLOWER,
    }
