"""heap() and growth(): how many live objects there are of each type, and how large they are."""

from __future__ import annotations

import gc  # noqa: F401  # up to 3.11, the census asks this module for the objects
from typing import Any

from tracer._core import Uncounted, count_objects, find_objects, unrecorded
from tracer.api.origins import ROWS, Origins, checked
from tracer.data.heap import (
    GROUPINGS,
    Census,
    Kind,
    census_of,
    difference,
    grown,
    joined,
    kinds_of,
    places_of,
    unpacked,
)
from tracer.report.objects import heap_table


class Found(tuple[Any, ...]):
    """Objects that Heap.of() found. why() does not take these for what keeps the objects alive."""

    __slots__ = ()


class Heap(Uncounted):
    """How many live objects there are of each type, and how many bytes they take; or how that
    differs from an earlier census. heap() makes one. It keeps none of the objects alive, and no
    census counts it. As text it is a table.

    Sizes are bytes, as sys.getsizeof() says them of each object.
    """

    __slots__ = ()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """One Kind(name, count, size) for each type, the largest first; or for each module or size,
        after by()."""
        with unrecorded:
            return tuple(kinds_of(self._census))

    @property
    def count(self) -> int:
        """How many objects there are."""
        with unrecorded:
            return sum(count for count, _ in self._census.types.values())

    @property
    def size(self) -> int:
        """The bytes of all objects."""
        with unrecorded:
            return sum(size for _, size in self._census.types.values())

    @property
    def _census(self) -> Census:
        return unpacked(self.payload)

    def __getitem__(self, kind: type | str) -> Kind:
        """The Kind of a type, given itself or by its name in the table; of none, count and size
        are 0. Raises TypeError."""
        with unrecorded:
            name = name_of("heap[...]", kind)
            none = Kind(name, 0, 0)
            return next((found for found in kinds_of(self._census) if found.name == name), none)

    def __sub__(self, baseline: object) -> Heap:
        """What there is more than in an earlier Heap; less is negative."""
        with unrecorded:
            if not isinstance(baseline, Heap):
                return NotImplemented
            return Heap(difference(self._census, baseline._census).packed())

    def by(self, grouping: str) -> Heap:
        """The same objects by "type", by the "module" of the type, or by the "size" of an object in
        powers of two. Raises ValueError for another word."""
        if grouping not in GROUPINGS:
            raise ValueError(f"by() takes 'type', 'module' or 'size', not {grouping!r}")
        with unrecorded:
            return Heap(self._census._replace(grouping=grouping).packed())

    def of(self, kind: type | str, limit: int = 10) -> Found:
        """At most `limit` live objects of a type, given itself or by its name in the table. Objects
        of its subclasses are not of the type. They are looked for now, not when the census was
        taken. Raises TypeError and ValueError."""
        with unrecorded:
            wanted = kind if isinstance(kind, type) else name_of("of()", kind)
            most = checked(limit)
        found = find_objects(wanted, most)  # as in heap()
        return Found(found)

    def allocated(self, kind: type | str | None = None) -> Origins:
        """Where the objects of a type were allocated, given itself or by its name in the table;
        None: all objects. Of a difference, where those that are more were, and those that are
        fewer. The census was taken while a Profile recorded memory.

        Raises TypeError, and RuntimeError where no memory was being recorded."""
        with unrecorded:
            name = None if kind is None else name_of("allocated()", kind)
            census = self._census
            if census.origins is None:
                raise RuntimeError(
                    "this census does not know where objects were allocated: enable a "
                    "Profile(memory=True) before heap(), or run the program with --memory"
                )
            return Origins.of_places(places_of(census, name), name, census.is_difference)

    def table(self, limit: int | None = ROWS) -> str:
        """The table as text: at most `limit` rows; None: all. Raises TypeError and ValueError."""
        with unrecorded:
            most = None if limit is None else checked(limit)
            census = self._census
            kinds, is_difference = kinds_of(census), census.is_difference
            return heap_table(kinds, census.grouping, most, is_difference=is_difference)

    def __repr__(self) -> str:
        return self.table()


def heap() -> Heap:
    """Count all live objects by type: those that the garbage collector tracks, what the running
    functions hold, and all that these refer to, such as strings and numbers.

    No code of the program runs, and nothing is kept alive. The objects of the Heap that is returned
    are not counted. Raises MemoryError.
    """
    counted = count_objects(
        True
    )  # not within `unrecorded`: the method that ends that would be counted
    with unrecorded:
        return Heap(census_of(*counted).packed())


def growth() -> Heap:
    """The types of which there are more objects, or more bytes, than at the last call. The first
    call finds nothing: it only notes what there is. Raises MemoryError."""
    global _last
    now = heap()
    with unrecorded:
        last, _last = _last or now, now
        return Heap(grown((now - last)._census).packed())


_last: Heap | None = None


def name_of(what: str, kind: object) -> str:
    """The name that a type has in a table. Raises TypeError."""
    if isinstance(kind, type):
        own = type.__dict__  # past what a metaclass makes of these names
        return joined(own["__module__"].__get__(kind), own["__qualname__"].__get__(kind))
    if not isinstance(kind, str):
        raise TypeError(f"{what} takes a type or its name, not {type(kind).__name__}")
    return str(kind)
