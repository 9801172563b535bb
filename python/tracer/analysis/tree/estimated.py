"""Estimates paths for profiles without any: files of cProfile and others, which hold callers only.

Such a file does not say what a function did below one caller. It is assumed to do the same below
each, in proportion to the time. No edge and no function gets more time than the file says. So the
sums are right, but a single path may never have happened. call_tree.py has recorded paths.
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
SMALLEST = 1e-5  # share of the whole time: a path that takes less is not followed
MOST_NODES = 200_000
DEEPEST = 500


class Step(NamedTuple):
    """A function in one calling context. own: seconds in the function itself. unkept: seconds in
    callees that are not followed."""

    row: int
    depth: int
    calls: float
    own: float
    unkept: float


def estimated(stats: StatsDict, unkept: int) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    """Columns as tracer._core.call_paths() returns them. Rows are positions in `stats`; `unkept` is
    the row for time whose path is not followed. Raises ValueError or OverflowError for impossible
    figures: infinite, not a number, or negative."""
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
    none = bytes(8 * len(depths))  # resumes, and what was waited
    return depths.tobytes(), rows.tobytes(), calls.tobytes(), none, times.tobytes(), none


class Edge:
    """The calls of a function by another, and their cumulative time in seconds.

    left: the time that no path through this edge has taken yet. An edge of a ring may come again
    below itself, so `left` says nothing there. For such an edge, `uses` counts the paths through
    it, a short path as a fraction; there are at most `calls`.
    """

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
    """Who calls whom. Functions are numbered as in the profile. A function's calls of itself have
    no edge."""

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
        """(function, seconds) of the functions where paths begin: the time that no caller accounts
        for, longest first.

        Functions that call each other in a ring count as one. A ring begins with the function that
        took longest; of several such, with the one that the ring called for the least time.
        """
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
        """All calling contexts, in preorder."""
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
        """The callees of a function in one calling context: (callee, calls, seconds).

        Each edge first gets its share. The time that a recursion leaves then goes to edges with
        room. An edge of a ring comes before other edges until it is used, and after them from then
        on: so paths leave the ring.
        """
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
    """A number for each function, the same for functions that call each other in a ring: the
    strongly connected components, by Tarjan's algorithm."""
    found = [0] * len(callees)  # in which order; 0: not found yet
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
