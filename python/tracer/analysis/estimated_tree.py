"""Paths for profiles that have none: files of cProfile and others, which hold callers only.

What a function did below one caller is not known there; it is taken to be the same below each, in
proportion to the time. No more time goes through an edge, and none is a function's own, than the
file says. So the sums are right, and single paths may never have happened.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.data.types import StatsDict

RULE = (
    "The file holds callers but no paths: the time of a function and of what it calls is shared "
    "out among its callers in proportion to the cumulative time under each."
)
SMALLEST = 1e-5  # of the whole: what takes less is not followed further
MOST_NODES = 200_000
DEEPEST = 500


class Step(NamedTuple):
    """What a function does in one context; `unkept` was spent in callees that are not followed."""

    row: int
    depth: int
    calls: float
    own: float
    unkept: float


def estimated(stats: StatsDict, unkept: int) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Columns as tracer._core.call_paths() gives them; rows are positions in `stats`, and `unkept`
    is the row for time of which the path is not followed. ValueError or OverflowError where figures
    are no real ones."""
    depths, rows = array("I", [0]), array("I", [NO_ROW])
    calls, times = array("Q", [0]), array("q", [0])

    def put(depth: int, row: int, count: float, seconds: float) -> None:
        depths.append(depth)
        rows.append(row)
        calls.append(round(max(1.0, count)) if count else 0)
        times.append(round(seconds * 1e9))

    graph = Graph(stats)
    for step in graph.steps():
        put(step.depth, step.row, step.calls, step.own)
        if step.unkept > 0:
            put(step.depth + 1, unkept, 0, step.unkept)
    if graph.remaining > graph.smallest:
        put(1, unkept, 0, graph.remaining)
    resumes = bytes(8 * len(depths))
    return depths.tobytes(), rows.tobytes(), calls.tobytes(), resumes, times.tobytes()


class Edge:
    """Calls of a function by another: how often, and how long that took. `left` is what is left of
    this time when paths were followed through it. Of an edge of a ring, which may come again below
    itself, that says nothing: there `uses` is how many paths were followed, a short one in part,
    which is at most `calls`."""

    def __init__(self, callee: int, calls: int, cumtime: float) -> None:
        self.callee: int = callee
        self.calls: int = calls
        self.cumtime: float = cumtime
        self.left = cumtime
        self.uses: float = 0.0
        self.in_ring = False

    def room(self) -> float:
        if self.in_ring:
            return self.cumtime if self.uses + 0.5 < self.calls else 0.0
        return self.left


class Graph:
    """Who calls whom. Functions are numbered as in the profile; a function that calls itself is a
    matter of its own time."""

    def __init__(self, stats: StatsDict) -> None:
        numbers = {label: row for row, label in enumerate(stats)}
        self.ncalls: list[int] = [ncalls for _, ncalls, _, _, _ in stats.values()]
        self.tottime: list[float] = [tottime for _, _, tottime, _, _ in stats.values()]
        self.cumtime: list[float] = [cumtime for _, _, _, cumtime, _ in stats.values()]
        self.own_left: list[float] = list(self.tottime)
        self.remaining = sum(self.tottime)
        self.smallest: float = SMALLEST * self.remaining
        self.callees: list[list[Edge]] = [[] for _ in numbers]
        for callee, (_, _, _, _, callers) in enumerate(stats.values()):
            for label, (calls, _, _, cumtime) in callers.items():
                caller = numbers.get(label)
                if caller is not None and caller != callee:
                    self.callees[caller].append(Edge(callee, calls, cumtime))
        for edges in self.callees:
            edges.sort(key=lambda edge: -edge.cumtime)

    def roots(self) -> Iterator[tuple[int, float]]:
        """Where paths begin, and how long each took: what callers do not account for. Functions
        that call each other in a ring are one here, and it begins with the one that took longest;
        of several, with that which the others called least."""
        ring_of = rings([[edge.callee for edge in edges] for edges in self.callees])
        inside = [0.0] * len(ring_of)
        members: dict[int, list[int]] = {}
        outside: dict[int, float] = dict.fromkeys(ring_of, 0.0)
        for row, edges in enumerate(self.callees):
            members.setdefault(ring_of[row], []).append(row)
            for edge in edges:
                edge.in_ring = ring_of[row] == ring_of[edge.callee]
                if edge.in_ring:
                    inside[edge.callee] += edge.cumtime
                else:
                    outside[ring_of[edge.callee]] += edge.cumtime
        begins = []
        for ring, rows in members.items():
            first = max(rows, key=lambda row: (self.cumtime[row], -inside[row]))
            alone = self.cumtime[first] - outside[ring]
            if alone > self.smallest or not outside[ring]:
                begins.append((first, alone))
        return iter(sorted(begins, key=lambda begin: -begin[1]))

    def steps(self) -> Iterator[Step]:
        """All contexts, in preorder."""
        count = 0
        for root, whole in self.roots():
            cumtime = self.cumtime[root]
            calls = self.ncalls[root] * (whole / cumtime if cumtime else 1.0)
            stack = [(root, 1, calls, whole)]
            while stack:
                row, depth, calls, seconds = stack.pop()
                count += 1
                share = min(1.0, seconds / self.cumtime[row]) if self.cumtime[row] else 0.0
                own = self.take_own(row, min(seconds, share * self.tottime[row]))
                follows = depth < DEEPEST and count + len(stack) < MOST_NODES
                below = self.below(row, share, seconds - own) if follows else []
                left = seconds - own - sum(time for _, _, time in below)
                unkept = min(left, self.remaining) if left > self.smallest else 0.0
                self.remaining -= unkept
                yield Step(row, depth, calls, own, unkept)
                stack += [(callee, depth + 1, calls, time) for callee, calls, time in below[::-1]]

    def take_own(self, row: int, seconds: float) -> float:
        own = min(seconds, self.own_left[row])
        self.own_left[row] -= own
        self.remaining -= own
        return own

    def below(self, row: int, share: float, seconds: float) -> list[tuple[int, float, float]]:
        """Whom a context of the function calls: (callee, calls, time). First each gets its share;
        what a recursion then leaves goes where the edges have room. An edge of a ring comes before
        others once, and then after them: that is how the ring is left."""
        edges = [edge for edge in self.callees[row] if edge.room() >= self.smallest]
        edges.sort(key=lambda edge: edge.in_ring and edge.uses > 0)
        times = [0.0] * len(edges)
        for wanted in share, 1.0:
            for place, edge in enumerate(edges):
                most = edge.cumtime if edge.in_ring else wanted * edge.cumtime
                time = min(most, edge.room(), edge.cumtime - times[place], seconds)
                times[place] += time
                edge.left -= time
                seconds -= time
            if seconds < self.smallest:
                break
        found = []
        for edge, time in zip(edges, times, strict=True):
            if time >= self.smallest and time > 0:
                edge.uses += min(1.0, time * edge.calls / edge.cumtime)
                found.append((edge.callee, edge.calls * (time / edge.cumtime), time))
        return found


def rings(callees: list[list[int]]) -> list[int]:
    """Of each function a number, the same for those that call each other in a ring: the strongly
    connected components, as Tarjan finds them."""
    found = [0] * len(callees)  # in which order; 0: not yet
    lowest = [0] * len(callees)
    ring = [-1] * len(callees)
    path: list[int] = []
    count = 0
    for start in range(len(callees)):
        if found[start]:
            continue
        stack = [(start, iter(callees[start]))]
        count += 1
        found[start] = lowest[start] = count
        path.append(start)
        while stack:
            row, rest = stack[-1]
            for callee in rest:
                if not found[callee]:
                    count += 1
                    found[callee] = lowest[callee] = count
                    path.append(callee)
                    stack.append((callee, iter(callees[callee])))
                    break
                if ring[callee] < 0:
                    lowest[row] = min(lowest[row], found[callee])
            else:
                stack.pop()
                if stack:
                    lowest[stack[-1][0]] = min(lowest[stack[-1][0]], lowest[row])
                if lowest[row] == found[row]:
                    while ring[row] < 0:
                        ring[path.pop()] = row
    return ring
