"""time(): times a statement as timeit does, and says where the time goes in a second run.

timeit runs the statement; report/statement_timing.py makes the text.
"""

from __future__ import annotations

import timeit
from math import fsum, nan, sqrt
from operator import index
from sys import _getframe

from tracer._core import unrecorded
from tracer.report.statement_timing import best_line, spread_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

    from tracer.api.stats import Stats
    from tracer.data.capture import Capture
    from tracer.data.types import Label

    Statement = str | Callable[[], object]

__all__ = ["time"]

REPEAT = 5  # as in timeit


class StatementTiming:
    """The times of a statement, in seconds.

    number: the loops of each repeat. totals: the seconds that each repeat took. repeats: those of
    one loop, on average, of each repeat. best, mean, stdev: of `repeats`; stdev is that of a sample
    and, of one repeat, nan. stats: a tracer.Stats of a run that was not timed; None where none was
    asked for.
    """

    def __init__(self, number: int, totals: tuple[float, ...]) -> None:
        self.number = number
        self.totals = totals
        self.stats: Stats | None = None

    @property
    def repeats(self) -> tuple[float, ...]:
        """Seconds per loop, of each repeat."""
        return tuple(total / self.number for total in self.totals)

    @property
    def best(self) -> float:
        """Seconds per loop, of the repeat that took least."""
        return min(self.repeats)

    @property
    def mean(self) -> float:
        """Seconds per loop, of all repeats."""
        return fsum(self.repeats) / len(self.totals)

    @property
    def stdev(self) -> float:
        """The standard deviation of `repeats`, in seconds per loop; nan of one repeat."""
        if len(self.totals) < 2:
            return nan
        mean = self.mean
        return sqrt(fsum((it - mean) ** 2 for it in self.repeats) / (len(self.totals) - 1))

    def __repr__(self) -> str:
        return best_line(self.number, self.repeats)

    def __str__(self) -> str:
        return f"{self!r}\n{spread_line(self.repeats, self.mean, self.stdev)}"


class TimedStatement:
    """A statement, its setup, the timer, and the namespace of both: as in time().

    Raises SyntaxError, and what timeit raises."""

    def __init__(
        self,
        statement: Statement,
        setup: Statement,
        timer: Callable[[], float],
        globals: dict[str, Any],
    ) -> None:
        self.statement = statement
        self.setup = setup
        self.timer = timer
        self.globals = globals
        self.timed: timeit.Timer = timeit.Timer(statement, setup, timer, globals)

    def find_number(self, trial: Callable[[int, float], object] | None = None) -> int:
        """The number of loops that take 0.2 seconds or more, of 1, 2, 5, 10, 20 ... `trial` is
        called with the loops and seconds of each that was tried."""
        with unrecorded:
            number: int = self.timed.autorange(trial)[0]
        return number

    def time(self, number: int, repeat: int) -> StatementTiming:
        """Time so many repeats of so many loops. Nothing is recorded meanwhile."""
        with unrecorded:
            return StatementTiming(number, tuple(self.timed.repeat(repeat, number)))

    def keep_lines(self) -> None:
        """Have the traceback of an error show the lines of the statement: timeit keeps them when it
        prints one."""
        from io import StringIO

        self.timed.print_exc(StringIO())

    def profile(self, number: int) -> Capture:
        """Record so many loops, in a run of their own, without the setup."""
        from time import process_time

        from tracer.api.profiler import Profile

        usual = timeit.default_timer
        same = None if self.timer is usual else "cpu" if self.timer is process_time else self.timer
        profile = Profile(same)  # type: ignore[arg-type]  # mypy knows no Literal in it

        above: set[Label] = set()  # the functions that run already, beside the loop

        def switch() -> float:
            """The timer: timeit asks it right before the loops, and right behind them."""
            if profile.enabled:
                profile.disable()
            else:
                above.update(functions_above(_getframe(1).f_back))
                profile.enable()
            return 0.0

        try:
            timeit.Timer(self.statement, self.setup, switch, self.globals).timeit(number)
        finally:
            profile.disable()
        with unrecorded:
            return without(above, profile.snapshot())


def functions_above(frame: FrameType | None) -> Iterator[Label]:
    """The functions of this frame and of those that called it."""
    while frame is not None:
        code = frame.f_code
        yield code.co_filename, code.co_firstlineno, code.co_name
        frame = frame.f_back


def without(above: set[Label], snapshot: dict[str, Any]) -> Capture:
    """What was recorded, without the rows of these functions that were not called meanwhile."""
    from tracer.data.capture import Capture

    called = {label for label, (_, calls, *_) in Capture(snapshot).figures().stats.items() if calls}
    left_out = [
        number
        for number, (*label, _) in enumerate(snapshot["functions"])
        if tuple(label) in above - called
    ]
    return Capture({**snapshot, "left_out": (*snapshot["left_out"], *left_out)})


def time(
    statement: Statement = "pass",
    setup: Statement = "pass",
    *,
    number: int | None = None,
    repeat: int = REPEAT,
    timer: Callable[[], float] | None = None,
    globals: dict[str, Any] | None = None,
    profile: bool = False,
) -> StatementTiming:
    """Time a statement as the module timeit does: `repeat` times, each a loop of `number` turns.

    statement, setup: text, or a callable without arguments. `setup` runs once before each loop, and
    is not timed. number: None: as many turns as take 0.2 seconds. timer: returns seconds; None:
    time.perf_counter. globals: the namespace; None: one of its own, with timeit's names, such as
    `gc`. profile: afterwards record one more loop; `stats` of the result is a tracer.Stats of that
    loop, by the same timer. Collection of garbage is off meanwhile, as in timeit; the setup may
    call `gc.enable()`.

    Returns an object with number, repeats, best, mean and stdev (seconds per loop), totals (seconds
    per repeat) and stats. Raises TypeError and ValueError for bad arguments, and what the statement
    raises.
    """
    with unrecorded:
        turns = None if number is None else checked("number", number)
        repeats = checked("repeat", repeat)
        for name, value in (("statement", statement), ("setup", setup)):
            if not (isinstance(value, str) or callable(value)):
                raise TypeError(f"{name} must be a text or a callable, not {type(value).__name__}")
        timed = TimedStatement(
            statement,
            setup,
            timeit.default_timer if timer is None else timer,
            own_namespace() if globals is None else globals,
        )
    try:
        timing = timed.time(timed.find_number() if turns is None else turns, repeats)
        capture = timed.profile(timing.number) if profile else None
    except BaseException:
        with unrecorded:
            timed.keep_lines()
        raise
    if capture is not None:
        with unrecorded:
            from tracer.api.stats import Stats

            timing.stats = Stats(capture).sort_stats("tottime")
    return timing


def checked(name: str, value: int) -> int:
    """A number of 1 or more. Raises TypeError and ValueError."""
    try:
        found = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if found < 1:
        raise ValueError(f"{name} must be 1 or more, not {found}")
    return found


def own_namespace() -> dict[str, Any]:
    """A namespace for a statement, with the names that timeit gives one."""
    names = {name: value for name, value in vars(timeit).items() if not name.startswith("__")}
    return {"__name__": "__main__", **names}
