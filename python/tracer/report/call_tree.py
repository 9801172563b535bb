"""Prints the call tree as text: each calling context stands below the one that called it.

This file selects the nodes and formats them. analysis/tree/call_tree.py builds the tree.
"""

from __future__ import annotations

import textwrap
from pstats import func_strip_path  # type: ignore[attr-defined]
from typing import NamedTuple

from tracer.analysis.memory.sizes import UNITS, size_text, unit_for
from tracer.analysis.outline.finding import counted
from tracer.analysis.tree.call_tree import NANOSECONDS, paths_of
from tracer.analysis.tree.choice import TreeChoice
from tracer.analysis.tree.nodes import Selection
from tracer.analysis.tree.waiting import Waits
from tracer.data.native_view import CPU
from tracer.report.drawing import FUNCTION, Column, drawn
from tracer.report.memory import ORDERS, measure_of
from tracer.report.native import native_name
from tracer.report.styled import function, in_lines, share
from tracer.results.tree_table import check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tracer.analysis.tree.call_tree import Tree
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

WHOLE = TreeChoice()
LEAST = 1.0  # percent of the time: by default, paths with less are left out
NATIVE = f"{FUNCTION}, or native function"
DRAWN = 41  # levels; a deeper line names its level instead
# The guide to a child, and to the nodes below it. First for a child with later siblings, then for
# the last child.
BOXES = (("├─ ", "│  "), ("└─ ", "   "))
ASCII = (("|- ", "|  "), ("`- ", "   "))


def tree_table(
    profiles: ProfileSet,
    depth: int | None,
    percent: float,
    limit: int | None,
    encoding: str | None = None,
    choice: TreeChoice = WHOLE,
    strip_dirs: bool = False,
    measure: str | None = None,
    shown: Callable[[Label], str] = function,
) -> tuple[str, set[str]]:
    """The paths with at least `percent` of the time and at most `depth` calls, as text, and the
    files of their functions; of these, the `limit` that took longest. encoding: of the stream that
    the text is for. choice: which part of the tree. strip_dirs: leave out the folders of files.
    measure: of memory, a key of report/memory.py's ORDERS, in place of time; or CPU, by native
    samples. shown: the text of a function. Raises TypeError or ValueError for a choice of paths
    that cannot be, and ValueError where that was not recorded."""
    check_choice(depth, percent, limit)
    paths = paths_of(seen(profiles, measure))
    tree, rows, whole, of_choice = choice.part(paths, share_in(measure))
    totals = tree.totals()
    chosen = Selection(tree, totals, whole, depth, percent, limit)
    what = {None: TIME, CPU: BY_CPU}.get(measure) or memory_in(whole, str(measure))
    lines: list[str] = [f"   Ordered by: cumulative {what.name} along each path of calls"]
    lines += [f"   {remark}" for remark in of_choice]
    lines += [f"   {remark}" for remark in remarks(chosen, percent, depth, what.name)]
    if paths.rule is not None:
        lines.append(wrapped(f"The paths are an estimate. {paths.rule}"))
    lines.append("")
    if not chosen.roots:
        return in_lines(lines), set()
    waited = tree.totals(tree.waited)
    has_waits = Waits(
        (totals[0] - tree.time[0]) / NANOSECONDS, waited[0] / NANOSECONDS
    ).are_worth_telling
    # What is folded counts its calls: its samples are known by their time.
    period = period_of(paths.merged()) if measure == CPU and choice.folded() else 0.0

    def share_of(node: int) -> str:
        percent = 100 * totals[node] / (whole or 1)
        return share(f"{percent:.1f}", percent) + "%"

    def calls_of(node: int) -> str:
        return str(round(tree.time[node] / period) if period else tree.calls[node])

    waits = Column("waited", 8, lambda node: f"{waited[node] / NANOSECONDS:.3f}")
    sampled = profiles.sampled if measure is None else None

    def errors(of: Sequence[int]) -> list[Column]:
        if sampled is None:
            return []
        return [Column("+-", 7, lambda node: f"{sampled.error(of[node] / NANOSECONDS):.3f}")]

    columns = (
        Column("share", 9, share_of),
        Column(what.titles[0], 8, lambda node: what.cell(totals[node])),
        *errors(totals),
        *([waits] if has_waits else []),
        Column(what.titles[1], 8, lambda node: what.cell(tree.time[node])),
        *errors(tree.time),
        *([] if sampled else [Column(what.titles[2], 9, calls_of)]),
    )
    guides = dict(guided(chosen, BOXES if has_boxes(encoding) else ASCII))

    def text_of(node: int) -> str:
        row = rows[tree.row[node]]
        if tree.row[node] in paths.natives:
            return guides[node] + native_name(row)
        return guides[node] + shown(func_strip_path(row) if strip_dirs else row)

    lines += [*drawn(columns, guides, what.last, text_of, "  "), ""]
    return in_lines(lines), {rows[tree.row[node]].file for node in guides}


def period_of(tree: Tree) -> float:
    """The nanoseconds that a sample stands for, in a tree by native samples that is not folded."""
    return sum(tree.time) / (sum(tree.calls) or 1)


def seen(profiles: ProfileSet, measure: str | None) -> ProfileSet:
    """The profiles by what the tree is made of. Raises ValueError where that was not recorded."""
    if measure is None:
        return profiles
    return profiles.seen_by_native() if measure == CPU else profiles.seen_by(measure_of(measure))


def share_in(measure: str | None) -> Callable[[int, int], str]:
    """A function of an amount and the whole that tells the amount and its share."""

    def told(amount: int, whole: int) -> str:
        is_time = measure in (None, CPU)
        text = f"{amount / NANOSECONDS:.3f} s" if is_time else size_text(amount)
        name = {None: "time", CPU: BY_CPU.name}.get(measure) or ORDERS[str(measure)]
        return f"{text}, {100 * amount / (whole or 1):.1f}% of the {name}"

    return told


class Quantity(NamedTuple):
    """What the nodes of a tree have, as its columns show it. titles: of the columns of all that a
    node has, of its own, and of its calls."""

    name: str
    titles: tuple[str, str, str]
    unit: float = NANOSECONDS
    digits: int = 3
    last: str = FUNCTION

    def cell(self, amount: int) -> str:
        return f"{amount / self.unit:,.{self.digits}f}"


TIME = Quantity("time", ("cumtime", "tottime", "ncalls"))
BY_CPU = Quantity("CPU time", ("cum CPU", "own CPU", "samples"), last=NATIVE)


def memory_in(whole: int, measure: str) -> Quantity:
    """Memory in the unit that fits the whole."""
    number = unit_for([whole])
    titles = UNITS[number], "own", "blocks"
    return Quantity(ORDERS[measure], titles, 1024.0**number, 1 if number else 0)


def has_boxes(encoding: str | None) -> bool:
    """Whether a stream's encoding has the box characters; None, of a kept text, has."""
    try:
        "".join(BOXES[0] + BOXES[1]).encode(encoding or "utf-8")
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def wrapped(text: str) -> str:
    return textwrap.fill(text, 90, initial_indent="   ", subsequent_indent="   ")


def remarks(chosen: Selection, percent: float, depth: int | None, what: str) -> Iterator[str]:
    """A sentence for each reason why paths are left out."""
    if chosen.too_small:
        rest = "; --min 0 prints all" if percent == LEAST else ""
        small = f"{counted(chosen.too_small, 'path')} of less than {percent:g}% of the {what}"
        yield f"Left out: {small}{rest}"
    if chosen.too_deep and depth is not None:
        yield f"Left out: {counted(chosen.too_deep, 'path')} of more than {counted(depth, 'call')}"
    if chosen.too_many:
        yield f"Left out: {counted(chosen.too_many, 'path')} with no more {what} than those printed"


def guided(chosen: Selection, boxes: tuple[tuple[str, str], ...]) -> Iterator[tuple[int, str]]:
    """The nodes from top to bottom, each with its guide: the lines that lead from its caller to
    it."""
    waiting = [(node, "", "", 1) for node in reversed(chosen.roots)]
    while waiting:
        node, guide, below, level = waiting.pop()
        yield node, guide
        children = chosen.children.get(node, [])
        for child in reversed(children):
            lead, further = boxes[child == children[-1]]
            if level < DRAWN:
                waiting.append((child, below + lead, below + further, level + 1))
            else:
                written = f"level {level + 1} ".rjust(len(below) - len(lead))
                waiting.append((child, written + lead, below, level + 1))
