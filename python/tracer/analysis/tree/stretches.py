"""Stretches of time, (start, end): what several of them cover together, each moment once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    Stretch: TypeAlias = tuple[int, int]


def united(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same moments in stretches that do not touch each other, in order."""
    apart: list[Stretch] = []
    for start, end in sorted(stretches):
        if apart and start <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(end, apart[-1][1])
        else:
            apart.append((start, end))
    return apart


def length_of(stretches: Iterable[Stretch]) -> int:
    """What is in at least one of the stretches."""
    return sum(end - start for start, end in united(stretches))
