"""The options of what is printed of a profile: tables, listings, lines. `show` has them, and what a
run or a timed statement prints without a file."""

from __future__ import annotations

from tracer.cli.option_values import (
    LINE_KEYS,
    MEMORY_KEYS,
    NATIVE_KEYS,
    RANGE_KEYS,
    SUMMARY_KEYS,
    choice,
    function,
    percent,
    sort_key,
    sort_words,
    unit,
    whole,
)
from tracer.cli.options import Option, Options, first_given
from tracer.launch.errors import UsageError
from tracer.report.figure_tables import FIGURE_KEYS, FIGURE_TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


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


class PrintingOptions(Options):
    """Values of PRINTING and LINE_PRINTING. include: which functions are listed; the verbs that
    print have it."""

    __slots__ = (
        *("callees", "callers", "color", "depth", "fold", "limit", "longest", "memory", "min"),
        *("native", "no_header", "only", "parts", "resumes", "root", "skip_zero", "sort"),
        *("sort_lines", "strip_dirs", "summarize", "suspended", "table", "threads", "tree"),
        *("unit", "waited"),
    )
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


def listings_in(options: PrintingOptions) -> list[Listing]:
    """The listings that were asked for."""
    return [it for it in LISTINGS if getattr(options, it.name) != it.default]


# Options that exclude each other, and why. Of each verb those are looked at that it has.
PAIRS = {
    ("all_builtins", "no_builtins"): "--all-builtins and --no-builtins exclude each other",
    ("m", "c"): "-m and -c each name a program",
    ("threads", "thread"): "--threads lists all threads, and --thread picks one",
    ("threads", "only"): "--threads lists threads, and --only functions",
    ("native", "memory"): "--native prints CPU time, and --memory memory",
    ("tree", "callers"): "--callers prints a table of its own, and does not choose from --tree",
    ("tree", "callees"): "--callees prints a table of its own, and does not choose from --tree",
    ("only", "callers"): "--callers names the functions that are listed, and so does --only",
    ("only", "callees"): "--callees names the functions that are listed, and so does --only",
    ("summary", "timeline"): "--summary prints tables of its own, and so does --timeline",
    ("summary", "ranges"): "--summary prints tables of its own, and so does --ranges",
    ("summary", "slowest"): "--summary prints tables of its own, and so does --slowest",
}


def refuse_pairs(options: Options) -> None:
    """Raise UsageError where two options were given that exclude each other."""
    for (one, other), why in PAIRS.items():
        if options.has(one) and options.has(other):
            raise UsageError(f"{why}; give one of them")


def check_printing(
    options: PrintingOptions, *, are_lines: bool = False, sort_flag: str = "-s"
) -> None:
    """Raise UsageError for printing options that do not go together. are_lines: the lines that took
    longest are printed. sort_flag: the flag by which the verb has --sort."""
    check_sort(options, are_lines, sort_flag)
    refuse_pairs(options)
    if options.native and options.sort not in (None, *NATIVE_KEYS):
        raise UsageError(
            f"-s {options.sort} does not sort native functions; give {' or '.join(NATIVE_KEYS)}"
        )
    for listing in listings_in(options):
        if listing.first and options.memory and listing.name == "tree":
            continue  # -s chooses by which memory it is
        if listing.first and options.sort is not None:
            flag = listing.flags[0]
            raise UsageError(
                f"{sort_flag} does not sort {flag}, which has {listing.first} first; leave "
                f"{sort_flag} out"
            )
    check_tree(options)


def check_sort(options: PrintingOptions, are_lines: bool, sort_flag: str) -> None:
    """Raise UsageError for a key by which something else is sorted."""
    key, memory = options.sort, options.memory
    of_ranges = set(RANGE_KEYS).difference(LINE_KEYS, sort_words())
    if not are_lines and key in set(LINE_KEYS).difference(FIGURE_KEYS):
        raise UsageError(
            f"{sort_flag} {key} sorts lines; give it to 'show --lines', or another key"
        )
    if key in of_ranges and not (memory and key in MEMORY_KEYS):
        raise UsageError(
            f"{sort_flag} {key} sorts ranges; give it to 'show --ranges', or another key"
        )
    if key in set(SUMMARY_KEYS).difference(RANGE_KEYS, sort_words()):
        raise UsageError(f"-s {key} sorts a summary; give it to 'show --summary', or another key")
    if key in set(MEMORY_KEYS).difference(RANGE_KEYS) and not memory:
        raise UsageError(f"-s {key} sorts memory; give it to 'show --memory', or another key")
    if memory and key not in (None, *MEMORY_KEYS):
        raise UsageError(f"-s {key} sorts functions; memory is sorted by {', '.join(MEMORY_KEYS)}")


def check_tree(options: PrintingOptions) -> None:
    """Raise UsageError for options of the tree without it."""
    folds_callers = options.callers is not None and bool(options.fold)
    if folds_callers and any(options.fold):
        raise UsageError("--fold of --callers takes no name; give --fold alone")
    of_tree = ("depth", "root") if folds_callers else ("depth", "root", "fold")
    unused = first_given([o for o in PRINTING if o.name in of_tree], options)
    if unused == "--fold" and options.native and not options.tree:
        raise UsageError(
            "--fold is of no use without the call tree or --callers; give --native --tree --fold, "
            "or --native --callers NAME --fold"
        )
    if unused and not options.tree:
        besides = " or --callers" if unused == "--fold" else ""
        raise UsageError(f"{unused} is of no use without the call tree{besides}; give --tree, too")
