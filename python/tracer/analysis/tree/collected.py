"""Garbage collections, added up by where they began: with a timeline or without.

A collection takes the own time of the innermost function that ran when it began. What is called
meanwhile, such as finalizers, has time of its own, in the tree below that function.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.data.records import COLLECTIONS, NO_ROW, NODE, OVERFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from tracer.data.types import ThreadRecords

NANOSECONDS = 1e9


class Collected(NamedTuple):
    """Collections that began in one function. Times are nanoseconds.

    row: the innermost function; NO_ROW where none ran. below: the latest function on the path of
    calls that was looked for, `row` included; NO_ROW where there is none. number: of collections.
    time: what they took of the own time of `row`, with the overhead of tracing. longest: what the
    longest one took.
    """

    row: int
    below: int
    number: int
    time: int
    longest: int


class Collections:
    """The collections of a thread. Nothing is looked at before somebody asks.

    rows: the row of each function; NO_ROW: it is left out, and its caller stands for it.
    """

    def __init__(self, records: ThreadRecords, rows: Sequence[int], tick: float) -> None:
        self._records = records
        self._rows = rows
        self._tick = tick

    def below(self, is_wanted: Callable[[int], bool]) -> Iterator[Collected]:
        """The collections by context. is_wanted: whether a row is looked for, for `below`."""
        found = self._records["collections"]
        if not found:
            return
        any_row = _Latest(self._records, self._rows, lambda row: True)
        wanted = _Latest(self._records, self._rows, is_wanted)
        for node, is_overflow, count, *ticks in COLLECTIONS.iter_unpack(found):
            at = node, bool(is_overflow)
            time, longest = (round(self._tick * it * NANOSECONDS) for it in ticks)
            yield Collected(any_row.of(*at), wanted.of(*at), count, time, longest)


class _Latest:
    """Finds the latest function on the path of calls to a context, among those that are wanted."""

    def __init__(
        self, records: ThreadRecords, rows: Sequence[int], is_wanted: Callable[[int], bool]
    ) -> None:
        numbers = memoryview(records["nodes"]).cast("I")
        self._callers = numbers[:: NODE.size // 4]
        self._functions = numbers[1 :: NODE.size // 4]
        self._overflow = records["folds"]
        self._rows = rows
        self._is_wanted = is_wanted
        self._known: dict[int, int] = {0: NO_ROW}  # by node, of those that were passed

    def of(self, node: int, is_overflow: bool) -> int:
        """Its row, or NO_ROW. Of calls whose path was not kept, the direct caller is known."""
        if is_overflow:
            caller, callee, *_ = OVERFLOW.unpack_from(self._overflow, node * OVERFLOW.size)
            rows = (self._rows[it] for it in (callee, caller) if it != NO_ROW)
            return next((row for row in rows if self._has(row)), NO_ROW)
        passed = []
        while node not in self._known:
            passed.append(node)
            row = self._rows[self._functions[node]]
            if self._has(row):
                self._known[node] = row
            else:
                node = self._callers[node]
        found = self._known[node]
        self._known.update(dict.fromkeys(passed, found))
        return found

    def _has(self, row: int) -> bool:
        return row != NO_ROW and self._is_wanted(row)


def by_function(
    threads: Iterable[Collections], is_wanted: Callable[[int], bool]
) -> list[Collected]:
    """The collections of these threads by `row` and `below`; those that took most time come first.
    is_wanted: as of Collections.below()."""
    sums: dict[tuple[int, int], Collected] = {}
    for one in (one for thread in threads for one in thread.below(is_wanted)):
        at = one.row, one.below
        known = sums.get(at, Collected(*at, 0, 0, 0))
        longest = max(known.longest, one.longest)
        sums[at] = Collected(*at, known.number + one.number, known.time + one.time, longest)
    return sorted(sums.values(), key=lambda it: it.time, reverse=True)
