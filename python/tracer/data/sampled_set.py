"""Several profiles that are made of samples, or threads of them, as one: see sampled.py."""

from __future__ import annotations

from tracer.data.records import NODE
from tracer.data.sampled import Count, Sampled, error_of
from tracer.data.sampled_records import NANOSECOND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from tracer.data.part import Part
    from tracer.data.types import Label, Thread

OWN_TICKS = 3  # the place of a node's own ticks, of words of eight bytes


class AtLeast(int):
    """A number of calls, some of which were counted in part. It is printed with a plus."""

    def __repr__(self) -> str:
        return f"{int(self)}+"

    __str__ = __repr__


class SampledSet:
    """What the samples of several profiles tell together, or those of some of their threads.

    facts: of each profile. time: seconds of CPU in the samples. real, waited: seconds for which the
    threads were sampled, and those of them that they waited. counts: by the label of a function;
    edges: calls by (caller or None, callee); both are empty where they are not known, as of one
    thread of several.
    """

    def __init__(self, parts: Iterable[Part], names: str) -> None:
        found = [(part, facts) for part in parts if (facts := part.capture.sampled) is not None]
        self.facts: tuple[Sampled, ...] = tuple(facts for _, facts in found)
        self.time: float = 0.0
        waits = [it.waits for part, _ in found for it in part.threads if it.waits is not None]
        self.real: float = sum(it.real for it in waits)
        self.waited: float = sum(it.waited for it in waits)
        self._variance = 0.0  # of a share of 1, if that had one, in square seconds
        for part, facts in found:
            time, whole = (
                sum(seconds_of(thread) for thread in threads)
                for threads in (part.threads, part.capture.threads)
            )
            self.time += time
            self._variance += time * whole / facts.size if facts.size else 0.0
        are_known = all(facts.has_counts for facts in self.facts) and all(
            len(part.threads) == len(part.capture.threads) for part, _ in found
        )
        self.counts: dict[Label, Count] = {}
        self.edges: dict[tuple[Label | None, Label], int] = {}
        for part, facts in found if are_known else ():
            self._count(part, facts, names)

    def _count(self, part: Part, facts: Sampled, names: str) -> None:
        labels: dict[int | None, Label] = {
            function: part.capture.functions[function].label(names, part.stripped)
            for function in facts.counts
            if function not in part.capture.left_out
        }
        for function, count in facts.counts.items():
            if function in labels:
                calls, is_exact = self.counts.get(labels[function], Count(0, True))
                self.counts[labels[function]] = Count(
                    calls + count.calls, is_exact and count.is_exact
                )
        for (caller, callee), calls in facts.edges.items():
            if callee in labels:
                edge = labels.get(caller), labels[callee]
                self.edges[edge] = self.edges.get(edge, 0) + calls

    @property
    def has_all_counts(self) -> bool:
        """Whether each call was counted."""
        return bool(self.counts) and all(count.is_exact for count in self.counts.values())

    @property
    def size(self) -> float:
        """The number of samples of weight 1 that would tell as much."""
        return self.time**2 / self._variance if self._variance else 0.0

    def error(self, seconds: float) -> float:
        """Two standard errors of a time, in seconds."""
        return error_of(seconds / self.time if self.time else 0.0, self.size) * self.time


def seconds_of(thread: Thread) -> float:
    """The CPU time that the samples of a thread stand for."""
    own = memoryview(thread.records["nodes"]).cast("q")[OWN_TICKS :: NODE.size // 8]
    return sum(own) * NANOSECOND
