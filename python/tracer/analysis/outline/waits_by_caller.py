"""What was waited: for findings, by the function of the program that called for it; for tables, by
function with all that it called.

Threads that have nothing to do wait, too: in queue.get, Thread.join or select(), whoever called
that. Findings leave this out.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.outline.finding import NANOSECONDS, NOBODY, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.tree.call_tree import Paths, Row

    # By (caller, function that waited), then by the number of the thread: nanoseconds.
    WaitsByCaller = dict[tuple[int, int], dict[int, int]]

# Builtins in which an event loop waits that has nothing to do.
SELECTS = {"<devpoll.poll>", "<epoll.poll>", "<kqueue.control>", "<poll.poll>", "<select.select>"}
# Where threads wait that have nothing to do: (module, function), of builtins ("", name); "": all of
# the module.
IDLE = {
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


def waits_by_caller(paths: Paths, is_own: Sequence[bool]) -> WaitsByCaller:
    """What each function waited, by the latest function of the program on the path. is_own: by row,
    whether a function is one of the program's."""
    times: WaitsByCaller = defaultdict(lambda: defaultdict(int))
    idles = [is_idle(paths, row) for row in range(len(paths.rows))]
    for number, tree in enumerate(paths.trees):
        if not any(tree.waited):
            continue
        nodes = zip(tree.depth, tree.row, tree.waited, strict=True)
        next(nodes)
        callers = [NOBODY]  # along the path, the latest function of the program
        nowhere = idle_below = len(tree)
        for depth, row, waited in nodes:
            if depth > idle_below:
                continue
            idle_below = depth if idles[row] else nowhere
            if idles[row]:
                continue
            del callers[depth:]
            caller = row if is_own[row] else callers[-1]
            callers.append(caller)
            if waited and caller != NOBODY:
                times[caller, row][number] += waited
    return times


def is_idle(paths: Paths, row: int) -> bool:
    module, name = names(paths, row)
    return (module, name) in IDLE or (module != "" and (module, "") in IDLE)


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
