"""Options: the class Option, the parser, and the options that several verbs share.

There is one parser. compat and integrations have kinds of options of their own, and pass their
rules to take_options(). A short option means the same in every verb. argparse is not used: it would
import a dozen modules before the user's program. option_values.py reads the values.
"""

from __future__ import annotations

from tracer.cli.option_values import (
    LINE_KEYS,
    MEMORY_KEYS,
    NATIVE_KEYS,
    RANGE_KEYS,
    SUMMARY_KEYS,
    any_text,
    choice,
    function,
    percent,
    sort_key,
    sort_words,
    split,
    unit,
    whole,
)
from tracer.launch.errors import MissingValue, UnknownOption, UsageError
from tracer.report.figure_tables import FIGURE_KEYS, FIGURE_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeVar

    AnyOption = TypeVar("AnyOption", bound="Option")


class Option:
    """One option. Its value stands under `name`; by default that of its last flag, the long one, if
    it has one.
    Other kinds of options override take()."""

    has_default = True
    ends_options = False  # no word behind it is an option

    def __init__(
        self,
        *flags: str,
        meaning: str,
        value: str = "",
        read: Callable[[str], object] = any_text,
        default: object = None,
        many: bool = False,
        optional: bool = False,
        once: bool = False,
        name: str = "",
    ) -> None:
        self.flags = flags
        self.meaning = meaning
        self.value = value  # the value's name in the usage text; empty for a flag
        self.read = read
        self.many = many  # the option may be given several times: its value is a tuple
        self.optional = optional  # the value stands in the flag's word (--flag=VALUE), or is absent
        self.once = once  # the last value does not stand for those before it: they are refused
        self.default = () if many else default if value else False
        self.name: str = name or flags[-1].lstrip("-").replace("-", "_")

    def forms(self) -> tuple[str, ...]:
        """All flags that mean this option."""
        return self.flags

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        """Set the value. `text` is the value in the flag's own word, or None; then the value is
        taken from `rest`, the words behind. Raises UsageError."""
        if not self.value:
            if text is not None:
                raise UsageError(f"{flag} takes no value, {text!r} was given")
            values[self.name] = True
            return
        value = self.read(self.text_given(flag, text, rest))
        if self.once and values[self.name] is not None:
            raise UsageError(f"{flag} is given twice; a regular expression names several: 'a|b'")
        values[self.name] = (*values[self.name], value) if self.many else value

    def text_given(self, flag: str, text: str | None, rest: list[str]) -> str:
        if text is not None or self.optional:
            return text or ""
        if not rest:
            raise MissingValue(f"{flag} needs a value: {flag} {self.value}", flag)
        return rest.pop(0)


class Ending(Option):
    """An option after which no other is read: --help, and -c, whose program has the other words."""

    ends_options = True


class Listing(Option):
    """An option that prints a listing in place of the table; listings.py prints it.

    `first`: which rows come first in a listing that -s does not sort; else empty."""

    def __init__(self, flag: str, *, meaning: str, first: str = "", **more: Any) -> None:
        super().__init__(flag, meaning=meaning, **more)
        self.first = first


# In the order in which they are printed. To add one: an entry here (for a figure's table, in
# report/figure_tables.py), and a method of Stats that prints it, print_<name>().
LISTINGS = (
    Listing(
        "--threads",
        first="those with the most time",
        meaning="print the threads, their calls and times, in place of the table",
    ),
    Listing(
        "--tree",
        first="those with the most time",
        meaning="print the call tree by cumulative time, in place of the table",
    ),
    Listing(
        "--callers",
        value="NAME",
        read=function,
        once=True,
        meaning="print who called this function (a name as printed, or a regular expression), in "
        "place of the table; with --fold: which of the program's own functions",
    ),
    Listing(
        "--callees",
        value="NAME",
        read=function,
        once=True,
        meaning="print whom this function (as for --callers) called, in place of the table",
    ),
    *(
        Listing(f"--{table.name}", first=table.first, meaning=table.meaning)
        for table in FIGURE_TABLES.values()
    ),
    Listing(
        "--memory",
        meaning="print what each function allocated, and what of it was live at the peak and at "
        "the end, in place of the table; sorted by peak, or by -s live, allocated, temporary or "
        "count; with --tree: the call tree by memory",
    ),
    Listing(
        "--native",
        meaning="print which native functions used CPU time, and for which Python functions, in "
        "place of the table; sorted by tottime, or by -s cumulative; with --tree, --callers or "
        "--callees: these by CPU time, with native functions",
    ),
)

rows: Callable[[str], int] = whole("--limit", "a number of rows; 0 prints all", least=0)
PHASES = Option(
    "--phases",
    value="FILE",
    meaning="steps: find phases by the table [tool.tracer.phases] of FILE, a TOML file, in place "
    "of the rules that the profile keeps",
)
RAW = Option("--raw", meaning="show the times as they were measured, also after --compensate")
HELP = Ending("-h", "--help", meaning="print this text")
PRINTING = (
    Option(
        "-s",
        "--sort",
        value="KEY",
        read=sort_key,
        meaning="print the table of functions, sorted by KEY (default: cumulative)",
    ),
    Option(
        "--limit",
        value="N",
        read=rows,
        meaning="print N rows at most, of callers and callees N below each function; 0: all "
        "(default: 30; of native functions 15; of the tree, all of --min)",
    ),
    Option("--table", meaning="print the table of functions, in place of the first screen"),
    *LISTINGS,
    Option(
        "--depth",
        value="N",
        read=whole("--depth", "a number of calls, 1 or more"),
        meaning="tree: print paths of N calls at most",
    ),
    Option(
        "--only",
        value="NAME",
        read=function,
        once=True,
        meaning="list only this function: a name as printed, or a regular expression; tree: only "
        "paths through it",
    ),
    Option(
        "--root",
        value="NAME",
        read=function,
        once=True,
        meaning="tree: print what is below all calls of this function, merged",
    ),
    Option(
        "--fold",
        value="NAME",
        many=True,
        optional=True,
        meaning="tree: print each library, and each import, as one row; with NAME: that package, "
        "module or function; may be repeated; callers: print the program's own functions that are "
        "nearest above",
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

# The printing options that concern functions only.
FUNCTION_PRINTING = tuple(o for o in PRINTING if o.name not in ("no_header", "color"))


ALLOW_HOST = Option(
    "--allow-host",
    value="NAME",
    many=True,
    meaning="also answer browsers that know this machine by NAME; may be repeated",
)

# The printing options of lines.
LINE_PRINTING = (
    Option(
        "--unit",
        value="SECONDS",
        read=unit,
        meaning="lines: print times in this unit (1e-6)",
    ),
    Option(
        "--parts",
        meaning="lines: also print the parts of each time: own, in C (with callbacks), suspended, "
        "waited, and with --native in Python and in native code",
    ),
    Option("-z", "--skip-zero", meaning="lines: leave out functions that were never called"),
    Option("--sort-lines", meaning="lines: the function that took longest comes last"),
    Option("--summarize", meaning="lines: end with the time of each function"),
    Option(
        "--min",
        value="PERCENT",
        read=percent,
        meaning="leave out functions timed by line, or lines, that took less than this share of "
        "the run (default: 0); with --tree: paths (default: 1)",
    ),
)


def listings_in(values: dict[str, Any]) -> list[Listing]:
    """The listings that were asked for."""
    return [it for it in LISTINGS if values[it.name] != it.default]


def check_printing(
    values: dict[str, Any], *, are_lines: bool = False, sort_flag: str = "-s"
) -> None:
    """Raise UsageError for printing options that do not go together. are_lines: the lines that took
    longest are printed. sort_flag: the flag by which the verb has --sort."""
    if not are_lines and values["sort"] in set(LINE_KEYS).difference(FIGURE_KEYS):
        raise UsageError(
            f"{sort_flag} {values['sort']} sorts lines; give it to 'show --lines', or another key"
        )
    sorts_memory = values["memory"] and values["sort"] in MEMORY_KEYS
    if values["sort"] in set(RANGE_KEYS).difference(LINE_KEYS, sort_words()) and not sorts_memory:
        raise UsageError(
            f"{sort_flag} {values['sort']} sorts ranges; give it to 'show --ranges', or another key"
        )
    if values["sort"] in set(SUMMARY_KEYS).difference(RANGE_KEYS, sort_words()):
        raise UsageError(
            f"-s {values['sort']} sorts a summary; give it to 'show --summary', or another key"
        )
    has_memory = values["memory"]
    if values["sort"] in set(MEMORY_KEYS).difference(RANGE_KEYS) and not has_memory:
        raise UsageError(
            f"-s {values['sort']} sorts memory; give it to 'show --memory', or another key"
        )
    if has_memory and values["sort"] not in (None, *MEMORY_KEYS):
        raise UsageError(
            f"-s {values['sort']} sorts functions; memory is sorted by {', '.join(MEMORY_KEYS)}"
        )
    if values["native"] and has_memory:
        raise UsageError("--native prints CPU time, and --memory memory; give one of them")
    if values["native"] and values["sort"] not in (None, *NATIVE_KEYS):
        raise UsageError(
            f"-s {values['sort']} does not sort native functions; give {' or '.join(NATIVE_KEYS)}"
        )
    for listing in listings_in(values):
        if listing.first and has_memory and listing.name == "tree":
            continue  # -s chooses by which memory it is
        if listing.first and values["sort"] is not None:
            flag = listing.flags[0]
            raise UsageError(
                f"{sort_flag} does not sort {flag}, which has {listing.first} first; leave "
                f"{sort_flag} out"
            )
    for name in ("callers", "callees"):
        if values["tree"] and values[name] is not None:
            raise UsageError(
                f"--{name} prints a table of its own, and does not choose from --tree; give one "
                "of them"
            )
        if values["only"] is not None and values[name] is not None:
            raise UsageError(
                f"--{name} names the functions that are listed, and so does --only; give one of "
                "them"
            )
    if values["only"] is not None and values["threads"]:
        raise UsageError("--threads lists threads, and --only functions; give one of them")
    folds_callers = values["callers"] is not None and bool(values["fold"])
    if folds_callers and any(values["fold"]):
        raise UsageError("--fold of --callers takes no name; give --fold alone")
    of_tree = ("depth", "root") if folds_callers else ("depth", "root", "fold")
    unused = first_given([o for o in PRINTING if o.name in of_tree], values)
    if unused == "--fold" and values["native"] and not values["tree"]:
        raise UsageError(
            "--fold is of no use without the call tree or --callers; give --native --tree --fold, "
            "or --native --callers NAME --fold"
        )
    if unused and not values["tree"]:
        besides = " or --callers" if unused == "--fold" else ""
        raise UsageError(f"{unused} is of no use without the call tree{besides}; give --tree, too")


def first_given(options: Sequence[Option], values: dict[str, Any]) -> str | None:
    """The flag of the first of these options that was given, or None."""
    given = [option.flags[0] for option in options if values[option.name] != option.default]
    return given[0] if given else None


def parse(
    argv: Sequence[str], options: Sequence[Option], *, stop_at_program: bool
) -> tuple[dict[str, Any], list[str]]:
    """The options' values by name, and the other words. Raises UsageError.

    With `stop_at_program`, the first word that is no option begins the program's own words.
    """
    rest = list(argv)
    values, words = take_options(rest, options, stop_at_program=stop_at_program)
    return values, words + rest


def take_options(
    rest: list[str],
    options: Sequence[AnyOption],
    *,
    stop_at_program: bool,
    flags_join: bool = False,
    full_flag: Callable[[str, Mapping[str, AnyOption]], str] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The options' values by name, and the other words up to the program. The words behind them
    stay in `rest`. Raises UsageError.

    `flags_join`: -lv means -l -v. `full_flag` completes an abbreviated flag, given all options by
    flag.
    """
    by_flag = {flag: option for option in options for flag in option.forms()}
    values: dict[str, Any] = {o.name: o.default for o in options if o.has_default}
    words: list[str] = []
    while rest:
        word = rest.pop(0)
        if word == "--":
            break
        if word == "-" or not word.startswith("-"):
            words.append(word)
            if stop_at_program:
                break
            continue
        flag, text = split(word)
        if full_flag is not None:
            flag = full_flag(flag, by_flag)
        option = by_flag.get(flag)
        is_short_flag = option is not None and not (option.value or flag.startswith("--"))
        if flags_join and is_short_flag and text is not None:
            if text.startswith("-"):  # no flag has the name `-`
                flag, option = "--", None
            rest.insert(0, f"-{text}")
            text = None
        if option is None:
            raise UnknownOption(f"unknown option {flag!r}; --help lists them", flag)
        option.take(flag, text, rest, values)
        if option.ends_options:
            break
    return values, words


def describe(options: Sequence[Option]) -> str:
    """The options as lines of the usage text. print_usage() wraps them."""
    lines = []
    for option in options:
        value = f"[={option.value}]" if option.optional else option.value and f" {option.value}"
        left = ", ".join(option.flags) + value
        lines.append(f"  {left:<20}  {' '.join(option.meaning.split())}\n")
    return "".join(lines)
