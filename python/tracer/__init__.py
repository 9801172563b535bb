"""tracer: a deterministic profiler for Python.

    python -m tracer -o profile.out main.py
    tracer.Stats("profile.out").sort_stats("tottime").print_callers("read")

Only the names are here. Each is imported from its module at its first use, so that importing tracer
costs next to nothing.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing has the same, but is slow to import
if TYPE_CHECKING:
    from tracer._core import ProfileFormatError, counter, flow, mark
    from tracer._core import range as range
    from tracer._version import __version__
    from tracer.api.decorator import profile
    from tracer.api.handlers import export_to, save_to
    from tracer.api.heap import Heap, growth, heap
    from tracer.api.line_profiler import LineProfiler
    from tracer.api.line_stats import LineStats
    from tracer.api.origins import allocated_at
    from tracer.api.profiler import Profile, run, runctx
    from tracer.api.schedule import Action, schedule
    from tracer.api.statement_timing import time as time
    from tracer.api.stats import Stats
    from tracer.api.step_profiler import StepProfiler
    from tracer.api.why import why
    from tracer.data.capture import Capture
    from tracer.data.lines import Lines
    from tracer.data.types import RunInfo
    from tracer.results.comparison import compare

# tracer.range and tracer.time are public, too. But `from tracer import *` must not hide Python's
# own range, nor the module time.
__all__ = [
    "Action",
    "Capture",
    "Heap",
    "LineProfiler",
    "LineStats",
    "Lines",
    "Profile",
    "ProfileFormatError",
    "RunInfo",
    "Stats",
    "StepProfiler",
    "__version__",
    "allocated_at",
    "compare",
    "counter",
    "export_to",
    "flow",
    "growth",
    "heap",
    "mark",
    "profile",
    "run",
    "runctx",
    "save_to",
    "schedule",
    "why",
]

_HOMES = {
    "Action": "api.schedule",
    "Capture": "data.capture",
    "Heap": "api.heap",
    "LineProfiler": "api.line_profiler",
    "LineStats": "api.line_stats",
    "Lines": "data.lines",
    "Profile": "api.profiler",
    "ProfileFormatError": "_core",
    "RunInfo": "data.types",
    "Stats": "api.stats",
    "StepProfiler": "api.step_profiler",
    "__version__": "_version",
    "allocated_at": "api.origins",
    "compare": "results.comparison",
    "counter": "_core",
    "export_to": "api.handlers",
    "flow": "_core",
    "growth": "api.heap",
    "heap": "api.heap",
    "load_ipython_extension": "integrations.ipython",  # for %load_ext only
    "mark": "_core",
    "profile": "api.decorator",
    "range": "_core",
    "run": "api.profiler",
    "runctx": "api.profiler",
    "save_to": "api.handlers",
    "schedule": "api.schedule",
    "time": "api.statement_timing",
    "why": "api.why",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        core = sys.modules["tracer._core"]  # no call, which a profile would record
    except KeyError:
        return _load(name)
    with core.unrecorded:  # keeps the import out of a running profile
        return _load(name)


def _load(name: str) -> object:
    home = f"{__name__}.{_HOMES[name]}"
    __import__(home)  # importlib would have to be imported first
    value: object = getattr(sys.modules[home], name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "range", "time"])
