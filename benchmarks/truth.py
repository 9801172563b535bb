"""The truth of real programs: what tracer tells of them, beside what is known without tracer.

tracer's total time, compensated and raw, stands beside the time of the body in processes without a
profiler. tracer's order of the heaviest functions, as measured, stands beside that of a sampler
(py-spy) that looks at another process from outside. slowdown.py tells of shares.

Profilers tell wall time. The time in which their process did not run, because it waited or was
disturbed, is known, and is subtracted from their totals. The rest can be compared with the
processor time of the plain body.
"""

import os
import sys
from time import monotonic

from harness.apart import measured_apart
from harness.figures import added, best, middle, percent_off, rotated, typical, worst
from harness.programs import PROGRAMS, SETS, pyperformance
from harness.ranking import ENOUGH, compare, heaviest
from harness.report import Goal, finish, need_tracer, number, parser, show, table
from harness.sampling import sampler, samples_of
from harness.weighed import WAYS

PATIENCE = 300  # seconds for one sample
# Whose seconds of functions are compared, and which way of running has them in its samples.
TELLERS = {"compensated": "tracer", "raw": "tracer", "cProfile": "cProfile"}
ORDERED = ("raw", "cProfile")
EVENTS = {
    "function": "Python",
    "init": "__init__",
    "builtin": "builtin",
    "method": "method",
    "resume": "resume",
}


# -- Measuring -------------------------------------------------------------------------------------


def measure(programs, rounds, deadline):
    """{program: {way: [what a process told]}}, and how many rounds there was time for. cProfile
    takes part in the first round only."""
    found = {program: {way: [] for way in WAYS} for program in programs}
    longest = 0.0
    for turn in range(rounds):
        began = monotonic()
        if turn > 0 and began + longest > deadline:
            return found, turn
        for index, program in enumerate(programs):
            for way in rotated(list(WAYS), turn + index):
                if way != "cProfile" or turn == 0:
                    words = ["-m", "harness.weighed", program, way]
                    told = measured_apart(f"{program}, {way}", *words, patience=PATIENCE)
                    found[program][way] += [] if told is None else [told]
        longest = max(longest, monotonic() - began)
    return found, rounds


# -- Figures ---------------------------------------------------------------------------------------


def waited(run):
    """The seconds in which the process did not run."""
    return run["wall"] - run["cpu"]


def quickest(runs):
    """The run that was disturbed least; None: there is none. What else the machine does only adds
    time. The run is chosen by the time that it took, not by what a profiler told of it."""
    return min(runs, key=lambda run: run["cpu"], default=None)


def total(runs, teller):
    """The total that the teller tells, less the seconds in which the process did not run."""
    run = quickest(runs[TELLERS[teller]])
    return None if run is None else run[teller]["total"] - waited(run)


def totals(runs):
    """The processor seconds of the plain body, and by how many percent each total is off. The
    compensated total is also compared with the plain seconds on the wall."""
    plain, wall = (best([run[clock] for run in runs["plain"]]) for clock in ("cpu", "wall"))
    traced = quickest(runs["tracer"])
    told = None if traced is None else traced["compensated"]["total"]
    parts = {
        way: [100 * waited(run) / run["wall"] for run in several] for way, several in runs.items()
    }
    return {
        "plain": plain,
        "off": {teller: percent_off(total(runs, teller), plain) for teller in TELLERS},
        "off by the wall": percent_off(told, wall),
        "waited": {way: middle(several) for way, several in parts.items()},
    }


def features(runs):
    """What may explain why a compensated total is off. Three figures are seconds an event: what
    was taken out, what would have been right, and what the functions did not have. The calibrated
    figures are the seconds of a Python call by the calibration: of the first call, and of later
    ones."""
    if not runs["tracer"]:
        return None
    events, tree = (runs["tracer"][-1][name] for name in ("events", "tree"))
    count = sum(events.values())
    plain = best([run["cpu"] for run in runs["plain"]])
    found, kept = quickest(runs["tracer"])["taken_out"]
    return {
        "events": count,
        "parts": {kind: 100 * number / count for kind, number in events.items()},
        "tree": tree,
        "taken out": (found - kept) / count,
        "right": added(total(runs, "raw"), plain, count),
        "not there": kept / count,
        "calibrated": [sum(pair) for pair in quickest(runs["tracer"])["costs"]["function"]],
    }


def own_seconds(told):
    """Of each function, the median over several runs of its own seconds."""
    functions = {function for one in told for function in one["own"]}
    return {
        function: middle([one["own"].get(function, 0.0) for one in told]) for function in functions
    }


def orders(runs, samples):
    """{teller: how its order compares with that of the samples}; None for a teller without runs."""
    found = {}
    for name in ORDERED:
        told = [run[name] for run in runs[TELLERS[name]]]
        found[name] = compare(samples, own_seconds(told)) if told and samples else None
    return found


def summarize(found, samples):
    return {
        program: {
            "totals": totals(runs),
            "features": features(runs),
            "orders": orders(runs, samples.get(program)),
        }
        for program, runs in found.items()
    }


def errors(summary, name):
    """Of each program, by how many percent a total is off, up or down."""
    found = [figures["totals"]["off"][name] for figures in summary.values()]
    return [None if percent is None else abs(percent) for percent in found]


def of_orders(summary, name, figure):
    told = [figures["orders"][name] for figures in summary.values()]
    return [None if one is None else one[figure] for one in told]


def goals_of(summary):
    found = errors(summary, "compensated")
    return [
        Goal("compensated total, % off: median", 8, typical(found)),
        Goal("compensated total, % off: worst", 20, worst(found)),
    ]


# -- Telling ---------------------------------------------------------------------------------------


def signed(percent):
    return "-" if percent is None else f"{percent:+.1f}"


def render_totals(summary):
    rows = []
    for program, figures in summary.items():
        of = figures["totals"]
        row = [program, show(of["plain"])] + [signed(of["off"][name]) for name in TELLERS]
        row.append(signed(of["off by the wall"]))
        rows.append(row + [show(of["waited"][way], 0) for way in WAYS])
    for label, pick in (("median", typical), ("worst", worst)):
        cells = [show(pick(errors(summary, name)), 1) for name in TELLERS]
        rows.append([f"*{label}, up or down*", "", *cells, "", *("" for _ in WAYS)])
    heads = ["plain, s", *TELLERS, "compensated, by the wall"]
    return table(["total, % off", *heads, *(f"waited, %: {way}" for way in WAYS)], rows)


def render_features(summary):
    rows = []
    for program, figures in summary.items():
        of = figures["features"]
        if of is not None:
            row = [program, show(of["events"] / 1e6)]
            row += [show(of["parts"][kind], 0) for kind in EVENTS]
            row.append(show(of["tree"] / 1e6))
            each = [of[name] for name in ("taken out", "right", "not there")] + of["calibrated"]
            rows.append(row + ["-" if one is None else show(1e9 * one, 1) for one in each])
    heads = ["calls, resumes", "millions", *(f"{name}, %" for name in EVENTS.values())]
    heads += ["tree, MB", "taken out, ns each", "right", "not there", "calibrated: first", "again"]
    return table(heads, rows)


def render_orders(summary, samples):
    rows = []
    for program, figures in summary.items():
        of = figures["orders"]
        row = [program]
        row.append(f"{sum(samples[program].values()):,}" if samples.get(program) else "-")
        for told in of.values():
            row.append("-" if told is None else f"{told['same']} of {told['of']}")
        for told in of.values():
            row.append(show(told and told["correlation"]))
        for told in of.values():
            row.append("-" if told is None else f"{told['swapped']}")
        rows.append(row)
    row = ["*median*", "", *("" for _ in ORDERED)]
    row += [show(typical(of_orders(summary, name, "correlation"))) for name in ORDERED]
    row += [show(typical(of_orders(summary, name, "swapped")), 0) for name in ORDERED]
    rows.append(row)
    heads = [f"{what}: {name}" for what in ("same", "correlation", "swapped") for name in ORDERED]
    return table(["heaviest functions", "samples", *heads], rows)


def shortened(found, samples):
    """The samples for the JSON file: only functions that are among the heaviest somewhere."""
    for program, runs in found.items():
        told = [run[name] for name, way in TELLERS.items() for run in runs[way]]
        chosen = [one["own"] for one in told] + [samples.get(program) or {}]
        kept = {function for figures in chosen for function in heaviest(figures, 15)}
        for one in told:
            one["own"] = {name: value for name, value in one["own"].items() if name in kept}
    return found


BODY = """{totals}

The quickest of {rounds} runs each (of cProfile one), without the garbage collector. Times are
processor time, but where it says *by the wall*. *waited*: the part of the time on the wall in which
a process did not run, the median.

{features}

The times are for one call or resume. *taken out*: what compensation took out. *right*: what would
have given the total of the plain run. *not there*: what compensation would also have taken out, but
the functions did not have it. *calibrated*: what a Python call costs by the calibration, for the
first call of a caller and for later ones.

{orders}

Functions are ordered by their own time, with that of the C functions that they call. The sampler
looked for {seconds:g} s. *same*: how many of the sampler's ten heaviest functions (fewer, where
fewer have {enough} samples) are among the heaviest here. *correlation*: Spearman's. *swapped*:
pairs in another order than the sampler's, where chance does not explain that."""


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=5, help="samples of each (5)")
    options.add_argument(
        "--minutes", type=float, default=60, help="begin no round that would pass this time (60)"
    )
    options.add_argument("--seconds", type=float, default=3, help="seconds under the sampler (3)")
    options.add_argument("--set", choices=SETS, default="first", help="which programs (first)")
    options.add_argument(
        "--programs", nargs="+", choices=PROGRAMS, metavar="NAME", help="these alone, of any set"
    )
    options = options.parse_args(arguments)
    need_tracer()
    programs = options.programs or list(SETS[options.set])
    if programs != ["julia"]:
        pyperformance()
    deadline = monotonic() + 60 * options.minutes
    os.environ["PYTHONHASHSEED"] = "0"  # sets have one order in all processes
    command = sampler()
    samples = {}
    for program in programs if command else []:
        samples[program] = samples_of(command, program, options.seconds)
    found, rounds = measure(programs, options.rounds, deadline)
    summary = summarize(found, samples)
    body = BODY.format(
        totals=render_totals(summary),
        features=render_features(summary),
        orders=render_orders(summary, samples),
        rounds=rounds,
        seconds=options.seconds,
        enough=ENOUGH,
    )
    data = {"samples": shortened(found, samples), "seen": samples}
    data |= {"rounds": rounds, "summary": summary}
    finish("Truth", body, goals_of(summary), options, data)


if __name__ == "__main__":
    sys.exit(main())
