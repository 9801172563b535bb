"""What memory_profiler's own tests find in place of mprof."""

from tracer.compat.mprof import function_labels, main

__all__ = ["function_labels", "main"]
