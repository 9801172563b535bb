"""What Stats prints beyond what pstats does: tables of a figure, and threads.

What stands in each table of a figure is in figure_tables.py; the call tree is printed by
call_tree.py. Each function takes a Stats and prints on its stream.
"""

from __future__ import annotations

from pstats import func_std_string  # type: ignore[attr-defined]

from tracer.data.figures import FIGURES
from tracer.report.figure_tables import FIGURE_TABLES, PERCALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tracer.api.stats import Stats, ThreadStats
    from tracer.data.capture import Label
    from tracer.report.figure_tables import FigureTable

NAME = "filename:lineno(function)"
THREADS_UNKNOWN = "Nothing of threads is recorded here: tracer did not write this."
THREADS_HEAD = "   ncalls  tottime            ident  native id  thread"


def print_figure(stats: Stats, name: str, amount: tuple[Any, ...], whole: bool) -> None:
    """The table of a figure. `whole`: all is of tracer."""
    table = FIGURE_TABLES[name]
    numbers = numbers_of(stats)
    head = " ".join(f"{column:>{_width(column)}}" for column in table.columns)
    chosen = _headed(stats, table, numbers, amount, whole, f"{head} {NAME}")
    for label in chosen:
        row = numbers[label]
        row[PERCALL] = row[name] / row[table.among]
        cells = " ".join(_cell(column, row[column]) for column in table.columns)
        print(f"{cells} {func_std_string(label)}", file=stats.stream)
    if chosen:
        print(file=stats.stream)


def print_resumes(stats: Stats, amount: tuple[Any, ...], whole: bool) -> None:
    """The table of resumes, which has rows for those that resumed a function, too."""
    found = stats.resumes
    head = f"   ncalls   resumes  {NAME}, and who resumed it"
    chosen = _headed(stats, FIGURE_TABLES["resumes"], numbers_of(stats), amount, whole, head)
    for label in chosen:
        total, primitive, callers, _ = found[label]
        calls, resumes = stats.stats[label][1], _counted(total, primitive)
        print(f"{calls:9} {resumes:>9}  {func_std_string(label)}", file=stats.stream)
        for caller, counts in sorted(callers.items(), key=lambda it: (-it[1].total, it[0])):
            resumes = _counted(*counts)
            print(f"{'':9} {resumes:>9}    <- {func_std_string(caller)}", file=stats.stream)
    if chosen:
        print(file=stats.stream)


def numbers_of(stats: Stats) -> dict[Label, dict[str, float]]:
    """The figures of each function by their names, times in seconds; those that only ran when
    recording began, and were neither called nor resumed, are not there."""
    totals = stats.totals
    found: dict[Label, dict[str, float]] = {}
    for label, (primitive, ncalls, tottime, cumtime, _) in stats.stats.items():
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
    stats: Stats,
    table: FigureTable,
    numbers: dict[Label, dict[str, float]],
    amount: tuple[Any, ...],
    whole: bool,
    head: str,
) -> list[Label]:
    """Those of the table that `amount` leaves, as pstats has it; what stands above their rows is
    printed."""
    some = [label for label, row in numbers.items() if row.get(table.among)]
    if not some:
        print(f"   {table.nothing if whole else table.unknown}\n", file=stats.stream)
        return []
    chosen: Any = sorted(some, key=lambda label: -numbers[label][table.name])
    message = f"   Ordered by: {table.by}\n"
    for selection in amount:
        chosen, message = stats.eval_print_amount(selection, chosen, message)
    print(message, file=stats.stream)
    if chosen:
        print(head, file=stats.stream)
    return list(chosen)


def _width(column: str) -> int:
    return max(8, len(column)) if _is_time(column) else 9


def _cell(column: str, number: float) -> str:
    return f"{number:{_width(column)}{'.3f' if _is_time(column) else ''}}"


def _is_time(column: str) -> bool:
    return column == PERCALL or FIGURES[column].is_time


def _counted(total: int, primitive: int) -> str:
    """As pstats has calls: 5/1 are five, of which one was not from within the function itself."""
    return str(total) if total == primitive else f"{total}/{primitive}"


def print_threads(stats: Stats, limit: int | None) -> None:
    """A line for each thread, those with the most time first."""
    threads = sorted(stats.threads, key=lambda thread: -thread.total_tt)
    if not threads:
        print(f"   {THREADS_UNKNOWN}\n", file=stats.stream)
        return
    print("   Ordered by: time in the thread's functions", file=stats.stream)
    chosen = threads[:limit]
    if len(chosen) < len(threads):
        of = f"from {len(threads)} to {len(chosen)}"
        print(f"   List reduced {of} due to restriction <{limit}>", file=stats.stream)
    print(f"\n{THREADS_HEAD}", file=stats.stream)
    for item in chosen:
        ids = f"{item.thread.ident:16} {item.thread.native_id:10}"
        figures = f"{item.total_calls:9} {item.total_tt:8.3f}"
        print(f"{figures} {ids}  {described(item)}", file=stats.stream)
    print(file=stats.stream)


def described(stats: ThreadStats) -> str:
    """The thread's name, and what is to be known of it."""
    thread = stats.thread
    words = [thread.name]
    if thread.sharers > 1:
        words.append(f"and {thread.sharers - 1:,} before it, which had ended")
    if thread.cut_off is not None:
        words.append(f"(cut off after {thread.cut_off:.3f} s)")
    if thread.lost_calls:
        words.append(f"({thread.lost_calls:,} calls lost)")
    return " ".join(words)
