"""Garbage collections of profiles that are made of samples.

A clock's times have what a collection waited for the GIL. Samples have none of it, and collections
are nodes of their own there.
"""

from __future__ import annotations

from tracer.analysis.tree.collected import Collected
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.tree.call_tree import Paths

# The node's function, by either kind of names: see data/sampled_records.py.
COLLECTION = {("~", "<garbage collection>"), ("~", "garbage collection")}


def sampled_collections(paths: Paths, is_wanted: Callable[[int], bool]) -> list[Collected]:
    """The collections by the latest function that is wanted on the path to them; `row` is their
    own. Their number is not known: it is 0, and so is `longest`."""
    rows = {number for number, row in enumerate(paths.rows) if (row.file, row.name) in COLLECTION}
    sums: dict[tuple[int, int], int] = {}
    for tree in paths.trees if rows else ():
        latest = [NO_ROW]  # along the path
        for node in range(1, len(tree)):
            row = tree.row[node]
            del latest[tree.depth[node] :]
            if row in rows:
                sums[row, latest[-1]] = sums.get((row, latest[-1]), 0) + tree.time[node]
            latest.append(row if is_wanted(row) else latest[-1])
    found = [Collected(*at, 0, time, 0) for at, time in sums.items()]
    return sorted(found, key=lambda it: it.time, reverse=True)
