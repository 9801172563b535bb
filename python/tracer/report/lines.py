"""Reports of lines: which figures and notes go into the table, and in which units.

line_table.py prints the table. data/lprof.py has the format of .lprof files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tracer.data.line_timings import UNIT, timings_of
from tracer.data.lines import Lines
from tracer.report import line_table
from tracer.report.line_table import LineTableOptions
from tracer.report.styled import StyledStream, in_lines
from tracer.source.checksums import changed
from tracer.source.functions import has_no_file
from tracer.source.statements import summed
from tracer.source.texts import state_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tracer.data.line_timings import Key
    from tracer.data.lines import Line, TimedFunction

OUTPUT_UNIT = 1e-6  # seconds: the table's unit of time, by default
NAMED = 10  # so many functions that were never called are named


def report(
    lines: Lines,
    unit: float | None = None,
    *,
    parts: bool = False,
    percent: float = 0.0,
    **options: Any,
) -> str:
    """The table as text, in units of `unit` seconds. parts: add the parts of each time. percent:
    leave out functions below this share of the run (or, if the run's time is not known, of the
    function that took longest). options: other fields of LineTableOptions."""
    stream = StyledStream()
    look = LineTableOptions(output_unit=unit or OUTPUT_UNIT, **options)
    whole = whole_of(lines)
    beside = beside_of(lines, unit or OUTPUT_UNIT, parts)
    if lines.functions:
        line_table.show(
            timings_of(lines),
            UNIT,
            stream,
            look,
            least=percent / 100 * whole / UNIT,
            beside=beside,
            texts={file: text.data for file, text in lines.texts.items()},
        )
    remarks = remarks_on(lines)
    if parts and lines:
        remarks += PARTS_BY_TIMER if lines.are_sampled else PARTS
    remarks += on_samples(lines)
    if any(note.endswith(MOSTLY_TIMING) for it in beside.values() for note in it.notes):
        remarks += WITHOUT_TIMING
    remarks += SAMPLED if parts and has_samples(lines) else []
    if parts:
        times = (line.time for function in lines.functions for line in function.lines)
        remarks += remark_on_shares(times, time_of_run(lines))
        waits = (line.suspended for function in lines.functions for line in function.lines)
        remarks += remark_on_suspended(waits, time_of_run(lines))
    stream.write(in_lines(remarks))
    return stream.getvalue()


MUCH = 0.01  # of the run: to wait longer is much
MANY = 100_000  # hits: of fewer the timing matters little
TINY = 1e-7  # seconds a hit: timing a line takes 0.02 to 0.05 us

TITLES = ("% Run", "Own", "In C", "Suspended", "Waited", "Python", "Native")
BY_SAMPLES = TITLES[-2:]
PARTS = [
    "Own: neither in Python functions that the line calls, nor in C. In C: in C callables that it",
    "calls, and in Python functions that these call back. Operators, `in` and subscripts are no",
    "calls, and stay in the line. Waited: the thread did not run, on the line or in functions that",
    "it calls and that are not timed by line. A dash: not known. Own and In C need Python 3.12.",
]
MOSTLY_TIMING = "mostly for being timed."
WITHOUT_TIMING = [
    "python -m tracer --slowdown 10% --lines tells which line is slow: it times none.",
]
PARTS_BY_TIMER = [
    "Own: of Time, what was in no Python function that the line calls. Samples know no more parts.",
]
SAMPLED = [
    "Python, Native: CPU time by samples, in the interpreter's own loop and in native code, on the",
    "line or in functions that it calls and that are not timed by line.",
]
BY_TIMER = [
    "Time: CPU time by samples, on the line and in all that it calls. +-: two standard errors.",
]
SHARES = "% Run: of the run's time. Lines that threads ran at the same time may have more than 100."
AT_ONCE = "Suspended: what coroutines waited at once is added up, and may exceed the run's time."


def on_samples(lines: Lines) -> list[str]:
    """What times and hits are, where times come from samples."""
    if not lines.are_sampled:
        return []
    known = [line for function in lines.functions for line in function.lines if line.hits]
    if not known:
        return [
            *BY_TIMER,
            "Hits were not counted; --lines has them counted as far as that is cheap.",
        ]
    if all(line.is_counted for line in known):
        return BY_TIMER
    return [
        *BY_TIMER,
        "Hits with a plus are at least so many: counting all was too dear.",
    ]


def time_of_run(lines: Lines) -> float:
    """Seconds of the run, for the lines' shares; 0: not known. The run's time still has the tracing
    overhead that compensation subtracts from the lines: then it gives no shares."""
    return 0.0 if lines.compensated and not lines.raw else lines.measured


def whole_of(lines: Lines) -> float:
    """Seconds of the run; where they are not known, of the function that took longest."""
    return time_of_run(lines) or max((function.time for function in lines.functions), default=0.0)


def beside_of(lines: Lines, unit: float, parts: bool) -> dict[Key, line_table.Beside]:
    """The notes on each function. `parts`: also its columns, with each line's share of the run and
    the parts of its time."""
    run = time_of_run(lines)
    whole = whole_of(lines)
    count = len(TITLES) if has_samples(lines) else len(TITLES) - len(BY_SAMPLES)
    edited = changed_since({function.file for function in lines.functions}, lines)
    found = {}
    for function in lines.functions:
        columns = line_table.Beside().columns
        if lines.are_sampled:
            columns = sampled_columns(function, unit, run, parts)
        elif parts:
            texts = {
                line.line: (share_of(line.time, run), *parts_of(line, unit))[:count]
                for line in function.lines
            }
            columns = line_table.Columns(TITLES[:count], texts)
        key = (function.file, function.first_line, function.qualname)
        uncounted = {line.line for line in function.lines if not line.is_counted}
        notes = notes_on(function, edited, MUCH * whole)
        if tiny := tiny_lines(function, lines, MUCH * whole):
            notes = [*(notes or [""]), tiny]
        found[key] = line_table.Beside(columns, notes, uncounted)
    return found


def sampled_columns(
    function: TimedFunction, unit: float, run: float, parts: bool
) -> line_table.Columns:
    """The column of two standard errors of the times that come from samples, and with `parts` those
    parts of them that samples tell."""
    texts = {}
    for line in function.lines:
        known = (line.error or 0.0) / unit, 100 * line.time / (run or 1.0), (line.own or 0.0) / unit
        texts[line.line] = tuple(f"{value:.1f}" for value in known)[: 3 if parts else 1]
    return line_table.Columns(("+-", *TITLES[:2])[: 3 if parts else 1], texts)


def has_samples(lines: Lines) -> bool:
    """Whether native samples fell on any line."""
    return any(line.native is not None for function in lines.functions for line in function.lines)


def share_of(seconds: float, run: float) -> str:
    """A time in percent of `run`, which time_of_run() gave; a dash if that is 0."""
    return f"{100 * seconds / run:.1f}" if run else "-"


def remark_on_shares(times: Iterable[float], run: float) -> list[str]:
    """What shares of more than 100% mean, if any of these times has one."""
    return [SHARES] if run and max(times, default=0.0) > run else []


def remark_on_suspended(times: Iterable[float], run: float) -> list[str]:
    """Why a line may have been suspended for longer than the run took, if any was."""
    return [AT_ONCE] if run and max(times, default=0.0) > run else []


def parts_of(line: Line, unit: float) -> tuple[str, ...]:
    """A line's own time, time in C, suspended and waited time, and its CPU time by samples in
    Python and in native code, in units of `unit` seconds."""
    parts = (line.own, line.c_time, line.suspended or None, line.waited, line.python, line.native)
    return tuple("-" if part is None else f"{part / unit:.1f}" for part in parts)


def notes_on(function: TimedFunction, edited: Mapping[str, str], much: float) -> list[str]:
    """The notes below a function's lines: suspended times, waits of more than `much` seconds and
    half of the line's time, and a change of the file."""
    suspended = [
        f"Line {line.line} was suspended for {line.suspended:g} s, which is in no time above."
        for line in function.lines
        if line.suspended
    ]
    waited = [
        f"Line {line.line} waited for {line.waited:.3f} s of its time: its thread slept, or waited "
        "for a lock, input, the GIL or a processor."
        for line in function.lines
        if line.waited is not None and line.waited > max(much, line.time / 2)
    ]
    found = suspended + waited
    if function.file in edited:
        found.append(edited[function.file])
    return ["", *found] if found else []


def tiny_lines(function: TimedFunction, lines: Lines, much: float) -> str:
    """A sentence on the lines that are hit often and take a moment, and more than `much` seconds;
    empty where there are none, or their times are without that of timing."""
    if lines.are_sampled or (lines.compensated and not lines.raw):
        return ""
    found = [
        str(line.line)
        for line in function.lines
        if line.hits > MANY and much < line.time < TINY * line.hits
    ]
    if not found:
        return ""
    *others, last = found
    names = f"Lines {', '.join(others)} and {last} take" if others else f"Line {last} takes"
    return f"{names} less than 0.1 us a hit, {MOSTLY_TIMING}"


def changed_since(files: Iterable[str], lines: Lines) -> dict[str, str]:
    """A sentence for each of these files that is not as it was timed."""
    found = ((file, change_of(file, lines)) for file in sorted(files))
    return {file: f"{file} {change}." for file, change in found if change is not None}


def change_of(file: str, lines: Lines) -> str | None:
    """How a file, or the text shown of it, differs from what was timed; None: no difference is
    known."""
    other = "has changed since: its lines may not be those that were timed"
    sums, text = lines.sources.get(file, set()), lines.texts.get(file)
    if text is None:
        return other if changed(file, sums) else None
    if (sums != {summed(text.data)}) if sums else text.changed:
        return other  # it changed while the program ran, or between two runs
    if has_no_file(file):
        return None
    held = "this is what it held when it was profiled"
    says = {"edited": f"has changed since: {held}", "gone": f"is gone: {held}"}
    return says.get(state_of(file, text.data))


def remarks_on(lines: Lines) -> list[str]:
    """Which functions were never called, and what was lost."""
    idle = [function for function in lines.functions if not function.lines]
    remarks = []
    if idle:
        more = f" and {len(idle) - NAMED} others" if len(idle) > NAMED else ""
        remarks.append(f"Never called: {', '.join(described(idle[:NAMED]))}{more}")
    return remarks + losses(lines)


def losses(lines: Lines) -> list[str]:
    """What should have been timed and was not."""
    remarks = []
    if lines.left_out:
        remarks.append(f"{lines.left_out} code objects not timed: there were too many.")
    if lines.lost:
        remarks.append(f"{lines.lost} events dropped: out of memory.")
    return remarks


def described(functions: Sequence[TimedFunction]) -> Iterator[str]:
    """Each function with as many parts of its path as tell its file from the others."""
    files = {function.file for function in functions}
    for function in functions:
        others = [file.split("/") for file in files if file != function.file]
        parts = function.file.split("/")
        count = 1
        while count < len(parts) and any(parts[-count:] == other[-count:] for other in others):
            count += 1
        yield f"{function.qualname} ({'/'.join(parts[-count:])}:{function.first_line})"
