"""Whether multiprocessing started this process: then the process that started it reports."""

from __future__ import annotations

import sys


def is_worker() -> bool:
    """Whether this is a process of multiprocessing: a worker, or the server that forks workers."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        return True
    return any("from multiprocessing." in word for word in sys.orig_argv)
