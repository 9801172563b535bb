"""What a timeline was told and does not hold: marks and the like, for which there was no room."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.data.timeline import Timeline

LIMIT = 262_144  # entries of a list, as in ext/recorders


def dropped_by(timeline: Timeline) -> Iterator[str]:
    """What was dropped, and why. Counters drop what is no number, too: while their list is not
    full, nothing else."""
    for name, number in timeline.dropped.items():
        if name == "counters" and number:
            values = f"{number:,} counter value"
            found = f"{values} was no number" if number == 1 else f"{values}s were no numbers"
            yield found + ", or found no room" * (len(timeline.counters) >= LIMIT)
        elif number:
            yield f"{number:,} {name.removesuffix('s') if number == 1 else name} found no room"
