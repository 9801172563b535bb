"""The phases of a run: when functions of a category ran, and ranges that the program marked so.

phase_rules.py says which function is of which category. Where phases of one category overlap in a
thread, as in a recursion, they are one. Where a task is such a function, its phase lasts until the
task ended, with what it waited; another coroutine's phases are its stretches. Moments are ticks.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import compress
from typing import NamedTuple

from tracer.analysis.timeline.slowest import pieces
from tracer.analysis.tree.called_names import unbracketed
from tracer.data.records import NO_ROW
from tracer.data.timeline import OF_TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.analysis.steps.phase_rules import Rules
    from tracer.analysis.timeline.run import TimedRun, TimedThread

STEP = "step"  # the category of the range that a step is
OTHERS = "others"  # what of a step is in no phase


class Phase(NamedTuple):
    """A stretch of a category, in one thread (a position)."""

    start: int
    end: int
    category: str
    thread: int


def full_name(run: TimedRun, row: int) -> str:
    """The name of a function with its module, as rules have it; of a builtin, without braces."""
    paths = run.outline.paths
    module, name = paths.modules[row].name, paths.rows[row].name
    if run.is_builtin(row):
        return unbracketed(name)
    return f"{module}.{name}" if module else name


def names_of(run: TimedRun, row: int) -> tuple[str, ...]:
    """All names of a function that rules know: a function of the program's own file is of __main__,
    too."""
    name = full_name(run, row)
    function = run.outline.paths.rows[row]
    return (name, f"__main__.{function.name}") if function.file == run.main_file else (name,)


def phase_rows(run: TimedRun, rules: Rules) -> dict[int, str]:
    """The category of each row of the run that has one."""
    found = {}
    for row in range(len(run.outline.paths.rows)):
        category = rules.category(*names_of(run, row), is_own=run.is_own(row))
        if category is not None:
            found[row] = category
    return found


def phases_in(run: TimedRun, rules: Rules) -> list[Phase]:
    """All phases of a run, in each thread by time."""
    rows = phase_rows(run, rules)
    marked = marked_phases(run, {*rules.categories, *rows.values()})
    found: list[Phase] = []
    for thread in run.threads:
        found += united((*called_phases(thread, rows), *marked[thread.position]))
    return found


def called_phases(thread: TimedThread, rows: dict[int, str]) -> Iterator[Phase]:
    """The calls in a thread of functions that have a category; a task once."""
    categories = [rows.get(row) if row != NO_ROW else None for row in thread.rows]
    wanted = bytes(category is not None for category in categories)
    if not any(wanted):
        return
    run, position = thread.run, thread.position
    tasks = {it.number: it for it in run.timeline.tasks if it.end >= 0 and it.thread == position}
    seen: set[int] = set()
    for slices, first in pieces(run, thread):
        starts, ends, nodes, tags = slices.starts, slices.ends, slices.nodes, slices.tags
        for at in compress(range(len(nodes)), map(wanted.__getitem__, nodes)):
            if starts[at] < first:
                continue  # it was in the piece before
            category = categories[nodes[at]]
            assert category is not None
            start, end, tag = starts[at], ends[at], tags[at]
            if tag & 3 == OF_TASK and tag >> 2 in tasks:
                if tag >> 2 in seen:
                    continue
                seen.add(tag >> 2)
                start, end = tasks[tag >> 2].start, tasks[tag >> 2].end
            yield Phase(start, end, category, position)


def marked_phases(run: TimedRun, categories: set[str]) -> dict[int, list[Phase]]:
    """The ranges of these categories that the program marked, and that ended, by thread."""
    found: dict[int, list[Phase]] = defaultdict(list)
    for of in run.timeline.ranges:
        if of.category in categories and of.category != STEP and of.end >= 0:
            found[of.thread].append(Phase(of.start, of.end, of.category, of.thread))
    return found


def united(phases: Iterable[Phase]) -> list[Phase]:
    """Phases of one thread, by time; those of one category that overlap are one."""
    latest: dict[str, int] = {}  # the place of each category's latest
    found: list[Phase] = []
    for phase in sorted(phases, key=lambda it: (it.start, -it.end)):
        place = latest.get(phase.category)
        if place is not None and phase.start < found[place].end:
            if phase.end > found[place].end:
                found[place] = found[place]._replace(end=phase.end)
            continue
        latest[phase.category] = len(found)
        found.append(phase)
    return found


def shares(start: int, end: int, phases: Sequence[Phase]) -> tuple[dict[str, int], int]:
    """The ticks of each category from start to end, and those of none: together all of them. Where
    phases of one thread lie in each other, time is of the one that began last. phases: by time."""
    found: dict[str, int] = defaultdict(int)
    others, now = 0, start
    open_ones: list[Phase] = []

    def advance(until: int) -> None:
        nonlocal now, others
        while now < until:
            while open_ones and open_ones[-1].end <= now:
                open_ones.pop()
            if not open_ones:
                others += until - now
                now = until
                return
            stop = min(until, open_ones[-1].end)
            found[open_ones[-1].category] += stop - now
            now = stop

    for phase in phases:
        if phase.end <= start or phase.start >= end:
            continue
        advance(max(start, phase.start))
        open_ones.append(phase)
    advance(end)
    return dict(found), others
