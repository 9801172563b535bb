"""The cost of an event in instructions: what the floor and tracer add to a pair of an enter and a
leave, of each kind.

callgrind counts the instructions of a process that makes so many pairs, and of one that makes twice
as many: the difference is that of the pairs alone. What the same pairs take without a profiler is
subtracted. A count has the interpreter's instructions, too, and does not depend on what else the
machine does. `make bench-added` calls this script.
"""

import subprocess
import sys

from harness.apart import HERE
from harness.calls import KINDS
from harness.figures import added, ratio
from harness.instructions import bare_environment, instructions
from harness.profilers import available
from harness.report import finish, need_tracer, number, parser, show, table

VARIANTS = ["none", "floor", "tracer"]


def measure(variants, pairs):
    """{variant: {kind: instructions of a pair}}"""
    options = {"cwd": HERE, "env": bare_environment()}

    def pair(variant, kind):
        command = [sys.executable, "-m", "harness.adding", variant, kind]
        # Compiled code is kept: no run that is counted compiles.
        subprocess.run([*command, "1"], check=True, capture_output=True, **options)
        once, twice = (
            instructions([*command, str(count)], **options) for count in (pairs, 2 * pairs)
        )
        return (twice - once) / pairs

    return {variant: {kind: pair(variant, kind) for kind in KINDS} for variant in variants}


def cost(counts):
    """{variant: {kind: instructions that it adds to a pair}}"""
    plain = counts["none"]
    return {
        variant: {kind: added(kinds[kind], plain[kind]) for kind in KINDS}
        for variant, kinds in counts.items()
        if variant != "none"
    }


def render(costs):
    floor, tracer = costs.get("floor", {}), costs["tracer"]
    rows = [
        [
            kind,
            show(floor.get(kind), 0),
            show(tracer[kind], 0),
            show(ratio(tracer[kind], floor.get(kind))),
        ]
        for kind in KINDS
    ]
    return table(["added instructions a pair", "floor", "tracer", "tracer / floor"], rows)


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--pairs", type=number(100), default=20_000, help="pairs that are counted (20,000)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    variants = [profiler.name for profiler in available(VARIANTS)]
    counts = measure(variants, options.pairs)
    costs = cost(counts)
    finish("Added instructions", render(costs), [], options, {"counts": counts, "added": costs})


if __name__ == "__main__":
    sys.exit(main())
