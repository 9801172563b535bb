"""The table of where threads waited, by looks at them: see data/waits_view.py."""

from __future__ import annotations

from tracer.report.drawing import FUNCTION, drawn, seconds
from tracer.report.figure_tables import FIGURE_TABLES
from tracer.report.styled import function, in_lines
from tracer.results.function_tables import function_row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tracer.data.profile_set import ProfileSet
    from tracer.data.types import Label
    from tracer.report.functions import Restrict

COLUMNS = (
    seconds("tottime", "waited"),
    seconds("own_error", "+-", 7),
    seconds("cumtime", "cumwait"),
    seconds("error", "+-", 7),
)


def sampled_waits_table(
    profiles: ProfileSet, restrict: Restrict, shown: Callable[[Label], str] = function
) -> str:
    """The functions in which threads waited, of those that `restrict` selects, the longest waits
    first; and those that called them. The set's times come from samples."""
    table = FIGURE_TABLES["waited"]
    seen = profiles.seen_by_waits()
    rows = {label: function_row(seen, label) for label in seen.stats}
    some = sorted(
        (label for label, row in rows.items() if row.cumtime),
        key=lambda label: (-rows[label].tottime, -rows[label].cumtime),
    )
    if not some:
        return in_lines([f"   {table.nothing}", ""])
    chosen, message = restrict(some, f"   Ordered by: {table.by}\n")
    if not chosen:
        return in_lines([message.removesuffix("\n"), ""])
    found = [rows[label] for label in chosen]
    lines = drawn(COLUMNS, found, FUNCTION, lambda row: shown((row.file, row.line, row.name)))
    return in_lines([message, *lines, ""])
