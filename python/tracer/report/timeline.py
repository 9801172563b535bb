"""A run over time, as text: a strip for each thread, the longest gaps, and what else happened.

analysis/timeline/strip.py finds which function led when; this file chooses what fits, and formats.
timeline_events.py has the last lines.
"""

from __future__ import annotations

from collections import Counter
from itertools import zip_longest
from string import ascii_uppercase
from textwrap import wrap

from tracer.analysis.findings.wait_words import may_lock, reason
from tracer.analysis.timeline.gaps import longest_gaps
from tracer.analysis.timeline.idle import idle_rows
from tracer.analysis.timeline.strip import strip_of
from tracer.data.records import NO_ROW
from tracer.report.cells import cut_end
from tracer.report.timeline_cells import LABEL, function_told, labels, lasting, moment, thread_name
from tracer.report.timeline_events import events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.analysis.timeline.gaps import Gap
    from tracer.analysis.timeline.run import TimedRun
    from tracer.analysis.timeline.strip import Cell, Strip
    from tracer.report.outline import Place

THREADS, FUNCTIONS, GAPS = 12, 12, 10  # lines at most, on a screen
LEAST = (3, 3, 1)  # ... and, where there is little room, at least
NOTHING, OTHERS, OTHERS_WAIT = ".", "+", "-"
KEY = ("small: it waited", f"{OTHERS} {OTHERS_WAIT}: others", f"{NOTHING}: no function ran")
NO_THREAD = "No function ran there."
MANY, MANY_TASKS = 10, "#"  # tasks: so many have no digit


def timeline_text(
    run: TimedRun, width: int, room: int | None, place: Place, most: int | None = None
) -> str:
    """The text, in so many lines; without a number, nothing is left out, and nothing is cut. most:
    the threads that are shown; 0: all; None: those for which there is room."""
    if not run.threads:
        return NO_THREAD
    label = labels([thread.name for thread in run.threads]) if room is None else LABEL
    width += label - LABEL
    strip = strip_of(run, max(10, width - label - 2))
    gaps = longest_gaps(run, GAPS)
    last = events(run, strip, width, is_whole=room is None)
    wanted = [len(strip.threads), min(FUNCTIONS, len(strip.times)), len(gaps)]
    if most is not None:
        wanted[0] = min(most or wanted[0], wanted[0])
    if room is None:
        lines = wanted
    else:
        fixed = 4 + len(last) + any(strip.tasks) + bool(gaps) + len(key(strip, 99, width))
        lines = shared(room, fixed, wanted, keeps_threads=most is not None)
    shown = longest_there(strip, lines[0])
    letters = letters_of(run, strip, shown, lines[1])
    text = [
        axis(run, strip, label),
        *strip_lines(strip, shown, letters, label),
        "",
        *legend(run, strip, letters, width, place),
        *key(strip, len(strip.threads) - lines[0], width),
        "",
    ]
    if gaps:
        text.append("        at    waited  the longest waits")
        text += [gap_told(run, gap, width, place, label) for gap in gaps[: lines[2]]]
    text += last
    return "\n".join(text if room is None else [cut_end(line, width) for line in text])


def shared(room: int, fixed: int, wanted: Sequence[int], *, keeps_threads: bool) -> list[int]:
    """How many lines threads, functions and gaps have. keeps_threads: those that were asked for are
    shown, also where there is no room."""
    most = (wanted[0] if keeps_threads else THREADS, FUNCTIONS, GAPS)
    lines = [min(pair) for pair in zip(wanted, most, strict=True)]
    while fixed + sum(lines) > room:
        spare = [number - least for number, least in zip(lines, LEAST, strict=True)]
        places = [at for at in range(keeps_threads, 3) if lines[at]]
        if not places or (keeps_threads and max(spare[1:]) <= 0):
            break
        lines[max(places, key=lambda at: (spare[at], at))] -= 1
    return lines


def axis(run: TimedRun, strip: Strip, label: int) -> str:
    number = len(strip.threads[0][1])
    start = f"{strip.first * run.tick:.3f} s"
    end = f"{(strip.first + strip.width * number) * run.tick:.3f} s"
    middle = f"each {lasting(run, strip.width)}"
    room = max(0, number - len(start) - len(end))
    return f"{'':{label}}  {start}{middle if len(middle) + 2 <= room else '':^{room}}{end}"


def longest_there(strip: Strip, number: int) -> list[int]:
    """So many threads, by their places in the strip: those with the most time in functions."""
    times = [sum(cell.busy + cell.waited for cell in cells) for _, cells in strip.threads]
    order = sorted(range(len(times)), key=lambda at: -times[at])
    return sorted(order[:number])


def letters_of(run: TimedRun, strip: Strip, shown: Sequence[int], number: int) -> dict[int, str]:
    """A letter for so many functions, those with most time first: in turn one for each thread, of
    the function that led most there. Those where a thread waits for work come last."""
    idle = idle_rows(run)
    working, waiting = [], []
    for at in shown:
        led = Counter(cell.row for cell in strip.threads[at][1] if cell.row != NO_ROW)
        rows = [row for row, _ in led.most_common()]
        working.append([row for row in rows if row not in idle])
        waiting.append([row for row in rows if row in idle])
    turns = [*zip_longest(*working), *zip_longest(*waiting)]
    chosen = list(dict.fromkeys(row for turn in turns for row in turn if row is not None))
    order = sorted(chosen[:number], key=lambda row: (-strip.times[row], row))
    return dict(zip(order, ascii_uppercase, strict=False))


def strip_lines(
    strip: Strip, shown: Sequence[int], letters: dict[int, str], label: int
) -> Iterable[str]:
    """A line for each of these threads, and for tasks."""
    for at in shown:
        thread, cells = strip.threads[at]
        columns = "".join(drawn(cell, letters) for cell in cells)
        yield f"{thread_name(thread.name, label)}  {columns}".rstrip()
    if any(strip.tasks):
        digits = (" " if n == 0 else str(n) if n < MANY else MANY_TASKS for n in strip.tasks)
        yield f"{'tasks':{label}}  {''.join(digits)}".rstrip()


def drawn(cell: Cell, letters: dict[int, str]) -> str:
    if not cell.is_there:
        return " "
    if cell.row == NO_ROW:
        return NOTHING
    if cell.row not in letters:
        return OTHERS_WAIT if cell.waits else OTHERS
    return letters[cell.row].lower() if cell.waits else letters[cell.row]


def legend(
    run: TimedRun, strip: Strip, letters: dict[int, str], width: int, place: Place
) -> Iterable[str]:
    """A line for each letter: the own time of what is folded into the function, in all threads."""
    whole = sum(strip.times.values())
    for row, letter in letters.items():
        time = strip.times[row]
        numbers = f"  {letter} {lasting(run, time):>9} {100 * time / (whole or 1):5.1f}%  "
        yield numbers + function_told(run, row, width - len(numbers), place)


def key(strip: Strip, hidden: int, width: int) -> list[str]:
    """What the signs mean. hidden: how many threads have no line."""
    told = list(KEY)
    tasks = max(strip.tasks, default=0)
    if tasks >= MANY:
        told.append(f"tasks: up to {tasks:,} at once, {MANY_TASKS}: {MANY} or more")
    if hidden > 0:
        told.append(f"{hidden} more thread{'s' * (hidden > 1)}: --limit 0, --thread NAME")
    return wrap("; ".join(told), width, initial_indent="  ", subsequent_indent="  ")


def gap_told(run: TimedRun, gap: Gap, width: int, place: Place, label: int) -> str:
    numbers = f"{moment(run, gap.start)}  {lasting(run, gap.waited):>8}  "
    numbers += f"{thread_name(gap.thread, label)}  "
    has_threads = len(run.timeline.threads) > 1  # a thread alone has the GIL
    if gap.row == NO_ROW:
        return f"{numbers}for {'the GIL or a processor' if has_threads else 'a processor'}"
    words = function_told(run, gap.row, width, place) + reason_of(run, gap.row, has_threads)
    if gap.caller != NO_ROW:
        words += f" < {function_told(run, gap.caller, width, place)}"
    return numbers + words


def reason_of(run: TimedRun, row: int, has_threads: bool) -> str:
    """What a thread may have waited for in a function. A lock is taken by `with` without a call."""
    function = run.outline.rows[row]
    if run.is_builtin(row):
        return reason(function, has_threads)
    if not has_threads:
        return " (processor)"
    return " (lock, GIL or processor)" if may_lock(run.outline, function) else " (GIL or processor)"
