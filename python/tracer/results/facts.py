"""The facts of the runs in a set of profiles, which the header and the page's overview tell."""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.findings.tracing_cost import TracingCost, tracing_cost
from tracer.data.records import OVERFLOW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import RunInfo


class CutOff(NamedTuple):
    """A thread whose recording ended early. after: seconds."""

    thread: str
    after: float


class Facts(NamedTuple):
    """runs: those whose command and times are known. threads: their number. lost: calls that were
    dropped: out of memory. without_path: calls, for there were more calling contexts than a profile
    keeps. cost: of tracing; None where no run has measured it."""

    runs: tuple[RunInfo, ...]
    threads: int
    calls: int
    lost: int
    without_path: int
    cut_offs: tuple[CutOff, ...]
    cost: TracingCost | None


def facts_of(profiles: ProfileSet) -> Facts:
    captures = profiles.captures
    threads = [thread for capture in captures for thread in capture.threads]
    folds = (memoryview(thread.records["folds"]).cast("Q") for thread in threads)
    return Facts(
        runs=tuple(capture.run for capture in captures if capture.run is not None),
        threads=sum(capture.thread_count for capture in captures),
        calls=profiles.total_calls,
        lost=sum(capture.lost_calls for capture in captures),
        without_path=sum(sum(words[1 :: OVERFLOW.size // 8]) for words in folds),
        cut_offs=tuple(CutOff(it.name, it.cut_off) for it in threads if it.cut_off is not None),
        cost=tracing_cost(captures),
    )


def reason_of_none(profiles: ProfileSet) -> str:
    """Why something is not known that tracer records."""
    if profiles.problems:
        return "a damaged file has lost them"
    if not profiles.is_whole:
        return f"another profiler wrote {'some of this' if profiles.parts else 'this'}"
    if profiles.sampled is not None:
        return "samples do not tell them"
    timed = any(capture.timed_lines is not None for capture in profiles.captures)
    return "there are lines and no functions" if timed else "nothing was recorded"
