"""Profiles whose exports tests can spell out, and the command that exports. What reads the exports
back is in formats/."""

import io
from array import array
from collections import Counter

import tracer
from launch import traced
from rows import Clock, limited
from tracer.analysis.tree.call_tree import NO_ROW, Paths, Row, Tree, paths_of
from tracer.data.figures import Figures, merged
from tracer.exports.export import Export

UNIT = 1e-9  # of the clock: so its numbers are those in the exports

HOSTILE = ["a;b", "new\nline", "", " 12 ", "(3) x", "\udcff", "\ud800", "</script>", "\x1b[2J\x85"]
HOSTILE += ["\u2028", "=1+1", '"quoted",', "fn=(1)", "\0", "caf\xe9 \U0001f600", "x" * 5000]
HOSTILE += ["}", "\\", "%s", "&amp;", "'", "\t"]


def program(clock):
    """A function below which there are recursions of one function and of two, methods, a generator
    and lambdas. All are defined in here, since each moves this clock."""

    def leaf():
        clock.now += 3

    def down(n):
        clock.now += 1
        if n:
            down(n - 1)

    def ping(n):
        clock.now += 2
        if n:
            pong(n - 1)

    def pong(n):
        clock.now += 5
        leaf()
        if n:
            ping(n - 1)

    class Reader:
        def read(self):
            clock.now += 7
            leaf()

    def numbers():
        for number in range(3):
            clock.now += 10
            yield number

    def main():
        clock.now += 100
        leaf()
        down(3)
        ping(4)
        pong(2)
        Reader().read()
        for _ in numbers():
            clock.now += 1
        first = lambda: leaf()  # noqa: E731
        second = lambda: down(1)  # noqa: E731
        first()
        second()

    return main


def recorded(**options):
    """A Profile of that program."""
    clock = Clock()
    profile = limited(clock, UNIT, threads=False, **options)
    profile.record_call(program(clock))
    profile.disable()
    return profile


def qualified(source):
    return tracer.Stats(source, names="qualname")


def nanoseconds(seconds):
    return round(seconds * 1e9)


def tree_of(nodes, name="MainThread", ident=1):
    """A Tree of (depth, row, calls, time) each, with its figures."""
    columns = [array(code) for code in "IIQQqq"]
    for depth, row, calls, time in [(0, NO_ROW, 0, 0), *nodes]:
        for column, value in zip(columns, (depth, row, calls, 0, time, 0), strict=True):
            column.append(value)
    tree = Tree([column.tobytes() for column in columns], name, ident, ident)
    totals = tree.totals()
    path, opened = [], Counter()
    for node, (depth, row, calls, time) in enumerate(nodes, 1):
        opened.subtract(path[depth - 1 :])
        path[depth - 1 :] = [row]
        outermost = not opened[row]
        opened[row] += 1
        more = Figures(
            ncalls=calls,
            primitive=calls * outermost,
            tottime=time,
            cumtime=totals[node] * outermost,
        )
        tree.figures[row] = merged([tree.figures.get(row, Figures()), more])
    return tree


def paths_by_hand(names, *trees, rule=None):
    """Paths of functions of these names, at the lines 1, 2, ... of /app/main.py, module main."""
    rows = [Row("/app/main.py", line, name) for line, name in enumerate(names, 1)]
    return Paths(rows, trees, rule)


def hostile_paths():
    """A function for each hostile name, called once; the times are 10 and up."""
    nodes = [(1, row, 1, 10 + row) for row in range(len(HOSTILE))]
    return paths_by_hand(HOSTILE, tree_of(nodes, "thread; \n"))


def many_paths():
    """A large tree: two batches and more of nodes, and as many different calls; times are long."""
    nodes = [(1, 0, 1, 10**12)]
    for caller in range(1, 200):
        nodes.append((2, caller, 1, 10**12))
        nodes += [(3, callee, 1, 10**12) for callee in range(200)]
    return paths_by_hand([f"function_{row}" for row in range(200)], tree_of(nodes))


def stats_by_hand(paths):
    """A Stats with the figures of such paths, and no callers."""
    stats = tracer.Stats()
    for row, found in paths.figures.items():
        times = found.tottime * UNIT, found.cumtime * UNIT
        stats.stats[tuple(paths.rows[row])] = (found.primitive, found.ncalls, *times, {})
    return stats


def exported(paths, name, stats=None, minimum=None, **options):
    """The bytes of the export of this name."""
    out = io.BytesIO()
    made = Export(stats or stats_by_hand(paths), name, minimum, paths=paths)
    made.write(out, **options)
    return out.getvalue()


def export_of(source, name):
    stats = qualified(source)
    return exported(paths_of(stats), name, stats)


def names_in_callgrind(stats):
    """{label: name}: the two lambdas have their lines."""
    return {
        label: f"{label[2]}:{label[1]}" if label[2].endswith("<lambda>") else label[2]
        for label in stats.stats
    }


def export(folder, *words, **options):
    return traced("export", *words, cwd=folder, **options)


def line_of(found, status=2):
    """The one line on standard error of a command that printed nothing else."""
    assert (found.stdout, found.returncode) == (b"", status)
    [line] = found.stderr.decode().splitlines()
    assert line.startswith("tracer: ")
    return line.removeprefix("tracer: ")
