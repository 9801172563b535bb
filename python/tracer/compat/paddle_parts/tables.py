"""The tables of Paddle's Profiler.summary(), and of its timer, by Paddle's titles and columns.

figures.py has the figures. Columns of a GPU are there and hold 0. Times are seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from tracer.compat.paddle_parts.states import SortedKeys, SummaryView

if TYPE_CHECKING:
    from tracer.analysis.steps.timings import Distribution, StepTimings

__all__ = ["STEPS", "UNITS", "Row", "Summary", "perf_summary", "summary_text"]

STEPS = "ProfileStep"
UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
GAP = "  "
TIMES = "Total / Avg / Max / Min / Ratio(%)"
ON_GPU = "0.00 / 0.00 / 0.00 / 0.00 / 0.00"
LEAST_TIMES, LEAST_CALLS = 40, 6  # widths of columns
OPERATOR, PHASE, CELL = 52, 15, 15
ABOUT_DEVICE = (
    "Note:",
    "CPU(Process): the CPU time of this process by the time that passed; 100 is one processor.",
    "CPU(System): the CPU time of all processes by that of all processors.",
    "A GPU is not seen by tracer.",
)
ABOUT_OVERVIEW = (
    "Note:",
    "Events of one type that overlap, also in several threads, count once: no ratio exceeds 100.",
    "Events of one type may hold events of another one: the ratios do not add up to 100.",
    "",
)
ABOUT_MODEL = (
    "Note:",
    "A phase is the outermost call of its functions, and a range of its type. Others: what is left",
    "of the steps.",
    "",
)


class Row(NamedTuple):
    """Calls of one name. total, longest, shortest: seconds. inner: what those calls called."""

    name: str
    calls: int
    total: float
    longest: float
    shortest: float
    inner: tuple[Row, ...] = ()

    @property
    def average(self) -> float:
        """Within the shortest and the longest, whatever rounding does."""
        mean = self.total / self.calls if self.calls else 0.0
        return min(max(mean, self.shortest), self.longest)


@dataclass
class Summary:
    """The figures of all tables. process, system: parts of 1, or None where they are not known.
    steps: the row ProfileStep; None: no step was recorded. overview: (type, calls, seconds).
    others: seconds of the steps in no phase. operators, ranges: rows by thread. least: seconds;
    shorter calls found no room in the timeline."""

    process: float | None = None
    system: float | None = None
    steps: Row | None = None
    overview: list[tuple[str, int, float]] = field(default_factory=list)
    phases: list[Row] = field(default_factory=list)
    others: float = 0.0
    operators: dict[str, list[Row]] = field(default_factory=dict)
    ranges: dict[str, list[Row]] = field(default_factory=dict)
    least: float = 0.0


class Table:
    """Lines of columns. widths: of each column; a longer cell moves what is behind it."""

    def __init__(self, title: str, widths: Sequence[int], heads: Sequence[str], unit: str) -> None:
        self.widths = widths
        self.width: int = sum(widths) + len(GAP) * (len(widths) - 1)
        self.rule = "".join("-" * width + GAP for width in widths)
        self.lines: list[str] = [self.centered(title)]
        if unit:
            self.lines.append(f"Time unit: {unit}")
        self.head(heads)

    def centered(self, text: str) -> str:
        left = (self.width - len(text)) // 2
        return "-" * left + text + "-" * (self.width - len(text) - left)

    def head(self, heads: Sequence[str]) -> None:
        self.lines.append(self.rule)
        self.add(heads)
        self.lines.append(self.rule)

    def add(self, cells: Sequence[object]) -> None:
        both = zip(self.widths, cells, strict=True)
        self.lines.append("".join(f"{cell!s:<{width}}{GAP}" for width, cell in both))

    def text(self, note: Sequence[str] = (), *, ruled: bool = True) -> str:
        end = [self.rule] if ruled else []
        if note:
            end += [*note, "-" * self.width]
        return "\n".join([*self.lines, *end, "", "", ""])


def summary_text(
    summary: Summary,
    *,
    sorted_by: SortedKeys = SortedKeys.CPUTotal,
    op_detail: bool = True,
    time_unit: str = "ms",
    views: Iterable[SummaryView] | None = None,
) -> str:
    """The tables of these views; None: all. Without a step there is the table of devices alone."""
    wanted = tuple(SummaryView if views is None else views)
    text = _device(summary) if SummaryView.DeviceView in wanted else ""
    if summary.steps is None or summary.steps.total <= 0:
        return text
    whole = summary.steps.total
    if SummaryView.OverView in wanted:
        text += _overview(summary, whole, time_unit)
    if SummaryView.ModelView in wanted and summary.phases:
        text += _model(summary, summary.steps, time_unit)
    if SummaryView.OperatorView in wanted and any(summary.operators.values()):
        text += _operators(summary, sorted_by, time_unit, op_detail=op_detail)
    moves, others = _parted(summary.ranges)
    if SummaryView.MemoryManipulationView in wanted and moves:
        text += _listed("Memory Manipulation Summary", {"": moves}, whole, sorted_by, time_unit)
    if SummaryView.UDFView in wanted and others:
        text += _listed("UserDefined Summary", others, whole, sorted_by, time_unit)
    return text


def _ratio(part: float, whole: float) -> float:
    """In percent, and never above 100."""
    return min(100.0, 100 * part / whole) if whole > 0 else 0.0


def _times(row: Row, whole: float, unit: str) -> str:
    seconds = (row.total, row.average, row.longest, row.shortest)
    cells = [f"{one * UNITS[unit]:.2f}" for one in seconds]
    return " / ".join([*cells, f"{_ratio(row.total, whole):.2f}"])


def _widths(name: int, rows: Iterable[Sequence[object]]) -> list[int]:
    """Of a name, of calls, of times on the CPU and on a GPU."""
    calls, on_cpu = LEAST_CALLS, LEAST_TIMES
    for _, number, times, *_ in rows:
        calls, on_cpu = max(calls, len(str(number))), max(on_cpu, len(str(times)))
    return [name, calls, on_cpu, LEAST_TIMES]


def _device(summary: Summary) -> str:
    table = Table("Device Summary", (30, 20), ("Device", "Utilization (%)"), "")
    for name, part in (("CPU(Process)", summary.process), ("CPU(System)", summary.system)):
        table.add((name, "-" if part is None else f"{100 * part:.2f}"))
    return table.text(ABOUT_DEVICE)


def _overview(summary: Summary, whole: float, unit: str) -> str:
    heads = ("Event Type", "Calls", "CPU Time", "Ratio (%)")
    table = Table("Overview Summary", (25,) * 4, heads, unit)
    indent = ""
    by_time = sorted(summary.overview, key=lambda it: (it[0] != STEPS, -it[2]))
    for name, calls, seconds in by_time:
        time, ratio = f"{seconds * UNITS[unit]:.2f}", f"{_ratio(seconds, whole):.2f}"
        table.add((indent + name, calls, time, ratio))
        indent = GAP
    table.head(("", "Calls", "GPU Time", "Ratio (%)"))
    return table.text(ABOUT_OVERVIEW)


def _model(summary: Summary, steps: Row, unit: str) -> str:
    whole = steps.total
    rows = [(steps.name, steps.calls, _times(steps, whole, unit), ON_GPU)]
    rows += [
        (GAP + row.name, row.calls, _times(row, whole, unit), ON_GPU) for row in summary.phases
    ]
    others = f"{summary.others * UNITS[unit]:.2f} / - / - / - / {_ratio(summary.others, whole):.2f}"
    heads = ("Name", "Calls", f"CPU {TIMES}", f"GPU {TIMES}")
    table = Table("Model Summary", _widths(PHASE, rows), heads, unit)
    for row in rows:
        table.add(row)
    table.add((f"{GAP}Others", "-", others, "0.00 / - / - / - / 0.00"))
    return table.text(ABOUT_MODEL)


def _operators(summary: Summary, sorted_by: SortedKeys, unit: str, *, op_detail: bool) -> str:
    lines: list[str | tuple[object, ...]] = []
    for thread, rows in summary.operators.items():
        lines.append(f"Thread: {thread}")
        whole = sum(row.total for row in rows)
        for row in _sorted(rows, sorted_by):
            lines.append((row.name, row.calls, _times(row, whole, unit), ON_GPU, 0))
            for one in row.inner if op_detail else ():
                name = GAP + one.name
                name = name if len(name) <= OPERATOR else f"{name[: OPERATOR - 3]}..."
                lines.append((name, one.calls, _times(one, row.total, unit), ON_GPU, "-"))
    heads = ("Name", "Calls", f"CPU {TIMES}", f"GPU {TIMES}", "FLOPs")
    widths = [*_widths(OPERATOR, (it for it in lines if not isinstance(it, str))), 10]
    table = Table("Operator Summary", widths, heads, unit)
    _add_by_thread(table, lines)
    if not summary.least:
        return table.text()
    least = f"{summary.least * UNITS[unit]:.3g} {unit}"
    return table.text((f"Calls of less than {least} found no room, and are not here.",))


def _listed(
    title: str, ranges: Mapping[str, list[Row]], whole: float, sorted_by: SortedKeys, unit: str
) -> str:
    lines: list[str | tuple[object, ...]] = []
    for thread, rows in ranges.items():
        lines += [f"Thread: {thread}"] if thread else []
        for row in _sorted(rows, sorted_by):
            lines.append((row.name, row.calls, _times(row, whole, unit), ON_GPU))
    cells = [it for it in lines if not isinstance(it, str)]
    name = max(len("Name"), *(len(str(it[0])) for it in cells))
    heads = ("Name", "Calls", f"CPU {TIMES}", f"GPU {TIMES}")
    table = Table(title, _widths(name, cells), heads, unit)
    _add_by_thread(table, lines)
    return table.text(ruled="" in ranges)


def _add_by_thread(table: Table, lines: Iterable[str | tuple[object, ...]]) -> None:
    for line in lines:
        if isinstance(line, str):
            table.lines.append(table.centered(line))
        else:
            table.add(line)


def _parted(ranges: Mapping[str, list[Row]]) -> tuple[list[Row], dict[str, list[Row]]]:
    """The ranges that move memory, by their names, of all threads; and all others by thread."""
    words = ("memcpy", "memorycopy", "memset")
    moves: list[Row] = []
    others: dict[str, list[Row]] = {}
    for thread, rows in ranges.items():
        for row in rows:
            if any(word in row.name.lower() for word in words):
                moves.append(row)
            else:
                others.setdefault(thread, []).append(row)
    return moves, others


def _sorted(rows: Iterable[Row], by: SortedKeys) -> list[Row]:
    """Paddle's orders: the largest first, but the least where `by` is of the shortest. All times of
    a GPU are equal, which leaves the order as it is."""
    keys: dict[SortedKeys, Callable[[Row], float]] = {
        SortedKeys.CPUTotal: lambda row: -row.total,
        SortedKeys.CPUAvg: lambda row: -row.average,
        SortedKeys.CPUMax: lambda row: -row.longest,
        SortedKeys.CPUMin: lambda row: row.shortest,
    }
    return sorted(rows, key=keys.get(by, lambda row: 0.0))


def perf_summary(timings: StepTimings, unit: str) -> str:
    """The table of the timer: average, maximum and minimum of the same steps; "" without steps.
    unit: of items, such as "samples"."""
    batch, reader = timings.batch_cost, timings.reader_cost
    if batch is None:
        return ""
    items = timings.items_per_second
    rate, counted = (timings.steps_per_second, "steps") if items is None else (items, unit)
    lines = ["Perf Summary".center(100, "=")]
    ratio = timings.reader_ratio
    if reader is not None and ratio:
        lines.append(f"Reader Ratio: {ratio:.3f}%")
    lines.append(f"Time Unit: s, IPS Unit: {counted}/s")
    lines.append(_boxed("", "avg", "max", "min"))
    rows: list[tuple[str, Distribution | None]] = [("reader_cost", reader)] if ratio else []
    for name, figures in [*rows, ("batch_cost", batch), ("ips", rate)]:
        if figures is not None:
            numbers = (figures.average, figures.max, figures.min)
            lines.append(_boxed(name, *(f"{number:.5f}" for number in numbers)))
    return "\n".join(lines) + "\n"


def _boxed(*cells: str) -> str:
    return " ".join(["|", *(f"{cell.center(CELL)} |" for cell in cells)])
