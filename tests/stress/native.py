"""Native code sampled while threads do what a sampler may hang on: they take the locks of the
loader and of malloc, load and unload libraries, unwind themselves, fork, and come and go.

    native.py [--seconds N] [--hz N]

A thread that does not go on for a minute hangs, and its stack is printed. In the end no timer of
the process is left.
"""

import _ctypes
import argparse
import ctypes
import ctypes.util
import faulthandler
import os
import sys
import threading
import time
from collections import Counter

from tracer import Profile, Stats
from tracer.analysis.native.native import whole_of

PATIENCE = 60  # seconds in which each thread goes on
RENEWED = 5  # seconds of a profile
LIBRARY = next(filter(None, map(ctypes.util.find_library, ("z", "expat", "bz2", "m"))))
C = ctypes.CDLL(None)
C.malloc.restype, C.malloc.argtypes = ctypes.c_void_p, (ctypes.c_size_t,)
C.free.argtypes = (ctypes.c_void_p,)
PLACES = (ctypes.c_void_p * 64)()


def look_at_modules():
    """By a visitor in C: one in Python would wait for the GIL with the loader's lock."""
    for _ in range(100):
        C.dl_iterate_phdr(C.labs, None)


def allocate():
    blocks = [C.malloc(1 << (8 + at % 12)) for at in range(200)]
    for block in blocks:
        C.free(block)


def load_and_unload():
    time.sleep(0.001)  # the others want the GIL, too
    _ctypes.dlclose(_ctypes.dlopen(LIBRARY, os.RTLD_NOW))


def unwind():
    C.backtrace(PLACES, len(PLACES))


def come_and_go():
    threads = [threading.Thread(target=allocate) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fork():
    child = os.fork()
    if child == 0:
        allocate()
        os._exit(0)
    os.waitpid(child, 0)
    time.sleep(0.05)


def compute():
    sum(i * i for i in range(1000))


DEEDS = (look_at_modules, allocate, load_and_unload, unwind, come_and_go, fork, compute)


def timers():
    with open("/proc/self/timers") as file:
        return sum(line.startswith("ID") for line in file)


def sampled(seconds, hz):
    """What was sampled in one profile: its samples, and the CPU time in them."""
    faulthandler.dump_traceback_later(PATIENCE + seconds, exit=True)
    with Profile(native=hz) as profile:
        time.sleep(seconds)
    faulthandler.cancel_dump_traceback_later()
    whole = whole_of(Stats(profile))
    return whole.samples, whole.cpu


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--seconds", type=float, default=600)
    options.add_argument("--hz", type=int, default=1000)
    options = options.parse_args()
    counts, is_over, found = Counter(), threading.Event(), Counter()
    late = {}

    def work(deed):
        while not is_over.is_set():
            deed()
            counts[deed.__name__] += 1
            late[deed.__name__] = time.monotonic()

    workers = [threading.Thread(target=work, args=(deed,), daemon=True) for deed in DEEDS]
    for worker in workers:
        worker.start()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        samples, cpu = sampled(min(RENEWED, options.seconds), options.hz)
        found["profiles"] += 1
        found["samples"] += samples
        found["CPU, s"] += cpu
        slow = [name for name, then in late.items() if time.monotonic() - then > PATIENCE]
        if slow:
            faulthandler.dump_traceback(all_threads=True)
            sys.exit(f"no longer going on: {', '.join(slow)}")
    is_over.set()
    for worker in workers:
        worker.join(PATIENCE)
        if worker.is_alive():
            faulthandler.dump_traceback(all_threads=True)
            sys.exit("a thread does not end")
    for name, count in {**counts, **found}.items():
        print(f"{name:>16}: {count:,.0f}")
    if timers():
        sys.exit(f"{timers()} timers are left")
    if not found["samples"]:
        sys.exit("there was no sample")
    print("no hang, and no timer left")


if __name__ == "__main__":
    main()
