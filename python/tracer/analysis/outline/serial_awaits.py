"""Which coroutines of the program await one call after the other, as in a loop.

A coroutine's call stands below the one that awaits it. The members of a gather, and of a TaskGroup,
are tasks, which nobody calls: so calls of one coroutine below another were never side by side.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.outline.awaiting import suspended_nodes
from tracer.analysis.outline.awaits_by_caller import IDLE_AWAITED, IDLE_LOOP, LOCKS, SHORTEST
from tracer.analysis.outline.finding import NOBODY, names
from tracer.analysis.outline.sums import functions_around
from tracer.analysis.outline.suspensions import innermost
from tracer.analysis.tree.called_names import bare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tracer.analysis.outline.awaiting import Suspended
    from tracer.analysis.tree.call_tree import Paths, Row, Tree

LONG = 0.5  # of the run: a call that was suspended for less is no finding
MOST = 0.8  # of that: what was awaited one after the other has so much ...
OFTEN = 5  # ... and so many calls of one function for each call
# Of libraries: what waits for others to begin or to end, who may be as slow as they like.
RECEIVES = re.compile(r"_*(recv|receive|read|accept|wait|listen|anext|aexit)")
SLEEP = ("asyncio.tasks", "sleep")  # it is told as a sleep


class Serial(NamedTuple):
    """A coroutine of the program, its calls, and the nanoseconds for which these were suspended.
    awaited: by function that it awaits again and again, the longest first: calls. idle: nanoseconds
    that the event loop was idle and no other thread worked. inside: (function, the last one of the
    program above it) of all that it awaits, but for locks."""

    row: int
    calls: int
    suspended: int
    awaited: dict[int, int]
    idle: int
    inside: frozenset[tuple[int, int]]

    @property
    def each(self) -> int:
        return self.suspended // self.calls


class Awaited(NamedTuple):
    """What a function was awaited for, in all places: nanoseconds, calls, and how often these went
    on. places: among the nodes."""

    time: float
    calls: int
    resumes: int
    places: list[int]


def serial_awaits(
    paths: Paths,
    is_own: Sequence[bool],
    loops: Sequence[tuple[int, int]],
    generators: Collection[int],
) -> Iterator[Serial]:
    """Those that were suspended for much of the run in each call. loops: by tree, how long its
    event loop was idle, and how long other threads worked. generators: the rows that do not
    wait while they are suspended."""
    around = functions_around(paths.rows)
    for tree, (idle, elsewhere) in zip(paths.trees, loops, strict=True):
        if idle - elsewhere < IDLE_LOOP * paths.length:
            continue
        of_tree = Nodes(paths, tree, is_own, around, generators)
        least = max(SHORTEST, LONG * paths.length) + elsewhere
        for row, places in of_tree.outermost().items():
            found = serial_of(of_tree, row, places, least)
            if found is not None:
                yield found._replace(idle=idle - elsewhere)


def serial_of(of_tree: Nodes, row: int, places: list[int], least: float) -> Serial | None:
    calls = sum(of_tree.tree.calls[of_tree.nodes[place].node] for place in places)
    time = sum(of_tree.nodes[place].time for place in places)
    if not calls or time < least * calls:
        return None
    awaited = {
        callee: one
        for callee, one in of_tree.awaited(row, places).items()
        if min(one.calls, one.resumes) >= OFTEN * calls and of_tree.is_asked_for(callee, one.places)
    }
    if sum(one.time for one in awaited.values()) < MOST * time:
        return None
    ranked = sorted(awaited, key=lambda callee: -awaited[callee].time)
    inside = frozenset(pair for place in places for pair in of_tree.inside(place))
    return Serial(row, calls, round(time), {one: awaited[one].calls for one in ranked}, 0, inside)


class Nodes:
    """The nodes of a tree that were suspended. below: of each, those that it awaited. A generator
    expression, and a comprehension, is a part of the function around it."""

    def __init__(
        self,
        paths: Paths,
        tree: Tree,
        is_own: Sequence[bool],
        around: dict[int, int],
        generators: Collection[int],
    ) -> None:
        self.paths: Paths = paths
        self.tree: Tree = tree
        self.is_own: Sequence[bool] = is_own
        self.around: dict[int, int] = around
        self.nodes: list[Suspended] = suspended_nodes(tree, generators)
        self.below: list[list[int]] = [[] for _ in self.nodes]
        for place, one in enumerate(self.nodes):
            if one.parent >= 0:
                self.below[one.parent].append(place)

    def function(self, place: int) -> int:
        row = self.nodes[place].row
        return self.around.get(row, row)

    def outermost(self) -> dict[int, list[int]]:
        """The calls of each function of the program that are no recursion."""
        found: dict[int, list[int]] = defaultdict(list)
        for place, one in enumerate(self.nodes):
            row = self.function(place)
            if self.is_own[row] and row not in map(self.function, self.above(one.parent)):
                found[row].append(place)
        return found

    def above(self, place: int) -> Iterator[int]:
        while place >= 0:
            yield place
            place = self.nodes[place].parent

    def awaited(self, row: int, places: list[int]) -> dict[int, Awaited]:
        """What these calls of a function awaited, by function."""
        found: dict[int, Awaited] = {}
        for place in places:
            for callee, time in self.callees(row, place):
                one = self.nodes[callee]
                known = found.get(one.row) or Awaited(0.0, 0, 0, [])
                known.places.append(callee)
                found[one.row] = Awaited(
                    known.time + time,
                    known.calls + self.tree.calls[one.node],
                    known.resumes + self.tree.resumes[one.node],
                    known.places,
                )
        return found

    def callees(self, row: int, place: int) -> Iterator[tuple[int, float]]:
        """What a node of a function awaits, and for how long: functions of the program, maybe by
        way of libraries, and those of libraries that await none."""
        waiting = self.below[place][::-1]
        while waiting:
            one = waiting.pop()
            if self.function(one) == row:  # a part of it, or a recursion
                waiting += reversed(self.below[one])
            else:
                yield from self.led_to(one)

    def led_to(self, place: int) -> list[tuple[int, float]]:
        """The node, or those of the program below one of a library that mostly awaits these. What
        `async with` calls has a name that says nothing: all that it awaits stands for it."""
        row, time = self.nodes[place].row, self.nodes[place].time
        if self.is_own[row]:
            return [(place, time)]
        further = [it for below in self.below[place] for it in self.led_to(below)]
        if last_name(self.paths.rows[row]).startswith("__"):
            found = sum(time for _, time in further)
            return [(it, its * time / found) for it, its in further] if found else [(place, time)]
        further = [(it, its) for it, its in further if self.is_own[self.nodes[it].row]]
        return further if sum(its for _, its in further) >= MOST * time else [(place, time)]

    def is_asked_for(self, callee: int, places: list[int]) -> bool:
        """Whether a function was awaited for what it does, not for others to begin or to end."""
        if not self.is_own[callee]:
            name = last_name(self.paths.rows[callee])
            if RECEIVES.match(name) or names(self.paths, callee) == SLEEP:
                return False
        last = names(self.paths, innermost(self.nodes, self.below, places))
        return last not in IDLE_AWAITED and last not in LOCKS

    def inside(self, place: int) -> Iterator[tuple[int, int]]:
        row = self.nodes[place].row
        waiting = [(below, row if self.is_own[row] else NOBODY) for below in self.below[place]]
        while waiting:
            one, caller = waiting.pop()
            row = self.nodes[one].row
            if names(self.paths, row) not in LOCKS:
                yield row, caller
            last = row if self.is_own[row] else caller
            waiting += [(below, last) for below in self.below[one]]


def last_name(row: Row) -> str:
    """The name of a function without its class."""
    return bare(row.name).rpartition(".")[2]
