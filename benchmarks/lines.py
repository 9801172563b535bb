"""Lines: what profiling by line costs, beside line_profiler.

First the extremes of the cost: what a profiler adds to a line that is profiled, to a call of a tiny
function that is profiled, and to a line of a function that is not profiled but has a caller that
is. All profilers take turns in one process. Each turn compiles its functions afresh, and the best
turn counts.

Then real programs: tracer finds the functions with the largest tottime, and these are profiled by
line. Each sample is a fresh process, and the medians of processor time count.
"""

import gc
import importlib.util
import sys
from dataclasses import dataclass
from time import monotonic, perf_counter

from harness.apart import measured_apart
from harness.figures import added, best, middle, ratio, rotated, typical, worst
from harness.lining import LINE_PROFILERS
from harness.profilers import require_silence
from harness.programs import pyperformance
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table, version

PROGRAMS = [
    "mdp",
    "async_tree_none",
    "async_tree_io",
    "async_tree_cpu_io_mixed",
    "async_tree_memoization",
    "fannkuch",
    "pprint",
    "raytrace",
    "sympy",
    "docutils",
    "julia",
]
QUICK = ["fannkuch", "julia"]
PATIENCE = 300  # seconds for one sample

BODY = 10  # lines in the loop; the `for` is one more

LINES = f"""
def {{name}}(count, now):
    x = 0
    started = now()
    for _ in range(count):
{chr(10).join(["        x += 1"] * BODY)}
    return now() - started
"""

CALLS = """
def tiny(x):
    return x

def drive(count, now):
    started = now()
    for _ in range(count):
        tiny(1)
    return now() - started
"""

OUTER = """
def drive(count, now):
    return inner(count, now)
"""


@dataclass(frozen=True)
class Kind:
    """A kind of line or call, to which profilers add time."""

    name: str
    unit: str
    source: str  # of drive(), which runs a loop and returns its seconds
    decorated: str  # the function that is profiled
    each: int  # how many there are in one round of the loop
    scale: float  # from ns to the unit


KINDS = [
    Kind("a line", "ns", LINES.format(name="drive"), "drive", BODY + 1, 1),
    Kind("a tiny call", "us", CALLS, "tiny", 1, 1e-3),
    Kind("a line not profiled", "ns", LINES.format(name="inner") + OUTER, "drive", BODY + 1, 1),
]

# tracer / line_profiler, at most: a line, a tiny call, a line of a function that is not profiled,
# the time added to the Julia set. None: no goal.
LIMITS = {"3.11": (0.30, 0.20, None, None)}
LATER = (0.12, 0.01, 0.02, 0.15)


def one_turn(profiler, count):
    """Seconds for so many rounds of the loop of each kind."""
    seconds = {}
    for kind in KINDS:
        space = {}
        exec(kind.source, space)
        decorate, start, stop = profiler.make()
        space[kind.decorated] = decorate(space[kind.decorated])
        start()
        try:
            space["drive"](min(count, 200), perf_counter)
            seconds[kind.name] = space["drive"](count, perf_counter)
        finally:
            stop()
    require_silence()
    return seconds


def measure(profilers, rounds, count):
    """{profiler: {kind: samples}}"""
    samples = {profiler.name: {kind.name: [] for kind in KINDS} for profiler in profilers}
    gc.disable()
    for turn in range(rounds):
        for profiler in rotated(profilers, turn):
            for kind, seconds in one_turn(profiler, count).items():
                samples[profiler.name][kind].append(seconds)
        gc.collect()
    gc.enable()
    return samples


def cost(samples, count):
    """{profiler: {kind: ns that it adds to one}}"""
    base = {kind: best(several) for kind, several in samples["none"].items()}
    return {
        name: {
            kind.name: added(best(kinds[kind.name]), base[kind.name], count * kind.each * 1e-9)
            for kind in KINDS
        }
        for name, kinds in samples.items()
        if name != "none"
    }


def measure_programs(programs, profilers, rounds, deadline):
    """{program: {profiler: [{clock: seconds}]}}, {program: its functions}, and how many rounds
    there was time for."""
    found, functions = {}, {}
    for program in programs:
        words = ("-m", "harness.lining", "find", program)
        names = measured_apart(f"the hottest of {program}", *words, patience=PATIENCE)
        if names:
            functions[program] = names
            found[program] = {profiler.name: [] for profiler in profilers}
    longest = 0.0
    for turn in range(rounds):
        began = monotonic()
        if turn > 0 and began + longest > deadline:
            return found, functions, turn
        for index, (program, names) in enumerate(functions.items()):
            for profiler in rotated(profilers, turn + index):
                if turn % profiler.every:
                    continue
                what = f"{program} by line under {profiler.name}"
                words = ("-m", "harness.lining", "run", program, profiler.name, *names)
                seconds = measured_apart(what, *words, patience=PATIENCE)
                found[program][profiler.name] += [] if seconds is None else [seconds]
        longest = max(longest, monotonic() - began)
    return found, functions, rounds


def summarize(found):
    """{program: {"plain": seconds, "slowdown": {profiler: factor}, "added": {profiler: s}}}"""
    summary = {}
    for program, samples in found.items():
        seconds = {
            name: middle([one["cpu"] for one in several]) for name, several in samples.items()
        }
        plain = seconds.pop("none")
        summary[program] = {
            "plain": plain,
            "slowdown": {name: ratio(value, plain) for name, value in seconds.items()},
            "added": {name: added(value, plain) for name, value in seconds.items()},
        }
    return summary


def added_ratio(figures):
    return ratio(figures["added"].get("tracer"), figures["added"].get("line_profiler"))


def slowdown_ratio(figures):
    return ratio(figures["slowdown"].get("tracer"), figures["slowdown"].get("line_profiler"))


def goals_of(costs, summary, version):
    """The goals on this version of Python."""
    line, call, other, julia = LIMITS.get(version, LATER)
    theirs = costs.get("line_profiler", {})
    goals = []
    for kind, limit in zip(KINDS, (line, call, other), strict=True):
        measured = ratio(costs["tracer"][kind.name], theirs.get(kind.name))
        goals.append(Goal(f"added to {kind.name}: tracer / line_profiler", limit, measured))
    slower = worst([slowdown_ratio(figures) for figures in summary.values()])
    goals.append(Goal("worst slow-down: tracer / line_profiler", 1.0, slower))
    measured = added_ratio(summary["julia"]) if "julia" in summary else None
    goals.append(Goal("added to the Julia set: tracer / line_profiler", julia, measured))
    return [goal for goal in goals if goal.limit is not None]


def render_costs(costs):
    theirs = costs.get("line_profiler", {})
    rows = []
    for name, kinds in costs.items():
        row = [name, *(show(kinds[kind.name] * kind.scale) for kind in KINDS)]
        rows.append(row + [show(ratio(kinds[k.name], theirs.get(k.name)), 3) for k in KINDS])
    heads = [f"{kind.name}, {kind.unit}" for kind in KINDS]
    ratios = [f"{kind.name} / line_profiler" for kind in KINDS]
    return table(["added to", *heads, *ratios], rows)


def render_programs(summary, functions, names):
    rows = []
    for program, figures in summary.items():
        hot = ", ".join(name.rsplit(":", 1)[1] for name in functions[program])
        row = [program, show(figures["plain"])]
        row += [show(figures["slowdown"][name]) for name in names]
        rows.append([*row, show(added_ratio(figures)), hot])
    columns = [[figures["slowdown"][name] for figures in summary.values()] for name in names]
    columns.append([added_ratio(figures) for figures in summary.values()])
    for label, pick in (("median", typical), ("worst", worst)):
        rows.append([f"*{label}*", "", *(show(pick(column)) for column in columns), ""])
    heads = [*names, "added: tracer / line_profiler", "functions"]
    return table(["slow-down by line", "plain, s", *heads], rows)


def available():
    found = []
    for profiler in LINE_PROFILERS.values():
        if importlib.util.find_spec(profiler.module) is not None:
            found.append(profiler)
        else:
            complain(f"{profiler.module} is missing, its figures are left out (make bench has it)")
    return found


def options_of(arguments):
    options = parser(__doc__)
    options.add_argument("--turns", type=number(1), default=25, help="turns for the extremes (25)")
    options.add_argument("--count", type=number(10), default=5_000, help="rounds of a loop (5,000)")
    options.add_argument("--rounds", type=number(1), default=3, help="samples of a program (3)")
    options.add_argument(
        "--minutes", type=float, default=60, help="begin no round that would pass this time (60)"
    )
    options.add_argument("--quick", action="store_true", help=f"only {' '.join(QUICK)}")
    options.add_argument("--programs", nargs="*", choices=PROGRAMS, metavar="NAME")
    return options.parse_args(arguments)


def main(arguments=None):
    options = options_of(arguments)
    need_tracer()
    require_silence()
    programs = options.programs
    if programs is None:
        programs = QUICK if options.quick else PROGRAMS
    if set(programs) - {"julia"}:
        pyperformance()
    deadline = monotonic() + 60 * options.minutes
    profilers = available()
    names = [profiler.name for profiler in profilers if profiler.name != "none"]
    samples = measure(profilers, options.turns, options.count)
    costs = cost(samples, options.count)
    found, functions, rounds = measure_programs(programs, profilers, options.rounds, deadline)
    summary = summarize(found)
    fewer = [f"{one.name} in one of {one.every}" for one in profilers if one.every > 1]
    body = "{}\n\n{}\n\nMedians of {} round{}{}, by processor time.".format(
        render_costs(costs),
        render_programs(summary, functions, names),
        rounds,
        "s" if rounds > 1 else "",
        f" ({', '.join(fewer)})" if fewer and rounds > 1 else "",
    )
    data = {
        "seconds": samples,
        "added_ns": costs,
        "functions": functions,
        "samples": found,
        "rounds": rounds,
        "summary": summary,
    }
    finish("Lines", body, goals_of(costs, summary, version()), options, data)


if __name__ == "__main__":
    sys.exit(main())
