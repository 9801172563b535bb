"""What each function allocated, and what of it was live: sums over all paths and threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tracer.data.memory import BYTE, MEASURES

if TYPE_CHECKING:
    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label

__all__ = ["FunctionMemory", "Share", "has_memory", "memory_of", "shares_by"]


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


def has_memory(profiles: ProfileSet) -> bool:
    """Whether a part of the set was recorded with memory."""
    return any(part.capture.memory_data is not None for part in profiles.parts)


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
