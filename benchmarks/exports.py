"""How much time and memory `tracer export` takes, by format: for a profile of a million paths, and
for a timeline of a million slices.

In the profile, each function calls two others, so that no path is like another. Each export is a
process of its own, measured from its start to its end. The export writes to a file in the temporary
folder: the time includes what a disk takes for the gigabytes of folded text.
"""

import sys
import tempfile
from pathlib import Path
from time import process_time

from harness.commands import measured
from harness.report import Goal, finish, need_tracer, number, parser, table

FUNCTIONS = 1000
CHAIN = 25  # calls on a path before the first that branches
SECONDS, MIB = 10, 1024
# Of a timeline of a million slices: processor seconds, without what a command takes to start and to
# read the file; and bytes a slice.
PERFETTO_SECONDS, PERFETTO_BYTES, TIMELINE_SECONDS = 0.4, 25, 1
TEXT = """
def function_{number}(depth, seed):
    if depth > {branching}:
        FUNCTIONS[seed % {functions}](depth - 1, seed * 31 + 7)
    elif depth:
        FUNCTIONS[seed % {functions}](depth - 1, seed * 31 + 7)
        FUNCTIONS[(seed + 1) % {functions}](depth - 1, seed * 17 + 3)
"""


def record(path, nodes):
    """Save a profile of about so many nodes. Returns their exact number."""
    import tracer
    from tracer.analysis.tree.call_tree import paths_of

    branching = max(nodes.bit_length() - 2, 1)
    functions = []
    for position in range(FUNCTIONS):
        space = {"FUNCTIONS": functions}
        text = TEXT.format(number=position, branching=branching, functions=FUNCTIONS)
        exec(compile(text, f"/project/package/module_{position % 50}.py", "exec"), space)
        functions.append(space[f"function_{position}"])
    profile = tracer.Profile(threads=False)
    profile.runcall(functions[0], branching + CHAIN, 12345)
    profile.dump_stats(path)
    return sum(map(len, paths_of(tracer.Stats(profile)).trees))


def record_timeline(path, calls):
    """Save a profile with a timeline of about so many slices. Returns their exact number."""
    import tracer

    def leaf(number):
        return len(str(number)) + abs(number)

    def work(number):
        return sum(leaf(one) for one in range(number))

    def main():
        for _ in range(calls // 400):
            work(100)

    profile = tracer.Profile(threads=False, timeline="1GiB")
    profile.runcall(main)
    profile.dump_stats(path)
    [thread] = profile.capture().timeline.threads
    return len(thread.read().starts)


def draw(path, name):
    """Of one export of a timeline: processor seconds for a million slices, the least of a few; and
    the file's size."""
    import tracer
    from tracer.exports.export import Export

    out, seconds = path.with_name(f"out.{name}"), []
    for _ in range(5):
        stats = tracer.Stats(path)
        begin = process_time()
        made = Export(stats, name)
        with out.open("wb") as file:
            made.write(file)
        seconds.append((process_time() - begin) / made.nodes * 10**6)
    return {"seconds": min(seconds), "bytes": out.stat().st_size}


def measure(path, name):
    """Of one export: seconds, processor seconds, peak memory in MiB, and the file's size in MB."""
    out = path.with_name(f"out.{name}")
    taken = measured("export", str(path), "--to", name, "-o", str(out))
    size = out.stat().st_size
    out.unlink()
    return {**taken, "MB": size / 1e6}


def main(arguments=None):
    options = parser(__doc__)
    options.add_argument(
        "--nodes", type=number(1), default=2**20, help="nodes of the tree (2 ** 20)"
    )
    options = options.parse_args(arguments)
    need_tracer()
    from tracer.exports.export import FORMATS

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "profile.out")
        nodes = record(path, options.nodes)
        of_figures = [name for name, it in FORMATS.items() if it.needs in ("functions", "paths")]
        found = {name: measure(path, name) for name in of_figures}
        slices = record_timeline(path, options.nodes)
        drawn = {name: draw(path, name) for name in FORMATS if FORMATS[name].draws}
    rows = [
        [
            name,
            f"{one['seconds']:.1f}",
            f"{one['cpu']:.1f}",
            f"{one['MiB']:,.0f}",
            f"{one['MB']:,.1f}",
        ]
        for name, one in found.items()
    ]
    slowest = max(one["seconds"] for one in found.values())
    largest = max(one["MiB"] for one in found.values())
    goals = [Goal("slowest export, s", SECONDS, slowest), Goal("memory, MiB", MIB, largest)]
    body = table(["export", "s", "cpu, s", "memory, MiB", "file, MB"], rows)
    deep = CHAIN + nodes.bit_length()
    body += f"\n\nOf a profile of {nodes:,} paths, most of them {deep} calls deep."
    body += "\n\n" + table(
        ["timeline", "cpu, s for 10^6", "bytes a slice"],
        [
            [name, f"{one['seconds']:.2f}", f"{one['bytes'] / slices:.1f}"]
            for name, one in drawn.items()
        ],
    )
    body += f"\n\nOf a timeline of {slices:,} slices."
    others = max(one["seconds"] for name, one in drawn.items() if name != "perfetto")
    goals += [
        Goal("perfetto, s for 10^6 slices", PERFETTO_SECONDS, drawn["perfetto"]["seconds"]),
        Goal("perfetto, bytes a slice", PERFETTO_BYTES, drawn["perfetto"]["bytes"] / slices),
        Goal("other timelines, s for 10^6 slices", TIMELINE_SECONDS, others),
    ]
    found |= {f"{name}, timeline": one for name, one in drawn.items()}
    finish("Exports", body, goals if options.nodes >= 10**6 else [], options, found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
