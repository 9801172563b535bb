"""The options of the command: what one is, reading them, and those that several verbs share.

A short option means the same in every verb, because each exists once, here. argparse is not used:
it would import a dozen modules before the user's program does.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


class UsageError(Exception):
    """What was typed cannot be done; the text is one line that names the thing and the remedy."""


# What pstats sorts by, spelled out because importing pstats would show in the user's program.
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


def sort_words() -> set[str]:
    """The sort keys and those of their beginnings that pstats takes for them.

    Of the beginnings that a key shares with earlier ones, pstats refuses only the longest: it takes
    cu, but not cum.
    """
    words: set[str] = set()
    refused: set[str] = set()
    for key in SORT_KEYS:
        beginnings = [key[:end] for end in range(len(key), 0, -1)]
        refused.update([beginning for beginning in beginnings if beginning in words][:1])
        words.update(beginnings)
    return words - refused


def sort_key(text: str) -> str:
    if text not in sort_words():
        raise UsageError(f"unknown sort key {text!r}; choose from {', '.join(SORT_KEYS)}")
    return text


def row_count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = 0
    if count < 1:
        raise UsageError(f"--limit {text!r}: give a number of rows, 1 or more")
    return count


def regex(text: str) -> str:
    import re

    try:
        re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"invalid regular expression {text!r}: {error}") from None
    return text


def timer(text: str) -> str:
    if text not in ("wall", "cpu"):
        raise UsageError(f"--timer {text!r}: choose from wall, cpu")
    return text


def interval(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UsageError(f"--save-every {text!r}: give a number of seconds, more than 0")
    return seconds


def any_text(text: str) -> str:
    return text


class Option:
    """One option; its value is found under the name of its long form, or of its only form."""

    def __init__(
        self,
        *flags: str,
        meaning: str,
        value: str = "",
        read: Callable[[str], object] = any_text,
        default: object = None,
        many: bool = False,
    ) -> None:
        self.flags = flags
        self.meaning = meaning
        self.value = value  # what the usage text calls it; empty for an option without one
        self.read = read
        self.many = many  # it may be given several times: its value is a tuple
        self.default = () if many else default if value else False
        self.name = flags[-1].lstrip("-").replace("-", "_")


HELP = Option("-h", "--help", meaning="print this text")
PRINTING = (
    Option(
        "-s",
        "--sort",
        value="KEY",
        read=sort_key,
        meaning="sort the rows by KEY (default: cumulative)",
    ),
    Option("--limit", value="N", read=row_count, meaning="print N rows at most"),
    Option(
        "--callers",
        value="REGEX",
        read=regex,
        meaning="print who called the functions that match, not the table",
    ),
    Option(
        "--callees",
        value="REGEX",
        read=regex,
        meaning="print whom the functions that match called, not the table",
    ),
    Option(
        "--suspended",
        meaning="print how often and how long generators and coroutines waited, not the table",
    ),
    Option("--strip-dirs", meaning="print file names without their folders"),
    Option("--no-header", meaning="print no lines about the run above the table"),
)


def check_printing(values: dict[str, Any]) -> None:
    """Raise UsageError for printing options that do not go together."""
    if values["suspended"] and values["sort"] is not None:
        raise UsageError(
            "-s does not sort --suspended, which has the longest waits first; leave it out"
        )


def parse(
    argv: Sequence[str], options: Sequence[Option], *, stop_at_program: bool
) -> tuple[dict[str, Any], list[str]]:
    """The options' values by name, and the other words.

    With `stop_at_program` the first word that is no option, and all that follows it, are the
    program's own; the flag -m then may hold the module's name at once (-mNAME), as python's does.
    """
    known = {flag: option for option in options for flag in option.flags}
    values: dict[str, Any] = {option.name: option.default for option in options}
    words: list[str] = []
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        if word == "--":
            return values, words + rest
        if word == "-" or not word.startswith("-"):
            words.append(word)
            if stop_at_program:
                return values, words + rest
            continue
        if word.startswith("--"):
            flag, has_value, text = word.partition("=")
        else:
            flag, has_value, text = word[:2], word[2:], word[2:]
        option = known.get(flag)
        if option is None:
            raise UsageError(f"unknown option {flag!r}; --help lists them")
        if not option.value:
            values[option.name] = True
            if has_value and flag == "-m":
                return values, [text, *rest]
            if has_value:
                raise UsageError(f"{flag} takes no value, {text!r} was given")
            if option is HELP:
                return values, words
        else:
            if not has_value:
                if not rest:
                    raise UsageError(f"{flag} needs a value: {flag} {option.value}")
                text = rest.pop(0)
            value = option.read(text)
            values[option.name] = (*values[option.name], value) if option.many else value
    return values, words


def describe(options: Sequence[Option]) -> str:
    """The options as lines of the usage text."""
    lines = []
    for option in options:
        left = ", ".join(option.flags) + (f" {option.value}" if option.value else "")
        lines.append(f"  {left:<20}  {option.meaning}\n")
    return "".join(lines)
