"""The memory of lines: what each allocated, and how its thread's memory changed on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tracer.data.memory import SITE, Amount
from tracer.data.records import LINE, LINE_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tracer.data.capture import Capture
    from tracer.data.lines import Key

__all__ = ["LineMemory", "line_memory_of"]


class LineMemory(NamedTuple):
    """hits: how often the line was reached. increment: the bytes that its thread had more after the
    line than before, callees included, summed over all times; negative where it had less.
    allocated, live, peak: what was allocated on the line and in callees whose lines are not timed;
    what of it was live at the end, and when the most was live. resident: the most bytes of the
    process in real memory at an end of the line; 0: the system does not tell."""

    hits: int
    increment: int
    allocated: Amount
    live: Amount
    peak: Amount
    resident: int


NOTHING = LineMemory(0, 0, Amount(0, 0), Amount(0, 0), Amount(0, 0), 0)


def line_memory_of(captures: Iterable[Capture]) -> dict[Key, dict[int, LineMemory]]:
    """{function: {line: LineMemory}} of all these captures, added up; empty where no lines were
    recorded by memory. A function is (file, first line, name, qualified name)."""
    found: dict[Key, dict[int, LineMemory]] = {}
    for capture in captures:
        lines = (capture.memory_data or {}).get("lines")
        if lines is not None:
            for key, line, memory in of_capture(capture, lines):
                known = found.setdefault(key, {})
                known[line] = added(known.get(line, NOTHING), memory)
    return found


def of_capture(capture: Capture, lines: dict[str, Any]) -> Iterator[tuple[Key, int, LineMemory]]:
    codes: list[Key] = list(lines["codes"])
    by_thread = {
        (thread.ident, thread.native_id): by_number(thread.memory or b"")
        for thread in capture.threads
    }
    for thread in lines["threads"]:
        sites = by_thread.get((thread["ident"], thread["native_id"]), {})
        known = LINE_MEMORY.iter_unpack(thread["line_memory"])
        rows = LINE.iter_unpack(thread["lines"])
        for (number, _, resident), row in zip(known, rows, strict=True):
            code, line, hits, increment, *_ = row
            if code >= len(codes):
                raise ValueError("a line is of a code object that is not there")
            here = sites.get(number, NOTHING)
            figures = here._replace(hits=hits, increment=increment, resident=resident)
            yield codes[code], line, figures


def by_number(records: bytes) -> dict[int, LineMemory]:
    """The memory of a thread's lines, by their numbers."""
    found: dict[int, LineMemory] = {}
    for _, _, number, _, *figures in SITE.iter_unpack(records):
        if number:
            allocated, live, peak = (Amount(*figures[at : at + 2]) for at in (0, 2, 4))
            memory = LineMemory(0, 0, allocated, live, peak, 0)
            found[number] = added(found.get(number, NOTHING), memory)
    return found


def added(one: LineMemory, other: LineMemory) -> LineMemory:
    def sums(first: Amount, second: Amount) -> Amount:
        return Amount(first.bytes + second.bytes, first.blocks + second.blocks)

    return LineMemory(
        one.hits + other.hits,
        one.increment + other.increment,
        sums(one.allocated, other.allocated),
        sums(one.live, other.live),
        sums(one.peak, other.peak),
        max(one.resident, other.resident),
    )
