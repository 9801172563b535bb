"""How much of a run's real time each call accounts for: what shares, thresholds and orders are of.

Threads live side by side, so their times add up to more than passed. The work of all threads comes
first. What is left is shared out among those that wait: for the outside first, in the main thread
before others; then for a turn; and at last among those that have nothing to do. So a thread that
waits for another has nothing of the time in which that works. Time in which all waited for a
processor is no real time: other processes had it, and in another run may not. How work and waits of
a thread spread over its life is not recorded: evenly, here.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from itertools import groupby, pairwise
from typing import NamedTuple

from tracer.analysis.outline.waiting_kinds import (
    IDLE,
    KEEPS,
    NO_WAIT,
    OUTSIDE,
    TURN,
    is_explained,
    kinds_of_waits,
)
from tracer.analysis.tree.stretches import length_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.analysis.tree.call_tree import Paths, Tree

MAIN = "MainThread"


class Load(NamedTuple):
    """What a thread did from `begin` to `end`. All are nanoseconds."""

    begin: int
    end: int
    worked: int
    outside: int = 0
    turns: int = 0
    idle: int = 0
    is_main: bool = False


class Parts(NamedTuple):
    """The parts of a thread's waits that are the run's real time."""

    outside: float = 1.0
    turns: float = 1.0
    idle: float = 1.0


class TreeTime(NamedTuple):
    """Nanoseconds of real time, by node of a tree, of the call itself. busy: with what it waited
    for others than threads that do the program's work. idle: with nothing to do."""

    busy: array[int]
    idle: array[int]


class RealTime:
    """The real time of all trees of `paths`. trees: of each; None: all of its time is real. length:
    nanoseconds that are 100%: the runs' but for waits for a processor, or what their threads worked
    if that is more. starved: the waits for a processor that are left out. unreal: by row, what of
    its own time is not real. kinds: by tree, the kind of each node's wait; None: nobody asked.
    is_own: by row, whether a function is one of the program's."""

    def __init__(self, paths: Paths, is_own: Sequence[bool]) -> None:
        self.trees: list[TreeTime | None] = [None] * len(paths.trees)
        self.kinds: list[bytearray | None] = [None] * len(paths.trees)
        self.unreal: dict[int, int] = defaultdict(int)
        self.length: int = 0
        self.starved: int = 0
        numbers = sorted(range(len(paths.trees)), key=lambda number: paths.trees[number].run)
        for _, run in groupby(numbers, key=lambda number: paths.trees[number].run):
            self._add_run(paths, list(run), is_own)

    def _add_run(self, paths: Paths, numbers: list[int], is_own: Sequence[bool]) -> None:
        trees = [paths.trees[number] for number in numbers]
        kinds = kinds_of_waits(paths, trees, is_own)
        for number, of_tree in zip(numbers, kinds, strict=True):
            self.kinds[number] = of_tree
        if len(trees) == 1 and kinds[0] is None:
            self.length += trees[0].whole
            return
        loads = [load_of(tree, of_tree) for tree, of_tree in zip(trees, kinds, strict=True)]
        length = max(length_of_run(trees), sum(load.worked for load in loads))
        if starved := starved_in(length, loads, paths.preemptions.get(trees[0].run, 0)):
            length -= starved
            self.starved += starved
            loads = [load._replace(turns=0) for load in loads]
        self.length += length
        parts = real_parts(length, loads)
        for number, of_tree, those in zip(numbers, kinds, parts, strict=True):
            tree = paths.trees[number]
            time = self.trees[number] = time_of(tree, of_tree, those)
            for row, whole, busy in zip(tree.row, tree.time, time.busy, strict=True):
                if whole != busy:
                    self.unreal[row] += whole - busy


def length_of_run(trees: Sequence[Tree]) -> int:
    """As long as its longest thread; where the main thread is not there, as there were any."""
    longest = max(tree.whole for tree in trees)
    if any(tree.name == MAIN for tree in trees):
        return longest
    return max(longest, length_of([tree.span for tree in trees]))


def load_of(tree: Tree, kinds: bytearray | None) -> Load:
    sums = dict.fromkeys((NO_WAIT, OUTSIDE, TURN, IDLE, KEEPS), 0)
    if kinds is not None:
        for kind, waited in zip(kinds, tree.waited, strict=True):
            sums[kind] += waited
    waits = sums[OUTSIDE], sums[TURN], sums[IDLE]
    begin, end = tree.span
    return Load(begin, end, tree.in_functions - sum(tree.waited[1:]), *waits, tree.name == MAIN)


def starved_in(length: int, loads: Sequence[Load], preemptions: int) -> int:
    """Nanoseconds of the run in which threads waited for their turn, and none worked or waited for
    the outside: for a processor, if preemptions explain as much."""
    outside = zip(loads, side_by_side(loads), strict=True)
    filled = sum(load.worked + load.outside * part for load, part in outside)
    turns = sum(load.turns for load in loads)
    starved = max(0, min(turns, round(length - filled)))
    return starved if is_explained(starved, preemptions) else 0


def time_of(tree: Tree, kinds: bytearray | None, parts: Parts) -> TreeTime:
    """The real time of a tree's nodes. A node with time has a nanosecond at least, so that it is
    folded as it is by its time."""
    idle = array("q", bytes(8 * len(tree)))
    if kinds is None:
        return TreeTime(tree.time, idle)
    part = {NO_WAIT: 0.0, OUTSIDE: parts.outside, TURN: parts.turns, IDLE: 0.0, KEEPS: 0.0}
    busy = array("q", tree.time)
    for node, kind in enumerate(kinds):
        if waited := tree.waited[node]:
            busy[node] += round(part[kind] * waited) - waited or 0
            busy[node] = max(1, busy[node])
            if kind == IDLE:
                idle[node] = round(parts.idle * waited)
    return TreeTime(busy, idle)


def real_parts(length: int, loads: Sequence[Load]) -> list[Parts]:
    """What of each thread's waits is real time, of a run of this length: for the outside, what
    side_by_side() says. Of what that leaves, those that take turns have all that they waited, if
    it is so much, then the main thread if it is idle, and then others."""
    room = float(length - sum(load.worked for load in loads))
    outside = side_by_side(loads)
    waited = sum(load.outside * part for load, part in zip(loads, outside, strict=True))
    fits = share_of(room, waited)
    room -= waited * fits
    turns = share_of(room, turned := sum(load.turns for load in loads))
    room -= turned * turns
    main = share_of(room, idled := sum(load.idle for load in loads if load.is_main))
    room -= idled * main
    others = share_of(room, sum(load.idle for load in loads if not load.is_main))
    return [
        Parts(part * fits, turns, main if load.is_main else others)
        for load, part in zip(loads, outside, strict=True)
    ]


def share_of(room: float, waited: float) -> float:
    return max(0.0, min(1.0, room / waited)) if waited > 0 else 0.0


def side_by_side(loads: Sequence[Load]) -> list[float]:
    """The part of each thread's waits for the outside in which nobody works: the main thread's
    first, then those of others together. A sweep over the moments at which threads begin and end:
    between them each works and waits at an even rate."""
    moments = sorted({moment for load in loads for moment in (load.begin, load.end)})
    changes: dict[int, list[tuple[int, Load]]] = {moment: [] for moment in moments}
    for load in loads:
        changes[load.begin].append((1, load))
        changes[load.end].append((-1, load))
    rates = [0.0, 0.0, 0.0]  # of work, and of waits: the main thread's, others'
    filled = {moments[0]: (0.0, 0.0)} if moments else {}  # nanoseconds of both until then
    for moment, following in pairwise(moments):
        for sign, load in changes[moment]:
            waits = (load.outside, 0) if load.is_main else (0, load.outside)
            for at, time in enumerate((load.worked, *waits)):
                rates[at] += sign * time / max(1, load.end - load.begin)
        room = max(0.0, 1.0 - rates[0])
        main = share_of(room, rates[1])
        others = share_of(room - main * rates[1], rates[2])
        of_main, of_others = filled[moment]
        life = following - moment
        filled[following] = of_main + main * life, of_others + others * life
    return [
        (filled[load.end][1 - load.is_main] - filled[load.begin][1 - load.is_main])
        / max(1, load.end - load.begin)
        for load in loads
    ]
