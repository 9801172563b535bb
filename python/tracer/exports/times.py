"""Times of an export: from the ticks of a recording to nanoseconds that all processes share.

Window: the part that is exported. duration(): a time as text.
"""

from __future__ import annotations

from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.data.timeline import Timeline

FOREVER = 2**62
SECOND = 10**9
SAME_BOOT = 60.0  # seconds by which clocks of one boot may have been set meanwhile
UNITS = (("s", SECOND), ("ms", 10**6), ("us", 10**3), ("ns", 1))


class NoTimeline(ValueError):
    """No profile has a timeline, or none of the part that was chosen."""


class Window(NamedTuple):
    """Nanoseconds since the start. least: shorter slices are left out."""

    start: int = 0
    end: int = FOREVER
    least: int = 0


def window_of(start: float | None, end: float | None, least: float | None) -> Window:
    """The window of these seconds. None: not asked for."""
    given = zip((start, end, least), Window(), strict=True)
    return Window(*(own if value is None else round(value * SECOND) for value, own in given))


class Times(NamedTuple):
    """How ticks become nanoseconds; as _core.export_slices() takes it. first, last: the ticks of
    the part that is exported. What reaches beyond is cut off."""

    ns_per_tick: float
    shift: int
    first: int
    last: int

    def ns(self, tick: int) -> int:
        cut = min(max(tick, self.first), self.last)
        return round(cut * self.ns_per_tick) + self.shift

    def has(self, tick: int) -> bool:
        return self.first <= tick <= self.last

    def ticks(self, nanoseconds: int) -> int:
        """The least ticks that take as long."""
        return -int(-nanoseconds // self.ns_per_tick) if nanoseconds else 0


class Clock(NamedTuple):
    """The times of a process. epoch: time.time() where all times begin."""

    times: Times
    epoch: float


def times_of(timelines: Sequence[Timeline], window: Window) -> list[Clock]:
    """The clock of each timeline. All begin where the first of them did.

    CLOCK_MONOTONIC tells how far apart they are. Timelines of other boots, or machines, have
    another such clock; then time.time() does.
    """
    scales = [per_tick(timeline) for timeline in timelines]
    starts = []  # CLOCK_MONOTONIC, in nanoseconds, of tick 0
    epochs = []  # time.time() of tick 0
    for timeline, scale in zip(timelines, scales, strict=True):
        tick, monotonic = timeline.clock[0] if timeline.clock else (0, 0)
        starts.append(monotonic - round(tick * scale))
        epochs.append(timeline.epoch - tick * scale / SECOND)
    boots = [epoch - start / SECOND for epoch, start in zip(epochs, starts, strict=True)]
    if max(boots) - min(boots) > SAME_BOOT:
        starts = [round(epoch * SECOND) for epoch in epochs]
    shifts = [start - min(starts) for start in starts]
    return [
        Clock(Times(scale, shift, *ticks_of(window, scale, shift)), min(epochs))
        for scale, shift in zip(scales, shifts, strict=True)
    ]


def per_tick(timeline: Timeline) -> float:
    """Nanoseconds: a whole number where it is one but for rounding."""
    exact = timeline.seconds_per_tick * SECOND
    return float(round(exact)) if abs(exact - round(exact)) < 1e-9 * exact else exact


def ticks_of(window: Window, scale: float, shift: int) -> tuple[int, int]:
    """The first and the last tick of the window."""
    first = 0 if window.start <= shift else int((window.start - shift) / scale)
    last = FOREVER if window.end == FOREVER else int((window.end - shift) / scale)
    return first, max(last, first)


def duration(nanoseconds: float) -> str:
    """As a user types it after --min: 1.5 ms, say."""
    unit, size = next(((unit, size) for unit, size in UNITS if nanoseconds >= size), ("s", SECOND))
    return f"{nanoseconds / size:.4g} {unit}"
