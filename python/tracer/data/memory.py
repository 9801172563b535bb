"""The memory of a capture: what functions and paths allocated, what of it was live, and when.

A capture *seen by a measure* is one in whose records bytes stand in the place of nanoseconds, and
blocks in the place of calls. So whatever adds up, draws or exports times does so with memory, too.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer._core import RECORDS, memory_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tracer.data.types import Thread

# In the order of ext/core/report/memory_view.h.
MEASURES = ("allocated", "live", "peak", "temporary", "freed", "net")
# A site (ext/core/report/memory_view.h): node, whether that is one whose path was not kept, the
# number of a line of the thread or 0, and 0; then bytes and blocks: allocated, live, live at the
# peak, temporary; the bytes freed there; the most bytes resident that were seen there, or 0.
SITE = Struct("=IIIIQQQQQQQQQQ")
# A point of the curve (ext/core/heap/curve.h): ns since recording began; bytes live: the least, the
# most, the last; the most bytes resident.
POINT = Struct("=qQQQQ")
NO_MEMORY = "no memory was recorded: give --memory, or memory=True, when you record"
BYTE = 1e-9  # the seconds that stand for a byte


class Amount(NamedTuple):
    bytes: int
    blocks: int


class Point(NamedTuple):
    """A stretch of the curve. at: seconds since recording began. least, most, last: bytes live.
    resident: the most bytes of the process in real memory; 0 where the system does not tell."""

    at: float
    least: int
    most: int
    last: int
    resident: int


class Memory:
    """What a capture knows of memory beside the sites of its threads.

    live, peak: at the end, and when the most bytes were live. outside, other: {measure: Amount} of
    what no node allocated, and of what came past the limit of sites. missed: live blocks whose
    end was not seen. lost: allocations that are in no figure, for memory was out. resident: the
    most bytes of the process in real memory. cut_off: the seconds after which another tool kept
    allocations from tracer, or None. native: whether what C code took by malloc counts, too.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.live: Amount = Amount(*data["live"])
        self.peak: Amount = Amount(*data["peak"])
        self.missed: Amount = Amount(*data["missed"])
        self.lost: int = data["lost"]
        self.resident: int = data["resident"]
        self.outside: dict[str, Amount] = amounts_of(data["outside"])
        self.other: dict[str, Amount] = amounts_of(data["other"])
        self.cut_off: float | None = None if data["cut_off"] < 0 else data["cut_off"] * 1e-9
        self.native: bool = data.get("native", False)
        self.began: int = data["began"]  # ns of CLOCK_MONOTONIC
        self._curve: bytes = data["curve"]

    def curve(self) -> Iterator[Point]:
        for at, *figures in POINT.iter_unpack(self._curve):
            yield Point(at * 1e-9, *figures)


def amounts_of(record: bytes) -> dict[str, Amount]:
    """The figures of a record, by measure. Those of "freed" and "net" are bytes; their blocks are
    the allocated ones."""
    (_, _, _, _, *figures) = SITE.unpack(record)
    pairs = [Amount(*figures[at : at + 2]) for at in range(0, 8, 2)]
    freed, (allocated, blocks) = figures[8], pairs[0]
    others = [Amount(freed, blocks), Amount(allocated - freed, blocks)]
    return dict(zip(MEASURES, [*pairs, *others], strict=True))


def seen_by(threads: Iterable[Thread], measure: str) -> Iterator[Thread]:
    """The threads with bytes of this measure in the place of nanoseconds, and blocks in the place
    of calls."""
    for thread in threads:
        yield _seen(thread, MEASURES.index(measure))


def _seen(thread: Thread, measure: int) -> Thread:
    records = dict.fromkeys(RECORDS, b"")
    nodes, overflow = thread.records["nodes"], thread.records["folds"]
    records["nodes"], records["folds"] = memory_view(nodes, overflow, thread.memory or b"", measure)
    return thread._replace(records=records, log=None, native=None)
