"""How right native samples are, and what they cost.

The shares of native functions beside those that perf finds in the same run; whether stacks are
those that elfutils' libdwfl finds in the same copies; whether the callers of OpenBLAS's
hand-written kernels and the C function of the calling context are in the stacks; how much of the
CPU time of threads that C libraries make is in samples; and how much longer a thread takes for the
same work with samples than without.
"""

import os
import shutil
import sys

from harness.apart import measured_apart
from harness.figures import worst
from harness.report import Goal, complain, finish, need_tracer, number, parser, show, table, version

COMPARED = ["json", "re", "sorted", "zlib", "matmul", "pandas"]
OF_NUMPY = ["matmul", "pandas"]
CORES = ["Haswell", "Zen", "SkylakeX", "Nehalem"]  # OpenBLAS's kernels, by OPENBLAS_CORETYPE
ENTERED = ["zlib", "re", "sorted"]
CALLING_BACK = "sorted"  # between its call of the key and the key's beginning the interpreter runs
THREADED = ["matmul", "polars"]
TIMED = ["python", "json", "matmul"]
RATES = ["250", "1000"]
PATIENCE = 300  # seconds for one process

# At most: see README.md
OFF_PERF, LARGE = 3.0, 5.0  # points, of functions that have so many percent or more
NOT_SAME = 0.1  # percent of copies
HANDLER = 3.0  # microseconds
HANDLER_OF_NUMPY = 10.0
NO_CALLER = 1.0  # percent
NOT_ENTERED = 0.1
NOT_SAMPLED = 5.0
COST = {"250": 1.0, "1000": 2.0}  # percent
COST_OF_MATMUL = 3.0


def apart(what, *words, **environment):
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        return measured_apart(
            what, "-m", "harness.native_work", *map(str, words), patience=PATIENCE
        )
    finally:
        os.environ.clear()
        os.environ.update(before)


def measure(options):
    seconds, turns = options.seconds, options.turns
    has_perf = shutil.which("perf") is not None
    if not has_perf:
        complain("perf is missing, and the shares are not compared")
    return {
        "shares": {
            kind: apart(f"{kind} beside perf", "compare", kind, 2 * seconds)
            for kind in COMPARED
            if has_perf
        },
        "unwound": {
            kind: apart(f"{kind} unwound twice", "unwound", kind, seconds, OPENBLAS_NUM_THREADS="1")
            for kind in COMPARED
        },
        "kernels": {
            core: apart(f"matmul on {core}", "kernel", seconds, OPENBLAS_CORETYPE=core)
            for core in CORES
        },
        "entered": {kind: apart(f"{kind}", "entered", kind, seconds) for kind in ENTERED},
        "threads": {
            kind: apart(f"threads of {kind}", "threads", kind, seconds) for kind in THREADED
        },
        "times": {
            kind: apart(f"times of {kind}", "times", kind, turns, *RATES, OPENBLAS_NUM_THREADS="1")
            for kind in TIMED
        },
    }


def of_share(part, whole):
    return None if not whole else 100 * (1 - part / whole)


def off(shares):
    """The function that is farthest off, of the large ones: (points, name)."""
    ours, theirs = shares["tracer"], shares["perf"]
    large = [
        name for name in {*ours, *theirs} if max(ours.get(name, 0), theirs.get(name, 0)) >= LARGE
    ]
    return max((abs(ours.get(name, 0) - theirs.get(name, 0)), name) for name in large)


def cost(seconds, rate):
    """Percent that the best turn takes more than the best without samples."""
    return 100 * (min(seconds[rate]) / min(seconds["0"]) - 1)


def goals_of(found):
    shares = [off(one)[0] for one in found["shares"].values() if one]
    kernels = [of_share(one["called"], one["kernel"]) for one in found["kernels"].values() if one]
    entered = [
        of_share(one["entered"], one["all"])
        for kind, one in found["entered"].items()
        if one and kind != CALLING_BACK
    ]
    threads = [of_share(one["samples"], one["process"]) for one in found["threads"].values() if one]
    unwound = {kind: one for kind, one in found["unwound"].items() if one}
    handlers = {kind: one["handler_ns"] / 1000 for kind, one in unwound.items()}
    of_numpy = [handlers.pop(kind) for kind in OF_NUMPY if kind in handlers]
    goals = [
        Goal("worst function beside perf, points", OFF_PERF, worst(shares)),
        Goal(
            "worst: stacks that are not libdwfl's, %",
            NOT_SAME,
            worst([of_share(one["same"], one["whole"]) for one in unwound.values()]),
        ),
        Goal("worst: median of the signal handler, us", HANDLER, worst([*handlers.values()])),
        Goal("the same with NumPy's stacks", HANDLER_OF_NUMPY, worst(of_numpy)),
        Goal("worst: kernel's samples without cblas_dgemm, %", NO_CALLER, worst(kernels)),
        Goal("worst: samples without the C function, %", NOT_ENTERED, worst(entered)),
        Goal("worst: CPU of threads in no sample, %", NOT_SAMPLED, worst(threads)),
    ]
    for rate, limit in COST.items():
        costs = {kind: cost(one, rate) for kind, one in found["times"].items() if one}
        matmul = costs.pop("matmul", None)
        goals.append(Goal(f"worst: thread at {rate} Hz, % more", limit, worst([*costs.values()])))
        goals.append(Goal(f"matmul: thread at {rate} Hz, % more", COST_OF_MATMUL, matmul))
    return goals


def render(found):
    rows = []
    for kind, one in found["shares"].items():
        if one:
            points, name = off(one)
            ours, theirs = (show(one[side].get(name, 0), 1) for side in ("tracer", "perf"))
            short = name if len(name) < 50 else f"{name[:20]}...{name[-25:]}"
            rows.append([kind, str(one["samples"]), short, ours, theirs, show(points, 1)])
    heads = ["beside perf", "samples", "farthest off", "tracer, %", "perf, %", "points"]
    parts = [table(heads, rows)]
    rows = [
        [
            kind,
            str(one["copies"]),
            str(one["whole"]),
            str(one["same"]),
            show(one["handler_ns"] / 1000),
            show(one["bytes"] / 1024, 1),
        ]
        for kind, one in found["unwound"].items()
        if one
    ]
    heads = ["beside libdwfl", "copies", "with rules", "same", "handler, us", "copy, KiB"]
    parts.append(table(heads, rows))
    rows = [
        [
            core,
            ", ".join(one["names"]),
            str(one["kernel"]),
            show(of_share(one["called"], one["kernel"])),
        ]
        for core, one in found["kernels"].items()
        if one
    ]
    parts.append(table(["OpenBLAS's kernel", "", "samples", "without cblas_dgemm, %"], rows))
    rows = [
        [kind, str(one["all"]), show(of_share(one["entered"], one["all"]))]
        for kind, one in found["entered"].items()
        if one
    ]
    parts.append(table(["the C function called", "samples", "without it, %"], rows))
    rows = [
        [
            kind,
            show(one["process"]),
            show(one["samples"]),
            show(of_share(one["samples"], one["process"])),
        ]
        for kind, one in found["threads"].items()
        if one
    ]
    parts.append(table(["threads", "CPU, s", "in samples, s", "missing, %"], rows))
    rows = [
        [kind, show(min(one["0"]), 3), *(show(cost(one, rate)) for rate in RATES)]
        for kind, one in found["times"].items()
        if one
    ]
    parts.append(table(["cost", "s", *(f"{rate} Hz, % more" for rate in RATES)], rows))
    return "\n\n".join(parts)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--seconds",
        type=number(1),
        default=8,
        help="of CPU for one run (8); twice that beside perf",
    )
    options.add_argument("--turns", type=number(1), default=60, help="of the times (60)")
    options = options.parse_args(arguments)
    need_tracer()
    found = measure(options)
    finish(f"Native code, Python {version()}", render(found), goals_of(found), options, found)


if __name__ == "__main__":
    sys.exit(main())
