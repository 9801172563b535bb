"""The figures of a summary: phases, ranges and functions over the steps of profiles.

Everything is over the same stretch of time: the recorded steps; without steps, the whole recording.
What overlaps is united before it is divided by that time, so no ratio is above 100.
summary_sums.py sums up; report/summary.py prints.
"""

from __future__ import annotations

from collections import defaultdict
from math import fsum
from typing import NamedTuple

from tracer.analysis.steps.phase_rules import LOAD, Rules, rules_of
from tracer.analysis.steps.phases import OTHERS, STEP, names_of, phases_in
from tracer.analysis.steps.steps import judged, step_ranges, steps_in
from tracer.analysis.steps.summary_sums import Line, Part, Windows, line_of, percent
from tracer.analysis.timeline.run import runs_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from tracer.analysis.steps.steps import StepTimes
    from tracer.analysis.timeline.run import TimedRun, TimedThread
    from tracer.data.profile_set import ProfileSet
    from tracer.data.timeline import Range
    from tracer.data.types import Label

COLLECTIONS = "collections"
SORT_KEYS = ("total", "calls", "average", "max", "min", "name")
NEAREST = 3  # names that are told beside one that no function has


class Operator(NamedTuple):
    """A function written in C. total: seconds, with what it called. own: without. longest: of one
    call. ratio: percentage of all threads' time. below: (function, calls, seconds) of what it
    called."""

    name: str
    calls: int
    total: float
    own: float
    average: float
    longest: float
    ratio: float
    below: tuple[tuple[Label, int, float], ...]


class Device(NamedTuple):
    """Percentages of the time of all processors; None: not known."""

    process: float | None
    machine: float | None
    processors: int


class Summary:
    """All figures of profiles with a timeline. parts: one of all threads, or with by_thread one for
    the threads of each name. whole: the seconds that all figures are over.

    Raises ValueError where no timeline was recorded, and phase_rules.ConfigError.
    """

    def __init__(
        self,
        profiles: ProfileSet,
        *,
        by_thread: bool = False,
        runs: Sequence[TimedRun] | None = None,
    ) -> None:
        """runs: the parts that are wanted, where they are made already."""
        self.profiles = profiles
        self.runs: Sequence[TimedRun] = runs_of(profiles.with_folders()) if runs is None else runs
        if not self.runs:
            raise ValueError(
                "a summary needs a timeline, and none was recorded: use StepProfiler, "
                "Profile(timeline=True) or --timeline"
            )
        self.rules: Rules = rules_of(profiles)
        self.whole: float = 0.0
        self.parts: dict[str, Part] = {}
        steps: list[StepTimes] = []
        for run in self.runs:
            steps += self._add(run, by_thread)
        self.steps: list[StepTimes] = judged(steps)
        for part in self.parts.values():
            part.steps = judged(part.steps, among=steps)

    def _add(self, run: TimedRun, by_thread: bool) -> list[StepTimes]:
        phases = phases_in(run, self.rules)
        steps = steps_in(run, phases)
        began = min((it.began for it in run.threads), default=0)
        began = max(run.first, run.timeline.since, began)
        bounds = [(of.start, of.end) for of in step_ranges(run)]
        windows = Windows(bounds or [(began, run.end)])
        spans = Windows(in_a_row(step_ranges(run)) or [(began, run.end)])
        self.whole += windows.length * run.tick
        threads: dict[str, list[TimedThread]] = defaultdict(list)
        for thread in run.threads:
            threads[thread.name if by_thread else ""].append(thread)
        for name, those in threads.items():
            part = self.parts.setdefault(name, Part(name))
            part.add(run, windows, spans, those, phases, steps)
        return steps

    @property
    def least(self) -> float:
        """Seconds: shorter calls are no phases, for they were not kept."""
        return max(run.least * run.tick for run in self.runs)

    @property
    def since(self) -> float:
        """Seconds: of what was before, the calls were overwritten."""
        return max(run.timeline.since * run.tick for run in self.runs)

    def unmatched(self) -> Iterator[tuple[str, str, list[str]]]:
        """(category, name, the nearest names) of the user's rules that no function has."""
        if not self.rules.own:
            return
        names = [
            name
            for run in self.runs
            for row in range(len(run.outline.paths.rows))
            for name in names_of(run, row)
        ]
        for category, rule in self.rules.unmatched(names):
            yield category, rule, nearest(rule, names)

    # -- The views ---------------------------------------------------------------------------------

    def device(self) -> Device:
        """Of all runs together, where their use of the processors is known of each."""
        uses = [use_of(run) for run in self.runs]
        known = [use for use in uses if use is not None]
        if len(known) < len(uses):
            return Device(None, None, 0)
        real = fsum(use["real"] * use["processors"] for use in known)
        machine = [use["machine"] for use in known]
        return Device(
            percent(fsum(use["process"] for use in known), real),
            None if None in machine else percent(fsum(machine), real),
            max(use["processors"] for use in known),
        )

    def model(self, part: Part) -> list[Line]:
        """The step, its phases in the usual order, and what is in none. Without steps each run is
        one."""
        lines = []
        if part.steps:
            lengths = [step.length for step in part.steps]
            lines.append(line_of(STEP, lengths, percent(fsum(lengths), self.whole)))
        for category in dict.fromkeys((*self.rules.categories, *sorted(part.phases))):
            if category in part.phases and part.phases[category].lengths:
                lines.append(part.phases[category].line(category, self.whole))
        if part.steps:
            others = [step.others for step in part.steps]
        else:
            others = [] if self.steps else part.outside
        if others:
            lines.append(line_of(OTHERS, others, percent(fsum(others), self.whole)))
        return lines

    def overview(self, part: Part) -> list[Line]:
        """Steps, phases, the program's other ranges by category, collections, functions. The ratio
        of functions is of what all functions had."""
        lines = [line for line in self.model(part) if line.name != OTHERS]
        lines += [
            tally.line(kind, self.whole) for kind, tally in sorted(part.kinds.items()) if tally
        ]
        if part.collections:
            lines.append(part.collections.line(COLLECTIONS, self.whole))
        ran = fsum(part.own.values())
        for kind, own in part.own.items():
            if part.calls[kind] == 0 and own == 0:
                continue
            lines.append(Line(kind, part.calls[kind], own, percent(own, ran)))
        return lines

    def ranges(self, part: Part) -> list[tuple[str, Line]]:
        """(category, line) of each name that the program gave a range. Steps are left out, and
        what loader() marks, which the model has."""
        return [
            (category, tally.line(name, self.whole))
            for (name, category), tally in part.ranges.items()
            if tally and (name, category) != (LOAD, LOAD)
        ]

    def operators(self) -> list[Operator]:
        """The functions written in C, of the whole recording, those with most time first."""
        stats = self.profiles.stats
        longest = self.profiles.totals.extras.get("longest", {})
        ran = fsum(busy_time(thread) for run in self.runs for thread in run.threads)
        below: dict[Label, list[tuple[Label, int, float]]] = defaultdict(list)
        for label, (_, _, _, _, callers) in stats.items():
            for caller, (ncalls, _, _, cumtime) in callers.items():
                if caller[0] == "~" and caller != label:
                    below[caller].append((label, ncalls, cumtime))
        found = []
        for label, (_, ncalls, tottime, cumtime, _) in stats.items():
            if label[0] == "~" and ncalls:
                average, most = cumtime / ncalls, longest.get(label, cumtime)
                callees = tuple(sorted(below[label], key=lambda it: (-it[2], it[0])))
                times = (cumtime, tottime, min(average, most), most, percent(cumtime, ran))
                found.append(Operator(label[2], ncalls, *times, callees))
        return sorted(found, key=lambda it: (-it.total, it.name))


def use_of(run: TimedRun) -> dict[str, Any] | None:
    """What the processors did in a run: as measured; else of the command's own times. None: not
    known, as in older files of the command, which do not say how many processors there were."""
    info = run.capture.run
    if run.capture.use is not None or info is None or info.real <= 0 or info.processors == 0:
        return run.capture.use
    return {
        "real": info.real,
        "process": info.user + info.system,
        "machine": None,
        "processors": info.processors,
    }


def nearest(rule: str, names: Iterable[str]) -> list[str]:
    """The names of functions that are most like a rule, which may have left out their beginning."""
    from difflib import get_close_matches

    parts = rule.count(".") + 1
    ends: dict[str, str] = {}
    for name in names:
        ends.setdefault(".".join(name.rsplit(".", parts)[-parts:]), name)
    return [ends[end] for end in get_close_matches(rule, ends, NEAREST)]


def busy_time(thread: TimedThread) -> float:
    """The seconds that functions of a thread had; 0 for one that waited, and called nothing."""
    calls = ticks = 0
    for node, number, own in thread.timeline.sums():
        if node not in thread.internal:
            calls += number
            ticks += own
    return ticks * thread.run.tick if calls else 0.0


def in_a_row(steps: Sequence[Range]) -> list[tuple[int, int]]:
    """The stretches of steps whose numbers follow each other: between such steps tracer worked."""
    found: list[tuple[int, int]] = []
    expected = None
    for step in steps:
        number = dict(step.values).get("number")
        if found and number == expected:
            found[-1] = found[-1][0], step.end
        else:
            found.append((step.start, step.end))
        expected = number + 1 if type(number) is int else None
    return found


def sorted_lines(lines: list[Line], key: str | None) -> list[Line]:
    """By a key of SORT_KEYS, most first, names in their order; None: as they are."""
    if key is None:
        return lines
    if key == "name":
        return sorted(lines, key=lambda line: line.name)
    return sorted(lines, key=lambda line: -(getattr(line, key) or 0.0))
