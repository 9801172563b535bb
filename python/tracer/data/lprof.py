"""`.lprof` files, line_profiler's timings of lines: read safely, and written for line_profiler.

Such a file is a pickle of one LineStats, and unpickling can run any code. So nothing is unpickled
here: _Builder follows the opcodes, builds timings out of texts and numbers, and refuses all else.
report/line_table.py prints the table.
"""

from __future__ import annotations

import os
import pickle
import pickletools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tracer._core import ProfileFormatError
from tracer.data.line_timings import UNIT, Key, Timing, Timings, timings_of
from tracer.runtime.atomic_files import AnyPath, read_whole, write_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.lines import Lines

REMEDY = "name a file that kernprof, line_profiler or tracer wrote"
# Bytes. A line takes some 15 bytes in the file, so this is room for 4 million lines. In memory a
# line takes 20 times as much.
LARGEST_FILE = 64 * 2**20
LARGEST_NUMBER = 2**63  # line_profiler counts in 64-bit integers
LARGEST_LINE = 2**31
LONGEST_TEXT = 2**15  # characters of a file's or a function's name
DEEPEST_STACK = 10_000  # a pickler hands over at most a thousand pairs at a time


def load(path: AnyPath) -> tuple[Timings, float]:
    """(timings of a file, their unit in seconds). Raises ProfileFormatError, OSError."""
    name = os.fsdecode(path)
    data, _ = read_whole(path, LARGEST_FILE + 1)
    return read(data, name)


def read(data: bytes, name: str) -> tuple[Timings, float]:
    """(timings in the bytes of a file, their unit in seconds). Raises ProfileFormatError, which
    names the file `name`, for bytes that are no timings."""
    if len(data) > LARGEST_FILE:
        raise _error(name, f"larger than {LARGEST_FILE >> 20} MiB")
    if not data:
        raise _error(name, "empty")
    builder = _Builder()
    try:
        for opcode, argument, position in pickletools.genops(data):
            builder.position = position or 0
            builder.do(opcode.name, argument)
    except _Refused as refused:
        raise _error(name, f"at byte {builder.position}: {refused}") from None
    except (ValueError, OverflowError):
        # genops() words its errors for pickle's authors, and puts the whole file into some.
        raise _error(name, f"at byte {builder.position} or after: cut off or damaged") from None
    assert builder.result is not None  # genops() fails where there is no end
    return builder.result


def _error(name: str, what: str) -> ProfileFormatError:
    return ProfileFormatError(f"no .lprof file, or damaged: {what}", path=name, remedy=REMEDY)


# -- Reading: the opcodes of a pickle that these files have --------------------------------------


class _Refused(Exception):
    """An opcode or value that no file of timings needs."""


class _Name(NamedTuple):
    """A global that a file names; it is never looked up."""

    module: str
    name: str


class _Stats(NamedTuple):
    """The LineStats of the file. state: empty, then the one table of its attributes."""

    state: list[_Table]


class _Table(dict[Any, Any]):
    """A dict of the file: the object's state, or the timings."""


class _Rows(list[Timing]):
    """A list of the file: the lines of a function."""


# Releases 1 to 3 had the class in the extension module, which once was in no package.
LINE_STATS = {
    _Name("line_profiler.line_profiler", "LineStats"),
    _Name("line_profiler._line_profiler", "LineStats"),
    _Name("line_profiler", "LineStats"),
    _Name("_line_profiler", "LineStats"),
}
# Protocols 0 and 1 make every object with these functions.
RECONSTRUCTORS = {_Name("copyreg", "_reconstructor"), _Name("copy_reg", "_reconstructor")}
OBJECTS = {_Name("builtins", "object"), _Name("__builtin__", "object")}
NAMES = LINE_STATS | RECONSTRUCTORS | OBJECTS

MARK = object()
# Values that may be in a tuple and may be used twice. None of them can grow, so a result is at most
# a few times as large as the file and never contains itself.
PLAIN = (str, int, float, _Name, type(None))
LITERALS = {
    *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT"),
    *("UNICODE", "SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8"),
    *("STRING", "BINSTRING", "SHORT_BINSTRING", "NONE"),
}
REMEMBERING = {"PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"}


class _Builder:
    """The machine that a pickle is a program for: it has a stack and a memo."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.remembered = False  # whether the top of the stack was just put into the memo
        self.position = 0
        self.result: tuple[Timings, float] | None = None

    def do(self, opcode: str, argument: Any) -> None:
        if opcode in LITERALS:
            self.push_literal(argument)
        elif opcode in ACTIONS:
            ACTIONS[opcode](self, argument)
        else:
            raise _Refused(f"{opcode} is nothing that timings are made by")
        if len(self.stack) > DEEPEST_STACK:
            raise _Refused("nested too deep")
        self.remembered = opcode in REMEMBERING

    def push_literal(self, value: Any) -> None:
        if isinstance(value, int) and not -LARGEST_NUMBER <= value < LARGEST_NUMBER:
            raise _Refused("a number is too large")
        if isinstance(value, str) and len(value) > LONGEST_TEXT:
            raise _Refused("a name is too long")
        self.stack.append(value)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is MARK:
            raise _Refused("a value is missing")
        return self.stack.pop()

    def pop_to_mark(self) -> list[Any]:
        for index in range(len(self.stack) - 1, -1, -1):
            if self.stack[index] is MARK:
                values = self.stack[index + 1 :]
                del self.stack[index:]
                return values
        raise _Refused("values are missing")

    def top(self, kind: type) -> Any:
        if not self.stack or type(self.stack[-1]) is not kind:
            raise _Refused("this has no place here")
        return self.stack[-1]

    def push_tuple(self, values: Sequence[Any]) -> None:
        if len(values) > 3 or not all(isinstance(value, PLAIN) for value in values):
            raise _Refused("a tuple of this kind has no place here")
        self.stack.append(tuple(values))

    def push_name(self, name: _Name) -> None:
        if name not in NAMES:
            full = f"{name.module[:80]}.{name.name[:80]}"
            raise _Refused(f"it names {full!r}, which is no part of one")
        self.stack.append(name)

    def push_list(self, values: Iterable[Any]) -> None:
        self.stack.append(_Rows())
        self.extend(values)

    def push_dict(self, values: Sequence[Any]) -> None:
        self.stack.append(_Table())
        self.update(values)

    def extend(self, values: Iterable[Any]) -> None:
        rows = self.top(_Rows)
        for value in values:
            if not _is_timing(value):
                raise _Refused("this is no timing of a line")
            rows.append(value)

    def update(self, values: Sequence[Any]) -> None:
        table = self.top(_Table)
        if len(values) % 2:
            raise _Refused("a value is missing")
        for key, value in zip(values[::2], values[1::2], strict=True):
            if not (_is_function(key) if type(value) is _Rows else type(key) is str):
                raise _Refused("this cannot be the key of a dict")
            table[key] = value

    def remember(self, place: int) -> None:
        if not self.stack or self.remembered:
            raise _Refused("a value is missing")
        self.memo[place] = self.stack[-1]

    def recall(self, place: int) -> None:
        value = self.memo.get(place, MARK)
        if type(value) is not tuple and not isinstance(value, PLAIN):
            raise _Refused("this cannot be used twice")
        self.stack.append(value)

    def make(self, kind: object, arguments: object) -> None:
        if type(kind) is _Name and (
            (kind in LINE_STATS and arguments == ())
            or (kind in RECONSTRUCTORS and _is_reconstruction(arguments))
        ):
            self.stack.append(_Stats([]))
        else:
            raise _Refused("an object of this kind has no place here")

    def build(self) -> None:
        state = self.pop()
        stats: _Stats = self.top(_Stats)
        if type(state) is not _Table or state.keys() != {"timings", "unit"} or stats.state:
            raise _Refused("it has not the parts of timings")
        stats.state.append(state)

    def stop(self) -> None:
        stats: _Stats = self.top(_Stats)
        if len(self.stack) != 1 or not stats.state:
            raise _Refused("it ends too early")
        (state,) = stats.state
        timings, unit = state["timings"], state["unit"]
        if type(timings) is not _Table or not all(type(key) is tuple for key in timings):
            raise _Refused("it has no timings")
        if not is_unit(unit):
            raise _Refused("it has no unit of time")
        self.result = {key: list(rows) for key, rows in timings.items()}, float(unit)


ACTIONS: dict[str, Callable[[_Builder, Any], None]] = {
    **dict.fromkeys(("PROTO", "FRAME"), lambda builder, _: None),
    "MARK": lambda builder, _: builder.stack.append(MARK),
    "STOP": lambda builder, _: builder.stop(),
    "EMPTY_TUPLE": lambda builder, _: builder.push_tuple(()),
    "TUPLE1": lambda builder, _: builder.push_tuple([builder.pop()]),
    "TUPLE2": lambda builder, _: builder.push_tuple([builder.pop(), builder.pop()][::-1]),
    "TUPLE3": lambda builder, _: builder.push_tuple([builder.pop() for _ in range(3)][::-1]),
    "TUPLE": lambda builder, _: builder.push_tuple(builder.pop_to_mark()),
    "EMPTY_LIST": lambda builder, _: builder.push_list(()),
    "LIST": lambda builder, _: builder.push_list(builder.pop_to_mark()),
    "APPEND": lambda builder, _: builder.extend([builder.pop()]),
    "APPENDS": lambda builder, _: builder.extend(builder.pop_to_mark()),
    "EMPTY_DICT": lambda builder, _: builder.push_dict(()),
    "DICT": lambda builder, _: builder.push_dict(builder.pop_to_mark()),
    "SETITEM": lambda builder, _: builder.update([builder.pop(), builder.pop()][::-1]),
    "SETITEMS": lambda builder, _: builder.update(builder.pop_to_mark()),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT"), _Builder.remember),
    "MEMOIZE": lambda builder, _: builder.remember(len(builder.memo)),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Builder.recall),
    "GLOBAL": lambda builder, both: builder.push_name(_Name(*both.split(" ", 1))),
    "STACK_GLOBAL": lambda builder, _: builder.push_name(_stack_name(builder)),
    **dict.fromkeys(
        ("NEWOBJ", "REDUCE"),
        lambda builder, _: builder.make(*[builder.pop(), builder.pop()][::-1]),
    ),
    "BUILD": lambda builder, _: builder.build(),
}


def _stack_name(builder: _Builder) -> _Name:
    name, module = builder.pop(), builder.pop()
    if type(name) is not str or type(module) is not str:
        raise _Refused("a name is no text")
    return _Name(module, name)


def _is_reconstruction(value: object) -> bool:
    return (
        type(value) is tuple
        and len(value) == 3
        and value[0] in LINE_STATS
        and value[1] in OBJECTS
        and value[2] is None
    )


def _is_count(value: object, limit: int) -> bool:
    return type(value) is int and 0 <= value < limit


def _is_time(value: object) -> bool:
    if type(value) is float:
        return abs(value) < float("inf")
    return type(value) is int and -LARGEST_NUMBER <= value < LARGEST_NUMBER


def _is_timing(value: object) -> bool:
    return (
        type(value) is tuple
        and len(value) == 3
        and _is_count(value[0], LARGEST_LINE)
        and _is_count(value[1], LARGEST_NUMBER)
        and _is_time(value[2])
    )


def _is_function(value: object) -> bool:
    return (
        type(value) is tuple
        and len(value) == 3
        and type(value[0]) is str
        and _is_count(value[1], LARGEST_LINE)
        and type(value[2]) is str
    )


def is_unit(value: object) -> bool:
    return type(value) in (int, float) and 0 < value < 1e9  # type: ignore[operator]


# -- Writing --------------------------------------------------------------------------------------


def dumps(timings: Mapping[Key, Iterable[Timing]], unit: float) -> bytes:
    """The bytes of a file that every release of line_profiler reads. Raises ValueError for timings
    or a unit that such a file cannot hold."""
    # New lists and tuples: an object that is in `timings` twice would be a reference in a pickle.
    state = {
        "timings": {tuple(key): [tuple(row) for row in rows] for key, rows in timings.items()},
        "unit": unit,
    }
    for key, rows in state["timings"].items():  # type: ignore[attr-defined]
        if not _is_function(key):
            raise ValueError(f"{key!r} is no (file, first line, name) of a function")
        for row in rows:
            if not _is_timing(row):
                raise ValueError(f"{row!r} is no (line, hits, time)")
    if not is_unit(unit):
        raise ValueError(f"{unit!r} is no unit of time in seconds")
    # Protocol 2 has no frames and numbers its memo explicitly, so the object can be put around its
    # state: PROTO 2, GLOBAL, EMPTY_TUPLE, NEWOBJ, the state, BUILD, STOP.
    data = pickle.dumps(state, 2)
    # Every release finds the class under this name, even those that define it elsewhere.
    name = b"line_profiler._line_profiler\nLineStats\n"
    return data[:2] + b"c" + name + b")\x81" + data[2:-1] + b"b."


def write(path: AnyPath, timings: Mapping[Key, Iterable[Timing]], unit: float) -> None:
    """Write a file, whole or not at all. Raises OSError, ValueError."""
    write_whole(path, dumps(timings, unit))


def bytes_of(lines: Lines) -> bytes:
    """The bytes of an .lprof file with these lines."""
    return dumps(timings_of(lines), UNIT)
