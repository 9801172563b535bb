"""What stands out of what threads waited for: a rule for each finding, as in findings.py.

findings.py picks what is told; coroutine_findings.py has what coroutines waited for. Threads that
have nothing to do wait, too: in queue.get, Thread.join or select(). That is no finding. waiting.py
has the sums.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.finding import (
    NANOSECONDS,
    NOBODY,
    Finding,
    called,
    length_of,
    names,
    seconds,
    share,
)
from tracer.source.origin import BUILTIN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.call_tree import Paths
    from tracer.analysis.outline import Outline

MUCH = 0.2  # of the time that was not idle: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that
MOSTLY = 0.5  # of the run: if threads are busy for so much of it, others wait for the GIL

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


# -- The rules -------------------------------------------------------------------------------------


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


WAIT_RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    waited_in_c,
    waited_in_python,
)

# -- Paths -----------------------------------------------------------------------------------------


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


def is_idle(paths: Paths, row: int) -> bool:
    module, name = names(paths, row)
    return (module, name) in IDLE or (module != "" and (module, "") in IDLE)


def is_builtin(paths: Paths, row: int) -> bool:
    return paths.modules[row].kind == BUILTIN
