"""Profiles that are made of samples: where a thread was, each time it had used so much CPU again.

A time in such a profile is a share of the samples, with an error; a count is exact, or says how
many calls there were at least. sampled_records.py makes what a file holds of them; sampled_set.py
adds them up.
"""

from __future__ import annotations

from math import sqrt
from struct import Struct
from typing import Any, NamedTuple

# A function: position, whether there may be more calls, calls.
COUNT = Struct("=IIQ")
# Calls of a function by another: positions of caller and callee, calls.
EDGE = Struct("=IIQ")
# The hits of a line: position of its function, line, whether there may be more, 0, hits.
HITS = Struct("=IiIIQ")
# A line: position of its function, line, weight of the samples in which it ran itself, weight of
# all.
LINE = Struct("=IiQQ")
NO_CALLER = 2**32 - 1


class Count(NamedTuple):
    """How often a function was called. is_exact: else it was called so often at least."""

    calls: int
    is_exact: bool


def error_of(share: float, size: float) -> float:
    """Two standard errors of a share of so many samples, as parts of 1: 2 * sqrt(p(1 - p)/n)."""
    if size == 0:
        return 1.0
    share = min(max(share, 1 / size), 1 - 1 / size) if size > 2 else 0.5
    return min(1.0, 2 * sqrt(share * (1 - share) / size))


class Sampled:
    """What a profile knows of its samples and counts.

    rate: samples a second of CPU that were asked for; period: the seconds for which a sample of
    weight 1 stands. weight: of all samples of the program. signals: how many samples there were: on
    a busy machine one stands for several periods. lost, broken: weights of samples that found no
    room, and of those whose frames could not be read. limit: of the slow-down, as a part of 1.
    spent: seconds of CPU that the samples took. events: how many there were; event_cost: seconds of
    each; in_events: weight of the samples in them, which are in no share. at_lines: weight of those
    where the interpreter stopped for the sake of lines without telling of one. has_counts: whether
    calls were counted. counts: by function; edges: calls by (caller or None, callee): positions in
    the capture's functions. hits: by (function, line); None where they were not counted.
    """

    def __init__(self, facts: dict[str, Any]) -> None:
        self.rate: int = facts["rate"]
        self.period: float = facts["period"]
        self.weight: float = facts["weight"]
        self.signals: int = facts["samples"]
        self.lost: int = facts["lost"]
        self.broken: int = facts["broken"]
        self.limit: float = facts["slowdown"]
        self.events: int = facts["events"]
        self.event_cost: float = facts["event_cost"]
        self.in_events: int = facts["in_events"]
        self.at_lines: int = facts["at_lines"]
        self.spent: float = facts["spent"]
        self.has_counts: bool = facts["has_counts"]
        self._squares: float = facts["squares"]
        self.counts: dict[int, Count] = {
            function: Count(calls, not is_partial)
            for function, is_partial, calls in COUNT.iter_unpack(facts["counts"])
        }
        self.edges: dict[tuple[int | None, int], int] = {
            (None if caller == NO_CALLER else caller, callee): calls
            for caller, callee, calls in EDGE.iter_unpack(facts["edges"])
        }
        hits = facts.get("hits")
        self.hits: dict[tuple[int, int], Count] | None = None
        if hits is not None:
            self.hits = {
                (function, line): Count(number, not is_partial)
                for function, line, is_partial, _, number in HITS.iter_unpack(hits)
            }

    @property
    def size(self) -> float:
        """The number of samples of weight 1 that would tell as much: (sum of weights)**2 / sum of
        squares, Kish's effective sample size."""
        return self.weight**2 / self._squares if self._squares else 0.0

    def error(self, share: float) -> float:
        """Two standard errors of a share, both as parts of 1; 1 where there are no samples. For a
        share of 0 or 1 it is that of one sample, which would be seen."""
        return error_of(share, self.size)

    @property
    def in_part(self) -> int:
        """The number of functions that were counted in part."""
        return sum(not count.is_exact for count in self.counts.values())

    def needed(self, error: float, share: float) -> float:
        """The seconds of CPU that a program has to run for, for two standard errors of `error` at
        such a share, at the rate and the weights of this profile."""
        told = self.size / (self.weight * self.period) if self.weight else self.rate
        return 4 * share * (1 - share) / error**2 / told
