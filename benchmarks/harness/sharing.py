"""The arithmetic that compares shares of time with those of a reference, which are of samples and
have errors. Nothing is measured or printed here. Shares are parts of 1."""

from harness.figures import Figure

Shares = dict[str, float]

LARGE = 0.03  # of the time: functions with less are not compared
SEEN = 0.01  # ... and those whose told errors are held against the reference


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
