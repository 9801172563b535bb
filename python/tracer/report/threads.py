"""The table of threads: their calls, times and ids."""

from __future__ import annotations

from tracer.analysis.outline.threads import DIGITS
from tracer.report.drawing import Column, count, drawn, reduced, seconds
from tracer.report.functions import none_recorded
from tracer.report.styled import in_lines
from tracer.results.function_tables import threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from tracer.data.profile_set import ProfileSet
    from tracer.results.function_tables import ThreadRow

TIMES = (seconds("time", "tottime"), *map(seconds, ("busy", "waited", "idle")))
# Several threads in a row have no ids.
IDS = (
    Column("ident", 16, lambda row: str(row.ident or "")),
    Column("native id", 10, lambda row: str(row.native_id or "")),
)


def grouped(rows: Iterable[ThreadRow]) -> list[ThreadRow]:
    """The rows, with a single one for all threads whose names differ in numbers only."""
    by_kind: dict[str, list[ThreadRow]] = {}
    for row in rows:
        by_kind.setdefault(DIGITS.sub("N", row.name), []).append(row)
    return [those[0] if len(those) == 1 else one(kind, those) for kind, those in by_kind.items()]


def one(kind: str, rows: Sequence[ThreadRow]) -> ThreadRow:
    def total(key: str) -> Any:
        return sum(getattr(row, key) for row in rows)

    sums = {key: total(key) for key in ("time", "waited", "idle", "lost_calls")}
    return rows[0]._replace(
        **sums,
        ncalls=None if any(row.ncalls is None for row in rows) else total("ncalls"),
        name=f"{total('sharers'):,} threads {kind}",
        busy=max(0.0, sums["time"] - sums["waited"]),
        ident=0,
        native_id=0,
        sharers=1,
        cut_off=max((row.cut_off for row in rows if row.cut_off is not None), default=None),
    )


def threads_table(
    profiles: ProfileSet, limit: int | None, rows: Sequence[ThreadRow] | None = None
) -> str:
    """A line for each thread, those with the most time first. rows: of which; None: of all."""
    if rows is None:
        rows = threads(profiles, None)[0]
    if not rows:
        return f"   {none_recorded(profiles, 'threads')}\n\n"
    chosen = sorted(rows, key=lambda row: -row.time)[:limit]
    above = ["   Ordered by: time in the thread's functions"]
    above += [*reduced(len(rows), len(chosen), limit), ""]
    columns = (count("ncalls"), *TIMES, *IDS)
    return in_lines([*above, *drawn(columns, chosen, "thread", described, "  "), ""])


def described(row: ThreadRow) -> str:
    """The thread's name, and remarks: threads before it, where it was cut off, lost calls."""
    words = [row.name]
    if row.sharers > 1:
        words.append(f"and {row.sharers - 1:,} before it, which had ended")
    if row.cut_off is not None:
        words.append(f"(cut off after {row.cut_off:.3f} s)")
    if row.lost_calls:
        words.append(f"({row.lost_calls:,} calls lost)")
    return " ".join(words)
