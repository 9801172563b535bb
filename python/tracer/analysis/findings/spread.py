"""Where the time went when no function of the program has much: the innermost functions below which
much of the run is, and threads that work for a library."""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.findings.costly import RECURSION, WORKS, costly_rows
from tracer.analysis.outline.finding import Finding, counted, said_of, seconds_of, share
from tracer.analysis.outline.names import name_with, subject
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.folding import LEADERS, MODULE
from tracer.analysis.tree.kinds import IMPORT, OWN
from tracer.data.records import NO_ROW

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.nodes import Node
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Tree

HALF = 0.5  # of a function's time: its two largest parts have so much
NAMED = 2  # parts
MAIN = "MainThread"
INSIDE = "Its parts share the time: the largest of them first, or fewer calls of it."
LIBRARY = (
    "A library does this for the program: less to hand over, or larger pieces, would save most."
)

# -- Innermost functions ---------------------------------------------------------------------------


def spread_costs(outline: Outline) -> Iterator[Finding]:
    """The innermost functions of the program below which much of the run is, if two parts have most
    of that, and no function took as much itself or had others do."""
    if costly_rows(outline):
        return
    least = WORKS * outline.length
    collected = collected_by(outline)
    for root in outline.roots:
        for node in innermost(root, least):
            parts = parts_of(outline, node, collected)
            time = node.real - round(told_elsewhere(node, collected))
            works = time >= least and 2 * node.waited <= node.total  # others tell of waits
            if works and sum(part for part, _ in parts) >= HALF * time:
                yield told_of(outline, node, time, parts)


def innermost(node: Node, least: float) -> list[Node]:
    """The innermost nodes of the program with so much time, of this and all below."""
    found: list[Node] = []
    # Nodes, each twice: then with how many were found before those below it. A tree may be deeper
    # than Python's stack.
    waiting: list[tuple[Node, int | None]] = [(node, None)]
    while waiting:
        one, before = waiting.pop()
        if one.kind == IMPORT or one.real < least:
            continue
        if before is None:
            waiting.append((one, len(found)))
            waiting += ((child, None) for child in one.children)
        elif before == len(found) and one.kind == OWN and one.name != MODULE:
            found.append(one)
    return found


def collected_by(outline: Outline) -> dict[int, float]:
    """By row: the part of a function's own time that garbage collections took."""
    found: dict[int, float] = defaultdict(float)
    for it in outline.collected:
        if it.row != NO_ROW:
            found[it.row] += it.time / max(1, outline.paths.figures[it.row].tottime)
    return found


def told_elsewhere(node: Node, collected: dict[int, float]) -> float:
    """What imports and garbage collections took in a node and below: of collections each place of a
    function is taken to have the same part."""
    time = 0.0
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.kind == IMPORT:
            time += one.real
        else:
            time += one.own * collected.get(one.row, 0.0)
            waiting += one.children
    return time


def parts_of(outline: Outline, node: Node, collected: dict[int, float]) -> list[tuple[int, str]]:
    """The two largest parts, the function itself among them: nanoseconds, and text."""
    parts = [(child.real, child) for child in node.children if child.kind != IMPORT]
    itself = node.own - node.own_waited - round(node.own * collected.get(node.row, 0.0))
    parts.append((max(0, itself), node))
    parts.sort(key=lambda part: -part[0])
    return [(time, part_text(outline, part, node)) for time, part in parts[:NAMED]]


def told_of(outline: Outline, node: Node, took: int, parts: list[tuple[int, str]]) -> Finding:
    function = outline.rows[node.row]
    text = f", takes {seconds_of(outline.paths, took)}{how_often(outline, node)}: "
    text += ", ".join(f"{seconds_of(outline.paths, time)} {part}" for time, part in parts)
    return Finding(
        said_of(function, f"{share(took, outline.length)}:", text),
        took,
        function,
        also=tuple((subject(outline, outermost(it).row), function) for it in node.children),
        advice=INSIDE,
    )


def how_often(outline: Outline, node: Node) -> str:
    """How often a function was called in this place, and by whom."""
    callers = (one for one in node.callers() if one.kind == OWN and not one.is_wrapper)
    caller = next(callers, None)
    by = f" by {called(outline.rows[caller.row])}" if caller else ""
    if not node.entries:  # of samples
        return by
    often = counted(node.entries) + by
    if node.calls < RECURSION * max(node.entries, 1):
        return f" in {often}"
    return f": {often} became {node.calls:,}, a recursion"


def part_text(outline: Outline, part: Node, node: Node) -> str:
    if part is node:
        return "itself"
    first = outermost(part)
    times = {row: member.time for row, member in first.members.items()} or {first.row: 1}
    name, _ = name_with(subject(outline, first.row), outline, times)
    often = "" if first.calls == node.entries else f" ({counted(first.calls)})"
    return f"{name}{often}"


def outermost(node: Node) -> Node:
    """What is called: the first of the nodes that are one row."""
    return node.leads[0] if node.leads else node


# -- Threads of libraries --------------------------------------------------------------------------


def library_threads(outline: Outline) -> Iterator[Finding]:
    """Threads beside the main one that work for much of the run, and run no function of the
    program: a library does so for it."""
    for number, tree in enumerate(outline.paths.trees):
        worked = tree.in_functions - sum(tree.waited[1:])
        if tree.name == MAIN or worked < max(1.0, WORKS * outline.length):
            continue
        if any(outline.owns[row] for row in set(tree.row[1:])):
            continue
        row, time = busiest(tree)
        package = package_of(outline, tree)
        text = f"{share(worked, outline.length)}: {tree.name}, a thread of {package}, works "
        worked_for, most = (seconds_of(outline.paths, it) for it in (worked, time))
        text += f"{worked_for}: {most} {called(outline.paths.rows[row])}"
        text += caller_of(outline, package)
        yield Finding((text,), worked, about=(tree.name, number), advice=LIBRARY)


def busiest(tree: Tree) -> tuple[int, int]:
    """The function that worked most in a thread itself, and for how long."""
    worked: dict[int, int] = defaultdict(int)
    for row, time, waited in zip(tree.row[1:], tree.time[1:], tree.waited[1:], strict=True):
        worked[row] += time - waited
    row = max(worked, key=lambda one: worked[one])
    return row, worked[row]


def package_of(outline: Outline, tree: Tree) -> str:
    """The package whose code a thread runs: the first that does more than to start it."""
    packages = (outline.paths.modules[row].package for row in tree.row[1:])
    named = (it for it in packages if it and not it.startswith("<") and it not in LEADERS)
    return next(named, "a library")


def caller_of(outline: Outline, package: str) -> str:
    """The function of the program for which a package worked, or kept it waiting, longest."""
    row = outline.folded_rows.get(package)
    times = {
        function: others[row].worked + others[row].waited
        for function, others in outline.sums.others.items()
        if row in others and outline.kinds[function] == OWN
    }
    if not times:
        return ""
    most = max(times, key=lambda function: times[function])
    return f"; {called(outline.rows[most])} calls {package}"
