"""The options of `time`: those of timeit, and those of what is printed of the profile."""

from __future__ import annotations

from copy import copy

from tracer.cli.options.checks import check_printing
from tracer.cli.options.option import HELP, Option, choice, first_given, whole
from tracer.cli.options.printing import PRINTING, PrintingOptions
from tracer.launch.errors import UsageError
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
    help: bool
    in_unit: str | None
    number: int | None
    process: bool
    profile: bool
    repeat: int | None
    setup: tuple[str, ...]
    verbose: int


def check(options: TimeOptions) -> None:
    """Raise UsageError for options that do not go together."""
    unused = first_given(PRINTED, options)
    if unused and not options.profile:
        raise UsageError(f"{unused} prints where the time goes; give --profile, too")
    check_printing(options, sort_flag="--sort")
