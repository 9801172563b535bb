"""Whether this is a process of multiprocessing, where environment variables start no profile."""

from __future__ import annotations

import sys


def is_worker() -> bool:
    """Whether multiprocessing started this process: a worker, or the server that forks workers."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        return True
    return any("from multiprocessing." in word for word in sys.orig_argv)
