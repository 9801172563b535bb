"""What stands out in a run, and how many seconds a mend could save: a finding a rule.

A rule is a function that reads the run and returns its Finding, or None. RULES lists them: to add
one, write the function and put it there. No finding is better than one that the reader knows
already or can do nothing about, so each rule has its thresholds. The page's are in
page/findings.js.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from tracer.analysis.folding import FINDING, IMPORTED, MODULE
from tracer.analysis.outline import BUILT_IN, IMPORT, OWN, PACKAGE, Outline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.analysis.call_tree import Row
    from tracer.analysis.outline import Node

NANOSECONDS = 1e9
SHORTEST_RUN = 20_000_000  # ns: shares of a shorter run say little

IMPORTS = 0.2  # of the time: imports with less are no finding
ONE_FUNCTION = 0.25  # ... and a function with less of its own
ONE_PACKAGE = 0.3  # ... and what a package did for one function
MANY_CALLS = 0.1  # ... and what is called again and again
AGAIN_AND_AGAIN = 1000  # calls ...
EACH_TIME = 100  # ... for each call of the caller
SMALL_CALLS = 100_000  # ... of a builtin, which are cheap
NAMED = 3  # imports are named at most


class Finding(NamedTuple):
    """text: one line, with `{place}` where the place of `row` is to stand, if there is a row.
    saving: the seconds that it could save at most. about: what it is about; of two findings about
    the same, only the first is told."""

    text: str
    saving: float
    about: object
    row: Row | None = None


def findings(outline: Outline, most: int) -> list[Finding]:
    """The findings that could save most, at most `most` of them."""
    if outline.whole < SHORTEST_RUN:
        return []
    found = [finding for rule in RULES for finding in [rule(outline)] if finding is not None]
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
            asker = own_caller(outline, node)
            if asker is not None:
                askers[asker] += node.own
    whole = sum(times.values())
    if not askers or whole < IMPORTS * outline.whole:
        return None
    ranked = sorted((name for name in times if name != FINDING), key=lambda name: -times[name])
    named = [name for name in ranked if times[name] >= whole / 10][:NAMED]
    named = [f"{name} ({seconds(times[name])})" for name in named]
    asker = max(askers, key=lambda row: askers[row])
    mostly = "asked for" if askers[asker] >= whole / 2 else "some asked for"
    return Finding(
        f"{share(whole, outline)}: importing {', '.join(named)}; {mostly} at {{place}}",
        whole / NANOSECONDS,
        "imports",
        asker,
    )


def one_function(outline: Outline) -> Finding | None:
    """A function of the program with much time of its own."""
    times: dict[int, int] = defaultdict(int)
    calls: dict[int, int] = defaultdict(int)
    for node in outline.walk():
        if node.kind == OWN and node.name != MODULE:
            times[node.row] += node.own
            calls[node.row] += node.calls
    if not times:
        return None
    row = max(times, key=lambda row: times[row])
    if times[row] < ONE_FUNCTION * outline.whole:
        return None
    often = counted(calls[row])
    return Finding(
        f"{share(times[row], outline)}: {outline.rows[row].name} itself, {{place}}: "
        f"{seconds(times[row])} in {often}",
        times[row] / NANOSECONDS,
        row,
        outline.rows[row],
    )


def one_callee(outline: Outline) -> Finding | None:
    """A package, or a builtin, that one function of the program spends its time in."""
    times: dict[tuple[int, Row], int] = defaultdict(int)
    calls: dict[tuple[int, Row], int] = defaultdict(int)
    told: dict[tuple[int, Row], str] = {}
    longest: dict[tuple[int, Row], int] = defaultdict(int)
    for node in outline.walk():
        caller = own_caller(outline, node) if node.kind in (PACKAGE, BUILT_IN) else None
        if caller is not None:
            key = node.row, caller
            times[key] += node.own
            calls[key] += node.calls
            if node.own >= longest[key]:
                longest[key], told[key] = node.own, callee_name(outline, node)
    if not times:
        return None
    key = max(times, key=lambda key: times[key])
    if times[key] < ONE_PACKAGE * outline.whole:
        return None
    row, caller = key
    return Finding(
        f"{share(times[key], outline)}: {told[key]}, {seconds(times[key])} in "
        f"{counted(calls[key])} by {caller.name}, {{place}}",
        times[key] / NANOSECONDS,
        row,
        caller,
    )


def again_and_again(outline: Outline) -> Finding | None:
    """What a function of the program calls again and again in one call, as a query for each row."""
    best: Node | None = None
    for node in outline.walk():
        least = SMALL_CALLS if node.kind == BUILT_IN else AGAIN_AND_AGAIN
        above = node.parent
        if (
            node.kind != IMPORT
            and above is not None
            and above.kind == OWN
            and node.calls >= max(least, EACH_TIME * above.calls)
            and node.total >= MANY_CALLS * outline.whole
            and (best is None or node.total > best.total)
        ):
            best = node
    if best is None or best.parent is None:
        return None
    caller = outline.rows[best.parent.row]
    each = best.total / best.calls
    return Finding(
        f"{share(best.total, outline)}: {best.calls:,} calls of {callee_name(outline, best)}, "
        f"{short(each)} each, by {caller.name}, {{place}}",
        best.total / NANOSECONDS,
        best.row,
        caller,
    )


# A rule for each thing that a newcomer would want to be told. The first of two about the same wins.
RULES: tuple[Callable[[Outline], Finding | None], ...] = (
    slow_imports,
    again_and_again,
    one_function,
    one_callee,
)

# -- Words -----------------------------------------------------------------------------------------


def own_caller(outline: Outline, node: Node) -> Row | None:
    """The function of the program that a node was called from."""
    for caller in node.callers():
        if caller.kind == OWN:
            return outline.rows[caller.row]
    return None


def callee_name(outline: Outline, node: Node) -> str:
    """The name of a node; of a folded package, with the function that took longest there."""
    if node.kind == PACKAGE and node.members:
        row = max(node.members, key=lambda row: node.members[row])
        return f"{node.name} ({outline.rows[row].name})"
    return node.name.strip("<>").removeprefix("builtins.") if node.kind == BUILT_IN else node.name


def share(time: int, outline: Outline) -> str:
    return f"{100 * time / outline.whole:.0f}%"


def seconds(time: int) -> str:
    return f"{time / NANOSECONDS:.2f} s" if time >= NANOSECONDS / 10 else short(time)


def short(time: float) -> str:
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if time >= size:
            return f"{time / size:.3g} {unit}"
    return f"{time:.0f} ns"


def counted(number: int) -> str:
    return f"{number:,} call{'s' * (number != 1)}"
