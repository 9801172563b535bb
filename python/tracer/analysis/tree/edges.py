"""Who called whom, where this is not in the paths."""

from __future__ import annotations

from typing import NamedTuple

from tracer.data.records import NO_ROW, OVERFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

NANOSECONDS = 1e9


class Edge(NamedTuple):
    """Calls of the row `callee` by the row `caller`, which is NO_ROW where there is none. Times are
    nanoseconds."""

    caller: int
    callee: int
    calls: int
    primitive: int
    resumes: int
    time: int
    cumtime: int


def unkept_calls(records: bytes, rows: array[int], tick: float, left: float) -> Iterator[Edge]:
    """Calls whose paths were not kept. left: which part of own time compensation leaves."""
    for caller, callee, calls, resumes, primitive, _, own, cumulative in OVERFLOW.iter_unpack(
        records
    ):
        if rows[callee] == NO_ROW:
            continue
        yield Edge(
            NO_ROW if caller == NO_ROW else rows[caller],
            rows[callee],
            calls,
            primitive,
            resumes,
            round(NANOSECONDS * tick * (own * left if own > 0 else own)),
            round(NANOSECONDS * tick * cumulative),
        )
