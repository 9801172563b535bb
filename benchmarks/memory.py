"""What recording memory costs, beside tracemalloc and memray, and how right its figures are.

The time of a program's body is a ratio to the time without a profiler. The profilers take turns in
one process, memray in another that has a plain run of its own; the best turn counts. Then how many
allocations are counted, beside a count without events of calls; the peak, beside memray's records;
the resident memory that a live block takes; and what a loop of a function adds whose lines are
weighed, beside memory_profiler.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.apart import measured_apart
from harness.figures import added, best, percent_off, ratio, typical, worst
from harness.programs import PROGRAMS, pyperformance
from harness.remembered import MIXED
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table, version

CHOSEN = [
    *("deepcopy", "json_dumps", "pickle_pure_python", "tomllib"),
    *("docutils", "sympy", "heap", "arrays"),
]
QUICK = ["json_dumps", "heap"]
# Whose bodies import nothing, and hold enough that a few blocks of an interpreter's do not matter.
PEAKS = ["tomllib", "heap", "arrays"]
NOT_COUNTED = ["arrays"]  # what counts beside tracer sees no arrays
PLAIN, CALLS, MEMORY = "none", "tracer", "tracer memory"
TRACEMALLOC, MEMRAY, MEMRAY_PYTHON = "tracemalloc", "memray", "memray Python"
# Those of one process, each beside plain runs there.
GROUPS = ((PLAIN, CALLS, MEMORY, TRACEMALLOC), (PLAIN, MEMRAY, MEMRAY_PYTHON))
SHOWN = (CALLS, MEMORY, TRACEMALLOC, MEMRAY, MEMRAY_PYTHON)
# Of live blocks, bytes; the first are heap.py's. Those of 112 take most (ext/core/heap/blocks.h).
SIZES = [MIXED, 48, 112, 200, 500, 2000]
PATIENCE = 600  # seconds for one process
MARKED = Path(__file__).with_name("programs") / "marked.py"
# How the loop is run: by the words behind `python`.
WAYS = {
    "plain": (),
    "tracer": ("-m", "tracer", "--memory", "--lines", "-o", "{folder}/profile.out"),
    "memory_profiler": ("-m", "memory_profiler"),
}

# At most: see README.md
TO_TRACEMALLOC, TO_MEMRAY_PYTHON, TO_MEMRAY = 1.0, 0.8, 1.2
ALONE, ALONE_MEDIAN = 0.45, 0.25
TO_MEMORY_PROFILER = 0.05
COUNT_OFF, PEAK_OFF = 2.0, 1.0  # percent
A_BLOCK = 32.0  # bytes


def apart(what, *words):
    return measured_apart(what, "-m", "harness.remembered", *map(str, words), patience=PATIENCE)


# -- Programs --


def measure_times(program, turns):
    """{profiler: [seconds]}, plain runs by group: "none 0", "none 1"."""
    found = {}
    for number_, group in enumerate(GROUPS):
        what = f"{program} under {', '.join(group[1:])}"
        seconds = apart(what, "times", program, turns, *group) or {}
        found |= {f"{name} {number_}" if name == PLAIN else name: s for name, s in seconds.items()}
    return found


def summarize(samples):
    """{program: {"plain": seconds, "slowdown": {profiler: factor}, "alone": what memory adds to
    calls, as a part of the plain time}}"""
    summary = {}
    for program, seconds in samples.items():
        found = {name: best(several) for name, several in seconds.items()}
        plain = [found.get(f"{PLAIN} {number_}") for number_ in range(len(GROUPS))]
        slowdown = {
            name: ratio(found.get(name), base)
            for base, group in zip(plain, GROUPS, strict=True)
            for name in group[1:]
        }
        alone = added(slowdown[MEMORY], slowdown[CALLS])
        summary[program] = {"plain": plain[0], "slowdown": slowdown, "alone": alone}
    return summary


def to(summary, other):
    """For each program, its slow-down with calls and memory as a ratio to that of another."""
    both = [one["slowdown"] for one in summary.values()]
    return [ratio(one[MEMORY], one.get(other)) for one in both]


def measure_counts(programs):
    """{program: {"bare": allocations, "tracer": ..}}"""
    return {program: apart(f"allocations of {program}", "counts", program) for program in programs}


def measure_peaks(programs):
    """{program: {"tracer": bytes, "memray": bytes}}"""
    has_memray = importlib.util.find_spec("memray") is not None
    profilers = ["tracer", "memray"] if has_memray else ["tracer"]
    return {
        program: {
            name: apart(f"the peak of {program} by {name}", "peak", program, name)
            for name in profilers
        }
        for program in programs
    }


# -- Blocks, lines --


def measure_blocks(sizes, rounds):
    """{size of a block: the resident bytes that it takes for tracer}"""
    found = {}
    for size in sizes:
        what = f"resident memory of blocks of {size} bytes"
        with_it, without = (
            [apart(what, "resident", size, name) for _ in range(rounds)] for name in (MEMORY, CALLS)
        )
        if None not in (*with_it, *without):
            least = [min(one["resident"] for one in several) for several in (with_it, without)]
            found[size] = added(*least, with_it[0]["blocks"])
    return found


def measure_loop(count, rounds):
    """{way: seconds of the processor for the loop of marked.py}"""
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for way, words in WAYS.items():
            if way != "plain" and importlib.util.find_spec(way) is None:
                complain(f"{way} is missing, its figures are left out (`make bench-memory` has it)")
                continue
            words = [word.format(folder=folder) for word in words]
            command = [sys.executable, *words, MARKED, str(count)]
            samples = []
            for _ in range(1 if way == "memory_profiler" else rounds):
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                told = [line for line in done.stdout.splitlines() if line.startswith("seconds ")]
                samples.append(float(told[-1].split()[1]))
            seconds[way] = best(samples)
    return seconds


# -- The report --


def off(figures, ours, theirs):
    """By how many percent they are off, in either direction."""
    return [
        None if (part := percent_off(one.get(ours), one.get(theirs))) is None else abs(part)
        for one in figures.values()
        if one is not None
    ]


def loop_ratio(loop):
    return ratio(
        added(loop.get("tracer"), loop.get("plain")),
        added(loop.get("memory_profiler"), loop.get("plain")),
    )


def goals_of(found):
    summary, blocks = found["summary"], found["blocks"]
    to_tracemalloc, to_memray, to_python = (
        to(summary, name) for name in (TRACEMALLOC, MEMRAY, MEMRAY_PYTHON)
    )
    alone = [one["alone"] for one in summary.values()]
    counts, peaks = off(found["counts"], "tracer", "bare"), off(found["peaks"], "tracer", "memray")
    of_one_size = [figure for size, figure in blocks.items() if size != MIXED]
    return [
        Goal("worst: calls and memory / tracemalloc", TO_TRACEMALLOC, worst(to_tracemalloc)),
        Goal("worst: / memray with Python's allocators", TO_MEMRAY_PYTHON, worst(to_python)),
        Goal("median: / memray", TO_MEMRAY, typical(to_memray)),
        Goal("worst that memory adds, of the plain time", ALONE, worst(alone)),
        Goal("median that memory adds, of the plain time", ALONE_MEDIAN, typical(alone)),
        Goal("loop by line: / memory_profiler", TO_MEMORY_PROFILER, loop_ratio(found["loop"])),
        Goal("worst count of allocations, % off", COUNT_OFF, worst(counts)),
        Goal("worst peak, % off memray's", PEAK_OFF, worst(peaks)),
        Goal("resident bytes of a live block, mixed", A_BLOCK, blocks.get(MIXED)),
        Goal("resident bytes of a live block, worst of one size", A_BLOCK, worst(of_one_size)),
    ]


def render(found):
    summary = found["summary"]
    columns = [to(summary, name) for name in (TRACEMALLOC, MEMRAY, MEMRAY_PYTHON)]
    rows = []
    for index, (program, one) in enumerate(summary.items()):
        row = [program, show(one["plain"], 3), *(show(one["slowdown"].get(name)) for name in SHOWN)]
        row += [show(one["alone"]), *(show(column[index]) for column in columns)]
        rows.append(row)
    slowdowns = [[one["slowdown"].get(name) for one in summary.values()] for name in SHOWN]
    figures = [*slowdowns, [one["alone"] for one in summary.values()], *columns]
    for label, pick in (("median", typical), ("worst", worst)):
        rows.append([f"*{label}*", "", *(show(pick(column)) for column in figures)])
    heads = ["calls", "calls + memory", "tracemalloc", "memray", "memray, Python"]
    heads += ["memory adds", "/ tracemalloc", "/ memray", "/ memray, Python"]
    parts = [table(["slow-down", "plain, s", *heads], rows)]
    rows = []
    for program in summary:
        counted = found["counts"].get(program) or {}
        peaks = found["peaks"].get(program) or {}
        figures = [counted.get("bare"), counted.get("tracer"), peaks.get("tracer")]
        row = [program, *(show(figure, 0) for figure in [*figures, peaks.get("memray")])]
        row += [
            show(percent_off(counted.get("tracer"), counted.get("bare"))),
            show(percent_off(peaks.get("tracer"), peaks.get("memray"))),
        ]
        rows.append([row[0], row[1], row[2], row[5], row[3], row[4], row[6]])
    heads = ["allocations", "tracer's", "% off", "peak, tracer's", "memray's", "% off"]
    parts.append(table(["figures", *heads], rows))
    rows = [[str(size), show(figure, 1)] for size, figure in found["blocks"].items()]
    parts.append(table(["live blocks of so many bytes", "resident bytes a block"], rows))
    rows = [[way, show(seconds, 4)] for way, seconds in found["loop"].items()]
    parts.append(table(["a loop by line and memory", "s"], rows))
    return "\n\n".join(parts)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument("--quick", action="store_true", help=f"only {' '.join(QUICK)}")
    options.add_argument("--turns", type=number(1), default=7, help="turns of a program (7)")
    options.add_argument("--rounds", type=number(1), default=3, help="of blocks, and the loop (3)")
    options.add_argument(
        "--count", type=number(1), default=20_000, help="rounds of the loop by line (20,000)"
    )
    options.add_argument(
        "--programs", nargs="+", choices=PROGRAMS, metavar="NAME", help="these alone"
    )
    options.add_argument("--only-times", action="store_true", help="measure the times alone")
    options = options.parse_args(arguments)
    need_tracer()
    turns = min(options.turns, 3) if options.quick else options.turns
    chosen = options.programs or (QUICK if options.quick else CHOSEN)
    if not {"heap", "arrays", "julia"}.issuperset(chosen):
        pyperformance()
    has_more = not options.only_times
    samples = {program: measure_times(program, turns) for program in chosen}
    peaks = [program for program in chosen if program in PEAKS and has_more]
    found = {
        "samples": samples,
        "summary": summarize(samples),
        "counts": measure_counts([p for p in chosen if p not in NOT_COUNTED and has_more]),
        "peaks": measure_peaks(peaks),
        "blocks": measure_blocks(SIZES if has_more else [], options.rounds),
        "loop": measure_loop(options.count, options.rounds) if has_more else {},
    }
    body = f"{render(found)}\n\nBest of {turns} turns, by processor time."
    finish(f"Memory, Python {version()}", body, goals_of(found), options, found)


if __name__ == "__main__":
    sys.exit(main())
