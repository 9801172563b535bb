"""What --slowdown costs real programs, and how far what it tells is true, beside other profilers.

Costs are of short runs without and with a profiler, in turn, in one process. Shares are of one long
run with each. The reference are the samples of a longer run without any event. A function's share
is off by so many points from its share there. The reference has an error of its own, by its number
of samples: a function is off by what is beyond that error.
"""

import os
import sys

from harness import own_sampler
from harness.apart import measured_apart
from harness.figures import Figure, middle, ratio, typical, worst
from harness.programs import PROGRAMS, SHARES, pyperformance
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table
from harness.sampling import sampler, samples_of
from harness.sharing import LARGE, LARGE_OF_LINES, held, lines_off, shares_of, worst_off

PATIENCE = 900  # seconds for one process
LIMITED = ("slowdown 10%", "slowdown 2%")
SAMPLED = ("sampler alone", *LIMITED, "slowdown 10%, 1 kHz", "lines")
OURS = (*SAMPLED, "tracer")
OTHERS = ("cProfile", "pyinstrument")
WAYS = (*OURS, *OTHERS)
# They look at the process from outside: they tell shares, and add no CPU time there.
OUTSIDE = ("py-spy", own_sampler.NAME)
OF_OTHERS = 3  # their runs are so many times shorter: they are slow, and their errors are no chance
UNLIKE = 0.1  # of the functions: where more have two numbers of calls, none is the true one
FEWER = 3  # pairs, of what adds as much as the program takes
BLOCK = 0.4  # seconds of CPU of each of a pair


def measure(programs, seconds, long, pairs):
    """{program: {way: [what a process told]}} and {program: {way: pairs of CPU seconds}}."""
    told, costs = {}, {}
    for program in programs:
        [once] = [it["cpu"] for it in runs_of(program, "plain", 1)] or [None]
        spans = {
            "reference": [long],
            **{way: [seconds] for way in OURS},
            "tracer": [seconds, seconds],  # what both count alike is the true number
            **{way: [seconds / OF_OTHERS] for way in OTHERS},
        }
        told[program], costs[program] = {way: [] for way in spans}, {}
        if once is None:
            continue
        for way, of in spans.items():
            for span in of:
                told[program][way] += runs_of(program, way, max(1, round(span / once)))
        times = max(1, round(BLOCK / once))
        costs[program] = {
            way: pairs_of(program, way, times, pairs if way in SAMPLED else -(-pairs // FEWER))
            for way in WAYS
        }
        complain(f"{program} is measured")
    return told, costs


def seen_from_outside(programs, seconds):
    """{program: {sampler: [the own shares that it has of so many seconds]}}; an empty list where
    other threads do the work, or the sampler is not here."""
    command = sampler()
    seen = {}
    for program in programs:
        found = dict.fromkeys(OUTSIDE)
        if command is not None:
            found["py-spy"] = samples_of(command, program, seconds, idle=False)
        if own_sampler.is_here():
            found[own_sampler.NAME] = own_sampler.own_samples(program, seconds)
        seen[program] = {
            name: [{"own": shares_of(own)}] if own else [] for name, own in found.items()
        }
    return seen


def runs_of(program, way, times):
    """What a fresh process tells of so many runs of the body; an empty list if it fails."""
    words = ["-m", "harness.slowed", program, way, str(times)]
    told = measured_apart(f"{program}, {way}", *words, patience=PATIENCE)
    return [] if told is None else [told]


def pairs_of(program, way, times, count):
    words = ["-m", "harness.alternating", program, way, str(times), str(count)]
    return measured_apart(f"{program}, {way}, in turn", *words, patience=PATIENCE) or []


# -- Figures ---------------------------------------------------------------------------------------


def cost(pairs) -> Figure:
    """The CPU time that a way adds, in percent of the plain time: the median of the pairs."""
    parts = [ratio(profiled, plain) for plain, profiled in pairs]
    part = typical(parts)
    return None if part is None else 100 * (part - 1)


def told_cost(runs) -> Figure:
    """What the runs themselves say that they cost, in percent."""
    return middle([100 * run["told_cost"] for run in runs])


def off(runs, way, kind):
    """By how many points the worst share of a large function is off, of each run of the program."""
    if not runs["reference"]:
        return []
    reference = runs["reference"][0]
    return [worst_off(run[kind], reference[kind], reference["size"]) for run in runs[way]]


def lines_of(runs, way):
    """The same of lines, of each large function: as parts of it."""
    if not runs["reference"]:
        return []
    reference = runs["reference"][0]
    right, size = reference["lines"], reference["size"]
    return [off for run in runs[way] for off in lines_off(run["lines"], right, size)]


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
    have two numbers for, as of threads, has no true one; and nothing has where many functions have
    two, as of sympy, whose order is that of addresses."""
    exact = wrong = partial = above = 0
    for run in runs[way]:
        full = [it["counts"] for it in runs["tracer"] if it["times"] == run["times"]]
        known = {name: {it.get(name, (0,))[0] for it in full} for name in set().union(*full)}
        unlike = sum(len(numbers) > 1 for numbers in known.values())
        if unlike > UNLIKE * len(known):
            continue
        for name, (calls, is_exact) in run["counts"].items():
            numbers = known.get(name, {0})
            if len(numbers) == 1 and numbers != {0}:
                [number] = numbers
                exact += is_exact
                wrong += is_exact and calls != number
                partial += not is_exact
                above += not is_exact and calls > number
    return exact, wrong, partial, above


def summarize(found, costs):
    summary = {}
    for program, runs in found.items():
        summary[program] = {
            "cost": {way: cost(costs[program].get(way, [])) for way in WAYS}
            | {f"told: {way}": told_cost(runs[way]) for way in LIMITED},
            "own": {way: worst(off(runs, way, "own")) for way in [*WAYS, *OUTSIDE]},
            "cumulative": {way: worst(off(runs, way, "cumulative")) for way in WAYS},
            "lines": {
                f"{way}: {what}": pick(lines_of(runs, way))
                for way in SAMPLED
                for what, pick in (("median", middle), ("worst", worst))
            },
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
        Goal("line, of its function: worst", 5, worst(of(summary, "lines", "lines: worst"))),
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

CPU time of the process, in percent of that without a profiler: the median of {pairs} pairs of runs
of {block:g} s or more; of tracer, cProfile and pyinstrument of a third as many. told: what a run of
{seconds:g} s says by itself.

{own}

{cumulative}

By how many points the function of {large:.0%} or more is off that is most off, beyond the error of
the reference: a run of {long:g} s without events. tracer's runs take {seconds:g} s without a
profiler, those of cProfile and pyinstrument a third of that. py-spy, and profiling.sampling where
Python has it, looked at another process, for {seconds:g} s. They, cProfile and pyinstrument see one
thread.

{lines}

By how many points of its function the line is off that is most off, beyond the error of the
reference: of the functions of {of_lines:.0%} or more that have three lines or more of 2%. In the
run "lines", which is slowed down by 10% at most, hits of lines are counted, too.

{counts}

exact, in part: functions of which two full recordings have the same number of calls. wrong, above:
of those, how many are told exactly with another number, and with a larger one."""


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--pairs", type=number(1), default=15, help="for each cost (15)")
    options.add_argument("--seconds", type=float, default=10, help="of each plain run (10)")
    options.add_argument("--long", type=float, default=40, help="seconds of the reference (40)")
    options.add_argument("--programs", nargs="+", choices=PROGRAMS, metavar="NAME", default=SHARES)
    options = options.parse_args(arguments)
    need_tracer()
    if any(not PROGRAMS[program].file.endswith(".py") for program in options.programs):
        pyperformance()
    os.environ["PYTHONHASHSEED"] = "0"  # sets have one order in all processes
    programs = list(options.programs)
    found, costs = measure(programs, options.seconds, options.long, options.pairs)
    for program, seen in seen_from_outside(programs, options.seconds).items():
        found[program] |= seen
    summary = summarize(found, costs)
    body = BODY.format(
        cost=render(summary, "cost", "CPU added, %"),
        own=render(summary, "own", "own share, points off"),
        cumulative=render(summary, "cumulative", "cumulative share, points off"),
        lines=render(summary, "lines", "line of a function, points off"),
        of_lines=LARGE_OF_LINES,
        counts=render_counts(summary),
        pairs=options.pairs,
        block=BLOCK,
        seconds=options.seconds,
        long=options.long,
        large=LARGE,
    )
    finish("Slow-down", body, goals_of(summary), options, {"summary": summary, "costs": costs})


if __name__ == "__main__":
    sys.exit(main())
