"""The figures of Paddle's tables, of the events of a profile. tables.py prints them.

A phase is counted as Paddle counts it: the outermost event of any phase in a thread. The summary of
tracer's own (analysis/steps/summary.py) counts each category apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tracer.analysis.tree.stretches import length_of, united
from tracer.compat.paddle_parts.states import PHASES as PHASE_NAMES
from tracer.compat.paddle_parts.states import TracerEventType as Type
from tracer.compat.paddle_parts.tables import STEPS, Row, Summary

__all__ = ["Event", "summary_of"]

ALL = "All threads merged"
PHASES = tuple(Type[name] for name in PHASE_NAMES)
Span = tuple[int, int]


class Event(NamedTuple):
    """An event of a thread, in ticks. caller: the name of the operator in which it was called
    directly; "" for others."""

    start: int
    end: int
    name: str
    type: Type
    caller: str = ""


class Sums:
    """Adds up calls by name. Times are ticks."""

    def __init__(self) -> None:
        self.calls: int = 0
        self.total: int = 0
        self.longest: int = 0
        self.shortest: int = 2**63
        self.inner: dict[str, Sums] = {}

    def add(self, length: int) -> None:
        self.calls += 1
        self.total += length
        if length > self.longest:
            self.longest = length
        if length < self.shortest:
            self.shortest = length

    def row(self, name: str, tick: float) -> Row:
        inner = tuple(sums.row(name, tick) for name, sums in self.inner.items())
        seconds = (self.total * tick, self.longest * tick, self.shortest * tick)
        return Row(name, self.calls, *seconds, inner)


class Listed:
    """Sums by name, of each thread that is told apart."""

    def __init__(self, *, by_thread: bool) -> None:
        self.by_thread = by_thread
        self.sums: dict[str, dict[str, Sums]] = defaultdict(lambda: defaultdict(Sums))

    def of(self, thread: str, name: str) -> Sums:
        return self.sums[thread if self.by_thread else ALL][name]

    def rows(self, tick: float) -> dict[str, list[Row]]:
        return {
            thread: [sums.row(name, tick) for name, sums in named.items() if sums.calls]
            for thread, named in self.sums.items()
        }


def summary_of(
    threads: Sequence[Sequence[Event]], names: Sequence[str], tick: float, *, by_thread: bool
) -> Summary:
    """threads: the events of each thread, callers first. names: of the threads. tick: seconds."""
    phases: dict[Type, Sums] = defaultdict(Sums)
    steps = Sums()
    spans: dict[Type, list[Span]] = defaultdict(list)
    operators, ranges = Listed(by_thread=by_thread), Listed(by_thread=by_thread)
    others = 0
    for events, thread in zip(threads, names, strict=True):
        of_steps, of_phases = [], []
        for event in events:
            length = event.end - event.start
            spans[event.type].append((event.start, event.end))
            if event.caller:
                sums = operators.of(thread, event.caller)
                sums.inner.setdefault(event.name, Sums()).add(length)
            if event.type is Type.Operator:
                operators.of(thread, event.name).add(length)
            elif event.type is Type.PythonUserDefined:
                ranges.of(thread, event.name).add(length)
            elif event.type is Type.ProfileStep:
                steps.add(length)
                of_steps.append((event.start, event.end))
        for event in outermost(events):
            phases[event.type].add(event.end - event.start)
            of_phases.append((event.start, event.end))
        others += length_of(of_steps) - length_of(shared(united(of_steps), united(of_phases)))
    rows = {kind: phases[kind].row(kind.name, tick) for kind in PHASES if phases[kind].calls}
    return Summary(
        steps=steps.row(STEPS, tick) if steps.calls else None,
        overview=[
            (kind.name, rows[kind].calls if kind in rows else len(those), length_of(those) * tick)
            for kind, those in spans.items()
            if kind is not Type.PythonOp
        ],
        phases=list(rows.values()),
        others=others * tick,
        operators=operators.rows(tick),
        ranges=ranges.rows(tick),
    )


def outermost(events: Iterable[Event]) -> Iterable[Event]:
    """The phases of a thread that are in no other phase."""
    end = -1
    for event in events:
        if event.type in PHASES and event.start >= end:
            end = event.end
            yield event


def shared(some: Sequence[Span], others: Sequence[Span]) -> list[Span]:
    """What is in both lists of united spans."""
    both, at = [], 0
    for start, end in some:
        while at < len(others) and others[at][1] <= start:
            at += 1
        look = at
        while look < len(others) and others[look][0] < end:
            both.append((max(start, others[look][0]), min(end, others[look][1])))
            look += 1
    return both
