"""What libraries call again and again for one call of the program's code, as a query for each row.

The program's code does not show these calls: an attribute of an object may be one. So the rule
reads the whole paths, not the outline, in which a library is one row.

A query may take less than the library's work around it, and a helper may cause one in each of its
many calls. So of a function of C that asks a database or a server, the time is the library's, and
the function of the program is one that calls the helper again and again.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.findings.waits import long_wait
from tracer.analysis.outline.finding import NOBODY, Finding, said_of, share
from tracer.analysis.outline.sums import PART_OF_FUNCTION
from tracer.analysis.outline.waiting_kinds import SAYS_WHY, is_idle
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.folding import IMPORTERS
from tracer.source.file_kinds import LIBRARY, SITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Paths, Tree

AGAIN = 0.1  # of the run, where threads do it side by side: what takes less is no finding
OFTEN = 300  # nor are fewer calls ...
EACH_TIME = 5  # ... or fewer for each call of the program's function
SLOW = 20_000  # ns: the mean of a call that may be one of input or output, with what it waits
# Functions of C that ask a database or a server once a call. An answer may come in many pieces, so
# socket.recv is none. Nor is each `.send`: generators have one.
ASKS = (
    *(".execute>", ".executemany>", ".query>"),  # .query: of MySQLdb
    *("<socket.send>", "<socket.sendall>", "<_SSLSocket.write>"),
)
# Functions of libraries that the program's code calls without naming them: an attribute is read, a
# query is gone through.
UNNAMED = {"__get__", "__getattr__", "__getattribute__", "__iter__", "__len__", "__bool__"}
NO_CHAIN = 0
NO_VISIT = -1


class Calls:
    """Calls of a function by way of libraries. by_thread: nanoseconds, by the thread's number.
    by_way: nanoseconds of the function itself, by the function of a library that the program
    called, and the chain that called that. by_caller: calls, by the latest function of the program
    on the path."""

    def __init__(self) -> None:
        self.number: int = 0
        self.by_thread: dict[int, int] = defaultdict(int)
        self.by_way: dict[tuple[int, int], int] = defaultdict(int)
        self.by_caller: dict[int, int] = defaultdict(int)

    @property
    def time(self) -> int:
        return sum(self.by_thread.values())

    def add(self, others: Calls, caller: int) -> None:
        self.number += others.number
        self.by_caller[caller] += others.number
        self.by_way.update(others.by_way)  # of another chain: nothing is there yet
        for thread, time in others.by_thread.items():
            self.by_thread[thread] += time


class Chains:
    """Functions of the program that call each other, without a library between. A chain is a
    number; the chain above it is that of its caller, or NO_CHAIN."""

    def __init__(self) -> None:
        self.rows: list[int] = [NOBODY]
        self.above: list[int] = [NO_CHAIN]
        self.numbers: dict[tuple[int, int], int] = {}

    def longer(self, chain: int, row: int) -> int:
        """The chain that goes on to `row`. A function that calls itself is there once,
        however deep: a chain is gone through for each of its rows."""
        if self.rows[chain] == row:
            return chain
        number = self.numbers.setdefault((chain, row), len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
            self.above.append(chain)
        return number

    def rows_of(self, chain: int) -> Iterator[int]:
        """Its functions, the latest first."""
        while chain != NO_CHAIN:
            yield self.rows[chain]
            chain = self.above[chain]


class Found:
    """calls: by chain and the function that is called. entries: how often a chain calls a function
    of a library."""

    def __init__(self) -> None:
        self.chains: Chains = Chains()
        self.calls: dict[tuple[int, int], Calls] = defaultdict(Calls)
        self.entries: dict[tuple[int, int], int] = defaultdict(int)


def again_by_libraries(outline: Outline) -> Finding | None:
    """What one function of the program calls again and again, and may not know of."""
    paths = outline.paths
    wanted = slow_builtins(outline)
    if not wanted:
        return None
    found = calls_by_libraries(outline, wanted)
    counts = counts_of(paths, {row for row in found.chains.rows if row != NOBODY})
    by_caller = with_callers(paths, found, counts)
    best = 0, 0, NOBODY, NOBODY
    for (caller, callee), calls in by_caller.items():
        elapsed = long_wait(paths, calls.by_thread).elapsed
        is_long = elapsed >= AGAIN * paths.length and calls.time >= SLOW * calls.number
        if not is_long or calls.number < OFTEN:
            continue
        often, threads = counts[caller]
        # A loop that is called once in its thread is to call a library for each item.
        entered = named_entries(paths, found, calls, callee) if often <= threads else 0
        if calls.number >= EACH_TIME * max(often, entered, 1):
            best = max(best, (elapsed, often, caller, callee))
    elapsed, often, *pair = best
    if not elapsed:
        return None
    calls = by_caller[pair[0], pair[1]]
    most = max(calls.by_caller, key=lambda row: calls.by_caller[row])
    by, of, helper = (paths.rows[row] for row in (*pair, most))
    way = paths.modules[max(calls.by_way, key=lambda way: calls.by_way[way])[1]].package
    what = f"calls {called(of)} {calls.number:,} times by way of {way}"
    if often:  # what ran already when recording began has no call
        what += f", {calls.number / often:,.0f} to a call"
    if helper != by:
        part = calls.by_caller[most]
        what = (
            f"has {calls.number:,} calls of {called(of)} by way of {way}, "
            f"{f'{part:,}' if part < calls.number else 'all'} of them in {called(helper)}"
        )
    return Finding(
        said_of(by, f"{share(elapsed, outline.length)}:", f", {what}"),
        elapsed,
        by,
        (way, by),
        also=((of, by), (of, helper), (way, helper)),
        instead=(by, helper),
        advice="What is asked for each row may be asked for all rows at once, as a join does.",
    )


def counts_of(paths: Paths, rows: set[int]) -> dict[int, tuple[int, int]]:
    """How often each of these functions is called, and in how many threads."""
    calls = dict.fromkeys(rows, 0)
    threads = dict.fromkeys(rows, 0)
    for tree in paths.trees:
        for row, number in zip(tree.row, tree.calls, strict=True):
            if row in calls:
                calls[row] += number
        for row in rows.intersection(tree.row):
            threads[row] += 1
    return {row: (calls[row], threads[row]) for row in rows}


def with_callers(
    paths: Paths, found: Found, counts: dict[int, tuple[int, int]]
) -> dict[tuple[int, int], Calls]:
    """The calls by function of the program and function that is called. Where the latter asks, the
    former is the latest on the chain that has EACH_TIME of them for each of its calls, if any."""
    below: dict[tuple[int, int], int] = defaultdict(int)
    for (chain, callee), calls in found.calls.items():
        for row in set(found.chains.rows_of(chain)):
            below[row, callee] += calls.number
    by_caller: dict[tuple[int, int], Calls] = defaultdict(Calls)
    for (chain, callee), calls in found.calls.items():
        caller = latest = found.chains.rows[chain]
        if asks(paths, callee):
            rows = found.chains.rows_of(chain)
            enough = (r for r in rows if below[r, callee] >= EACH_TIME * counts[r][0])
            caller = next(enough, latest)
        by_caller[caller, callee].add(calls, latest)
    return by_caller


def named_entries(paths: Paths, found: Found, calls: Calls, callee: int) -> int:
    """How often the program called the libraries that made these calls: of libraries that ask, by
    name."""
    hides = asks(paths, callee)
    return sum(
        found.entries[chain, way]
        for chain, way in calls.by_way
        if not (hides and paths.rows[way].name.rpartition(".")[2] in UNNAMED)
    )


def asks(paths: Paths, row: int) -> bool:
    return paths.is_builtin(row) and paths.rows[row].name.endswith(ASKS)


def slow_builtins(outline: Outline) -> set[int]:
    """The functions of C that take long enough, in all places together, and those that ask."""
    paths = outline.paths
    times = [0] * len(paths.rows)
    for tree in paths.trees:
        nodes = zip(tree.row, tree.time, strict=True)
        next(nodes)
        for row, time in nodes:
            times[row] += time
    least = AGAIN * paths.length
    return {
        row
        for row, time in enumerate(times)
        if paths.is_builtin(row)
        and not paths.rows[row].name.endswith(SAYS_WHY)
        and (time >= least or asks(paths, row))
    }


def calls_by_libraries(outline: Outline, wanted: set[int]) -> Found:
    """The calls of these functions by libraries. The time of those that ask is that of the whole
    visit: of what the program called, without the program's functions that are called back. What is
    called for imports and by idle threads is left out."""
    found = Found()
    for number, tree in enumerate(outline.paths.trees):
        if not wanted.isdisjoint(tree.row):
            add_calls(outline, wanted, number, tree, found)
    return found


def add_calls(outline: Outline, wanted: set[int], number: int, tree: Tree, found: Found) -> None:
    paths, chains, is_own = outline.paths, found.chains, outline.owns
    skipped = [is_left_out(paths, row) for row in range(len(paths.rows))]
    ranks = [{SITE: 2, LIBRARY: 1}.get(module.kind, 0) for module in paths.modules]
    nodes = zip(tree.depth, tree.row, tree.calls, tree.time, strict=True)
    next(nodes)
    # Along the path: the functions of the program; the visit of a library, and the first that it
    # called of an installed package; where there is none, of another library.
    path = [(NO_CHAIN, NO_VISIT, NOBODY)]
    visits: list[int] = []  # their times
    asked: set[tuple[int, int, int]] = set()  # visit, chain and function that asks
    nowhere = skipped_below = len(tree)
    for depth, row, calls, time in nodes:
        if depth > skipped_below:
            continue
        skipped_below = depth if skipped[row] else nowhere
        del path[depth:]
        chain, visit, way = path[-1]
        if is_own[row]:
            if visit != NO_VISIT:  # what a library calls back is no part of its caller
                chain, visit, way = NO_CHAIN, NO_VISIT, NOBODY
            if chain == NO_CHAIN or not paths.rows[row].name.endswith(PART_OF_FUNCTION):
                chain = chains.longer(chain, row)
        elif ranks[row] and chain != NO_CHAIN and (visit == NO_VISIT or ranks[row] > ranks[way]):
            if visit == NO_VISIT:
                visit = len(visits)
                visits.append(0)
            way = row
            found.entries[chain, way] += calls
        path.append((chain, visit, way))
        if visit == NO_VISIT or skipped[row]:
            continue
        visits[visit] += time
        if row in wanted:
            of = found.calls[chain, row]
            of.number += calls
            of.by_way[chain, way] += time
            if asks(paths, row):
                asked.add((visit, chain, row))
            else:
                of.by_thread[number] += time
    for visit, chain, row in asked:
        found.calls[chain, row].by_thread[number] += visits[visit]


def is_left_out(paths: Paths, row: int) -> bool:
    module = paths.modules[row]
    return is_idle(paths, row) or (module.kind == LIBRARY and module.name in IMPORTERS)
