"""What kind of wait a call's is: for the outside, for a turn, or for work.

Threads that have nothing to do wait, too: in queue.get, Thread.join or select(). So does whoever
waits in a library for threads that do the program's work, whatever that library calls for it.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.outline.computing import only_computes
from tracer.source.file_kinds import BUILTIN, LIBRARY, SITE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.tree.call_tree import Paths, Tree

# OUTSIDE: for input and output, a sleep, another process. TURN: for the GIL, a processor or a lock.
# IDLE: for work, or for threads that do some. KEEPS: in a thread that only looks after those.
NO_WAIT, OUTSIDE, TURN, IDLE, KEEPS = range(5)

# Builtins in which an event loop waits that has nothing to do.
SELECTS = {"<devpoll.poll>", "<epoll.poll>", "<kqueue.control>", "<poll.poll>", "<select.select>"}
# Where threads wait that have nothing to do: (module, function), of builtins ("", name); "": all of
# the module.
IDLES = {
    *(("", name) for name in SELECTS),
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
# Where a process waits for others: never idle, whatever it waits in below.
FOR_PROCESSES = {
    ("", "<posix.wait3>"),
    ("", "<posix.wait4>"),
    ("", "<posix.waitid>"),
    ("", "<posix.waitpid>"),
    ("multiprocessing.process", "BaseProcess.join"),
    ("subprocess", ""),
}
MODULES = {module for module, _ in IDLES | FOR_PROCESSES}
LOCK = "ock.acquire>"  # at the end of a builtin's name: of lock, RLock
# Likewise of those whose names say what they wait for. Libraries wait for other threads in these.
SAYS_WHY = (LOCK, "sleep>")
PREEMPTED = 10_000_000  # ns: a preemption takes less, most often
STARVED = 0.02  # of the run: a thread alone that waits for less is not looked at
HALF = 0.5  # of a library's wait: if other threads worked so long, it was for these


class Ways(NamedTuple):
    """By row: what a wait in it is for."""

    idle: list[bool]
    for_processes: list[bool]
    for_threads: list[bool]
    is_lock: list[bool]
    is_turn: list[bool]
    is_library: list[bool]
    is_own: Sequence[bool]


def is_idle(paths: Paths, row: int) -> bool:
    return is_one_of(IDLES, paths, row)


def is_for_processes(paths: Paths, row: int) -> bool:
    return is_one_of(FOR_PROCESSES, paths, row)


def is_one_of(those: set[tuple[str, str]], paths: Paths, row: int) -> bool:
    module = paths.modules[row].name
    return module in MODULES and (
        (module, paths.rows[row].name) in those or (module != "" and (module, "") in those)
    )


def kinds_of_waits(
    paths: Paths, trees: Sequence[Tree], is_own: Sequence[bool]
) -> list[bytearray | None]:
    """By tree of a run, the kind of each node's wait; None where it waited nowhere, and of a thread
    alone that was never idle and had no need to wait for a processor."""
    if not any(any(tree.waited) for tree in trees):
        return [None] * len(trees)
    ways = ways_of(paths, is_own)
    if len(trees) == 1 and not any(ways.idle[row] for row in set(trees[0].row[1:])):
        [tree] = trees
        if sum(tree.waited) < STARVED * tree.whole or not paths.preemptions.get(tree.run):
            return [None]  # all is the run's
    have_own = [any(is_own[row] for row in tree.row[1:]) for tree in trees]
    work = [
        (tree.in_functions - sum(tree.waited[1:])) * has_own
        for tree, has_own in zip(trees, have_own, strict=True)
    ]
    alone = len(trees) == 1
    found: list[bytearray | None] = []
    of_libraries: list[tuple[int, bytearray, list[list[int]]]] = []  # by tree: what may be idle
    for number, (tree, has_own) in enumerate(zip(trees, have_own, strict=True)):
        if not any(tree.waited):
            found.append(None)
        elif not has_own and any(have_own):  # it looks after threads that do the program's work
            found.append(bytearray([KEEPS if waited else NO_WAIT for waited in tree.waited]))
        else:
            kinds, calls = kinds_in(tree, ways, alone)
            found.append(kinds)
            of_libraries.append((number, kinds, calls))
    active = active_in(trees, found, work, paths.preemptions.get(trees[0].run, 0))
    for number, kinds, calls in of_libraries:
        settle_libraries(trees[number], kinds, calls, sum(active) - active[number])
    return found


def is_explained(waited: float, preemptions: int) -> bool:
    """Whether so many preemptions explain that threads waited so many nanoseconds."""
    return waited <= PREEMPTED * preemptions


def active_in(
    trees: Sequence[Tree], kinds: Sequence[bytearray | None], work: list[int], preemptions: int
) -> list[int]:
    """By tree, for how long its thread did the program's work. work: that, in nanoseconds. Where
    preemptions explain what is missing of the run, with what it waited for its turn."""
    missing = max(tree.whole for tree in trees) - sum(work)
    if missing <= 0 or not is_explained(missing, preemptions):
        return work
    return [
        worked + sum(tree.waited[node] for node, kind in enumerate(of_tree or ()) if kind == TURN)
        for tree, of_tree, worked in zip(trees, kinds, work, strict=True)
    ]


def ways_of(paths: Paths, is_own: Sequence[bool]) -> Ways:
    rows = range(len(paths.rows))
    names = [row.name for row in paths.rows]
    builtin = [module.kind == BUILTIN for module in paths.modules]
    return Ways(
        [is_idle(paths, row) for row in rows],
        [is_for_processes(paths, row) for row in rows],
        [builtin[row] and names[row].endswith(SAYS_WHY) for row in rows],
        [builtin[row] and names[row].endswith(LOCK) for row in rows],
        [not builtin[row] or only_computes(names[row]) for row in rows],
        [paths.modules[row].kind in (LIBRARY, SITE) and not is_own[row] for row in rows],
        is_own,
    )


def kinds_in(tree: Tree, ways: Ways, alone: bool) -> tuple[bytearray, list[list[int]]]:
    """The kinds of a tree's waits, and by call of a library the nodes that may wait for threads.
    alone: no other thread is there, whose turn it may be."""
    kinds = bytearray(len(tree))
    nowhere = len(tree) + 1
    idle_below = processes_below = nowhere
    # Along the path: the number of the latest call of a library by the program; 0: of none.
    path = [0]
    calls = 0
    of_libraries: dict[int, list[int]] = {}  # by call: its nodes that may wait for threads
    is_own_above = [False]
    nodes = enumerate(zip(tree.depth, tree.row, tree.waited, strict=True))
    next(nodes)
    for node, (depth, row, waited) in nodes:
        del path[depth:], is_own_above[depth:]
        if depth <= idle_below:
            idle_below = depth if ways.idle[row] else nowhere
        if depth <= processes_below:
            processes_below = depth if ways.for_processes[row] else nowhere
        call = path[-1]
        if ways.is_own[row]:
            call = 0
        elif ways.is_library[row] and not call and is_own_above[-1]:
            calls += 1
            call = calls
        path.append(call)
        is_own_above.append(ways.is_own[row] or is_own_above[-1])
        if not waited:
            continue
        if processes_below < nowhere:
            kinds[node] = OUTSIDE
        elif idle_below < nowhere:
            kinds[node] = IDLE
        elif ways.is_turn[row] or (ways.is_lock[row] and not call and not alone):
            kinds[node] = TURN
        else:
            kinds[node] = OUTSIDE
            if call and not alone and ways.for_threads[row]:
                of_libraries.setdefault(call, []).append(node)
    return kinds, list(of_libraries.values())


def settle_libraries(
    tree: Tree, kinds: bytearray, of_libraries: list[list[int]], others_worked: int
) -> None:
    """What a library waited for other threads is idle, where these worked half as long."""
    for nodes in of_libraries:
        waited = sum(tree.waited[node] for node in nodes)
        if others_worked >= HALF * waited:
            for node in nodes:
                kinds[node] = IDLE
