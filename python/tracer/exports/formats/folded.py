"""folded: a line for each path, `MainThread;main;read;parse 1200`: own time in nanoseconds, or
memory in bytes.

The first frame is the thread. Each line spells out its whole path, so the text grows with the depth
of calls. size() gives its length.
"""

from __future__ import annotations

from tracer.analysis.tree.batches import batches
from tracer.exports.format import Format, Options
from tracer.exports.names import placed_names, thread_names
from tracer.exports.writing import LARGEST_WRITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

FORMAT = Format(
    opened_by="flamegraph.pl, inferno",
    holds="a line for each path",
    suffix=".folded",
    prunes="paths",
    weighs_memory=True,
    weighs_native=True,
)


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    names = frames(placed_names(paths))
    done = 0
    for thread, tree in zip(frames(thread_names(paths)), paths.trees, strict=True):
        path = bytearray(thread[1:])
        ends = [len(path)] * (max(tree.depth) + 1)  # where the frame of each depth ends
        lines = bytearray()
        for batch in batches(tree, options.progress, done):
            for depth, row, _, _, time in batch:
                del path[ends[depth - 1] :]
                path += names[row]
                ends[depth] = len(path)
                if time > 0:
                    lines += path
                    lines += b" %d\n" % time
                    if len(lines) > LARGEST_WRITE:
                        out.write(lines)
                        lines.clear()
        out.write(lines)
        done += len(tree)


def size(paths: Paths) -> int:
    """How many bytes write() will write."""
    lengths = [len(name) for name in frames(placed_names(paths))]
    total = 0
    for thread, tree in zip(frames(thread_names(paths)), paths.trees, strict=True):
        ends = [len(thread) - 1] * (max(tree.depth) + 1)
        for batch in batches(tree):
            for depth, row, _, _, time in batch:
                ends[depth] = end = ends[depth - 1] + lengths[row]
                if time > 0:
                    total += end + len(str(time)) + 2
    return total


def frames(names: Iterable[str]) -> list[bytes]:
    """The names as frames, each after a semicolon. A semicolon in a name would end the frame."""
    return [b";" + name.replace(";", ":").encode() for name in names]
