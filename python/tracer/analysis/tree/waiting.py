"""What the threads of a profile waited: whether this is worth telling, and how long they ran.

A thread *waits* while it does not run within a function; it is *idle* while no recorded function of
it runs. findings/waits.py tells what was waited for.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.data.records import NODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Thread

# What is not shown: a smaller share of the time, and what the scheduler alone may take.
WORTH_TELLING = 0.05
SHORTEST = 0.01  # s


class Waits(NamedTuple):
    """The seconds in functions, and the part of them in which their threads did not run."""

    time: float
    waited: float

    @property
    def busy(self) -> float:
        return max(0.0, self.time - self.waited)

    @property
    def are_worth_telling(self) -> bool:
        return self.waited >= max(SHORTEST, WORTH_TELLING * self.time)


def waits_of(profiles: ProfileSet) -> Waits:
    """The waits of all functions. A set with files of other tools has none, as these do not tell
    them."""
    if not profiles.knows_calls:
        return Waits(0.0, 0.0)
    time = sum(tottime for _, _, tottime, _, _ in profiles.stats.values())
    return Waits(time, sum(profiles.totals.extras.get("waited", {}).values()))


class Ran(NamedTuple):
    """Seconds of runs. busy: for which the processors worked for them. system: of these, those that
    were the system's."""

    real: float
    busy: float
    system: float


def ran_for(captures: Iterable[Capture]) -> Ran:
    """Of the runs of which this is known, together."""
    runs = [capture.run for capture in captures if capture.run is not None]
    system = sum(run.system for run in runs)
    return Ran(sum(run.real for run in runs), sum(run.user for run in runs) + system, system)


def idle_of(capture: Capture, thread: Thread) -> float:
    """The seconds in which the thread was recorded and no function of it ran."""
    nodes = thread.records["nodes"]
    if not nodes:
        return 0.0
    *_, ticks, _ = NODE.unpack_from(nodes)  # the root
    return capture.seconds_per_tick * float(ticks)
