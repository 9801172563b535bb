"""mprof's files: what is in one, and which ones are in the current folder."""

from __future__ import annotations

import os
import re
import time
from glob import glob
from typing import TYPE_CHECKING, NamedTuple

from tracer.launch.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Collection

PATTERN = "mprofile_??????????????.dat"
STAMP = re.compile(r"mprofile_(\d{14})\.dat")


class Call(NamedTuple):
    """A call of a function. level: how many noted calls are around it. MiB; seconds since the
    epoch."""

    start: float
    end: float
    mib_before: float
    mib_after: float
    level: int


class Recording(NamedTuple):
    """What a file holds. samples, and those of each child: (seconds since the epoch, MiB). calls:
    by function."""

    name: str
    command: str
    samples: list[tuple[float, float]]
    children: dict[str, list[tuple[float, float]]]
    calls: dict[str, list[Call]]


def read(path: str) -> Recording:
    """Read a file. Raises UsageError where it cannot be read, or is no file of mprof's."""
    found = Recording(path, "", [], {}, {})
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                found = with_line(found, line, number)
    except OSError as error:
        raise UsageError(
            f"cannot read {path!r}: {error.strerror}; name a file of mprof's"
        ) from None
    return found


def with_line(found: Recording, line: str, number: int) -> Recording:
    kind, _, text = line.rstrip("\n").partition(" ")
    words = text.split()
    try:
        if kind == "CMDLINE":
            return found._replace(command=text)
        if kind == "MEM":
            mib, at = map(float, words)
            found.samples.append((at, mib))
        elif kind == "CHLD":
            child, mib, at = words[0], float(words[1]), float(words[2])
            found.children.setdefault(child, []).append((at, mib))
        elif kind == "FUNC":
            before, start, after, end = map(float, words[1:5])
            level = int(words[5]) if len(words) > 5 else 0
            call = Call(start, end, before, after, level)
            found.calls.setdefault(words[0], []).append(call)
    except (ValueError, IndexError):
        raise UsageError(f"{found.name!r}: line {number} is no line of mprof's") from None
    return found


def in_folder() -> list[str]:
    """The files of the current folder, the oldest first."""
    return sorted(glob(PATTERN))


def named(words: list[str]) -> list[str]:
    """The files that these words name: a file, or its number in the list; -1: the latest. Raises
    UsageError for one that is not there."""
    known = in_folder()
    found = []
    for word in words:
        if os.path.isfile(word):
            found.append(word)
            continue
        try:
            found.append(known[int(word)])
        except ValueError:
            raise UsageError(f"there is no file {word!r}; name a file, or its number") from None
        except IndexError:
            raise UsageError(
                f"there is no file number {word}; the verb list prints those of this folder"
            ) from None
    return list(dict.fromkeys(found))


def latest() -> str:
    """The latest file of the folder. Raises UsageError where there is none."""
    known = in_folder()
    if not known:
        raise UsageError("there is no mprofile_*.dat here; the verb run makes one, or name a file")
    return known[-1]


def new_name() -> str:
    return f"mprofile_{time.strftime('%Y%m%d%H%M%S', time.localtime())}.dat"


def dated(name: str) -> str:
    """When a file was made, as its name tells: 14:02:31 24/11/2026."""
    match = STAMP.fullmatch(name)
    stamp = match[1] if match else "0" * 14
    year, month, day = stamp[:4], stamp[4:6], stamp[6:8]
    return f"{stamp[8:10]}:{stamp[10:12]}:{stamp[12:]} {day}/{month}/{year}"


def function_labels(names: Collection[str]) -> dict[str, str]:
    """{dotted name: as many of its last parts as no other name ends with}."""
    found = {}
    for name in names:
        parts = name.split(".")
        count = 1
        while count < len(parts) and any(
            other != name and other.split(".")[-count:] == parts[-count:] for other in names
        ):
            count += 1
        found[name] = ".".join(parts[-count:])
    return found
