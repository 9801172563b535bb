"""Runs with a timeline, written as text: a line a stretch, `name@file start-end`, two blanks a level.

The file is a word of treetexts.FILES; a builtin has none. Behind the moments may stand `+` (a resume,
no call), `?` (not ended), `#N` (of task N). `gap start-end N` below a call is a gap of N ticks. A tick
is a microsecond, unless told.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from struct import Struct
from textwrap import dedent
from types import SimpleNamespace
from typing import NamedTuple

import tracer
from tracer.analysis.timeline_run import TimedRun
from tracer.data.capture import Capture
from tracer.data.records import NO_ROW, NODE
from treetexts import FILES

LINE = re.compile(r"( *)(\S+) (\d+)-(\d+)((?: \S+)*)")


EXTRA = Struct("=IIq")  # function, 0, ticks


class Slices(NamedTuple):
    starts: memoryview
    ends: memoryview
    nodes: memoryview
    depths: memoryview
    parents: memoryview
    tags: memoryview
    values: memoryview


class One(NamedTuple):
    start: int
    end: int
    node: int
    depth: int
    parent: int
    tag: int
    value: int


class ThreadTimeline:
    """What tracer.data.timeline.ThreadTimeline tells, of stretches that are written as text."""

    def __init__(self, text, functions, unit, is_over):
        self.functions = functions
        self.nodes = [(0, 0)]  # (the caller's node, function)
        self.calls, self.resumes, self.own = [0], [0], [0]
        self.all: list[One] = []
        numbers = {}
        path = []  # places in self.all
        inside = defaultdict(int)  # of each stretch, ticks of its callees
        for line in dedent(text).splitlines():
            if not line.strip():
                continue
            found = LINE.fullmatch(line)
            assert found, line
            depth = len(found[1]) // 2
            del path[depth:]
            above = path[-1] if path else -1
            start, end, words = int(found[3]), int(found[4]), found[5].split()
            if found[2] == "gap":
                self.all.append(One(start, end, 0, depth, above, 0, int(words[0])))
                continue
            name, _, file = found[2].partition("@")
            key = FILES.get(file, file), 0 if file == "" else 1, name, name
            function = functions.setdefault(key, len(functions))
            caller = self.all[above].node if path else 0
            node = numbers.setdefault((caller, function), len(self.nodes))
            if node == len(self.nodes):
                self.nodes.append((caller, function))
                self.calls.append(0)
                self.resumes.append(0)
                self.own.append(0)
            tags = [int(word[1:]) << 2 | 1 for word in words if word.startswith("#")]
            path.append(len(self.all))
            self.all.append(One(start, end, node, depth, above, *(tags or [0]), "?" in words))
            self.calls[node] += "+" not in words
            self.resumes[node] += "+" in words
            self.own[node] += end - start
            if above >= 0:
                self.own[caller] -= end - start
                inside[above] += end - start
        self.unit = unit
        self.cells = defaultdict(lambda: [0, 0])  # (bin, node): calls, own ticks
        self.fill(text)
        stretches = [it for it in self.all if it.node]
        self.began = min(it.start for it in stretches)
        self.ended = max(it.end for it in stretches)
        self.is_over = is_over
        self.slices = bytes(4 * len(self.all))
        self.bins = b"\0\1"  # as far as it is read here: a gap of 0 units, a bin of 1
        self.folded = array("I")

    def fill(self, text):
        resumed = ["+" in line.split() for line in dedent(text).splitlines() if line.strip()]
        for at, one in enumerate(self.all):
            if one.node:
                self.cells[one.start // self.unit, one.node][0] += not resumed[at]
                self.add(one, one.node, 1)
                if one.parent >= 0:
                    self.add(one, self.all[one.parent].node, -1)

    def add(self, one, node, sign):
        moment = one.start
        while moment < one.end:
            end = min(one.end, (moment // self.unit + 1) * self.unit)
            self.cells[moment // self.unit, node][1] += sign * (end - moment)
            moment = end

    def rows(self):
        return array("I", [NO_ROW] + [function for _, function in self.nodes[1:]])

    def read(self, first=0, last=2**62, least=0):
        kept, numbers = [], {-1: -1}
        for at, one in enumerate(self.all):
            if one.start <= last and one.end >= first and one.end - one.start >= least:
                numbers[at] = len(kept)
                kept.append(one._replace(parent=numbers[one.parent]))
        columns = list(zip(*kept, strict=True)) or [()] * 7
        packed = [array(code, column) for code, column in zip("qqIIiIq", columns, strict=True)]
        return Slices(*map(memoryview, packed))

    def sums(self, first, last):
        found = defaultdict(lambda: [0, 0])
        for (at, node), (calls, own) in self.cells.items():
            if at * self.unit <= last and (at + 1) * self.unit > first:
                found[node][0] += calls
                found[node][1] += own
        return [(node, *numbers) for node, numbers in sorted(found.items()) if any(numbers)]

    def records(self):
        """The calling contexts, as a profile has them."""
        rows = zip(self.nodes, self.calls, self.resumes, self.own, strict=True)
        return b"".join(
            NODE.pack(caller, function if node else NO_ROW, calls, resumes, own, 0)
            for node, ((caller, function), calls, resumes, own) in enumerate(rows)
        )

    def longest(self):
        """The longest stretch of each function, as a profile has it."""
        found = defaultdict(int)
        for one in self.all:
            if one.node:
                function = self.nodes[one.node][1]
                found[function] = max(found[function], one.end - one.start)
        return b"".join(EXTRA.pack(function, 0, ticks) for function, ticks in found.items())


NOTHING = {
    name: ()
    for name in ("tasks", "stacks", "ranges", "marks", "counters", "flows", "collections", "forks")
}


def capture_of(*texts, names=(), tick=1e-6, unit=1000, over=False, least=0, **lists):
    """A Capture of these threads. Each of `lists` is what the timeline has under that name: tuples."""
    functions = {}
    threads = [ThreadTimeline(text, functions, unit, over) for text in texts]
    names = names or [f"Thread-{at}" if at else "MainThread" for at in range(len(texts))]
    capture = Capture(
        {
            "functions": [*functions],
            "left_out": (),
            "threads": [
                {
                    "name": name,
                    "ident": at + 1,
                    "native_id": at + 1,
                    "sharers": 1,
                    "lost_calls": 0,
                    "nodes": thread.records(),
                    "longest": thread.longest(),
                }
                for at, (name, thread) in enumerate(zip(names, threads, strict=True))
            ],
            "clock": "wall",
            "seconds_per_tick": tick,
            "subcalls": True,
            "builtins": True,
        }
    )
    for thread, one in zip(threads, capture.threads, strict=True):
        thread.thread = one
    capture.timeline = SimpleNamespace(
        **{**NOTHING, **{name: tuple(rows) for name, rows in lists.items()}},
        threads=tuple(threads),
        seconds_per_tick=tick,
        least=least * tick,
        since=0.0,
        lost=0,
        dropped={},
        ring=False,
        unit=unit,
    )
    return capture


def run_of(*texts, begin=None, end=None, **options):
    capture = capture_of(*texts, **options)
    return TimedRun(tracer.Stats(capture), capture, begin=begin, end=end)


def place(row):
    return f"{row.file.rpartition('/')[2]}:{row.line}"
