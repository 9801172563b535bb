"""The events of a profile as Paddle's profiler knows them: steps, phases, operators, and ranges.

An operator is a function in C. figures.py adds the events up, RecordedResult has both the
sums and the trees of a cycle.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from tracer.analysis.steps.phase_rules import is_named, rules_of
from tracer.analysis.steps.phases import STEP
from tracer.compat.paddle_parts.figures import Event, summary_of
from tracer.compat.paddle_parts.nodes import Node, ProfilerResult, root_node
from tracer.compat.paddle_parts.overhead import NOTHING, Moments, costs_of_functions
from tracer.compat.paddle_parts.states import TracerEventType as Type
from tracer.exports.names import shown
from tracer.source.file_kinds import OWN
from tracer.source.modules import modules_of

if TYPE_CHECKING:
    from tracer.analysis.steps.phase_rules import Rules
    from tracer.api.stats import Stats
    from tracer.compat.paddle_parts.tables import Summary
    from tracer.data.capture import Capture
    from tracer.data.timeline import Range, Slices, ThreadTimeline, Timeline
    from tracer.data.types import Function
    from tracer.runtime.atomic_files import AnyPath

__all__ = ["RecordedResult"]

BUILTIN_FILE = "~"
# Phases of tracer's own summary that Paddle does not count.
UNCOUNTED = ("paddle.optimizer.*.minimize", "paddle.autograd.backward_mode.backward")
LAST = 2**62  # ticks: no moment is later
TYPES = {kind.category: kind for kind in Type}
MOST = 500_000  # events of a .pb file; the shortest calls above that are left out
BILLION = 1_000_000_000


class Recorded:
    """A cycle: its capture and timeline, and what each function is. first: the number of the step
    that the program's loop counts as 0. Raises phase_rules.ConfigError."""

    def __init__(self, stats: Stats, first: int) -> None:
        self.capture: Capture = stats.captures[0]
        timeline = self.capture.timeline
        assert timeline is not None  # a StepProfiler always records one
        self.timeline: Timeline = timeline
        self.first = first
        self.tick: float = timeline.seconds_per_tick
        self.kinds: list[tuple[str, Type] | None] = kinds_of(self.capture, rules_of(stats))

    def thread_name(self, position: int) -> str:
        thread = self.capture.threads[position]
        number = str(thread.native_id)
        return f"{number} ({shown(thread.name)})" if thread.name else number

    def step_name(self, number: int) -> str:
        return f"ProfileStep#{number + self.first}"

    def events(self) -> Iterator[list[Event]]:
        """The events of the tables, of each thread, callers before what they call; without tracing
        overhead where that is known."""
        costs = costs_of_functions(self.capture)
        for position, log in enumerate(self.timeline.threads):
            slices = log.read(0, LAST, 0)
            ranges = self.ranges(position)
            if costs is None:
                events = [*ranges, *self.calls(log, slices)]
            else:
                of_node = [costs[it] if it < len(costs) else NOTHING for it in log.functions]
                moments = Moments(slices, of_node)
                events = [
                    it._replace(start=moments.of(it.start), end=moments.of(it.end)) for it in ranges
                ]
                events += self.calls(log, slices, moments)
            yield in_order(events)

    def ranges(self, position: int) -> list[Event]:
        return [
            self.range_event(one)
            for one in self.timeline.ranges
            if one.thread == position and one.end >= one.start
        ]

    def range_event(self, one: Range) -> Event:
        if one.category == STEP:
            number = dict(one.values).get("number")
            name = self.step_name(number) if type(number) is int else shown(one.name)
            return Event(one.start, one.end, name, Type.ProfileStep)
        kind = TYPES.get(one.category or "", Type.PythonUserDefined)
        return Event(one.start, one.end, shown(one.name), kind)

    def calls(
        self, log: ThreadTimeline, slices: Slices, moments: Moments | None = None
    ) -> Iterator[Event]:
        """The calls of a thread that the tables have: phases, operators, what operators call."""
        for at, (name, kind), caller in self.known(log, slices):
            if caller or kind is not Type.PythonOp:
                start, end = slices.starts[at], slices.ends[at]
                if moments is not None:
                    start, end = moments.of_call(at, end)
                yield Event(start, end, name, kind, caller)

    def known(
        self, log: ThreadTimeline, slices: Slices
    ) -> Iterator[tuple[int, tuple[str, Type], str]]:
        """(number of the slice, (name, type), the operator that called it or "") of the calls."""
        of_node = [self.kinds[it] if it < len(self.kinds) else None for it in log.functions]
        operators = [
            kind[0] if kind is not None and kind[1] is Type.Operator else "" for kind in of_node
        ]
        nodes = slices.nodes
        of_node[0] = None  # gaps
        for at, (node, parent) in enumerate(zip(nodes, slices.parents, strict=True)):
            kind = of_node[node]
            if kind is not None:
                yield at, kind, operators[nodes[parent]] if parent >= 0 else ""

    def nanoseconds(self, tick: int) -> int:
        """Since 1970."""
        timeline = self.timeline
        since = timeline.clock[0][0] if timeline.clock else 0
        return round(timeline.epoch * BILLION) + round((tick - since) * self.tick * BILLION)

    def trees(self) -> dict[int, Node]:
        """A tree for each thread that has an event."""
        trees, least = {}, self.least()
        for position, log in enumerate(self.timeline.threads):
            slices = log.read(0, LAST, least)
            calls = (
                Event(slices.starts[at], slices.ends[at], *kind)
                for at, kind, _ in self.known(log, slices)
            )
            events = in_order([*self.ranges(position), *calls])
            if events:
                thread = self.capture.threads[position].native_id
                trees[thread] = self.tree(events, thread)
        return trees

    def tree(self, events: Sequence[Event], thread: int) -> Node:
        """The events of a thread, each below the innermost one that holds it whole. Calls that hold
        a step, such as that of the loop's own function, are left out: steps are on top."""
        root = root_node()
        around = [(2**63, root)]
        steps = [event for event in events if event.type is Type.ProfileStep]
        for event in events:
            at = bisect_left(steps, event.start, key=start_of)
            holds = at < len(steps) and steps[at].start < event.end >= steps[at].end
            if holds and event.type is not Type.ProfileStep:
                continue
            while around[-1][0] <= event.start or around[-1][0] < event.end:
                around.pop()
            start, end = self.nanoseconds(event.start), self.nanoseconds(event.end)
            node = Node(event.name, event.type, start, end, self.timeline.pid, thread)
            around[-1][1].children_node.append(node)
            around.append((event.end, node))
        return root

    def least(self) -> int:
        """The ticks of the shortest call that is in the trees: all calls are if there is room."""
        least = 0
        while sum(len(log.read(0, LAST, least).starts) for log in self.timeline.threads) > MOST:
            least = max(2 * least, 1)
        return least

    def extra(self) -> dict[str, str]:
        """The names of the threads, and the use of the processors."""
        extra = {str(it.native_id): shown(it.name) for it in self.capture.threads}
        process, system = use_of(self.capture)
        extra["Process Cpu Utilization"] = f"{process or 0.0:.6f}"
        extra["System Cpu Utilization"] = f"{system or 0.0:.6f}"
        return extra


class RecordedResult(ProfilerResult):
    """A cycle that a Profiler recorded: its trees are made when they are asked for. stats: its
    tracer.Stats. first: the number of the step that `stats` calls 0."""

    def __init__(self, stats: Stats, first: int = 0) -> None:
        super().__init__({}, {})
        self.stats = stats
        self.first = first

    @cached_property
    def _recorded(self) -> Recorded:
        return Recorded(self.stats, self.first)

    def get_data(self) -> dict[int, Node]:
        if not self._trees:
            self._trees = self._recorded.trees()
            self._extra = self._recorded.extra()
        return self._trees

    def get_extra_info(self) -> dict[str, str]:
        self.get_data()
        return self._extra

    def save(self, path: AnyPath, format: str = "json") -> None:
        """As ProfilerResult.save(). "json" is `tracer export --to chrome`, with Paddle's names of
        the steps."""
        if format == "json":
            from tracer.compat.step_export import export_chrome

            export_chrome(self.stats, path, self._recorded.step_name)
        else:
            self.get_data()
            super().save(path, format)

    def summary(self, *, by_thread: bool = False) -> Summary:
        """The figures of the tables; of operators and ranges by thread if asked."""
        recorded = self._recorded
        summary = summary_of(
            list(recorded.events()),
            [recorded.thread_name(it) for it in range(len(recorded.timeline.threads))],
            recorded.tick,
            by_thread=by_thread,
        )
        summary.process, summary.system = use_of(recorded.capture)
        summary.least = recorded.timeline.least * recorded.tick
        return summary


def start_of(event: Event) -> int:
    return event.start


def in_order(events: list[Event]) -> list[Event]:
    """Callers before what they call."""
    return sorted(events, key=lambda event: (event.start, -event.end))


def kinds_of(capture: Capture, rules: Rules) -> list[tuple[str, Type] | None]:
    """The name and the type of the calls of each function; None for one that is left out."""
    files = {function.filename for function in capture.functions}
    modules = modules_of(file for file in files if file != BUILTIN_FILE)
    if any(module.package == "paddle" for module in modules.values()):
        rules = rules._replace(bare={})  # Paddle tells its phases itself

    def kind_of(function: Function) -> tuple[str, Type]:
        if function.filename == BUILTIN_FILE:
            return shown(function.qualname), Type.Operator
        module = modules[function.filename]
        name = f"{module.name}.{function.qualname}"
        category = rules.category(name, is_own=module.kind == OWN)
        if category is None or any(is_named(name, rule) for rule in UNCOUNTED):
            return shown(name), Type.PythonOp
        return shown(name), TYPES.get(category, Type.PythonOp)

    return [
        None if position in capture.left_out else kind_of(function)
        for position, function in enumerate(capture.functions)
    ]


def use_of(capture: Capture) -> tuple[float | None, float | None]:
    """The parts of 1 to which this process used a processor, and all processes used all."""
    use = capture.use
    if use is None or use["real"] <= 0:
        return None, None
    machine = use["machine"]
    system = None if machine is None else machine / (use["real"] * use["processors"])
    return use["process"] / use["real"], system if system is None else min(system, 1.0)
