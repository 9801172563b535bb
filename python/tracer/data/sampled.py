"""Profiles that are made of samples: where a thread was, each time it had used so much CPU again.

A time in such a profile is a share of the samples, with an error; a count is exact, or says how
many calls there were at least. ext/types/sampled.h has what the extension hands over, of which
as_records() makes the records that any profile has, with nanoseconds of CPU as ticks and no calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from struct import Struct
from typing import Any, NamedTuple

from tracer.data.records import NO_ROW, NODE
from tracer.data.samples import IN_PROGRAM, SAMPLE

# A calling context: position of its parent, 0 for the root; position of its code. The root has no
# record, so the first is number 1.
CONTEXT = Struct("=II")
# A function: position, whether there may be more calls, calls.
COUNT = Struct("=IIQ")
# Calls of a function by another: positions of caller and callee, calls.
EDGE = Struct("=IIQ")
# A line: position of its code, line, weight of the samples in which it ran itself, weight of all.
LINE = Struct("=IiQQ")
# Codes that are none: garbage was collected; the frame is not known.
COLLECTION, UNKNOWN = 2**32 - 2, 2**32 - 1
NO_CALLER = 2**32 - 1

NANOSECOND = 1e-9
COLLECTION_NAME, UNKNOWN_NAME = "<garbage collection>", "<unknown>"

_Names = tuple[str, int, str, str]


class Count(NamedTuple):
    """How often a function was called. is_exact: else it was called so often at least."""

    calls: int
    is_exact: bool


class Sampled:
    """What a profile knows of its samples and counts.

    rate: samples a second of CPU that were asked for; period: the seconds for which a sample of
    weight 1 stands. weight: of all samples of the program. signals: how many samples there were: on
    a busy machine one stands for several periods. lost, broken: weights of samples that found no
    room, and of those whose frames could not be read. limit: of the slow-down, as a part of 1.
    events: how many there were; event_cost: seconds of each; in_events: weight of the samples in
    them, which are in no share. has_counts: whether calls were counted. counts: by function;
    edges: calls by (caller or None, callee): positions in the capture's functions.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.rate: int = facts["rate"]
        self.period: float = facts["period"]
        self.weight: int = facts["weight"]
        self.signals: int = facts["samples"]
        self.lost: int = facts["lost"]
        self.broken: int = facts["broken"]
        self.limit: float = facts["slowdown"]
        self.events: int = facts["events"]
        self.event_cost: float = facts["event_cost"]
        self.in_events: int = facts["in_events"]
        self.has_counts: bool = facts["has_counts"]
        self._squares: int = facts["squares"]
        self.counts: dict[int, Count] = {
            function: Count(calls, not is_partial)
            for function, is_partial, calls in COUNT.iter_unpack(facts["counts"])
        }
        self.edges: dict[tuple[int | None, int], int] = {
            (None if caller == NO_CALLER else caller, callee): calls
            for caller, callee, calls in EDGE.iter_unpack(facts["edges"])
        }

    @property
    def size(self) -> float:
        """The number of samples of weight 1 that would tell as much: (sum of weights)**2 / sum of
        squares, Kish's effective sample size."""
        return self.weight**2 / self._squares if self._squares else 0.0

    def error(self, share: float) -> float:
        """Two standard errors of a share, both as parts of 1; 1 where there are no samples. For a
        share of 0 or 1 it is that of one sample, which would be seen."""
        if self.size == 0:
            return 1.0
        share = min(max(share, 1 / self.size), 1 - 1 / self.size) if self.size > 2 else 0.5
        return min(1.0, 2 * sqrt(share * (1 - share) / self.size))

    @property
    def in_part(self) -> int:
        """The number of functions that were counted in part."""
        return sum(not count.is_exact for count in self.counts.values())

    def needed(self, error: float, share: float) -> float:
        """The seconds of CPU that a program has to run for, for two standard errors of `error` at
        such a share, at the rate and the weights of this profile."""
        told = self.size / (self.weight * self.period) if self.weight else self.rate
        return 4 * share * (1 - share) / error**2 / told


def as_records(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The snapshot of a profile that is made of samples, with the records of any profile: each
    thread has nodes, whose ticks are nanoseconds; threads that Python did not tell of stand behind
    the others. What is left of `sampled` are the facts that Sampled takes, and `lines`, whose codes
    are then positions of functions.
    """
    facts = snapshot["sampled"]
    functions, positions = _functions(snapshot["functions"], facts["codes"])
    known = ((parent, positions[code]) for parent, code in CONTEXT.iter_unpack(facts["nodes"]))
    contexts = [(0, NO_ROW), *known]
    tick = round(facts["period"] / NANOSECOND)
    threads, whole = [], 0
    for thread in _threads(snapshot):
        weights = dict(_weights(thread.pop("native")))
        whole += sum(weights.values())
        threads.append({**thread, "nodes": _nodes(contexts, weights, tick)})
    lines = b"".join(
        LINE.pack(positions[code], *rest) for code, *rest in LINE.iter_unpack(facts["lines"])
    )
    left = ("codes", "nodes", "others", "lines")
    kept = {key: value for key, value in facts.items() if key not in left}
    return {
        **snapshot,
        "functions": functions,
        "threads": tuple(threads),
        "clock": "cpu",
        "seconds_per_tick": NANOSECOND,
        "sampled": {**kept, "weight": whole, "lines": lines},
    }


def _functions(
    counted: tuple[_Names, ...], codes: tuple[_Names, ...]
) -> tuple[tuple[_Names, ...], dict[int, int]]:
    """All functions, those that were counted first; and by code the position of its function."""
    functions = list(counted)
    known = {names: position for position, names in reversed(list(enumerate(counted)))}
    positions: dict[int, int] = {}
    builtin = [(code, ("~", 0, name, name)) for code, name in _BUILTIN.items()]
    for code, names in [*enumerate(codes), *builtin]:
        if names not in known:
            known[names] = len(functions)
            functions.append(names)
        positions[code] = known[names]
    return tuple(functions), positions


_BUILTIN = {COLLECTION: COLLECTION_NAME, UNKNOWN: UNKNOWN_NAME}


def _threads(snapshot: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The threads of a snapshot, and those beside them, as dicts with `native`."""
    yield from ({**thread} for thread in snapshot["threads"])
    for name, native_id, cpu, samples in snapshot["sampled"]["others"]:
        yield {
            "name": name, "ident": 0, "native_id": native_id, "sharers": 1, "cut_off": None,
            "lost_calls": 0, "native": samples, "native_cpu": cpu,
        }  # fmt: skip


def _weights(packed: bytes) -> Iterator[tuple[int, int]]:
    for node, _, _, kind, weight in SAMPLE.iter_unpack(packed):
        if kind == IN_PROGRAM:
            yield node, weight


def _nodes(contexts: list[tuple[int, int]], weights: dict[int, int], tick: int) -> bytes:
    """The nodes of one thread: those in which it had samples, and all around them. A parent stands
    before its children there, as in `contexts`."""
    wanted: set[int] = {0}
    for node in weights:
        while node not in wanted:
            wanted.add(node)
            node = contexts[node][0]
    places = {node: place for place, node in enumerate(sorted(wanted))}
    return b"".join(
        NODE.pack(
            places[contexts[node][0]], contexts[node][1], 0, 0, weights.get(node, 0) * tick, 0
        )
        for node in places
    )
