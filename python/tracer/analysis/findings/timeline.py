"""What stands out of when calls ran, where a sum cannot tell: a rule for each finding, as in
findings.py. Only a run with a timeline has such findings.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer._core import ProfileFormatError
from tracer.analysis.findings.coroutines import LONG_STEP, longest_step_of, told_step
from tracer.analysis.findings.coroutines import MOST as MOST_OF_STEP
from tracer.analysis.findings.wait_words import FOR_GIL, FOR_LOCK, may_lock
from tracer.analysis.findings.waits import MATTERS
from tracer.analysis.outline.finding import (
    NANOSECONDS,
    Finding,
    counted,
    found_by,
    said_of,
    seconds,
    share,
    short,
)
from tracer.analysis.timeline.gaps import gaps_in
from tracer.analysis.timeline.run import callers_of, runs_of
from tracer.analysis.tree.called_names import bare
from tracer.analysis.tree.folding import MODULE
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.timeline.run import TimedRun, TimedThread
    from tracer.data.profile_set import ProfileSet

ONE_CALL = 0.1  # of the run: one call with less is no finding ...
MOST = 0.5  # ... nor one with less of what all calls of the function took ...
CALLS = 10  # ... nor of a function with fewer calls
ALIKE = 0.9  # of two calls that take so much of each other, one made the other: the inner is told
TURNS = 0.5  # of the time that threads have in common: less that one of them waited is no finding
TOGETHER = 0.2  # of the run: nor are threads that have less in common
WAITS = 0.1  # of its time: a thread that waits less takes no turns
NAMED = 2  # functions, of several long steps


def timeline_findings(profiles: ProfileSet, outline: Outline) -> list[Finding]:
    """What is found in the timeline of a single run."""
    if len(profiles.captures) != 1:
        return []
    try:
        return [
            finding
            for run in runs_of(profiles, outline=outline)
            for finding in found_by(TIMELINE_RULES, run)
        ]
    except ProfileFormatError:  # a damaged timeline; the sums are whole
        return []


# -- The rules -------------------------------------------------------------------------------------


def one_long_call(run: TimedRun) -> Finding | None:
    """A function of which one call took most of the time of all, as the first one does that fills a
    cache."""
    outline = run.outline
    figures = outline.paths.figures
    least = ONE_CALL * outline.paths.length
    rows = {
        row
        for row, of in figures.items()
        if outline.is_own(row)
        and outline.rows[row].name != MODULE
        and of.ncalls >= CALLS
        and not of.resumes
        and of.longest >= max(least, MOST * of.cumtime)
    }
    if not rows:
        return None
    longest = max(figures[row].longest for row in rows)
    # Of a killed run, later calls are in no figures.
    calls = [it for it in calls_of(run, rows, ALIKE * longest) if it.end <= run.counted]
    if not calls:  # overwritten, in a ring
        return None
    call = max(calls, key=lambda call: (call.depth, call.end - call.start))
    of, function = figures[call.row], outline.rows[call.row]
    time = round((call.end - call.start) * run.tick * NANOSECONDS)
    which = "the first call" if is_first(run, call) else "one call"
    took = f"took {seconds(time)} of the {seconds(of.cumtime)} that its {of.ncalls:,} calls took"
    part = f"{share(time, outline.paths.length)} of the run"
    return Finding(
        said_of(function, f"{part}: {which} of", f", {took}"),
        time - (of.cumtime - time) / (of.ncalls - 1),
        function,
        ("one call", function),
        f", {call.start * run.tick:.3f} s after the start",
        instead=(function,),
    )


def took_turns(run: TimedRun) -> Finding | None:
    """Threads that all had work to do, of which one at a time ran."""
    waits = [waiting_of(run, it) for it in run.threads]
    waits = [it for it in waits if it.waited >= WAITS * (it.thread.ended - it.thread.began)]
    if len(waits) < 2:
        return None
    begin = max(it.thread.began for it in waits)
    together = min(it.thread.ended for it in waits) - begin
    if together * run.tick * NANOSECONDS < TOGETHER * run.outline.paths.length:
        return None
    others = len(waits) - 1
    part = sum(it.waited for it in waits) / (others * together)
    if part < TURNS:
        return None
    part = min(part, 1.0)
    if others == 1:
        first, second = (it.thread.name for it in waits)
        who = f"threads {first} and {second}" if first != second else f"2 threads {first}"
        how = "one waited"
    else:
        who, how = f"{len(waits)} threads", "all but one waited"
    most = max(waits, key=lambda it: it.waited)
    function = run.outline.rows[most.row]
    # A lock is taken by `with` without a call: a wait for it looks like one for the GIL.
    waiting = {row for it in waits for row in it.functions}
    is_lock = any(may_lock(run.outline, run.outline.rows[row]) for row in waiting)
    what, other = (FOR_LOCK, FOR_GIL) if is_lock else (FOR_GIL, FOR_LOCK)
    told = f"{100 * part:.0f}% of the time {how} for {what}"
    return Finding(
        said_of(function, f"{who} took turns: {told}, most in"),
        sum(it.waited for it in waits) * run.tick * NANOSECONDS / len(waits),
        function,
        what,
        also=(other,),
    )


def longest_step(run: TimedRun) -> Finding | None:
    """The finding of coroutines.py, with how often else the event loop did not turn."""
    step = longest_step_of(run.outline)
    if step is None:
        return None
    figures = step.figures
    # Where a profile is saved meanwhile, slices end and go on: moments differ by the pause.
    steps = [
        it
        for it in long_steps(run, step.chain[0])
        if it.start_ns >= figures.longest_at + figures.longest or it.end_ns <= figures.longest_at
    ]
    if not steps:
        return told_step(run.outline, step)
    steps.sort(key=lambda it: it.start_ns - it.end_ns)
    often = counted(len(steps), "more time")
    longest = short(steps[0].end_ns - steps[0].start_ns)
    rows = dict.fromkeys(it.row for it in steps if it.row not in (NO_ROW, step.blamed))
    names = [bare(run.name(row)) for row in rows]
    inside = f", also in {' and '.join(names[:NAMED])}" if names else ""
    also = f"; {often} for {'up to ' * (len(steps) > 1)}{longest}{inside}"
    return told_step(run.outline, step, also)


TIMELINE_RULES = one_long_call, took_turns, longest_step

# -- Calls and gaps --------------------------------------------------------------------------------


class Call(NamedTuple):
    """A call of `row`: ticks, how deep in the stack, the place of the thread."""

    row: int
    start: int
    end: int
    depth: int


class LongStep(NamedTuple):
    """A step of an event loop. row: the innermost function of the program that took most of it."""

    start_ns: float
    end_ns: float
    row: int


class Waiting(NamedTuple):
    """The ticks that a thread waited in Python functions: for the GIL, a processor or, in a `with`,
    a lock. row: the function of the program for which it waited most. functions: those in which it
    waited much."""

    thread: TimedThread
    waited: int
    row: int
    functions: tuple[int, ...]


def calls_of(run: TimedRun, rows: set[int], least: float) -> Iterator[Call]:
    """The calls of these functions that took so many nanoseconds."""
    for thread in run.threads:
        of_nodes = thread.rows
        slices = thread.read(int(least / NANOSECONDS / run.tick))
        for at, node in enumerate(slices.nodes):
            if node and of_nodes[node] in rows:
                yield Call(of_nodes[node], slices.starts[at], slices.ends[at], slices.depths[at])


def long_steps(run: TimedRun, row: int) -> Iterator[LongStep]:
    """The steps of event loops that are long: calls of the function that makes them."""
    nanoseconds = run.tick * NANOSECONDS
    for thread in run.threads:
        rows = thread.rows
        slices = thread.read(int(LONG_STEP * MOST_OF_STEP / nanoseconds))
        steps: dict[int, int] = {}  # by its place: the function that is blamed
        lengths = [end - start for start, end in zip(slices.starts, slices.ends, strict=True)]
        for at, node in enumerate(slices.nodes):
            if not node:
                continue
            if rows[node] == row and lengths[at] * nanoseconds >= LONG_STEP:
                steps[at] = NO_ROW
            elif run.is_own(rows[node]):
                around = next((it for it in callers_of(slices.parents, at) if it in steps), None)
                if around is not None and lengths[at] >= MOST_OF_STEP * lengths[around]:
                    steps[around] = rows[node]
        for at, blamed in steps.items():
            yield LongStep(slices.starts[at] * nanoseconds, slices.ends[at] * nanoseconds, blamed)


def is_first(run: TimedRun, call: Call) -> bool:
    """Whether no call of the function began before this one, as far as that is known."""
    if run.timeline.since:
        return False
    before = 0  # calls in the bins up to that of the call; those that are not drawn are in them
    for thread in run.threads:
        sums = thread.sums(0, call.start, whole=True)
        before += sum(calls for node, calls, _ in sums if thread.rows[node] == call.row)
    if before <= 1 or run.least:
        return before <= 1
    for thread in run.threads:
        slices = thread.read(0, 0, call.start)
        for start, node in zip(slices.starts, slices.nodes, strict=True):
            if thread.rows[node] == call.row and start < call.start:
                return False
    return True


def waiting_of(run: TimedRun, thread: TimedThread) -> Waiting:
    by_node: dict[int, int] = defaultdict(int)
    for slices, at in gaps_in(run, thread):
        above = slices.parents[at]
        if above >= 0 and not run.is_builtin(thread.rows[slices.nodes[above]]):
            by_node[slices.nodes[above]] += slices.values[at]
    waited: dict[int, int] = defaultdict(int)
    functions: dict[int, int] = defaultdict(int)
    for node, ticks in by_node.items():
        home = thread.home(node)
        if home != NO_ROW:
            waited[home] += ticks
            functions[thread.rows[node]] += ticks
    row = max(waited, key=lambda row: waited[row], default=NO_ROW)
    least = MATTERS * max(functions.values(), default=0)
    much = tuple(row for row, ticks in functions.items() if row != NO_ROW and ticks >= least)
    return Waiting(thread, sum(waited.values()), row, much)
