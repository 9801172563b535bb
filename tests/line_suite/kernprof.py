"""What line_profiler's own tests run and import instead of kernprof: tracer's."""

from tracer.compat.kernprof import ContextualProfile, main

__all__ = ["ContextualProfile", "main"]

if __name__ == "__main__":
    main()
