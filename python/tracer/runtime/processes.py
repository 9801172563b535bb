"""Whether this process is of multiprocessing: one that somebody else reports for."""

from __future__ import annotations

import sys


def is_worker() -> bool:
    """Whether multiprocessing started this process, or the server that forks such ones."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        return True
    return any("from multiprocessing." in word for word in sys.orig_argv)
