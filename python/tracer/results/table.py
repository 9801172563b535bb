"""Tables of results: a sequence of named tuples that knows its columns and what it left out.

A frame library takes a table as it is: `pandas.DataFrame(table)`, `polars.DataFrame(table)`; a
sequence of named tuples is what they know. A class of rows says each column once: its type, its
kind and its meaning stand in the annotation of its field.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

from tracer.runtime.unrecorded import all_aside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Column", "Kind", "Omitted", "Table", "columns_of"]

# What the values of a column are. seconds: also of CPU; moment: seconds since recording began;
# percent: 100 is the whole; number: of a line, a thread, a step, which is no amount.
Kind = Literal["count", "number", "seconds", "moment", "percent", "bytes", "text"]
TO_THE_LEFT = ' style="text-align: left"'
SHOWN = 30  # rows of a table in a notebook, and of its text


class About(NamedTuple):
    """The annotation of a field of a row."""

    kind: Kind
    meaning: str


class Column(NamedTuple):
    """key: the name of the field. type: of its values, as Python has them; "float | None": None is
    what is not known. about: a phrase."""

    key: str
    kind: Kind
    type: str
    about: str


class Omitted(NamedTuple):
    """What a table has not: `number` of `of` rows, or, where both are 0, columns or all of it. why:
    a phrase. remedy: what to do to have it; "" where nothing is."""

    number: int
    of: int
    why: str
    remedy: str = ""


NOTHING = Omitted(0, 0, "nothing was recorded")
Row = TypeVar("Row", bound="tuple[Any, ...]")


@all_aside
class Table(Generic[Row], Sequence[Row]):
    """name: of the table. columns: of its rows. order: the column that it is sorted by; "" where
    rows have an order of their own. whole: how many rows there are without a limit. omitted: see
    Omitted. A table does not change."""

    __slots__ = ("_rows", "columns", "name", "omitted", "order", "whole")

    def __init__(
        self,
        name: str,
        row: type[Row],
        rows: Iterable[Row],
        *,
        order: str = "",
        whole: int | None = None,
        omitted: Iterable[Omitted] = (),
    ) -> None:
        self._rows: tuple[Row, ...] = tuple(rows)
        self.name: str = name
        self.columns: tuple[Column, ...] = columns_of(row)
        self.order: str = order
        self.whole: int = len(self._rows) if whole is None else whole
        self.omitted: tuple[Omitted, ...] = tuple(omitted)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, place: int | slice) -> Row | tuple[Row, ...]:
        return self._rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return (self.name, self.columns, self._rows) == (other.name, other.columns, other._rows)

    def __hash__(self) -> int:
        return hash((self.name, self._rows))

    def to_dict(self) -> dict[str, list[Any]]:
        """{column: its values}, as pyarrow.table() takes them."""
        values = zip(*self._rows, strict=True) if self._rows else ([] for _ in self.columns)
        return {column.key: list(of) for column, of in zip(self.columns, values, strict=True)}

    def to_dicts(self) -> list[dict[str, Any]]:
        """A dictionary for each row."""
        keys = [column.key for column in self.columns]
        return [dict(zip(keys, row, strict=True)) for row in self._rows]

    def __repr__(self) -> str:
        rest = "" if self.whole == len(self) else f" of {self.whole:,}"
        return f"<tracer.Table {self.name}: {len(self):,}{rest} row{'s' * (self.whole != 1)}>"

    def __str__(self) -> str:
        """The first rows in aligned columns, and what is left out."""
        cells = [[column.key for column in self.columns]]
        cells += [self._cells(row) for row in self._rows[:SHOWN]]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        sides = ["<" if column.kind == "text" else ">" for column in self.columns]
        lines = [
            "  ".join(
                f"{cell:{side}{width}}"
                for cell, side, width in zip(row, sides, widths, strict=True)
            )
            for row in cells
        ]
        return "\n".join([*(line.rstrip() for line in lines), *self._remarks()])

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        heads = [column.key for column in self.columns]
        lefts = [column.kind == "text" for column in self.columns]
        table = html_table(heads, map(self._cells, self._rows[:SHOWN]), lefts)
        return table + "".join(f"<p>{html.escape(remark)}</p>" for remark in self._remarks())

    def _cells(self, row: Row) -> list[str]:
        pairs = zip(row, self.columns, strict=True)
        return [cell_of(value, column.kind) for value, column in pairs]

    def _remarks(self) -> Iterator[str]:
        more = len(self) - SHOWN
        if more > 0:
            yield f"... {more:,} more row{'s' * (more != 1)}"
        for it in self.omitted:
            count = f"{it.number:,} of {it.of:,} rows left out: " if it.of else ""
            yield f"{count}{it.why}{'; ' * bool(it.remedy)}{it.remedy}"


def html_table(heads: Sequence[str], rows: Iterable[Sequence[str]], lefts: Sequence[bool]) -> str:
    """A table in HTML. lefts: which columns stand to the left; others do to the right."""

    def row_of(cells: Iterable[str], tag: str) -> str:
        parts = (
            f"<{tag}{TO_THE_LEFT * left}>{html.escape(cell)}</{tag}>"
            for cell, left in zip(cells, lefts, strict=True)
        )
        return f"<tr>{''.join(parts)}</tr>"

    body = "".join(row_of(row, "td") for row in rows)
    return f"<table><thead>{row_of(heads, 'th')}</thead><tbody>{body}</tbody></table>"


def columns_of(row: type[tuple[Any, ...]]) -> tuple[Column, ...]:
    """The columns of a class of rows."""
    columns = []
    for key, hint in get_type_hints(row, include_extras=True).items():
        assert get_origin(hint) is Annotated, key
        kind, about = get_args(hint)
        columns.append(Column(key, about.kind, name_of(kind), about.meaning))
    return tuple(columns)


def name_of(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def cell_of(value: object, kind: Kind) -> str:
    """The text of a value; of what is not known "-"."""
    if value is None:
        return "-"
    if kind in ("seconds", "moment"):
        return f"{value:.6f}"
    if kind == "percent":
        return f"{value:.1f}"
    if kind in ("count", "bytes"):
        return f"{value:,}"
    text = str(value)
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    )
