"""Profiles that are made of samples, as the extension hands them over: who was where, and what was
counted."""

from __future__ import annotations

import sys
import time
from collections import Counter
from struct import Struct
from typing import Any

from tracer._core import Profiler

SAMPLE = Struct("=IIIIQ")  # node, 0, native stack, kind, weight
NODE = Struct("=II")  # parent, code
LINE = Struct("=IiQQ")  # code, line, weight as the innermost, whole weight
COUNT = Struct("=IIQ")  # function, whether there may be more, calls
EDGE = Struct("=IIQ")  # caller, callee, calls
HITS = Struct("=IiIIQ")  # function, line, whether there may be more, 0, hits
COLLECTION, UNKNOWN, NO_CALLER = 2**32 - 2, 2**32 - 1, 2**32 - 1
RATE = 250
COUNTS = sys.version_info >= (3, 12)
# The kinds of samples in tracer's own code, or a callback of an event; and of looks at waits.
EVENT, WAIT = 1, 2


def spin(seconds: float) -> None:
    """Uses so much CPU, in this very function."""
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass


class Shares:
    def __init__(self, snapshot: dict[str, Any]) -> None:
        self.facts = snapshot["sampled"]
        self.threads = snapshot["threads"]
        self.functions = [names[3] for names in snapshot["functions"]]
        self.left_out = {self.functions[it] for it in snapshot["left_out"]}
        self.codes = [names[3] for names in self.facts["codes"]]
        self.nodes = [(0, UNKNOWN), *NODE.iter_unpack(self.facts["nodes"])]

    def name(self, code: int) -> str:
        return {COLLECTION: "<collection>", UNKNOWN: "?"}.get(code) or self.codes[code]

    def path(self, node: int) -> tuple[str, ...]:
        names: list[str] = []
        while node:
            node, code = self.nodes[node]
            names.append(self.name(code))
        return tuple(names[::-1])

    def paths(self, packed: bytes, kind: int = 0) -> Counter[tuple[str, ...]]:
        found: Counter[tuple[str, ...]] = Counter()
        for node, _, _, of, weight in SAMPLE.iter_unpack(packed):
            if of == kind:
                found[self.path(node)] += weight
        return found

    def all_paths(self, kind: int = 0) -> Counter[tuple[str, ...]]:
        """The weights of all threads' samples, also of those that Python did not tell of."""
        found: Counter[tuple[str, ...]] = Counter()
        for packed in [it["native"] for it in self.threads] + [
            it[3] for it in self.facts["others"]
        ]:
            found += self.paths(packed, kind)
        return found

    def own(self) -> Counter[str]:
        found: Counter[str] = Counter()
        for path, weight in self.all_paths().items():
            found[path[-1] if path else ""] += weight
        return found

    def below(self, name: str) -> int:
        """The weight of the samples in a function, and in what it called."""
        return sum(weight for path, weight in self.all_paths().items() if name in path)

    def lines(self) -> dict[tuple[str, int], tuple[int, int]]:
        """By function and line: the weight of samples as the innermost, and all."""
        records = LINE.iter_unpack(self.facts["lines"])
        return {(self.codes[code], line): (own, total) for code, line, own, total in records}

    def counts(self) -> dict[str, int]:
        records = COUNT.iter_unpack(self.facts["counts"])
        return {self.functions[it]: calls for it, _, calls in records}

    def partial(self) -> set[str]:
        records = COUNT.iter_unpack(self.facts["counts"])
        return {self.functions[it] for it, is_partial, _ in records if is_partial}

    def hits(self) -> dict[tuple[str, int], tuple[int, bool]]:
        """By function and line: hits, and whether these are all."""
        records = HITS.iter_unpack(self.facts["hits"])
        return {
            (self.functions[function], line): (hits, not is_partial)
            for function, line, is_partial, _, hits in records
        }

    def edges(self) -> dict[tuple[str | None, str], int]:
        return {
            (None if caller == NO_CALLER else self.functions[caller], self.functions[callee]): calls
            for caller, callee, calls in EDGE.iter_unpack(self.facts["edges"])
        }


def sampled(function: Any, *, slowdown: float = 1.0, rate: int = RATE, **options: Any) -> Shares:
    """What a profile has of one call."""
    profile = Profiler(slowdown=slowdown, rate=rate, **options)
    profile.enable()
    function()
    profile.disable()
    return Shares(profile.snapshot())


def is_share(weight: float, whole: float, share: float) -> bool:
    """Whether so much of the whole is so large a share, within five standard errors of samples that
    come in twos and threes where the machine is busy."""
    return abs(weight / whole - share) <= 5 * (share * (1 - share) / (whole / 3)) ** 0.5
