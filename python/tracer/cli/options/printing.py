"""The options of what is printed of a profile: tables, listings, lines. `show` has them, and what a
run or a timed statement prints without a file. checks.py says which of them go together."""

from __future__ import annotations

from tracer.cli.options.option import Option, Options, choice, number, whole
from tracer.launch.errors import UsageError
from tracer.report.figure_tables import FIGURE_KEYS, FIGURE_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


LINE_KEYS = ("total", "own", "waited", "suspended")  # by which the one table of lines is sorted
RANGE_KEYS = ("total", "count", "min", "mean", "max", "p50", "p95", "name")
MEMORY_KEYS = ("peak", "live", "allocated", "temporary", "count")
NATIVE_KEYS = ("tottime", "cumulative")
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


unit: Callable[[str], float] = number("--unit", "the seconds of a unit, such as 1e-6 or 1", above=0)
percent: Callable[[str], float] = number("--min", "a percentage, from 0 to 100", most=100)


# The options that print a listing in place of the table; listings.py prints them, in
# this order. To add one: an entry here (for a figure's table, in report/figure_tables.py), and a
# method of Stats that prints it, print_<name>().
LISTINGS = (
    Option("--threads", "print the threads, their calls and times, in place of the table"),
    Option("--tree", "print the call tree by cumulative time, in place of the table"),
    Option(
        "--callers NAME",
        "print who called this function (a name as printed, or a regular expression), in place of "
        "the table; with --fold: which of the program's own functions",
        read=function,
        once=True,
    ),
    Option(
        "--callees NAME",
        "print whom this function (as for --callers) called, in place of the table",
        read=function,
        once=True,
    ),
    *(Option(f"--{table.name}", table.meaning) for table in FIGURE_TABLES.values()),
    Option(
        "--memory",
        "print what each function allocated, and what of it was live at the peak and at the end, "
        "in place of the table; sorted by peak, or by -s live, allocated, temporary or count; with "
        "--tree: the call tree by memory",
    ),
    Option(
        "--native",
        "print which native functions used CPU time, and for which Python functions, in place of "
        "the table; sorted by tottime, or by -s cumulative; with --tree, --callers or --callees: "
        "these by CPU time, with native functions",
    ),
)

rows: Callable[[str], int] = whole("--limit", "a number of rows; 0 prints all", least=0)
PRINTING = (
    Option(
        "-s, --sort KEY",
        "print the table of functions, sorted by KEY (default: cumulative)",
        read=sort_key,
    ),
    Option(
        "--limit N",
        "print N rows at most, of callers and callees N below each function; 0: all (default: 30; "
        "of native functions 15; of the tree, all of --min)",
        read=rows,
    ),
    Option("--table", "print the table of functions, in place of the first screen"),
    *LISTINGS,
    Option(
        "--depth N",
        "tree: print paths of N calls at most",
        read=whole("--depth", "a number of calls, 1 or more"),
    ),
    Option(
        "--only NAME",
        "list only this function: a name as printed, or a regular expression; tree: only paths "
        "through it",
        read=function,
        once=True,
    ),
    Option(
        "--root NAME",
        "tree: print what is below all calls of this function, merged",
        read=function,
        once=True,
    ),
    Option(
        "--fold[=NAME]",
        "tree: print each library, and each import, as one row; with NAME: that package, module or "
        "function; may be repeated; callers: print the program's own functions that are nearest "
        "above",
        many=True,
    ),
    Option("--strip-dirs", "print file names without their folders"),
    Option("--no-header", "leave out the lines about the run above the table"),
    Option(
        "--color WHEN",
        "color the output: always, never, or auto (the default), which means on a terminal",
        read=choice("--color", "always", "never", "auto"),
    ),
)

# The printing options that concern functions only.
FUNCTION_PRINTING = tuple(o for o in PRINTING if o.name not in ("no_header", "color"))


# The printing options of lines.
LINE_PRINTING = (
    Option("--unit SECONDS", "lines: print times in this unit (1e-6)", read=unit),
    Option(
        "--parts",
        "lines: also print the parts of each time: own, in C (with callbacks), suspended, waited, "
        "and with --native in Python and in native code",
    ),
    Option("-z, --skip-zero", "lines: leave out functions that were never called"),
    Option("--sort-lines", "lines: the function that took longest comes last"),
    Option("--summarize", "lines: end with the time of each function"),
    Option(
        "--min PERCENT",
        "leave out functions timed by line, or lines, that took less than this share of the run "
        "(default: 0); with --tree: paths (default: 1)",
        read=percent,
    ),
)


class PrintingOptions(Options):
    """Values of PRINTING and LINE_PRINTING. A verb that lacks some of these options has their usual
    values. include: which functions are listed; () for all."""

    callees: str | None
    callers: str | None
    color: str | None
    depth: int | None
    fold: tuple[str, ...]
    include: tuple[str, ...]
    limit: int | None
    longest: bool
    memory: bool
    min: float | None
    native: bool
    no_header: bool
    only: str | None
    parts: bool
    resumes: bool
    root: str | None
    skip_zero: bool
    sort: str | None
    sort_lines: bool
    strip_dirs: bool
    summarize: bool
    suspended: bool
    table: bool
    threads: bool
    tree: bool
    unit: float | None
    waited: bool

    def __init__(self, values: Mapping[str, object]) -> None:
        usual = {option.name: option.default for option in (*PRINTING, *LINE_PRINTING)}
        super().__init__({**usual, "include": (), **values})


def listings_in(options: PrintingOptions, among: tuple[Option, ...] = LISTINGS) -> list[Option]:
    """The listings that were asked for."""
    return [it for it in among if getattr(options, it.name) != it.default]
