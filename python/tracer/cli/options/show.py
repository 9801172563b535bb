"""The options of `show`: those of lines and of a timeline, and which of them go together.
printing.py has those of tables and listings; run.py has those that record a timeline."""

from __future__ import annotations

from tracer.cli.options.option import (
    HELP,
    INFINITY,
    NOT_A_NUMBER,
    PHASES,
    RAW,
    Option,
    choice,
    first_given,
    refuse_pairs,
    whole,
)
from tracer.cli.options.printing import (
    FUNCTION_PRINTING,
    LINE_KEYS,
    LINE_PRINTING,
    PRINTING,
    RANGE_KEYS,
    SUMMARY_KEYS,
    PrintingOptions,
    listings_in,
)
from tracer.launch.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SLOWEST = 20  # calls, by default


VIEWS = ("device", "overview", "model", "operators", "ranges", "memory", "steps")
UNITS = ("s", "ms", "us", "ns")


def views_of(text: str) -> list[str]:
    """The views of a summary that VIEWS names; none: all. Raises UsageError."""
    views = [view for view in text.split(",") if view]
    unknown = [view for view in views if view not in VIEWS]
    if unknown:
        raise UsageError(
            f"--summary={text}: {unknown[0]!r} is no view; choose from {', '.join(VIEWS)}"
        )
    return views


MOMENT_UNITS = {"ms": 1e3, "us": 1e6, "ns": 1e9, "s": 1.0}  # how many there are in a second


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


class Counting(Option):
    """A listing behind which the number of its rows may stand, also as a word of its own."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        word = rest[0].removeprefix("-") if rest else ""  # -3 is refused, and no option
        if text is None and word.isascii() and word.isdigit():
            text = rest.pop(0)
        values[self.name] = SLOWEST if text is None else self.read(text)


LISTINGS = (
    Option(
        "--timeline",
        "print the run over time, in place of the table: which function led when in each thread, "
        "and where it waited longest; --limit N: N threads, 0: all (default: what fits the "
        "terminal); of a profile with a timeline",
    ),
    Option(
        "--ranges",
        "print the ranges that the program marked, by name, and the longest of them, in "
        f"place of the table; -s sorts by {', '.join(RANGE_KEYS)} (default: total); with --only: "
        "ranges of that name, or of a regular expression; of a profile with a timeline",
    ),
    Counting(
        "--slowest [N]",
        "print the N longest single calls (default: 20), when each was and below what, in place of "
        "the table; with --only: calls of that function; of a profile with a timeline",
        read=whole("--slowest", "a number of calls, 1 or more"),
    ),
    Option(
        "--summary[=VIEWS]",
        "print where the time of the steps went, in place of the table: "
        f"{', '.join(VIEWS)}; VIEWS: some of these, with commas between (default: all that have "
        f"something to tell); -s sorts by {', '.join(SUMMARY_KEYS)}; of a profile with a timeline",
        read=views_of,
    ),
)
# How a summary is told.
TELLING = (
    Option(
        "--time-unit UNIT",
        "summary: print times in s, ms, us or ns (default: ms)",
        read=choice("--time-unit", *UNITS),
    ),
    Option("--by-thread", "summary: tell the threads apart"),
    PHASES,
)
# Which part of a timeline is meant.
PART = (
    Option(
        "--from TIME",
        "timeline: leave out what ended before TIME, in seconds since the start, or as 1.5s, 200ms",
        name="begin",
        read=moment("--from"),
    ),
    Option(
        "--to-time TIME",
        "timeline: leave out what began after TIME",
        name="end",
        read=moment("--to-time"),
    ),
)
PRINTED = (*LISTINGS, *TELLING, *PART)
OPTIONS = (
    *PRINTING,
    *LINE_PRINTING,
    Option(
        "--lines",
        "print the lines that were timed, and no functions; with --limit or -s total, own, waited "
        "or suspended: those that took, or waited, longest, of all functions, as one table; with "
        "--memory: by what memory did on them, and -s peak, live, allocated or count",
    ),
    Option("--functions", "print functions, and no lines"),
    Option(
        "--include NAME",
        "list only the functions, or lines, of this module (a dotted name), file or folder; may be "
        "repeated",
        many=True,
    ),
    Option(
        "--thread NAME", "print what this thread did, by its name or ident (--threads lists them)"
    ),
    *PRINTED,
    RAW,
    HELP,
)


class ShowOptions(PrintingOptions):
    begin: float | None
    by_thread: bool
    end: float | None
    functions: bool
    help: bool
    lines: bool
    phases: str | None
    ranges: bool
    raw: bool
    slowest: int | None
    summary: list[str] | None
    thread: str | None
    time_unit: str | None
    timeline: bool


# Options that the listings of a timeline do not have.
OF_TABLES_ALONE = tuple(o for o in OPTIONS if o.name in ("lines", "functions", "include", "raw"))
# Options of line tables that the one table of the hottest lines does not have.
OF_TABLES = ("skip_zero", "sort_lines", "summarize")
# Options of lines that have nothing to choose from, or to print, of their memory.
OF_TIMES = ("unit", "parts", "min", "skip_zero", "sort_lines", "summarize", "raw")
LINE_MEMORY_KEYS = ("peak", "live", "allocated", "count")


# Which other options the listings of a timeline have.
OF_ALL = ("strip_dirs", "no_header", "color")
OF_EACH: dict[str, tuple[str, ...]] = {
    "timeline": (*OF_ALL, "limit"),
    "ranges": (*OF_ALL, "sort", "limit", "only"),
    "slowest": (*OF_ALL, "only", "include"),
    "summary": (*OF_ALL, "sort", "limit"),
}


def check_timeline(options: ShowOptions, others: tuple[Option, ...]) -> list[Option]:
    """The listings of a timeline that were asked for. others: those of the verb's options that they
    do not have. Raises UsageError for options that do not go together."""
    listings = listings_in(options, LISTINGS)
    unused = first_given(TELLING, options)
    if unused and options.summary is None:
        raise UsageError(f"{unused} is of no use without --summary; give it, too")
    if not listings:
        unused = first_given([o for o in PRINTED if o not in LISTINGS], options)
        if unused:
            raise UsageError(
                f"{unused} is of no use without --timeline, --ranges, --slowest or --summary; give "
                "one of them, too"
            )
        return []
    refuse_pairs(options)
    begin, end = options.begin, options.end
    if begin is not None and end is not None and begin >= end:
        raise UsageError(f"--from {begin:g} is not before --to-time {end:g}; give an earlier time")
    fitting = {name for listing in listings for name in OF_EACH[listing.name]}
    rest = [o for o in (*PRINTING, *LINE_PRINTING, *others) if o.name not in fitting]
    unused = first_given(rest, options)
    if unused:
        raise UsageError(f"{unused} is of no use with {listings[0].flags[0]}; leave it out")
    of_summary = SUMMARY_KEYS, "a summary"
    keys, what = of_summary if options.summary is not None else (RANGE_KEYS, "ranges")
    if options.sort not in (None, *keys):
        raise UsageError(f"-s {options.sort} does not sort {what}; choose from {', '.join(keys)}")
    return listings


def check_lines_alone(options: ShowOptions) -> None:
    """Raise UsageError for options that do not go with --lines: those of functions; with --limit,
    also those of the line tables."""
    if options.memory:
        unused = first_given([o for o in OPTIONS if o.name in OF_TIMES], options)
        if unused:
            raise UsageError(
                f"{unused} is about the times of lines, and --memory prints their memory; give one "
                "of them"
            )
        if options.sort not in (None, *LINE_MEMORY_KEYS):
            raise UsageError(
                f"-s {options.sort} does not sort lines by memory; these keys do: "
                f"{', '.join(LINE_MEMORY_KEYS)}"
            )
    elif options.sort not in (None, *LINE_KEYS):
        raise UsageError(
            f"-s {options.sort} sorts functions; lines are sorted by {', '.join(LINE_KEYS)}"
        )
    ranked = options.limit is not None or options.sort is not None
    fitting: tuple[str, ...] = ("only", "limit", "sort", "strip_dirs") if ranked else ("only",)
    if options.memory:
        fitting = ("only", "memory", "limit", "sort")
    unused = first_given([o for o in FUNCTION_PRINTING if o.name not in fitting], options)
    if unused == "--native":
        raise UsageError(
            "--native lists native functions, and --lines lines; for what of a line's CPU time was "
            "in native code, give --lines --parts"
        )
    if unused:
        raise UsageError(f"{unused} is about functions, and --lines prints none; give one of them")
    unused = first_given([o for o in LINE_PRINTING if o.name in OF_TABLES], options)
    flag = "--limit" if options.limit is not None else "-s"
    if ranked and unused:
        raise UsageError(
            f"{unused} is about the tables of functions, and {flag} prints one table of "
            "lines; give one of them"
        )
