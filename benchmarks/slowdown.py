"""What --slowdown costs real programs, and how far what it tells is true, beside other profilers.

The reference are the samples of a long run without any event. A function's share is off by so many
points from its share there. The reference has an error of its own, by its number of samples: a
function is off by what is beyond that error.
"""

import os
import sys
from time import monotonic

from harness.apart import measured_apart
from harness.figures import added, best, ratio, rotated, typical, worst
from harness.programs import PROGRAMS, SHARES, pyperformance
from harness.report import Goal, finish, need_tracer, number, parser, show, table
from harness.sampling import sampler, samples_of
from harness.sharing import LARGE, held, shares_of, worst_off
from harness.slowed import WAYS

PATIENCE = 900  # seconds for one sample
LIMITED = ("slowdown 10%", "slowdown 2%")
TIMED = (
    *("plain", "sampler alone", *LIMITED, "slowdown 10%, 1 kHz"),
    *("tracer", "cProfile", "pyinstrument"),
)
TOLD = [way for way in TIMED if way != "plain"]
OUTSIDE = "py-spy"  # looks at the process from outside: it tells shares, and adds no CPU time there


def measure(programs, rounds, seconds, long, deadline):
    """{program: {way: [what a process told]}}, and how many rounds there was time for."""
    found = {program: {way: [] for way in WAYS} for program in programs}
    once = {program: per_run(runs_of(program, "plain", 1)) for program in programs}
    for turn in range(rounds):
        for index, program in enumerate(programs):
            if turn > 0 and monotonic() > deadline:
                return found, turn
            ways = rotated(list(TIMED), turn + index) + (["reference"] if turn == 0 else [])
            for way in ways if once[program] else ():
                span = long if way == "reference" else seconds
                found[program][way] += runs_of(program, way, max(1, round(span / once[program])))
    return found, rounds


def seen_from_outside(programs, seconds):
    """{program: [the own shares that py-spy has of so many seconds]}; an empty list where other
    threads do the work."""
    command = sampler()
    seen = {
        it: samples_of(command, it, seconds, idle=False) if command else None for it in programs
    }
    return {it: [{"own": shares_of(own)}] if own else [] for it, own in seen.items()}


def runs_of(program, way, times):
    """What a fresh process tells of so many runs of the body; an empty list if it fails."""
    words = ["-m", "harness.slowed", program, way, str(times)]
    told = measured_apart(f"{program}, {way}", *words, patience=PATIENCE)
    return [] if told is None else [told]


# -- Figures ---------------------------------------------------------------------------------------


def per_run(runs):
    """The least CPU time of one run of the body."""
    return best([run["cpu"] / run["times"] for run in runs])


def cost(runs, way):
    """The CPU time that a way adds, in percent of the plain run."""
    plain = per_run(runs["plain"])
    part = ratio(added(per_run(runs[way]), plain), plain)
    return None if part is None else 100 * part


def off(runs, way, kind):
    """By how many points the worst share of a large function is off, of each run of the program."""
    if not runs["reference"]:
        return []
    reference = runs["reference"][0]
    return [worst_off(run[kind], reference[kind], reference["size"]) for run in runs[way]]


def held_of(runs, way):
    """(How many of the told errors hold, of how many)."""
    if not runs["reference"]:
        return 0, 0
    right, size = (runs["reference"][0][it] for it in ("own", "size"))
    pairs = [held(run["own"], run["errors"], 1 / run["size"], right, size) for run in runs[way]]
    return tuple(map(sum, zip(*pairs, strict=True))) if pairs else (0, 0)


def counted(runs, way):
    """Of a run with counts: (functions told exactly, those of them that full recording has another
    number for, at least so many, those of them above the true number). What two full recordings
    have two numbers for, as of threads, has no true one."""
    exact = wrong = partial = above = 0
    for run in runs[way]:
        full = [it["counts"] for it in runs["tracer"] if it["times"] == run["times"]]
        for name, (calls, is_exact) in run["counts"].items():
            numbers = {counts.get(name, (0,))[0] for counts in full}
            if len(numbers) == 1 and numbers != {0}:
                [number] = numbers
                exact += is_exact
                wrong += is_exact and calls != number
                partial += not is_exact
                above += not is_exact and calls > number
    return exact, wrong, partial, above


def summarize(found):
    summary = {}
    for program, runs in found.items():
        summary[program] = {
            "cost": {way: cost(runs, way) for way in TOLD},
            "own": {way: worst(off(runs, way, "own")) for way in [*TOLD, OUTSIDE]},
            "cumulative": {way: worst(off(runs, way, "cumulative")) for way in TOLD},
            "held": {way: held_of(runs, way) for way in LIMITED},
            "counted": {way: counted(runs, way) for way in LIMITED},
        }
    return summary


def of(summary, what, way):
    return [figures[what][way] for figures in summary.values()]


def part_held(summary):
    pairs = [pair for way in LIMITED for pair in of(summary, "held", way)]
    count = sum(of for _, of in pairs)
    return 100 * (1 - sum(holds for holds, _ in pairs) / count) if count else None


def goals_of(summary):
    ten, two = LIMITED
    counts = [it for way in LIMITED for it in of(summary, "counted", way)]
    return [
        Goal("CPU added at 10%: worst", 10, worst(of(summary, "cost", ten))),
        Goal("CPU added at 2%: worst", 3, worst(of(summary, "cost", two))),
        Goal("own share at 10%, points off: median", 1.5, typical(of(summary, "own", ten))),
        Goal("own share at 10%, points off: worst", 3.5, worst(of(summary, "own", ten))),
        Goal("cumulative share: median", 1.5, typical(of(summary, "cumulative", ten))),
        Goal("cumulative share: worst", 3.5, worst(of(summary, "cumulative", ten))),
        Goal("own share at 1 kHz: worst", 2.5, worst(of(summary, "own", "slowdown 10%, 1 kHz"))),
        Goal("errors that do not hold, %", 5, part_held(summary)),
        Goal("exact counts that are wrong", 0, float(sum(it[1] for it in counts))),
        Goal("counts above the true number", 0, float(sum(it[3] for it in counts))),
    ]


# -- Telling ---------------------------------------------------------------------------------------


def render(summary, what, head):
    ways = list(next(iter(summary.values()))[what])
    rows = [
        [program, *(show(figures[what][way], 1) for way in ways)]
        for program, figures in summary.items()
    ]
    for label, pick in (("median", typical), ("worst", worst)):
        rows.append([f"*{label}*", *(show(pick(of(summary, what, way)), 1) for way in ways)])
    return table([head, *ways], rows)


def render_counts(summary):
    rows = []
    for program, figures in summary.items():
        cells = []
        for way in LIMITED:
            exact, wrong, partial, above = figures["counted"][way]
            cells += [f"{exact}", f"{wrong}", f"{partial}", f"{above}"]
        rows.append([program, *cells])
    heads = [f"{way}: {what}" for way in LIMITED for what in ("exact", "wrong", "in part", "above")]
    return table(["functions counted", *heads], rows)


BODY = """{cost}

CPU time of the process, the least of {rounds} runs of {seconds:g} s each, in percent of the plain
run's.

{own}

{cumulative}

By how many points the function of {large:.0%} or more is off that is most off, beyond the error of
the reference: a run of {long:g} s without events. py-spy looked at another process, for {seconds:g}
s.

{counts}"""


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=3, help="samples of each (3)")
    options.add_argument("--seconds", type=float, default=10, help="of each plain run (10)")
    options.add_argument("--long", type=float, default=40, help="seconds of the reference (40)")
    options.add_argument(
        "--minutes", type=float, default=120, help="begin no program after this, but once (120)"
    )
    options.add_argument("--programs", nargs="+", choices=PROGRAMS, metavar="NAME", default=SHARES)
    options = options.parse_args(arguments)
    need_tracer()
    if any(not PROGRAMS[program].file.endswith(".py") for program in options.programs):
        pyperformance()
    os.environ["PYTHONHASHSEED"] = "0"  # sets have one order in all processes
    deadline = monotonic() + 60 * options.minutes
    found, rounds = measure(
        list(options.programs), options.rounds, options.seconds, options.long, deadline
    )
    for program, seen in seen_from_outside(options.programs, options.seconds).items():
        found[program][OUTSIDE] = seen
    summary = summarize(found)
    body = BODY.format(
        cost=render(summary, "cost", "CPU added, %"),
        own=render(summary, "own", "own share, points off"),
        cumulative=render(summary, "cumulative", "cumulative share, points off"),
        counts=render_counts(summary),
        rounds=rounds,
        seconds=options.seconds,
        long=options.long,
        large=LARGE,
    )
    finish("Slow-down", body, goals_of(summary), options, {"summary": summary, "rounds": rounds})


if __name__ == "__main__":
    sys.exit(main())
