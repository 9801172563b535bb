"""Which calls of a timeline only start other code, or wait for work: they say nothing of a program.

A worker of a pool waits in queue.get, an event loop in select, a thread's first functions for the
one that it was made for. outline/waiting_kinds.py leaves the same waits out of the findings.
"""

from __future__ import annotations

from tracer.analysis.outline.waiting_kinds import SELECTS, is_idle
from tracer.analysis.tree.folding import LEADERS, MODULE
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.analysis.timeline.run import TimedRun

# Packages of the standard library that call what they were given ...
STARTERS = {*LEADERS, "asyncio", "concurrent", "contextlib", "multiprocessing", "socketserver"}
WAITERS = {"threading", "queue", "concurrent"}  # ... and those that wait for who calls them
LOCKS = ("ock.acquire>", "<RLock._acquire_restore>")  # builtins below Queue.get and Condition.wait


def idle_rows(run: TimedRun) -> frozenset[int]:
    """The functions in which a thread waits that has nothing to do; also of one that has: see
    is_asked()."""
    paths = run.outline.paths
    return frozenset(
        row
        for row in range(len(paths.rows))
        if is_idle(paths, row) or (run.is_builtin(row) and run.name(row).endswith(LOCKS))
    )


def is_asked(run: TimedRun, row: int, callers: Iterable[int]) -> bool:
    """Whether the program's own code waits in this function of idle_rows(), called by `callers`,
    the innermost first. Of an event loop it does so only if it calls select() itself."""
    loops = run.is_builtin(row) and run.name(row) in SELECTS
    for caller in callers:
        if run.is_own(caller):
            return True
        is_between = run.is_builtin(caller) or package_of(run, caller) in WAITERS
        if loops or not is_between:
            return False
    return False


def is_starter(run: TimedRun, row: int) -> bool:
    return package_of(run, row) in STARTERS and not run.is_own(row)


def package_of(run: TimedRun, row: int) -> str:
    return "" if row == NO_ROW else run.outline.paths.modules[row].package


def is_container(run: TimedRun, row: int) -> bool:
    """Whether a call at the bottom of a thread says no more than that the thread was there: code of
    others, or a module."""
    return not run.is_own(row) or run.name(row) == MODULE
