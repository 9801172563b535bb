"""Run the body of one program in turn without and with a profiler, in one process, and print as
JSON the CPU seconds of each pair: [[plain, profiled], ...].

slowdown.py starts this script afresh for each profiler. A machine that others use is faster and
slower by the second: the two of a pair are near enough to be compared.
"""

import gc
import json
import sys

from harness.programs import PROGRAMS
from harness.slowed import WARM, clocked, loop, slowed

SETTLE = 0.5  # seconds of CPU before the first pair, within which a profiler is to have settled


def sampled(*which, **options):
    def made():
        profile = slowed(*which, **options)
        return profile.enable, profile.disable

    return made


def exact():
    from tracer import Profile

    profile = Profile()
    return profile.enable, profile.disable


def cprofile():
    from cProfile import Profile

    profile = Profile()
    return profile.enable, profile.disable


def pyinstrument():
    from pyinstrument import Profiler

    profiler = Profiler(interval=0.001, async_mode="disabled")
    return profiler.start, profiler.stop


PROFILERS = {
    "sampler alone": sampled(0.0),
    "slowdown 10%": sampled(0.10),
    "slowdown 10%, 1 kHz": sampled(0.10, 1000),
    "slowdown 2%": sampled(0.02),
    "lines": sampled(0.10, hits=True),
    "tracer": exact,
    "cProfile": cprofile,
    "pyinstrument": pyinstrument,
}


def profiled(start, stop, body, times):
    start()
    used = clocked(body, times)
    stop()
    return used


def pairs_of(start, stop, body, times, count):
    used = 0.0
    while used < SETTLE:
        used += profiled(start, stop, body, times)
    found = []
    for turn in range(count):  # which of the two comes first is not always the same
        if turn % 2:
            with_profiler = profiled(start, stop, body, times)
            found.append((clocked(body, times), with_profiler))
        else:
            found.append((clocked(body, times), profiled(start, stop, body, times)))
    return found


def main(program, profiler, times, count):
    body = PROGRAMS[program].load()
    loop(body, WARM)
    gc.collect()
    gc.disable()
    start, stop = PROFILERS[profiler]()
    print(json.dumps(pairs_of(start, stop, body, int(times), int(count))))


if __name__ == "__main__":
    main(*sys.argv[1:])
