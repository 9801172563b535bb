"""The source lines of native functions, with the CPU time that each took by samples: of functions
with debugging information, where their source is on this machine.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from tracer.analysis.native.symbolizer import code_places
from tracer.data.samples import IN_PROGRAM, NOWHERE, samples_of
from tracer.source.statements import open_regular
from tracer.source.symbol_names import readable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tracer.data.capture import Capture
    from tracer.data.samples import Frame
    from tracer.data.types import Label

    Line = tuple[str, int]  # by the file's full path
    Seconds = defaultdict[tuple[Label, Line], float]  # by function

LEAST = 0.01  # of all CPU time: functions with less have no lines
AROUND = 3  # lines that are shown around those with samples
MOST_LINES = 400  # of a function in one file
LARGEST = 4 << 20  # bytes of a source file
# A profile from a stranger may name any file, and so may a file of code: only source is read.
SOURCE = re.compile(
    r".+\.([chmsS]|cc|hh|mm|cpp|hpp|cxx|hxx|inc|inl|tcc|src|cu|rs|f|f90|f95|asm|pyx|pxd|go|zig)"
)


class NativeCode(NamedTuple):
    """The lines of a native function that are in one file. function: (library, 0, name). first: the
    number of the first of `texts`. cpu: {line: seconds (own, with what was called)}. is_edited:
    the file is newer than the library that was made of it."""

    function: Label
    file: str
    first: int
    texts: tuple[str, ...]
    cpu: dict[int, tuple[float, float]]
    is_edited: bool


def native_code_of(captures: Iterable[Capture]) -> list[NativeCode]:
    """Of the functions with the most CPU time first, of each the file with the most."""
    own: Seconds = defaultdict(float)
    total: Seconds = defaultdict(float)
    all_cpu = 0.0
    for capture in captures:
        all_cpu += _add(capture, own, total)
    files: defaultdict[tuple[Label, str], dict[int, tuple[float, float]]] = defaultdict(dict)
    for (function, (file, line)), seconds in total.items():
        files[function, file][line] = own[function, (file, line)], seconds
    # The own time of lines adds up; what was called may be below several lines at once.
    weights = {
        key: (sum(own for own, _ in lines.values()), max(total for _, total in lines.values()))
        for key, lines in files.items()
    }
    heavy = [key for key in files if max(weights[key]) >= LEAST * all_cpu]
    found = (_code(*key, files[key]) for key in sorted(heavy, key=lambda key: weights[key])[::-1])
    return [code for code in found if code is not None]


def _add(capture: Capture, own: Seconds, total: Seconds) -> float:
    """Adds a capture's seconds. Returns those of all its samples."""
    samples = capture.native
    if samples is None:
        return 0.0
    weights: Counter[int] = Counter()
    for records in (
        *(thread.native for thread in capture.threads),
        *(other.samples for other in samples.others),
    ):
        for sample in samples_of(records):
            if sample.kind == IN_PROGRAM:
                weights[sample.stack] += sample.weight
    stacks = {stack: list(_instructions(samples.frames_of(stack))) for stack in weights}
    # Files of code that hardly ran are not read: that takes long.
    modules: Counter[int] = Counter()
    for stack, frames in stacks.items():
        modules.update(dict.fromkeys({frame.module for frame, _ in frames}, weights[stack]))
    asked: defaultdict[int, set[int]] = defaultdict(set)
    for frame, address in (it for frames in stacks.values() for it in frames):
        if frame.module != NOWHERE and modules[frame.module] >= LEAST * weights.total():
            asked[frame.module].add(address)
    places = {
        (module, address): found
        for module, addresses in asked.items()
        for address, found in code_places(samples.modules[module], addresses).items()
    }
    for stack, frames in stacks.items():
        seconds = weights[stack] * samples.period
        seen = set()
        for frame, address in frames:
            function = (frame.function.library, 0, readable(frame.function.name))
            for place in places.get((frame.module, address), ()):
                seen.add((function, (place.file, place.line)))
        for key in seen:
            total[key] += seconds
        if frames:
            frame, address = frames[-1]
            function = (frame.function.library, 0, readable(frame.function.name))
            for place in places.get((frame.module, address), ())[:1]:
                own[function, (place.file, place.line)] += seconds
    return weights.total() * samples.period


def _instructions(frames: list[Frame]) -> Iterator[tuple[Frame, int]]:
    """Each frame with an address of the instruction that ran, or of the call."""
    for place, frame in enumerate(frames, 1):
        yield frame, frame.address - (place < len(frames))


def _code(function: Label, file: str, cpu: dict[int, tuple[float, float]]) -> NativeCode | None:
    """None where the source is not on this machine."""
    if SOURCE.fullmatch(file) is None:
        return None
    try:
        with open(open_regular(file), encoding="utf-8", errors="replace") as text:
            found = os.fstat(text.fileno())
            if found.st_size > LARGEST:
                return None
            lines = text.read(LARGEST).split("\n")
        is_edited = found.st_mtime > os.path.getmtime(function[0])
    except (OSError, ValueError):
        return None
    first = max(1, min(cpu) - AROUND)
    last = min(len(lines), max(cpu) + AROUND, first + MOST_LINES - 1)
    known = {line: it for line, it in cpu.items() if line <= last}
    return NativeCode(function, file, first, tuple(lines[first - 1 : last]), known, is_edited)
