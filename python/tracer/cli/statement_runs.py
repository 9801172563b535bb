"""Runs a statement for `time`: the timing, then the run under a profile; prints both.

api/statement_timing.py runs the statement; report/statement_timing.py and tables.py make the text.
"""

from __future__ import annotations

import sys
import timeit
import traceback
from contextlib import contextmanager
from os import curdir
from time import process_time
from types import ModuleType

from tracer.api.statement_timing import REPEAT, TimedStatement, own_namespace
from tracer.cli.colors import print_colored
from tracer.cli.screen import screen_for
from tracer.cli.tables import Mode, Printing, print_profiles
from tracer.launch.errors import OutputError
from tracer.launch.output import say
from tracer.report.statement_timing import (
    PRECISION,
    best_line,
    counted,
    doubt,
    raw_line,
    spread_line,
    trial_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from tracer.cli.options.time import TimeOptions
    from tracer.data.capture import Capture
    from tracer.data.profile_set import ProfileSet


def run(options: TimeOptions, statement: str, command: str) -> int:
    """Time a statement, and profile it if that is asked for. `options` are those of
    `time`. Returns the exit status: 1 after an error of the statement, whose traceback is printed.
    Raises OutputError."""
    runs = StatementRuns(options, command)
    timed = capture = None
    try:
        with own_main() as namespace:
            timed = runs.prepare(statement, "\n".join(options.setup), namespace)
            number = runs.time(timed)
            if options.profile:
                capture = timed.profile(number)
    except (KeyboardInterrupt, OutputError):
        raise
    except BaseException as error:
        print_error(error, timed)
        return 1
    if capture is not None:
        runs.print_profile(capture, number)
    return 0


class StatementRuns:
    """The runs of one statement, and what is printed of them. `options` are those of
    `time`; `command` has them, in the last line of the first screen. What prints raises
    OutputError."""

    def __init__(self, options: TimeOptions, command: str) -> None:
        self.options = options
        self.command = command
        self.is_verbose: bool = bool(options.verbose)
        # timeit has one more digit for each -v but the first.
        self.precision: Any = PRECISION + max(options.verbose - 1, 0)

    def prepare(self, statement: str, setup: str, namespace: dict[str, Any]) -> TimedStatement:
        """The statement, ready to be timed. Raises SyntaxError."""
        timer = process_time if self.options.process else timeit.default_timer
        return TimedStatement(statement, setup or "pass", timer, namespace)

    def time(self, timed: TimedStatement) -> int:
        """Time it and print the lines. Returns the number of loops."""
        number: int = self.options.number or 0
        if not number:
            number = timed.find_number(self.tell_trial if self.is_verbose else None)
            if self.is_verbose:
                self.put("\n")
        timing = timed.time(number, self.options.repeat or REPEAT)
        looks = self.options.in_unit, self.precision
        if self.is_verbose:
            self.put(f"{raw_line(timing.totals, *looks)}\n\n")
        best = best_line(number, timing.repeats, *looks)
        spread = spread_line(timing.repeats, timing.mean, timing.stdev, *looks)
        self.put(f"{best}\n{spread}\n")
        if text := doubt(timing.repeats, *looks):
            say(text)
        return number

    def tell_trial(self, number: int, seconds: float) -> None:
        self.put(f"{trial_line(number, seconds, self.precision)}\n")

    def print_profile(self, capture: Capture, number: int) -> None:
        options = self.options
        printing = Printing(Mode.RUN, options, screen=screen_for(sys.stdout), more=self.more)
        printed = print_profiles([capture], printing)
        head = (
            "" if options.no_header else f"\nWhere {counted(number, 'more loop')} spent the time:\n"
        )
        self.put(f"{head}\n" + printed.text, options.color)
        for line in printed.notes:
            say(line)

    def more(self, profiles: ProfileSet) -> str:
        """The last line of the first screen."""
        options = "--sort tottime (more functions), --tree (more calls)"
        return f"{'more':>10}  {self.command} --profile {options}"

    def put(self, text: str, color: str | None = "never") -> None:
        print_colored(text, color)


@contextmanager
def own_main() -> Iterator[dict[str, Any]]:
    """The namespace of a __main__ for the statement, which finds the modules of the current folder,
    as timeit has it."""
    main = ModuleType("__main__")
    vars(main).update(own_namespace())
    usual, path = sys.modules["__main__"], sys.path[:]
    sys.modules["__main__"] = main
    if not sys.flags.safe_path:
        sys.path.insert(0, curdir)
    try:
        yield vars(main)
    finally:
        sys.modules["__main__"] = usual
        sys.path[:] = path


def print_error(error: BaseException, timed: TimedStatement | None) -> None:
    """Print the traceback of the statement's own part, with the lines of the statement, as timeit
    does. `timed`: None if the statement is no Python."""
    if timed is None:
        traceback.print_exception(type(error), error, None)
        return
    found = error.__traceback__
    while found is not None and is_beside(found.tb_frame.f_globals.get("__name__", "")):
        found = found.tb_next
    error.__traceback__ = found or error.__traceback__
    timed.timed.print_exc()


def is_beside(module: str) -> bool:
    """Whether a module leads to the statement."""
    return module == "timeit" or module.startswith("tracer.")
