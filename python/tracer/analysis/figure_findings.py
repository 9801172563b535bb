"""What stands out of the figures of functions and lines alone: hints, a rule for each, as in
findings.py.

They read no outline of calls, so those of ESTIMATE_RULES hold for files that keep no paths, too.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.call_tree import Row
from tracer.analysis.finding import (
    NANOSECONDS,
    Finding,
    bare,
    called,
    counted,
    seconds,
    share,
)
from tracer.analysis.findings import ONE_FUNCTION
from tracer.analysis.line_bounds import bounds_of_lines
from tracer.analysis.tiny_calls import tiny_calls
from tracer.analysis.wait_findings import is_builtin
from tracer.analysis.waiting import Waits
from tracer.source.file_kinds import BUILTIN, OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator

    from tracer.analysis.call_tree import Paths, Tree
    from tracer.analysis.outline import Outline
    from tracer.data.figures import Figures
    from tracer.data.profile_set import ProfileSet

ONE_WAY = 0.5  # of the time: a function through which less passes is no finding ...
OFTEN = 10  # ... nor one with fewer calls ...
IN_ITSELF = 0.5  # ... nor one that takes so much of that itself
HANDS_ON = 0.01  # of its cumtime: a function with less of its own only hands on
# Packages of the standard library that call the whole program: that is no finding.
CALLERS_OF_ALL = {"importlib", "asyncio", "threading", "concurrent", "runpy"}
MOST_TAKERS = 3  # of the callees of a function that hands on
TAKER = 0.1  # of what it hands on: a smaller part is not told of
IMPORTS = 0.3  # of the time: imports with less are no finding
ONE_LINE = 0.5  # of the time: a line with less is no finding


# -- The rules -------------------------------------------------------------------------------------


def one_way(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """Of the functions that most of the time passes through, the one with the least cumtime: the
    others mostly lead to it. The program's own come first, since these can be mended."""
    paths = outline.paths
    of = paths.figures
    rows = [row for row, figures in of.items() if may_be_the_way(outline, row, figures)]
    waited = waited_below(paths, rows)
    busy = {row: of[row].cumtime - waited[row] for row in rows}
    passing = {
        row: time
        for row, time in busy.items()
        if time > ONE_WAY * outline.whole and worked(of[row]) < IN_ITSELF * time
    }
    row = min(passing, key=lambda row: (not is_own(paths, row), passing[row]), default=None)
    if row is None:
        return None
    function, figures, time = paths.rows[row], of[row], busy[row]
    rest = ""
    if Waits(figures.cumtime / NANOSECONDS, waited[row] / NANOSECONDS).are_worth_telling:
        rest = f", without the {seconds(waited[row])} that was waited"
    advice = "Fewer calls, or a quicker way, would save the most."
    if hands_on(figures):
        advice = f"It hands on: {takers(paths, row)}."
    return Finding(
        (
            f"{share(time, outline.whole)} of the time passes through {bare(function.name)}, ",
            function,
        ),
        time / NANOSECONDS,
        function,
        function,
        advice=f"{seconds(time)} in {counted(figures.ncalls)} of it and what it calls{rest}, "
        f"{seconds(worked(figures))} of that in itself. {advice}",
        rule="one_way",
    )


def busiest(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """The function that worked most of its own, where no outline tells which are folded."""
    paths = outline.paths
    row = max(paths.figures, key=lambda row: worked(paths.figures[row]), default=None)
    if row is None or worked(paths.figures[row]) < ONE_FUNCTION * outline.whole:
        return None
    function, of = paths.rows[row], paths.figures[row]
    place = () if is_builtin(paths, row) else (function, ", ")
    return Finding(
        (
            f"{share(worked(of), outline.whole)}: {called(function)}, ",
            *place,
            f"takes {seconds(worked(of))} itself, in {counted(of.ncalls)}",
        ),
        worked(of) / NANOSECONDS,
        function,
        function,
        rule="one_function",
    )


def all_imports(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """What imports took together, where no outline tells which."""
    paths = outline.paths
    for row, of in paths.figures.items():
        function = paths.rows[row]
        is_import = function.name == "_find_and_load" and "importlib._bootstrap" in function.file
        if is_import and of.cumtime > IMPORTS * outline.whole:
            return Finding(
                (
                    f"{share(of.cumtime, outline.whole)}: imports take {seconds(of.cumtime)} to "
                    "find, load and run modules",
                ),
                of.cumtime / NANOSECONDS,
                "imports",
                function,
                advice="What is seldom needed can be imported where it is used.",
                rule="slow_imports",
            )
    return None


FIGURE_RULES: tuple[Callable[[Outline, ProfileSet], Finding | None], ...] = (one_way, tiny_calls)
ESTIMATE_RULES: tuple[Callable[[Outline, ProfileSet], Finding | None], ...] = (busiest, all_imports)


def hottest_line(profiles: ProfileSet, whole: int) -> Finding | None:
    """The line that took most for sure, without the Python functions that it calls. What it waited
    is no work."""
    best = max(bounds_of_lines(profiles), key=lambda it: it.worked, default=None)
    if best is None or best.worked * NANOSECONDS <= ONE_LINE * whole:
        return None
    function, time = best.function, round(best.worked * NANOSECONDS)
    in_c = round(best.in_c * NANOSECONDS)
    hits = f"{best.line.hits:,} hit{'s' * (best.line.hits != 1)}"
    parts = f": {seconds(time - in_c)} of its own, and {seconds(in_c)} in C with what C calls back."
    if best.is_sure:
        calls = "without the Python functions that it calls or that C calls back"
        parts = f", {calls}; {seconds(in_c)} of that in C."
    row, number = Row(function.file, function.first_line, function.qualname), best.line.line
    place = row._replace(line=number)
    return Finding(
        (f"{share(time, whole)}: line {number} of {bare(function.qualname)}, ", place),
        best.worked,
        place,
        row,
        advice=f"{seconds(time)} in {hits}{parts}",
        line=number,
        rule="one_line",
    )


# -- Sums ------------------------------------------------------------------------------------------


def may_be_the_way(outline: Outline, row: int, figures: Figures) -> bool:
    """Whether so much passes through a function, before what was waited is taken off, and it is
    none of those that start all others. Of functions that others wrote, those that only hand on
    are none."""
    module = outline.paths.modules[row]
    return (
        figures.cumtime > ONE_WAY * outline.whole
        and figures.ncalls >= OFTEN
        and module.kind != BUILTIN
        and module.package not in CALLERS_OF_ALL
        and (is_own(outline.paths, row) or not hands_on(figures))
    )


def waited_below(paths: Paths, rows: list[int]) -> dict[int, int]:
    """What was waited in each of these functions and in all that it called, in nanoseconds. As in
    cumtime, a recursion counts once."""
    waited = dict.fromkeys(rows, 0)
    for tree in paths.trees:
        if rows and any(tree.waited):
            below = tree.totals(tree.waited)
            for row in rows:
                waited[row] += sum(below[node] for node, _ in calls_of(tree, row))
    return waited


def calls_of(tree: Tree, row: int) -> Iterator[tuple[int, int]]:
    """(first, end) of the nodes of each call of a function that is in no other call of it."""
    end = 0
    for node in positions(tree.row, row):
        if node >= end:
            end = end_of(tree, node)
            yield node, end


def positions(column: array[int], value: int) -> Iterator[int]:
    """Where a value stands in a column: found as bytes, which is fast where it is rare."""
    at = -1
    while True:
        try:
            at = column.index(value, at + 1)
        except ValueError:
            return
        yield at


def end_of(tree: Tree, node: int) -> int:
    """The node behind all those below a node."""
    depth = tree.depth[node]
    for at in range(node + 1, len(tree)):
        if tree.depth[at] <= depth:
            return at
    return len(tree)


def takers(paths: Paths, row: int) -> str:
    """Whom a function hands on to: the callees that take the most of its time, and the function
    below that takes the most itself."""
    of_callees: dict[int, int] = defaultdict(int)
    of_all: dict[int, int] = defaultdict(int)
    for tree in paths.trees:
        totals = tree.totals()
        for first, end in calls_of(tree, row):
            depth = tree.depth[first] + 1  # of what it calls, by itself or as it calls itself
            for node in range(first + 1, end):
                depth = min(depth, tree.depth[node])
                if tree.row[node] == row:
                    depth += tree.depth[node] == depth
                    continue
                of_all[tree.row[node]] += tree.time[node]
                if tree.depth[node] == depth:
                    of_callees[tree.row[node]] += totals[node]
    ranked = sorted(of_callees, key=lambda callee: -of_callees[callee])[:MOST_TAKERS]
    least = TAKER * sum(of_callees.values())
    named = [one for at, one in enumerate(ranked) if at == 0 or of_callees[one] > least]
    texts = [f"{called(paths.rows[one])} takes {seconds(of_callees[one])}" for one in named]
    most = max(of_all, key=lambda one: of_all[one], default=row)
    if most != row and most not in named:
        itself = f"takes the most itself, {seconds(of_all[most])}"
        texts.append(f"and of all below, {called(paths.rows[most])} {itself}")
    return ", ".join(texts) or "what it calls takes the time"


def worked(figures: Figures) -> int:
    return max(0, figures.tottime - figures.waited)


def hands_on(figures: Figures) -> bool:
    """Whether a function's own time is next to nothing of what passes through it."""
    return figures.tottime < HANDS_ON * figures.cumtime


def is_own(paths: Paths, row: int) -> bool:
    return paths.modules[row].kind == OWN
