"""The cost of an event in instructions: what the floor and tracer add to a pair of an enter and a
leave, of each kind, without a filter and with one. And what is rare: a new calling context, a pair
of enable() and disable(), the first call of a thread.

callgrind counts the instructions of a process that makes so many pairs, and of one that makes twice
as many: the difference is that of the pairs alone. What the same pairs take without a profiler is
subtracted. A count has the interpreter's instructions, too. `make bench-added` calls this script.

The floor's counts of pairs are the same in each run. tracer's are not: every so often, by real
time, it looks at how long the thread waited, and callgrind makes a process slow. On a busy machine
that is a tenth of a pair. --turns counts several times: the least counts, for looking only adds.

Filter: in `in a filter`, the Profile includes the code that makes the pairs. In `left out`, it
excludes that code.

Counting: with a slow-down, calls of Python functions are counted, and nothing else is.

New context: the calls of a complete binary tree of functions that are known, each call by a path of
its own, in the first turn less the same in a later turn, where each is expected. So the interpreter
and the pairs are no part of it. It includes the context's share of the growth of tables and memory,
and of freeing them at the end. A table grows by four, so that the share changes with --pairs.

Enable + disable: all that a turn of the loop takes. Most of it is the interpreter's, which changes
the code that runs, and is more the longer that code is. The recorder of lines has one function.
`Beside a Profile`: while another Profile is enabled, which records calls.

First call of a thread: what is added to a thread that makes one call, less what is added to a
thread that makes none. The module threading does not know these threads. It includes the end of
what is recorded of the thread. It grows with the threads that there were.
"""

import subprocess
import sys
from pathlib import Path

from harness.apart import HERE
from harness.calls import KINDS
from harness.figures import added, ratio
from harness.instructions import bare_environment, instructions
from harness.profilers import available
from harness.report import finish, need_tracer, number, parser, show, table

VARIANTS = ["none", "floor", "tracer", "tracer in a filter", "tracer left out", "tracer counting"]
RARELY = 200  # of so many pairs there is one enable and disable, and one thread

# Row of the table: (variant, what is counted of it) by column.
ENABLING = {
    "enable + disable": {"floor": ("floor", "enabling"), "tracer": ("tracer", "enabling")},
    "enable + disable, beside a Profile": {"tracer": ("tracer", "beside")},
    "enable + disable, lines": {"tracer": ("tracer lines", "enabling")},
    "enable + disable, lines, beside a Profile": {"tracer": ("tracer lines", "beside")},
}


def counter(turns):
    """Returns a function that counts how many instructions `python -m WORDS` takes more with the
    last word `many` than with `few`: the least of so many counts of each. The tracer that is
    counted is that of this interpreter."""
    import tracer

    found = Path(tracer.__file__).parents[1]
    options = {"cwd": HERE, "env": bare_environment(found)}

    def more(words, few, many):
        command = [sys.executable, "-m", *map(str, words)]
        # Compiled code is kept: no run that is counted compiles.
        subprocess.run([*command, str(few)], check=True, capture_output=True, **options)
        less, whole = (
            min(instructions([*command, str(count)], **options) for _ in range(turns))
            for count in (few, many)
        )
        return whole - less

    return more


def measure(variants, pairs, more):
    """{variant: {kind: instructions of a pair}}"""
    return {
        variant: {
            kind: more(["harness.adding", variant, kind], pairs, 2 * pairs) / pairs
            for kind in KINDS
        }
        for variant in variants
    }


def measure_rare(variants, pairs, more):
    """{variant: {what: instructions of one}}"""
    few = max(1, pairs // RARELY)

    def contexts(variant, turn):
        words = ["harness.rare", "contexts", variant, pairs]
        return more(words, turn - 1, turn) / pairs

    def each(what, *words):
        return more(["harness.rare", what, *words], few, 2 * few) / few

    counts = {}
    for variant in [name for name in ("none", "floor", "tracer") if name in variants]:
        counts[variant] = {
            "thread": each("threads", variant, 0),
            "thread, a call": each("threads", variant, 1),
        }
        if variant != "none":
            counts[variant]["new context"] = contexts(variant, 1)
            counts[variant]["expected context"] = contexts(variant, 3)
            counts[variant]["enabling"] = each("enabling", variant, "none")
    counts["tracer"]["beside"] = each("enabling", "tracer", "tracer")
    counts["tracer lines"] = {
        "enabling": each("enabling", "tracer lines", "none"),
        "beside": each("enabling", "tracer lines", "tracer"),
    }
    return counts


def cost(counts):
    """{variant: {kind: instructions that it adds to a pair}}"""
    plain = counts["none"]
    return {
        variant: {kind: added(kinds[kind], plain[kind]) for kind in KINDS}
        for variant, kinds in counts.items()
        if variant != "none"
    }


def cost_rare(counts):
    """{row: {"floor" or "tracer": instructions}}"""
    columns = [name for name in ("floor", "tracer") if name in counts]

    def first_call(variant):
        return added(counts[variant]["thread, a call"], counts[variant]["thread"])

    def more_than_expected(variant):
        return added(counts[variant]["new context"], counts[variant]["expected context"])

    enabling = {
        row: {name: counts[who][what] for name, (who, what) in cells.items() if who in counts}
        for row, cells in ENABLING.items()
    }
    return {
        "new context, more than an expected": {name: more_than_expected(name) for name in columns},
        **enabling,
        "first call of a thread": {
            name: added(first_call(name), first_call("none")) for name in columns
        },
    }


def render(costs):
    floor, tracer = costs.get("floor", {}), costs["tracer"]
    within, outside = costs["tracer in a filter"], costs["tracer left out"]
    counting = costs["tracer counting"]
    rows = [
        [
            kind,
            show(floor.get(kind), 0),
            show(tracer[kind], 0),
            show(ratio(tracer[kind], floor.get(kind))),
            show(within[kind], 0),
            show(ratio(within[kind], tracer[kind])),
            show(outside[kind], 0),
            show(counting[kind], 0),
        ]
        for kind in KINDS
    ]
    heads = ["added instructions a pair", "floor", "tracer", "tracer / floor"]
    return table([*heads, "in a filter", "in a filter / tracer", "left out", "counting"], rows)


def render_rare(costs):
    rows = [
        [row, show(cells.get("floor"), 0), show(cells["tracer"], 0)] for row, cells in costs.items()
    ]
    return table(["instructions of one", "floor", "tracer"], rows)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--pairs", type=number(100), default=20_000, help="pairs that are counted (20,000)"
    )
    options.add_argument("--turns", type=number(1), default=1, help="times of each count (1)")
    options = options.parse_args(arguments)
    need_tracer()
    variants = [profiler.name for profiler in available(VARIANTS)]
    more = counter(options.turns)
    counts = measure(variants, options.pairs, more)
    rare_counts = measure_rare(variants, options.pairs, more)
    costs, rare = cost(counts), cost_rare(rare_counts)
    found = {"counts": counts, "added": costs, "rare_counts": rare_counts, "rare": rare}
    finish("Added instructions", f"{render(costs)}\n\n{render_rare(rare)}", [], options, found)


if __name__ == "__main__":
    sys.exit(main())
