"""Profiles with a timeline by hand, to be drawn: calls as nested tuples, and what is beside them.

A tick is a nanosecond.
"""

from typing import NamedTuple

from timelines import section
from tracer.data.capture import Capture
from tracer.data.profile_set import ProfileSet
from tracer.data.records import NO_ROW, NODE
from tracer.exports.export import Window
from tracer.exports.timelines import tracks_of
from varints import varint, zigzag

GAP, TAG_TASK, TAG_STACK, OPEN = range(4)  # what a record of node 0 is, in its lowest bits
HEADER = 24


class Call(NamedTuple):
    """A stretch of a function, and what is within. task, stack: numbers."""

    name: str
    start: int
    end: int
    within: tuple = ()
    task: int = 0
    stack: int = 0
    is_open: bool = False


class Gap(NamedTuple):
    """A gap in which the thread had no CPU for so many ticks."""

    start: int
    end: int
    waited: int


class Log:
    """The log of a thread, as docs/reference/file-format.md describes it."""

    def __init__(self, calls, functions):
        self.functions = functions
        self.nodes = {(): 0}
        self.records = bytearray()
        self.count = self.before = self.node = 0
        for call in calls:
            self.add(call, ())

    def add(self, call, path):
        if isinstance(call, Gap):
            self.put(call, 0, call.waited << 2 | GAP)
            return
        path = (*path, call.name)
        node = self.nodes.setdefault(path, len(self.nodes))
        for inner in call.within:
            self.add(inner, path)
        self.put(call, node)
        if call.task:
            self.put(call, 0, call.task << 2 | TAG_TASK)
        if call.stack:
            self.put(call, 0, call.stack << 2 | TAG_STACK)
        if call.is_open:
            self.put(call, 0, OPEN)

    def put(self, call, node, value=0):
        self.records += varint(call.end - self.before) + varint(call.end - call.start)
        self.records += varint(zigzag(node - self.node))
        self.records += b"" if node else varint(value)
        self.before, self.node, self.count = call.end, node, self.count + 1

    @property
    def slices(self):
        head = (0).to_bytes(8, "little") + len(self.records).to_bytes(4, "little")
        return head + self.count.to_bytes(4, "little") + bytes(8) + self.records

    @property
    def node_records(self):
        """Their calls and times are none: nothing that is drawn is made of them."""
        return b"".join(
            NODE.pack(
                self.nodes[path[:-1]] if path else 0,
                self.functions.setdefault(path[-1], len(self.functions)) if path else NO_ROW,
                *(0, 0, 0, 0),
            )
            for path in self.nodes
        )


def capture_of(threads, *, tick=1e-9, left_out=(), least=0, native_ids=None, **timeline):
    """A Capture of {thread's name: calls}, of functions of the module main; <len> is in C.
    timeline: what differs in its section."""
    functions = {}
    logs = {name: Log(calls, functions) for name, calls in threads.items()}
    ends = {name: max([it.end for it in calls], default=0) for name, calls in threads.items()}
    facts = [
        {
            "name": name,
            "ident": 100 + position,
            "native_id": (native_ids or {}).get(name, 200 + position),
            "sharers": 1,
            "lost_calls": 0,
            "nodes": log.node_records,
            "slices": log.slices,
            "bins": b"",
            "folded": b"",
            "began": 0,
            "ended": ends[name],
            "is_over": False,
        }
        for position, (name, log) in enumerate(logs.items())
    ]
    named = [
        ("~", 0, name, name) if name == "len" else ("/app/main.py", line, name, name)
        for line, name in enumerate(functions, 1)
    ]
    clock = {"clock": ((0, 10**15),), "epoch": 1.7e9, "pid": 77}
    return Capture(
        {
            "functions": tuple(named),
            "left_out": tuple(functions[name] for name in left_out),
            "threads": tuple(facts),
            "clock": "wall",
            "seconds_per_tick": tick,
            "subcalls": True,
            "builtins": True,
            "timeline": section(least=least, **(clock | timeline)),
        }
    )


def tracks_by_hand(threads, window=None, most=0, **timeline):
    return tracks_of(ProfileSet(capture_of(threads, **timeline)), window or Window(), most)
