"""The options of the command: what one is, finding them, and those that several verbs share.

A short option means the same in every verb, because each exists once, here. argparse is not used:
it would import a dozen modules before the user's program does.
"""

from __future__ import annotations

from tracer.cli.option_values import any_text, choice, percent, regex, sort_key, split, unit, whole
from tracer.launch.errors import UnknownOption, UsageError
from tracer.report.figure_tables import FIGURE_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


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
        optional: bool = False,
    ) -> None:
        self.flags = flags
        self.meaning = meaning
        self.value = value  # what the usage text calls it; empty for an option without one
        self.read = read
        self.many = many  # it may be given several times: its value is a tuple
        self.optional = optional  # its value is given as --flag=VALUE only, and may be left out
        self.default = () if many else default if value else False
        self.name: str = flags[-1].lstrip("-").replace("-", "_")


class Listing(Option):
    """An option that has print_<name>() of Stats print, in the place of the table.

    `first`: what comes first in it, for -s does not sort it; empty if -s does. `words`: of the
    options, what print_<name>() is called with; left out, the option's own value, if it takes one,
    and the limit."""

    def __init__(
        self,
        flag: str,
        *,
        meaning: str,
        first: str = "",
        words: Callable[[dict[str, Any]], tuple[Any, ...]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(flag, meaning=meaning, **more)
        self.first = first
        self.words: Callable[[dict[str, Any]], tuple[Any, ...]] = words or self._words

    def _words(self, values: dict[str, Any]) -> tuple[Any, ...]:
        own = (values[self.name],) if self.value else ()
        return own if values["limit"] is None else (*own, values["limit"])


def _words_of_tree(values: dict[str, Any]) -> tuple[Any, ...]:
    return values["depth"], 1.0 if values["min"] is None else values["min"], values["limit"]


# In the order in which they are printed when several are given. To add one: a line here, or, of a
# figure, in report/figure_tables.py; and its method of Stats.
LISTINGS = (
    Listing(
        "--threads",
        first="those with the most time",
        meaning="print the threads, their calls and times, in place of the table",
    ),
    Listing(
        "--tree",
        first="those with the most time",
        words=_words_of_tree,
        meaning="print the call tree by cumulative time, in place of the table",
    ),
    Listing(
        "--callers",
        value="REGEX",
        read=regex,
        meaning="print who called the functions that match, in place of the table",
    ),
    Listing(
        "--callees",
        value="REGEX",
        read=regex,
        meaning="print whom the functions that match called, in place of the table",
    ),
    *(
        Listing(f"--{table.name}", first=table.first, meaning=table.meaning)
        for table in FIGURE_TABLES.values()
    ),
)

RAW = Option("--raw", meaning="show the times as they were measured, also after --compensate")
HELP = Option("-h", "--help", meaning="print this text")
PRINTING = (
    Option(
        "-s",
        "--sort",
        value="KEY",
        read=sort_key,
        meaning="sort the rows by KEY (default: cumulative)",
    ),
    Option(
        "--limit",
        value="N",
        read=whole("--limit", "a number of rows, 1 or more"),
        meaning="print N rows at most",
    ),
    *LISTINGS,
    Option(
        "--depth",
        value="N",
        read=whole("--depth", "a number of calls, 1 or more"),
        meaning="tree: print paths of N calls at most",
    ),
    Option("--strip-dirs", meaning="print file names without their folders"),
    Option("--no-header", meaning="leave out the lines about the run above the table"),
    Option(
        "--color",
        value="WHEN",
        read=choice("--color", "always", "never", "auto"),
        meaning="color the output: always, never, or auto (the default), which means on a terminal",
    ),
)

# Those of it that are of functions alone.
FUNCTION_PRINTING = tuple(o for o in PRINTING if o.name not in ("no_header", "color"))


ALLOW_HOST = Option(
    "--allow-host",
    value="NAME",
    many=True,
    meaning="also answer browsers that know this machine by NAME; may be repeated",
)

# What is printed of lines.
LINE_PRINTING = (
    Option(
        "--unit",
        value="SECONDS",
        read=unit,
        meaning="lines: print times in this unit (1e-6)",
    ),
    Option(
        "--parts",
        meaning="lines: also print the parts of each time: own, in C (with callbacks), suspended",
    ),
    Option("-z", "--skip-zero", meaning="lines: leave out functions that were never called"),
    Option("--sort-lines", meaning="lines: the function that took longest comes last"),
    Option("--summarize", meaning="lines: end with the time of each function"),
    Option(
        "--min",
        value="PERCENT",
        read=percent,
        meaning="leave out functions timed by line, or lines, that took less than this share of "
        "the run; with --tree: paths (default: 1)",
    ),
)


def listings_in(values: dict[str, Any]) -> list[Listing]:
    """Those that were asked for."""
    return [listing for listing in LISTINGS if values[listing.name] != listing.default]


def check_printing(values: dict[str, Any]) -> None:
    """Raise UsageError for printing options that do not go together."""
    for listing in listings_in(values):
        if listing.first and values["sort"] is not None:
            flag = listing.flags[0]
            raise UsageError(
                f"-s does not sort {flag}, which has {listing.first} first; leave -s out"
            )
    for name in ("callers", "callees"):
        if values["tree"] and values[name] is not None:
            raise UsageError(
                f"--{name} prints a table of its own, and does not choose from --tree; give one "
                "of them"
            )
    if values["depth"] is not None and not values["tree"]:
        raise UsageError("--depth is of no use without the call tree; give --tree, too")


def first_given(options: Sequence[Option], values: dict[str, Any]) -> str | None:
    """The flag of the first of these options that was given, or None."""
    given = [option.flags[0] for option in options if values[option.name] != option.default]
    return given[0] if given else None


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
        flag, text = split(word)
        option = known.get(flag)
        if option is None:
            raise UnknownOption(flag)
        if option.value:
            value = value_of(option, flag, text, rest)
            values[option.name] = (*values[option.name], value) if option.many else value
            continue
        values[option.name] = True
        if text is not None and flag == "-m":
            return values, [text, *rest]
        if text is not None:
            raise UsageError(f"{flag} takes no value, {text!r} was given")
        if option is HELP:
            return values, words
    return values, words


def value_of(option: Option, flag: str, text: str | None, rest: list[str]) -> object:
    """The value that was given with a flag or, where that is None, as the next of the words, which
    is taken from them."""
    if text is None and not option.optional:
        if not rest:
            raise UsageError(f"{flag} needs a value: {flag} {option.value}")
        text = rest.pop(0)
    return option.read(text or "")


def describe(options: Sequence[Option]) -> str:
    """The options as lines of the usage text, which are wrapped when they are printed."""
    lines = []
    for option in options:
        value = f"[={option.value}]" if option.optional else option.value and f" {option.value}"
        left = ", ".join(option.flags) + value
        lines.append(f"  {left:<20}  {' '.join(option.meaning.split())}\n")
    return "".join(lines)
