"""csv: a row for each function, the longest first, times in seconds to the nanosecond, memory in
bytes.

If a spreadsheet would take a function's name for a formula, the cell begins with an apostrophe.
"""

from __future__ import annotations

import csv
from io import TextIOWrapper

from tracer.data.figures import FIGURES
from tracer.exports import memory
from tracer.exports.figures import known_figures
from tracer.exports.format import Format, Options
from tracer.exports.names import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

    from tracer.analysis.tree.call_tree import Paths
    from tracer.data.profile_set import ProfileSet

FORMAT = Format(
    opened_by="spreadsheets, pandas, SQL",
    holds="a row for each function",
    suffix=".csv",
    mark=b"name,module,file,line,ncalls,primitive,tottime,cumtime,resumes,suspended,",
)

COLUMNS = ("name", "module", "file", "line")
FORMULAS = ("=", "+", "-", "@")
SAMPLED = ("counted", "tottime_error", "cumtime_error")


def write(paths: Paths, stats: ProfileSet, out: BinaryIO, options: Options) -> None:
    text = TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    try:
        rows = csv.writer(text, lineterminator="\n")
        allocated = memory.by_row(stats, paths.rows)
        of_memory = () if allocated is None else memory.COLUMNS
        of_samples = () if paths.sampled is None else SAMPLED
        rows.writerow((*COLUMNS, *FIGURES, *of_samples, *of_memory))
        figures = paths.figures
        for row in sorted(figures, key=lambda row: -figures[row].cumtime):
            file, line, name = paths.rows[row]
            cells = cell(name), cell(paths.modules[row].name), cell(file), line
            values = known_figures(paths, row, figures[row]).values()
            known = zip(FIGURES.values(), values, strict=True)
            numbers = (
                "" if value is None else seconds(value) if of.is_time else value
                for of, value in known
            )
            sizes = () if allocated is None else allocated[row].values()
            trust = trust_in(paths, row)
            rows.writerow((*cells, *numbers, *trust, *sizes))
    finally:
        text.detach()  # leaves `out` open: its owner closes it


def trust_in(paths: Paths, row: int) -> tuple[str, ...]:
    """What a number of calls is, and the errors of the times, where these come from samples."""
    if paths.sampled is None:
        return ()
    count = paths.sampled.counts.get(paths.rows[row])
    counted = "" if count is None else "exact" if count.is_exact else "at least"
    of = paths.figures[row]
    errors = (paths.sampled.error(time / 1e9) for time in (of.tottime, of.cumtime))
    return counted, *(f"{error:.9f}" for error in errors)


def cell(text: str) -> str:
    text = shown(text) if text else ""
    return f"'{text}" if text.startswith(FORMULAS) else text


def seconds(nanoseconds: int) -> str:
    whole, rest = divmod(abs(nanoseconds), 10**9)
    return f"{'-' if nanoseconds < 0 else ''}{whole}.{rest:09}"
