"""What stands out of what was waited for: a rule for each finding, as in findings.py.

findings.py has the other rules, and picks what is told. Threads that have nothing to do wait,
too: in queue.get, Thread.join or select(). That is no finding. waiting.py has the sums.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.finding import NANOSECONDS, Finding, bare, seconds, share, short
from tracer.source.origin import BUILTIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tracer.analysis.call_tree import Paths, Row, Tree
    from tracer.analysis.outline import Outline

LONG_STEP = 100_000_000  # ns without a turn of the event loop
MOST = 0.8  # of a step: a function with so much of it is what took the time
ROUNDING = 2  # ns
MUCH = 0.2  # of the time that was not idle: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that
MOSTLY = 0.5  # of the run: if threads are busy for so much of it, others wait for the GIL
LONG_SUSPENDED = 0.5  # of the run, added up over all tasks
NOBODY = -1

STEP = ("asyncio.events", "Handle._run")
# Where threads wait that have nothing to do: (module, function), of builtins ("", name); "": all of
# the module.
IDLE = {
    ("", "<SimpleQueue.get>"),
    ("", "<_ThreadHandle.join>"),
    ("", "<socket.accept>"),
    ("concurrent.futures._base", ""),
    ("queue", "Queue.get"),
    ("queue", "Queue.join"),
    ("selectors", ""),
    ("socket", "socket.accept"),
    ("threading", "Thread.join"),
    ("threading", "Thread.start"),
    ("threading", "_shutdown"),
}
SAYS_WHY = ("sleep>", "ock.acquire>")  # of builtins: what these wait for, their names say
# What coroutines await that have nothing to do.
IDLE_AWAITED = {
    ("asyncio.locks", "Condition.wait"),
    ("asyncio.locks", "Event.wait"),
    ("asyncio.queues", "Queue.get"),
    ("asyncio.queues", "Queue.join"),
    ("asyncio.tasks", "_wait"),
    ("asyncio.tasks", "wait"),
    ("asyncio.tasks", "wait_for"),
}
AWAITED = {
    ("asyncio.locks", "Lock.acquire"): "at the lock",
    ("asyncio.locks", "Semaphore.acquire"): "at the semaphore",
    ("asyncio.tasks", "sleep"): "in asyncio.sleep",
}


# -- The rules -------------------------------------------------------------------------------------


def longest_step(outline: Outline) -> Finding | None:
    """The longest step of an asyncio event loop: meanwhile no other coroutine went on."""
    paths = outline.paths
    steps = [row for row in range(len(paths.rows)) if names(paths, row) == STEP]
    found = [(tree.figures[row].longest, tree, row) for tree, row in among(paths.trees, steps)]
    longest, tree, row = max(found, key=lambda item: item[0], default=(0, None, NOBODY))
    if tree is None or longest < LONG_STEP:
        return None
    chain = longest_calls(tree, row)
    own = [at for at, one in enumerate(chain) if outline.is_own(one)]
    text = f"the event loop did not turn for {short(longest)}"
    if not own:
        began = tree.figures[row].longest_at / NANOSECONDS
        return Finding(f"{text}, {began:.2f} s after the start", longest / NANOSECONDS, STEP)
    blamed = paths.rows[chain[own[-1]]]
    below = chain[own[-1] + 1 : own[-1] + 2]
    inside = "".join(f", in {called(paths.rows[one])}" for one in below)
    text = f"{text}: {called(blamed)}, {{place}}{inside}"
    return Finding(text, longest / NANOSECONDS, blamed, blamed)


def waited_in_c(outline: Outline) -> Finding | None:
    """What a function of the program waited for most, in a function written in C."""
    paths = outline.paths
    times, threads, least = waits_by_caller(outline, lambda row: is_builtin(paths, row))
    key = max(times, key=lambda key: times[key], default=None)
    if key is None or times[key] < least:
        return None
    time = times[key]
    caller, callee = (paths.rows[row] for row in key)
    says_why = callee.name.endswith(SAYS_WHY)
    why = "" if says_why else " (I/O, lock or GIL)"
    several = f", {len(threads[key])} threads" if len(threads[key]) > 1 else ""
    return Finding(
        f"{share(time, outline.whole)}: {called(caller)}, {{place}}, waits {seconds(time)} in "
        f"{called(callee)}{several}{why}",
        time / len(threads[key]) / NANOSECONDS,
        (callee, caller),
        caller,
    )


def waited_in_python(outline: Outline) -> Finding | None:
    """What several threads waited in Python code. It was for the GIL where some thread was busy
    most of the time; else it may have been for a lock, which `with` takes without a call."""
    paths = outline.paths
    times, threads, least = waits_by_caller(outline, lambda row: not is_builtin(paths, row))
    whole = sum(times.values())
    waiting = set().union(*threads.values())
    if whole < least or len(waiting) < 2:
        return None
    by_caller: dict[int, int] = defaultdict(int)
    for (caller, _), time in times.items():
        by_caller[caller] += time
    caller = max(by_caller, key=lambda caller: by_caller[caller])
    busy = sum(sum(tree.time[1:]) - sum(tree.waited[1:]) for tree in paths.trees)
    what = (
        "the GIL or a processor"
        if busy >= MOSTLY * length_of(paths)
        else "a lock, the GIL or a processor"
    )
    return Finding(
        f"{share(whole, outline.whole)}: {len(waiting)} threads wait {seconds(whole)} for {what}, "
        f"most in {called(paths.rows[caller])}, {{place}}",
        whole / len(waiting) / NANOSECONDS,
        what,
        paths.rows[caller],
    )


def suspended_most(outline: Outline) -> Finding | None:
    """What of a library the program's coroutines awaited longest, where the event loop was idle:
    else they waited for what it did meanwhile."""
    paths = outline.paths
    run = length_of(paths)
    best: tuple[int, int, Tree] | None = None
    for tree in paths.trees:
        callees = callees_of(tree)
        if sum(tree.waited) < MUCH * run:
            continue
        for row, figures in tree.figures.items():
            if figures.suspended < max(SHORTEST, LONG_SUSPENDED * run) or outline.is_own(row):
                continue
            below = (tree.figures[one].suspended for one in callees[row] if one in tree.figures)
            is_last = max(below, default=0) < figures.suspended / 2
            is_idle = names(paths, row) in IDLE_AWAITED
            if is_last and not is_idle and (best is None or figures.suspended > best[0]):
                best = figures.suspended, row, tree
    if best is None:
        return None
    suspended, row, tree = best
    awaiting = own_callers(outline, tree, row)
    if not awaiting:
        return None
    caller = paths.rows[max(awaiting, key=lambda one: awaiting[one])]
    others = len(awaiting) - 1
    besides = f" and {others} other{'s' * (others > 1)}" if others else ""
    where = AWAITED.get(names(paths, row), f"in {called(paths.rows[row])}")
    return Finding(
        f"{seconds(suspended)} suspended {where}, awaited by {called(caller)}, {{place}}"
        f"{besides}, {tree.figures[row].ncalls:,} times",
        min(suspended, sum(tree.waited)) / NANOSECONDS,
        paths.rows[row],
        caller,
    )


WAIT_RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    longest_step,
    waited_in_c,
    waited_in_python,
    suspended_most,
)

# -- Paths -----------------------------------------------------------------------------------------


def among(trees: Iterable[Tree], rows: list[int]) -> Iterator[tuple[Tree, int]]:
    return ((tree, row) for tree in trees for row in rows if row in tree.figures)


def callees_of(tree: Tree) -> dict[int, set[int]]:
    """The functions that each function called, on any path."""
    callees: dict[int, set[int]] = defaultdict(set)
    path: list[int] = []
    for depth, row in zip(tree.depth, tree.row, strict=True):
        del path[depth:]
        if path:
            callees[path[-1]].add(row)
        path.append(row)
    return callees


def longest_calls(tree: Tree, row: int) -> list[int]:
    """The function, then by whom most of its longest call was taken, one below the other."""
    whole = tree.figures[row].longest
    begin = tree.figures[row].longest_at - ROUNDING
    end = begin + whole + 2 * ROUNDING
    callees = callees_of(tree)
    chain = [row]
    while True:
        inside = [
            one
            for one in callees[chain[-1]]
            if one in tree.figures
            and one not in chain
            and tree.figures[one].longest >= MOST * whole
            and begin <= tree.figures[one].longest_at
            and tree.figures[one].longest_at + tree.figures[one].longest <= end
        ]
        if not inside:
            return chain
        chain.append(max(inside, key=lambda one: tree.figures[one].longest))


Key = tuple[int, int]


def waits_by_caller(
    outline: Outline, counts: Callable[[int], bool]
) -> tuple[dict[Key, int], dict[Key, set[int]], float]:
    """What was waited by functions that count: by the function of the program that called it, and
    by itself; and in which threads. The least that is a finding. Idle threads are left out."""
    paths = outline.paths
    times: dict[Key, int] = defaultdict(int)
    threads: dict[Key, set[int]] = defaultdict(set)
    busy = 0
    for number, tree in enumerate(paths.trees):
        callers: list[int] = []  # along the path, the latest function of the program
        idle_below = len(tree)
        for node in range(1, len(tree)):
            depth, row = tree.depth[node], tree.row[node]
            del callers[depth - 1 :]
            callers.append(row if outline.is_own(row) else callers[-1] if callers else NOBODY)
            idle_below = len(tree) if depth <= idle_below else idle_below
            if idle_below == len(tree) and is_idle(paths, row):
                idle_below = depth
            if idle_below < len(tree):
                continue
            busy += tree.time[node]
            if tree.waited[node] and callers[-1] != NOBODY and counts(row):
                times[callers[-1], row] += tree.waited[node]
                threads[callers[-1], row].add(number)
    return times, threads, max(SHORTEST, MUCH * busy)


def own_callers(outline: Outline, tree: Tree, callee: int) -> dict[int, int]:
    """The functions of the program that called a function, maybe by way of others: how often."""
    found: dict[int, int] = defaultdict(int)
    callers: list[int] = []
    for node in range(1, len(tree)):
        row = tree.row[node]
        del callers[tree.depth[node] - 1 :]
        if row == callee and callers and callers[-1] != NOBODY:
            found[callers[-1]] += tree.calls[node]
        callers.append(row if outline.is_own(row) else callers[-1] if callers else NOBODY)
    return found


def length_of(paths: Paths) -> int:
    """How long the run took: as long as its longest thread."""
    return max((sum(tree.time) for tree in paths.trees), default=0)


def names(paths: Paths, row: int) -> tuple[str, str]:
    return paths.modules[row].name, paths.rows[row].name


def is_idle(paths: Paths, row: int) -> bool:
    module, name = names(paths, row)
    return (module, name) in IDLE or (module != "" and (module, "") in IDLE)


def is_builtin(paths: Paths, row: int) -> bool:
    return paths.modules[row].kind == BUILTIN


def called(row: Row) -> str:
    """The name of a function as one calls it."""
    return row.name.strip("<>").removeprefix("builtins.") if row.file == "~" else bare(row.name)
