"""What each function waited with all that it called: a figure of tables."""

from __future__ import annotations

from tracer.analysis.tree.call_tree import NANOSECONDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.tree.call_tree import Paths, Row


def cumulative_waits(paths: Paths) -> dict[Row, float]:
    """{function: the seconds that it waited with all that it called}. Recursion counts once."""
    found = [0] * len(paths.rows)
    for tree in paths.trees:
        totals = tree.totals(tree.waited)
        path: list[int] = []
        often = [0] * len(paths.rows)  # of each row, how often it is on the path
        for node in range(1, len(tree)):
            while len(path) >= tree.depth[node]:
                often[path.pop()] -= 1
            row = tree.row[node]
            found[row] += 0 if often[row] else totals[node]
            often[row] += 1
            path.append(row)
    return {row: waited / NANOSECONDS for row, waited in zip(paths.rows, found, strict=True)}
