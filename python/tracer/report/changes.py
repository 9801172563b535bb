"""The table of what changed between two profiles."""

from __future__ import annotations

from typing import NamedTuple

from tracer.analysis.memory.sizes import UNITS, unit_for
from tracer.report.drawing import FUNCTION, Column, drawn_within, reduced
from tracer.report.styled import change as coloured
from tracer.results.metrics import BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tracer.results.comparison import Change


class Figure(NamedTuple):
    """How a metric is printed: its title, the width of its columns, and their digits."""

    title: str
    width: int
    digits: int


FIGURES = {
    "calls": Figure("ncalls", 9, 0),
    "tottime": Figure("tottime", 8, 3),
    "cumtime": Figure("cumtime", 8, 3),
    "waited": Figure("waited", 8, 3),
    "busy": Figure("busy", 8, 3),
    "allocated": Figure("allocated", 10, 1),
    "peak": Figure("at peak", 10, 1),
    "live": Figure("at end", 10, 1),
}
WAITS = ("waited", "busy")  # are columns only where they are compared, in the place of cumtime
MOST = 999_999.5  # a factor that is printed in millions, to fit into its column


def changes_table(
    changes: Sequence[Change],
    order: str,
    limit: int,
    metric: str,
    width: int,
    text_of: Callable[[Change, int], str],
) -> Iterator[str]:
    """The lines of the table. order: by what the changes are sorted. metric: which is compared.
    text_of: the text of a function, in so many characters."""
    if not changes:
        nothing = f"There is no {order}."
        yield from (f"   {nothing}", "")
        return
    shown, names = changes[:limit], metrics_beside(metric)
    unit = unit_for(size for change in shown for size in sizes_of(change, names))
    sizes = f". Sizes are {UNITS[unit]}" if metric in BYTES else ""
    yield f"   Ordered by: {order}{sizes}"
    yield from (*reduced(len(changes), len(shown), limit), "")
    columns: list[Column] = []
    for name in names:
        columns += columns_of(name, unit)
        columns += error_of(name, shown)
        if name == metric:  # the growth stands beside the metric whose growth it is
            columns.append(Column("growth", 8, lambda it: coloured(growth(it, metric))))
    yield from (*drawn_within(width, columns, shown, FUNCTION, text_of), "")


def metrics_beside(metric: str) -> tuple[str, ...]:
    if metric in BYTES:
        return "calls", "allocated", "live" if metric == "live" else "peak"
    return "calls", "tottime", metric if metric in WAITS else "cumtime"


def sizes_of(change: Change, names: Sequence[str]) -> Iterator[int]:
    for found in change[2:]:
        if found is not None:
            yield from (int(found.of(name)) for name in names if name in BYTES)


def columns_of(name: str, unit: int) -> tuple[Column, Column]:
    """What a metric is now, and its change. unit: of sizes, a place in UNITS."""
    title, width, digits = FIGURES[name]
    is_size = name in BYTES
    digits = min(digits, unit) if is_size else digits
    of = 1024**unit if is_size else 1
    comma = "," * is_size

    def now(change: Change) -> str:
        if name == "calls" and change.after is not None and not change.after.is_counted:
            return f"{change.after.calls}+" if change.after.calls else ""
        return f"{0.0 if change.after is None else change.after.of(name) / of:{comma}.{digits}f}"

    def changed(change: Change) -> str:
        text = f"{change.delta(name) / of:+.{digits}f}"
        return coloured(text) if float(text) else ""  # which rounds to zero

    return Column(title, width, now), Column("+/-", width, changed)


def error_of(name: str, changes: Sequence[Change]) -> list[Column]:
    """The column of two standard errors of the change, where a time comes from samples."""
    if not any(change.error(name) for change in changes):
        return []
    return [Column("+-", 7, lambda change: f"{change.error(name):.3f}")]


def growth(change: Change, metric: str) -> str:
    """The growth in percent, or as a factor from 10 on, or in millions; or `new`, or `gone`. What
    is not gone has not fallen by 100%."""
    if change.state in ("new", "gone"):
        return change.state
    ratio = change.ratio(metric)
    if ratio is None:
        return ""
    if ratio >= MOST:
        return f"x{ratio / 1e6:.4g}M"
    if ratio >= 10:
        return f"x{ratio:,.0f}" if ratio >= 9_999.5 else f"x{ratio:.4g}"
    percent = 100 * (ratio - 1)
    text = f"{percent:+.1f}%"
    if ratio and text == "-100.0%":
        text = f"{percent:+.2f}%" if percent > -99.995 else "<-99.99%"
    return text
