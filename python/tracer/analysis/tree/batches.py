"""The nodes of a call tree, some thousands at once: memory stays flat while they are written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.tree.call_tree import Tree

    # (depth, row, calls, resumes, time) of each node
    Batch = Iterator[tuple[int, int, int, int, int]]

BATCH = 16_384  # nodes


def batches(
    tree: Tree, progress: Callable[[int], object] | None = None, done: int = 0
) -> Iterator[Batch]:
    """The nodes of a tree in preorder, without the root. done: nodes of the trees before this one,
    which `progress` counts, too."""
    for start in range(1, len(tree), BATCH):
        part = slice(start, start + BATCH)
        yield zip(
            tree.depth[part],
            tree.row[part],
            tree.calls[part],
            tree.resumes[part],
            tree.time[part],
            strict=True,
        )
        if progress is not None:
            progress(done + min(start + BATCH, len(tree)))
