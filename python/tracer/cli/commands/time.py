"""The verb `time`: time a statement as `python -m timeit` does and, with --profile, say where the
time goes.

This module checks the options; cli/statement_runs.py runs the statement and prints.
"""

from __future__ import annotations

import os
from copy import copy

from tracer.cli.option_values import choice, whole
from tracer.cli.options import HELP, Option, describe, first_given, take_options
from tracer.cli.printing_options import PRINTING, PrintingOptions, check_printing
from tracer.launch.errors import UsageError
from tracer.launch.output import quote
from tracer.report.statement_timing import UNITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Counted(Option):
    """A flag that may be given several times: its value is how often it was."""

    def take(self, flag: str, text: str | None, rest: list[str], values: dict[str, Any]) -> None:
        before: int = values[self.name]
        super().take(flag, text, rest, values)
        values[self.name] = before + 1


def of_long_flags(option: Option) -> Option:
    """The same option, without its letters."""
    found = copy(option)
    found.flags = tuple(flag for flag in option.flags if flag.startswith("--"))
    return found


OF_TIMING = (
    Option(
        "-n",
        "--number",
        value="N",
        read=whole("-n", "a number of loops, or 0: as many as take 0.2 seconds", least=0),
        meaning="run the statement N times in a loop (default: as many as take 0.2 seconds)",
    ),
    Option(
        "-r",
        "--repeat",
        value="N",
        read=whole("-r", "a number of repeats, 1 or more"),
        meaning="time the loop N times (default: 5)",
    ),
    Option(
        "-s",
        "--setup",
        value="SETUP",
        many=True,
        meaning="run SETUP before each loop, untimed; each of several is a line",
    ),
    Option(
        "-u",
        "--unit",
        name="in_unit",
        value="UNIT",
        read=choice("-u", *UNITS),
        meaning=f"print times in this unit: {', '.join(UNITS)}",
    ),
    Option("-p", "--process", meaning="measure the CPU time of this process, not elapsed time"),
    Counted(
        "-v",
        "--verbose",
        meaning="also print the trials and the times of the loops; again: with one more digit",
    ),
)
# The letters are timeit's, so printing options have long flags alone.
PRINTED = tuple(of_long_flags(option) for option in PRINTING)
OPTIONS = (
    *OF_TIMING,
    Option(
        "--profile",
        meaning="then run the loop once more, untimed, and print where the time goes: every call",
    ),
    *PRINTED,
    HELP,
)


class TimeOptions(PrintingOptions):
    __slots__ = ("help", "in_unit", "number", "process", "profile", "repeat", "setup", "verbose")
    help: bool
    in_unit: str | None
    number: int | None
    process: bool
    profile: bool
    repeat: int | None
    setup: tuple[str, ...]
    verbose: int
    include = ()  # all that ran is listed


def usage(prog: str) -> str:
    return (
        f"usage: {prog} time [OPTIONS] [STATEMENT...]\n"
        "\n"
        "Time a statement as python -m timeit does. Each STATEMENT is a line; those of a block\n"
        "begin with blanks. Collection of garbage is off meanwhile: -s 'gc.enable()' has it on.\n"
        "\n"
        f"options:\n{describe(OPTIONS)}\n"
        "with --profile, in a run of its own that does not disturb the timing:\n"
        f"  {prog} time --profile -s 'import json' 'json.dumps([1] * 99)'\n"
        f"  {prog} time --profile --sort tottime --limit 9 -s 'from shop import size' 'size()'\n"
    )


def command(argv: list[str], prog: str) -> int:
    """Time the statement that `argv` holds. Raises UsageError."""
    rest = list(argv)
    values, words = take_options(rest, OPTIONS, stop_at_program=True, flags_join=True)
    options = TimeOptions(values)
    words += rest
    if options.help:
        from tracer.cli.usage import print_usage

        return print_usage(usage(prog), asked_for=True)
    check(options)
    if len(words) == 1 and words[0].endswith(".py") and os.path.isfile(words[0]):
        raise UsageError(
            f"{words[0]!r} is a program, and 'time' takes a statement; to profile the program: "
            f"{prog} {quote(words[0])}"
        )

    from tracer.cli.statement_runs import run

    return run(options, "\n".join(words) or "pass", f"{prog} time")


def check(options: TimeOptions) -> None:
    """Raise UsageError for options that do not go together."""
    unused = first_given(PRINTED, options)
    if unused and not options.profile:
        raise UsageError(f"{unused} prints where the time goes; give --profile, too")
    check_printing(options, sort_flag="--sort")
