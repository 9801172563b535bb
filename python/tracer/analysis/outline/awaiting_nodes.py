"""For how long the coroutines of a folded tree awaited: they have rows though they take no time."""

from __future__ import annotations

from tracer.analysis.outline.awaiting import nodes_of
from tracer.analysis.outline.awaits_by_caller import IDLE_LOOP
from tracer.analysis.outline.suspensions import is_waiting
from tracer.analysis.tree.program_texts import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Tree

LONG = 0.2  # of the run: a coroutine that awaited for less in each call is no row for that


def awaited_each(outline: Outline, folded: Tree, tree: Tree) -> dict[int, int]:
    """{a node of a folded tree: for how long it awaited in each call}, of those that awaited long
    while the event loop was idle. tree: what was folded, of one thread."""
    paths = outline.paths
    number = next((number for number, one in enumerate(paths.trees) if one is tree), None)
    if number is None or outline.idle[number] < IDLE_LOOP * paths.length:
        return {}
    least = LONG * outline.length
    whole = {
        row: figures.suspended
        for row, figures in tree.figures.items()
        if outline.owns[row] and figures.suspended >= least
    }
    for row in generators_of(outline, whole):
        del whole[row]
    found = {}
    for one in nodes_of(folded, whole):
        each = round(one.time) // max(1, folded.calls[one.node])
        if each >= least:
            found[one.node] = each
    return found


def generators_of(outline: Outline, rows: Iterable[int]) -> set[int]:
    """Of these rows, the functions of the program that do not wait while they are suspended."""
    texts: dict[str, list[str]] = {}
    found = set()
    for row in rows:
        figures = outline.paths.figures.get(row)
        if not outline.owns[row] or figures is None or not figures.suspended:
            continue
        label = outline.paths.rows[row]
        if label.file not in texts:
            texts[label.file] = lines_of(outline.text_of(label.file))
        if is_waiting(texts[label.file], label) is False and not label.name.endswith("<genexpr>"):
            found.add(row)
    return found
