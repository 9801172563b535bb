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
    declared,
    number_in,
    option,
    refuse_pairs,
)
from tracer.cli.options.printing import (
    FUNCTION_PRINTING,
    LINE_KEYS,
    RANGE_KEYS,
    SUMMARY_KEYS,
    PrintingOptions,
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


FROM = option(
    "--from TIME",
    "timeline: leave out what ended before TIME, in seconds since the start, or as 1.5s, 200ms",
    read=moment("--from"),
)
TO_TIME = option(
    "--to-time TIME",
    "timeline: leave out what began after TIME",
    read=moment("--to-time"),
)


class ShowOptions(PrintingOptions):
    PRINTED = PrintingOptions.OPTIONS
    lines: bool = option(
        "--lines",
        "print the lines that were timed, and no functions; with --limit or -s total, own, waited "
        "or suspended: those that took, or waited, longest, of all functions, as one table; with "
        "--memory: by what memory did on them, and -s peak, live, allocated or count",
    )
    functions: bool = option("--functions", "print functions, and no lines")
    include: tuple[str, ...] = option(
        "--include NAME",
        "list only the functions, or lines, of this module (a dotted name), file or folder; may be "
        "repeated",
        many=True,
    )
    thread: str | None = option(
        "--thread NAME", "print what this thread did, by its name or ident (--threads lists them)"
    )
    timeline: bool = option(
        "--timeline",
        "print the run over time, in place of the table: which function led when in each thread, "
        "and where it waited longest; --limit N: N threads, 0: all (default: what fits the "
        "terminal); of a profile with a timeline",
    )
    ranges: bool = option(
        "--ranges",
        "print the ranges that the program marked, by name, and the longest of them, in "
        f"place of the table; -s sorts by {', '.join(RANGE_KEYS)} (default: total); with --only: "
        "ranges of that name, or of a regular expression; of a profile with a timeline",
    )
    slowest: int | None = declared(Counting)(
        "--slowest [N]",
        "print the N longest single calls (default: 20), when each was and below what, in place of "
        "the table; with --only: calls of that function; of a profile with a timeline",
        read=number_in("--slowest", "a number of calls, 1 or more", int, least=1),
    )
    summary: list[str] | None = option(
        "--summary[=VIEWS]",
        "print where the time of the steps went, in place of the table: "
        f"{', '.join(VIEWS)}; VIEWS: some of these, with commas between (default: all that have "
        f"something to tell); -s sorts by {', '.join(SUMMARY_KEYS)}; of a profile with a timeline",
        read=views_of,
    )
    time_unit: str | None = option(
        "--time-unit UNIT",
        "summary: print times in s, ms, us or ns (default: ms)",
        words=UNITS,
    )
    by_thread: bool = option("--by-thread", "summary: tell the threads apart")
    phases: str | None = PHASES
    begin: float | None = FROM
    end: float | None = TO_TIME
    raw: bool = RAW
    help: bool = HELP


# Options that the listings of a timeline do not have.
OF_TABLES_ALONE = ("lines", "functions", "include", "raw")
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


def check_timeline(options: ShowOptions) -> list[Option]:
    """The listings of a timeline that were asked for. Raises UsageError for options that do not go
    together."""
    listings = options.given(OF_EACH)
    unused = options.first_given(("time_unit", "by_thread", "phases"))
    if unused and options.summary is None:
        raise UsageError(f"{unused} is of no use without --summary; give it, too")
    if not listings:
        unused = options.first_given(("begin", "end"))
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
    unused = options.first_given(PrintingOptions.names().union(OF_TABLES_ALONE) - fitting)
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
        unused = options.first_given(OF_TIMES)
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
    unused = options.first_given(FUNCTION_PRINTING.difference(fitting))
    if unused == "--native":
        raise UsageError(
            "--native lists native functions, and --lines lines; for what of a line's CPU time was "
            "in native code, give --lines --parts"
        )
    if unused:
        raise UsageError(f"{unused} is about functions, and --lines prints none; give one of them")
    unused = options.first_given(OF_TABLES)
    flag = "--limit" if options.limit is not None else "-s"
    if ranked and unused:
        raise UsageError(
            f"{unused} is about the tables of functions, and {flag} prints one table of "
            "lines; give one of them"
        )
