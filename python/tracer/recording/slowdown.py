"""By how much a program may be slowed down, and how many samples of it are taken."""

from __future__ import annotations

USUAL_RATE, MOST_RATE = 250, 10_000  # Linux's CPU timers run out at its ticks, 250 a second


def part_of(text: str) -> float:
    """The part of 1 that a percentage names, as "10" or "10%" do. Raises ValueError, which says
    what to give."""
    word = text.strip().removesuffix("%").rstrip()
    whole, _, decimals = word.partition(".")
    if not (whole + decimals).isdecimal() or not word.isascii() or not float(word) <= 100:
        raise ValueError(
            f"{text!r} is no slow-down: give a percentage from 0 to 100, such as 10 or 10%"
        )
    return float(word) / 100


def slowdown_of(value: object) -> float:
    """The slow-down that Profile(slowdown=value) allows, as a part of 1; -1: each call is recorded.
    Raises TypeError and ValueError."""
    if value is None:
        return -1.0
    if isinstance(value, str):
        return part_of(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(
            f"slowdown must be a part of 1, such as 0.1, or a text such as '10%', not {value!r}"
        )
    if not 0 <= value <= 1:
        raise ValueError(
            f"slowdown must be from 0 to 1, not {value!r}: for {value:g}% give {value / 100:g}, or "
            f"'{value:g}%'"
            if 1 < value <= 100
            else f"slowdown must be from 0 to 1, not {value!r}"
        )
    return float(value)


def rate_of(value: object) -> int:
    """The samples in a second of CPU that `rate` asks for; None: as many as usual. Raises TypeError
    and ValueError."""
    if value is None:
        return USUAL_RATE
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"rate must be an int of samples in a second of CPU, not {value!r}")
    if not 1 <= value <= MOST_RATE:
        raise ValueError(
            f"rate must be from 1 to {MOST_RATE} samples in a second of CPU, not {value}"
        )
    return value
