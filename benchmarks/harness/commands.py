"""A command of tracer's in a process of its own, measured from its start to its end."""

import os
import subprocess
import sys
from time import perf_counter


def measured(*words):
    """{"seconds", "cpu", "MiB"} of `python -m tracer WORDS`. Ends the script where that fails."""
    begin = perf_counter()
    child = subprocess.Popen([sys.executable, "-m", "tracer", *words], stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = perf_counter() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"tracer {' '.join(words)} ended with status {child.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    cpu = usage.ru_utime + usage.ru_stime
    return {"seconds": seconds, "cpu": cpu, "MiB": usage.ru_maxrss * unit / 2**20}
