"""Figure 1, the cost of an event: what a profiler adds to a call of a Python function, of a builtin
function and of a method written in C, and to a generator that yields and is resumed.

All profilers take turns in one process. Each turn compiles functions of its own, so that no code
runs that another profiler has seen. The best turn counts. The time of the same loop without a
profiler is subtracted.
"""

import gc
import sys
from time import perf_counter

from harness.calls import KINDS, driver
from harness.figures import added, best, ratio, rotated
from harness.profilers import available, require_silence
from harness.report import Goal, finish, need_tracer, number, parser, show, table, version

VARIANTS = ["none", "floor", "tracer", "tracer builtins=False", "cProfile"]

CALLS = ("Python call", "builtin call", "method call")
# tracer / cProfile, at most: by version, for each of CALLS
LIMITS = {
    "3.11": (0.72, 0.58, 0.68),
    "3.12": (0.58, 0.55, 0.33),
    "3.13": (0.43, 0.39, 0.27),
    "3.14": (0.46, 0.45, 0.38),
    "3.15": (0.46, 0.45, 0.38),
}
FLOOR_LIMITS = {**dict.fromkeys(CALLS, 1.15), "yield + resume": 1.40}  # tracer / floor, at most
NO_BUILTINS_LIMIT = 0.35  # tracer / cProfile for a Python call, with builtins=False
NOTHING = 0.02  # tracer / cProfile: a smaller ratio cannot be told from noise


def one_turn(profiler, calls):
    """Seconds for so many pairs of each kind, by freshly compiled code."""
    seconds = {}
    for kind in KINDS:
        drive = driver(kind)
        start, stop = profiler.make()
        start()
        try:
            drive(min(calls, 2000), perf_counter)
            seconds[kind] = drive(calls, perf_counter)
        finally:
            stop()
    require_silence()
    return seconds


def measure(profilers, rounds, calls):
    """{variant: {kind: samples}}, and the base before any profiler was on: {kind: samples}."""
    untouched = {kind: [] for kind in KINDS}
    samples = {profiler.name: {kind: [] for kind in KINDS} for profiler in profilers}
    gc.disable()
    plain = [profiler for profiler in profilers if profiler.name == "none"]
    for profiler in plain * rounds:
        for kind, seconds in one_turn(profiler, calls).items():
            untouched[kind].append(seconds)
    for turn in range(rounds):
        for profiler in rotated(profilers, turn):
            for kind, seconds in one_turn(profiler, calls).items():
                samples[profiler.name][kind].append(seconds)
        gc.collect()
    gc.enable()
    return samples, untouched


def cost(samples, calls):
    """{variant: {kind: ns that it adds to a pair of an enter and a leave}}"""
    base = samples["none"]
    return {
        variant: {kind: added(best(kinds[kind]), best(base[kind]), calls * 1e-9) for kind in KINDS}
        for variant, kinds in samples.items()
        if variant != "none"
    }


def goals_of(costs, version):
    """The goals on this version of Python."""
    ours, theirs = costs["tracer"], costs["cProfile"]
    goals = []
    for kind, limit in zip(CALLS, LIMITS.get(version, LIMITS["3.15"]), strict=True):
        goals.append(Goal(f"{kind}: tracer / cProfile", limit, ratio(ours[kind], theirs[kind])))
    if version == "3.11":
        return goals
    for kind, limit in FLOOR_LIMITS.items() if "floor" in costs else ():
        measured = ratio(ours[kind], costs["floor"][kind])
        goals.append(Goal(f"{kind}: tracer / floor", limit, measured))
    for kind in CALLS:
        limit = NO_BUILTINS_LIMIT if kind == "Python call" else NOTHING
        measured = ratio(costs["tracer builtins=False"][kind], theirs[kind])
        goals.append(Goal(f"{kind}: builtins=False / cProfile", limit, measured))
    return goals


def render(costs):
    rows = []
    for variant, kinds in costs.items():
        row = [variant, *(show(kinds[kind], 1) for kind in KINDS)]
        for against in ("cProfile", "floor"):
            other = costs.get(against, {})
            row += [show(ratio(kinds[kind], other.get(kind))) for kind in KINDS]
        rows.append(row)
    return table(
        [
            "added to a pair",
            *(f"{kind}, ns" for kind in KINDS),
            *(f"{kind} / cProfile" for kind in KINDS),
            *(f"{kind} / floor" for kind in KINDS),
        ],
        rows,
    )


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=25, help="turns of each (25)")
    options.add_argument(
        "--calls", type=number(100), default=50_000, help="calls in a turn (50,000)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    require_silence()
    samples, untouched = measure(available(VARIANTS), options.rounds, options.calls)
    costs = cost(samples, options.calls)
    drift = [ratio(best(samples["none"][kind]), best(untouched[kind])) for kind in KINDS]
    body = "{}\n\nBase of each kind, between the profilers / before any was on: {}.".format(
        render(costs), ", ".join(show(figure) for figure in drift)
    )
    found = {"seconds": samples, "untouched": untouched, "added_ns": costs}
    finish("Cost of an event", body, goals_of(costs, version()), options, found)


if __name__ == "__main__":
    sys.exit(main())
