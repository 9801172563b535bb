"""LineStats: timings of lines, added up, printed and kept in files, with line_profiler's interface.

line_profiler.py records. report/line_table.py prints the table; data/lprof.py has `.lprof` files.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tracer.runtime.unrecorded import aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Self, TextIO

    from tracer.data.line_timings import Key, Timing, Timings
    from tracer.runtime.atomic_files import AnyPath

    Config = str | PathLike[str] | bool | None

__all__ = ["LineStats"]


class LineStats:
    """The timings of lines: `timings` is {(file, first line, name): [(line, hits, time), ...]}.
    Times are in units of `unit` seconds, callees included."""

    timings: Timings
    unit: float

    def __init__(self, timings: Mapping[Key, Iterable[Timing]], unit: float) -> None:
        self.timings = {key: list(rows) for key, rows in timings.items()}
        self.unit = unit

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.timings!r}, {self.unit:.3G})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LineStats):
            return NotImplemented
        return self.timings == other.timings and self.unit == other.unit

    __hash__: None = None  # type: ignore[assignment]

    def __add__(self, other: LineStats) -> Self:
        if not _has_timings(other):
            return NotImplemented
        return self.from_stats_objects(self, other)

    def __iadd__(self, other: LineStats) -> Self:
        if not _has_timings(other):
            return NotImplemented
        both = self.from_stats_objects(self, other)
        self.timings, self.unit = both.timings, both.unit
        return self

    @classmethod
    def from_stats_objects(cls, stats: LineStats, /, *more_stats: LineStats) -> Self:
        """The sum of several LineStats, in the largest unit of any."""
        unit = max(part.unit for part in (stats, *more_stats))
        sums: dict[Key, dict[int, tuple[int, float]]] = {}
        for part in (stats, *more_stats):
            scale = part.unit / unit
            for key, rows in part.timings.items():
                lines = sums.setdefault(key, {})
                for line, hits, time in rows:
                    known_hits, known_time = lines.get(line, (0, 0))
                    # Whole numbers stay whole: a float lacks the digits of the largest.
                    added = time if scale == 1 else time * scale
                    lines[line] = hits + known_hits, added + known_time
        timings: Timings = {
            key: [(line, hits, round(time)) for line, (hits, time) in sorted(lines.items())]
            for key, lines in sums.items()
        }
        return cls(timings, unit)

    @classmethod
    def from_files(cls, file: AnyPath, /, *files: AnyPath) -> Self:
        """The sum of the timings in `.lprof` files. Raises ProfileFormatError, OSError."""
        from tracer.data.lprof import load

        parts = [cls(*load(path)) for path in (file, *files)]
        return parts[0] if len(parts) == 1 else cls.from_stats_objects(*parts)

    @aside
    def to_file(self, filename: AnyPath) -> None:
        """Write a `.lprof` file, whole or not at all. line_profiler reads it, too."""
        from tracer.data.lprof import write

        write(filename, self.timings, self.unit)

    @aside
    def print(
        self,
        stream: TextIO | None = None,
        output_unit: float | None = None,
        stripzeros: bool = False,
        details: bool = True,
        summarize: bool = False,
        sort: bool = False,
        rich: bool = False,
        *,
        config: Config = None,
    ) -> None:
        """Print the table: see LineProfiler.print_stats()."""
        from tracer.api.line_config import column_widths
        from tracer.report.line_table import LineTableOptions, show

        options = LineTableOptions(
            output_unit=output_unit,
            stripzeros=stripzeros,
            details=details,
            summarize=summarize,
            sort=sort,
            rich=rich,
            widths=column_widths(config) or {},
        )
        show(self.timings, self.unit, sys.stdout if stream is None else stream, options)


def _has_timings(value: object) -> bool:
    return hasattr(value, "timings") and hasattr(value, "unit")
