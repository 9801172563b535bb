"""What the facts of runs say: what is wrong with the figures, and where the time went that no
function has. A rule for each, as in findings.py."""

from __future__ import annotations

from tracer.analysis.finding import NANOSECONDS, Finding, seconds, short
from tracer.analysis.tracing_cost import tracing_cost

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.data.profile_set import ProfileSet

KEPT = 0.1  # of the cost of tracing: less that could not be taken out is no finding
SHORTEST_RUN = 0.05  # s: shares of a shorter run say little
NOT_WORKED = 0.5  # of the run: a smaller part without work is no finding
OF_SYSTEM = 0.3  # of the CPU time: nor is a smaller part that was the system's


# -- What is wrong with the figures ----------------------------------------------------------------


def lost_calls(profiles: ProfileSet) -> Finding | None:
    lost = sum(capture.lost_calls for capture in profiles.captures)
    if not lost:
        return None
    calls = f"{lost:,} call{'s' * (lost != 1)}"
    return Finding(
        (f"{calls} dropped: out of memory",),
        0.0,
        "lost calls",
        advice="They are in no figure, and their time is their caller's.",
        rule="lost_calls",
    )


def cut_off(profiles: ProfileSet) -> Finding | None:
    """Threads whose end is not known."""
    found = [
        f"{thread.name} after {short(thread.cut_off * NANOSECONDS)}"
        for capture in profiles.captures
        for thread in capture.threads
        if thread.cut_off is not None
    ]
    if not found:
        return None
    threads = f"{len(found):,} thread{'s' * (len(found) != 1)}"
    return Finding(
        (f"the end of {threads} is not known",),
        0.0,
        "cut off",
        advice=f"The program set a profile function of its own: {', '.join(found)}.",
        rule="cut_off",
    )


def kept_cost(profiles: ProfileSet) -> Finding | None:
    """The cost of tracing that could not be taken out of the times."""
    cost = tracing_cost(profiles.captures)
    if cost is None or cost.kept <= KEPT * (cost.taken + cost.kept):
        return None
    return Finding(
        (f"{seconds(round(cost.kept * NANOSECONDS))} of tracing could not be taken out",),
        0.0,
        "kept cost",
        advice="Some functions had less time than their calls should have cost; the rest was "
        "taken out.",
        rule="kept_cost",
    )


GRAVE_RULES: tuple[Callable[[ProfileSet], Finding | None], ...] = (lost_calls, cut_off, kept_cost)

# -- Time that no function has ---------------------------------------------------------------------


def not_worked(profiles: ProfileSet) -> Finding | None:
    """The processor worked for less than half of the run, and no figure says what was waited."""
    runs = [capture.run for capture in profiles.captures if capture.run is not None]
    real, busy = sum(run.real for run in runs), sum(run.user + run.system for run in runs)
    is_known = any(profiles.totals.extras.get("waited", {}).values())  # other rules tell for what
    if is_known or real <= SHORTEST_RUN or 1 - busy / real <= NOT_WORKED:
        return None
    passed, worked = (seconds(round(it * NANOSECONDS)) for it in (real, busy))
    return Finding(
        (f"{100 * (real - busy) / real:.0f}% of the run: the program did not work",),
        real - busy,
        "not worked",
        advice=f"{passed} passed, and the processor worked for {worked} of it. The figures do not "
        "say what was waited.",
        rule="not_worked",
    )


def system_time(profiles: ProfileSet) -> Finding | None:
    """Much of the processor's time was the system's."""
    captures = profiles.captures
    if any(capture.clock == "cpu" for capture in captures if capture.functions):
        return None  # tracer itself asks the system for that clock at each event
    runs = [capture.run for capture in captures if capture.run is not None]
    busy, system = sum(run.user + run.system for run in runs), sum(run.system for run in runs)
    if busy <= SHORTEST_RUN or system <= OF_SYSTEM * busy:
        return None
    return Finding(
        (f"{100 * system / busy:.0f}% of the processor's time was the system's",),
        system,
        "system time",
        advice=f"{seconds(round(system * NANOSECONDS))} in the kernel: files, memory, processes or "
        "the network.",
        rule="system_time",
    )


RUN_RULES: tuple[Callable[[ProfileSet], Finding | None], ...] = (not_worked, system_time)
