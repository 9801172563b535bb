"""The native samples of a capture: in which C code each calling context spent its CPU time.

A sample is a moment at which a thread had used another `period` of CPU time. It fell in a calling
context, and in a *native stack*: the C functions between that context and the instruction that ran.
The empty native stack is the interpreter itself. ext/core/samples makes the records.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from os.path import basename
from struct import Struct
from typing import Any, NamedTuple

# An address of code: the address, the position of its module, the position of its symbol.
FRAME = Struct("=QII")
# A native stack, but for the empty one, which is number 0: number of the stack of its caller,
# position of its innermost frame. A caller comes before its callees.
STACK = Struct("=II")
# Samples of a thread: node, whether that is one whose path was not kept, number of a native stack,
# kind, and how many: a weight, since one signal may stand for several periods.
SAMPLE = Struct("=IIIIQ")
# Stands for the module or the symbol of an address that is in none.
NOWHERE = 2**32 - 1
# The kinds of samples: in the program, and in tracer's own code or in the interpreter's that calls
# it.
IN_PROGRAM, IN_OVERHEAD = range(2)
NO_NATIVE = "no native code was sampled: give --native, or native=True, when you record"


class Module(NamedTuple):
    """A file of code. start, limit: the addresses at which its code was mapped; offset: in the
    file, of `start`. build_id: in hexadecimal; "" where the file has none."""

    path: str
    build_id: str
    start: int
    limit: int
    offset: int

    @property
    def name(self) -> str:
        return basename(self.path)


class NativeFunction(NamedTuple):
    """A function in native code. A name of the symbol table, or "libz.so.1+0x5f20" where the table
    names none; library: the path of the file, "" for code that is in no file."""

    name: str
    library: str


class Frame(NamedTuple):
    """An address of code. module: its position, or NOWHERE. is_call: whether the address is behind
    a call, not the instruction that ran: that is so in all but the innermost frame."""

    address: int
    module: int
    function: NativeFunction


class Sample(NamedTuple):
    node: int
    is_overflow: bool
    stack: int
    kind: int
    weight: int


class OtherThread(NamedTuple):
    """A thread that Python does not know, or one that was not recorded. cpu: seconds of CPU while
    it was sampled; -1: not known. samples: of the node 0."""

    name: str
    native_id: int
    cpu: float
    samples: bytes


class Samples:
    """What the threads of a capture share of native samples, and where each stack was.

    hz: the samples a second of CPU that were asked for. period: the seconds for which a sample of
    weight 1 stands. means: "timer" or "perf". signals: how many samples there were, whatever their
    weight. cut: those whose stack could not be followed to its end. lost: those that are in no
    figure, for there was no room. refused: (name of a thread, why) of those that could not be
    sampled.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.hz: int = data["hz"]
        self.period: float = data["period"]
        self.means: str = data["means"]
        self.signals: int = data["signals"]
        self.cut: int = data["cut"]
        self.lost: int = data["lost"]
        self.refused: tuple[tuple[str, str], ...] = data["refused"]
        self.modules: tuple[Module, ...] = tuple(map(Module._make, data["modules"]))
        self.others: tuple[OtherThread, ...] = tuple(map(OtherThread._make, data["others"]))
        self._data = data

    @cached_property
    def frames(self) -> list[Frame]:
        names = self._data["symbols"]  # of (name, module, start)
        functions = [self._function(*symbol) for symbol in names]
        frames = []
        for address, module, symbol in FRAME.iter_unpack(self._data["frames"]):
            known = symbol != NOWHERE
            function = functions[symbol] if known else self._function("", module, address)
            frames.append(Frame(address, module, function))
        return frames

    def _function(self, name: str, module: int, start: int) -> NativeFunction:
        """start: an offset in the address space of the module's file, or an address in none."""
        if module == NOWHERE:
            return NativeFunction(name or "<code in no file>", "")
        where = self.modules[module]
        return NativeFunction(name or f"{where.name}+0x{start:x}", where.path)

    @cached_property
    def stacks(self) -> list[tuple[int, int]]:
        """By number: (number of the caller's stack, position of the innermost frame). The first
        is the empty stack, of which both mean nothing."""
        return [(0, 0), *STACK.iter_unpack(self._data["stacks"])]

    def frames_of(self, stack: int) -> list[Frame]:
        """The frames of a stack, the outermost first."""
        found = []
        while stack:
            stack, frame = self.stacks[stack]
            found.append(self.frames[frame])
        return found[::-1]


def samples_of(records: bytes | None) -> Iterator[Sample]:
    """The samples of a thread."""
    for node, is_overflow, stack, kind, weight in SAMPLE.iter_unpack(records or b""):
        yield Sample(node, bool(is_overflow), stack, kind, weight)
