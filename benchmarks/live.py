"""--live: what it costs a program that somebody looks at it while it runs.

The program calls 60 functions along paths drawn by lot, each path equally often: few paths, which
are small to hand over, or many. It runs in three ways, in turns: under tracer plainly; with --live
while nobody looks; and with somebody who asks for the page's data as a browser does. Two figures
are compared, the best of each: the processor time of the program's process, with the thread that
hands over the snapshots; and the time that passed.

On a machine that others use, two runs of the same way differ by more than the cost that is sought.
So each run also tells the processor time of the threads beside the program's own, as a share of
that thread's processor time: nothing else can have slowed the program down.
"""

import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from harness.figures import best, middle, ratio
from harness.report import Goal, finish, need_tracer, number, parser, show, table

DEPTH = 12  # calls of a path
PAUSE = 0.5  # seconds between two requests of a page
LIMIT = 2  # percent
PROGRAM = """
import random, sys, time
chance = random.Random(1)
step = "def f{}(path, at):\\n    if at < len(path): F[path[at]](path, at + 1)\\n"
exec("".join(map(step.format, range(60))))
F = [globals()[f"f{n}"] for n in range(60)]
count, depth, calls = map(int, sys.argv[1:])
paths = [[chance.randrange(60) for _ in range(depth)] for _ in range(count)]
began, cpu, own = time.perf_counter(), time.process_time(), time.thread_time()
for _ in range(calls // (count * depth)):
    for path in paths:
        F[path[0]](path, 1)
own = time.thread_time() - own
cpu = time.process_time() - cpu
print(time.perf_counter() - began, cpu, cpu / own - 1)
"""
WAYS = {"plainly": [], "nobody looks": ["--live"], "one looks": ["--live"]}


def look(url, counted):
    """Ask for data as an open page does, until the program is over."""
    try:
        urllib.request.urlopen(f"{url}data", timeout=60).read()
        while True:
            urllib.request.urlopen(f"{url}next", timeout=60).read()
            counted.append(time.monotonic())
            time.sleep(PAUSE)
    except OSError:
        return


def run(way, program, paths, calls):
    """(seconds that passed, processor seconds, the processor time of the threads beside the
    program's as a share of that thread's, how often the page was refreshed)"""
    words = [sys.executable, "-m", "tracer", "-o", program.with_suffix(".out"), *WAYS[way]]
    words += [program, str(paths), str(DEPTH), str(calls)]
    counted = []
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        if way == "one looks":
            url = re.search(r"http://\S+", process.stderr.readline())[0]
            threading.Thread(target=look, args=(url, counted), daemon=True).start()
        passed, cpu, beside = map(float, process.communicate()[0].split())
    return passed, cpu, beside, len(counted)


def measure(program, paths, calls, rounds):
    """{way: {"passed", "cpu", "beside", "refreshes": samples}}"""
    found = {way: {"passed": [], "cpu": [], "beside": [], "refreshes": []} for way in WAYS}
    for _ in range(rounds):
        for way, samples in found.items():
            for name, value in zip(samples, run(way, program, paths, calls), strict=True):
                samples[name].append(value)
    return found


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--rounds", type=number(1), default=5, help="rounds of the three ways (5)")
    options.add_argument(
        "--calls", type=number(1), default=2 * 10**7, help="calls of each run (2e7)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    found, rows, goals = {}, [], []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        for paths in (300, 100_000):
            found[paths] = measure(program, paths, options.calls, options.rounds)
            plain = found[paths]["plainly"]
            for way, samples in found[paths].items():
                cpu = ratio(best(samples["cpu"]), best(plain["cpu"]))
                passed = ratio(best(samples["passed"]), best(plain["passed"]))
                beside = middle(samples["beside"])
                figures = [show(cpu, 3), show(passed, 3), show(100 * beside, 2)]
                refreshes = show(best(samples["refreshes"]), 0)
                rows.append([f"{paths:,} paths, {way}", *figures, refreshes])
                if way == "one looks":
                    goals.append(Goal(f"one looks at {paths:,} paths: %", LIMIT, 100 * beside))
    body = table(["", "cpu", "time passed", "beside, %", "refreshes"], rows)
    finish("Live", body, goals, options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
