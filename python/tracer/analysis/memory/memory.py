"""What each function allocated, and what of it was live: sums over all paths and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tracer.data.memory import BYTE, MEASURES, NO_MEMORY, Amount

if TYPE_CHECKING:
    from tracer.data.memory import Memory
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label


class Share(NamedTuple):
    """Of one measure: bytes and blocks of the function itself, and bytes with those of all that the
    function called, in the outermost of its calls."""

    bytes: int
    blocks: int
    cumulative: int


class FunctionMemory(NamedTuple):
    """The memory of a function. freed: the bytes that were freed while it ran, whoever allocated
    them; net: allocated less freed. The blocks of these two are the allocated ones."""

    allocated: Share
    live: Share
    peak: Share
    temporary: Share
    freed: Share
    net: Share


class Whole(NamedTuple):
    """The memory of a program. live, peak: bytes and blocks, at the end and when the most bytes
    were live. resident: the most bytes of the process in real memory that were seen. rest: how many
    of these were in no block. Both are 0 where the system does not tell."""

    live: Amount
    peak: Amount
    resident: int
    rest: int


def whole_of(memory: Memory) -> Whole:
    resident = rest = 0
    highest = max(memory.curve(), key=lambda point: point.resident, default=None)
    if highest is not None and highest.resident:
        resident, rest = highest.resident, max(highest.resident - highest.most, 0)
    return Whole(memory.live, memory.peak, resident, rest)


def whole_of_runs(profiles: ProfileSet) -> Whole:
    """That of all runs, added up; resident memory is of the run that had the most. Raises
    ValueError where no memory was recorded."""
    runs = [whole_of(memory) for it in profiles.captures if (memory := it.memory) is not None]
    if not runs:
        raise ValueError(NO_MEMORY)
    live, peak = (
        Amount(*map(sum, zip(*amounts, strict=True)))
        for amounts in ([run.live for run in runs], [run.peak for run in runs])
    )
    most = max(runs, key=lambda run: run.resident)
    return Whole(live, peak, most.resident, most.rest)


def has_memory(profiles: ProfileSet) -> bool:
    """Whether a part of the set was recorded with memory."""
    return any(capture.memory_data is not None for capture in profiles.captures)


def memory_of(profiles: ProfileSet, names: str | None = None) -> dict[Label, FunctionMemory]:
    """The memory of each function that allocated, freed, or called what did. names: how functions
    are named, "label" or "qualname"; None: as in the set. Raises ValueError where no memory was
    recorded."""
    by_measure = [shares_by(profiles, measure, names) for measure in MEASURES]
    labels = by_measure[0]
    found = {label: FunctionMemory(*(it[label] for it in by_measure)) for label in labels}
    return {label: memory for label, memory in found.items() if any(map(any, memory))}


def shares_by(profiles: ProfileSet, measure: str, names: str | None = None) -> dict[Label, Share]:
    """One measure of each function. Raises ValueError where no memory was recorded."""
    return {
        label: Share(in_bytes(own), blocks, in_bytes(cumulative))
        for label, (_, blocks, own, cumulative, _) in profiles.seen_by(measure, names).stats.items()
    }


def in_bytes(seconds: float) -> int:
    return round(seconds / BYTE)
