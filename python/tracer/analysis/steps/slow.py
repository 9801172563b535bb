"""Why a step is slow: which phase, and which function, took longer than it usually does."""

from __future__ import annotations

from collections import defaultdict
from heapq import nlargest
from statistics import median
from typing import NamedTuple

from tracer.analysis.steps.phases import OTHERS
from tracer.analysis.timeline.gaps import SHORTEST
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.steps.steps import StepTimes
    from tracer.analysis.timeline.run import TimedRun

PHASES = 2  # that are named at most
SHARE = 0.1  # of what the step took too long: a phase with less is not named


class Cause(NamedTuple):
    """phases: (category, seconds beyond its median), most first. function: the row of `run` whose
    own time in the step exceeds its mean most; home: the program's nearest function above. NO_ROW:
    none, or not known. waited: seconds of the step in which its thread had no processor, as far as
    gaps tell."""

    phases: list[tuple[str, float]]
    function: int
    home: int
    waited: float


class SlowSteps:
    """Compares steps with all the others."""

    def __init__(self, steps: Sequence[StepTimes]) -> None:
        self.steps = steps
        names = dict.fromkeys(name for step in steps for name in step.phases)
        self.usual: dict[str, float] = {
            name: median(step.phases.get(name, 0.0) for step in steps) for name in names
        }
        self.usual[OTHERS] = median(step.others for step in steps)
        self._means: dict[tuple[int, int], dict[int, float]] = {}

    def cause(self, step: StepTimes) -> Cause:
        above = {name: step.phases.get(name, 0.0) - time for name, time in self.usual.items()}
        above[OTHERS] = step.others - self.usual[OTHERS]
        most = nlargest(PHASES, above.items(), key=lambda it: it[1])
        least = SHARE * sum(max(0.0, seconds) for seconds in above.values())
        phases = [(name, seconds) for name, seconds in most if seconds > least]
        node = self._node(step)
        if node == 0:
            return Cause(phases, NO_ROW, NO_ROW, waited_in(step))
        thread = step.run.by_position[step.thread]
        return Cause(phases, thread.rows[node], thread.home(node), waited_in(step))

    def _node(self, step: StepTimes) -> int:
        """The calling context whose own time exceeds its mean most; 0: none."""
        means = self._mean_times(step.run, step.thread)
        above = {
            node: ticks - means.get(node, 0.0)
            for node, ticks in own_times(step).items()
            if step.run.by_position[step.thread].rows[node] != NO_ROW
        }
        node = max(above, key=lambda it: above[it], default=0)
        return node if above.get(node, 0.0) > 0 else 0

    def _mean_times(self, run: TimedRun, thread: int) -> dict[int, float]:
        """The own ticks of each calling context in a step of this thread: the mean."""
        key = id(run), thread
        if key not in self._means:
            mine = spread([it for it in self.steps if it.run is run and it.thread == thread])
            total: dict[int, float] = defaultdict(float)
            for step in mine:
                for node, ticks in own_times(step).items():
                    total[node] += ticks
            self._means[key] = {node: ticks / len(mine) for node, ticks in total.items()}
        return self._means[key]


SPREAD = 50  # steps of which the mean is made, where there are more


def spread(steps: Sequence[StepTimes]) -> Sequence[StepTimes]:
    return steps[:: max(1, len(steps) // SPREAD)]


def waited_in(step: StepTimes) -> float:
    """The seconds of gaps in the step's thread; of one that lies there in part, in proportion."""
    tick = step.run.tick
    first, last = round(step.start / tick), round(step.end / tick)
    slices = step.run.by_position[step.thread].read(int(SHORTEST / tick), first, last)
    waited = 0.0
    for at, node in enumerate(slices.nodes):
        if node == 0:
            start, end = slices.starts[at], slices.ends[at]
            inside = max(0, min(end, last) - max(start, first))
            waited += slices.values[at] * inside / max(1, end - start)
    return waited * tick


def own_times(step: StepTimes) -> dict[int, int]:
    """The own ticks of each calling context of the step's thread, in the step."""
    tick = step.run.tick
    first, last = round(step.start / tick), round(step.end / tick)
    thread = step.run.by_position[step.thread]
    times = thread.sums(first, last - 1)
    return {node: own for node, _, own in times if node and node not in thread.internal}
