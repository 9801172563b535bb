"""Function bias: how much too heavy does a profiler make the work that many small calls do?

A program does the same work twice, once inline and once by calling a small function for each step.
Each half is timed alone, without a profiler: so the true share of the second half is known. The
bias is the share that a profiler gives this half, less the true share, in points (hundredths of the
whole). slowdown.py tells what samples give.
"""

import gc
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter

from harness.figures import best, middle, worst
from harness.report import finish, need_tracer, number, parser, show, table

SHARES = [10, 25, 50, 75, 90]
# Steps of arithmetic in the small function: about 50 ns to 10 us.
STEPS = [1, 3, 8, 40, 400]


def source(steps):
    """The source of both halves, inline() and through(). The function that through() calls is
    written in Python; with no steps, it is abs()."""
    if steps == 0:
        inline, step, small = "y = x if x >= 0 else -x", "y = abs(x)", ""
    else:
        work = "; ".join(["x = x * 3 % 1009"] * steps)
        inline, step, small = work, "x = small(x)", f"def small(x):\n    {work}\n    return x\n"
    return small + "".join(
        f"def {name}(n):\n    x = 1\n    for _ in range(n): {line}\n"
        for name, line in (("inline", inline), ("through", step))
    )


def halves(steps):
    """inline and through, compiled afresh: their code holds nothing that the interpreter learnt
    under another profiler."""
    space = {}
    exec(source(steps), space)
    return space["inline"], space["through"]


def seconds_of(function, count, rounds):
    function(100)
    samples = []
    for _ in range(rounds):
        began = perf_counter()
        function(count)
        samples.append(perf_counter() - began)
    return best(samples)


# -- The profilers: each gives the cumulative seconds of two functions by their names --------------


def of_stats(stats, *names):
    found = {label[2]: row[3] for label, row in stats.items()}
    return [found[name] for name in names]


def tracer(body):
    from tracer import Profile, Stats

    with Profile() as profile:
        body()
    return of_stats(Stats(profile).stats, "inline", "through")


def cprofile(body):
    from cProfile import Profile
    from pstats import Stats

    with Profile() as profile:
        body()
    return of_stats(Stats(profile).stats, "inline", "through")


def yappi(body):
    import yappi

    yappi.set_clock_type("wall")
    yappi.clear_stats()
    yappi.start(builtins=True)
    body()
    yappi.stop()
    found = {stat.name: stat.ttot for stat in yappi.get_func_stats()}
    return found["inline"], found["through"]


PROFILERS: dict[str, Callable] = {
    "tracer": tracer,
    "cProfile": cprofile,
    "yappi": yappi,
}


# -- The experiment --------------------------------------------------------------------------------


@dataclass
class Work:
    steps: int
    inline: float  # seconds a step, done inline
    through: float  # seconds a step, done by a call

    @property
    def name(self):
        return f"{1e9 * self.inline:,.0f} ns" if self.steps else "abs()"


def weigh(steps, rounds):
    inline, through = halves(steps)
    count = 20_000 if steps < 100 else 500
    return Work(steps, *(seconds_of(half, count, rounds) / count for half in (inline, through)))


def bias(work, share, run, seconds, rounds):
    """Points by which the share that the profiler gives is too large: the median of the rounds."""
    samples = []
    for _ in range(rounds):
        inline, through = halves(work.steps)
        counts = (
            int(seconds * (1 - share / 100) / work.inline),
            int(seconds * share / 100 / work.through),
        )
        true = [
            seconds_of(half, count, 3)
            for half, count in zip(halves(work.steps), counts, strict=True)
        ]

        def body(inline=inline, through=through, counts=counts):
            inline(counts[0])
            through(counts[1])

        told = run(body)
        samples.append(100 * (told[1] / sum(told) - true[1] / sum(true)))
    return middle(samples)


def available():
    names = []
    for name, run in PROFILERS.items():
        try:
            run(lambda: [half(10) for half in halves(1)])
        except ImportError:
            print(f"benchmarks: {name} is not installed: left out", file=sys.stderr)
        else:
            names.append(name)
    return names


def render(works, found, names):
    rows = []
    for work in works:
        row = [work.name, show(1e9 * work.through, 0)]
        rows.append(row + [show(worst([abs(p) for p in found[name][work.name]])) for name in names])
    return table(["a step", "by a call, ns", *names], rows)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=3, help="runs of each (3)")
    options.add_argument("--seconds", type=float, default=0.03, help="length of a plain run (0.03)")
    options = options.parse_args(arguments)
    need_tracer()
    names = available()
    gc.disable()
    works = [weigh(steps, 5) for steps in [0, *STEPS]]
    found = {
        name: {
            work.name: [
                bias(work, share, PROFILERS[name], options.seconds, options.rounds)
                for share in SHARES
            ]
            for work in works
        }
        for name in names
    }
    body = "{}\n\nThe largest error in points, of true shares of {} %.".format(
        render(works, found, names), ", ".join(map(str, SHARES))
    )
    finish("Function bias", body, [], options, found)


if __name__ == "__main__":
    sys.exit(main())
