"""The rows of the tables of a timeline: ranges, the longest calls, steps."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from tracer.analysis.steps.steps import steps_of
from tracer.analysis.timeline.ranges import range_sums, ranges_named, ranges_of
from tracer.analysis.timeline.run import runs_of
from tracer.analysis.timeline.slowest import slowest_calls
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.function_names import names_of
from tracer.data.records import NO_ROW
from tracer.results import columns
from tracer.results.function_tables import check_name
from tracer.results.table import About, Omitted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.timeline.slowest import LongCall
    from tracer.data.profile_set import ProfileSet

MOST = 1000  # calls of each run: to rank all of millions would take minutes
NO_TIMELINE = Omitted(0, 0, "no timeline was recorded", "record with --timeline, or timeline=True")


class RangeRow(NamedTuple):
    """The ranges of one name and category. Those that did not end are in `open` alone."""

    name: Annotated[str, About("text", "the name")]
    category: Annotated[str, About("text", 'the category, or ""')]
    number: Annotated[int, About("count", "how many ended")]
    total: Annotated[float, About("seconds", "all of them together")]
    min: Annotated[float, About("seconds", "the shortest")]
    mean: Annotated[float, About("seconds", "the mean")]
    p50: Annotated[float, About("seconds", "as long as half of them at most")]
    p95: Annotated[float, About("seconds", "as long as 95% of them at most")]
    max: Annotated[float, About("seconds", "the longest")]
    open: Annotated[int, About("count", "how many did not end")]


class SlowRow(NamedTuple):
    """A single call, or a task."""

    name: Annotated[str, About("text", "the qualified name of the function")]
    file: columns.File
    line: columns.Line
    at: Annotated[float, About("moment", "when it began")]
    took: Annotated[float, About("seconds", "how long it took; of a task, ran")]
    thread: Annotated[str, About("text", "the name of the thread")]
    task: Annotated[str, About("text", 'the name of the task; "" where it is none')]
    callers: Annotated[str, About("text", 'the functions around it, the nearest first, "a < b"')]
    is_open: Annotated[bool, About("text", "it had not ended when the profile was taken")]


class StepRow(NamedTuple):
    """A step that ended. Of each phase, `phases` has the seconds."""

    number: Annotated[int, About("number", "its number")]
    thread: Annotated[str, About("text", "the name of the thread")]
    start: Annotated[float, About("moment", "when it began")]
    length: Annotated[float, About("seconds", "how long it took")]
    others: Annotated[float, About("seconds", "of that, in no phase")]
    items: Annotated[float | None, About("count", "how many items it worked on")]
    is_slow: Annotated[bool, About("text", "it is slow among the others")]
    phases: Annotated[dict[str, float], About("text", "{phase: seconds}")]


def ranges(profiles: ProfileSet, only: str | None) -> tuple[list[RangeRow], list[Omitted]]:
    runs = runs_of(profiles.with_folders())
    found = list(ranges_of(runs))
    if only is not None:
        check_name("only", only)
        found = ranges_named(found, only)
    if not runs:
        return [], [NO_TIMELINE]
    rows = [RangeRow(*it[:5], it.mean, it.p50, it.p95, it.max, it.open) for it in range_sums(found)]
    why = "the program marked none" if only is None else f"none is named {only!r}"
    return rows, [] if rows else [Omitted(0, 0, why)]


def slowest(profiles: ProfileSet, only: str | None) -> tuple[list[SlowRow], list[Omitted]]:
    runs = runs_of(profiles.with_folders())
    if not runs:
        return [], [NO_TIMELINE]
    rows: list[SlowRow] = []
    omitted: list[Omitted] = []
    for run in runs:
        wanted = None
        if only is not None:
            check_name("only", only)
            names = names_of(profiles)
            choice = names.choose(only)
            wanted = {at for at, row in enumerate(run.outline.rows) if row in choice.qualified}
            if not wanted:
                return [], [Omitted(0, 0, names.unmatched(only))]
        calls = slowest_calls(run, MOST, wanted)
        rows += (row_of(run, call) for call in calls)
        if len(calls) == MOST:
            omitted = [Omitted(0, 0, f"of each run the {MOST:,} longest are ranked")]
    return rows, omitted


def row_of(run: TimedRun, call: LongCall) -> SlowRow:
    function = run.outline.rows[call.row]
    callers = " < ".join(called(run.outline.rows[it]) for it in call.callers if it != NO_ROW)
    place = function.name, function.file, function.line
    when = call.start * run.tick, call.length * run.tick
    return SlowRow(*place, *when, call.thread, call.task, callers, call.is_open)


def steps(profiles: ProfileSet, only: str | None) -> tuple[list[StepRow], list[Omitted]]:
    if only is not None:
        raise ValueError("steps have no names: leave `only` out")
    runs = runs_of(profiles.with_folders())
    if not runs:
        return [], [NO_TIMELINE]
    rows = list(_steps(profiles, runs))
    why = "no step was recorded", "mark them by tracer.StepProfiler or --steps"
    return rows, [] if rows else [Omitted(0, 0, *why)]


def _steps(profiles: ProfileSet, runs: list[TimedRun]) -> Iterator[StepRow]:
    for it in steps_of(profiles, runs):
        thread = it.run.by_position[it.thread].name
        times = it.start, it.length, it.others
        items = None if it.items is None else float(it.items)
        yield StepRow(it.number, thread, *times, items, it.is_slow, dict(it.phases))
