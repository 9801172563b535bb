"""Reads the values of options: numbers, words of a list, regular expressions, addresses.

Each reader is a function of the text, which raises UsageError. options.py has the options.
"""

from __future__ import annotations

from tracer.launch.errors import UsageError
from tracer.report.figure_tables import FIGURE_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

INFINITY, NOT_A_NUMBER = float("inf"), float("nan")

MOMENT_UNITS = {"ms": 1e3, "us": 1e6, "ns": 1e9, "s": 1.0}  # how many there are in a second

LINE_KEYS = ("total", "own", "waited", "suspended")  # by which the one table of lines is sorted
RANGE_KEYS = ("total", "count", "min", "mean", "max", "p50", "p95", "name")
MEMORY_KEYS = ("peak", "live", "allocated", "temporary", "count")
NATIVE_KEYS = ("tottime", "cumulative")
EXPORTED_MEMORY = ("peak", "live", "allocated", "temporary")  # the default first
SUMMARY_KEYS = ("total", "calls", "average", "max", "min", "name")
# The sort keys of pstats, which is not imported: the user's program would find it loaded.
SORT_KEYS = (
    "calls",
    "cumtime",
    "cumulative",
    "filename",
    "line",
    "module",
    "name",
    "ncalls",
    "nfl",
    "pcalls",
    "stdname",
    "time",
    "tottime",
)


def split(word: str) -> tuple[str, str | None]:
    """The flag in a word, and the value in the same word, or None. A value follows a long flag
    behind `=`, and a short one at once."""
    if not word.startswith("--"):
        return word[:2], word[2:] or None
    flag, equals, text = word.partition("=")
    return flag, text if equals else None


def sort_words() -> set[str]:
    """The sort keys, and the abbreviations that pstats takes for them.

    Of the abbreviations that a key shares with earlier keys, pstats refuses only the longest: it
    takes cu, but not cum.
    """
    words: set[str] = set()
    refused: set[str] = set()
    for key in SORT_KEYS:
        beginnings = [key[:end] for end in range(len(key), 0, -1)]
        refused.update([beginning for beginning in beginnings if beginning in words][:1])
        words.update(beginnings)
    return words - refused


def sort_key(text: str) -> str:
    if text not in sort_words() and text not in (
        *(*FIGURE_KEYS, *LINE_KEYS, *RANGE_KEYS, *MEMORY_KEYS, *SUMMARY_KEYS),
    ):
        keys = ", ".join((*SORT_KEYS, *FIGURE_KEYS))
        others = {"lines": LINE_KEYS, "ranges": RANGE_KEYS, "memory": MEMORY_KEYS}
        others["the summary"] = SUMMARY_KEYS
        of_others = "".join(f"; for {what}: {', '.join(of)}" for what, of in others.items())
        raise UsageError(f"unknown sort key {text!r}; choose from {keys}{of_others}")
    return text


def choice(flag: str, *words: str) -> Callable[[str], str]:
    """A reader of one of these words."""

    def read(text: str) -> str:
        if text not in words:
            raise UsageError(f"{flag} {text!r}: choose from {', '.join(words)}")
        return text

    return read


def whole(flag: str, what: str, least: int = 1) -> Callable[[str], int]:
    """A reader of an integer from `least` on. `what` tells the user what to give."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise UsageError(f"{flag} {text!r}: give {what}")
        return number

    return read


def number(
    flag: str, what: str, *, least: float = 0.0, above: float = -INFINITY, most: float = INFINITY
) -> Callable[[str], float]:
    """A reader of a finite number from `least` to `most` that is greater than `above`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = NOT_A_NUMBER
        if not least <= value <= most or value <= above or value == INFINITY:
            raise UsageError(f"{flag} {text!r}: give {what}")
        return value

    return read


unit: Callable[[str], float] = number("--unit", "the seconds of a unit, such as 1e-6 or 1", above=0)
percent: Callable[[str], float] = number("--min", "a percentage, from 0 to 100", most=100)


def moment(flag: str) -> Callable[[str], float]:
    """A reader of a time since the start, in seconds: "1.5", "1.5s", "200ms", "3us", "40ns"."""

    def read(text: str) -> float:
        unit = next((unit for unit in MOMENT_UNITS if text.endswith(unit)), "")
        digits = text.removesuffix(unit)
        try:
            value = float(digits)
        except ValueError:
            value = NOT_A_NUMBER
        if not 0 <= value < INFINITY or digits != digits.strip():
            raise UsageError(
                f"{flag} {text!r}: give a time since the start, such as 1.5, 1.5s or 200ms"
            )
        return value / MOMENT_UNITS.get(unit, 1)

    return read


def function(text: str) -> str:
    """A regular expression, or a name as tracer prints it, which need not be a valid expression.
    Once the functions are known, analysis/function_names.py decides which of the two it is. Raises
    UsageError if it is neither."""
    from tracer.source.labels import pattern_or_label

    if not text:
        raise UsageError("no function has an empty name; give one, or leave the option out")
    try:
        pattern_or_label(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return text


def address_of(text: str) -> tuple[str, int]:
    """The host and port of [HOST:]PORT. An empty text means a free port of this machine. Raises
    UsageError."""
    from tracer.server.address import LOOPBACK

    host, colon, digits = text.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    number = port_number(digits) if text else 0
    if number is None or (colon and not host):
        raise UsageError(f"--live={text}: give PORT or HOST:PORT; a port is from 0 (any) to 65535")
    return host or LOOPBACK, number


def port_of(text: str) -> int:
    number = port_number(text)
    if number is None:
        raise UsageError(f"-p {text!r}: give the number of a port, from 0 (any) to 65535")
    return number


def port_number(digits: str) -> int | None:
    if not digits.isdecimal() or not digits.isascii() or len(digits) > 5:
        return None
    number = int(digits)
    return number if number < 2**16 else None


def native_hz(text: str) -> int:
    """The value of --native: the samples in a second of CPU."""
    from tracer.recording.native import MOST_HZ, USUAL_HZ

    if not text:
        return USUAL_HZ
    if not (text.isdecimal() and text.isascii() and 1 <= int(text[:9]) <= MOST_HZ):
        raise UsageError(
            f"--native={text}: give samples in a second of CPU, from 1 to {MOST_HZ}, or --native "
            f"alone for {USUAL_HZ}"
        )
    return int(text)


def whose_memory(text: str) -> str:
    """The value of --memory, of which all are true: Python's memory, or that of C code, too."""
    if text not in ("", "native"):
        raise UsageError(
            f"--memory={text}: write --memory alone, or --memory=native for that of C code, too"
        )
    return text or "Python"


def any_text(text: str) -> str:
    return text
