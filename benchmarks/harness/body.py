"""Run the body of one program under one profiler, and print how long the body took, as JSON.

programs.py starts this script afresh for each sample. The time has the body alone: the script makes
the program ready, starts and stops the profiler, and lets it work on its data outside of the time.
"""

import gc
import json
import sys
from time import perf_counter, process_time

from harness.profilers import PROFILERS, available
from harness.programs import PROGRAMS


def main(program, profiler):
    body = PROGRAMS[program].load()
    available([profiler])
    start, stop = PROFILERS[profiler].make()
    gc.collect()
    start()
    used, started = process_time(), perf_counter()
    body()
    wall, cpu = perf_counter() - started, process_time() - used
    stop()
    print(json.dumps({"wall": wall, "cpu": cpu}))


if __name__ == "__main__":
    main(*sys.argv[1:])
