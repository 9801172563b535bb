"""What steps cost: nanoseconds and instructions of a step that is not recorded, and what a loop
of a million steps keeps that is recorded a hundred times.

Each loop is compared with the same loop without a profiler. Instructions are counted by callgrind,
on loops of two lengths, whose difference has no start in it. `make bench-steps` calls this script.
"""

import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from harness.figures import best
from harness.instructions import bare_environment, instructions
from harness.report import Goal, finish, need_tracer, number, parser, show, table

STEPS = 1_000_000
COUNTED = 1_000, 11_000  # steps under callgrind
NANOSECONDS, INSTRUCTIONS = 1000, 1000  # at most, a step
COLUMN = 8  # bytes a step, in a list whose room doubles
KEPT = 4  # at most, MiB beyond the list of steps

# A step of each way; the loop around it is the same.
WAYS = {
    "between cycles": ("schedule=tracer.schedule(skip_first=10**12)", "data", "step(32)"),
    "timer only": ("timer_only=True", "data", "step(32)"),
    "timer only, with loader()": ("timer_only=True", "profiler.loader(data)", "step(32)"),
}
PLAIN = ("timer_only=True", "data", "pass")
PROGRAM = """
import sys, time
import tracer
profiler = tracer.StepProfiler({options})
data, step = range(int(sys.argv[1])), profiler.step
with profiler:
    began = time.perf_counter()
    for item in {data}:
        {step}
    print(time.perf_counter() - began)
"""
# A loop of calls, of a function of each kind; the command counts them as steps, and records none.
FUNCTION = """
import asyncio, sys, time
class Trainer:
    def method(self, item): pass
def function(item): pass
def generator(item): yield item
async def coroutine(item): pass

async def loop(step, data):
    for item in data:
        await step(item)

def run(kind, data):
    if kind == "coroutine":
        return asyncio.run(loop(coroutine, data))
    step = Trainer().method if kind == "Trainer.method" else globals()[kind]
    if kind == "generator":
        for item in data:
            for _ in step(item): pass
    else:
        for item in data:
            step(item)

data = range(int(sys.argv[2]))
began = time.perf_counter()
run(sys.argv[1], data)
print(time.perf_counter() - began)
"""
KINDS = ("function", "Trainer.method", "generator", "coroutine")
# The steps and the cycles of argv: the peak of memory once a cycle is over, and at the end.
LONG = """
import resource, sys
import tracer

steps, cycles = map(int, sys.argv[1:])

def work():
    return sum(map(abs, range(20)))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

active = 5
schedule = tracer.schedule(wait=steps // cycles - active - 1, warmup=1, active=active)
profiler = tracer.StepProfiler(schedule, on_ready=lambda profiler: profiler.stats)
with profiler:
    for number in range(steps):
        work()
        profiler.step()
        if number == steps // cycles:
            first = peak()
print(first, peak())
"""


def program(way: tuple[str, str, str]) -> str:
    options, data, step = way
    return PROGRAM.format(options=options, data=data, step=step)


def run(code: str, *words: int) -> list[float]:
    command = [sys.executable, "-c", code, *map(str, words)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [float(word) for word in done.stdout.split()]


def command(file: Path, kind: str, steps: int, counts: bool) -> list[str | Path]:
    """The words that run FUNCTION, under the command where its calls are counted."""
    never = ("--steps", "skip_first=1000000000", "--step-function", kind)
    words = ["-m", "tracer", *never, "-o", "/dev/null"] if counts else []
    return [sys.executable, *words, file, kind, str(steps)]


def of_calls(rounds: int) -> tuple[dict[str, float], dict[str, float]]:
    """The nanoseconds and the instructions that a call adds, by the kind of the function."""
    times: dict[str, float] = {}
    counts: dict[str, float] = {}
    few, many = COUNTED
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "loop.py")
        file.write_text(FUNCTION)
        options = {"cwd": folder, "env": bare_environment()}

        def seconds(kind: str, counts: bool) -> float:
            words = command(file, kind, STEPS, counts)
            done = subprocess.run(words, check=True, capture_output=True, text=True, **options)
            return float(done.stdout)

        def instructions_of(kind: str, counts: bool) -> float:
            both = [instructions(command(file, kind, it, counts), **options) for it in COUNTED]
            return (both[1] - both[0]) / (many - few)

        for kind in KINDS:
            both = [(seconds(kind, True), seconds(kind, False)) for _ in range(rounds)]
            counted, plain = zip(*both, strict=True)
            times[kind] = (best(counted) - best(plain)) / STEPS * 1e9
            counts[kind] = instructions_of(kind, True) - instructions_of(kind, False)
    return times, counts


def nanoseconds(rounds: int) -> dict[str, float]:
    """What a step adds, by way: the best of each, in turns."""
    ways = {"plain": PLAIN, **WAYS}
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            times[name] += run(program(way), STEPS)
    plain = best(times.pop("plain"))
    return {name: (best(found) - plain) / STEPS * 1e9 for name, found in times.items()}


def counted() -> dict[str, float]:
    """The instructions that a step adds, by way."""
    few, many = COUNTED
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "loop.py")
        options = {"cwd": folder, "env": bare_environment()}

        def count(way: tuple[str, str, str]) -> float:
            file.write_text(program(way))
            subprocess.run([sys.executable, file, "1"], check=True, capture_output=True, **options)
            counts = [instructions([sys.executable, file, str(it)], **options) for it in COUNTED]
            return (counts[1] - counts[0]) / (many - few)

        plain = count(PLAIN)
        return {name: count(way) - plain for name, way in WAYS.items()}


def main() -> int:
    words = parser(__doc__)
    words.add_argument("--rounds", type=number(1), default=5, help="runs of each way (5)")
    options = words.parse_args()
    need_tracer()
    times, counts = nanoseconds(options.rounds), counted()
    call_times, call_counts = of_calls(options.rounds)
    began = perf_counter()
    first, last = run(LONG, STEPS, 100)
    kept = (last - first) / 1024 - STEPS * COLUMN / 2**20
    rows = [[name, show(times[name], 0), show(counts[name], 0)] for name in WAYS]
    rows += [
        [f"--step-function, {kind}", show(call_times[kind], 0), show(call_counts[kind], 0)]
        for kind in KINDS
    ]
    told = table(["a step that is not recorded", "ns", "instructions"], rows)
    told += (
        f"\n\n{STEPS:,} steps, 100 cycles, in {perf_counter() - began:.0f} s: a peak of "
        f"{first / 1024:.1f} MiB after the first cycle, of {last / 1024:.1f} MiB at the end"
    )
    goals = [
        Goal("a step between cycles, ns", NANOSECONDS, times["between cycles"]),
        Goal("a step with timer_only, ns", NANOSECONDS, times["timer only"]),
        Goal("a step between cycles, instructions", INSTRUCTIONS, counts["between cycles"]),
        Goal("a call of --step-function, ns", NANOSECONDS, call_times["function"]),
        Goal("a call of --step-function, instructions", INSTRUCTIONS, call_counts["function"]),
        Goal("kept beyond one cycle and the list of steps, MiB", KEPT, kept),
    ]
    times |= {f"--step-function, {kind}": call_times[kind] for kind in KINDS}
    counts |= {f"--step-function, {kind}": call_counts[kind] for kind in KINDS}
    found = {"ns": times, "instructions": counts, "peaks": [first, last]}
    finish("Steps", told, goals, options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
