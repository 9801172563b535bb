"""The table of lines: line_profiler's text report of timings, column for column.

source/functions.py finds the source beside the figures. The figures are printed even if the source
is gone or has changed. lines.py chooses figures and notes for tracer's own profiles.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from tracer.report.styled import HEAD, joined, share, styled
from tracer.source.functions import Source

if TYPE_CHECKING:
    from tracer.data.line_timings import Key, Timing


NOT_COLORED = "Not in colours: there is no package rich here (pip install rich)"


class Columns(NamedTuple):
    """Extra columns of a function's table: their titles, and their texts by line."""

    titles: tuple[str, ...]
    texts: Mapping[int, tuple[str, ...]]


class Beside(NamedTuple):
    """Additions to the figures of a function: extra columns, and lines of text below the table; and
    the lines whose hits are at least so many, or, where they are 0, not known."""

    columns: Columns = Columns((), {})
    notes: Sequence[str] = ()
    uncounted: Collection[int] = ()


@dataclass(frozen=True, kw_only=True)
class LineTableOptions:
    """How tables of lines look.

    output_unit: seconds of the unit that times are printed in; None: the unit of the timings.
    stripzeros: leave out functions that were never called. details: print the lines. summarize: end
    with the total of each function. sort: put the longest function last. rich: print in colours,
    with the package rich. widths: of columns that should be wider.

    Raises ValueError for an output_unit that is not positive and finite.
    """

    output_unit: float | None = None
    stripzeros: bool = False
    details: bool = True
    summarize: bool = False
    sort: bool = False
    rich: bool = False
    widths: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.output_unit is not None and not 0 < self.output_unit < math.inf:
            raise ValueError(
                f"output_unit must be a positive number of seconds, not {self.output_unit!r}: "
                "1e-3 for milliseconds"
            )


PLAIN = LineTableOptions()
NOTHING_BESIDE = Beside()
TITLES = ("Line #", "Hits", "Time", "Per Hit", "% Time")
WIDTHS = {"line": 6, "hits": 9, "time": 12, "perhit": 8, "percent": 8}


def show(
    timings: Mapping[Key, Sequence[Timing]],
    unit: float,
    stream: TextIO,
    options: LineTableOptions = PLAIN,
    *,
    least: float = 0.0,
    beside: Mapping[Key, Beside] | None = None,
    texts: Mapping[str, bytes] | None = None,
) -> None:
    """Print timings, whose times are in units of `unit` seconds.

    least: leave out functions with less time than this, in units. beside: additions to the table of
    each function. texts: source files that the profile holds; other files are read as they are now.
    """
    if options.rich and not _can_be_rich(stream):
        options = replace(options, rich=False)
    scale = unit if options.output_unit is None else options.output_unit
    stream.write(f"Timer unit: {scale:g} s\n\n")
    totals = {key: sum(time for _, _, time in rows) for key, rows in timings.items()}
    shown = [key for key in timings if totals[key] >= least]
    if options.sort:
        shown.sort(key=lambda key: totals[key])
    if options.details:
        for key in shown:
            text = (texts or {}).get(key[0])
            show_function(
                key,
                timings[key],
                unit,
                stream,
                options,
                beside=(beside or {}).get(key, NOTHING_BESIDE),
                text=text,
            )
    if options.summarize:
        stripzeros = options.stripzeros
        entries = [(*key, totals[key] * unit) for key in shown if totals[key] or not stripzeros]
        _summarize(entries, stream, options.rich)


def show_function(
    key: Key,
    timings: Sequence[Timing],
    unit: float,
    stream: TextIO,
    options: LineTableOptions = PLAIN,
    *,
    beside: Beside = NOTHING_BESIDE,
    text: bytes | None = None,
) -> None:
    """Print the lines of one function. `text`: its file's contents, if the profile holds them."""
    if options.stripzeros and not any(hits for _, hits, _ in timings):
        return
    filename, first_line, name = key
    columns = beside.columns
    total = sum(time for _, _, time in timings)
    last_line = max((line for line, _, _ in timings), default=first_line)
    source = Source.of(filename, first_line, name, last_line, text)
    scale = unit / (options.output_unit or unit)
    figures, sizes = _figures(timings, total, scale, {**WIDTHS, **options.widths}, beside.uncounted)
    sizes += _widths_of(columns)
    left = " ".join(f"%{size}s" for size in sizes)
    header = f"{left % (*TITLES, *columns.titles)}  Line Contents"
    above = _above(source, filename, first_line, name, total * unit)
    head = styled(header, HEAD)
    write(joined("", [*above, "\n", head, "\n", "=" * len(header), "\n"]), stream)
    rows = []
    blank = ("",) * len(columns.titles)
    for line, contents in source.lines(line for line, _, _ in timings):
        texts = (*figures.get(line, ("",) * 4), *columns.texts.get(line, blank))
        row, shares = left % (line, *texts), texts[3]
        rows.append((with_share(row, sum(sizes[:4]) + 4, sizes[4], shares), contents))
    if options.rich and rows:
        _print_richly(rows, stream)
    else:
        parts = (part for row, contents in rows for part in (row, f"  {contents}\n"))
        write(joined("", parts), stream)
    write("".join([*(f"{note}\n" for note in beside.notes), "\n"]), stream)


def with_share(row: str, at: int, size: int, text: str) -> str:
    """The row, with the share in the column of this size that begins there in its style."""
    if not text:
        return row
    return row[:at] + share(f"{text:>{size}}", float(text)) + row[at + size :]


def _above(source: Source, filename: str, first_line: int, name: str, seconds: float) -> list[str]:
    """The lines above a function's table: which function it is, and why it has no source."""
    total, where = f"Total time: {seconds:g} s\n", f"Function: {name} at line {first_line}\n"
    if source.problem:
        rest = "Continuing without the function's contents.\n"
        return [total, where, "\n", *source.problem, rest]
    return [total, f"File: {filename}\n", where]


def _figures(
    timings: Iterable[Timing],
    total: float,
    scale: float,
    widths: Mapping[str, int],
    uncounted: Collection[int],
) -> tuple[dict[int, tuple[str, str, str, str]], list[int]]:
    """The texts of the columns for each line, and the widths of the columns."""
    figures = {}
    for line, hits, time in timings:
        figures[line] = (
            hits_shown(hits, line in uncounted, widths["hits"]),
            fitting(time * scale, "5.1f", "5.3g", widths["time"]),
            fitting(time * scale / hits, "5.1f", "5.3g", widths["perhit"])
            if hits and line not in uncounted
            else "",
            f"{100 * time / total:5.1f}" if total else "",
        )
    sizes = list(widths.values())
    for place in range(3):  # a share has at most five characters
        longest = max((len(texts[place]) for texts in figures.values()), default=0)
        sizes[place + 1] = max(sizes[place + 1], longest)
    return figures, sizes


def hits_shown(hits: int, uncounted: bool, width: int) -> str:
    if uncounted and not hits:
        return ""
    return fitting(hits, ".0f", "g", width - uncounted) + "+" * uncounted


def _widths_of(columns: Columns) -> list[int]:
    cells = zip(columns.titles, *columns.texts.values(), strict=True)
    return [max(WIDTHS["percent"], *map(len, texts)) for texts in cells]


def fitting(number: float, plain: str, short: str, width: int) -> str:
    text = format(number, plain)
    return text if len(text) <= width else format(number, short)


def _summarize(entries: Iterable[tuple[str, int, str, float]], stream: TextIO, rich: bool) -> None:
    if not rich:
        text = [
            f"{time:6.2f} seconds - {file}:{line} - {name}\n" for file, line, name, time in entries
        ]
        return write("".join(text), stream)
    escape = _of_rich("markup").escape
    console = _console(stream)
    for file, line, name, time in entries:
        link = f"[link={file}]{escape(file)}[/link]"
        console.print(f"{time:6.2f} seconds - {link}:{line} - {escape(name)}")


# -- Output ---------------------------------------------------------------------------------------


def write(text: str, stream: TextIO) -> None:
    """Write text; escape characters that the stream's encoding lacks."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = getattr(stream, "encoding", None) or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))


def _can_be_rich(stream: TextIO) -> bool:
    """Whether the package rich is installed; if not, the stream says so."""
    try:
        _of_rich("syntax")
    except ImportError:
        stream.write(f"{NOT_COLORED}\n\n")
        return False
    return True


def _of_rich(module: str) -> Any:
    """A module of the package rich, which is not a dependency of tracer."""
    return import_module(f"rich.{module}")


def _console(stream: TextIO) -> Any:
    return _of_rich("console").Console(file=stream, soft_wrap=True, color_system="standard")


def _print_richly(rows: Iterable[tuple[str, str]], stream: TextIO) -> None:
    figures, contents = zip(*rows, strict=True)
    left = _of_rich("text").Text("\n".join(figures))
    _of_rich("highlighter").ReprHighlighter().highlight(left)
    syntax = _of_rich("syntax").Syntax
    table = _of_rich("table").Table.grid()
    table.add_row(left, "  ", syntax("\n".join(contents), "python", background_color="default"))
    _console(stream).print(table)
    stream.write("\n")
