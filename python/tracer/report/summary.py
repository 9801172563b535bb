"""The summary of profiles as text: a table for each view. analysis/steps/summary.py has the
figures."""

from __future__ import annotations

from heapq import nlargest
from statistics import median

from tracer.analysis.memory.memory import has_memory
from tracer.analysis.steps.slow import SlowSteps
from tracer.analysis.steps.steps import SLOWER
from tracer.analysis.steps.summary import SORT_KEYS, Summary, sorted_lines
from tracer.analysis.tree.called_names import plain_name
from tracer.analysis.tree.folding import MODULE
from tracer.data.records import NO_ROW
from tracer.report.aligned import aligned
from tracer.report.cells import on_one_line, with_place
from tracer.report.memory_summary import memory_summary
from tracer.report.ranges import NO_RANGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.analysis.steps.steps import StepTimes
    from tracer.analysis.steps.summary_sums import Line, Part
    from tracer.analysis.timeline.run import TimedRun
    from tracer.data.profile_set import ProfileSet

VIEWS = ("device", "overview", "model", "operators", "ranges", "memory", "steps")
UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
ROWS = 20  # of operators and ranges, and of steps where there are more
WAITED = 0.2  # of a slow step: a wait of more is told
BELOW = 5  # functions that an operator called


class SummaryText:
    """Makes the text of a Summary. limit: rows of a table; None: as many as usual; 0: all. runs:
    the parts that are wanted, where they are made already. The rest: see Stats.print_summary()."""

    def __init__(
        self,
        profiles: ProfileSet,
        sorted_by: str | None = None,
        views: str | Iterable[str] | None = None,
        time_unit: str = "ms",
        by_thread: bool = False,
        limit: int | None = None,
        runs: Sequence[TimedRun] | None = None,
    ) -> None:
        self.views: list[str] = checked_views(views)
        self.asked: bool = views is not None
        if sorted_by is not None and sorted_by not in SORT_KEYS:
            raise ValueError(f"sorted_by must be one of {', '.join(SORT_KEYS)}, not {sorted_by!r}")
        if time_unit not in UNITS:
            raise ValueError(f"time_unit must be one of {', '.join(UNITS)}, not {time_unit!r}")
        self.sorted_by = sorted_by
        self.unit = time_unit
        self.factor: float = UNITS[time_unit]
        self.limit: int | None = ROWS if limit is None else limit or None
        self.by_thread = by_thread
        self.summary: Summary = Summary(profiles, by_thread=by_thread, runs=runs)

    def text(self) -> str:
        blocks = [list(self.header())]
        for view in self.views:
            blocks += getattr(self, f"{view}_blocks")()
        return "\n\n".join("\n".join(lines) for lines in blocks if lines) + "\n"

    def time(self, seconds: float | None) -> str:
        if seconds is None:
            return "-"
        value = seconds * self.factor
        return f"{value:,.0f}" if self.unit == "ns" else f"{value:,.3f}"

    def header(self) -> Iterator[str]:
        number = len(self.summary.steps)
        of = f"{number:,} recorded step{'s' * (number != 1)}, " if number else ""
        yield f"Summary of {of}{self.time(self.summary.whole)} {self.unit}"
        yield from self.remarks()

    def remarks(self) -> Iterator[str]:
        """What the figures are of, and what they leave out."""
        summary = self.summary
        if not summary.steps:
            part = "the recording" if all(run.is_whole for run in summary.runs) else "this part"
            yield f"There is no whole step, so {part} counts as one."
        if summary.since > 0:
            since = f"{self.time(summary.since)} {self.unit}"
            yield f"Steps that began before {since} are left out: their calls were overwritten."
        if summary.least > 0:
            length = f"{self.time(summary.least)} {self.unit}"
            yield f"Calls of less than {length} were not kept one by one, and are no phases."
        for category, rule, near in summary.unmatched():
            meant = f"; do you mean {' or '.join(near)}?" if near else ""
            yield f"phase {category}: no function {rule!r} was called{meant}"

    # -- The views ---------------------------------------------------------------------------------

    def device_blocks(self) -> list[list[str]]:
        device = self.summary.device()
        if device.process is None:
            told = "The use of the processors was not measured."
            return [["Device", "", told]] if self.asked else []
        number = f"{device.processors} processor{'s' * (device.processors != 1)}"
        rows = [[f"of {number}", "use %"], ["this process", f"{device.process:.1f}"]]
        if device.machine is not None:
            rows.append(["the machine", f"{device.machine:.1f}"])
        return [["Device", "", *aligned(rows)]]

    def overview_blocks(self) -> list[list[str]]:
        blocks = []
        for part in self.parts():
            lines = sorted_lines(self.summary.overview(part), self.sorted_by)
            rows = [["category", "calls", f"time ({self.unit})", "ratio %"]]
            rows += [
                [line.name, f"{line.calls:,}", self.time(line.total), f"{line.ratio:.1f}"]
                for line in lines
            ]
            blocks.append([self.title("Overview", part), "", *aligned(rows)])
        return blocks

    def model_blocks(self) -> list[list[str]]:
        blocks = []
        for part in self.parts():
            lines = sorted_lines(self.summary.model(part), self.sorted_by)
            if lines:
                blocks.append([self.title("Model", part), "", *self.table("phase", lines)])
        return blocks

    def ranges_blocks(self) -> list[list[str]]:
        blocks = []
        for part in self.parts():
            found = self.summary.ranges(part)
            named = {id(line): category for category, line in found}
            lines = sorted_lines([line for _, line in found], self.sorted_by or "total")
            if lines:
                title = self.title("User ranges", part)
                blocks.append([title, "", *self.table("range", lines, named)])
        if not blocks and self.asked:
            return [["User ranges", "", NO_RANGES]]
        return blocks

    def memory_blocks(self) -> list[list[str]]:
        if has_memory(self.summary.profiles):
            return memory_summary(self.summary.profiles)
        return [["Memory", "", "No memory was recorded."]] if self.asked else []

    def operators_blocks(self) -> list[list[str]]:
        operators = self.summary.operators()
        keys = {"max": "longest", "name": "name"}
        key = keys.get(self.sorted_by or "total", self.sorted_by or "total")
        if key == "name":
            operators.sort(key=lambda it: it.name)
        elif key not in ("total", "min"):
            operators.sort(key=lambda it: -getattr(it, key))
        heads = ("calls", f"total ({self.unit})", "own", "average", "max", "ratio %")
        rows = [["function written in C", *heads]]
        for it in operators[: self.limit]:
            times = map(self.time, (it.total, it.own, it.average, it.longest))
            rows.append([plain_name(it.name), f"{it.calls:,}", *times, f"{it.ratio:.1f}"])
            for label, calls, seconds in it.below[:BELOW]:
                rows.append([f"  {with_place(label)}", f"{calls:,}", self.time(seconds)])
        more = more_of(len(operators), self.limit)
        title = "Operators, of the whole recording"
        return [[title, "", *aligned(rows), *more]] if operators else []

    def steps_blocks(self) -> list[list[str]]:
        steps = self.summary.steps
        if not steps:
            return [["Steps", "", "There is no whole step."]] if self.asked else []
        middle = median(step.length for step in steps)
        slow = sum(step.is_slow for step in steps)
        title = f"Steps: median {self.time(middle)} {self.unit}, {slow:,} of {len(steps):,} slow"
        shown: Sequence[StepTimes] = steps
        if self.limit is not None and len(steps) > self.limit:
            longest = nlargest(self.limit, steps, key=lambda it: it.length)
            shown = sorted(longest, key=lambda it: (it.run.timeline.epoch, it.start))
            title += f"; the {self.limit} longest, in order"
        causes = SlowSteps(steps)
        has_items = any(step.items is not None for step in steps)
        rows = [["step", f"time ({self.unit})", "to median", *(["items/s"] if has_items else [])]]
        for step in shown:
            rows.append([f"{step.number:,}", self.time(step.length), times_of(step.length, middle)])
            if has_items:
                rate = step.items_per_second
                rows[-1].append("" if rate is None else f"{rate:,.1f}")
        told = [""] + [self.told_of(step, causes, middle) for step in shown]
        widths = [max(len(row[at]) for row in rows) + 2 for at in range(len(rows[0]))]
        lines = [
            "".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) + cause
            for row, cause in zip(rows, told, strict=True)
        ]
        return [[title, "", *lines]]

    def told_of(self, step: StepTimes, causes: SlowSteps, middle: float) -> str:
        """Why a step is slow, or longer than others where none is slow."""
        if step.is_slow:
            return f"  slow: {self.cause_of(step, causes)}"
        is_long = step.length > (1 + SLOWER) * middle
        return f"  longer: {self.cause_of(step, causes)}" if is_long else ""

    def cause_of(self, step: StepTimes, causes: SlowSteps) -> str:
        cause = causes.cause(step)
        told = [f"{name} +{self.time(seconds)}" for name, seconds in cause.phases]
        words = ", ".join(told) or "each phase a little"
        if cause.waited > WAITED * step.length:
            words += f"; waited {self.time(cause.waited)}"
        if cause.function == NO_ROW:
            return words
        within = "" if cause.home == cause.function else f" in {named(step.run, cause.home)}"
        return f"{words}; most: {named(step.run, cause.function)}{within}"

    # -- Lines -------------------------------------------------------------------------------------

    def parts(self) -> list[Part]:
        return list(self.summary.parts.values())

    def title(self, name: str, part: Part) -> str:
        return f"{name}: {on_one_line(part.name)}" if part.name else name

    def table(
        self, head: str, lines: Sequence[Line], categories: dict[int, str] | None = None
    ) -> list[str]:
        rows = [[head, "calls", f"total ({self.unit})", "average", "max", "min", "ratio %"]]
        limit = None if categories is None else self.limit
        for line in lines[:limit]:
            times = map(self.time, (line.total, line.average, line.max, line.min))
            name = line.name
            if categories is not None and categories[id(line)]:
                name += f" [{categories[id(line)]}]"
            rows.append([name, f"{line.calls:,}", *times, f"{line.ratio:.1f}"])
        return [*aligned(rows), *more_of(len(lines), limit)]


# -- Cells -----------------------------------------------------------------------------------------


def named(run: TimedRun, row: int) -> str:
    """A function; the code of a module with its file."""
    function = run.outline.rows[row]
    if function.file == "~":
        return on_one_line(plain_name(function.name))
    place = f" of {function.file.rpartition('/')[2]}" if function.name == MODULE else ""
    return on_one_line(function.name + place)


def times_of(length: float, middle: float) -> str:
    return f"x {length / middle:.2f}" if middle > 0 else ""


def more_of(number: int, limit: int | None) -> list[str]:
    rest = 0 if limit is None else number - limit
    return [f"... and {rest:,} more"] if rest > 0 else []


def checked_views(views: str | Iterable[str] | None) -> list[str]:
    """The views in their order. Raises ValueError for one that does not exist."""
    if views is None:
        return list(VIEWS)
    asked = views.split(",") if isinstance(views, str) else list(views)
    unknown = [view for view in asked if view not in VIEWS]
    if unknown or not asked:
        raise ValueError(
            f"views must be of {', '.join(VIEWS)}, not {unknown[0] if unknown else 'none'!r}"
        )
    return [view for view in VIEWS if view in asked]
