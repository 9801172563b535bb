"""The shares that a function has in a profile, added up from its paths alone.

A profiler slows what it records, some functions more than others. So what tracer's first screen
tells is compared with the profile that it is of, and by a wider measure with a plain run.
"""

from collections.abc import Callable, Iterator

from tracer import Stats
from tracer.analysis.tree.call_tree import Paths, Tree, paths_of


def shares_in(file: str, is_wanted: Callable[[str], bool]) -> tuple[float, ...]:
    return shares_of(paths_of(Stats(file)), is_wanted)


def shares_of(paths: Paths, is_wanted: Callable[[str], bool]) -> tuple[float, ...]:
    """Of the run's real time, in percent: what the functions whose names are wanted worked, that
    with their waits, and what they were suspended; then what they worked, of what all did, where
    other programs were in the way. None where the profile has no such function."""
    rows = {number for number, row in enumerate(paths.rows) if is_wanted(row.name)}
    if not rows:
        return ()
    length = max(tree.whole for tree in paths.trees)
    worked = waited = 0
    for tree in paths.trees:
        for node in within(tree, rows):
            worked += tree.time[node] - tree.waited[node]
            waited += tree.waited[node]
    suspended = sum(paths.figures[row].suspended for row in rows if row in paths.figures)
    by_all = sum(tree.in_functions - sum(tree.waited[1:]) for tree in paths.trees)
    parts = [(time, length) for time in (worked, worked + waited, suspended)]
    return tuple(min(100.0, 100 * time / whole) for time, whole in (*parts, (worked, by_all or 1)))


def within(tree: Tree, rows: set[int]) -> Iterator[int]:
    """The nodes of these rows, and all below them."""
    top = 0  # the depth of the outermost one that is open; 0: none is
    for node, depth in enumerate(tree.depth):
        if top and depth <= top:
            top = 0
        if not top and tree.row[node] in rows:
            top = depth
        if top:
            yield node
