"""Timelines by hand, to draw: calls as nested tuples, and all that may be beside them."""

from array import array
from typing import NamedTuple

from tracer.data.capture import NOTHING, Capture
from tracer.data.profile_set import ProfileSet
from tracer.data.records import NO_ROW
from tracer.data.types import Thread


class Call(NamedTuple):
    """A slice of a function, and what it called. tag, is_open: as in a log."""

    name: str
    start: int
    end: int
    calls: tuple = ()
    tag: int = 0
    is_open: bool = False


class Gap(NamedTuple):
    start: int
    end: int
    waited: int


class Slices(NamedTuple):
    starts: memoryview
    ends: memoryview
    nodes: memoryview
    depths: memoryview
    parents: memoryview
    tags: memoryview
    values: memoryview


class StandInThread:
    def __init__(self, calls, names):
        self.names = names
        self.nodes = {(): 0}
        self.slices = []
        for call in calls:
            self.add(call, (), -1, 0)

    def add(self, call, path, parent, depth):
        here = len(self.slices)
        if isinstance(call, Gap):
            self.slices.append((call.start, call.end, 0, depth, parent, 0, call.waited))
            return
        path = (*path, call.name)
        node = self.nodes.setdefault(path, len(self.nodes))
        self.slices.append((call.start, call.end, node, depth, parent, call.tag, int(call.is_open)))
        for inner in call.calls:
            self.add(inner, path, here, depth + 1)

    @property
    def functions(self):
        return array("I", [self.names.index(path[-1]) if path else NO_ROW for path in self.nodes])

    @property
    def ended(self):
        return max((end for _, end, *_ in self.slices), default=0)

    def read(self, first=0, last=2**62, least=0):
        places, found = {-1: -1}, []
        for place, (start, end, *rest) in enumerate(self.slices):
            if end - start >= least and start <= last and end >= first:
                places[place] = len(found)
                node, depth, parent, tag, value = rest
                found.append((start, end, node, depth, places.get(parent, -1), tag, value))
        columns = zip(*found, strict=True) if found else [[]] * 7
        codes = "qqIIiIq"
        return Slices(*(memoryview(array(c, v)) for c, v in zip(codes, columns, strict=True)))


class StandIn:
    def __init__(self, threads, beside):
        self.threads = threads
        self.seconds_per_tick, self.least, self.since, self.pid, self.epoch = 1e-9, 0, 0, 77, 1e9
        self.lost, self.dropped = 0, {}
        self.last = max(thread.ended for thread in threads)
        self.clock = ((0, 10**12),)
        for name in ("tasks", "stacks", "ranges", "marks", "counters", "flows", "collections"):
            setattr(self, name, ())
        self.forks = ()
        for name, value in beside.items():
            assert hasattr(self, name), name
            setattr(self, name, value)


def names_in(calls):
    for call in calls:
        if isinstance(call, Call):
            yield call.name
            yield from names_in(call.calls)


FILES = {"len": "~"}


def capture_of(threads, **beside):
    """A Capture. threads: {name: calls}. Functions are in /app/main.py at lines 1, 2, ...; len is
    in C."""
    names = list(dict.fromkeys(name for calls in threads.values() for name in names_in(calls)))
    functions = tuple(
        ("~", 0, "len", "len") if name == "len" else ("/app/main.py", line, name, name)
        for line, name in enumerate(names, 1)
    )
    capture = Capture(
        {**NOTHING, "functions": functions, "clock": "wall", "seconds_per_tick": 1e-9}
    )
    made = tuple(Thread(name, 100 + n, 200 + n, 1, None, 0, {}) for n, name in enumerate(threads))
    capture.threads = made
    capture.timeline = StandIn([StandInThread(calls, names) for calls in threads.values()], beside)
    return capture


def set_of(*captures):
    made = ProfileSet()
    made._set_parts([made_part(capture) for capture in captures])
    return made


def made_part(capture):
    from tracer.data.profile_set import Part

    return Part(capture)
