"""The memory of a program of an hour, played to the core without an interpreter.

The program is that of tests/core/heapplay.h; the Makefile makes build/bench/replay_heap of it. Its
clock tells an hour, however many allocations it makes. Then another program, a climb, begins a new
epoch with each allocation. With fewer allocations than 10^10 the climb is shorter, too.

- ns: of CPU time, of an allocation with its free and what it takes to play these
- tables: their bytes, and by how much they grew after the first two periods of the program
- moves: how often the live bytes left their band, where the curve is told
- wrong: the first figure of a site, of the heap or of the curve that is not what it must be
"""

import json
import subprocess
import sys

from harness.report import BUILD, Goal, complain, finish, number, parser, show, table

PROGRAM = BUILD / "replay_heap"
ALLOCATIONS = 10**10
EPOCHS = 4_300_000_000  # of the climb: more than 32 bits hold
POINTS = 4096


def play(program, allocations):
    epochs = EPOCHS if allocations >= ALLOCATIONS else max(2, allocations // 2)
    command = [program, str(allocations), str(epochs)]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def render(found):
    rows = [
        ["allocations", show(found["allocations"], 0)],
        ["of those, at one site", show(found["of_one_site"], 0)],
        ["ns an allocation", show(found["ns"], 1)],
        ["sites", show(found["sites"], 0)],
        ["tables, KiB", show(found["mapped"] / 1024, 0)],
        ["moves", show(found["moves"], 0)],
        ["looks", show(found["looks"], 0)],
        ["points of the curve", show(found["points"], 0)],
        ["peak, bytes", show(found["peak"], 0)],
        ["wrong", found["wrong"] or "nothing"],
        ["epochs of the climb", show(found["epochs"], 0)],
        ["ns a step of the climb", show(found["climb_ns"], 1)],
        ["wrong in the climb", found["climb_wrong"] or "nothing"],
    ]
    return table(["an hour of allocations", "played"], rows)


def goals_of(found):
    return [
        Goal("points of the curve", POINTS, found["points"]),
        Goal("bytes by which tables grew", 0, found["grown"]),
        Goal("figures that are wrong", 0, bool(found["wrong"]) + bool(found["climb_wrong"])),
    ]


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--allocations",
        type=number(1_000_000),
        default=ALLOCATIONS,
        help="in the hour (10,000,000,000)",
    )
    options.add_argument("--program", default=PROGRAM, help="the player (build/bench/replay_heap)")
    options = options.parse_args(arguments)
    try:
        found = play(options.program, options.allocations)
    except FileNotFoundError:
        complain(f"there is no {options.program}: run it by `make bench-memory-replay`")
        return 2
    finish("Memory, an hour", render(found), goals_of(found), options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
