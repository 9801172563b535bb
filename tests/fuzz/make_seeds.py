"""Writes the fuzzer's seeds: small profile files, of each marshal version, and packed records.

    make_seeds.py [FOLDER]

ext/core/report/capture.h and reader.h say what the numbers mean. They are packed here by hand, so
that they are the same in every run. The extension says which lists a thread has. fuzz_reader.c
reads the seeds. Values are marshalled by hand, too: which values marshal shares depends on the
interpreter.
"""

import struct
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from tracer._core import RECORDS

NO_FUNCTION = LEFT_OUT = 2**32 - 1

LABELS = [("main.py", 1, "<module>"), ("main.py", 7, "spam"), ("~", 0, "<built-in method eggs>")]
STATS = {
    LABELS[0]: (1, 1, 0.5, 2.0, {}),
    LABELS[1]: (2, 3, 1.0, 1.5, {LABELS[0]: (2, 2, 0.75, 1.5), LABELS[1]: (1, 1, 0.25, 0.25)}),
    LABELS[2]: (70000, 70000, 0.5, 0.5, {LABELS[1]: (70000, 70000, 0.5, 0.5)}),
}
NUMBERS = [None, True, False, -1, 2**40, -(2**63), 1e300]
TEXTS = ["caf\xe9", "\ud800", "\u20ac" * 300, b"", []]


def node(parent: int, func: int, calls: int, ticks: int, folded: int = 0) -> bytes:
    return struct.pack("<IIQQqq", parent, func, calls, 0, ticks, folded)


def fold(caller: int, callee: int, calls: int, ticks: int) -> bytes:
    return struct.pack("<IIQQQQqq", caller, callee, calls, 1, calls, 1, ticks, ticks)


def outer(func: int, calls: int, ticks: int) -> bytes:
    return struct.pack("<IIQQq", func, 0, calls, 0, ticks)


def extra(func: int, ticks: int) -> bytes:
    return struct.pack("<IIq", func, 0, ticks)


def collections(node: int, is_overflow: int, count: int, ticks: int) -> bytes:
    return struct.pack("<IIQqq", node, is_overflow, count, ticks, ticks)


NODES = [
    node(0, NO_FUNCTION, 0, 5),
    node(0, 0, 1, 7),
    node(1, 1, 2, 9, 4),
    node(2, 1, 1, 3),
    node(2, 2, 8, 1),
]
FOLDS = [fold(1, 2, 8, 4), fold(NO_FUNCTION, 0, 1, 2)]
OUTERS = [outer(0, 1, 2), outer(2, 8, 4)]
# The records of each extra, by its key in a file. RECORDS has these keys behind those of the three
# lists above. Two more, of calls without a row and of what paths waited, have records of the same
# layout. The last list is of collections.
EXTRAS = {key: [extra(1, 6 * n), extra(2, 3)] for n, key in enumerate(RECORDS[3:-1], 1)}
EXTRAS[RECORDS[-1]] = [collections(2, 0, 3, 2), collections(1, 1, 1, 2)]


def marshalled(value: object, version: int) -> bytes:
    """What a marshal version makes of a value."""
    return Marshaller(version).packed(value)


class Marshaller:
    """Packs values as a marshal version does; from 3 on, a repeated value becomes a reference."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.known: dict[tuple[type, str], int] = {}

    def packed(self, value: object) -> bytes:
        for constant, code in (None, b"N"), (True, b"T"), (False, b"F"):
            if value is constant:
                return code
        if self.version < 3:
            return self.fresh(value)
        name = type(value), repr(value)
        if name in self.known:
            return b"r" + struct.pack("<I", self.known[name])
        self.known[name] = len(self.known)
        data = self.fresh(value)
        return bytes([data[0] | 0x80]) + data[1:]

    def fresh(self, value: object) -> bytes:
        match value:
            case int():
                return number(value)
            case float() if self.version >= 2:
                return b"g" + struct.pack("<d", value)
            case float():
                digits = format(value, ".17g").encode()
                return b"f" + bytes([len(digits)]) + digits
            case str():
                return self.text(value)
            case bytes():
                return b"s" + struct.pack("<I", len(value)) + value
            case tuple():
                return self.sequence(b"(", value)
            case list():
                return self.sequence(b"[", value)
            case dict():
                items = (self.packed(k) + self.packed(v) for k, v in value.items())
                return b"{" + b"".join(items) + b"0"
        raise TypeError(f"no seed has a {type(value).__name__}")

    def text(self, value: str) -> bytes:
        data = value.encode("utf-8", "surrogatepass")
        if self.version < 4 or not value.isascii():
            return b"u" + struct.pack("<I", len(data)) + data
        if len(data) < 256:
            return b"z" + bytes([len(data)]) + data
        return b"a" + struct.pack("<I", len(data)) + data

    def sequence(self, kind: bytes, values: Sequence[object]) -> bytes:
        short = kind == b"(" and self.version >= 4 and len(values) < 256
        head = b")" + bytes([len(values)]) if short else kind + struct.pack("<I", len(values))
        return head + b"".join(map(self.packed, values))


def number(value: int) -> bytes:
    if -(2**31) <= value < 2**31:
        return b"i" + struct.pack("<i", value)
    digits = []
    rest = abs(value)
    while rest:
        digits.append(rest % 2**15)
        rest >>= 15
    size = -len(digits) if value < 0 else len(digits)
    return b"l" + struct.pack(f"<i{len(digits)}H", size, *digits)


def section(payload: bytes, version: int = 1) -> bytes:
    header = struct.pack("<8sIIQ", b"\x89TRACER\n", version, zlib.crc32(payload), len(payload))
    return header + payload


def records(
    rows: list[int], row_count: int, nodes: int, folds: int, outers: int, extras: int
) -> bytes:
    """An input of add_up() in fuzz_reader.c."""
    counts = bytes([row_count, len(rows), nodes, folds, outers, *[extras] * len(EXTRAS)])
    return b"".join(
        [
            counts,
            struct.pack(f"<{len(rows)}I", *rows),
            *NODES[:nodes],
            *FOLDS[:folds],
            *OUTERS[:outers],
            *(record for records in EXTRAS.values() for record in records[:extras]),
        ]
    )


# A caller with two callees, the second with a gap, a number of a task, and an open stretch.
STRETCHES = bytes([3, 2, 4, 4, 1, 3, 0, 2, 2, 4, 1, 9, 1]) + bytes([0, 9, 1, 5, 0, 9, 0, 3])
SLICES = struct.pack("<qIIq", 0, len(STRETCHES), 6, 0) + STRETCHES
# Two bins, of two entries and of one.
BINS = bytes([0, 1, 2, 2, 1, 8, 2, 2, 6]) + bytes([2, 4, 1, 2, 9, 200, 1])


def timeline(data: bytes) -> bytes:
    """An input of read_timeline() in fuzz_reader.c: three nodes, each called by the one before."""
    return bytes([3, 0, 1, 2]) + data


def seeds() -> dict[str, bytes]:
    packed = {"nodes": NODES, "folds": FOLDS, "outers": OUTERS, **EXTRAS}
    thread = {name: b"".join(rows) for name, rows in packed.items()}
    content = {"functions": tuple(LABELS), "threads": (thread,), "left_out": ()}
    payload = marshalled(content, 4)
    files = {f"stats-marshal-{version}": marshalled(STATS, version) for version in range(5)}
    files["unusual"] = marshalled(NUMBERS + TEXTS, 4)
    files["unusual-old"] = marshalled(NUMBERS + TEXTS, 0)
    files["with-section"] = marshalled(STATS, 4) + section(payload)
    merged = marshalled({"merged": (content, {**content, "left_out": (1,)})}, 4)
    files["with-merged-section"] = marshalled(STATS, 4) + section(merged)
    files["with-newer-section"] = marshalled({}, 4) + section(payload, version=2)
    files["with-damaged-section"] = marshalled({}, 4) + section(payload)[:-1] + b"!"
    files["records"] = records([0, 1, 2], 3, 5, 2, 2, 2)
    files["records-merged"] = records([0, 0, 1], 2, 5, 2, 2, 2)
    files["records-left-out"] = records([0, LEFT_OUT, 1], 2, 5, 2, 2, 2)
    files["timeline-slices"] = timeline(SLICES)
    files["timeline-bins"] = timeline(BINS)
    files["records-of-a-tree"] = records([0, 1, 2], 3, 5, 0, 0, 0)
    return files


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "seeds"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds().items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
