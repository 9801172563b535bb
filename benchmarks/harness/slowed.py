"""Run the body of one program so many times in one way, and print as JSON what that cost, and what
was told: the shares of functions, their errors, the calls.

slowdown.py starts this script afresh for each sample. Shares are of the time below this script's
loop. What functions written in C took is in the share of their caller.
"""

import gc
import json
import sys
from time import process_time

from harness.programs import PROGRAMS
from harness.ranking import key, own_times

ABOVE = (f"{__file__}:", "<frozen runpy>:")  # what runs around the body: beginnings of keys
WARM = 1  # runs of the body before: what is done once is in no figure


def loop(body, times):
    for _ in range(times):
        body()


def clocked(body, times):
    began = process_time()
    loop(body, times)
    return process_time() - began


def plain(body, times):
    return {"cpu": clocked(body, times)}


def slowed(slowdown, rate=None, *, hits=False):
    """A Profile that slows down by so much at most. hits: lines of the program are counted, too, as
    by --lines."""
    from tracer import Profile

    class Counting(Profile):
        _limits = {"lines": ((sys.path[0],), (), (), ())} if hits else {}  # load() put it there

    return Counting(slowdown=slowdown, rate=rate)


def sampled(*which, **options):
    """A way with --slowdown: see slowed()."""

    def run(body, times):
        from tracer import Stats

        profile = slowed(*which, **options)
        profile.enable()
        cpu = clocked(body, times)
        profile.disable()
        stats = Stats(profile)
        known, [facts] = stats.sampled, stats.sampled.facts
        counts = {key(*label): count for label, count in known.counts.items()}
        return {
            "cpu": cpu,
            **shares_of(stats),
            "errors": {
                key(*label): known.error(row[2]) / (known.time or 1)
                for label, row in stats.stats.items()
            },
            "counts": counts,
            "lines": lines_of(stats),
            "size": known.size,
            "told_cost": (facts.spent + facts.events * facts.event_cost) / cpu,
        }

    return run


def exact(**options):
    def run(body, times):
        from tracer import Profile, Stats

        profile = Profile(**options)
        profile.enable()
        cpu = clocked(body, times)
        profile.disable()
        stats = Stats(profile)
        counts = {key(*label): (row[1], True) for label, row in stats.stats.items()}
        return {"cpu": cpu, **shares_of(stats), "counts": counts}

    return run


def cprofile(body, times):
    from cProfile import Profile
    from pstats import Stats

    profile = Profile()
    profile.enable()
    cpu = clocked(body, times)
    profile.disable()
    return {"cpu": cpu, **shares_of(Stats(profile))}


def pyinstrument(body, times):
    """Its frames have the first line of a function; a time is its share of the samples."""
    from pyinstrument import Profiler

    profiler = Profiler(interval=0.001, async_mode="disabled")
    profiler.start()
    cpu = clocked(body, times)
    profiler.stop()
    own, cumulative = {}, {}

    def add(frame, above):
        """above: the functions around it, the nearest last."""
        if not is_part_of_caller(frame):
            function, file, line = frame.identifier.split("\0")
            name = key(file, int(line), function)
            if name not in above:
                cumulative[name] = cumulative.get(name, 0) + frame.time
            above = (*above, name)
        inside = sum(child.time for child in frame.children)
        if above:
            own[above[-1]] = own.get(above[-1], 0) + frame.time - inside
        for child in frame.children:
            add(child, above)

    root = profiler.last_session.root_frame()
    if root is not None:
        add(root, ())
    return {"cpu": cpu, **below_loop(own, cumulative)}


def is_part_of_caller(frame):
    """Whether a frame of pyinstrument's is no function of Python: what a function did itself, or
    one written in C."""
    return frame.is_synthetic or frame.file_path in (None, "<built-in>")


def shares_of(stats):
    """The parts of the time of all functions but this script's: own, and with what they called."""
    own = {key(*label): seconds for label, seconds in own_times(stats.stats).items()}
    cumulative = {key(*label): row[3] for label, row in stats.stats.items() if label[0] != "~"}
    return below_loop(own, cumulative)


def lines_of(stats):
    """By function: by line, the part of the time of all in which it ran, or what it called."""
    whole, found = stats.sampled.time or 1, {}
    for row in stats.table("lines"):
        if row.file != __file__:
            found.setdefault(f"{row.file}({row.function})", {})[row.line] = row.time / whole
    return found


def below_loop(own, cumulative):
    """The same as parts of the time below this script, which runs for all of it, as runpy does."""
    for times in (own, cumulative):
        for name in [it for it in times if it.startswith(ABOVE)]:
            del times[name]
    whole = sum(own.values()) or 1
    return {
        "own": {name: seconds / whole for name, seconds in own.items()},
        "cumulative": {name: seconds / whole for name, seconds in cumulative.items()},
    }


WAYS = {
    "plain": plain,
    "reference": sampled(0.0),
    "sampler alone": sampled(0.0),
    "slowdown 10%": sampled(0.10),
    "slowdown 10%, 1 kHz": sampled(0.10, 1000),
    "slowdown 2%": sampled(0.02),
    "lines": sampled(0.10, hits=True),
    "tracer": exact(),
    "tracer --compensate": exact(compensate=True),
    "cProfile": cprofile,
    "pyinstrument": pyinstrument,
}


def main(program, way, times):
    body = PROGRAMS[program].load()
    loop(body, WARM)
    gc.collect()
    gc.disable()  # chance decides in which function a collection comes
    print(json.dumps(WAYS[way](body, int(times)) | {"times": int(times)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
