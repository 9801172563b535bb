"""Reads damaged .lprof files: each must be read or raise ProfileFormatError, and nothing else.

    mutate_lprof.py [COUNT] [--seed SEED]

Mutants of such files, of every pickle protocol, are read in a child process that may grow by 64 MiB
and spend 10 s on one: mutate_profiles.py runs it. A mutant that goes wrong is saved, and the exit
status is then 1.
"""

from __future__ import annotations

import pickle
import random
import struct
import sys
from pathlib import Path

import mutate_profiles
from mutate_profiles import COUNTS, drop, flip, repeat, truncate

import tracer
from tracer.data import lprof
from tracer.report import line_table

MEMORY = 64 * 2**20
CODES = bytes(range(256))
TIMINGS = {
    ("/nowhere/a.py", 3, "f"): [(4, 1, 12), (5, 1000, 123456789), (7, 3, 0)],
    ("/nowhere/caf\xe9.py", 300, "Class.method"): [(line, 2**line, 2**40) for line in range(60)],
    ("/nowhere/a.py", 9, "never"): [],
    ("/nowhere/b.py", 1, "g"): [(line, line, line / 7) for line in range(150)],
}
# Opcodes that make much of little, or that could do anything.
HOSTILE = [
    b"cos\nsystem\n(S'true'\ntR",
    b"\x8c\x05posix\x8c\x06system\x93",
    b"\x95" + b"\xff" * 8,
    b"\x8d" + b"\xff" * 7 + b"\x7f",
    b"\x96" + b"\xff" * 7 + b"\x7f",
    b"B\xff\xff\xff\x7f",
    b"r\xff\xff\xff\x7f",
    b"\x8b\xff\xff\xff\x7f",
    b"(" * 5000,
    b"]" * 5000 + b"a" * 4999,
    b"2" * 500,
    b"h\x06h\x06\x86\x94" * 100,
    b"I" + b"9" * 5000 + b"\n",
    b"}\x94" * 3000,
    b"\x94" * 5000,
]


class LineStats:
    """Pickled under line_profiler's names."""

    def __init__(self) -> None:
        self.timings = TIMINGS
        self.unit = 1e-9


def originals() -> list[bytes]:
    """Files: ours, and those that pickle makes of line_profiler's classes, old and new."""
    files = [lprof.dumps(TIMINGS, 1e-9)]
    for module in ("line_profiler.line_profiler", "line_profiler._line_profiler"):
        packages = {name: type(sys)(name) for name in ("line_profiler", module)}
        packages[module].LineStats = LineStats  # type: ignore[attr-defined]
        sys.modules.update(packages)
        LineStats.__module__ = module
        files += [pickle.dumps(LineStats(), protocol) for protocol in range(6)]
        for name in packages:
            del sys.modules[name]
    return files


def recode(data: bytearray, dice: random.Random) -> None:
    data[dice.randrange(len(data))] = dice.choice(CODES)


def recount(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at : at + 4] = struct.pack("<I", dice.choice(COUNTS))


def bewitch(data: bytearray, dice: random.Random) -> None:
    at = dice.randrange(len(data))
    data[at:at] = dice.choice(HOSTILE)


CHANGES = [flip, truncate, drop, repeat, recount, recode, bewitch]


def mutant(files: list[bytes], seed: int, number: int) -> bytes:
    """The mutant of that number, the same for the same files."""
    dice = random.Random(f"{seed}:{number}")
    data = bytearray(dice.choice(files))
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        if dice.random() < 0.1:
            other = dice.choice(files)
            data[dice.randrange(len(data)) :] = other[dice.randrange(len(other)) :]
        elif data:
            # The beginning is where most is decided.
            head = data[: dice.choice([200, len(data)])]
            rest = data[len(head) :]
            dice.choice(CHANGES)(head, dice)
            data = head + rest
        if not data:
            break
    return bytes(data)


class Nowhere:
    """A stream that keeps nothing."""

    def write(self, text: str) -> None:
        pass


def load(data: bytes) -> bool:
    """Reads a file, and prints what it holds. False when it is refused as it should be."""
    try:
        timings, unit = lprof.read(data, "mutant.lprof")
    except tracer.ProfileFormatError as error:
        message = str(error)
        assert len(message) < 500 and "\n" not in message, message
        return False
    assert lprof.read(lprof.dumps(timings, unit), "again") == (timings, unit)
    options = line_table.LineTableOptions(summarize=True, sort=True)
    line_table.show(timings, unit, Nowhere(), options)  # type: ignore[arg-type]
    return True


def main() -> int:
    tool = mutate_profiles
    tool.MEMORY, tool.originals, tool.mutant, tool.load = MEMORY, originals, mutant, load
    tool.SUFFIX, tool.SCRIPT = ".lprof", str(Path(__file__))
    return tool.main(__doc__)


if __name__ == "__main__":
    sys.exit(main())
