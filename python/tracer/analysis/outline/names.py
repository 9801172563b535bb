"""The names of what others wrote, as findings have them: a package with some of its functions."""

from __future__ import annotations

from tracer.analysis.tree.called_names import bare, called
from tracer.analysis.tree.kinds import OPENED, PACKAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.outline.nodes import Node
    from tracer.analysis.outline.outline import Outline

NAMED = 3  # functions of a package at most ...
PART = 0.1  # ... if these have so much of the time in it


def subject(outline: Outline, row: int) -> object:
    """What a function is about that others wrote: its package, or a builtin itself."""
    if outline.kinds[row] == OPENED:
        return outline.paths.modules[row].package
    return outline.rows[row].name if outline.kinds[row] == PACKAGE else outline.rows[row]


def callee_of(outline: Outline, node: Node) -> int:
    """The function that is called by way of the nodes that only lead to this one: the first of an
    opened package, if there is one."""
    for one in (*node.leads, node):
        if one.kind == OPENED and not outline.paths.modules[one.row].package.startswith("<"):
            return one.row
    return node.row


def callees_reached(outline: Outline, row: int) -> dict[int, int]:
    """{what a function calls: the function that this only leads to}"""
    return {
        node.leads[0].row: callee_of(outline, node)
        for node in outline.walk()
        if node.leads and node.parent is not None and node.parent.row == row
    }


def name_with(about: object, outline: Outline, times: dict[int, int]) -> tuple[str, list[int]]:
    """The name of what others wrote, and the functions in it: of a package, with those that took
    most there. times: of each function."""
    ranked = sorted(times, key=lambda row: -times[row])
    if not isinstance(about, str) or about.startswith("<"):
        return called(outline.rows[ranked[0]]), ranked[:1]
    least = PART * sum(times.values())
    rows = [row for row in ranked if times[row] >= least][:NAMED] or ranked[:1]
    names = [bare(outline.rows[row].name) for row in rows]
    if len(names) > 1:  # methods without their classes: the line is short
        names = list(dict.fromkeys(name.rpartition(".")[2] for name in names))
    return f"{about} ({', '.join(names)})", rows
