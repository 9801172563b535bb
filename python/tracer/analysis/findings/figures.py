"""What stands out of the figures of functions and lines alone: hints, a rule for each, as in
findings.py.

They read no outline of calls, so those of ESTIMATE_RULES hold for files that keep no paths, too.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.findings.findings import IMPORT_LATER
from tracer.analysis.findings.line_bounds import bounds_of_lines
from tracer.analysis.findings.tiny_calls import tiny_calls
from tracer.analysis.outline.finding import NANOSECONDS, Finding, counted, said_of, seconds, share
from tracer.analysis.tree.call_tree import Row
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.waiting import Waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Paths, Tree
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
ONE_FUNCTION = 0.25  # of the time: a function with less of its own is no finding
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
    row = min(passing, key=lambda row: (not outline.is_own(row), passing[row]), default=None)
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
        said_of(function, f"{share(time, outline.whole)} of the time passes through"),
        time,
        function,
        advice=f"{seconds(time)} in {counted(figures.ncalls)} of it and what it calls{rest}, "
        f"{seconds(worked(figures))} of that in itself. {advice}",
    )


FIGURE_RULES = one_way, tiny_calls

# -- Where no outline tells: of an estimate --------------------------------------------------------


def one_function(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """The function that worked most of its own: which are folded, no outline tells."""
    of = outline.paths.figures
    row = max(of, key=lambda row: worked(of[row]), default=None)
    if row is None:
        return None
    function, time = outline.paths.rows[row], worked(of[row])
    if time < ONE_FUNCTION * outline.whole:
        return None
    takes = f", takes {seconds(time)} itself, in {counted(of[row].ncalls)}"
    return Finding(said_of(function, f"{share(time, outline.whole)}:", takes), time, function)


def slow_imports(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """What imports took together: which, no outline tells."""
    for row, of in outline.paths.figures.items():
        function = outline.paths.rows[row]
        is_import = function.name == "_find_and_load" and "importlib._bootstrap" in function.file
        if is_import and of.cumtime > IMPORTS * outline.whole:
            part, time = share(of.cumtime, outline.whole), seconds(of.cumtime)
            said = f"{part}: imports take {time} to find, load and run modules"
            return Finding((said,), of.cumtime, function, advice=IMPORT_LATER)
    return None


ESTIMATE_RULES = one_function, slow_imports

# -- Lines -----------------------------------------------------------------------------------------


def one_line(outline: Outline, profiles: ProfileSet) -> Finding | None:
    """The line that took most for sure, without the Python functions that it calls. What it waited
    is no work."""
    best = max(bounds_of_lines(profiles), key=lambda it: it.worked, default=None)
    if best is None or best.worked * NANOSECONDS <= ONE_LINE * outline.whole:
        return None
    function, number = best.function, best.line.line
    time, in_c = round(best.worked * NANOSECONDS), round(best.in_c * NANOSECONDS)
    parts = f": {seconds(time - in_c)} of its own, and {seconds(in_c)} in C with what C calls back."
    if best.is_sure:
        calls = "without the Python functions that it calls or that C calls back"
        parts = f", {calls}; {seconds(in_c)} of that in C."
    row = Row(function.file, function.first_line, function.qualname)
    return Finding(
        said_of(row._replace(line=number), f"{share(time, outline.whole)}: line {number} of"),
        time,
        row,
        advice=f"{seconds(time)} in {counted(best.line.hits, 'hit')}{parts}",
        line=number,
    )


# -- Sums ------------------------------------------------------------------------------------------


def may_be_the_way(outline: Outline, row: int, figures: Figures) -> bool:
    """Whether so much passes through a function, before what was waited is taken off, and it is
    none of those that start all others. Of functions that others wrote, those that only hand on
    are none."""
    return (
        figures.cumtime > ONE_WAY * outline.whole
        and figures.ncalls >= OFTEN
        and not outline.paths.is_builtin(row)
        and outline.paths.modules[row].package not in CALLERS_OF_ALL
        and (outline.is_own(row) or not hands_on(figures))
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
    while True:
        try:
            node = tree.row.index(row, end)  # fast where the function is rare
        except ValueError:
            return
        end = end_of(tree, node)
        yield node, end


def end_of(tree: Tree, node: int) -> int:
    """The node behind all those below a node."""
    depth, nodes = tree.depth[node], range(node + 1, len(tree))
    return next((at for at in nodes if tree.depth[at] <= depth), len(tree))


def takers(paths: Paths, row: int) -> str:
    """Whom a function hands on to: the callees that take the most of its time, and the function
    below that takes the most itself."""
    of_callees, of_all = handed_on(paths, row)
    ranked = sorted(of_callees, key=lambda callee: -of_callees[callee])[:MOST_TAKERS]
    least = TAKER * sum(of_callees.values())
    named = [one for at, one in enumerate(ranked) if at == 0 or of_callees[one] > least]
    told = [f"{called(paths.rows[one])} takes {seconds(of_callees[one])}" for one in named]
    most = max(of_all, key=lambda one: of_all[one], default=row)
    if most != row and most not in named:
        itself = f"takes the most itself, {seconds(of_all[most])}"
        told.append(f"and of all below, {called(paths.rows[most])} {itself}")
    return ", ".join(told) or "what it calls takes the time"


def handed_on(paths: Paths, row: int) -> tuple[dict[int, int], dict[int, int]]:
    """Nanoseconds in the calls of a function: of each callee, with what that called; of each
    function below, itself."""
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
    return of_callees, of_all


def worked(figures: Figures) -> int:
    return max(0, figures.tottime - figures.waited)


def hands_on(figures: Figures) -> bool:
    """Whether a function's own time is next to nothing of what passes through it."""
    return figures.tottime < HANDS_ON * figures.cumtime
