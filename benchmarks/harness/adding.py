"""Make so many pairs of one kind under one profiler: what added.py counts the instructions of."""

import gc
import sys

from harness.calls import driver
from harness.profilers import PROFILERS, available

WARM = 2000  # pairs before: by then the interpreter has specialized the code


def main(profiler: str, kind: str, count: str) -> None:
    available([profiler])
    drive = driver(kind)
    start, stop = PROFILERS[profiler].make()
    gc.disable()
    start()
    drive(WARM, float)
    drive(int(count), float)
    stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
