"""Run the body of one program once, plain or under a profiler, and print as JSON the seconds that
the body took, and the seconds that the profiler tells: in all, and function by function.

truth.py starts this script afresh for each sample, and has py-spy look at it from outside.
"""

import gc
import json
import sys
from time import perf_counter, process_time

from harness.programs import PROGRAMS
from harness.ranking import key, own_times


def plain(body):
    return clocked(body)


def under_cprofile(body):
    from cProfile import Profile
    from pstats import Stats

    profile = Profile()
    profile.enable()
    seconds = clocked(body)
    profile.disable()
    return seconds | {"cProfile": told(Stats(profile))}


def under_tracer(body):
    from tracer import Profile, Stats

    profile = Profile(compensate=True)
    profile.enable()
    seconds = clocked(body)
    profile.disable()
    capture = profile.capture()
    stats = Stats(capture)
    return seconds | {
        "compensated": told(stats),
        "raw": told(Stats(capture, raw=True)),
        "events": events_of(stats),
        "tree": sum(len(thread.records["nodes"]) for thread in capture.threads),
        "costs": capture.costs,
        "taken_out": capture.taken_out,
    }


WAYS = {"plain": plain, "tracer": under_tracer, "cProfile": under_cprofile}


def clocked(body):
    used, started = process_time(), perf_counter()
    body()
    wall, cpu = perf_counter() - started, process_time() - used
    return {"wall": wall, "cpu": cpu}


def told(stats):
    own = {key(*label): seconds for label, seconds in own_times(stats.stats).items()}
    return {"total": stats.total_tt, "own": own}


def events_of(stats):
    """How many calls there were of each kind that compensation knows, and how many resumes."""
    from tracer.data.overhead import KINDS, kind_of

    counts = dict.fromkeys(KINDS, 0)
    for label, row in stats.stats.items():
        counts[kind_of(label[0], label[2])] += row[1]
    return counts | {"resume": sum(resumes.total for resumes in stats.resumes.values())}


def looped(body, seconds):
    """Run the body for so long. Samples below this function are of the body, not of its loading."""
    until = perf_counter() + seconds
    while perf_counter() < until:
        body()
        gc.collect()


def main(program, way, seconds=None):
    body = PROGRAMS[program].load()
    gc.collect()
    gc.disable()  # chance decides in which function a collection comes
    if way == looped.__name__:
        looped(body, float(seconds))
    else:
        print(json.dumps(WAYS[way](body)))


if __name__ == "__main__":
    main(*sys.argv[1:])
