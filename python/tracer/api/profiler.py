"""Profile: records calls, with the interface of cProfile.Profile; and run() and runctx().

tracer._core.Profiler records, in C. stats.py makes reports; data/capture.py writes files.
"""

from __future__ import annotations

from tracer._core import Profiler, unrecorded
from tracer.runtime.unrecorded import aside

# Methods import what only some profiles need: this file takes as long to import as cProfile.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, ClassVar, Literal, ParamSpec, Self, TypeVar

    from tracer._core import BackendName
    from tracer.data.capture import Capture
    from tracer.data.overhead import Costs
    from tracer.data.types import RunInfo, StatsDict
    from tracer.recording.focus import Name
    from tracer.runtime.atomic_files import AnyPath

    P = ParamSpec("P")
    T = TypeVar("T")

__all__ = ["Profile", "run", "runctx"]


class Profile(Profiler):
    """Profile(timer=None, timeunit=0.0, subcalls=True, builtins=True, *, threads=True,
    backend=None, include=(), exclude=(), compensate=False, timeline=False, timeline_last=False,
    memory=False, native=False, slowdown=None, rate=None)

    Counts and times every call made while it is enabled, in every thread. As in cProfile, with:

    timer: None or "wall" for real time; "cpu" for the CPU time of each thread; or a callable that
    returns seconds or, with `timeunit`, integers of `timeunit` seconds each.
    subcalls: tell callers and callees apart. builtins: record functions written in C; "all": also
    every other callable written in C: types, partials, slot wrappers, ufuncs. enable() can change
    both; an argument that enable() is not given stays as it was.
    threads: record every thread of the interpreter; False: only the thread that enables.
    backend: the back end, a name that `python -m tracer --version -v` lists; None: the name in the
    environment variable TRACER_BACKEND, else the best there is. The attribute `backend` is a str,
    the name of the back end in use. Its own attribute `reason` says why.

    include, exclude: the code to record, and the code to leave out. Both take dotted names of
    modules, with their submodules, and paths of files and folders, in which `*` stands for any
    characters. With `include` all other code is left out; `exclude` wins. Code that is left out has
    no row: the nearest included caller gets its time and its callees. Code that exec() made of text
    belongs to the module in whose namespace it runs.

    compensate: subtract tracing overhead from the times, by counts of calls and the cost of a call;
    in equal parts of all that ran, so shares stay as measured.
    That cost is measured once a process, in less than 0.1 s, and at a sample of the program's
    events. The recorded times are kept: `Stats(profile, raw=True)` has them. The manual's page
    `accuracy` says how far to trust compensation. Raises ValueError with a timer of your own.

    timeline: also record when each call ran. True: in 64 MiB of memory; or an int of bytes or a
    text as "256MiB", 1 MiB at least. When the memory is full, the shortest calls are no longer
    kept; timeline_last=True: the oldest calls.

    memory: also record what each function allocates through Python's allocators, what of it is
    live at the end, and what was when the most was live. One profile a process can do so at a
    time: enable() of another raises RuntimeError. In a process that was started with tracer's
    library (LD_PRELOAD; the manual's page `memory`), what C code takes by malloc counts, too.
    "native" raises RuntimeError where the process lacks the library.

    native: also sample the native code of every thread, also of those that C libraries make: in
    which C functions each calling context spent its CPU time. True: 250 samples in a second of CPU;
    or an int, that many: 1 to 10000. Linux gives about 250 at most, and a sample then stands for
    several. Needs Linux with glibc, and x86-64 or AArch64: raises RuntimeError elsewhere.

    slowdown: slow the program down by so much at most: a part of 1, as 0.1, or a text, as "10%".
    Then no call is timed. Samples of the frames of each thread, `rate` in a second of its CPU time
    (250), tell where that went, each time with its error. Calls are counted as long as that takes
    less than the slow-down; the functions that are called most may be counted in part: "at least".
    0: samples alone. On Python 3.11 nothing is counted. Needs Linux as `native` does. Raises
    ValueError together with timer, timeline, memory or compensate.

    Functions that run already when a Profile is enabled are recorded from there on, as rows with 0
    calls.

    A call is counted where the body of a function starts. Where a suspended generator or coroutine
    goes on, a resume is counted, apart from calls; cProfile adds resumes to ncalls.
    """

    stats: StatsDict
    _limits: ClassVar[dict[str, Any]] = {}  # of nodes and functions; empty: the defaults

    @aside
    def __init__(
        self,
        timer: Callable[[], float] | Literal["wall", "cpu"] | None = None,
        timeunit: float = 0.0,
        subcalls: bool = True,
        builtins: bool | Literal["all"] = True,
        *,
        threads: bool = True,
        backend: BackendName | None = None,
        include: Name | Iterable[Name] = (),
        exclude: Name | Iterable[Name] = (),
        compensate: bool = False,
        timeline: bool | int | str = False,
        timeline_last: bool = False,
        memory: bool | Literal["native"] = False,
        native: bool | int = False,
        slowdown: float | str | None = None,
        rate: int | None = None,
    ) -> None:
        sampling = {}
        if slowdown is not None or rate is not None:
            others = {"timer": timer is not None, "timeline": timeline or timeline_last}
            others |= {"memory": memory, "compensate": compensate}
            given = [name for name, given in others.items() if given]
            sampling = _sampling(slowdown, rate, native, given)
        super().__init__(
            timer,
            timeunit,
            subcalls,
            builtins,
            threads=threads,
            backend=backend,
            include=_paths(include, "include"),
            exclude=_paths(exclude, "exclude"),
            costs=_costs(timer, builtins, backend) if compensate else None,
            timeline=_budget(timeline, timeline_last)
            if timeline is not False or timeline_last
            else 0,
            timeline_ring=timeline_last,
            memory=memory if memory is False else _memory(memory),
            native=native if native is False else _native(native),
            **sampling,
            **self._limits,
        )

    @aside
    def __repr__(self) -> str:
        state = "enabled" if self.enabled else "disabled"
        return f"<tracer.{type(self).__name__}: {state}, by {self.backend}>"

    @aside
    def capture(self, run: RunInfo | None = None) -> Capture:
        """Everything recorded until now, threads apart. Recording goes on as it was."""
        from tracer.api.captured import captured

        return captured(self, run)

    @aside
    def snapshot_stats(self) -> None:
        """Put what is recorded until now into `self.stats`. Recording goes on as it was."""
        self.stats = self.capture().figures().stats

    def create_stats(self) -> None:
        """Disable, and put what was recorded into `self.stats`."""
        self.disable()
        self.snapshot_stats()

    def print_stats(self, sort: str | int | tuple[str | int, ...] = -1) -> None:
        """Disable, and print a table to standard output, sorted as `Stats.sort_stats(*sort)`."""
        self.disable()
        with unrecorded:  # by other profiles that are still enabled
            from tracer.api.stats import Stats

            keys = sort if isinstance(sort, tuple) else (sort,)
            Stats(self).strip_dirs().sort_stats(*keys).print_stats()

    def summary(
        self,
        sorted_by: str | None = None,
        views: str | Iterable[str] | None = None,
        time_unit: str = "ms",
        by_thread: bool = False,
    ) -> None:
        """Print where the time went until now, by phase, function and range: see
        Stats.print_summary(). Recording goes on as it was. Raises ValueError without a timeline."""
        with unrecorded:
            from tracer.api.stats import Stats

            Stats(self).print_summary(sorted_by, views, time_unit, by_thread)

    def dump_stats(self, file: AnyPath) -> None:
        """Disable, and write a profile file, whole or not at all. Raises OSError."""
        self.disable()
        with unrecorded:  # by other profiles that are still enabled
            from tracer.runtime.atomic_files import write_whole

            capture = self.capture()
            self.stats = capture.figures().stats
            write_whole(file, capture.dumps(self.stats))

    def run(self, cmd: str) -> Self:
        """Profile a statement in the namespace of `__main__`."""
        import __main__

        return self.runctx(cmd, __main__.__dict__, __main__.__dict__)

    def runctx(self, cmd: Any, globals: dict[str, Any], locals: Any) -> Self:
        """Profile a statement, or a code object, in the namespaces given."""
        self.enable()
        try:
            exec(cmd, globals, locals)
        finally:
            self.disable()
        return self

    def runcall(self, func: Callable[P, T], /, *args: P.args, **kw: P.kwargs) -> T:
        """Profile a call of `func` and return what it returns."""
        self.enable()
        try:
            return func(*args, **kw)
        finally:
            self.disable()


def _paths(names: Name | Iterable[Name], option: str) -> tuple[str, ...]:
    if not names:
        return ()
    with unrecorded:
        from tracer.recording.focus import paths_of

    return paths_of(names, option)


def _costs(timer: Any, builtins: Any, backend: Any) -> Costs:
    with unrecorded:
        from tracer.recording.call_overhead import costs_for

    return costs_for(timer, builtins, backend)


def _budget(timeline: bool | int | str, last: bool) -> int:
    with unrecorded:
        from tracer.recording.budget import timeline_budget
        from tracer.recording.timeline_api import load_timeline_api

    load_timeline_api()
    budget = timeline_budget(timeline)
    if last and budget == 0:
        raise ValueError("timeline_last needs a timeline: give timeline=True or a size, too")
    return budget


def _memory(memory: object) -> bool:
    with unrecorded:
        from tracer.runtime.preloading import recorded_memory

    return recorded_memory(memory)


def _native(native: object) -> int:
    with unrecorded:
        from tracer.recording.native import rate_of

    return rate_of(native)


def _sampling(slowdown: object, rate: object, native: object, others: list[str]) -> dict[str, Any]:
    """others: the names of the arguments that were given and exclude a slow-down."""
    with unrecorded:
        from tracer.recording.slowdown import rate_of, slowdown_of

    if slowdown is None:
        raise ValueError("rate is of no use without slowdown: give it, too")
    if others:
        raise ValueError(
            f"slowdown and {others[0]} exclude each other: samples stand for calls; leave one of "
            "them out"
        )
    if not isinstance(native, bool):
        if rate not in (None, native):
            raise ValueError(
                f"native={native!r} and rate={rate!r}: one sampler serves both; give one of them"
            )
        rate = native
    return {"slowdown": slowdown_of(slowdown), "rate": rate_of(rate)}


def run(statement: str, filename: AnyPath | None = None, sort: Any = -1) -> None:
    """Profile a statement in the namespace of `__main__`; print a table, or write a file."""
    import __main__

    runctx(statement, __main__.__dict__, __main__.__dict__, filename, sort)


def runctx(
    statement: str,
    globals: dict[str, Any],
    locals: Any,
    filename: AnyPath | None = None,
    sort: Any = -1,
) -> None:
    """Profile a statement in the namespaces given; print a table, or write a file.

    SystemExit only ends the statement, as in cProfile. Any other exception is raised after the
    report.
    """
    profile = Profile()
    try:
        profile.runctx(statement, globals, locals)
    except SystemExit:
        pass
    finally:
        if filename is None:
            profile.print_stats(sort)
        else:
            profile.dump_stats(filename)
