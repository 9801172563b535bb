"""The arithmetic that compares a profiler's order of the heaviest functions with a sampler's.

A key, file:line(name), names a function. Its figure is its own seconds, or its own samples. C
functions have no figure: a sampler of Python frames sees their callers, to which their time goes.
"""

import re
from statistics import correlation

from harness.figures import Figure

Figures = dict[str, float]

TEN = 10
ENOUGH = 10  # samples, at least, that give a function a place
FRAME = re.compile(r"(?P<name>.*) \((?P<file>.*?)(:(?P<line>\d+))?\)")


def key(file: str, line: int, name: str) -> str:
    return f"{file}:{line}({name})"


def own_times(stats: dict) -> dict[tuple, float]:
    """The own seconds of each Python function, with those of the C functions that it called, from
    rows as pstats has them. (No profile has the calls that C code makes in C.)"""
    times = {label: row[2] for label, row in stats.items() if label[0] != "~"}
    for label, row in stats.items():
        if label[0] == "~":
            for caller, edge in row[4].items():
                if caller in times:
                    times[caller] += edge[2]
    return times


def samples_below(text: str, base: str) -> Figures:
    """How often each function was the innermost one, somewhere below the function `base`. The text
    is py-spy's raw format: a line `frame;frame;frame samples` for each stack."""
    found: Figures = {}
    for line in text.splitlines():
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if any(frame.startswith(f"{base} (") for frame in frames[:-1]):
            innermost = _key_of(frames[-1])
            found[innermost] = found.get(innermost, 0) + int(count)
    return found


def _key_of(frame: str) -> str:
    """The key of the function of a frame, `qualified.name (file:line)`. The line, where there is
    one, is the first of the function."""
    match = FRAME.fullmatch(frame)
    if match is None:
        return key("", 0, frame)
    return key(match["file"], int(match["line"] or 0), match["name"].rpartition(".")[2])


def heaviest(figures: Figures, count: int, least: float = 0) -> list[str]:
    """The `count` functions with the largest figures, of those with `least` or more."""
    enough = [function for function, figure in figures.items() if figure >= least]
    return sorted(enough, key=lambda function: -figures[function])[:count]


def places(values: list[float]) -> list[float]:
    """The place of each value, the largest first; equal values share the mean of their places."""
    return [
        sum(other > value for other in values) + (values.count(value) + 1) / 2 for value in values
    ]


def rank_correlation(left: list[float], right: list[float]) -> Figure:
    """Spearman's correlation: 1 for the same order, -1 for the opposite, None for no order."""
    if len(set(left)) < 2 or len(set(right)) < 2:
        return None
    return correlation(places(left), places(right))


def swapped(samples: list[float], seconds: list[float]) -> int:
    """How many pairs have another order by seconds than by samples. Only pairs count whose samples
    are too far apart for chance: by more than three standard deviations of the difference."""
    pairs = [
        (samples[i] - samples[j], samples[i] + samples[j], seconds[i] - seconds[j])
        for i in range(len(samples))
        for j in range(i)
    ]
    return sum(apart * told < 0 and apart**2 > 9 * both for apart, both, told in pairs)


def compare(samples: Figures, seconds: Figures) -> dict[str, Figure]:
    """How the ten heaviest functions by samples (fewer, if fewer have enough samples) stand by
    seconds: how many of them are among as many heaviest by seconds, and in which order."""
    ten = heaviest(samples, TEN, ENOUGH)
    by_samples = [samples[function] for function in ten]
    by_seconds = [seconds.get(function, 0.0) for function in ten]
    return {
        "of": len(ten),
        "same": len(set(ten) & set(heaviest(seconds, len(ten)))),
        "correlation": rank_correlation(by_samples, by_seconds),
        "swapped": swapped(by_samples, by_seconds),
    }
