"""What libraries call again and again for one call of the program's code, as a query for each row.

The program's code does not show these calls: an attribute of an object may be one. So the rule
reads the whole paths, not the outline, in which a library is one row.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.finding import NANOSECONDS, NOBODY, Finding, called, share
from tracer.analysis.folding import IMPORTERS
from tracer.analysis.wait_findings import SAYS_WHY, long_wait
from tracer.analysis.waits_by_caller import is_idle
from tracer.source.origin import BUILTIN, LIBRARY, SITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.call_tree import Paths
    from tracer.analysis.outline import Outline

AGAIN = 0.1  # of the run, where threads do it side by side: what takes less is no finding
OFTEN = 300  # nor are fewer calls ...
EACH_TIME = 5  # ... or fewer for each call of the program's function
SLOW = 20_000  # ns: the mean of a call that may be one of input or output, with what it waits
NO_CALLER = (NOBODY, NOBODY)


class Calls:
    """Calls of a function by way of libraries. by_thread: nanoseconds, by the thread's number.
    by_way: nanoseconds, by the function of a library that the program called."""

    __slots__ = ("by_thread", "by_way", "number")

    def __init__(self) -> None:
        self.number: int = 0
        self.by_thread: dict[int, int] = defaultdict(int)
        self.by_way: dict[int, int] = defaultdict(int)

    @property
    def time(self) -> int:
        return sum(self.by_thread.values())


def again_by_libraries(outline: Outline) -> Finding | None:
    """What one function of the program calls again and again, and may not know of."""
    paths = outline.paths
    wanted = slow_builtins(outline)
    if not wanted:
        return None
    found, entries = calls_by_libraries(outline, wanted)
    best = 0, 0, NOBODY, NOBODY
    for (caller, callee), calls in found.items():
        elapsed = long_wait(paths, calls.by_thread).elapsed
        is_long = elapsed >= AGAIN * paths.length and calls.time >= SLOW * calls.number
        if not is_long or calls.number < OFTEN:
            continue
        often, threads = calls_of(paths, caller)
        # A loop that is called once in its thread is to call a library for each item.
        entered = sum(entries[caller, way] for way in calls.by_way) if often <= threads else 0
        if calls.number >= EACH_TIME * max(often, entered, 1):
            best = max(best, (elapsed, often, caller, callee))
    elapsed, often, *pair = best
    if not elapsed:
        return None
    calls = found[pair[0], pair[1]]
    by, of = (paths.rows[row] for row in pair)
    way = paths.modules[max(calls.by_way, key=lambda row: calls.by_way[row])].package
    return Finding(
        f"{share(calls.time, outline.whole)}: {called(by)}, {{place}}, calls {called(of)} "
        f"{calls.number:,} times by way of {way}, {calls.number / often:,.0f} to a call",
        elapsed / NANOSECONDS,
        (way, by),
        by,
        also=(of, by),
    )


def calls_of(paths: Paths, row: int) -> tuple[int, int]:
    """How often a function is called, and in how many threads."""
    trees = [tree for tree in paths.trees if row in tree.row]
    pairs = (pair for tree in trees for pair in zip(tree.row, tree.calls, strict=True))
    return sum(calls for one, calls in pairs if one == row), len(trees)


def slow_builtins(outline: Outline) -> set[int]:
    """The functions of C that take long enough, in all places together."""
    paths = outline.paths
    is_builtin = [
        module.kind == BUILTIN and not row.name.endswith(SAYS_WHY)
        for row, module in zip(paths.rows, paths.modules, strict=True)
    ]
    times = [0] * len(paths.rows)
    for tree in paths.trees:
        nodes = zip(tree.row, tree.time, strict=True)
        next(nodes)
        for row, time in nodes:
            times[row] += time
    least = AGAIN * paths.length
    return {row for row, time in enumerate(times) if is_builtin[row] and time >= least}


def calls_by_libraries(
    outline: Outline, wanted: set[int]
) -> tuple[dict[tuple[int, int], Calls], dict[tuple[int, int], int]]:
    """The calls of these functions by libraries, by the latest function of the program on the path
    and the function that is called; and how often the former calls each function of a library. What
    is called for imports and by idle threads is left out."""
    paths = outline.paths
    found: dict[tuple[int, int], Calls] = defaultdict(Calls)
    entries: dict[tuple[int, int], int] = defaultdict(int)
    is_own = outline.owns
    skipped = [is_left_out(paths, row) for row in range(len(paths.rows))]
    ranks = [{SITE: 2, LIBRARY: 1}.get(module.kind, 0) for module in paths.modules]
    for number, tree in enumerate(paths.trees):
        if wanted.isdisjoint(tree.row):
            continue
        nodes = zip(tree.depth, tree.row, tree.calls, tree.time, strict=True)
        next(nodes)
        # Along the path: the latest function of the program, and the first that it called of an
        # installed package; where there is none, of another library.
        path = [NO_CALLER]
        skipped_below = len(tree)
        for depth, row, calls, time in nodes:
            if depth > skipped_below:
                continue
            skipped_below = depth if skipped[row] else len(tree)
            del path[depth:]
            at = path[-1]
            if is_own[row]:
                at = row, NOBODY
            elif ranks[row] and (at[1] == NOBODY or ranks[row] > ranks[at[1]]):
                at = at[0], row
                entries[at] += calls
            path.append(at)
            if row in wanted and NOBODY not in at and not skipped[row]:
                of = found[at[0], row]
                of.number += calls
                of.by_thread[number] += time
                of.by_way[at[1]] += time
    return found, entries


def is_left_out(paths: Paths, row: int) -> bool:
    module = paths.modules[row]
    return is_idle(paths, row) or (module.kind == LIBRARY and module.name in IMPORTERS)
