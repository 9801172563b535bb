"""What the facts of runs say: what is wrong with the figures, and where the time went that no
function has. A rule for each, as in findings.py."""

from __future__ import annotations

from tracer.analysis.findings.tracing_cost import tracing_cost
from tracer.analysis.outline.finding import NANOSECONDS, Finding, counted, seconds, share, short
from tracer.analysis.tree.waiting import ran_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet

KEPT = 0.1  # of the cost of tracing: less that could not be taken out is no finding
SHORTEST_RUN = 50_000_000  # ns: shares of a shorter run say little
NOT_WORKED = 0.5  # of the run: a smaller part without work is no finding
OF_SYSTEM = 0.3  # of the CPU time: nor is a smaller part that was the system's


# -- What is wrong with the figures ----------------------------------------------------------------


def lost_calls(profiles: ProfileSet) -> Finding | None:
    lost = sum(capture.lost_calls for capture in profiles.captures)
    if not lost:
        return None
    advice = "They are in no figure, and their time is their caller's."
    return Finding((f"{counted(lost)} dropped: out of memory",), advice=advice)


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
    advice = f"The program set a profile function of its own: {', '.join(found)}."
    return Finding((f"the end of {counted(len(found), 'thread')} is not known",), advice=advice)


def kept_cost(profiles: ProfileSet) -> Finding | None:
    """The cost of tracing that could not be taken out of the times."""
    cost = tracing_cost(profiles.captures)
    if cost is None or cost.kept <= KEPT * (cost.taken + cost.kept):
        return None
    return Finding(
        (f"{seconds(cost.kept * NANOSECONDS)} of tracing could not be taken out",),
        advice="Some functions had less time than their calls should have cost; the rest was "
        "taken out.",
    )


GRAVE_RULES = lost_calls, cut_off, kept_cost

# -- Time that no function has ---------------------------------------------------------------------


def not_worked(profiles: ProfileSet) -> Finding | None:
    """The processor worked for less than half of the run, and no figure says what was waited."""
    real, busy, _ = (NANOSECONDS * time for time in ran_for(profiles.captures))
    sampled = profiles.sampled
    is_known = any(profiles.totals.extras.get("waited", {}).values())  # other rules tell for what
    is_known = is_known or (sampled is not None and sampled.waited > 0)
    if is_known or real <= SHORTEST_RUN or 1 - busy / real <= NOT_WORKED:
        return None
    return Finding(
        (f"{share(real - busy, real)} of the run: the program did not work",),
        real - busy,
        advice=f"{seconds(real)} passed, and the processor worked for {seconds(busy)} of it. The "
        "figures do not say what was waited.",
    )


def system_time(profiles: ProfileSet) -> Finding | None:
    """Much of the processor's time was the system's."""
    captures = profiles.captures
    if any(capture.clock == "cpu" for capture in captures if capture.functions):
        return None  # tracer itself asks the system for that clock at each event
    _, busy, system = (NANOSECONDS * time for time in ran_for(captures))
    if busy <= SHORTEST_RUN or system <= OF_SYSTEM * busy:
        return None
    return Finding(
        (f"{share(system, busy)} of the processor's time was the system's",),
        system,
        advice=f"{seconds(system)} in the kernel: files, memory, processes or the network.",
    )


RUN_RULES = not_worked, system_time
