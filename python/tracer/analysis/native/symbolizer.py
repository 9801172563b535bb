"""Where native code was compiled from: the source lines of addresses.

The system's symbolizer reads them: addr2line, of binutils or of LLVM. It knows the lines of a file
that has debugging information, in the file itself or where the system keeps it. A file that is
another one by now is not asked.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from itertools import pairwise
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from tracer.source.statements import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tracer.data.samples import Module

SYMBOLIZERS = ("addr2line", "llvm-addr2line")
PATIENCE = 20.0  # seconds for one file of code
# The ELF of little-endian machines with 64 bits: https://refspecs.linuxfoundation.org/elf/.
MAGIC = b"\x7fELF\x02\x01"
HEADER = Struct("<32xQ14xHH")  # offset, size and number of the segments
SEGMENT = Struct("<IIQQQQQQ")
NOTE = Struct("<III")
LOADED, NOTES, BUILD_ID = 1, 4, 3
LOCATION = re.compile(r"(/.*):(\d+)(?: \(discriminator \d+\))?$")


class CodePlace(NamedTuple):
    """A line of source, by its file's full path, and the function that has the line."""

    file: str
    line: int
    function: str


class Segment(NamedTuple):
    """A piece of a file: where it begins there, its size, and its address."""

    kind: int
    offset: int
    size: int
    address: int


def code_places(module: Module, addresses: Iterable[int]) -> dict[int, list[CodePlace]]:
    """Where each of these addresses of the process was compiled from: the innermost function that
    was put in line there first, then those around it. An address of which nothing is known has
    none."""
    tool = next(filter(None, map(shutil.which, SYMBOLIZERS)), None)
    segments = None if tool is None else segments_of(module)
    if tool is None or not segments:
        return {}
    wanted = {
        in_file: address
        for address in addresses
        if (in_file := address_in_file(address, module, segments)) is not None
    }
    text = "".join(f"0x{in_file:x}\n" for in_file in sorted(wanted))
    try:
        done = subprocess.run(
            [tool, "-a", "-f", "-i", "-e", module.path],
            input=text.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}
    resolved = places_in(done.stdout.decode("utf-8", "surrogateescape").splitlines())
    return {wanted[in_file]: places for in_file, places in resolved if in_file in wanted and places}


def places_in(lines: Sequence[str]) -> Iterator[tuple[int, list[CodePlace]]]:
    """What a symbolizer has printed: an address, then two lines for each function there: its name,
    and its place."""
    starts = [at for at, line in enumerate(lines) if line.startswith("0x")]
    for start, end in pairwise([*starts, len(lines)]):
        names, locations = lines[start + 1 : end : 2], lines[start + 2 : end : 2]
        # The last line may be lost.
        found = zip(names, map(LOCATION.match, locations), strict=False)
        places = [CodePlace(os.path.normpath(it[1]), int(it[2]), name) for name, it in found if it]
        yield int(lines[start], 16), [place for place in places if place.line]


def address_in_file(address: int, module: Module, segments: Sequence[Segment]) -> int | None:
    """An address of the process as the file has it; None where the file has none."""
    place = address - module.start + module.offset
    for kind, offset, size, start in segments:
        if kind == LOADED and offset <= place < offset + size:
            return place - offset + start
    return None


def segments_of(module: Module) -> list[Segment]:
    """The segments of a module's file; none if that is no such file, or another one by now."""
    try:
        with open(open_regular(module.path), "rb") as file:
            head = file.read(HEADER.size) or b""  # None: a file of the system without data yet
            if not head.startswith(MAGIC) or len(head) < HEADER.size:
                return []
            start, size, count = HEADER.unpack(head)
            file.seek(start)
            table = file.read(size * count)
            segments = []
            for at in range(0, len(table) - SEGMENT.size + 1, max(size, SEGMENT.size)):
                kind, _, offset, address, _, in_file, _, _ = SEGMENT.unpack_from(table, at)
                segments.append(Segment(kind, offset, in_file, address))
            notes = []
            for segment in segments:
                if segment.kind == NOTES and segment.size < 1 << 16:
                    file.seek(segment.offset)
                    notes.append(file.read(segment.size))
    except (OSError, ValueError):
        return []
    build_id = next(filter(None, map(build_id_in, notes)), "")
    return segments if build_id == module.build_id else []


def build_id_in(notes: bytes) -> str:
    """The build id, in hexadecimal; "" where there is none."""
    at = 0
    while at + NOTE.size <= len(notes):
        name_size, size, kind = NOTE.unpack_from(notes, at)
        name = at + NOTE.size
        data = name + (name_size + 3) // 4 * 4
        if kind == BUILD_ID and notes[name : name + name_size] == b"GNU\0":
            return notes[data : data + size].hex()
        at = data + (size + 3) // 4 * 4
    return ""
