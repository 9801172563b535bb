"""What a format that draws timelines wants to know of native samples, which have none."""

from __future__ import annotations

from array import array

from tracer.exports.names import placed_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths, Row, Tree
    from tracer.data.profile_set import ProfileSet


class Sampled:
    """The functions, as Tracks has them."""

    def __init__(self, paths: Paths, stats: ProfileSet) -> None:
        started = [it.run.started for it in stats.captures if it.run is not None]
        self.rows: tuple[Row, ...] = paths.rows
        self.names: list[str] = placed_names(paths)
        self.kinds: list[str] = [
            "native" if number in paths.natives else module.kind
            for number, module in enumerate(paths.modules)
        ]
        self.in_c: bytes = bytes(row.file == "~" for row in paths.rows)
        self.notes: list[str] = []
        self.epoch: float = min(started, default=0.0)


def parents_of(tree: Tree) -> array[int]:
    """By node: its parent's number, 0 for the root and below it."""
    parents, path = array("I"), [0]
    for node, depth in enumerate(tree.depth):
        parents.append(path[depth - 1] if depth else 0)
        path[depth:] = [node]
    return parents
