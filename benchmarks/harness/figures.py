"""The arithmetic of the tables: samples in, figures out. Nothing is measured or printed here.

A figure that cannot be had (no samples, nothing to divide by) is None, and a table shows a dash.
"""

from statistics import median

Figure = float | None


def best(samples: list[float] | None) -> Figure:
    """The least disturbed sample: noise of the machine only ever adds."""
    return min(samples) if samples else None


def middle(samples: list[float] | None) -> Figure:
    return median(samples) if samples else None


def added(whole: Figure, base: Figure, count: int = 1) -> Figure:
    """What `whole` has beyond `base`, for each of `count`."""
    return None if whole is None or base is None else (whole - base) / count


def ratio(part: Figure, whole: Figure) -> Figure:
    """part / whole; None where `whole` is 0, or negative because it was lost in the noise."""
    return None if part is None or whole is None or whole <= 0 else part / whole


def typical(figures: list[Figure]) -> Figure:
    """The median of the figures that are not None."""
    return middle([figure for figure in figures if figure is not None])


def worst(figures: list[Figure]) -> Figure:
    """The largest of the figures that are not None."""
    return max((figure for figure in figures if figure is not None), default=None)


def rotated(items: list, turn: int) -> list:
    """The items, each turn beginning with another one, so that none always follows the same."""
    start = turn % len(items)
    return items[start:] + items[:start]


def percent_off(told: Figure, true: Figure) -> Figure:
    """By how many percent `told` is too large; a negative figure: too small."""
    part = ratio(told, true)
    return None if part is None else 100 * (part - 1)
