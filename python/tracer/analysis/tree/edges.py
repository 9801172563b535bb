"""Who called whom, where this is not in the paths."""

from __future__ import annotations

from typing import NamedTuple

from tracer.data.records import NO_ROW, OVERFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Iterator

    from tracer.data.overhead import Compensation

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


def unkept_calls(
    records: bytes, rows: array[int], tick: float, compensation: Compensation | None
) -> Iterator[Edge]:
    """Calls whose paths were not kept. Tracing overhead is subtracted from them as in rollup.c."""
    for caller, callee, calls, resumes, primitive, _, own, cumulative in OVERFLOW.iter_unpack(
        records
    ):
        if rows[callee] == NO_ROW:
            continue
        seconds = tick * own
        if compensation is not None and seconds > 0:
            kinds, costs, (resume, _), *_ = compensation
            (first, _), _ = costs[kinds[callee]]
            seconds = max(0.0, seconds - calls * first - resumes * resume)
        yield Edge(
            NO_ROW if caller == NO_ROW else rows[caller],
            rows[callee],
            calls,
            primitive,
            resumes,
            round(NANOSECONDS * seconds),
            round(NANOSECONDS * tick * cumulative),
        )
