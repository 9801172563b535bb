"""The arithmetic that compares shares of time with those of a reference, which are of samples and
have errors. Nothing is measured or printed here. Shares are parts of 1."""

from harness.figures import Figure

Shares = dict[str, float]
LineShares = dict[str, dict[str, float]]  # by function: by line, parts of the time of all

LARGE = 0.03  # of the time: functions with less are not compared
SEEN = 0.01  # ... and those whose told errors are held against the reference
LARGE_OF_LINES = 0.04  # ... and those whose lines are compared, ...
LINES, WORTH = 3, 0.02  # ... if so many have such a part of the function's time


def error(share: float, size: float) -> float:
    """Two standard errors of a share of so many samples: 2 * sqrt(p(1 - p)/n)."""
    share = min(max(share, 1 / size), 1 - 1 / size)
    return 2 * (share * (1 - share) / size) ** 0.5


def worst_off(told: Shares, right: Shares, size: float) -> Figure:
    """By how many points the large function is off that is most off, beyond the error of the
    reference, whose samples are so many."""
    names = {name for shares in (told, right) for name, share in shares.items() if share >= LARGE}
    apart = (
        abs(told.get(name, 0.0) - right.get(name, 0.0)) - error(right.get(name, 0.0), size)
        for name in names
    )
    return 100 * max(0.0, *apart, 0.0)


def lines_off(told: LineShares, right: LineShares, size: float) -> list[float]:
    """Of each large function of several lines, if its lines were told: by how many points the line
    is off that is most off, as a part of its function, beyond the error of the reference."""
    found = []
    for function, lines in right.items():
        if function not in told:
            continue
        whole = sum(lines.values())
        large = sum(share >= WORTH * whole for share in lines.values())
        if whole >= LARGE_OF_LINES and large >= LINES:
            parts = (shares_of(it) for it in (told[function], lines))
            found.append(worst_off(*parts, max(1.0, size * whole)))
    return found


def held(told: Shares, errors: Shares, least: float, right: Shares, size: float) -> tuple[int, int]:
    """(How many of the told errors hold, of how many), beside shares that have errors of their own.
    least: the error of a function that was not seen."""
    seen = [name for name, share in right.items() if share >= SEEN]
    holds = sum(
        (told.get(name, 0.0) - right[name]) ** 2
        <= errors.get(name, least) ** 2 + error(right[name], size) ** 2
        for name in seen
    )
    return holds, len(seen)


def shares_of(seconds: dict[str, float]) -> Shares:
    whole = sum(seconds.values()) or 1.0
    return {name: time / whole for name, time in seconds.items()}
