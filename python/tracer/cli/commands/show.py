"""The verb `show`: print saved profiles, added up when there are several.

Stats reads the files; cli/tables.py makes the text. This module checks the options.
"""

from __future__ import annotations

import sys
from functools import partial

from tracer.cli.colors import print_colored
from tracer.cli.inputs import files_asked_for, reading
from tracer.cli.option_values import LINE_KEYS
from tracer.cli.options import HELP, RAW, Option, describe, first_given
from tracer.cli.printing_options import (
    FUNCTION_PRINTING,
    LINE_PRINTING,
    PRINTING,
    PrintingOptions,
    check_printing,
)
from tracer.cli.suggestions import refuse_count, refuse_fold_value
from tracer.cli.timeline_options import PRINTED, check_timeline
from tracer.launch.errors import UsageError
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.cli.printing_options import Listing
    from tracer.cli.tables import Printed

OPTIONS = (
    *PRINTING,
    *LINE_PRINTING,
    Option(
        "--lines",
        meaning="print the lines that were timed, and no functions; with --limit or -s total, "
        "own, waited or suspended: those that took, or waited, longest, of all functions, as one "
        "table; with --memory: by what memory did on them, and -s peak, live, allocated or count",
    ),
    Option("--functions", meaning="print functions, and no lines"),
    Option(
        "--include",
        value="NAME",
        many=True,
        meaning="list only the functions, or lines, of this module (a dotted name), file or "
        "folder; may be repeated",
    ),
    Option(
        "--thread",
        value="NAME",
        meaning="print what this thread did, by its name or ident (--threads lists them)",
    ),
    *PRINTED,
    RAW,
    HELP,
)


class ShowOptions(PrintingOptions):
    __slots__ = (
        *("begin", "by_thread", "end", "functions", "help", "include", "lines", "phases"),
        *("ranges", "raw", "slowest", "summary", "thread", "time_unit", "timeline"),
    )
    begin: float | None
    by_thread: bool
    end: float | None
    functions: bool
    help: bool
    include: tuple[str, ...]
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


def usage(prog: str) -> str:
    return (
        f"usage: {prog} show [OPTIONS] FILE...\n"
        "\n"
        "Print saved profiles, added up. A FILE is what tracer -o, cProfile, kernprof or\n"
        "line_profiler wrote.\n"
        "\n"
        f"options:\n{describe(OPTIONS)}\n"
        "of a profile that was recorded with --timeline:\n"
        f"  {prog} show FILE --timeline --from 4s --to-time 4.5s\n"
        f"  {prog} show FILE --slowest 10 --only NAME\n"
        f"  {prog} show FILE --ranges -s p95 --limit 5\n"
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(argv, OPTIONS, ShowOptions, usage, prog)
    if asked is None:
        return 0
    options, files = asked
    refuse_fold_value(files[0], options)
    listings = check_timeline(options, OF_TABLES_ALONE)
    if listings:
        refuse_count(argv, files)
        return print_timeline(files, listings, options, prog)
    are_lines = options.lines and not options.functions
    check_printing(options, are_lines=are_lines)
    if are_lines:
        check_lines_alone(options)

    from tracer.cli.first_screen import more_of_files
    from tracer.cli.tables import Mode, Printing, print_profiles
    from tracer.cli.view import view_of

    mode = Mode.SHOW_LINES if are_lines else Mode.SHOW
    if options.functions and not options.lines:
        mode = Mode.SHOW_FUNCTIONS
    view = view_of(sys.stdout)
    more = partial(more_of_files, prog, files, view.width)
    printing = Printing(mode, options, options.thread, options.raw, view, more)
    with reading(prog, files):
        printed = print_profiles(files, printing)
    return put(printed, options)


def print_timeline(
    files: Sequence[str], listings: Sequence[Listing], options: ShowOptions, prog: str
) -> int:
    """Print what was asked for of a timeline, in place of tables."""
    from tracer.cli.timeline_listings import print_listings
    from tracer.cli.view import view_of

    with reading(prog, files):
        printed = print_listings(files, listings, options, view_of(sys.stdout))
    return put(printed, options)


def put(printed: Printed, options: ShowOptions) -> int:
    """Print the text, and what is to be said of it. Returns the exit status."""
    print_colored(printed.text, options.color)
    for line in printed.notes + printed.problems:
        say(line)
    return 2 if printed.problems else 0


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
