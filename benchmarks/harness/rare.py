"""Do what is rare under one profiler: what added.py counts the instructions of.

    python -m harness.rare contexts PROFILER COUNT TURNS
    python -m harness.rare enabling PROFILER BESIDE COUNT
    python -m harness.rare threads PROFILER CALLS COUNT

Each does the same a few times before, so that the interpreter has specialized the code and the
profiler knows the functions.
"""

import gc
import sys
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from operator import call

from harness.lining import LINE_PROFILERS
from harness.profilers import PROFILERS, Switch, available

WARM = 2000  # calls, as in adding.py
WARM_ENDS = 20  # pairs of enable and disable, and threads

Walk = Callable[[int, int, "Walk", "Walk"], None]


def left(place: int, count: int, left: Walk, right: Walk) -> None:
    """Calls `left` and `right` below this place of a complete binary tree of so many calls. Each
    call has a context of its own, for it says by left and right where in the tree it is."""
    if 2 * place <= count:
        left(2 * place, count, left, right)
    if 2 * place < count:
        right(2 * place + 1, count, left, right)


def right(place: int, count: int, left: Walk, right: Walk) -> None:
    if 2 * place <= count:
        left(2 * place, count, left, right)
    if 2 * place < count:
        right(2 * place + 1, count, left, right)


def elsewhere(count: int) -> None:
    """The same calls in other contexts."""
    left(1, count, left, right)


def contexts(profiler: str, count: str, turns: str) -> None:
    """In the first turn each call is in a new context; from the third on each is expected."""
    start, stop = PROFILERS[profiler].make()
    gc.disable()
    start()
    elsewhere(WARM)
    for _ in range(int(turns)):
        left(1, int(count), left, right)
    stop()


def of_lines() -> Switch:
    """tracer's recorder of lines, for one function."""
    decorate, start, stop = LINE_PROFILERS["tracer"].make()
    decorate(elsewhere)
    return start, stop


def enabling(profiler: str, beside: str, count: str) -> None:
    """Starts and stops it, while the profiler `beside` is on."""
    start, stop = of_lines() if profiler == "tracer lines" else PROFILERS[profiler].make()
    begin, end = PROFILERS[beside].make()
    gc.disable()
    begin()
    for _ in range(WARM_ENDS + int(count)):
        start()
        stop()
    end()


def callee() -> None:
    pass


def threads(profiler: str, calls: str, count: str) -> None:
    """Starts threads one after the other, which call an empty function so many times, from C code:
    so nothing else in them is an event."""
    start, stop = PROFILERS[profiler].make()
    ended = allocate_lock()
    ended.acquire()
    does = [callee] * int(calls) + [ended.release]
    gc.disable()
    start()
    for _ in range(WARM_ENDS + int(count)):
        start_new_thread(any, (map(call, does),))
        ended.acquire()
    stop()


if __name__ == "__main__":
    what, profiler, *words = sys.argv[1:]
    available([profiler.removesuffix(" lines")])
    {"contexts": contexts, "enabling": enabling, "threads": threads}[what](profiler, *words)
