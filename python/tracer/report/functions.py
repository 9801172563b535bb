"""The tables that Stats prints and pstats does not: of a figure, of resumes, of threads.

Each function returns a table as text. figure_tables.py has the texts and columns.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.call_tree import Row, cumulative_waits, paths_of
from tracer.analysis.outline import DIGITS
from tracer.analysis.waiting import Waits, idle_of, waits_of
from tracer.data.figures import FIGURES
from tracer.report.figure_tables import CUMWAIT, FIGURE_TABLES, PERCALL, TITLES
from tracer.report.styled import HEAD, function, in_lines, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label, Thread
    from tracer.report.figure_tables import FigureTable

    # Selects some of the labels, and adds the selection to the message above the table.
    Restrict = Callable[[list[Label], str], tuple[list[Label], str]]

NAME = "filename:lineno(function)"
AWAITED = " -> the innermost that it awaited"
THREADS_HEAD = "   ncalls  tottime     busy   waited     idle            ident  native id  thread"


class ThreadRow(NamedTuple):
    """A thread, its number of calls, the seconds in its functions, and those in none. number: of
    threads; several are one row, whose `thread` has a name for all."""

    thread: Thread
    calls: int
    waits: Waits
    idle: float
    number: int = 1


def figure_table(
    profiles: ProfileSet,
    name: str,
    restrict: Restrict,
    awaited: Mapping[Label, Label] | None = None,
    shown: Callable[[Label], str] = function,
) -> str:
    """The table of the figure `name`, for the functions that `restrict` selects. awaited: what
    stands behind functions, {function: another}. shown: the text of a function."""
    table = FIGURE_TABLES[name]
    numbers = numbers_of(profiles)
    if CUMWAIT in table.columns and any(row.get("waited") for row in numbers.values()):
        below = cumulative_waits(paths_of(profiles, profiles.names))
        for label, row in numbers.items():  # what is not in the paths that were kept is its own
            row[CUMWAIT] = max(row["waited"], below.get(Row(*label), 0.0))
    titles = (f"{TITLES.get(column, column):>{_width(column)}}" for column in table.columns)
    head = " ".join(titles)
    above, chosen = _headed(
        profiles, table, numbers, restrict, f"{head} {NAME}{AWAITED if awaited else ''}"
    )
    rows = []
    for label in chosen:
        row = numbers[label]
        row[PERCALL] = row[table.of] / (sum(row[figure] for figure in table.per) or 1)
        cells = " ".join(_cell(column, row[column]) for column in table.columns)
        inner = awaited and awaited.get(label)
        behind = " -> " + shown(inner) if inner else ""
        rows.append(f"{cells} " + shown(label) + behind)
    return _text(above, rows)


def resumes_table(
    profiles: ProfileSet, restrict: Restrict, shown: Callable[[Label], str] = function
) -> str:
    """The table of resumes. Below each function are the functions that resumed it."""
    found = profiles.resumes
    table, numbers = FIGURE_TABLES["resumes"], numbers_of(profiles)
    head = f"   ncalls   resumes  {NAME}, and who resumed it"
    above, chosen = _headed(profiles, table, numbers, restrict, head)
    rows = []
    for label in chosen:
        total, primitive, callers, _ = found[label]
        calls, resumes = profiles.stats[label][1], _counted(total, primitive)
        rows.append(f"{calls:9} {resumes:>9}  " + shown(label))
        for caller, counts in sorted(callers.items(), key=lambda it: (-it[1].total, it[0])):
            resumes = _counted(*counts)
            rows.append(f"{'':9} {resumes:>9}    <- " + shown(caller))
    return _text(above, rows)


def _text(above: list[str], rows: list[str]) -> str:
    return in_lines([*above, *rows, *([""] if rows else [])])


def numbers_of(profiles: ProfileSet) -> dict[Label, dict[str, float]]:
    """The figures of each function by name, times in seconds. Functions that were neither called
    nor resumed are left out: they ran already when recording began."""
    totals = profiles.totals
    found: dict[Label, dict[str, float]] = {}
    for label, (primitive, ncalls, tottime, cumtime, _) in profiles.stats.items():
        resumes = totals.resumes[label].total if label in totals.resumes else 0
        if ncalls or resumes:
            found[label] = {
                "ncalls": ncalls,
                "primitive": primitive,
                "tottime": tottime,
                "cumtime": cumtime,
                "resumes": resumes,
                **{name: of.get(label, 0.0) for name, of in totals.extras.items()},
            }
    return found


def _headed(
    profiles: ProfileSet,
    table: FigureTable,
    numbers: dict[Label, dict[str, float]],
    restrict: Restrict,
    head: str,
) -> tuple[list[str], list[Label]]:
    """The lines above the rows, and the table's functions that `restrict` selects."""
    some = [label for label, row in numbers.items() if row.get(table.among)]
    if not some:
        return [
            f"   {table.nothing if profiles.is_whole else none_recorded(profiles, table.what)}",
            "",
        ], []
    order = sorted(some, key=lambda it: (-numbers[it][table.name], -numbers[it][table.among]))
    chosen, message = restrict(order, f"   Ordered by: {table.by}\n")
    return [message, *([styled(head, HEAD)] if chosen else [])], chosen


def _width(column: str) -> int:
    if column == PERCALL:
        return len("0.000000") + 2
    return max(8, len(TITLES.get(column, column))) if _is_time(column) else 9


def _cell(column: str, number: float) -> str:
    digits = ".6f" if column == PERCALL else ".3f" if _is_time(column) else ""
    return f"{number:{_width(column)}{digits}}"


def _is_time(column: str) -> bool:
    return column in (PERCALL, CUMWAIT) or FIGURES[column].is_time


def _counted(total: int, primitive: int) -> str:
    """A number as pstats prints calls: 5/1 is five, one of them not from within the function
    itself."""
    return str(total) if total == primitive else f"{total}/{primitive}"


def none_recorded(profiles: ProfileSet, what: str) -> str:
    """The sentence that none of `what` are recorded, and why: only tracer records them."""
    return f"No {what} are recorded here: {reason_of_none(profiles)}."


def reason_of_none(profiles: ProfileSet) -> str:
    if profiles.problems:
        return "a damaged file has lost them"
    if not profiles.is_whole:
        return f"another profiler wrote {'some of this' if profiles.parts else 'this'}"
    timed = any(capture.timed_lines is not None for capture in profiles.captures)
    return "there are lines and no functions" if timed else "nothing was recorded"


def thread_row(profiles: ProfileSet) -> ThreadRow:
    """The row of a set that has one thread."""
    [part] = profiles.parts
    assert part.thread is not None
    calls = sum(ncalls for _, ncalls, _, _, _ in profiles.stats.values())
    return ThreadRow(part.thread, calls, waits_of(profiles), idle_of(part.capture, part.thread))


def grouped(rows: Iterable[ThreadRow]) -> list[ThreadRow]:
    """The rows, with a single one for all threads whose names differ in numbers only."""
    by_kind: dict[str, list[ThreadRow]] = {}
    for row in rows:
        by_kind.setdefault(DIGITS.sub("N", row.thread.name), []).append(row)
    return [
        those[0] if len(those) == 1 else one_row(kind, those) for kind, those in by_kind.items()
    ]


def one_row(kind: str, rows: list[ThreadRow]) -> ThreadRow:
    number = sum(row.thread.sharers for row in rows)
    cut_offs = [row.thread.cut_off for row in rows if row.thread.cut_off is not None]
    thread = rows[0].thread._replace(
        name=f"{number:,} threads {kind}",
        sharers=1,
        cut_off=max(cut_offs, default=None),
        lost_calls=sum(row.thread.lost_calls for row in rows),
    )
    waits = Waits(sum(row.waits.time for row in rows), sum(row.waits.waited for row in rows))
    calls, idle = sum(row.calls for row in rows), sum(row.idle for row in rows)
    return ThreadRow(thread, calls, waits, idle, number)


def threads_table(profiles: ProfileSet, rows: Sequence[ThreadRow], limit: int | None) -> str:
    """A line for each thread, those with the most time first."""
    if not rows:
        return f"   {none_recorded(profiles, 'threads')}\n\n"
    lines: list[str] = ["   Ordered by: time in the thread's functions"]
    chosen = sorted(rows, key=lambda row: -row.waits.time)[:limit]
    if len(chosen) < len(rows):
        of = f"from {len(rows)} to {len(chosen)}"
        lines.append(f"   List reduced {of} due to restriction <{limit}>")
    lines += ["", styled(THREADS_HEAD, HEAD)]
    for thread, calls, waits, idle, number in chosen:
        times = f"{waits.time:8.3f} {waits.busy:8.3f} {waits.waited:8.3f} {idle:8.3f}"
        ids = f"{thread.ident:16} {thread.native_id:10}" if number == 1 else " " * 27
        lines.append(f"{calls:9} {times} {ids}  {described(thread)}")
    return in_lines([*lines, ""])


def described(thread: Thread) -> str:
    """The thread's name, and remarks: threads before it, where it was cut off, lost calls."""
    words = [thread.name]
    if thread.sharers > 1:
        words.append(f"and {thread.sharers - 1:,} before it, which had ended")
    if thread.cut_off is not None:
        words.append(f"(cut off after {thread.cut_off:.3f} s)")
    if thread.lost_calls:
        words.append(f"({thread.lost_calls:,} calls lost)")
    return " ".join(words)
