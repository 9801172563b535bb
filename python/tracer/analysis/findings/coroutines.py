"""What kept coroutines from going on: a long step of the event loop, and what they awaited, one
call after the other or in many tasks.

A rule for each finding, as in findings.py. waits.py tells what threads waited for.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.findings.blocked_loop import LET_OTHERS, blocks_loop
from tracer.analysis.findings.costly import costly_rows
from tracer.analysis.outline.awaits_by_caller import callees_of
from tracer.analysis.outline.finding import (
    NANOSECONDS,
    NOBODY,
    Finding,
    counted,
    names,
    said_of,
    seconds,
    share,
    short,
)
from tracer.analysis.outline.loop_steps import NOTEBOOK, STEP
from tracer.analysis.outline.names import name_with, subject
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.parts import with_rows_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.outline.serial_awaits import Serial
    from tracer.analysis.tree.call_tree import Tree
    from tracer.data.figures import Figures

LONG_STEP = 100_000_000  # ns without a turn of the event loop
MOST = 0.8  # of a step: a function with so much of it is what took the time
HALF = 0.5  # of the longest step: a function whose steps are as long in the mean takes it
ROUNDING = 2  # ns
SIDE_BY_SIDE = "What does not need the answers before it can wait side by side: asyncio.gather()."
NAMED = 2  # functions that a coroutine awaits by turns
ADDED_UP = "Added up over all tasks."
# By (module, function): where it was suspended, and what may be done.
AWAITED = {
    ("asyncio.locks", "Lock.acquire"): (
        "at the lock",
        " One at a time has the lock: await less while it is held, or use several locks.",
    ),
    ("asyncio.locks", "Semaphore.acquire"): (
        "at the semaphore",
        " A higher number lets more of them go on at a time.",
    ),
    ("asyncio.tasks", "sleep"): (
        "in asyncio.sleep",
        " A sleep is as long as it is told to be: await the event itself, if there is one.",
    ),
}


# -- The rules -------------------------------------------------------------------------------------


def one_after_the_other(outline: Outline) -> Iterator[Finding]:
    """Coroutines of the program that were suspended for much of the run in each call, while they
    awaited others one after the other."""
    for one in outline.serial:
        yield serial_finding(outline, one)


def longest_step(outline: Outline) -> Finding | None:
    """The longest step of an asyncio event loop: meanwhile no other coroutine went on."""
    step = longest_step_of(outline)
    return None if step is None else told_step(outline, step)


def suspended_most(outline: Outline) -> Finding | None:
    """What of a library one function of the program awaited longest, where the event loop was idle:
    else coroutines waited for what it did meanwhile."""
    return suspension_finding(outline, 0)


def suspended_next(outline: Outline) -> Finding | None:
    """What was awaited longest but for that."""
    return suspension_finding(outline, 1)


COROUTINE_RULES = one_after_the_other, longest_step, suspended_most, suspended_next

# -- Steps -----------------------------------------------------------------------------------------


class Step(NamedTuple):
    """A step of an event loop. chain: the function that makes steps, then by whom most of this one
    was taken, one below the other. blamed: the innermost function of the program in it, if there is
    one. figures: of the function that makes steps. thread: the number of the tree."""

    figures: Figures
    thread: int
    chain: list[int]
    blamed: int | None


def told_step(outline: Outline, step: Step, also: str = "") -> Finding:
    """also: what else is told of steps."""
    rows, figures, blamed = outline.paths.rows, step.figures, step.blamed
    text = (
        f"the event loop did not turn for {short(figures.longest)}, "
        f"{figures.longest_at / NANOSECONDS:.2f} s after the start"
    )
    if blamed is None:
        return Finding((text + also,), figures.longest, about=STEP, advice=LET_OTHERS)
    at = step.chain.index(blamed) + 1
    inside = "".join(f", in {called(rows[one])}" for one in step.chain[at : at + 1])
    parts = said_of(rows[blamed], f"{text}:", inside + also)
    function = rows[outline.sums.around.get(blamed, blamed)]
    return Finding(parts, figures.longest, rows[blamed], function, advice=LET_OTHERS)


def longest_step_of(outline: Outline) -> Step | None:
    """The longest step, if it is worth telling."""
    paths = outline.paths
    steps = {row for row in range(len(paths.rows)) if names(paths, row) == STEP}
    found = [
        (tree.figures[row].longest, number, row)
        for number, tree in enumerate(paths.trees)
        for row in steps.intersection(tree.row)
    ]
    longest, number, row = max(found, default=(0, 0, NOBODY))
    if longest < LONG_STEP:
        return None
    tree = paths.trees[number]
    chain = longest_calls(tree, row)
    if any(paths.modules[one].package == NOTEBOOK for one in chain):
        return None  # the loop is that of the notebook, which runs a cell in a step
    blamed = next((one for one in reversed(chain) if outline.is_own(one)), None)
    if blamed is not None and is_told(outline, tree, blamed, longest):
        return None
    return Step(tree.figures[row], number, chain, blamed)


def is_told(outline: Outline, tree: Tree, blamed: int, longest: int) -> bool:
    """Whether the finding of a function that takes much of the run tells of such steps: of this
    one, or of one that it calls again and again."""
    blocking = {row for row in costly_rows(outline) if blocks_loop(outline, row)}
    steps = outline.loop_steps.by_function
    inside = {row for row in blocking if steps[row].time >= HALF * longest * steps[row].number}
    if blamed in blocking or not inside:
        return blamed in blocking
    return any(tree.row[node] in inside and blamed in path for node, path in with_rows_above(tree))


def longest_calls(tree: Tree, row: int) -> list[int]:
    """The function, then by whom most of its longest call was taken, one below the other."""
    whole = tree.figures[row].longest
    begin = tree.figures[row].longest_at - ROUNDING
    end = begin + whole + 2 * ROUNDING
    callees = callees_of(tree)
    chain = [row]
    while True:
        inside = [
            one
            for one in callees[chain[-1]]
            if one in tree.figures
            and one not in chain
            and tree.figures[one].longest >= MOST * whole
            and begin <= tree.figures[one].longest_at
            and tree.figures[one].longest_at + tree.figures[one].longest <= end
        ]
        if not inside:
            return chain
        chain.append(max(inside, key=lambda one: tree.figures[one].longest))


# -- Suspensions -----------------------------------------------------------------------------------


def serial_finding(outline: Outline, one: Serial) -> Finding:
    coroutine = outline.rows[one.row]
    awaited = [
        f"{name_with(subject(outline, row), outline, {row: 1})[0]} {counted(calls, 'time')}"
        for row, calls in one.awaited.items()
    ]
    text = f", awaits {' and '.join(awaited[:NAMED])}"
    text += f" in {counted(one.calls)}" if one.calls > 1 else ""
    text += f", one after the other, {seconds(one.each)}{' a call' if one.calls > 1 else ''}"
    callee = next(iter(one.awaited))
    return Finding(
        said_of(coroutine, f"{share(one.each, outline.length)}:", text),
        min(one.each, one.idle),
        coroutine,
        advice=SIDE_BY_SIDE,
        figure="suspended",
        callee=outline.rows[callee],
    )


def suspension_finding(outline: Outline, place: int) -> Finding | None:
    """The finding of what was awaited longest, or has another place in that order: but for what
    coroutines awaited one after the other."""
    paths = outline.paths
    told = {pair for one in outline.serial for pair in one.inside}
    ranked = [one for one in outline.awaits if (one.row, one.caller) not in told]
    ranked.sort(key=lambda one: -one.suspended)
    if place >= len(ranked):
        return None
    one = ranked[place]
    callee, caller = paths.rows[one.row], paths.rows[one.caller]
    where, advice = AWAITED.get(names(paths, one.row), (f"in {called(callee)}", ""))
    suspended = f"{seconds(one.suspended)} suspended {where}, awaited by"
    each = one.suspended / max(one.tasks, 1)
    often = counted(one.calls, "time")
    if one.tasks > 1:
        is_once = one.calls == one.tasks
        often = f"{'' if is_once else f'{often} '}in {one.tasks:,} tasks, {seconds(each)} "
        often += "each" if is_once else "a task"
        if 2 * one.suspended <= one.tasks * one.idle:
            often += f", {one.suspended / one.idle:.1f} at a time"
    return Finding(
        said_of(caller, suspended, f", {often}"),
        min(each, one.idle),
        caller,
        (callee, caller),
        advice=ADDED_UP + advice,
        figure="suspended",
        callee=callee,
    )
