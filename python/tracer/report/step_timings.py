"""The timings of steps as text: one line, and a table."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tracer.analysis.steps.timings import Distribution, StepTimings

UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
WIDTH = 16


def info_line(timings: StepTimings, unit: str = "items") -> str:
    """The means of these steps in one line, with items, or steps, a second."""
    batch, reader = timings.batch_cost, timings.reader_cost
    if batch is None:
        return "no step since the last call"
    told = timings.items_per_second
    rate, counted = (timings.steps_per_second, "steps") if told is None else (told, unit)
    words = [] if reader is None else [f"reader_cost: {reader.average:.5f} s"]
    words.append(f"batch_cost: {batch.average:.5f} s")
    words += [] if rate is None else [f"ips: {rate.average:.3f} {counted}/s"]
    ratio = timings.reader_ratio
    words += [] if ratio is None else [f"reader_ratio: {ratio:.1f}%"]
    return " ".join(words)


def number_text(number: float) -> str:
    """Six digits; of less than 1, as many behind the point; all that stand before it."""
    if number < 1:
        return f"{number:.6f}"
    return f"{number:#,.6g}".rstrip(".") if number < 999_999 else f"{number:,.0f}"


def timings_table(timings: StepTimings, time_unit: str = "ms", unit: str = "items") -> str:
    """The figures of all steps that are kept. Raises ValueError for an unknown unit of time."""
    if time_unit not in UNITS:
        raise ValueError(f"time_unit must be one of {', '.join(UNITS)}, not {time_unit!r}")
    number = len(timings.lengths)
    if number == 0:
        return "No step was timed.\n"
    since = f", from step {timings.first:,} on" if timings.first else ""
    lines = [f"Timings of {number:,} step{'s' * (number != 1)}{since}", ""]
    told = timings.items_per_second
    rows: list[tuple[str, Distribution | None, float]] = [
        (f"reader cost ({time_unit})", timings.reader_cost, UNITS[time_unit]),
        (f"batch cost ({time_unit})", timings.batch_cost, UNITS[time_unit]),
        (f"{unit} a second", told, 1.0)
        if told is not None
        else ("steps a second", timings.steps_per_second, 1.0),
    ]
    heads = ("average", "max", "min", "p95")
    lines.append(" " * 20 + "".join(head.rjust(WIDTH) for head in heads))
    for name, figures, factor in rows:
        if figures is not None:
            numbers = (figures.average, figures.max, figures.min, figures.p95)
            cells = (number_text(factor * number).rjust(WIDTH) for number in numbers)
            lines.append(f"{name:<20}{''.join(cells)}")
    ratio = timings.reader_ratio
    lines += [] if ratio is None else [f"reader ratio: {ratio:.1f}% of the steps' time"]
    return "\n".join(lines) + "\n"
