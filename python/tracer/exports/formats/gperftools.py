"""gperftools: the CPU profile of gperftools, which its script pprof and `go tool pprof` read:
native stacks alone.

Words of eight bytes in the order of this machine: a head (0, 3, 0, microseconds of a sample, 0);
for each stack how many samples there were, its depth, and its addresses, the innermost first; an
end (0, 1, 0). Then text: where each file was mapped, as Linux tells it. The format has addresses
alone, so Python code is not in it. docs/cpuprofile-fileformat.html of gperftools describes it.
"""

from __future__ import annotations

from array import array

from tracer.analysis.tree.batches import batches
from tracer.exports.format import Format, Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths, Tree
    from tracer.data.profile_set import ProfileSet

FORMAT = Format(
    opened_by="gperftools' pprof, go tool pprof",
    holds="native stacks, without Python functions",
    suffix=".prof",
    is_text=False,
    needs="native",
    weighs_native=True,
    by_address=True,
)


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    captures = stats.source.captures if stats.source is not None else []
    taken = [capture.native for capture in captures if capture.native is not None]
    period = max((native.period for native in taken), default=0.0)
    out.write(words(0, 3, 0, round(period * 1e6), 0))
    done = 0
    for tree in paths.trees:
        for samples, stack in stacks(paths, tree, options, done):
            out.write(words(samples, len(stack), *stack))
        done += len(tree)
    out.write(words(0, 1, 0))
    modules = {module: None for native in taken for module in native.modules}
    for module in modules:
        where = f"{module.start:x}-{module.limit:x} r-xp {module.offset:08x} 00:00 0"
        out.write(f"{where}          {module.path}\n".encode("utf-8", "backslashreplace"))


def words(*numbers: int) -> bytes:
    return array("Q", numbers).tobytes()


def stacks(
    paths: Paths, tree: Tree, options: Options, done: int
) -> Iterator[tuple[int, list[int]]]:
    """The native stacks of a thread that have samples, the innermost address first. That of a
    caller is behind its call."""
    above: list[int | None] = []  # the addresses down to the node; None: no native function
    for batch in batches(tree, options.progress, done):
        for depth, row, samples, _, _ in batch:
            del above[depth - 1 :]
            above.append(paths.rows[row].line if row in paths.natives else None)
            if samples and above[-1] is not None:
                first = next((i for i in range(depth, 0, -1) if above[i - 1] is None), 0)
                inner, *outer = [it for it in reversed(above[first:]) if it is not None]
                yield samples, [inner, *(address + 1 for address in outer)]
