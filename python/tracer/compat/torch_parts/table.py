"""The table of PyTorch's profiler: its titles, columns, widths and footer, and its formats of time.

events.py has the lists that are printed.
"""

from __future__ import annotations

from typing import NamedTuple

from tracer.compat.torch_parts.names import say_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    Event = Any  # a FunctionEvent or a FunctionEventAvg

COLUMNS = ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
WIDTH = 12  # of each of them
MARGIN = 4  # how much wider a column of names is than the longest
SECOND, MILLISECOND = 1e6, 1e3  # in microseconds
UNITS = {"s": SECOND, "ms": MILLISECOND, "us": 1.0}
DEVICES = ("cuda", "xpu", "device", "privateuse1")
KEYS = ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count", "key")


class Look(NamedTuple):
    """How a table looks: the arguments of EventList.table(). Widths are of letters; None: as wide
    as it takes."""

    sort_by: str | None = None
    row_limit: int = 100
    max_src_column_width: int | None = 75
    max_name_column_width: int | None = 55
    header: str | None = None
    top_level_events_only: bool = False
    time_unit: str | None = None


def table(events: Sequence[Event], look: Look, is_top: Callable[[Event], bool]) -> str:
    """The table of these events; "" of none. Raises ValueError for another sort key or unit."""
    unit = look.time_unit
    if unit is not None and unit not in UNITS:
        raise ValueError(f"time_unit must be one of {', '.join(UNITS)}, not {unit!r}")
    if not events:
        return ""
    if look.sort_by is not None:
        key = sort_key(look.sort_by)
        events = sorted(events, key=lambda event: getattr(event, key), reverse=True)
    names = _width((len(event.key) for event in events), look.max_name_column_width)
    sources = [len(entry) for event in events for entry in event.stack]
    source = _width(sources, look.max_src_column_width) if sources else 0
    widths = [names, *(WIDTH for _ in COLUMNS)]
    whole = sum(event.self_cpu_time_total for event in events)
    rule = "".join("-" * width + "  " for width in [*widths, *([source] if source else [])])

    def line(cells: Iterable[object], place: str = "") -> str:
        text = "".join(f"{cell!s:>{width}}  " for cell, width in zip(cells, widths, strict=True))
        return text + (f"{place:<{source}}  " if source else "")

    lines = []
    double = "=" * (len(rule) - 2)
    if look.header is not None:
        lines += [double, look.header]
    if look.top_level_events_only:
        lines += [double, "This report only display top-level ops statistics"]
    lines += [rule, line(("Name", *COLUMNS), "Source Location"), rule]
    wanted = [event for event in events if not look.top_level_events_only or is_top(event)]
    for event in wanted[: look.row_limit] if look.row_limit >= 0 else wanted:
        stack = [_end_of(entry, source) for entry in event.stack]
        cells = (_name(event.key, look.max_name_column_width), *_figures(event, whole, unit))
        lines.append(line(cells, *stack[:1]))
        if source:
            blank = [""] * len(widths)
            lines += [line(blank, entry) for entry in (*stack[1:], "")]
    lines += [rule, f"Self CPU time total: {time_in(whole, unit)}"]
    return "\n".join(lines) + "\n"


def sort_key(given: str) -> str:
    """The figure to sort by. One of a GPU, or of memory, of which there is none here, is said, and
    a CPU time stands in for it. Raises ValueError for another key."""
    key = given
    for device in DEVICES:
        key = key.replace(device, "cpu")
    is_memory = "memory_usage" in key
    key = key.replace("memory_usage", "time_total")
    if key not in KEYS:
        raise ValueError(f"sort_by must be one of {', '.join(KEYS)}, not {given!r}")
    if is_memory:
        say_once(f"sort_by={given!r}: tracer records no memory here; sorted by {key}")
    elif key != given:
        say_once(f"sort_by={given!r}: tracer records no GPU; sorted by {key}")
    return key


def _figures(event: Event, whole: float, unit: str | None) -> tuple[object, ...]:
    return (
        share(event.self_cpu_time_total, whole),
        time_in(event.self_cpu_time_total, unit),
        0 if event.is_async else share(event.cpu_time_total, whole),
        time_in(event.cpu_time_total, unit),
        time_in(event.cpu_time, unit),
        event.count,
    )


def time_in(microseconds: float, unit: str | None = None) -> str:
    """A time as text, in this unit; None: in the one that fits."""
    if unit is None:
        fitting = (name for name, size in UNITS.items() if microseconds >= size)
        unit = next(fitting, "us")
    return f"{microseconds / UNITS[unit]:.3f}{unit}"


def share(part: float, whole: float) -> str:
    """A percentage as text; of nothing, NaN."""
    return f"{part * 100.0 / whole:.2f}%" if whole else "NaN"


def _width(lengths: Iterable[int], most: int | None) -> int:
    width = max(lengths) + MARGIN
    return width if most is None else min(width, most)


def _name(key: str, most: int | None) -> str:
    if most is None or len(key) < most - 3:
        return key
    return f"{key[: most - 3]}..."


def _end_of(text: str, width: int) -> str:
    """A path, without its beginning where it is too long."""
    if len(text) <= width:
        return text
    text = text[len(text) - width :]
    return f"...{text[3:]}" if len(text) > 3 else text
