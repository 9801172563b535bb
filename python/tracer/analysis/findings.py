"""What stands out in a run, and how many seconds a mend could save: a finding a rule.

A rule is a function that reads the run and returns its Finding, or None. RULES lists them: to add
one, write the function and put it there. No finding is better than one that the reader knows
already or can do nothing about, so each rule has its thresholds. wait_findings.py and
coroutine_findings.py have the rules of what was waited for. The page shows the same findings, and
those of page/findings.js.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.coroutine_findings import COROUTINE_RULES
from tracer.analysis.finding import NANOSECONDS, Finding, bare, counted, seconds, share, short
from tracer.analysis.folding import FINDING, IMPORTED, MODULE
from tracer.analysis.outline import BUILT_IN, IMPORT, OPENED, OWN, PACKAGE, Outline
from tracer.analysis.wait_findings import WAIT_RULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tracer.analysis.call_tree import Row
    from tracer.analysis.outline import Node

SHORTEST_RUN = 20_000_000  # ns: shares of a shorter run say little

IMPORTS = 0.2  # of the time: imports with less are no finding
ONE_FUNCTION = 0.25  # ... and a function with less of its own
OTHERS_WORK = 0.3  # ... and what a package did for one function
AGAIN = 0.1  # ... and what is called again and again: at least ...
OFTEN = 300  # ... so often, ...
EACH_TIME = 100  # ... so often for each call of the caller ...
SMALL_CALLS = 100_000  # ... and a builtin, whose calls are cheap, so often
NAMED = 3  # imports are named at most


def findings(outline: Outline, most: int) -> list[Finding]:
    """The findings that could save most, at most `most` of them."""
    if outline.whole < SHORTEST_RUN:
        return []
    found = [
        finding._replace(rule=rule.__name__)
        for rule in RULES
        for finding in [rule(outline)]
        if finding is not None
    ]
    found.sort(key=lambda finding: -finding.saving)
    different: dict[object, Finding] = {}
    for finding in found:
        different.setdefault(finding.about, finding)
    return list(different.values())[:most]


# -- The rules -------------------------------------------------------------------------------------


def slow_imports(outline: Outline) -> Finding | None:
    """Imports that the program's code asked for, other than of its own modules."""
    times: dict[str, int] = defaultdict(int)
    askers: dict[Row, int] = defaultdict(int)
    for node in outline.walk():
        if node.kind == IMPORT:
            times[node.name.removeprefix(IMPORTED)] += node.own
            asker = program_caller(node)
            if asker is not None:
                askers[outline.rows[asker.row]] += node.own
    whole = sum(times.values())
    if not askers or whole < IMPORTS * outline.whole:
        return None
    ranked = sorted((name for name in times if name != FINDING), key=lambda name: -times[name])
    named = [name for name in ranked if times[name] >= whole / 20][:NAMED]
    named = [f"{name} ({seconds(times[name])})" for name in named]
    what = ", ".join(named) or "modules"
    row = max(askers, key=lambda row: askers[row])
    asked = "asked for" if askers[row] >= whole / 2 else "some asked for"
    return Finding(
        f"{share(whole, outline.whole)}: importing {what}; {asked} at {{place}}",
        whole / NANOSECONDS,
        "imports",
        row,
    )


def one_function(outline: Outline) -> Finding | None:
    """A function that worked for much time of its own, where it is not folded."""
    times: dict[int, int] = defaultdict(int)
    calls: dict[int, int] = defaultdict(int)
    for node in outline.walk():
        if node.kind == OWN or (node.kind == OPENED and not is_entry(node)):
            times[node.row] += node.own - node.own_waited
            calls[node.row] += node.calls
    row = max(times, key=lambda row: times[row], default=None)
    if row is None or times[row] < ONE_FUNCTION * outline.whole:
        return None
    function = outline.rows[row]
    if function.name == MODULE:
        return None
    return Finding(
        f"{share(times[row], outline.whole)}: {bare(function.name)}, {{place}}, takes "
        f"{seconds(times[row])} itself, in {counted(calls[row])}",
        times[row] / NANOSECONDS,
        function,
        function,
    )


def others_work(outline: Outline) -> Finding | None:
    """What a package, or a builtin, did for one function of the program."""
    times: dict[tuple[object, Row], int] = defaultdict(int)
    calls: dict[tuple[object, Row], int] = defaultdict(int)
    longest: dict[tuple[object, Row], tuple[int, Node]] = {}
    for node, caller in calls_to_others(outline):
        key = subject(outline, node), outline.rows[caller.row]
        time = time_of_others(node)
        times[key] += time
        calls[key] += node.calls
        longest[key] = max(longest.get(key, (-1, node)), (time, node), key=lambda pair: pair[0])
    if not times:
        return None
    key = max(times, key=lambda key: times[key])
    if times[key] < OTHERS_WORK * outline.whole:
        return None
    name = callee_name(outline, longest[key][1])
    return Finding(
        f"{share(times[key], outline.whole)}: {bare(key[1].name)}, {{place}}, spends "
        f"{seconds(times[key])} in {name}, {counted(calls[key])}",
        times[key] / NANOSECONDS,
        key,
        key[1],
    )


def again_and_again(outline: Outline) -> Finding | None:
    """What a function of the program calls again and again in one call, as a query for each row."""
    best: tuple[int, int, Node, Node] | None = None
    for node, parent in calls_by_program(outline):
        time, calls = node.total, node.entries
        if node.members:  # of a package, one function
            time, calls = max(node.members.values())
        if (
            node.kind != IMPORT
            and time >= AGAIN * outline.whole
            and calls >= EACH_TIME * parent.calls
            and calls >= (SMALL_CALLS if node.kind == BUILT_IN else OFTEN)
            and not (node.kind == OWN and is_main_loop(outline, parent))
            and (best is None or time > best[0])
        ):
            best = time, calls, node, parent
    if best is None:
        return None
    time, calls, node, parent = best
    caller = outline.rows[parent.row]
    waited = time * node.waited / node.total
    return Finding(
        f"{share(time, outline.whole)}: {bare(caller.name)}, {{place}}, calls "
        f"{callee_name(outline, node)} {calls:,} times, {short(time / calls)} each",
        (time - waited + waited / threads_with(outline, parent)) / NANOSECONDS,
        (subject(outline, node), caller),
        caller,
    )


# A rule for each thing that a newcomer would want to be told. The first of two about the same wins.
RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    slow_imports,
    again_and_again,
    one_function,
    others_work,
    *COROUTINE_RULES,
    *WAIT_RULES,
)

# -- Words -----------------------------------------------------------------------------------------


def program_caller(node: Node) -> Node | None:
    """The function of the program that a node was called from, maybe by way of others."""
    return next((caller for caller in node.callers() if caller.kind == OWN), None)


def calls_by_program(outline: Outline) -> Iterator[tuple[Node, Node]]:
    """What functions of the program call, with these functions."""
    for node in outline.walk():
        if node.parent and is_entry(node):
            yield node, node.parent


def calls_to_others(outline: Outline) -> Iterator[tuple[Node, Node]]:
    """Those of these calls that are of what is not the program's."""
    for node, caller in calls_by_program(outline):
        if node.kind in (PACKAGE, BUILT_IN, OPENED):
            yield node, caller


def is_entry(node: Node) -> bool:
    """Whether a function of the program calls this node."""
    return node.parent is not None and node.parent.kind == OWN


def is_main_loop(outline: Outline, node: Node) -> bool:
    """Whether a function is called once a thread, so that its loop sees each item once: that is no
    work done again."""
    return node.calls <= threads_with(outline, node)


def threads_with(outline: Outline, node: Node) -> int:
    """How many threads call the function that a node of the program is."""
    return sum(node.row in tree.row for tree in outline.paths.trees)


def time_of_others(node: Node) -> int:
    """The time that a node worked, without that of imports, and of the program's functions that it
    calls back."""
    waiting, time = [node], 0
    while waiting:
        one = waiting.pop()
        time += one.own - one.own_waited
        waiting += [child for child in one.children if child.kind not in (OWN, IMPORT)]
    return time


def subject(outline: Outline, node: Node) -> object:
    """What a node is about: a package, or a function."""
    if node.kind == OPENED:
        return outline.paths.modules[node.row].package
    return node.name if node.kind == PACKAGE else outline.rows[node.row]


def callee_name(outline: Outline, node: Node) -> str:
    """The name of a node, with that of its package; of a folded package, with the function that
    took longest there."""
    if node.kind == PACKAGE and node.members:
        row = max(node.members, key=lambda row: node.members[row].time)
        return f"{node.name} ({bare(outline.rows[row].name)})"
    if node.kind == OPENED:
        chain = [one for one in (*node.leads, node) if one.kind == OPENED]
        for one in chain:
            package = outline.paths.modules[one.row].package
            if not package.startswith("<"):  # else made from text
                return f"{package} ({bare(one.name)})"
    if node.kind == BUILT_IN:
        return node.name.strip("<>").removeprefix("builtins.")
    return bare(node.name)
