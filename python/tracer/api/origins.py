"""Where live objects were allocated: Heap.allocated() and allocated_at()."""

from __future__ import annotations

import marshal
from operator import index
from typing import TYPE_CHECKING, NamedTuple

from tracer._core import Uncounted, find_origin, unrecorded
from tracer.report.objects import allocation_text, origins_table

if TYPE_CHECKING:
    from tracer._core import _Names
    from tracer.data.heap import Place, Share

ROWS = 10  # of a table that is printed


class Origin(NamedTuple):
    """Objects that one function allocated. size: bytes, of all together. line: the line on which
    the objects were allocated, where lines are recorded by memory; else the first line of the
    function. function, file and line are None for objects of which that is not known: they are
    older than the recording, or of no function of the program."""

    count: int  # type: ignore[assignment]  # of a tuple, it is a method
    size: int
    function: str | None
    file: str | None
    line: int | None


class Origins(Uncounted):
    """Where objects were allocated. Heap.allocated() makes one. It keeps none of the objects alive,
    and no census counts it. As text it is a table."""

    __slots__ = ()

    @classmethod
    def of_places(
        cls, places: dict[Place, Share], kind: str | None, is_difference: bool
    ) -> Origins:
        rows = [origin_of(place, share) for place, share in places.items()]
        rows.sort(key=lambda row: (-row.size, -row.count, row.file or "", row.line or 0))
        return cls(marshal.dumps((kind, is_difference, [tuple(row) for row in rows])))

    @property
    def rows(self) -> tuple[Origin, ...]:
        """One Origin(count, size, function, file, line) for each function, or line, the most bytes
        first."""
        with unrecorded:
            return tuple(Origin(*row) for row in marshal.loads(self.payload)[2])

    @property
    def count(self) -> int:
        """How many objects there are."""
        with unrecorded:
            return sum(row[0] for row in marshal.loads(self.payload)[2])

    @property
    def size(self) -> int:
        """The bytes of all these objects."""
        with unrecorded:
            return sum(row[1] for row in marshal.loads(self.payload)[2])

    def table(self, limit: int | None = ROWS) -> str:
        """The table as text: at most `limit` rows; None: all. Raises TypeError and ValueError."""
        with unrecorded:
            most = None if limit is None else checked(limit)
            kind, is_difference, rows = marshal.loads(self.payload)
            return origins_table(kind, is_difference, rows, most)

    def __repr__(self) -> str:
        return self.table()


class Call(NamedTuple):
    """A function on the way to an allocation. line: its first one. Of a function written in C the
    file is "~" and the line 0."""

    function: str
    file: str
    line: int


class Allocation(NamedTuple):
    """Where an object was allocated. As text it says the calls that led there.

    size: the bytes of the block of memory that holds the object; 0: its allocation is not known.
    calls: those that led to the allocation, the outermost first. place: the function written in
    Python that allocated, and the line, where lines are recorded by memory; else its first line.
    """

    kind: str  # the name of the object's type
    size: int
    calls: tuple[Call, ...]
    place: Call | None

    @property
    def is_known(self) -> bool:
        return self.place is not None

    def __repr__(self) -> str:
        return allocation_text(*self)


def allocated_at(object: object, /) -> Allocation:
    """Find the calls that led to the allocation of an object. A Profile is recording memory.

    An object that is older than the recording is not known: it has no calls, and place is None. An
    object in a block that the interpreter had used before has the calls of the block's first use.
    Raises MemoryError, and RuntimeError where no memory is being recorded.
    """
    with unrecorded:
        found = find_origin(object)
        if found is None:
            raise RuntimeError(
                "no memory is being recorded: enable a Profile(memory=True), or run the program "
                "with --memory"
            )
        kind, size, calls, place = found
        last = None if place is None else Call(place[3], place[0], place[4] or place[1])
        return Allocation(kind, size, tuple(map(call_of, calls)), last)


def call_of(names: _Names) -> Call:
    file, line, name, qualname = names
    return Call(name if file == "~" else qualname, file, line)


def origin_of(place: Place, share: Share) -> Origin:
    if place is None:
        return Origin(*share, None, None, None)
    file, first, _, qualname, line = place
    return Origin(*share, qualname, file, line or first)


def checked(limit: object) -> int:
    try:
        found = index(limit)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"limit must be a whole number, not {type(limit).__name__}") from None
    if found < 1:
        raise ValueError(f"limit must be 1 or more, not {found}")
    return found
