"""What memory_profiler's own tests find in place of memory_profiler."""

from tracer.compat.memory_profiler import *  # noqa: F403
from tracer.compat.memory_profiler import main

if __name__ == "__main__":
    main()
