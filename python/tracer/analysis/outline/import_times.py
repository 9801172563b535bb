"""What functions took in imports: the list of the first screen folds it into one row."""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.tree.folding import BEGIN_IMPORTS, DUNDER_IMPORT, IMPORTERS
from tracer.analysis.tree.parts import places_of
from tracer.source.file_kinds import BUILTIN, LIBRARY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row, Tree
    from tracer.source.modules import Module


def import_times(outline: Outline) -> dict[int, tuple[int, int]]:
    """By row: nanoseconds of its own in imports, without what the program's code ran meanwhile, and
    its calls there."""
    paths = outline.paths
    owners = zip(paths.rows, paths.modules, strict=True)
    importers = [row for row, owner in enumerate(owners) if is_importer(*owner)]
    found: dict[int, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for tree in paths.trees:
        for first, end in imports_in(tree, importers):
            add_import(outline, tree, first, end, found)
    return found


def is_importer(row: Row, module: Module) -> bool:
    """Whether an import begins with this function."""
    if module.kind == BUILTIN:
        return row.name.strip("<>") == DUNDER_IMPORT
    is_one = module.kind == LIBRARY and module.name in IMPORTERS
    return is_one and row.name.rpartition(".")[2] in BEGIN_IMPORTS


def imports_in(tree: Tree, importers: list[int]) -> Iterator[tuple[int, int]]:
    """(first, end) of the nodes of each import that is in no other."""
    nodes = sorted(node for row in importers for node in places_of(tree, row))
    end = 0
    for node in nodes:
        if node >= end:
            depth = tree.depth[node]
            after = range(node + 1, len(tree))
            end = next((at for at in after if tree.depth[at] <= depth), len(tree))
            yield node, end


def add_import(
    outline: Outline, tree: Tree, first: int, end: int, found: dict[int, tuple[int, int]]
) -> None:
    nowhere = len(tree)
    own_below = nowhere  # the depth of the function of the program that the nodes are below
    for node in range(first, end):
        if tree.depth[node] <= own_below:
            own_below = tree.depth[node] if outline.is_own(tree.row[node]) else nowhere
        if own_below == nowhere:
            time, calls = found[tree.row[node]]
            found[tree.row[node]] = time + tree.time[node], calls + tree.calls[node]
