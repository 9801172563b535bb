"""Going through the nodes of a tree in batches, writing text in pieces, and sums over threads, for
several formats.

A tree may have millions of nodes: a batch is as many as make one write, so that memory stays flat.
"""

from __future__ import annotations

from itertools import islice

from tracer.data.figures import merged
from tracer.exports.names import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import BinaryIO

    from tracer.analysis.call_tree import Paths, Tree
    from tracer.data.figures import Figures

    # (depth, row, calls, resumes, time) of each node
    Batch = Iterator[tuple[int, int, int, int, int]]

BATCH = 16_384
PIECES = 2**11  # of text, a line or so, a write
LARGEST_WRITE = 2**18  # bytes: what a processor's cache holds


def batches(
    tree: Tree, progress: Callable[[int], object] | None = None, done: int = 0
) -> Iterator[Batch]:
    """The nodes of a tree in preorder, the root left out; `done` nodes of others came before."""
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


def write_text(out: BinaryIO, pieces: Iterable[str]) -> None:
    """Write text that comes in pieces, many of them at a time."""
    rest = iter(pieces)
    while chunk := list(islice(rest, PIECES)):
        out.write("".join(chunk).encode())


def thread_names(paths: Paths) -> list[str]:
    """What to call each tree; threads of one name, as of several runs, count as one."""
    return [shown(tree.name) if tree.name else "all threads" for tree in paths.trees]


def summed_figures(paths: Paths) -> dict[int, Figures]:
    """The figures of each row, of all threads."""
    total: dict[int, Figures] = {}
    for tree in paths.trees:
        for row, figures in tree.figures.items():
            known = total.get(row)
            total[row] = figures if known is None else merged([known, figures])
    return total
