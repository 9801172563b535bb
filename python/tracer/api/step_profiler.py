"""StepProfiler: profiles the steps of a loop that a schedule names, cycle by cycle.

step_machine.py follows the schedule; this file makes a profile of each cycle and hands it on.
handlers.py has the usual receivers. Between recorded cycles nothing is enabled.
"""

from __future__ import annotations

import sys
import warnings

from tracer._core import unrecorded
from tracer.api.profiler import Profile
from tracer.api.schedule import schedule_of
from tracer.api.step_machine import StepMachine
from tracer.runtime.processor_use import ProcessorUse
from tracer.runtime.unrecorded import aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, NoReturn, Self, TypeVar

    from tracer.analysis.steps.timings import StepTimings
    from tracer.api.loader import Loader
    from tracer.api.reader_hooks import ReaderHooks
    from tracer.api.schedule import AnySchedule
    from tracer.api.stats import Stats
    from tracer.data.capture import Capture
    from tracer.runtime.atomic_files import AnyPath

    Item = TypeVar("Item")

__all__ = ["StepProfiler"]


class StepProfiler(StepMachine):
    """StepProfiler(schedule=None, on_ready=None, timer_only=False, *, phases=None, keep_all=False,
    **options)

    Profiles the steps of a loop: call start(), then step() at the end of each step, then stop(); or
    use `with`, and step(). Steps are numbered from 0.

        with tracer.StepProfiler(tracer.schedule(wait=1, warmup=1, active=3)) as profiler:
            for batch in batches:
                train(batch)
                profiler.step(items=len(batch))
        profiler.summary()

    schedule: what tracer.schedule() returns, or another function of a step's number that returns a
    tracer.Action; it runs aside: no profiler, debugger or coverage tool sees it. (first, end): one
    cycle of the steps from `first` to `end` - 1. None: one cycle of all steps. Recorded steps in a
    row, up to a RECORD_AND_SAVE, are a cycle, and each cycle has a profile of its own. A step that
    is not recorded costs less than a microsecond.

    on_ready: called with this object when a cycle is over, within step() or stop();
    tracer.save_to() and tracer.export_to() make such functions. An Exception that it raises becomes
    a RuntimeWarning, and the loop goes on.

    timer_only: record nothing; time the steps and the reader alone.
    phases: {category: names of functions} of your own, which summary() tells apart: see the
    manual's page `steps`. keep_all: keep the profile of each cycle, in `cycles`; else the latest.
    options: of tracer.Profile. A timeline is always recorded; `timeline` is its size.
    """

    on_ready: Callable[[StepProfiler], object] | None

    @aside
    def __init__(
        self,
        schedule: AnySchedule = None,
        on_ready: Callable[[StepProfiler], object] | None = None,
        timer_only: bool = False,
        *,
        phases: Mapping[str, Iterable[str]] | None = None,
        keep_all: bool = False,
        **options: Any,
    ) -> None:
        if on_ready is not None and not callable(on_ready):
            raise TypeError(f"on_ready must be a function of the profiler, not {on_ready!r}")
        self._made_of = schedule_of(schedule)
        self.on_ready = on_ready
        self.timer_only = timer_only
        self.keep_all = keep_all
        self.phases: dict[str, tuple[str, ...]] = _checked(phases)
        self._project_phases: dict[str, tuple[str, ...]] = {}  # as start() finds them
        self._options: dict[str, Any] = {"timeline": True, **options}
        if not self._options["timeline"]:
            raise ValueError(
                "StepProfiler needs a timeline, where its steps are: leave timeline out, or give a "
                "size such as '16MiB'"
            )
        if self._options.get("timer") == "cpu":
            raise ValueError(
                "StepProfiler cannot use timer='cpu': the CPU times of two threads have no common "
                "clock; leave timer out"
            )
        Profile(**self._options)  # raises what is wrong with them; and measures costs once
        self._hooks: ReaderHooks | None = None  # while steps are counted
        self._profile: Profile | None = None  # of the cycle that is recorded
        self._warm: Profile | None = None
        self._use: ProcessorUse | None = None
        self._captures: list[Capture] = []  # of the cycles that are over and kept
        self._stats: dict[int, Stats] = {}  # made of them, by position
        self._was_started = False
        self._step_info_from = 0  # the first step that step_info() has not told of
        self._first = self._last = -1  # the steps of the latest cycle that is over
        self._began = -1  # the first step of the cycle that is recorded
        super().__init__(options.get("timer"), options.get("timeunit", 0.0))

    # -- The loop ----------------------------------------------------------------------------------

    def start(self) -> Self:
        """Step 0 begins. Returns the profiler. Raises RuntimeError when it was started and not
        stopped. After a stop, steps are counted from 0 again, and cycles are as before the first
        start: none."""
        if self._is_running:
            raise RuntimeError("start() was called before: call stop() first")
        self._captures, self._stats, self._step_info_from = [], {}, 0
        self._first = self._last = -1
        self._hooks = self._hooked()
        try:
            if self.timer_only:
                self._begin(sys.maxsize)
            else:
                self._start_steps(self._made_of)
        except BaseException:
            self._hooks.remove()
            raise
        self._was_started = True
        return self

    def stop(self) -> None:
        """The loop is over. A cycle that is recorded is kept as far as it came, and on_ready is
        called for it; the step that runs is no step. If no step of that cycle ended, it is dropped,
        unless it is the first. Does nothing a second time. Raises RuntimeError before start()."""
        if not self._was_started:
            raise RuntimeError("stop() before start(): call start() first, or use 'with'")
        if self._is_running:
            if self._hooks is not None:
                self._hooks.remove()
            self._stop_steps()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    def loader(self, iterable: Iterable[Item]) -> Loader[Item]:
        """An iterable of the same items. What it takes to get an item is the reader's time, and the
        phase `load` of a recorded step."""
        from tracer.api.loader import Loader

        return Loader(self, iterable)

    # -- What was recorded -------------------------------------------------------------------------

    @property
    def stats(self) -> Stats:
        """The Stats of the cycle that is recorded, as far as it came; else of the latest one, which
        in on_ready() is the one that is over. Raises ValueError when there is none."""
        if self._profile is not None:
            return self._stats_of(self._capture(self._profile))
        if not self._captures:
            self._refuse()
        return self._kept(len(self._captures) - 1)

    @property
    def cycles(self) -> list[Stats]:
        """The Stats of the cycles that are over: with keep_all all of them, else the latest."""
        return [self._kept(position) for position in range(len(self._captures))]

    @property
    def recorded_steps(self) -> tuple[int, int]:
        """The numbers of the first and the last step of the latest cycle, or of the one that is
        recorded. The last is before the first where no step of the cycle ended. (-1, -1): no step
        was recorded."""
        if self._profile is not None:
            return self._began, self.step_number - 1
        return self._first, self._last

    @property
    def timings(self) -> StepTimings:
        """How long the steps took, and the reader in them, recorded or not: see StepTimings."""
        return self._timings()

    @aside
    def _timings(self, first: int = 0) -> StepTimings:
        from tracer.analysis.steps.timings import timings_of

        return timings_of(self._columns(first), self._seconds_per_tick)

    @aside
    def step_info(self, unit: str = "items") -> str:
        """One line of the steps since the last call: the reader's time and the whole time of a
        step, the mean of each, and how many items a second; steps, where no items were told."""
        from tracer.report.step_timings import info_line

        timings = self._timings(self._step_info_from)
        self._step_info_from = self.step_number
        return info_line(timings, unit)

    def summary(
        self,
        sorted_by: str | None = None,
        views: str | Iterable[str] | None = None,
        time_unit: str = "ms",
        by_thread: bool = False,
    ) -> None:
        """Print the summary of the latest cycle, as Stats.print_summary(), then the timings of all
        steps; with timer_only, the timings alone."""
        from tracer.report.step_timings import timings_table

        if not self.timer_only:
            self.stats.print_summary(sorted_by, views, time_unit, by_thread)
            print()
        print(timings_table(self.timings, time_unit), end="")

    def dump_stats(self, file: AnyPath) -> None:
        """Write the latest cycle as a profile file, whole or not at all. Raises OSError, and
        ValueError when no step was recorded."""
        self.stats.dump_stats(file)

    def export(self, format: str, path: AnyPath, **options: Any) -> None:
        """Write the latest cycle for another tool, as Stats.export()."""
        self.stats.export(format, path, **options)

    def __repr__(self) -> str:
        state = "not started" if not self._was_started else "stopped"
        state = f"in step {self.step_number}" if self._is_running else state
        return f"<tracer.{type(self).__name__}: {state}>"

    @aside
    def _hooked(self) -> ReaderHooks:
        from tracer.analysis.steps.phase_rules import BUILT_IN, LOAD, kept_rules, merged
        from tracer.api.reader_hooks import ReaderHooks

        self._project_phases = kept_rules()
        rules = merged(self.phases, self._project_phases, BUILT_IN)
        hooks = ReaderHooks(self, rules.get(LOAD, ()))
        hooks.install()
        return hooks

    # -- The cycles --------------------------------------------------------------------------------

    def _warm_up(self) -> None:
        # It is still enabled when the cycle begins, and one profile at a time records memory.
        without = {"timeline": False, "timeline_last": False, "memory": False}
        self._warm = Profile(**{**self._options, **without})
        self._warm.enable()

    def _cool_down(self) -> None:
        warm, self._warm = self._warm, None
        if warm is not None:
            warm.disable()

    def _begin_cycle(self) -> None:
        profile = Profile(**self._options)
        with unrecorded:  # by other profiles that are enabled
            self._use = ProcessorUse()
        self._began = self.step_number
        profile.enable()
        self._profile = profile

    def _end_cycle(self) -> None:
        profile, self._profile = self._profile, None
        assert profile is not None
        profile.disable()
        if not self._keeps_cycle():
            return
        self._first, self._last = self._began, self.step_number - 1
        if not self.keep_all:
            self._captures, self._stats = [], {}
        self._captures.append(self._capture(profile))
        del profile  # its memory is given back before on_ready() is called
        if self.on_ready is not None:
            self._hand_on(self.on_ready)

    def _keeps_cycle(self) -> bool:
        """Whether the cycle that is over is one: a later one that stop() ended in its first step is
        not. compat/paddle.py keeps that, too."""
        return not self._captures or self._began < self.step_number

    def _hand_on(self, on_ready: Callable[[StepProfiler], object]) -> None:
        try:
            on_ready(self)
        except Exception as error:
            at = error.__traceback__
            while at is not None and at.tb_next is not None:
                at = at.tb_next
            where = "" if at is None else f" ({at.tb_frame.f_code.co_filename}:{at.tb_lineno})"
            warnings.warn(
                f"on_ready raised {type(error).__name__}: {error}{where}; the profile of the cycle "
                "is kept, and the loop goes on",
                RuntimeWarning,
                stacklevel=4,
            )

    @aside
    def _capture(self, profile: Profile) -> Capture:
        from tracer.data.capture import Capture

        capture = Capture(profile.snapshot())
        capture.phases, capture.project_phases = self.phases, self._project_phases
        capture.use = None if self._use is None else self._use.measured()
        return capture

    def _refuse(self) -> NoReturn:
        if self.timer_only:
            raise ValueError("nothing is recorded with timer_only=True, but timings")
        raise ValueError(
            f"no step was recorded: the schedule chose none of the {self.step_number:,} steps that "
            "ended"
        )

    def _kept(self, position: int) -> Stats:
        if position not in self._stats:
            self._stats[position] = self._stats_of(self._captures[position])
        return self._stats[position]

    def _stats_of(self, capture: Capture) -> Stats:
        from tracer.api.stats import Stats

        return Stats(capture)


@aside
def _checked(phases: Mapping[str, Iterable[str]] | None) -> dict[str, tuple[str, ...]]:
    if phases is None:
        return {}
    from tracer.data.phases import checked

    return checked(phases)
