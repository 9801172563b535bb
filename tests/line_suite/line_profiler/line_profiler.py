"""The module line_profiler of the package line_profiler."""

from tracer.compat.line_profiler import (
    LineStats,
    __version__,
    load_stats,
    main,
    show_func,
    show_text,
)
from tracer.source.functions import is_generated as is_generated_code

from . import LineProfiler

__all__ = [
    "LineProfiler",
    "LineStats",
    "__version__",
    "is_generated_code",
    "load_stats",
    "main",
    "show_func",
    "show_text",
]
