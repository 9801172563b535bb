"""The options of what is printed of a profile: tables, listings, lines. `show` has them, and what a
run or a timed statement prints without a file. checks.py says which of them go together."""

from __future__ import annotations

from tracer.cli.options.option import Options, number_in, option
from tracer.launch.errors import UsageError
from tracer.report.figure_tables import FIGURE_KEYS, FIGURE_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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
    Once the functions are known, analysis/tree/function_names.py decides which of the two it is.
    Raises UsageError if it is neither."""
    from tracer.source.labels import pattern_or_label

    if not text:
        raise UsageError("no function has an empty name; give one, or leave the option out")
    try:
        pattern_or_label(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
    return text


unit: Callable[[str], float] = number_in(
    "--unit", "the seconds of a unit, such as 1e-6 or 1", above=0
)
percent: Callable[[str], float] = number_in("--min", "a percentage, from 0 to 100", most=100)
rows: Callable[[str], int] = number_in("--limit", "a number of rows; 0 prints all", int)


def of_function(told: str, meaning: str) -> Any:
    """An option whose value names functions."""
    return option(told, meaning, read=function, once=True)


def of_figure(name: str) -> Any:
    """The option that prints the table of a figure."""
    return option(f"--{name}", FIGURE_TABLES[name].meaning)


STRIP_DIRS = option("--strip-dirs", "print file names without their folders")
NO_HEADER = option("--no-header", "leave out the lines about the run above the table")
COLOR = option(
    "--color WHEN",
    "color the output: always, never, or auto (the default), which means on a terminal",
    words=("always", "never", "auto"),
)


class ListingOptions(Options):
    """The options that print a listing in place of the table; listings.py prints them, in this
    order. To add one: an entry here (for a figure's table, also in report/figure_tables.py), and a
    method of Stats that prints it, print_<name>()."""

    threads: bool = option(
        "--threads", "print the threads, their calls and times, in place of the table"
    )
    tree: bool = option("--tree", "print the call tree by cumulative time, in place of the table")
    callers: str | None = of_function(
        "--callers NAME",
        "print who called this function (a name as printed, or a regular expression), in place of "
        "the table; with --fold: which of the program's own functions",
    )
    callees: str | None = of_function(
        "--callees NAME",
        "print whom this function (as for --callers) called, in place of the table",
    )
    resumes: bool = of_figure("resumes")
    suspended: bool = of_figure("suspended")
    waited: bool = of_figure("waited")
    longest: bool = of_figure("longest")
    memory: bool = option(
        "--memory",
        "print what each function allocated, and what of it was live at the peak and at the end, "
        "in place of the table; sorted by peak, or by -s live, allocated, temporary or count; with "
        "--tree: the call tree by memory",
    )
    native: bool = option(
        "--native",
        "print which native functions used CPU time, and for which Python functions, in place of "
        "the table; sorted by tottime, or by -s cumulative; with --tree, --callers or --callees: "
        "these by CPU time, with native functions",
    )


class TableOptions(ListingOptions):
    """The options of tables and listings."""

    sort: str | None = option(
        "-s, --sort KEY",
        "print the table of functions, sorted by KEY (default: cumulative)",
        read=sort_key,
    )
    limit: int | None = option(
        "--limit N",
        "print N rows at most, of callers and callees N below each function; 0: all (default: 30; "
        "of native functions 15; of the tree, all of --min)",
        read=rows,
    )
    table: bool = option("--table", "print the table of functions, in place of the first screen")
    LISTINGS = ListingOptions.OPTIONS
    depth: int | None = option(
        "--depth N",
        "tree: print paths of N calls at most",
        read=number_in("--depth", "a number of calls, 1 or more", int, least=1),
    )
    only: str | None = of_function(
        "--only NAME",
        "list only this function: a name as printed, or a regular expression; tree: only paths "
        "through it",
    )
    root: str | None = of_function(
        "--root NAME", "tree: print what is below all calls of this function, merged"
    )
    fold: tuple[str, ...] = option(
        "--fold[=NAME]",
        "tree: print each library, and each import, as one row; with NAME: that package, module or "
        "function; may be repeated; callers: print the program's own functions that are nearest "
        "above",
        many=True,
    )
    strip_dirs: bool = STRIP_DIRS
    no_header: bool = NO_HEADER
    color: str | None = COLOR


class PrintingOptions(TableOptions):
    """The options of tables, listings and lines. A verb that lacks some of them has their usual
    values. include: which functions are listed; () for all."""

    TABLES = TableOptions.OPTIONS
    unit: float | None = option(
        "--unit SECONDS", "lines: print times in this unit (1e-6)", read=unit
    )
    parts: bool = option(
        "--parts",
        "lines: also print the parts of each time: own, in C (with callbacks), suspended, waited, "
        "and with --native in Python and in native code",
    )
    skip_zero: bool = option("-z, --skip-zero", "lines: leave out functions that were never called")
    sort_lines: bool = option("--sort-lines", "lines: the function that took longest comes last")
    summarize: bool = option("--summarize", "lines: end with the time of each function")
    min: float | None = option(
        "--min PERCENT",
        "leave out functions timed by line, or lines, that took less than this share of the run "
        "(default: 0); with --tree: paths (default: 1)",
        read=percent,
    )
    include: tuple[str, ...] = ()


# The names of options: of listings, of all that is printed of functions, and of lines.
LISTINGS = ListingOptions.names()
PRINTING = TableOptions.names()
FUNCTION_PRINTING = PRINTING - {"no_header", "color"}
LINE_PRINTING = PrintingOptions.names() - PRINTING


def of_lines(options: PrintingOptions) -> set[str]:
    """The names of options that are of no use without lines."""
    return LINE_PRINTING - {"min"} if options.tree else LINE_PRINTING
