"""A census of live objects as data: how many of each type there are, and how large they are."""

from __future__ import annotations

import marshal
from typing import NamedTuple, TypeAlias, TypeVar

TypeKey: TypeAlias = tuple[str, str]  # module and qualified name
Share: TypeAlias = tuple[int, int]  # count and bytes
_Key = TypeVar("_Key", TypeKey, int)

GROUPINGS = ("type", "module", "size")
UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


class Kind(NamedTuple):
    """Objects that have a type, a module or a size in common."""

    name: str
    count: int  # type: ignore[assignment]  # of a tuple, it is a method
    size: int  # bytes, of all together


class Census(NamedTuple):
    """types: {(module, qualified name): (count, bytes)}. sizes: {n: the same}, of the objects of
    more than 2**(n - 1) and at most 2**n bytes."""

    types: dict[TypeKey, Share]
    sizes: dict[int, Share]
    is_difference: bool = False
    grouping: str = "type"

    def packed(self) -> bytes:
        return marshal.dumps(tuple(self))


def unpacked(payload: bytes) -> Census:
    return Census(*marshal.loads(payload))


def census_of(rows: list[tuple[str, str, int, int]], sizes: list[tuple[int, int, int]]) -> Census:
    """What count_objects() returns. Types that share module and name are one."""
    types: dict[TypeKey, Share] = {}
    for module, name, count, size in rows:
        counted, sized = types.get((module, name), (0, 0))
        types[module, name] = counted + count, sized + size
    return Census(types, {number: (count, size) for number, count, size in sizes})


def difference(now: Census, before: Census) -> Census:
    """What there is now and was not before; less is negative. What is the same is left out."""
    return Census(less(now.types, before.types), less(now.sizes, before.sizes), True, now.grouping)


def less(now: dict[_Key, Share], before: dict[_Key, Share]) -> dict[_Key, Share]:
    found: dict[_Key, Share] = {}
    for key in now.keys() | before.keys():
        (count, size), (counted, sized) = now.get(key, (0, 0)), before.get(key, (0, 0))
        if count != counted or size != sized:
            found[key] = count - counted, size - sized
    return found


def grown(census: Census) -> Census:
    """The types and sizes of a difference of which there is more."""
    return census._replace(
        types={key: share for key, share in census.types.items() if max(share) > 0},
        sizes={key: share for key, share in census.sizes.items() if max(share) > 0},
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
