"""The timing of a statement as text: the line that `python -m timeit` prints, and one of all
repeats."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

UNITS = {"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3, "sec": 1.0}  # in seconds
PRECISION = 3  # significant digits
UNRELIABLE = 4  # how many times the best the worst repeat may take


def time_text(seconds: float, unit: str | None = None, precision: int = PRECISION) -> str:
    """A time in this unit; None: in the largest of which it is one or more."""
    if unit is None:
        unit = next((it for it in reversed(UNITS) if seconds >= UNITS[it]), "nsec")
    return f"{seconds / UNITS[unit]:.{precision}g} {unit}"


def counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def best_line(
    number: int, repeats: Sequence[float], unit: str | None = None, precision: int = PRECISION
) -> str:
    """timeit's own line. `repeats`: the seconds per loop of each; `number`: of loops of each."""
    best = time_text(min(repeats), unit, precision)
    return f"{counted(number, 'loop')}, best of {len(repeats)}: {best} per loop"


def spread_line(
    repeats: Sequence[float],
    mean: float,
    stdev: float,
    unit: str | None = None,
    precision: int = PRECISION,
) -> str:
    """The line of all repeats. One repeat has no standard deviation."""
    told = [f"mean {time_text(mean, unit, precision)}"]
    if len(repeats) > 1:
        told.append(f"standard deviation {time_text(stdev, unit, precision)}")
    told.append(f"best {time_text(min(repeats), unit, precision)}")
    return f"{counted(len(repeats), 'repeat')}: {', '.join(told)} per loop"


def raw_line(totals: Sequence[float], unit: str | None = None, precision: int = PRECISION) -> str:
    """The seconds of each repeat, of all its loops, as timeit's --verbose prints them."""
    return f"raw times: {', '.join(time_text(total, unit, precision) for total in totals)}"


def trial_line(number: int, seconds: float, precision: int = PRECISION) -> str:
    """A trial by which the number of loops is found, as timeit's --verbose prints it."""
    return f"{counted(number, 'loop')} -> {seconds:.{precision}g} sec"


def doubt(repeats: Sequence[float], unit: str | None = None, precision: int = PRECISION) -> str:
    """Why the times are not to be trusted; "" where nothing says so."""
    best, worst = min(repeats), max(repeats)
    if best <= 0 or worst < UNRELIABLE * best:
        return ""
    return (
        f"the slowest repeat ({time_text(worst, unit, precision)} per loop) took "
        f"{worst / best:.1f} times as long as the best ({time_text(best, unit, precision)}): the "
        "machine was busy, or the first loop fills caches; give more loops (-n) or repeats (-r)"
    )
