"""What stands out in a run, and how many seconds a mend could save: a finding a rule.

RULES lists the rules: to add one, write the function and put it there. No finding is better than
one that the reader knows already or can do nothing about, so each rule has its thresholds.
waits.py and coroutines.py have the rules of what was waited for, memory.py that of memory,
figures.py and run.py those of hints. Outputs have them from tracer.results.
"""

from __future__ import annotations

from collections import defaultdict

from tracer.analysis.findings.coroutines import COROUTINE_RULES
from tracer.analysis.findings.costly import costly_functions, costly_rows
from tracer.analysis.findings.garbage import collections
from tracer.analysis.findings.library_calls import again_by_libraries
from tracer.analysis.findings.memory import kept_memory
from tracer.analysis.findings.sampled_waits import sampled_waits
from tracer.analysis.findings.spread import library_threads, spread_costs
from tracer.analysis.findings.timeline import timeline_findings
from tracer.analysis.findings.waits import WAIT_RULES
from tracer.analysis.outline.finding import (
    NOBODY,
    Finding,
    found_by,
    is_sure,
    said_of,
    seconds,
    share,
    short,
)
from tracer.analysis.outline.names import callee_of, name_with, subject
from tracer.analysis.tree.called_names import bare
from tracer.analysis.tree.folding import FINDING, IMPORTED, MODULE
from tracer.analysis.tree.kinds import BUILT_IN, IMPORT, OWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.nodes import Node
    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.tree.call_tree import Row
    from tracer.data.profile_set import ProfileSet

SHORTEST_RUN = 20_000_000  # ns: shares of a shorter run say little

IMPORTS = 0.2  # of the time: imports with less are no finding
AGAIN = 0.1  # ... and what is called again and again: at least ...
OFTEN = 300  # ... so often, ...
EACH_TIME = 100  # ... so often for each call of the caller ...
SMALL_CALLS = 100_000  # ... and a builtin, whose calls are cheap, so often
NAMED = 3  # imports are named at most
IMPORT_LATER = "What is seldom needed can be imported where it is used."


def findings(
    outline: Outline,
    most: int | None,
    profiles: ProfileSet | None = None,
    *,
    has_memory: bool = True,
    is_running: bool = False,
) -> list[Finding]:
    """The findings that could save most, at most `most` of them; None: all. profiles: their
    timeline and, unless has_memory is False, their memory are looked at, too. One of memory saves
    no seconds. It comes first where it is about half of the peak or more, for who records memory
    asks for that; else it comes last. is_running: the program is, and its page shows its objects.
    """
    of_memory: list[Finding] = []
    if profiles is not None and has_memory:
        of_memory += found_by((kept_memory,), outline, profiles, is_running)
    if outline.length < SHORTEST_RUN:
        return of_memory
    found = [] if profiles is None else timeline_findings(profiles, outline)
    timed = {subject for finding in found for subject in (finding.subject, *finding.also)}
    found += [it for it in found_by(RULES, outline) if it.subject not in timed]
    found = [it for it in found if not is_told_otherwise(it, found)]
    found = [it for it in found if not it.saving or is_sure(outline.paths, it.saving)]
    if profiles is not None:
        found += found_by((sampled_waits,), profiles)
    found.sort(key=lambda finding: -finding.saving)
    different: list[Finding] = []
    told: set[object] = set()
    for finding in found:
        if finding.subject not in told:
            different.append(finding)
        told.update((finding.subject, *finding.also))
    room = None if most is None else most - len(of_memory)
    return sorted([*different[:room], *of_memory], key=lambda finding: not finding.leads)


def is_told_otherwise(finding: Finding, found: list[Finding]) -> bool:
    """Whether another finding tells most of what this one of a function does."""
    return finding.rule == costly_functions.__name__ and any(
        finding.row in other.instead and 2 * other.saving >= finding.saving for other in found
    )


# -- The rules -------------------------------------------------------------------------------------


def slow_imports(outline: Outline) -> Finding | None:
    """Imports that the program's code asked for, other than of its own modules."""
    times: dict[str, int] = defaultdict(int)
    askers: dict[str, dict[int, int]] = defaultdict(dict)  # by import: who asked, and its time
    for (row, asker), time in outline.sums.imports.items():
        name = outline.rows[row].name.removeprefix(IMPORTED)
        times[name] += time
        if asker != NOBODY:
            askers[name][asker] = time
    whole = sum(times.values())
    if not askers or whole < IMPORTS * outline.length:
        return None
    ranked = sorted((name for name in times if name != FINDING), key=lambda name: -times[name])
    named = [name for name in ranked if times[name] >= whole / 20][:NAMED]
    what = ", ".join(f"{name} ({seconds(times[name])})" for name in named) or "modules"
    first = next(name for name in (*named, *askers) if name in askers)
    asked = "asked for"
    if named and first not in (named[0], FINDING):
        asked = f"{first} asked for"
    elif len(named) > 1 and first == named[0]:
        asked = "the first"
    who = outline.rows[max(askers[first], key=lambda row: askers[first][row])]
    place = import_place(who, first, outline.text_of(who.file))
    parts = f"{share(whole, outline.length)}: importing {what}; {asked} ", *place
    return Finding(parts, whole, who, "imports", advice=IMPORT_LATER)


def again_and_again(outline: Outline) -> Finding | None:
    """What a function of the program calls again and again in one call, as a query for each row,
    where no function of these is told that takes most of it."""
    costly = set(costly_rows(outline))
    found: list[tuple[int, int, Node, Node]] = []
    for node, parent in calls_by_program(outline):
        time, calls = node.real, node.entries
        if node.members:  # of a package, one function
            member = max(node.members.values())
            time, calls = min(time, member.time), member.calls
        if (
            node.kind != IMPORT
            and time >= AGAIN * outline.length
            and calls >= EACH_TIME * parent.calls
            and calls >= (SMALL_CALLS if node.kind == BUILT_IN else OFTEN)
            and outline.sums.around.get(parent.row, parent.row) not in costly
            and not any(one.row in costly for one in node.walk())
            # A loop that is called once a thread sees each item once: that is no work done again.
            and not (node.kind == OWN and parent.calls <= threads_with(outline, parent))
        ):
            found.append((time, calls, node, parent))
    if not found:
        return None
    time, calls, node, parent = max(found, key=lambda it: it[0])
    caller = outline.rows[outline.sums.around.get(parent.row, parent.row)]
    row = callee_of(outline, node)
    about = subject(outline, row)
    member_row = max(node.members, key=lambda row: node.members[row].time, default=row)
    what, _ = name_with(about, outline, {member_row: time})
    each = short(time / calls)
    return Finding(
        said_of(
            caller,
            f"{share(time, outline.length)}:",
            f", calls {what} {calls:,} times, {each} each",
        ),
        time,
        caller,
        (about, caller),
        advice="One call for all of them, or what was found the first time, may do.",
    )


# A rule for each thing that a newcomer would want to be told. The first of two about the same wins.
RULES = (
    slow_imports,
    collections,
    again_by_libraries,
    costly_functions,
    spread_costs,
    library_threads,
    again_and_again,
    *COROUTINE_RULES,
    *WAIT_RULES,
)

# -- Words -----------------------------------------------------------------------------------------


def calls_by_program(outline: Outline) -> Iterator[tuple[Node, Node]]:
    """What functions of the program call, with these functions."""
    for node in outline.walk():
        if node.parent is not None and node.parent.kind == OWN:
            yield node, node.parent


def threads_with(outline: Outline, node: Node) -> int:
    """How many threads call the function that a node of the program is."""
    return sum(node.row in tree.row for tree in outline.paths.trees)


def import_place(row: Row, module: str, text: str | None) -> tuple[str | Row, ...]:
    """Where a function imports a module, as parts of a finding: at which line, if that is known.
    text: of the file."""
    from tracer.source.import_lines import import_line  # not for each run: it imports ast

    line = text and import_line(text, row.line, row.name, module)
    if line:
        return "at ", row._replace(line=line)
    if row.name == MODULE:
        return "in ", row._replace(line=0)
    return f"in {bare(row.name)}, ", row
