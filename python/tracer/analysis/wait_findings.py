"""What stands out of what threads waited for: a rule for each finding, as in findings.py.

findings.py picks what is told; coroutine_findings.py has what coroutines waited for. Threads that
have nothing to do wait, too: in queue.get, Thread.join or select(). That is no finding. waiting.py
has the sums.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.coroutine_findings import blamed_for, longest_step_of
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

    from tracer.analysis.call_tree import Paths, Row
    from tracer.analysis.outline import Outline

MUCH = 0.2  # of the run: less that was waited is no finding
SHORTEST = 100_000_000  # ns: nor is less than that
MATTERS = 0.1  # of what the longest waiting thread waited: a thread with less is not counted
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
# Builtins that only compute, so all that these wait for is their turn.
COMPUTES = (
    *("<BZ2", "<Compress.", "<Decompress.", "<HASH.", "<LZMA"),
    *("<_hashlib.", "<binascii.", "<blake2", "<zlib."),
)


# -- The rules -------------------------------------------------------------------------------------


def waited_in_c(outline: Outline) -> Finding | None:
    """What a function of the program waited for most, in a function written in C."""
    paths = outline.paths
    waits = waits_by_caller(outline, lambda row: is_builtin(paths, row))
    step = longest_step_of(outline)
    blamed = None if step is None else blamed_for(outline, step)
    found = [
        (long_wait(paths, by_thread), key)
        for key, by_thread in waits.items()
        # longest_step() tells of what kept the event loop from turning.
        if step is None or key[0] != blamed or by_thread.keys() != {step.thread}
    ]
    if not found:
        return None
    wait, key = max(found)
    if not wait.is_worth_telling(paths):
        return None
    caller, callee = (paths.rows[row] for row in key)
    several = f", {wait.threads} threads" if wait.threads > 1 else ""
    return Finding(
        f"{share(wait.elapsed, length_of(paths))} of the run: {called(caller)}, {{place}}, waits "
        f"{seconds(wait.time)} in {called(callee)}{several}",
        wait.elapsed / NANOSECONDS,
        (callee, caller),
        caller,
        reason(callee, len(paths.trees) > 1),
    )


def waited_in_python(outline: Outline) -> Finding | None:
    """What several threads waited in Python code. It was for the GIL where some thread was busy
    most of the time; else it may have been for a lock, which `with` takes without a call."""
    paths = outline.paths
    waits = waits_by_caller(outline, lambda row: not is_builtin(paths, row))
    by_thread: dict[int, int] = defaultdict(int)
    by_caller: dict[int, int] = defaultdict(int)
    for (caller, _), times in waits.items():
        by_caller[caller] += sum(times.values())
        for number, time in times.items():
            by_thread[number] += time
    wait = long_wait(paths, by_thread)
    if wait.threads < 2 or not wait.is_worth_telling(paths):
        return None
    caller = max(by_caller, key=lambda caller: by_caller[caller])
    busy = sum(sum(tree.time[1:]) - sum(tree.waited[1:]) for tree in paths.trees)
    what = (
        "the GIL or a processor"
        if busy >= MOSTLY * length_of(paths)
        else "a lock, the GIL or a processor"
    )
    return Finding(
        f"{share(wait.elapsed, length_of(paths))} of the run: {wait.threads} threads wait "
        f"{seconds(wait.time)} for {what}, most in {called(paths.rows[caller])}, {{place}}",
        wait.elapsed / NANOSECONDS,
        what,
        paths.rows[caller],
    )


WAIT_RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    waited_in_c,
    waited_in_python,
)

# -- Paths -----------------------------------------------------------------------------------------


class Wait(NamedTuple):
    """What threads waited, in nanoseconds. elapsed: of the run's time, where threads waited side by
    side. time: of all these threads. threads: how many; those that waited little are left out."""

    elapsed: int
    time: int
    threads: int

    def is_worth_telling(self, paths: Paths) -> bool:
        return self.elapsed >= max(SHORTEST, MUCH * length_of(paths))


def long_wait(paths: Paths, by_thread: dict[int, int]) -> Wait:
    """The wait of threads, given for each by its number. As many of these threads are taken to be
    side by side as the run would need to have them all one after the other."""
    least = MATTERS * max(by_thread.values(), default=0)
    times = {number: time for number, time in by_thread.items() if time >= least}
    run = length_of(paths)
    alive = sum(sum(paths.trees[number].time) for number in times)
    whole = sum(times.values())
    return Wait(round(whole * run / max(run, alive, 1)), whole, len(times))


Key = tuple[int, int]


def waits_by_caller(outline: Outline, counts: Callable[[int], bool]) -> dict[Key, dict[int, int]]:
    """What was waited by functions that count: by the function of the program that called it and by
    itself, then by thread. What idle threads wait is left out."""
    paths = outline.paths
    times: dict[Key, dict[int, int]] = defaultdict(lambda: defaultdict(int))
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
            is_idling = idle_below < len(tree)
            if tree.waited[node] and callers[-1] != NOBODY and counts(row) and not is_idling:
                times[callers[-1], row][number] += tree.waited[node]
    return times


def reason(callee: Row, has_threads: bool) -> str:
    """What a builtin may have waited for. A thread alone has the GIL."""
    if callee.name.endswith(SAYS_WHY):
        return ""
    if callee.name.startswith(COMPUTES):
        return " (GIL or processor)" if has_threads else " (processor)"
    return " (I/O, lock, GIL or processor)" if has_threads else " (I/O, lock or processor)"


def is_idle(paths: Paths, row: int) -> bool:
    module, name = names(paths, row)
    return (module, name) in IDLE or (module != "" and (module, "") in IDLE)


def is_builtin(paths: Paths, row: int) -> bool:
    return paths.modules[row].kind == BUILTIN
