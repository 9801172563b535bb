"""Long runs of a program, played to the core with a timeline of 64 MiB, without an interpreter.

Five shapes of programs, in benchmarks/core/replay.c; the Makefile makes build/bench/replay of it.
With fewer calls than 10^9 a larger part is kept, which takes longer: then only pauses, bytes and
losses have a goal.

- T: the shortest calls that are all there, beside the length of the run
- ns a call: of CPU time, with the log and the bins less without
- pause: the longest time that one event took, of CPU time
- bins: their share of the run, and their bytes
"""

import json
import subprocess
import sys

from harness.report import BUILD, Goal, complain, finish, number, parser, show, table

PROGRAM = BUILD / "replay"
BUDGET = 64 * 1024 * 1024
CALLS = 10**9
# T is at most this part of the run.
PARTS = {"tree": 1e-6, "flat": 1e-6, "recursion": 1e-6, "chains": 1e-4, "phases": 1e-6}


def play(program, shape, calls):
    """The figures of one shape."""
    command = [program, shape, str(calls), str(BUDGET)]
    told = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return {
        "T": told["least"] / 1e3,
        "part": told["least"] / told["run"],
        "ns": told["ns"] - told["bare_ns"],
        "pause": told["pause_ns"] / 1e6,
        "bins": 100 * told["bins_share"] * told["ns"] * calls / told["run"],
        "bins MiB": told["bins_bytes"] / 2**20,
        "contexts": told["nodes"],
        "log MiB": told["bytes"] / 2**20,
        "lost": told["lost"],
    }


def render(found):
    rows = [
        [
            shape,
            show(one["T"], 1),
            f"{one['part']:.0e}",
            show(one["ns"]),
            show(one["pause"]),
            show(one["bins"]),
            show(one["bins MiB"], 1),
            show(one["contexts"], 0),
            show(one["log MiB"], 1),
        ]
        for shape, one in found.items()
    ]
    heads = ["T, us", "T / run", "ns a call", "pause, ms", "bins, %", "bins, MiB"]
    return table(["shape", *heads, "contexts", "log, MiB"], rows)


def goals_of(found, full):
    """The goals; with `full`, also those for a run of 10^9 calls."""

    def worst(figure):
        return max(one[figure] for one in found.values())

    goals = []
    if full:
        goals += [
            Goal(f"{shape}: T, millionths of the run", 1e6 * part, 1e6 * found[shape]["part"])
            for shape, part in PARTS.items()
        ]
        goals += [
            Goal("ns a call, at worst", 6, worst("ns")),
            Goal("bins, % of the run, at worst", 3, worst("bins")),
        ]
    goals += [
        Goal("pause, ms, at worst", 5, worst("pause")),
        Goal("bins, MiB, at worst", 16, worst("bins MiB")),
        Goal("slices of T or more without room", 0, worst("lost")),
    ]
    return goals


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--calls", type=number(1000), default=CALLS, help="calls of each shape (1,000,000,000)"
    )
    options.add_argument("--program", default=PROGRAM, help="the player (build/bench/replay)")
    options = options.parse_args(arguments)
    try:
        found = {shape: play(options.program, shape, options.calls) for shape in PARTS}
    except FileNotFoundError:
        complain(f"there is no {options.program}: run it by `make bench-replay`")
        return 2
    body = f"{render(found)}\n\n{options.calls:,} calls of each shape, in 64 MiB."
    finish("Timeline, long runs", body, goals_of(found, options.calls >= CALLS), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
