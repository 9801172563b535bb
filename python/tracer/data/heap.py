"""A census of live objects as data: how many of each type there are, how large they are, and where
they were allocated."""

from __future__ import annotations

import marshal
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

TypeKey: TypeAlias = tuple[str, str]  # module and qualified name
Share: TypeAlias = tuple[int, int]  # count and bytes
# Where objects were allocated: file, first line of the function, its name, its qualified name, and
# the line, or 0; None where that is not known.
Place: TypeAlias = tuple[str, int, str, str, int] | None
OriginKey: TypeAlias = tuple[str, str, Place]  # module and qualified name of the type; the place
_Key = TypeVar("_Key", TypeKey, OriginKey, Place, int)

GROUPINGS = ("type", "module", "size")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


class Kind(NamedTuple):
    """Objects that have a type, a module or a size in common."""

    name: str
    count: int  # type: ignore[assignment]  # of a tuple, it is a method
    size: int  # bytes, of all together


class Census(NamedTuple):
    """types: {(module, qualified name): (count, bytes)}. sizes: {n: the same}, of the objects of
    more than 2**(n - 1) and at most 2**n bytes. origins: {(module, qualified name, place): the
    same}; None: no memory was being recorded."""

    types: dict[TypeKey, Share]
    sizes: dict[int, Share]
    is_difference: bool = False
    grouping: str = "type"
    origins: dict[OriginKey, Share] | None = None

    def packed(self) -> bytes:
        return marshal.dumps(tuple(self))


def unpacked(payload: bytes) -> Census:
    return Census(*marshal.loads(payload))


def census_of(
    rows: list[tuple[str, str, int, int]],
    sizes: list[tuple[int, int, int]],
    origins: list[tuple[str, str, Place, int, int]] | None = None,
) -> Census:
    """What count_objects() returns. Types that share module and name are one."""
    return Census(
        added(((module, name), count, size) for module, name, count, size in rows),
        {number: (count, size) for number, count, size in sizes},
        origins=None if origins is None else added(((m, n, p), c, s) for m, n, p, c, s in origins),
    )


def added(rows: Iterable[tuple[_Key, int, int]]) -> dict[_Key, Share]:
    """The sums of rows that have the same key."""
    found: dict[_Key, Share] = {}
    for key, count, size in rows:
        counted, sized = found.get(key, (0, 0))
        found[key] = counted + count, sized + size
    return found


def difference(now: Census, before: Census) -> Census:
    """What there is now and was not before; less is negative. What is the same is left out."""
    have_origins = now.origins is not None and before.origins is not None
    return Census(
        less(now.types, before.types),
        less(now.sizes, before.sizes),
        True,
        now.grouping,
        less(now.origins or {}, before.origins or {}) if have_origins else None,
    )


def less(now: dict[_Key, Share], before: dict[_Key, Share]) -> dict[_Key, Share]:
    found: dict[_Key, Share] = {}
    for key in now.keys() | before.keys():
        (count, size), (counted, sized) = now.get(key, (0, 0)), before.get(key, (0, 0))
        if count != counted or size != sized:
            found[key] = count - counted, size - sized
    return found


def grown(census: Census) -> Census:
    """The types, sizes and origins of a difference of which there is more."""
    return census._replace(
        types={key: share for key, share in census.types.items() if max(share) > 0},
        sizes={key: share for key, share in census.sizes.items() if max(share) > 0},
        origins=None
        if census.origins is None
        else {key: share for key, share in census.origins.items() if max(share) > 0},
    )


def kinds_of(census: Census) -> list[Kind]:
    """By type or module, the largest first; by size, the smallest objects first."""
    if census.grouping == "size":
        return [Kind(f"up to {size_class(n)}", *census.sizes[n]) for n in sorted(census.sizes)]
    sums: dict[str, tuple[int, int]] = {}
    for (module, name), (count, size) in census.types.items():
        label = module if census.grouping == "module" else joined(module, name)
        counted, sized = sums.get(label, (0, 0))
        sums[label] = counted + count, sized + size
    kinds = [Kind(label, *share) for label, share in sums.items()]
    return sorted(kinds, key=lambda kind: (-kind.size, -kind.count, kind.name))


def size_class(number: int) -> str:
    """The most bytes of a size class: 64 B, 2 KiB."""
    unit = min(number // 10, len(UNITS) - 1)
    return f"{2 ** (number - 10 * unit):,} {UNITS[unit]}"


def joined(module: str, name: str) -> str:
    return name if module == "builtins" else f"{module}.{name}"


def places_of(census: Census, kind: str | None) -> dict[Place, Share]:
    """Where the objects of a type were allocated, given by its name; None: all objects. The census
    has origins."""
    return added(
        (place, *share)
        for (module, name, place), share in (census.origins or {}).items()
        if kind is None or joined(module, name) == kind
    )
