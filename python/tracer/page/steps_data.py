"""What the page shows of steps: when each was, and its time in each phase.

Moments and times are ticks, as in the page's timeline; the page makes nanoseconds of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tracer.analysis.steps.phases import STEP

if TYPE_CHECKING:
    from tracer.analysis.steps.steps import StepTimes
    from tracer.data.profile_set import ProfileSet
    from tracer.page.container import Blocks
    from tracer.page.timeline_data import Process

LARGEST = 2**53  # from here on JavaScript's numbers are not exact
FIRST = ("load", "forward", "backward", "optimizer")  # the phases that come first, in this order


class Step(NamedTuple):
    """A step. process, thread: its positions among the page's. times: ticks of each phase."""

    process: int
    thread: int
    number: int
    start: int
    end: int
    items: float | None
    is_slow: bool
    times: tuple[int, ...]


class Steps(NamedTuple):
    """The steps that the page shows, and the phases that they have."""

    phases: list[str]
    steps: list[Step]


def steps_of(stats: ProfileSet, timelines: Sequence[Process]) -> Steps | None:
    """The steps of a Stats; None where it has none. timelines: those that the page has of it.
    Raises phase_rules.ConfigError."""
    if not any(STEP in process.facts["ranges"]["category"] for process in timelines):
        return None
    from tracer.analysis.steps import steps

    found = steps.steps_of(stats)
    places = _places(stats)
    used = {phase for step in found for phase in step.phases}
    phases = [*(it for it in FIRST if it in used), *sorted(used.difference(FIRST))]
    listed = [_step(step, at, phases, places) for at, step in enumerate(found)]
    return Steps(phases, listed) if listed else None


def packed(steps: Steps, blocks: Blocks) -> dict[str, Any]:
    """The steps as the page's JSON has them."""
    listed = steps.steps
    items = [step.items for step in listed]
    return {
        "phases": steps.phases,
        "process": blocks.column([step.process for step in listed], "I"),
        "thread": blocks.column([step.thread for step in listed], "I"),
        "number": blocks.column([step.number for step in listed], "q"),
        "start": blocks.column([step.start for step in listed], "q"),
        "end": blocks.column([step.end for step in listed], "q"),
        "slow": blocks.column([step.is_slow for step in listed], "I"),
        "items": None if items.count(None) == len(items) else items,
        "times": [
            blocks.column([step.times[place] for step in listed], "Q")
            for place in range(len(steps.phases))
        ],
    }


def _step(
    step: StepTimes, at: int, phases: Sequence[str], places: dict[tuple[int, int], tuple[int, int]]
) -> Step:
    """A step as the page has it. at: its place, which is its number where the page cannot hold
    that."""
    tick = step.run.tick
    return Step(
        *places[id(step.run.capture), step.thread],
        step.number if abs(step.number) < LARGEST else at,
        round(step.start / tick),
        round(step.end / tick),
        step.items if step.items is not None and math.isfinite(step.items) else None,
        step.is_slow,
        tuple(round(step.phases.get(phase, 0) / tick) for phase in phases),
    )


def _places(stats: ProfileSet) -> dict[tuple[int, int], tuple[int, int]]:
    """Of each thread that has a timeline, by its capture and its position there: the positions of
    its timeline and of itself among the page's."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    process, before = 0, 0
    for part in stats.parts:
        capture = part.capture
        if capture.timeline_data is not None:
            positions = {id(thread): at for at, thread in enumerate(capture.threads)}
            for at, thread in enumerate(part.threads):
                key = id(capture), positions[id(thread)]
                found.setdefault(key, (process, before + at))
            process += 1
        before += len(part.threads)
    return found
