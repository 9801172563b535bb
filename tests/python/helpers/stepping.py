"""Loops whose steps are profiled, by a clock that the test moves."""

import tracer
from rows import Clock
from tracer.api.schedule import Action

LETTERS = "nwrs"  # none, warmup, record, record and save


def actions(text):
    """A schedule of one letter a step; steps behind its end are not recorded."""
    return lambda step: Action(LETTERS.index(text[step]) if step < len(text) else 0)


def letters(schedule, number):
    return "".join(LETTERS[schedule(step)] for step in range(number))


class Loop:
    """A StepProfiler, its clock, and what its cycles held: (number, start, end, items) of steps."""

    def __init__(self, schedule=None, on_ready=None, **options):
        self.clock = Clock()
        self.cycles = []
        self.then = on_ready

        def ready(profiler):
            self.cycles.append(steps_in(profiler.stats))
            if self.then is not None:
                self.then(profiler)

        self.profiler = tracer.StepProfiler(
            schedule, ready, timer=self.clock, timeunit=1.0, **options
        )

    def wait(self, ticks):
        self.clock.now += ticks

    def run(self, steps, ticks=10):
        """So many steps, of `ticks`, 2 * `ticks` and so on."""
        with self.profiler:
            self.go_on(steps, ticks)

    def go_on(self, steps, ticks=10):
        for number in range(steps):
            work(self, ticks * (number + 1))
            self.profiler.step()

    @property
    def numbers(self):
        return [[number for number, *_ in cycle] for cycle in self.cycles]


def work(loop, ticks):
    loop.wait(ticks)


def steps_in(stats):
    """The steps of a cycle, from its ranges: those that ended."""
    (capture,) = stats.captures
    found = []
    for one in capture.timeline.ranges:
        if one.category == "step" and one.end >= 0:
            assert one.name == "step"
            values = dict(one.values)
            found.append((values["number"], one.start, one.end, values.get("items")))
    return found


def calls_of(stats, name):
    return {label[2]: row[1] for label, row in stats.stats.items()}.get(name, 0)
