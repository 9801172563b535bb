"""The verb `show`: print saved profiles, added up when there are several.

Stats reads the files; cli/tables.py makes the text. This module checks the options.
"""

from __future__ import annotations

import sys

from tracer.cli.colors import print_colored
from tracer.cli.inputs import files_asked_for, reading
from tracer.cli.options import (
    FUNCTION_PRINTING,
    HELP,
    LINE_PRINTING,
    PRINTING,
    RAW,
    Option,
    check_printing,
    describe,
    first_given,
)
from tracer.launch.errors import UsageError
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS = (
    *PRINTING,
    *LINE_PRINTING,
    Option(
        "--lines",
        meaning="print the lines that were timed, and no functions; with --limit,\n"
        + " " * 24
        + "the N that took longest, of all functions, as one table",
    ),
    Option(
        "--thread",
        value="NAME",
        meaning="print what this thread did, by its name or ident (--threads lists them)",
    ),
    RAW,
    HELP,
)

# Options of line tables that the one table of the hottest lines does not have.
OF_TABLES = ("skip_zero", "sort_lines", "summarize")


def usage(prog: str) -> str:
    return (
        f"usage: {prog} show [OPTIONS] FILE...\n"
        "\n"
        "Print saved profiles, added up. A FILE is what tracer -o, cProfile, kernprof or\n"
        "line_profiler wrote.\n"
        "\n"
        f"options:\n{describe(OPTIONS)}"
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(argv, OPTIONS, usage, prog)
    if asked is None:
        return 0
    values, files = asked
    check_printing(values)
    if values["thread"] is not None and (values["threads"] or values["lines"]):
        other = (
            "--threads lists all threads"
            if values["threads"]
            else "--lines prints the lines of all threads"
        )
        raise UsageError(f"{other}, and --thread picks one; give one of them")
    if values["lines"]:
        check_lines_alone(values)

    from tracer.cli.first_screen import more_of_files
    from tracer.cli.tables import Mode, Printing, print_profiles
    from tracer.cli.view import view_of

    mode = Mode.SHOW_LINES if values["lines"] else Mode.SHOW
    view = view_of(sys.stdout)
    more = more_of_files(prog, files, view.width)
    printing = Printing(mode, values, values["thread"], values["raw"], view, more)
    with reading(prog, files):
        printed = print_profiles(files, printing)
    if print_colored(printed.text, values["color"]):
        return 1
    for line in printed.notes + printed.problems:
        say(line)
    return 2 if printed.problems else 0


def check_lines_alone(values: dict[str, Any]) -> None:
    """Raise UsageError for options that do not go with --lines: those of functions; with --limit,
    also those of the line tables."""
    ranked = values["limit"] is not None
    fitting = ("limit", "strip_dirs") if ranked else ()
    unused = first_given([o for o in FUNCTION_PRINTING if o.name not in fitting], values)
    if unused:
        raise UsageError(f"{unused} is about functions, and --lines prints none; give one of them")
    unused = first_given([o for o in LINE_PRINTING if o.name in OF_TABLES], values)
    if ranked and unused:
        raise UsageError(
            f"{unused} is about the tables of functions, and --limit prints one table of "
            "lines; give one of them"
        )
