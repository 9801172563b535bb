"""For how long the coroutines of a folded tree awaited: they have rows though they take no time."""

from __future__ import annotations

from tracer.analysis.outline.awaiting import nodes_of
from tracer.analysis.outline.suspensions import is_waiting
from tracer.analysis.tree.program_texts import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tracer.analysis.tree.call_tree import Paths, Tree

    TextOf = Callable[[str], str | None]

LONG = 0.2  # of the run: a coroutine that awaited for less in each call is no row for that


def awaited_each(
    paths: Paths, is_own: Sequence[bool], text_of: TextOf, folded: Tree, tree: Tree
) -> dict[int, int]:
    """{a node of a folded tree: for how long it awaited in each call}, of those of the program that
    awaited long. tree: what was folded, of one thread."""
    least = LONG * paths.length
    whole = {
        row: figures.suspended
        for row, figures in tree.figures.items()
        if is_own[row] and figures.suspended >= least
    }
    for row in generators_of(paths, text_of, whole):
        del whole[row]
    found = {}
    for one in nodes_of(folded, whole):
        each = round(one.time) // max(1, folded.calls[one.node])
        if each >= least:
            found[one.node] = each
    return found


def generators_of(paths: Paths, text_of: TextOf, rows: Iterable[int]) -> set[int]:
    """Of these functions, those that do not wait while they are suspended."""
    texts: dict[str, list[str]] = {}
    found = set()
    for label, row in ((paths.rows[row], row) for row in rows):
        if label.file not in texts:
            texts[label.file] = lines_of(text_of(label.file))
        if is_waiting(texts[label.file], label) is False and not label.name.endswith("<genexpr>"):
            found.add(row)
    return found
