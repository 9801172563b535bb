"""The options of `time`: those of timeit, and those of what is printed of the profile."""

from __future__ import annotations

from copy import copy

from tracer.cli.options.checks import check_printing
from tracer.cli.options.option import HELP, Option, declared, number_in, option
from tracer.cli.options.printing import PRINTING, PrintingOptions, TableOptions
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


class TimeOptions(PrintingOptions):
    number: int | None = option(
        "-n, --number N",
        "run the statement N times in a loop (default: as many as take 0.2 seconds)",
        read=number_in("-n", "a number of loops, or 0: as many as take 0.2 seconds", int),
    )
    repeat: int | None = option(
        "-r, --repeat N",
        "time the loop N times (default: 5)",
        read=number_in("-r", "a number of repeats, 1 or more", int, least=1),
    )
    setup: tuple[str, ...] = option(
        "-s, --setup SETUP",
        "run SETUP before each loop, untimed; each of several is a line",
        many=True,
    )
    in_unit: str | None = option(
        "-u, --unit UNIT",
        f"print times in this unit: {', '.join(UNITS)}",
        words=UNITS,
    )
    process: bool = option(
        "-p, --process", "measure the CPU time of this process, not elapsed time"
    )
    verbose: int = declared(Counted)(
        "-v, --verbose",
        "also print the trials and the times of the loops; again: with one more digit",
    )
    profile: bool = option(
        "--profile",
        "then run the loop once more, untimed, and print where the time goes: every call",
    )
    # The letters are timeit's, so printing options have long flags alone.
    PRINTED = tuple(of_long_flags(it) for it in TableOptions.OPTIONS)
    help: bool = HELP


def check(options: TimeOptions) -> None:
    """Raise UsageError for options that do not go together."""
    unused = options.first_given(PRINTING)
    if unused and not options.profile:
        raise UsageError(f"{unused} prints where the time goes; give --profile, too")
    check_printing(options, sort_flag="--sort")
