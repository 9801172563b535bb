"""A capture seen by its native samples: CPU time in the place of time, native functions below the
nodes under which they ran.

In the records of such a capture a sample's weight stands in the place of ticks, and of calls. A
native function is a function of the capture, and its file is the library. So whatever adds up,
draws or exports times does so with native samples, too. Nodes without samples are left out.
"""

from __future__ import annotations

from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

from tracer._core import RECORDS
from tracer.data.records import NO_ROW, NODE, OVERFLOW
from tracer.data.samples import IN_OVERHEAD, NO_NATIVE, samples_of
from tracer.data.types import Function, Thread
from tracer.source.symbol_names import readable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.data.capture import Capture
    from tracer.data.samples import Frame, Samples

CPU = "cpu"  # the measure: see ProfileSet.measure
OVERHEAD, OUTSIDE, UNKEPT = "profiling overhead", "outside recorded functions", "paths not kept"


def seen_by_native(capture: Capture, *, by_address: bool = False) -> Capture:
    """The capture with CPU by samples in the place of time. by_address: each address is a function
    by itself, and its line is the address: of the instruction, or the last byte of the call; then
    its name is the symbol, else what the symbol's language calls it.
    Raises ValueError where no native code was sampled."""
    samples = capture.native
    if samples is None:
        raise ValueError(NO_NATIVE)
    names = _Names(capture, samples, by_address)
    view = copy(capture)
    view.threads = (
        *(
            thread._replace(
                records=_Nodes(thread, names).records(thread.native),
                log=None,
                memory=None,
                native=None,
            )
            for thread in capture.threads
        ),
        *_others(samples, names),
    )
    view.functions = tuple(names.functions)
    view.native_functions = frozenset(names.natives.values())
    view.clock, view.seconds_per_tick = CPU, samples.period
    view.costs = view.handlers = view.timeline_data = view.timed_lines = None
    view.memory_data = view.native_data = None
    return view


def _others(samples: Samples, names: _Names) -> Iterator[Thread]:
    """The threads that were not recorded, but sampled."""
    for other in samples.others:
        thread = Thread(f"native thread {other.name}", 0, other.native_id, 1, None, 0, {})
        yield thread._replace(records=_Nodes(thread, names).records(other.samples))


class _Names:
    """The functions of the view: those of the capture, then the others as they are met."""

    def __init__(self, capture: Capture, samples: Samples, by_address: bool) -> None:
        self.functions: list[Function] = list(capture.functions)
        self.natives: dict[Function, int] = {}
        self._special: dict[str, int] = {}
        self._samples = samples
        self._by_address = by_address
        self._stacks: dict[int, list[int]] = {0: []}

    def special(self, name: str) -> int:
        """A function in angle brackets, which stands for something else."""
        if name not in self._special:
            self._special[name] = self._add(Function("~", 0, f"<{name}>", name))
        return self._special[name]

    def stack(self, number: int) -> list[int]:
        """The functions of a native stack, the outermost first."""
        if number not in self._stacks:
            frames = self._samples.frames_of(number)
            last = len(frames) - 1
            self._stacks[number] = [
                self._native(frame, is_call=place < last) for place, frame in enumerate(frames)
            ]
        return self._stacks[number]

    def _native(self, frame: Frame, *, is_call: bool) -> int:
        name, library = frame.function
        line = frame.address - is_call if self._by_address else 0
        shown = name if self._by_address else readable(name)
        function = Function(library, line, shown, shown)
        if function not in self.natives:
            self.natives[function] = self._add(function)
        return self.natives[function]

    def _add(self, function: Function) -> int:
        self.functions.append(function)
        return len(self.functions) - 1


class _Nodes:
    """The nodes of a thread that have samples, or are above some: a caller before its callees."""

    def __init__(self, thread: Thread, names: _Names) -> None:
        self._names = names
        self._known = list(NODE.iter_unpack(thread.records.get("nodes", b"")))
        self._overflow = list(OVERFLOW.iter_unpack(thread.records.get("folds", b"")))
        self._places: dict[int, int] = {0: 0}  # of the capture's nodes
        self._children: dict[tuple[int, int], int] = {}  # (place of the parent, function): place
        self._weights: list[int] = [0]

    def records(self, samples: bytes | None) -> dict[str, bytes]:
        weights: Counter[tuple[int, bool, int, int]] = Counter()
        for sample in samples_of(samples):
            stack = 0 if sample.kind == IN_OVERHEAD else sample.stack
            weights[sample.node, sample.is_overflow, stack, sample.kind] += sample.weight
        for (node, is_overflow, stack, kind), weight in weights.items():
            place = self._of_overflow(node) if is_overflow else self._place(node)
            if kind == IN_OVERHEAD:
                place = self._child(place, self._names.special(OVERHEAD))
            for function in self._names.stack(stack):
                place = self._child(place, function)
            if not place:  # no function is there to bear the sample
                place = self._child(0, self._names.special(OUTSIDE))
            self._weights[place] += weight
        above = [(0, NO_ROW), *self._children]
        nodes = b"".join(
            NODE.pack(parent, function, weight, 0, weight, 0)
            for (parent, function), weight in zip(above, self._weights, strict=True)
        )
        return {**dict.fromkeys(RECORDS, b""), "nodes": nodes}

    def _child(self, parent: int, function: int) -> int:
        place = self._children.setdefault((parent, function), len(self._weights))
        if place == len(self._weights):
            self._weights.append(0)
        return place

    def _place(self, node: int) -> int:
        """The place of a node of the capture."""
        way = []
        while node not in self._places:
            way.append(node)
            node = self._known[node][0]
        place = self._places[node]
        for node in reversed(way):
            place = self._places[node] = self._child(place, self._known[node][1])
        return place

    def _of_overflow(self, position: int) -> int:
        """The place of a function whose path was not kept."""
        _, callee, *_ = self._overflow[position]
        return self._child(self._child(0, self._names.special(UNKEPT)), callee)
