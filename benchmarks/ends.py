"""Figure 4, the ends: the costs that a program pays once, beside those of cProfile. A profiler is
imported, enabled and disabled, and takes a snapshot; its file is written and read, and has a size.

Imports are timed in fresh processes: tracer and cProfile take turns, and the best time counts. The
large profile is of a program in which each function calls ten others. The profile has 100,000
functions and 1,000,000 edges, unless --functions says otherwise. Its times are the best of three.
"""

import gc
import marshal
import os
import pstats
import subprocess
import sys
import tempfile
from cProfile import Profile as TheirProfile
from pathlib import Path
from time import perf_counter

from harness.figures import best, middle, ratio
from harness.growing import make_functions
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table

IMPORT = "from time import perf_counter as now; began = now(); import {}; print(now() - began)"
CALLEES = 10
REPEATS = 3


def time_imports(rounds):
    """{module: samples in seconds}"""
    samples = {"tracer": [], "cProfile": []}
    # Compiled code is kept, as for users, whatever the environment of this script says.
    cached = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    for turn in range(-1, rounds):
        for module, seconds in samples.items():
            command = [sys.executable, "-c", IMPORT.format(module)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=cached)
            if turn >= 0:  # the turn before compiles modules that were never imported
                seconds.append(float(done.stdout))
    return samples


def time_switching(make, rounds):
    """Samples of enabling and disabling one profile: the first, and the later ones."""
    profile = make()
    samples = []
    for _ in range(rounds + 1):
        began = perf_counter()
        profile.enable()
        profile.disable()
        samples.append(perf_counter() - began)
    return samples[0], samples[1:]


def record_large(profile, functions):
    """Have each function call the next CALLEES functions."""
    made = make_functions("def f(callees):\n for callee in callees: callee(())", functions)
    callees = made + made[: CALLEES + 1]
    slices = [callees[i + 1 : i + 1 + CALLEES] for i in range(functions)]
    profile.enable()
    for function, called in zip(made, slices, strict=True):
        function(called)
    profile.disable()


def flat_size(stats):
    """Bytes of these rows when packed flat: a function is the text of its label, its line and four
    figures of eight bytes; an edge is two positions of four bytes and four figures."""
    size = 0
    for (file, _, name), row in stats.items():
        size += len(file.encode()) + len(name.encode()) + 4 + 4 * 8
        size += len(row[4]) * (2 * 4 + 4 * 8)
    return size


def clocked(action, *arguments):
    """The seconds that the action takes, the best of REPEATS, and its result."""
    seconds = []
    for _ in range(REPEATS):
        result = None  # frees the result before, outside of the measured time
        began = perf_counter()
        result = action(*arguments)
        seconds.append(perf_counter() - began)
    return best(seconds), result


def large_of_tracer(functions, path):
    """The seconds of each step, sizes in bytes, and how many functions and edges were recorded."""
    import tracer
    from tracer.runtime.atomic_files import write_whole

    profile = tracer.Profile()
    record_large(profile, functions)
    gc.collect()
    found = {}

    def snapshot(profile):
        capture = profile.capture()
        return capture, capture.figures()[0]

    def write(capture, stats):
        write_whole(path, capture.dumps(stats))

    found["snapshot"], (capture, stats) = clocked(snapshot, profile)
    found["write"], _ = clocked(write, capture, stats)
    found["functions"] = len(stats)
    found["edges"] = sum(len(row[4]) for row in stats.values())
    found["flat"] = flat_size(stats)
    found["size"] = path.stat().st_size
    del capture, stats, profile
    gc.collect()
    found["read"], _ = clocked(tracer.Stats, str(path))
    return found


def large_of_cprofile(functions, path):
    profile = TheirProfile()
    record_large(profile, functions)
    gc.collect()
    found = {}

    def write(stats):
        with open(path, "wb") as file:
            marshal.dump(stats, file)

    found["snapshot"], _ = clocked(profile.create_stats)
    found["write"], _ = clocked(write, profile.stats)  # dump_stats() would take a snapshot again
    found["size"] = path.stat().st_size
    del profile
    gc.collect()
    found["read"], _ = clocked(pstats.Stats, str(path))
    return found


def render(found):
    ours, theirs = found["tracer"], found["cProfile"]

    def row(name, figure, scale, digits=2):
        mine, other = figure(ours), figure(theirs)
        shown = [show(mine * scale, digits), show(other * scale, digits)]
        return [name, *shown, show(ratio(mine, other))]

    rows = [
        row("import, ms", lambda one: best(one["import"]), 1e3),
        row("first enable + disable, us", lambda one: one["first_switch"], 1e6, 1),
        row("enable + disable, us", lambda one: middle(one["switches"]), 1e6, 1),
        row("snapshot, s", lambda one: one["large"]["snapshot"], 1),
        row("write, s", lambda one: one["large"]["write"], 1),
        row("read, s", lambda one: one["large"]["read"], 1),
        row("file, MB", lambda one: one["large"]["size"], 1e-6, 1),
    ]
    return table(["ends", "tracer", "cProfile", "tracer / cProfile"], rows)


def goals_of(found, full):
    """The goals; with `full`, also those for the large profile on a machine of these days."""
    ours, theirs = found["tracer"], found["cProfile"]
    large = ours["large"]
    importing = ratio(best(ours["import"]), best(theirs["import"]))
    goals = [
        Goal("import: tracer / cProfile", 1.3, importing),
        Goal("enable + disable, us", 100, middle(ours["switches"]) * 1e6),
        Goal("file / the same packed flat", 3, ratio(large["size"], large["flat"])),
    ]
    if full:
        goals.append(Goal("snapshot, s", 2, large["snapshot"]))
        goals.append(Goal("write + read, s", 3, large["write"] + large["read"]))
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=25, help="rounds of importing (25)")
    options.add_argument(
        "--functions",
        type=number(100),
        default=100_000,
        help="functions of the large profile (100,000)",
    )
    options.add_argument("--quick", action="store_true", help="15 rounds and 20,000 functions")
    options = options.parse_args(arguments)
    need_tracer()
    import tracer

    rounds, functions = (15, 20_000) if options.quick else (options.rounds, options.functions)
    found = {name: {"import": samples} for name, samples in time_imports(rounds).items()}
    for name, make in (("tracer", tracer.Profile), ("cProfile", TheirProfile)):
        found[name]["first_switch"], found[name]["switches"] = time_switching(make, 50)
    with tempfile.TemporaryDirectory() as folder:
        found["tracer"]["large"] = large_of_tracer(functions, Path(folder, "ours"))
        found["cProfile"]["large"] = large_of_cprofile(functions, Path(folder, "theirs"))
    large = found["tracer"]["large"]
    if large["edges"] < functions * CALLEES:
        complain(f"only {large['edges']:,} edges of {functions * CALLEES:,} were recorded")
        return 1
    body = (
        f"{render(found)}\n\nThe large profile has {large['functions']:,} functions and "
        f"{large['edges']:,} edges; packed flat it is {large['flat'] * 1e-6:,.1f} MB."
    )
    finish("Ends", body, goals_of(found, functions >= 100_000), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
