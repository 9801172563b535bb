"""What a profile's timeline holds, read off its log and its lists, for what other programs made of
its exports."""

from collections import Counter, defaultdict
from typing import NamedTuple

import tracer
from tracer.data.records import NO_ROW
from tracer.exports.export import Window
from tracer.exports.names import shown
from tracer.exports.timelines import tracks_of


class Slice(NamedTuple):
    name: str
    start: int
    end: int
    depth: int


class Log:
    """slices: {thread: [Slice]}, calls alone. gaps: how many. Times are nanoseconds."""

    def __init__(self, path):
        [self.capture] = tracer.Stats(path).captures
        self.timeline = self.capture.timeline
        assert self.timeline.least == 0
        rows = tracks_of(tracer.Stats(path), Window())
        self.names = dict(zip(map(tuple, rows.rows), rows.names, strict=True))
        self.slices, self.gaps = {}, 0
        for thread, log in zip(self.capture.threads, self.timeline.threads, strict=True):
            read = log.read()
            self.gaps += sum(node == 0 for node in read.nodes)
            self.slices[shown(thread.name)] = list(self.drawn(read, log.functions))

    def drawn(self, read, functions):
        """The slices of a thread, but for functions of tracer's own: what these call counts as
        called by their caller."""
        around = []  # the depths, in the log, of those that are drawn
        for start, end, node, depth in zip(*read[:4], strict=True):
            while around and around[-1] >= depth:
                around.pop()
            if node and functions[node] not in self.capture.left_out:
                name = self.name(functions[node])
                yield Slice(name, self.ns(start), self.ns(end), len(around))
                around.append(depth)

    def name(self, function):
        assert function != NO_ROW
        return self.names[self.capture.functions[function].label("qualname")]

    def plain_name(self, name):
        """As speedscope has it: without the place."""
        return next(shown(row[2]) for row, placed in self.names.items() if placed == name)

    def ns(self, tick):
        return round(tick * self.timeline.seconds_per_tick * 1e9)

    def thread(self, position):
        return shown(self.capture.threads[position].name)

    def totals(self):
        """{(thread, name): (count, nanoseconds)}."""
        found = defaultdict(lambda: (0, 0))
        for thread, slices in self.slices.items():
            for name, start, end, _ in slices:
                count, time = found[thread, name]
                found[thread, name] = count + 1, time + end - start
        return dict(found)

    def depths(self):
        """{thread: {depth: count}}."""
        return {
            thread: dict(Counter(one.depth for one in slices))
            for thread, slices in self.slices.items()
        }

    def own(self):
        """{(thread, name): nanoseconds}, without what is 0."""
        found = Counter()
        for thread, slices in self.slices.items():
            path = []
            for name, start, end, depth in slices:
                path[depth:] = [name]
                found[thread, name] += end - start
                if depth:
                    found[thread, path[-2]] -= end - start
        return {key: time for key, time in found.items() if time}
