"""The curve of memory as text: how much was live when, in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tracer.analysis.memory.sizes import size_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tracer.data.capture import Capture
    from tracer.data.memory import Memory, Point

ROWS = 6
LABEL = 11  # characters left of the plot
WIDEST = 110  # characters of a line
NARROWEST = 20  # columns
FULL, LITTLE = "#", "."


def memory_plot(captures: Iterable[Capture], width: int) -> str:
    """The plot, in lines of `width` characters at most; empty where nothing has a curve. Of several
    captures it is of the one with the highest peak."""
    recorded = [memory for memory in (capture.memory for capture in captures) if memory is not None]
    if not recorded:
        return ""
    memory = max(recorded, key=lambda it: it.peak.bytes)
    points = list(memory.curve())
    if len(points) < 2 or points[-1].at <= 0 or max(point.most for point in points) <= 0:
        return ""
    columns = max(NARROWEST, min(width, WIDEST) - LABEL - 2)
    lines = [title(memory, points, columns, len(recorded)), *drawn(points, columns), ""]
    return "".join(f"{line}\n" for line in lines)


def title(memory: Memory, points: Sequence[Point], columns: int, runs: int) -> str:
    highest = max(points, key=lambda point: point.most)
    which = "" if runs == 1 else ", of the run with the highest peak"
    return (
        f"   Live memory{which}: {size_text(memory.peak.bytes)} at {highest.at:.3f} s; "
        f"a column is {1000 * points[-1].at / columns:,.1f} ms"
    )


def drawn(points: Sequence[Point], columns: int) -> Iterable[str]:
    """The rows from above, and the axis. A column shows the most that was live in it; a full row
    stands for what reaches its middle."""
    found = highest_in(points, columns)
    top = max(found)
    for row in range(ROWS, 0, -1):
        label = size_text(round(top * row / ROWS)) if row in (ROWS, ROWS // 2) else ""
        cells = "".join(cell(live * ROWS / top, row) for live in found)
        yield f"{label:>{LABEL}} |{cells}".rstrip()
    yield f"{'0':>{LABEL}} +{'-' * columns}"
    end = f"{points[-1].at:.3f} s"
    yield f"{'':{LABEL}}  {'0.000 s':<{columns - len(end)}}{end}"


def cell(height: float, row: int) -> str:
    """height: in rows. Row 1 is the lowest: there a point stands for what is less than half."""
    if height >= row - 0.5:
        return FULL
    return LITTLE if row == 1 and height > 0 else " "


def highest_in(points: Sequence[Point], columns: int) -> list[int]:
    """The most that was live in each of so many parts of the run. A point holds until the next."""
    length = points[-1].at
    found = [0] * columns
    ends = [*(point.at for point in points[1:]), length]
    for point, end in zip(points, ends, strict=True):
        first = min(columns - 1, int(point.at / length * columns))
        last = min(columns - 1, int(end / length * columns))
        live = point.most
        for column in range(first, last + 1):
            found[column] = max(found[column], live)
            live = point.last  # which holds from there on
    return found
