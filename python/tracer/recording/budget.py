"""Budgets of memory, as users write them: 64MiB."""

from __future__ import annotations

LEAST = 1024 * 1024  # of a timeline
USUAL = 64 * LEAST
UNITS = {"KIB": 1024, "MIB": 1024**2, "GIB": 1024**3}
MOST = UNITS["GIB"]  # a file holds no more than 2 GiB in one piece


def budget_of(text: str) -> int:
    """The bytes that a text such as "256MiB" names. Raises ValueError, which says what to give."""
    word = text.strip().upper()
    factor = UNITS.get(word[-3:])
    digits = word[:-3].strip() if factor else word
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise ValueError(
            f"{text!r} is no size of memory: give a whole number of KiB, MiB, GiB or bytes, from "
            "1MiB to 1GiB"
        )
    return checked(int(digits) * (factor or 1), text)


def checked(size: int, given: object) -> int:
    """The size of a timeline. Raises ValueError when it is too small or too large."""
    if not LEAST <= size <= MOST:
        raise ValueError(f"a timeline needs 1MiB at least and 1GiB at most, not {given!r}")
    return size


def timeline_budget(option: object) -> int:
    """The bytes that Profile(timeline=option) names; 0: no timeline."""
    if isinstance(option, bool):
        return USUAL if option else 0
    if isinstance(option, int):
        return checked(int(option), option) if option else 0
    if isinstance(option, str):
        return budget_of(option)
    raise TypeError(
        f"timeline must be True, False, bytes or a text such as '256MiB', not {option!r}"
    )
