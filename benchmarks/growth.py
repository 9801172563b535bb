"""Figure 3, growth: what a call costs, and how much memory is held, as a program has more
functions, edges, depth, contexts, threads or events.

Each point is measured in a fresh process. There the same body runs plain, and under the floor,
tracer and cProfile, in turns. "first" is the first run under tracer, in which the call tree grows.
"again" is the best of the runs after it, with the same Profile. Memory is what the process holds
after the tree has grown, less what it held before. On the axis of events, "again" is what a call
costs after so many events.

On the axis of functions, "bursts" counts the bursts of rehashing while each function is called for
the first time. A burst is one call or several, at most a hundred calls apart, that each take more
than a millisecond of their thread's processor time: only tables that move tens of thousands of
records take so long. The run with the fewest bursts counts, for noise only adds.
"""

import gc
import json
import sys
from itertools import pairwise
from pathlib import Path
from time import process_time, thread_time_ns

from harness import growing
from harness.apart import measured_apart
from harness.figures import added, best, ratio, worst
from harness.profilers import available, make_cprofile, make_none
from harness.report import Goal, finish, need_tracer, number, parser, show, table

# axis: the points; the last of "events" takes a minute, so only --events asks for it
AXES = {
    "functions": [10, 1_000, 30_000, 100_000],
    "edges": [10, 1_000, 100_000, 1_000_000],
    "depth": [10, 1_000, 100_000],
    "contexts": [1_000, 100_000, 1_000_000],
    "past the budget": [1_000, 100_000, 1_000_000],
    "threads": [1, 20, 200],
    "events": [10**6, 10**7, 10**8, 10**9],
}
BUDGET = 10_000  # nodes, where the axis is "past the budget"
BURST = 1_000_000  # ns: a first call that takes longer is part of a burst of rehashing
APART = 100  # calls between two bursts, at least
FUNCTIONS = 100_000  # the point whose bursts are a goal
SMALL = 100_000  # nodes: of a smaller tree, bytes a node mean nothing
FLAT = 1.5
PATIENCE = 600  # seconds for one point


def resident():
    """Bytes of memory that this process holds; None where the system has no such file."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return None
    return pages * 4096


def one_run(start, body, stop):
    """Processor seconds of the body, with starting and stopping, which take next to nothing."""
    began = process_time()
    start()
    body()
    stop()
    return process_time() - began


def measure(axis, count, rounds):
    """Measure one point, in this process."""
    from tracer import Profile

    work = getattr(growing, "contexts" if axis == "past the budget" else axis)(count)
    sys.setrecursionlimit(max(1000, 2 * count if axis == "depth" else 0))
    limits = {"_node_limit": BUDGET} if axis == "past the budget" else {}
    profile = type("Profile", (Profile,), {"_limits": limits})()
    seconds = {"plain": [], "floor": [], "tracer": [], "cProfile": []}
    grown = None
    gc.collect()
    gc.freeze()
    gc.disable()
    # The floor comes first: when tracer runs, the interpreter's memory for events is there already.
    switches = {"plain": make_none()}
    switches |= {profiler.name: profiler.make() for profiler in available(["floor"])}
    switches |= {"tracer": (profile.enable, profile.disable), "cProfile": make_cprofile()}
    for _ in range(rounds):
        for name, (start, stop) in switches.items():
            held = resident()
            seconds[name].append(one_run(start, work.run, stop))
            if name == "tracer" and grown is None and held is not None:
                for _ in range(work.before - 1):
                    one_run(start, work.run, stop)
                grown = resident() - held
    point = {"calls": work.calls, "nodes": work.nodes, "bytes": grown, "seconds": seconds}
    if axis == "functions":
        point["bursts"] = min(bursts(first_calls(Profile(), count)) for _ in range(rounds))
    return point


def first_calls(profile, count):
    """The ns of each first call of so many functions, by the clock of the thread."""
    made = growing.make_functions("def f(): pass", count)
    taken = []
    profile.enable()
    for function in made:
        began = thread_time_ns()
        function()
        taken.append(thread_time_ns() - began)
    profile.disable()
    return taken


def bursts(taken):
    """How many bursts there are in the ns that calls took, one after the other."""
    long = [place for place, ns in enumerate(taken) if ns > BURST]
    return sum(place - before > APART for before, place in pairwise([-APART - 1, *long]))


def costs(point):
    """ns that a call costs more than plain: floor, tracer's first and later runs, cProfile."""
    calls, seconds = point["calls"] * 1e-9, point["seconds"]
    plain = best(seconds["plain"])
    return {
        "floor": added(best(seconds["floor"]), plain, calls),
        "first": added(seconds["tracer"][0], plain, calls),
        "again": added(best(seconds["tracer"][1:]), plain, calls),
        "cProfile": added(best(seconds["cProfile"]), plain, calls),
    }


def bytes_a_node(point):
    """Bytes for each node; None where the tree is too small to stand out."""
    if point["bytes"] is None or point["nodes"] < SMALL:
        return None
    return point["bytes"] / point["nodes"]


def render(found):
    rows = []
    for axis, points in found.items():
        for count, point in points.items():
            one = costs(point)
            row = [f"{axis}: {int(count):,}", *(show(one[name], 0) for name in one)]
            row += [show(ratio(one["again"], one["floor"]))]
            row += [show(ratio(one["again"], one["cProfile"]))]
            held = None if point["bytes"] is None else point["bytes"] / 1e6
            budgeted = axis == "past the budget"
            row += [show(held, 1), show(None if budgeted else bytes_a_node(point), 0)]
            row += [show(point.get("bursts"), 0)]
            rows.append(row)
    heads = ["added to a call, ns", "floor", "first", "again", "cProfile"]
    heads += ["again / floor", "again / cProfile", "MB", "bytes a node", "bursts"]
    return table(heads, rows)


def goals_of(found):
    """The goals. An axis is flat when its last point costs little more than the one before. (The
    floor grows, too, because the interpreter itself does more with so much code.)"""
    goals = []
    for axis, points in found.items():
        again = [costs(point)["again"] for point in points.values()]
        if len(again) > 1 and axis != "threads":
            goals.append(Goal(f"{axis}: last / the one before", FLAT, ratio(again[-1], again[-2])))
        elif len(again) > 1:
            goals.append(Goal(f"{axis}: most / one", FLAT, ratio(worst(again), again[0])))
    # Two axes are left out: a function has its name and place beside its node; and while a program
    # is deep in calls, each has a frame of 32 bytes on tracer's stack, which stays as large.
    trees = [
        bytes_a_node(point)
        for axis in ("edges", "contexts")
        for point in found.get(axis, {}).values()
    ]
    if any(size is not None for size in trees):
        goals.append(Goal("bytes a node", 120, worst(trees)))
    if FUNCTIONS in found.get("functions", {}):
        measured = found["functions"][FUNCTIONS]["bursts"]
        goals.append(Goal(f"{FUNCTIONS:,} functions: bursts of rehashing", 3, measured))
    held = [point["bytes"] for point in found.get("past the budget", {}).values()]
    if len(held) > 1:
        measured = ratio(held[-1], held[-2])
        goals.append(Goal("past the budget: memory, last / the one before", FLAT, measured))
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(2), default=5, help="runs of each (5)")
    options.add_argument("--events", type=number(1), default=10**8, help="events at most (1e8)")
    options.add_argument("--largest", type=number(1), help="leave out points beyond this")
    options.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES), metavar="AXIS")
    options.add_argument(
        "--point", nargs=2, metavar=("AXIS", "COUNT"), help="print one point as JSON"
    )
    options = options.parse_args(arguments)
    need_tracer()
    if options.point:
        print(json.dumps(measure(options.point[0], int(options.point[1]), options.rounds)))
        return 0
    available(["floor"])  # says once if the floor is missing
    found = {}
    for axis in options.axes:
        largest = options.events if axis == "events" else 10**9
        largest = min(largest, options.largest or largest)
        found[axis] = {}
        for count in [count for count in AXES[axis] if count <= largest]:
            words = ["growth.py", "--rounds", str(options.rounds), "--point", axis, str(count)]
            point = measured_apart(f"{count:,} {axis}", *words, patience=PATIENCE)
            if point is not None:
                found[axis][count] = point
    finish("Growth", render(found), goals_of(found), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
