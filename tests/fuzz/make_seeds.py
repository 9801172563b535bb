"""Writes the fuzzer's seeds: small profile files, of each marshal version, and packed records.

    make_seeds.py [FOLDER]

What the numbers mean is ext/core/capture.h's and reader.h's business; they are packed here by hand,
so that the seeds need neither the extension nor a run of it. fuzz_reader.c reads them.
"""

import marshal
import struct
import sys
import zlib
from pathlib import Path

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


def wait(func: int, ticks: int) -> bytes:
    return struct.pack("<IIq", func, 0, ticks)


NODES = [
    node(0, NO_FUNCTION, 0, 5),
    node(0, 0, 1, 7),
    node(1, 1, 2, 9, 4),
    node(2, 1, 1, 3),
    node(2, 2, 8, 1),
]
FOLDS = [fold(1, 2, 8, 4), fold(NO_FUNCTION, 0, 1, 2)]
OUTERS = [outer(0, 1, 2), outer(2, 8, 4)]
WAITS = [wait(1, 6), wait(2, 3)]


def section(payload: bytes, version: int = 1) -> bytes:
    header = struct.pack("<8sIIQ", b"\x89TRACER\n", version, zlib.crc32(payload), len(payload))
    return header + payload


def records(
    rows: list[int], row_count: int, nodes: int, folds: int, outers: int, waits: int
) -> bytes:
    """An input of add_up() in fuzz_reader.c."""
    counts = bytes([row_count, len(rows), nodes, folds, outers, waits])
    return b"".join(
        [
            counts,
            struct.pack(f"<{len(rows)}I", *rows),
            *NODES[:nodes],
            *FOLDS[:folds],
            *OUTERS[:outers],
            *WAITS[:waits],
        ]
    )


def seeds() -> dict[str, bytes]:
    packed = {"nodes": NODES, "folds": FOLDS, "outers": OUTERS, "waits": WAITS}
    thread = {name: b"".join(rows) for name, rows in packed.items()}
    payload = marshal.dumps({"functions": tuple(LABELS), "threads": (thread,), "left_out": ()}, 4)
    files = {f"stats-marshal-{version}": marshal.dumps(STATS, version) for version in range(5)}
    files["unusual"] = marshal.dumps(NUMBERS + TEXTS, 4)
    files["unusual-old"] = marshal.dumps(NUMBERS + TEXTS, 0)
    files["with-section"] = marshal.dumps(STATS, 4) + section(payload)
    files["with-newer-section"] = marshal.dumps({}, 4) + section(payload, version=2)
    files["with-damaged-section"] = marshal.dumps({}, 4) + section(payload)[:-1] + b"!"
    files["records"] = records([0, 1, 2], 3, 5, 2, 2, 2)
    files["records-merged"] = records([0, 0, 1], 2, 5, 2, 2, 2)
    files["records-left-out"] = records([0, LEFT_OUT, 1], 2, 5, 2, 2, 2)
    files["records-of-a-tree"] = records([0, 1, 2], 3, 5, 0, 0, 0)
    return files


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0]) if arguments else Path(__file__).parent / "seeds"
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in seeds().items():
        (folder / name).write_bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
