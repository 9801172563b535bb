"""Figure 2, real programs: how much slower a program runs under each profiler.

Each sample is the body of one program in a fresh process of this interpreter. All profilers take
turns with each program, and the medians count. The time is the processor time of the process. On a
quiet machine that is the time on the wall, without the program's sleep; --clock wall includes it.

There are two sets of programs. Decisions about tracer were made by the first; the other tells
whether they hold elsewhere.
"""

import sys
from time import monotonic

from harness.apart import measured_apart
from harness.figures import added, middle, ratio, rotated, typical, worst
from harness.profilers import available
from harness.programs import PROGRAMS, SETS, pyperformance
from harness.report import Goal, finish, need_tracer, number, parser, show, table, version

VARIANTS = ["none", "tracer", "floor", "cProfile", "viztracer", "pyinstrument", "yappi"]
QUICK = ["raytrace", "async_tree_none", "regex_compile"]
PATIENCE = 300  # seconds for one sample
TITLES = {"first": "Real programs", "other": "Other programs"}
# added: tracer / cProfile, at most: by set, and by version where it has its own: (median, worst)
LIMITS = {
    "first": {"3.13": (0.33, 0.60)},
    "other": {"3.12": (0.45, 0.55), "3.13": (0.38, 0.45)},
}


def sample(program, profiler):
    """{clock: seconds} of one run; None where it failed."""
    what = f"{program} under {profiler}"
    return measured_apart(what, "-m", "harness.body", program, profiler, patience=PATIENCE)


def measure(programs, profilers, rounds, deadline):
    """{program: {profiler: [{clock: seconds}]}}, and how many rounds there was time for."""
    found = {program: {profiler.name: [] for profiler in profilers} for program in programs}
    longest = 0.0
    for turn in range(rounds):
        began = monotonic()
        if turn > 0 and began + longest > deadline:
            return found, turn
        for index, program in enumerate(programs):
            for profiler in rotated(profilers, turn + index):
                if turn % profiler.every == 0 and program not in profiler.spared:
                    seconds = sample(program, profiler.name)
                    found[program][profiler.name] += [] if seconds is None else [seconds]
        longest = max(longest, monotonic() - began)
    return found, rounds


def summarize(found, clock):
    """{program: {"plain": seconds, "slowdown": {profiler: factor}, "added": {profiler: s}}}"""
    summary = {}
    for program, samples in found.items():
        seconds = {
            name: middle([one[clock] for one in several]) for name, several in samples.items()
        }
        plain = seconds.pop("none")
        summary[program] = {
            "plain": plain,
            "slowdown": {name: ratio(value, plain) for name, value in seconds.items()},
            "added": {name: added(value, plain) for name, value in seconds.items()},
        }
    return summary


def ratios(summary, ours, theirs):
    """For each program, the time that `ours` adds as a ratio to what `theirs` adds."""
    return [
        ratio(figures["added"].get(ours), figures["added"].get(theirs))
        for figures in summary.values()
    ]


def render(summary, names):
    pairs = [("tracer", other) for other in ("cProfile", "floor", "viztracer") if other in names]
    columns = [ratios(summary, *pair) for pair in pairs]
    rows = []
    for index, (program, figures) in enumerate(summary.items()):
        row = [program, show(figures["plain"])]
        row += [show(figures["slowdown"][name]) for name in names]
        rows.append(row + [show(column[index]) for column in columns])
    slowdowns = [[figures["slowdown"][name] for figures in summary.values()] for name in names]
    for label, pick in (("median", typical), ("worst", worst)):
        rows.append([f"*{label}*", ""] + [show(pick(one)) for one in slowdowns + columns])
    added_heads = [f"added: {ours} / {theirs}" for ours, theirs in pairs]
    return table(["slow-down", "plain, s", *names, *added_heads], rows)


def goals_of(summary, version, chosen):
    """The goals of a set of programs on this version of Python."""
    to_cprofile, to_floor = (ratios(summary, "tracer", name) for name in ("cProfile", "floor"))
    to_viztracer = ratios(summary, "tracer", "viztracer")
    if version == "3.11":
        return [
            Goal("median added: tracer / cProfile", 0.75, typical(to_cprofile)),
            Goal("median added: tracer / viztracer", 1.0, typical(to_viztracer)),
        ]
    of_median, of_worst = LIMITS[chosen].get(version, LIMITS[chosen]["3.13"])
    goals = [
        Goal("median added: tracer / cProfile", of_median, typical(to_cprofile)),
        Goal("worst added: tracer / cProfile", of_worst, worst(to_cprofile)),
    ]
    if chosen == "other":
        return goals
    return [
        *goals,
        Goal("median added: tracer / floor", 1.25, typical(to_floor)),
        Goal("worst added: tracer / viztracer", 1.0, worst(to_viztracer)),
    ]


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=5, help="samples of each (5)")
    options.add_argument(
        "--minutes", type=float, default=60, help="begin no round that would pass this time (60)"
    )
    options.add_argument("--clock", choices=["cpu", "wall"], default="cpu")
    options.add_argument("--set", choices=SETS, default="first", help="which programs (first)")
    options.add_argument("--quick", action="store_true", help=f"only {' '.join(QUICK)}")
    options.add_argument(
        "--programs", nargs="+", choices=PROGRAMS, metavar="NAME", help="these alone, of any set"
    )
    options.add_argument("--profilers", nargs="+", choices=VARIANTS, default=VARIANTS)
    options = options.parse_args(arguments)
    need_tracer()
    programs = options.programs or (QUICK if options.quick else list(SETS[options.set]))
    if programs != ["julia"]:
        pyperformance()
    profilers = available(["none", *(name for name in options.profilers if name != "none")])
    deadline = monotonic() + 60 * options.minutes
    found, rounds = measure(programs, profilers, options.rounds, deadline)
    summary = summarize(found, options.clock)
    names = [profiler.name for profiler in profilers if profiler.name != "none"]
    fewer = [f"{one.name} in one of {one.every}" for one in profilers if one.every > 1]
    spared = [
        f"{one.name} needs minutes for {name}."
        for one in profilers
        for name in sorted(one.spared & set(programs))
    ]
    body = "{}\n\nMedians of {} round{}{}, by {} time. {}".format(
        render(summary, names),
        rounds,
        "s" if rounds > 1 else "",
        f" ({', '.join(fewer)})" if fewer else "",
        {"cpu": "processor", "wall": "wall"}[options.clock],
        " ".join(spared),
    ).rstrip()
    data = {"samples": found, "rounds": rounds, "summary": summary}
    goals = goals_of(summary, version(), options.set)
    finish(TITLES[options.set], body, goals, options, data)


if __name__ == "__main__":
    sys.exit(main())
