"""The functions that take most of a run: what each worked or waited itself, and what others did for
it, with the largest parts of that, its calls and its callers."""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.findings.below import longest_inside, main_thread_of
from tracer.analysis.findings.blocked_loop import LET_OTHERS, blocks_loop, told_of_loop
from tracer.analysis.findings.callers import by_whom, callers_of
from tracer.analysis.findings.child_processes import ONE_BY_ONE, told_children
from tracer.analysis.findings.wait_words import (
    FOR_GIL,
    GIL,
    LOCKS,
    PROCESSES,
    advice_on,
    is_for_gil,
    reason,
)
from tracer.analysis.outline.finding import (
    Finding,
    counted,
    said_of,
    seconds,
    seconds_of,
    share,
)
from tracer.analysis.outline.names import callees_reached, name_with, subject
from tracer.analysis.outline.wrappers import MORE
from tracer.analysis.tree.called_names import called
from tracer.analysis.tree.folding import MODULE
from tracer.analysis.tree.parts import places_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tracer.analysis.outline.outline import Outline
    from tracer.analysis.outline.sums import Sum
    from tracer.analysis.tree.call_tree import Row, Tree
    from tracer.data.sampled import Count

WORKS = 0.25  # of the time: a function with less is no finding ...
WAITS = 0.2  # ... or, where it waits most of it, with less than this ...
SHORTEST_WAIT = 100_000_000  # ns, or this
MOSTLY = 0.75  # of a function's time: if it waits for so much, it waits
HAS_PART = 0.1  # of a function's time: a smaller part is not named
ITSELF = 0.9  # of a function's time: if it has so much itself, no part is named
NAMED = 2  # parts at most
TURNS = 0.2  # of its time in all threads: a function that waits for less takes no turns
RECURSION = 2  # calls for each that is no recursion: with fewer it is not told
ONE_CALL = 0.5  # of a function's time: a single call that took so much ...
OF_MANY = 20  # ... of so many or more calls is told
ADVICE = "Fewer calls, or less to do in each, would save the most."


class Part(NamedTuple):
    """What others did for a function. about: a package, or a function. row: of the one that took
    most there. waits: whether they mostly waited."""

    about: object
    row: int
    name: str
    busy: int
    waited: int
    calls: int
    waits: bool

    def told(self, outline: Outline, own: Sum, is_wait: bool) -> str:
        """The part with its time, and how often it was called where that is not as often as the
        function."""
        time = self.waited if self.waits else self.busy
        waiting = "waiting in " if self.waits and not is_wait else ""
        often = "" if self.calls == own.calls else f" ({counted(self.calls)})"
        return f"{seconds_of(outline.paths, time)} {waiting}{self.name}{often}"


def costly_functions(outline: Outline) -> Iterator[Finding]:
    """The functions of the program with the most time of their own and of what others did for them.
    No time is in two of these."""
    for row in costly_rows(outline):
        yield told_of(outline, row)


def costly_rows(outline: Outline) -> list[int]:
    """Those that are told, the one with the most time first."""
    sums, least = outline.sums, max(1.0, min(WORKS, WAITS) * outline.length)
    rows = [row for row, busy in enumerate(sums.busy) if busy >= least]
    rows = [row for row in rows if is_enough(outline, row, sums.whole(row))]
    return sorted(rows, key=lambda row: -sums.busy[row])


def is_enough(outline: Outline, row: int, whole: Sum) -> bool:
    if whole.busy >= WORKS * outline.length:
        return not only_waits(outline, row, whole) or whole.waited >= SHORTEST_WAIT
    return only_waits(outline, row, whole) and whole.waited >= SHORTEST_WAIT


def only_waits(outline: Outline, row: int, whole: Sum) -> bool:
    """Whether most of a function's time is that of others that wait for it."""
    others = outline.sums.others.get(row, {}).values()
    return sum(other.busy for other in others if waits(other)) >= MOSTLY * whole.busy


def waits(of: Sum) -> bool:
    return 2 * of.real_wait > of.busy


def told_of(outline: Outline, row: int) -> Finding:
    sums, function = outline.sums, outline.rows[row]
    shown = place_of(name_of(outline, row))
    own, whole = sums.own(row), sums.whole(row)
    parts = parts_of(outline, row)
    is_wait = only_waits(outline, row, whole)
    is_turn = not is_wait and takes_turns(outline, row)
    itself = own.busy >= ITSELF * whole.busy
    verb, time = ("waits", whole.waited) if is_wait else ("takes", whole.busy)
    text = f", {verb} {seconds_of(outline.paths, time)}{' itself' * itself}"
    text += how_often(outline, row, own, function)
    threads = threads_of(outline, row)
    children = told_children(outline, row, own, threads) if is_wait else ""
    text += children
    text += in_threads(outline, row, threads, is_turn) if threads > 1 else ""
    inner = "" if itself or children else inner_part(outline, row, parts, whole)
    text += "" if itself else named_parts(outline, parts, own, whole, is_wait, inner)
    one = one_of_many(outline, row, parts, whole)
    text += one + told_of_loop(outline, row, own.calls, bool(one))
    most = parts[0] if parts and is_wait else None
    about_parts = tuple((part.about, function) for part in parts)
    callers = tuple((function, outline.rows[one]) for one in callers_of(outline, row))
    return Finding(
        said_of(shown, f"{share(whole.busy, outline.length)}:", text),
        whole.busy,
        function,
        aside=reason_of(outline, most),
        also=(*about_parts, *callers, *((FOR_GIL,) * is_turn)),
        advice=advice_of(outline, row, parts, most, is_turn, children),
        figure="waited" if is_wait else "",
        callee=None if most is None else outline.rows[most.row],
    )


def name_of(outline: Outline, row: int) -> Row:
    """A function; a wrapper with all that it wraps."""
    rows = [outline.rows[one] for one in outline.sums.rows_of(row) if one != row]
    if len(rows) < 2:
        return rows[0] if rows else outline.rows[row]
    names = (name for one in rows for name in one.name.partition("(")[2][:-1].split(", "))
    first, *others = dict.fromkeys(names)
    more = f", {MORE}" * (len(others) > 1)
    wrapped = f"{first}, {others[0]}{more}" if others else first
    return rows[0]._replace(name=f"{rows[0].name.partition('(')[0]}({wrapped})")


def threads_of(outline: Outline, row: int) -> int:
    """In how many threads a function ran."""
    rows = outline.sums.rows_of(row)
    return sum(any(one in tree.row for one in rows) for tree in outline.paths.trees)


def place_of(function: Row) -> Row:
    """The function; the code of a module with its file alone."""
    return function._replace(line=0) if function.name == MODULE else function


# -- Calls and callers -----------------------------------------------------------------------------


def how_often(outline: Outline, row: int, own: Sum, function: Row) -> str:
    """How often a function was called, and by whom."""
    if outline.paths.sampled is not None and function.name != MODULE:
        return counted_in(outline, row, outline.paths.sampled.counts.get(function))
    if function.name == MODULE or not own.calls:
        return ""
    by = by_whom(outline, row)
    if own.calls < RECURSION * max(own.entries, 1):
        return f" in {counted(own.calls)}{by}"
    depth = max(depth_of(tree, row) for tree in outline.paths.trees)  # of a wrapper: not known
    became = f"{counted(own.entries)}{by} became {own.calls:,}"
    return f": {became}, a recursion" + f" up to {depth:,} deep" * (depth > 1)


def counted_in(outline: Outline, row: int, count: Count | None) -> str:
    """The same where times come from samples, and calls were counted as far as that was cheap."""
    by = by_whom(outline, row)
    if count is None:
        return f", called{by}" if by else ""
    return f" in {counted(count.calls)}{'' if count.is_exact else ' or more'}{by}"


def depth_of(tree: Tree, row: int) -> int:
    """On how many levels of one path a function is at most."""
    depths = tree.depth
    path: list[int] = []
    deepest = before = 0
    for node in places_of(tree, row):
        lowest = min(depths[before + 1 : node + 1])
        while path and path[-1] >= lowest:
            path.pop()
        path.append(depths[node])
        deepest = max(deepest, len(path))
        before = node
    return deepest


# -- Parts -----------------------------------------------------------------------------------------


def parts_of(outline: Outline, row: int) -> list[Part]:
    """What others did for a function, the largest first: of one package together."""
    reached = callees_reached(outline, row)
    by_subject: dict[object, list[tuple[int, int, Sum]]] = {}
    for callee, of in outline.sums.others.get(row, {}).items():
        shown = reached.get(callee, callee)
        by_subject.setdefault(subject(outline, shown), []).append((callee, shown, of))
    parts = [part_of(outline, row, about, those) for about, those in by_subject.items()]
    return sorted(parts, key=lambda part: -part.busy)


def part_of(outline: Outline, row: int, about: object, those: list[tuple[int, int, Sum]]) -> Part:
    times: dict[int, int] = {}
    calls: dict[int, int] = {}
    for callee, shown, of in those:
        members = outline.sums.members.get((row, callee)) if callee == shown else None
        for member, (time, often) in (members or {shown: (of.busy, of.calls)}).items():
            times[member] = times.get(member, 0) + time
            calls[member] = calls.get(member, 0) + often
    name, named = name_with(about, outline, times)
    busy = sum(of.busy for _, _, of in those)
    waited = sum(of.waited for _, _, of in those)
    often = sum(calls[member] for member in named)
    is_wait = 2 * sum(of.real_wait for _, _, of in those) > busy
    return Part(about, named[0], name, busy, waited, often, is_wait)


def named_parts(
    outline: Outline, parts: list[Part], own: Sum, whole: Sum, is_wait: bool, inner: str
) -> str:
    """The two largest parts, the function itself among them. is_wait: it is said that it waits.
    inner: what is told of the largest."""
    told = [
        (part.busy, part.told(outline, own, is_wait) + (inner if part is parts[0] else ""))
        for part in parts
    ]
    told.append((own.busy, f"{seconds_of(outline.paths, own.busy)} itself"))
    told = [one for one in told if one[0] >= HAS_PART * whole.busy]
    told.sort(key=lambda one: -one[0])
    return "".join((": ", ", ".join(text for _, text in told[:NAMED])))


def inner_part(outline: Outline, row: int, parts: list[Part], whole: Sum) -> str:
    """What took most of the largest part inside of it, if that is a package and most of all: a
    function of another package."""
    if not parts or not isinstance(parts[0].about, str) or 2 * parts[0].busy < whole.busy:
        return ""
    inside, time = longest_inside(outline, row)
    name = called(outline.rows[inside])
    is_there = name in parts[0].name or outline.paths.modules[inside].package == parts[0].about
    if is_there or 2 * time < parts[0].busy or name.endswith(LOCKS):
        return ""
    return f", {seconds_of(outline.paths, time)} of it {name}"


def one_of_many(outline: Outline, row: int, parts: list[Part], whole: Sum) -> str:
    """That a single call took most: of the function, or of what took most of it."""
    rows = [row, *(part.row for part in parts[:1] if 2 * part.busy > whole.busy)]
    for one in rows:
        of = outline.paths.figures.get(one)
        if of is None or of.ncalls < OF_MANY or of.resumes or of.primitive < of.ncalls:
            continue
        if ONE_CALL * of.cumtime <= of.longest <= of.cumtime:
            which = "" if one == row else f" of {called(outline.rows[one])}"
            return f"; one of {of.ncalls:,} calls{which} took {seconds(of.longest)}"
    return ""


# -- Threads and advice ----------------------------------------------------------------------------


def in_threads(outline: Outline, row: int, threads: int, is_turn: bool) -> str:
    """In how many threads a function ran, and in which of them most."""
    text = f", in {counted(threads, 'thread')}"
    if is_turn:
        return f"{text} one at a time"
    most = main_thread_of(outline, row)
    return f"{text}, most in {most}" if most else text


def takes_turns(outline: Outline, row: int) -> bool:
    """Whether a function waits in several threads, by turns, for the GIL."""
    of = outline.sums.own(row)
    waits_much = of.waited >= TURNS * (of.worked + of.waited) > 0
    return waits_much and threads_of(outline, row) > 1 and is_for_gil(outline, row)


def reason_of(outline: Outline, part: Part | None) -> str:
    if part is None or outline.rows[part.row].file != "~":
        return ""
    return reason(outline.rows[part.row], len(outline.paths.trees) > 1)


def advice_of(
    outline: Outline, row: int, parts: list[Part], most: Part | None, is_turn: bool, children: str
) -> str:
    """children: what is told of child processes."""
    if blocks_loop(outline, row):
        return LET_OTHERS
    if ONE_BY_ONE in children:
        return PROCESSES
    if most is not None:
        return advice_on(outline.rows[most.row])
    waiting = next((advice_on(outline.rows[part.row]) for part in parts[:NAMED] if part.waits), "")
    return GIL if is_turn else f"{ADVICE} {waiting}".strip() if parts else ""
