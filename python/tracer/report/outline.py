"""Prints the outline of a run: the rows of the call tree that took longest, for one look.

analysis/outline/outline.py makes the nodes. This file chooses as many as there are lines, and
formats them.
"""

from __future__ import annotations

from heapq import nlargest
from typing import NamedTuple

from tracer.analysis.outline.finding import seconds
from tracer.analysis.outline.nodes import Node
from tracer.analysis.tree.called_names import plain_name
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.kinds import BUILT_IN, FUNCTIONS, OWN, PACKAGE, THREAD
from tracer.report.cells import CUT, cut_end, fitted
from tracer.report.drawing import drawn_within
from tracer.report.screen_columns import (
    count_column,
    error_column,
    share_column,
    time_column,
    waited_column,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row

    # Makes a short place of a function: file:line.
    Place = Callable[[Row], str]

LEAST = 0.005  # of the time: a node with less is no row
OTHERS = 0.02  # of the time: what is left out of a level is a row if it has so much
DEEPER = 0.85  # how much less the time of a node counts for a row with each level
ALMOST_ALL = 0.75  # of what is left out: one node with so much stands for it
MEMBER = 0.1  # of a folded row's time: a function that was called there is named if it has so much
MEMBERS = 3  # are named at most
# The guide to a child and to the nodes below it: first for a child with later siblings, then for
# the last child. Where an encoding lacks these characters, launch/output.py has others.
GUIDES = (("├─ ", "│  "), ("└─ ", "   "))
LEADS_TO = " › "  # noqa: RUF001
LEVELS = 14  # a deeper row stands no further to the right


class Others(NamedTuple):
    """The row of what is left out below a node."""

    number: int
    real: int
    total: int
    waited: int
    own: int
    calls: int


class Idle(NamedTuple):
    """The row of threads that only wait for work: of no real time."""

    text: str
    total: int
    waited: int
    real: int = 0
    own: int = 0
    calls: int = 0


def outline_table(
    outline: Outline, rows: int, width: int, place: Place, rest: str = ""
) -> list[str]:
    """The lines of the tree: a head, and `rows` rows at most. rest: where the other rows are, which
    the head says if there are any."""
    columns = [
        time_column("time", outline, lambda row: row[0].total),
        *error_column(outline, lambda row: row[0].total),
        share_column(outline, lambda row: row[0].real),
        *waited_column(outline, lambda row: row[0].waited),
        time_column("own", outline, lambda row: row[0].own, blank=True),
        *error_column(outline, lambda row: row[0].own, blank=True),
        *([] if outline.paths.sampled else [count_column(lambda row: row[0].calls)]),
    ]
    idle = idle_rows(outline)
    shown: list[tuple[Node | Others | Idle, str]] = [
        *arranged(outline, chosen(outline, rows - len(idle))),
        *((row, "") for row in idle),
    ]
    number = sum(isinstance(node, Node) for node, _ in shown)
    every = sum(node.worth >= LEAST * outline.length for node in outline.walk())
    last = f"{number} of {every} rows: {rest}" if rest and number < every else ""

    def text_of(row: tuple[Node | Others | Idle, str], room: int) -> str:
        node, guide = row
        if isinstance(node, Idle):
            return cut_end(node.text, room)
        if isinstance(node, Others):
            return f"{guide}... {node.number} others"
        return guide + named(outline, node, room - len(guide), place)

    return [*drawn_within(width, columns, shown, last, text_of)]


def idle_rows(outline: Outline) -> list[Idle]:
    """One row for all threads that only wait for work, with the names of each kind."""
    idlers = outline.idlers
    if idlers is None or idlers.waited < OTHERS * outline.length:
        return []
    waits = "1 thread waits" if idlers.number == 1 else f"{idlers.number:,} threads wait"
    text = f"{waits} for work: {', '.join(idlers.names)}"
    return [Idle(text, idlers.waited, idlers.waited)]


def chosen(outline: Outline, rows: int) -> dict[Node | None, list[Node | Others]]:
    """The nodes below each node that are rows, None standing above the roots, and what is left out
    there. The caller of a chosen node is chosen, too: it has at least the node's worth."""
    nodes = [node for node in outline.walk() if node.worth >= LEAST * outline.length]
    order = {node: place for place, node in enumerate(nodes)}
    levels: dict[Node | None, int] = {None: 0}
    for node in nodes:  # callers come first
        levels[node] = levels.get(node.parent, 0) + 1
    worth = {node: node.worth * DEEPER ** levels[node] for node in nodes}
    number = min(rows, len(nodes))
    while True:
        ranked = nlargest(number, nodes, key=lambda node: (worth[node], -order[node]))
        kept = set(ranked)
        below: dict[Node | None, list[Node]] = {None: outline.roots}
        below |= {node: node.children for node in ranked}
        rests = {
            above: rest
            for above, children in below.items()
            if (rest := others(children, kept, outline.length)) is not None
        }
        values = {above: rest.real * DEEPER ** (levels[above] + 1) for above, rest in rests.items()}
        told = nlargest(rows - number, rests, key=lambda above: values[above])
        untold = rests.keys() - set(told)
        least = worth[ranked[-1]] if ranked else 0
        if number <= 1 or all(values[above] <= least for above in untold):
            return {
                above: [
                    *filter(kept.__contains__, children),
                    *([rests[above]] if above in told else []),
                ]
                for above, children in below.items()
            }
        number -= 1


def others(children: list[Node], kept: set[Node], whole: int) -> Node | Others | None:
    """The row of what those of the children have together that are not kept, if it matters; the
    longest of them alone where they have little else."""
    rest = [child for child in children if child not in kept]
    real = sum(child.real for child in rest)
    if not 0 < len(rest) < len(children) or real < OTHERS * whole:
        return None
    if rest[0].real >= ALMOST_ALL * real:
        return rest[0]
    total = sum(child.total for child in rest)
    waited, own = sum(child.waited for child in rest), sum(child.own for child in rest)
    return Others(len(rest), real, total, waited, own, sum(child.calls for child in rest))


def arranged(
    outline: Outline, rows: dict[Node | None, list[Node | Others]]
) -> Iterator[tuple[Node | Others, str]]:
    """The rows from top to bottom, each with the guide that leads from its caller to it."""
    waiting: list[tuple[Node | Others, str, str, int]] = [
        (node, "", "", 1) for node in reversed(rows[None])
    ]
    while waiting:
        node, guide, below, level = waiting.pop()
        yield node, guide
        children = [] if isinstance(node, Others) else rows.get(node, [])
        for child in reversed(children):
            lead, further = GUIDES[child is children[-1]]
            deeper = below + further if level < LEVELS else below
            waiting.append((child, below + lead, deeper, level + 1))


def named(outline: Outline, node: Node, room: int, place: Place) -> str:
    """The name of a node and its place, in `room` characters. Wrappers that lead to it are not
    named: they only pass on."""
    leads = [lead for lead in node.leads if lead.kind in (node.kind, THREAD)]
    names = [name_of(outline, lead) for lead in leads if not lead.is_wrapper]
    names.append(name_of(outline, node))
    has_place = node.kind in FUNCTIONS and not is_in_c(outline, node)
    where = place(outline.rows[node.row]) if has_place else ""
    awaits = awaits_of(node)
    name = LEADS_TO.join(names)
    if len(names) > 2 and len(name) + 2 + len(where) > room:
        name = LEADS_TO.join((names[0], CUT, names[-1]))
    if node.kind == PACKAGE:
        return fitted(f"{name}{members_of(outline, node)}", "", room)
    return fitted(name, where, room - len(awaits)) + awaits


def awaits_of(node: Node) -> str:
    if not node.awaits:
        return ""
    each = " a call" if node.calls > 1 else ""
    return f"  (awaits {seconds(node.awaits)}{each})"


def name_of(outline: Outline, node: Node) -> str:
    if node.kind == OWN and node.name == MODULE and node.parent and node.parent.kind != THREAD:
        return f"import {outline.paths.modules[node.row].name}"
    return plain_name(node.name) if is_in_c(outline, node) else node.name


def is_in_c(outline: Outline, node: Node) -> bool:
    """Whether a node is a function written in C. The program's own may be, too: compiled code."""
    of_program = node.kind in FUNCTIONS and outline.rows[node.row].file == "~"
    return node.kind == BUILT_IN or of_program


def members_of(outline: Outline, node: Node) -> str:
    """The functions of a folded package that were called, those that took longest, in brackets."""
    times = {row: member.time for row, member in node.members.items()}
    ranked = sorted(times, key=lambda row: -times[row])
    least = MEMBER * sum(times.values())
    names = [outline.rows[row].name for row in ranked if times[row] >= least]
    names = [name for name in dict.fromkeys(names) if name != MODULE][:MEMBERS]
    return f" ({', '.join(names)})" if names else ""
