"""The profilers that are compared, in one table: how each is made, started and stopped.

The scripts decide what they measure with a profiler. It is imported only when it is asked for.
"""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.report import BUILD, complain

DRIVERS = "harness.calls"  # the module of the loops whose events are measured

Switch = tuple[Callable[[], object], Callable[[], object]]  # what starts it, what stops it


@dataclass(frozen=True)
class Profiler:
    name: str
    module: str  # which must be installed
    make: Callable[[], Switch]  # makes one that has recorded nothing
    every: int = 1  # it takes part in one of so many rounds over real programs
    spared: frozenset[str] = frozenset()  # the programs for which it would need minutes


def make_none() -> Switch:
    return (lambda: None), (lambda: None)


def make_tracer(**options: object) -> Switch:
    from tracer import Profile

    profile = Profile(**options)
    return profile.enable, profile.disable


def make_floor() -> Switch:
    import bench_floor

    return bench_floor.start, bench_floor.stop


def make_cprofile() -> Switch:
    from cProfile import Profile

    profile = Profile()
    return profile.enable, profile.disable


def make_viztracer() -> Switch:
    from viztracer import VizTracer

    recorder = VizTracer(verbose=0)
    return recorder.start, recorder.stop


def make_pyinstrument() -> Switch:
    from pyinstrument import Profiler as Sampler

    sampler = Sampler()
    return sampler.start, sampler.stop


def make_yappi() -> Switch:
    import yappi

    yappi.set_clock_type("wall")
    return (lambda: yappi.start(builtins=True)), yappi.stop


def make_tracemalloc() -> Switch:
    import tracemalloc

    return tracemalloc.start, tracemalloc.stop


def make_memray(trace_python_allocators: bool) -> Switch:
    from memray import Tracker

    folder = tempfile.TemporaryDirectory()
    path = Path(folder.name, "memray.bin")
    tracker = Tracker(path, trace_python_allocators=trace_python_allocators)

    def stop() -> None:
        tracker.__exit__(None, None, None)
        folder.cleanup()

    return tracker.__enter__, stop


# pyinstrument and yappi decide no goal and are slow: they take part in fewer rounds.
PROFILERS = {
    profiler.name: profiler
    for profiler in (
        Profiler("none", "builtins", make_none),
        Profiler("tracer", "tracer", make_tracer),
        Profiler("tracer builtins=False", "tracer", lambda: make_tracer(builtins=False)),
        Profiler("tracer in a filter", "tracer", lambda: make_tracer(include=DRIVERS)),
        Profiler("tracer left out", "tracer", lambda: make_tracer(exclude=DRIVERS)),
        Profiler("tracer counting", "tracer", lambda: make_tracer(slowdown=1.0, rate=1)),
        Profiler("tracer timeline", "tracer", lambda: make_tracer(timeline=True)),
        Profiler("tracer memory", "tracer", lambda: make_tracer(memory=True)),
        Profiler("tracemalloc", "tracemalloc", make_tracemalloc),
        Profiler("memray", "memray", lambda: make_memray(False)),
        Profiler("memray Python", "memray", lambda: make_memray(True)),
        Profiler("floor", "bench_floor", make_floor),
        Profiler("cProfile", "cProfile", make_cprofile),
        Profiler("viztracer", "viztracer", make_viztracer),
        Profiler("pyinstrument", "pyinstrument", make_pyinstrument, every=3),
        Profiler("yappi", "yappi", make_yappi, every=3, spared=frozenset({"async_tree_io"})),
    )
}


def available(names: list[str]) -> list[Profiler]:
    """The profilers of these names that are installed. A line on stderr names each other one."""
    floor = str(BUILD / "floor")
    if floor not in sys.path:
        sys.path.append(floor)
    found = []
    for name in names:
        profiler = PROFILERS[name]
        if importlib.util.find_spec(profiler.module) is not None:
            found.append(profiler)
        else:
            complain(
                f"{profiler.module} is missing, its figures are left out (`make bench` has it)"
            )
    return found


def require_silence() -> None:
    """Ends the benchmark when a profiler that was stopped still receives events."""
    held = []
    if sys.getprofile() is not None:
        held.append("the profile function")
    if sys.version_info >= (3, 12):
        tools = {number: sys.monitoring.get_tool(number) for number in range(6)}
        held += [f"tool id {number} ({name})" for number, name in tools.items() if name is not None]
    if held:
        complain(f"something profiles where nothing should: {', '.join(held)}")
        raise SystemExit(1)
