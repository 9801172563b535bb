"""The verb `show`: print saved profiles, added up when there are several.

Stats reads the files; cli/tables.py makes the text. This module checks the options.
"""

from __future__ import annotations

import sys
from functools import partial

from tracer.cli.colors import print_colored
from tracer.cli.inputs import files_asked_for, reading
from tracer.cli.options.checks import check_printing
from tracer.cli.options.show import (
    ShowOptions,
    check_lines_alone,
    check_timeline,
)
from tracer.cli.suggestions import refuse_count, refuse_fold_value
from tracer.cli.usage import Usage, rows_of, usage_of
from tracer.launch.output import say

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tracer.cli.options.option import Option
    from tracer.cli.tables import Printed


def usage(prog: str) -> Usage:
    return usage_of(
        f"{prog} show [OPTIONS] FILE...",
        "Print saved profiles, added up. A FILE is what tracer -o, cProfile, kernprof or "
        "line_profiler wrote.",
        rows_of(ShowOptions),
        "",
        "of a profile that was recorded with --timeline:",
        ("  ", f"{prog} show FILE --timeline --from 4s --to-time 4.5s"),
        ("  ", f"{prog} show FILE --slowest 10 --only NAME"),
        ("  ", f"{prog} show FILE --ranges -s p95 --limit 5"),
    )


def command(argv: list[str], prog: str) -> int:
    asked = files_asked_for(argv, ShowOptions, usage, prog)
    if asked is None:
        return 0
    options, files = asked
    refuse_fold_value(files[0], options)
    listings = check_timeline(options)
    if listings:
        refuse_count(argv, files)
        return print_timeline(files, listings, options, prog)
    are_lines = options.lines and not options.functions
    check_printing(options, are_lines=are_lines)
    if are_lines:
        check_lines_alone(options)

    from tracer.cli.first_screen import more_of_files
    from tracer.cli.screen import screen_for
    from tracer.cli.tables import Mode, Printing, print_profiles

    mode = Mode.SHOW_LINES if are_lines else Mode.SHOW
    if options.functions and not options.lines:
        mode = Mode.SHOW_FUNCTIONS
    screen = screen_for(sys.stdout)
    more = partial(more_of_files, prog, files, screen.width)
    printing = Printing(mode, options, options.thread, options.raw, screen, more)
    with reading(prog, files):
        printed = print_profiles(files, printing)
    return put(printed, options)


def print_timeline(
    files: Sequence[str], listings: Sequence[Option], options: ShowOptions, prog: str
) -> int:
    """Print what was asked for of a timeline, in place of tables."""
    from tracer.cli.screen import screen_for
    from tracer.cli.timeline_listings import print_listings

    with reading(prog, files):
        printed = print_listings(files, listings, options, screen_for(sys.stdout))
    return put(printed, options)


def put(printed: Printed, options: ShowOptions) -> int:
    """Print the text, and what is to be said of it. Returns the exit status."""
    print_colored(printed.text, options.color)
    for line in printed.notes + printed.problems:
        say(line)
    return 2 if printed.problems else 0
