"""Runs with a timeline, written as text: `name@file start-end` a stretch, two blanks a level.

The file is a word of treetexts.FILES; a builtin has none. Behind the moments may stand `+` (a
resume, no call), `~` (it ran already, and is not counted), `?` (not ended), `#N` (of task N), `/N`
(of the greenlet's stack N). `gap start-end N` below a call is a gap of N ticks. A tick is a
microsecond, unless told. The slices and bins are packed as in a file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from struct import Struct
from textwrap import dedent
from typing import NamedTuple

import tracer
from tracer.analysis.timeline.run import TimedRun, runs_of
from tracer.data.capture import Capture
from tracer.data.records import NO_ROW, NODE
from treetexts import FILES
from varints import varint, zigzag

LINE = re.compile(r"( *)(\S+) (\d+)-(\d+)((?: \S+)*)")
EXTRA = Struct("=IIq")  # function, 0, ticks
BLOCK = Struct("<qIIq")  # base, bytes, records, the least ticks
LISTS = ("tasks", "stacks", "ranges", "marks", "counters", "flows", "collections", "forks")
GAP, OF_TASK, OF_STACK, OPEN = 0, 1, 2, 3


class Stretch(NamedTuple):
    """A stretch, or a gap: node 0. above: the stretch around it, by number; -1: none."""

    start: int
    end: int
    node: int
    above: int
    words: tuple[str, ...]

    @property
    def is_call(self) -> bool:
        return self.node > 0 and not {"+", "~"} & {*self.words}


class TimedText:
    """A thread whose stretches are written as text. functions: those of the capture, to add to."""

    def __init__(self, text, functions):
        self.nodes = [(0, NO_ROW)]  # (the caller's node, function)
        self.stretches: list[Stretch] = []  # callers first
        numbers = {}
        path = []
        for line in dedent(text).splitlines():
            if not line.strip():
                continue
            found = LINE.fullmatch(line)
            assert found, line
            del path[len(found[1]) // 2 :]
            above = path[-1] if path else -1
            caller = self.stretches[above].node if path else 0
            node = 0
            if found[2] != "gap":
                name, _, file = found[2].partition("@")
                key = FILES.get(file, file), 0 if file == "" else 1, name, name
                function = functions.setdefault(key, len(functions))
                node = numbers.setdefault((caller, function), len(self.nodes))
                if node == len(self.nodes):
                    self.nodes.append((caller, function))
            path.append(len(self.stretches))
            words = tuple(found[5].split())
            self.stretches.append(Stretch(int(found[3]), int(found[4]), node, above, words))
        self.calls_of_node = [0] * len(self.nodes)
        self.resumes_of_node = [0] * len(self.nodes)
        for one in self.stretches:
            of_node = self.calls_of_node if one.is_call else self.resumes_of_node
            of_node[one.node] += one.node > 0 and "~" not in one.words
        self.calls = [one for one in self.stretches if one.node]

    def own_parts(self):
        """(node, start, end, 1 or -1): where a node has own time, and where a callee takes it."""
        for one in self.calls:
            yield one.node, one.start, one.end, 1
            if one.above >= 0:
                yield self.stretches[one.above].node, one.start, one.end, -1

    def records(self):
        """What a profile has of the thread, without a timeline."""
        own = [0] * len(self.nodes)
        for node, start, end, sign in self.own_parts():
            own[node] += sign * (end - start)
        longest: dict[int, Stretch] = {}
        for one in self.calls:
            before = longest.setdefault(self.nodes[one.node][1], one)
            if one.end - one.start > before.end - before.start:
                longest[self.nodes[one.node][1]] = one
        figures = zip(self.nodes, self.calls_of_node, self.resumes_of_node, own, strict=True)
        return {
            "nodes": b"".join(NODE.pack(*names, *numbers, 0) for names, *numbers in figures),
            "longest": extras({at: one.end - one.start for at, one in longest.items()}),
            "longest_at": extras({at: one.start for at, one in longest.items()}),
        }

    def slices(self, least):
        """The slices as a file has them, in one block: of what lasts `least` ticks."""
        data, number, end, node = bytearray(), 0, 0, 0

        def put(one, of, value=0):
            nonlocal number, end, node
            data.extend(varint(one.end - end) + varint(one.end - one.start))
            data.extend(varint(zigzag(of - node)) + (b"" if of else varint(value)))
            number, end, node = number + 1, one.end, of

        for one in ended(self.stretches):
            if one.end - one.start < least:
                continue
            if not one.node:
                put(one, 0, int(one.words[0]) << 2 | GAP)
                continue
            put(one, one.node)
            for word in one.words:
                if word.startswith("#"):
                    put(one, 0, int(word[1:]) << 2 | OF_TASK)
                elif word.startswith("/"):
                    put(one, 0, int(word[1:]) << 2 | OF_STACK)
                elif word == "?":
                    put(one, 0, OPEN)
        return BLOCK.pack(0, len(data), number, least) + data

    def bins(self, unit, widths):
        """The bins as a file has them. widths(number of a unit): units of the bin that it is in."""
        cells = defaultdict(lambda: defaultdict(lambda: [0, 0]))
        for one in self.calls:
            cells[bin_at(one.start // unit, widths)][one.node][0] += one.is_call
        for node, start, end, sign in self.own_parts():
            while start < end:
                at = start // unit
                part = min(end, (at + 1) * unit)
                cells[bin_at(at, widths)][node][1] += sign * (part - start)
                start = part
        data, done = bytearray(), 0
        for begin, width in sorted(cells):
            entries = {node: it for node, it in cells[begin, width].items() if any(it)}
            data += varint(begin - done) + varint(width) + varint(len(entries))
            before = 0
            for node, (calls, own) in sorted(entries.items()):
                data += varint(zigzag(node - before)) + varint(calls) + varint(zigzag(own))
                before = node
            done = begin + width
        return bytes(data)


def extras(figures):
    return b"".join(EXTRA.pack(function, 0, ticks) for function, ticks in figures.items())


def ended(stretches):
    """The stretches in the order in which they ended, a callee before its caller."""
    order = sorted(range(len(stretches)), key=lambda at: (stretches[at].end, -at))
    return [stretches[at] for at in order]


def bin_at(unit, widths):
    width = widths(unit)
    return unit - unit % width, width


def capture_of(
    *texts,
    names=(),
    tick=1e-6,
    unit=1000,
    over=False,
    least=0,
    widths=lambda unit: 1,
    timeline=(),
    **lists,
):
    """A Capture of these threads. lists: tuples of what a timeline has under these names. timeline:
    what else it holds than usual. least: what is shorter is not drawn."""
    functions = {}
    threads = [TimedText(text, functions) for text in texts]
    names = names or [f"Thread-{at}" if at else "MainThread" for at in range(len(texts))]
    facts = [
        {
            "name": name,
            "ident": at + 1,
            "native_id": at + 1,
            "sharers": 1,
            "lost_calls": 0,
            **thread.records(),
            "slices": thread.slices(least),
            "bins": thread.bins(unit, widths),
            "folded": b"",
            "began": min(one.start for one in thread.calls),
            "ended": max(one.end for one in thread.calls),
            "is_over": over,
        }
        for at, (name, thread) in enumerate(zip(names, threads, strict=True))
    ]
    data = {
        "functions": (*functions,),
        "left_out": (),
        "threads": tuple(facts),
        "clock": "wall",
        "seconds_per_tick": tick,
        "subcalls": True,
        "builtins": True,
        "timeline": section(least=least, unit=unit, **lists, **dict(timeline)),
    }
    return Capture(data)


def section(**given):
    """What threads share of a timeline, as a file has it: nothing but what is given."""
    empty = {
        "packing": "",
        "least": 0,
        "since": 0,
        "budget": 2**26,
        "ring": False,
        "lost": 0,
        "clock": ((0, 0),),
        "epoch": 0.0,
        "pid": 1,
        "unit": 1000,
        "dropped": {},
        **dict.fromkeys(LISTS, ()),
    }
    assert given.keys() <= empty.keys()
    return empty | {name: tuple(it) if name in LISTS else it for name, it in given.items()}


def run_of(*texts, begin=None, end=None, **options) -> TimedRun:
    [run] = runs_of(tracer.Stats(capture_of(*texts, **options)), begin, end)
    return run


def place(row):
    return f"{row.file.rpartition('/')[2]}:{row.line}"
