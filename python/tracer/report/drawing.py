"""Draws a table: a head, and a line for each row.

A column is told once: its title, its width, and what stands there of a row. Numbers stand to the
right. What a row is of, a function mostly, stands last.
"""

from __future__ import annotations

from operator import attrgetter
from typing import NamedTuple

from tracer.analysis.memory.sizes import cell
from tracer.report.cells import cut_end
from tracer.report.styled import HEAD, joined, styled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

FUNCTION = "filename:lineno(function)"  # the head of pstats' column of functions


class Column(NamedTuple):
    """text: what stands there of a row."""

    title: str
    width: int
    text: Callable[[Any], str]


def drawn(
    columns: Sequence[Column],
    rows: Iterable[Any],
    last: str,
    text_of: Callable[[Any], str],
    gap: str = " ",
) -> Iterator[str]:
    """The head, and a line for each row. last: the head of what each row is of; text_of: its text;
    gap: what stands before it."""
    yield styled(head(columns) + gap + last, HEAD)
    for row in rows:
        yield joined("", (cells(columns, row), gap, text_of(row)))


def drawn_within(
    width: int,
    columns: Sequence[Column],
    rows: Iterable[Any],
    last: str,
    text_of: Callable[[Any, int], str],
) -> Iterator[str]:
    """drawn() in so many characters. text_of: also has the room for its text."""
    yield styled(cut_end(f"{head(columns)}  {last}".rstrip(), width), HEAD)
    for row in rows:
        numbers = cells(columns, row) + "  "
        yield numbers + text_of(row, width - len(numbers))


def head(columns: Sequence[Column]) -> str:
    return " ".join([f"{title:>{width}}" for title, width, _ in columns])


def cells(columns: Sequence[Column], row: Any) -> str:
    texts = [padded(text(row), width) for _, width, text in columns]
    return " ".join(texts) if all(type(text) is str for text in texts) else joined(" ", texts)


def aligned(
    rows: Sequence[Sequence[str]], least: Sequence[int] = (), other: int = 8, gap: str = " "
) -> list[str]:
    """Each row as one text: figures to the right, in columns as wide as they need; the last, a
    name, to the left behind `gap`. least: widths of the first columns at least; other: of all."""
    *columns, names = zip(*rows, strict=True)
    widths = [
        max(*map(len, column), other, *least[place : place + 1])
        for place, column in enumerate(columns)
    ]
    room = max(map(len, names))
    return [
        joined(" ", map(padded, figures, widths)) + gap + name + " " * (room - len(name))
        for *figures, name in rows
    ]


def padded(text: str, width: int) -> str:
    """The text, to the right; with its style."""
    return " " * (width - len(text)) + text if len(text) < width else text


def calls(ncalls: int, primitive: int) -> str:
    """A number of calls as pstats prints it: 5/1 is five, one of them not from within the function
    itself."""
    return str(ncalls) if ncalls == primitive else f"{ncalls}/{primitive}"


def ratio(number: float, of: float) -> str:
    return f"{number / of:.3f}" if of else ""


NCALLS = Column("ncalls", 9, lambda row: calls(row.ncalls, row.primitive))


def count(key: str, title: str = "", width: int = 9) -> Column:
    of = attrgetter(key)
    return Column(title or key, width, lambda row: "-" if of(row) is None else str(of(row)))


def seconds(key: str, title: str = "", width: int = 8) -> Column:
    of = attrgetter(key)
    return Column(title or key, width, lambda row: some(of(row)))


def some(number: float | None) -> str:
    """A dash for what is not known."""
    return "-" if number is None else f"{number:.3f}"


def size(key: str, unit: int, title: str = "", width: int = 9) -> Column:
    """unit: a place in UNITS."""
    of = attrgetter(key)
    return Column(title or key, width, lambda row: cell(of(row), unit, 0))


def reduced(number: int, chosen: int, limit: int | None) -> list[str]:
    """What pstats says of rows that a limit leaves out."""
    if chosen >= number:
        return []
    return [f"   List reduced from {number} to {chosen} due to restriction <{limit}>"]
