"""A run over time, as text: a strip for each thread, the longest gaps, collections, threads, marks.

analysis/timeline_strip.py finds which function led when; this file chooses what fits, and formats.
"""

from __future__ import annotations

from string import ascii_uppercase

from tracer.analysis.timeline_gaps import longest_gaps
from tracer.analysis.timeline_strip import strip_of
from tracer.analysis.wait_findings import reason
from tracer.data.records import NO_ROW
from tracer.report.cells import cut_end, on_one_line
from tracer.report.timeline_cells import function_told, lasting, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.timeline_gaps import Gap
    from tracer.analysis.timeline_run import TimedRun
    from tracer.analysis.timeline_strip import Cell, Strip
    from tracer.report.outline import Place

LABEL = 12  # characters of a thread's name
THREADS, FUNCTIONS, GAPS = 6, 6, 5  # lines at most
LEAST = (3, 2, 1)  # ... and, where there is little room, at least
NOTHING, OTHERS, OTHERS_WAIT = ".", "+", "-"
KEY = f"small: it waited; {OTHERS} {OTHERS_WAIT}: others; {NOTHING}: no function ran"
NO_THREAD = "No function ran there."
MANY = 10  # tasks: more have no digit


def timeline_text(run: TimedRun, width: int, room: int, place: Place) -> str:
    """The text, in so many lines."""
    if not run.threads:
        return NO_THREAD
    strip = strip_of(run, max(10, width - LABEL - 2))
    gaps = longest_gaps(run, GAPS)
    last = [collections(run), threads(run), marks(run), forks(run), later(run)]
    last = [line for line in last if line]
    leading = leaders(strip)
    fixed = 5 + len(last) + any(strip.tasks) + bool(gaps)
    wanted = [len(strip.threads), len(leading), len(gaps)]
    lines = shared(room, fixed, wanted)
    letters = dict(zip(leading[: lines[1]], ascii_uppercase, strict=False))
    text = [
        axis(run, strip, width),
        *strip_lines(strip, lines[0], letters, repeated(strip, width)),
        "",
        *legend(run, strip, letters, width, place, len(strip.threads) - lines[0]),
        "",
    ]
    if gaps:
        text.append("        at    waited  the longest waits")
        text += [gap_told(run, gap, width, place) for gap in gaps[: lines[2]]]
    return "\n".join(cut_end(line, width) for line in [*text, *last])


def shared(room: int, fixed: int, wanted: Sequence[int]) -> list[int]:
    """How many lines threads, functions and gaps have."""
    lines = [min(pair) for pair in zip(wanted, (THREADS, FUNCTIONS, GAPS), strict=True)]
    while fixed + sum(lines) > room:
        spare = [number - least for number, least in zip(lines, LEAST, strict=True)]
        most = max(range(3), key=lambda at: (spare[at], at))
        if lines[most] == 0:
            break
        lines[most] -= 1
    return lines


def axis(run: TimedRun, strip: Strip, width: int) -> str:
    columns = repeated(strip, width) * len(strip.threads[0][1])
    start = f"{strip.first * run.tick:.3f} s"
    last = strip.first + strip.width * len(strip.threads[0][1])
    end = f"{last * run.tick:.3f} s"
    middle = f"each {lasting(run, strip.width)}"
    room = max(0, columns - len(start) - len(end))
    return f"{'':{LABEL}}  {start}{middle if len(middle) + 2 <= room else '':^{room}}{end}"


def repeated(strip: Strip, width: int) -> int:
    """How many characters a column has: a short run has few columns."""
    return max(1, (width - LABEL - 2) // len(strip.threads[0][1]))


def leaders(strip: Strip) -> list[int]:
    """The functions that led anywhere, those with most time first."""
    rows = {cell.row for _, cells in strip.threads for cell in cells if cell.row != NO_ROW}
    return sorted(rows, key=lambda row: (-strip.times[row], row))


def strip_lines(strip: Strip, number: int, letters: dict[int, str], wide: int) -> Iterable[str]:
    """A line for each of so many threads, those with the most time in functions, and for tasks. A
    column is so many characters wide."""
    times = [sum(cell.busy + cell.waited for cell in cells) for _, cells in strip.threads]
    order = sorted(range(len(times)), key=lambda at: -times[at])
    for at in sorted(order[:number]):
        thread, cells = strip.threads[at]
        yield labelled(thread.name, "".join(wide * drawn(cell, letters) for cell in cells))
    if any(strip.tasks):
        digits = (" " if n == 0 else str(n) if n < MANY else OTHERS for n in strip.tasks)
        yield labelled("tasks", "".join(wide * digit for digit in digits))


def labelled(name: str, text: str) -> str:
    return f"{cut_end(on_one_line(name), LABEL):{LABEL}}  {text}".rstrip()


def drawn(cell: Cell, letters: dict[int, str]) -> str:
    if not cell.is_there:
        return " "
    if cell.row == NO_ROW:
        return NOTHING
    if cell.row not in letters:
        return OTHERS_WAIT if cell.waits else OTHERS
    return letters[cell.row].lower() if cell.waits else letters[cell.row]


def legend(
    run: TimedRun, strip: Strip, letters: dict[int, str], width: int, place: Place, hidden: int
) -> Iterable[str]:
    """A line for each letter: the own time of what is folded into the function, in all threads.
    hidden: how many threads have no line above."""
    whole = sum(strip.times.values())
    for row, letter in letters.items():
        time = strip.times[row]
        numbers = f"  {letter} {lasting(run, time):>9} {100 * time / (whole or 1):5.1f}%  "
        yield numbers + function_told(run, row, width - len(numbers), place)
    more = f"; {hidden} more thread{'s' * (hidden > 1)}" if hidden > 0 else ""
    yield f"  {KEY}{more}"


def gap_told(run: TimedRun, gap: Gap, width: int, place: Place) -> str:
    numbers = f"{moment(run, gap.start)}  {lasting(run, gap.waited):>8}  "
    name = cut_end(on_one_line(gap.thread), LABEL)
    has_threads = len(run.timeline.threads) > 1  # a thread alone has the GIL
    if gap.row == NO_ROW:
        what = "the GIL or a processor" if has_threads else "a processor"
        return f"{numbers}{name:{LABEL}}  for {what}"
    if run.is_builtin(gap.row):
        why = reason(run.outline.rows[gap.row], has_threads)
    else:
        why = " (GIL or processor)" if has_threads else " (processor)"
    words = function_told(run, gap.row, width, place) + why
    if gap.caller != NO_ROW:
        words += f" < {function_told(run, gap.caller, width, place)}"
    return f"{numbers}{name:{LABEL}}  {words}"


# -- The last lines --------------------------------------------------------------------------------


def collections(run: TimedRun) -> str:
    found = [it for it in run.timeline.collections if run.is_within(it.start, it.end)]
    if not found:
        return ""
    times = [it.end - it.start for it in found]
    longest = max(found, key=lambda it: it.end - it.start)
    of = run.by_position.get(longest.thread)
    where = "" if of is None else f" in {on_one_line(of.name)}"
    return (
        f"   garbage  {len(found):,} collection{'s' * (len(found) != 1)} took "
        f"{lasting(run, sum(times))}; the longest "
        f"{lasting(run, max(times))}, at {longest.start * run.tick:.3f} s{where}, of "
        f"generation {longest.generation}"
    )


def threads(run: TimedRun) -> str:
    parts = []
    for it in run.threads:
        end = f"{it.ended * run.tick:.3f}" if it.is_over else ""
        parts.append(f"{on_one_line(it.name)} {it.began * run.tick:.3f}-{end}")
    return f"   threads  {'; '.join(parts)}"


def marks(run: TimedRun) -> str:
    return moments("marks", run, ((it.tick, on_one_line(it.name)) for it in run.timeline.marks))


def forks(run: TimedRun) -> str:
    return moments("forks", run, ((it.tick, f"{it.what} {it.pid}") for it in run.timeline.forks))


def moments(head: str, run: TimedRun, things: Iterable[tuple[int, str]]) -> str:
    """What happened at a tick."""
    parts = [f"{tick * run.tick:.3f} {text}" for tick, text in things if run.is_within(tick, tick)]
    return f"     {head}  {'; '.join(parts)}" if parts else ""


def later(run: TimedRun) -> str:
    """Of a run whose figures end before its slices do."""
    if run.end <= run.counted:
        return ""
    moments = (
        f"{run.counted * run.tick:.3f} s; single calls are known up to {run.end * run.tick:.3f} s"
    )
    return f"     saved  at {moments}"
