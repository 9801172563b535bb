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
    found.told = option.told.rpartition(", ")[2]
    found.flags = option.flags[-1:]
    return found


OF_TIMING = (
    Option(
        "-n, --number N",
        "run the statement N times in a loop (default: as many as take 0.2 seconds)",
        read=whole("-n", "a number of loops, or 0: as many as take 0.2 seconds", least=0),
    ),
    Option(
        "-r, --repeat N",
        "time the loop N times (default: 5)",
        read=whole("-r", "a number of repeats, 1 or more"),
    ),
    Option(
        "-s, --setup SETUP",
        "run SETUP before each loop, untimed; each of several is a line",
        many=True,
    ),
    Option(
        "-u, --unit UNIT",
        f"print times in this unit: {', '.join(UNITS)}",
        name="in_unit",
        read=choice("-u", *UNITS),
    ),
    Option("-p, --process", "measure the CPU time of this process, not elapsed time"),
    Counted(
        "-v, --verbose",
        "also print the trials and the times of the loops; again: with one more digit",
    ),
)
# The letters are timeit's, so printing options have long flags alone.
PRINTED = tuple(of_long_flags(option) for option in PRINTING)
OPTIONS = (
    *OF_TIMING,
    Option(
        "--profile",
        "then run the loop once more, untimed, and print where the time goes: every call",
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
