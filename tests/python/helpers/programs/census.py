"""Counts all live objects twice, by tracer.heap() and in Python, and prints what differs.

Nothing is made between the two: names that are bound later would be objects of one count only.
"""

import asyncio  # noqa: F401  # many objects
import collections
import decimal
import gc
import sys
import types

import tracer

FIELDS = (
    "co_consts",
    "co_names",
    "co_filename",
    "co_name",
    "co_qualname",
    "co_linetable",
    "co_exceptiontable",
)


class Slots:
    __slots__ = ("__weakref__", "first", "second")


class Dict(dict):
    pass


class List(list):
    name = 1


class Int(int):
    pass


class Str(str):
    pass


class Meta(type):
    pass


class Made(metaclass=Meta):
    pass


class Told:
    def __sizeof__(self):
        print("code of the program ran")
        return 12345

    __hash__ = __repr__ = __eq__ = __sizeof__


def generator():
    yield [Str("held by a generator")]


# isinstance() would ask an object for its __class__, which may be code: an import, say.
def untold(item):
    """What the collector has no need to know: texts that are keys, and what code has."""
    if issubclass(type(item), dict):
        return [key for key in dict.keys(item) if isinstance(key, str)]
    if type(item) is types.CodeType:
        return [getattr(item, name) for name in FIELDS]
    return ()


def share(items):
    found = {}
    for item in items:
        kind = type(item)
        name = f"{kind.__module__}.{kind.__qualname__}".removeprefix("builtins.")
        count, size = found.get(name, (0, 0))
        is_static = issubclass(kind, type) and not item.__flags__ >> 9 & 1
        if kind is Told:
            own = object.__sizeof__(item) + sys.getsizeof(Made()) - Made().__sizeof__()
        else:
            # On some versions a static type is said to have a header of the collector's.
            own = type.__sizeof__(item) if is_static else sys.getsizeof(item)
        found[name] = count + 1, size + own
    return found


kept = [
    {number: str(number) for number in range(1000)},
    decimal.Decimal(3),
    collections.OrderedDict(a=1),
    collections.deque([1, 2]),
    [10**50, -(10**50), 0, -1, 1 << 30, (1 << 30) - 1],
    ["é" * 50, "x\U0001f600", "ab" * 100, b"abc" * 100, bytearray(100), memoryview(b"abc")],
    (frozenset([1]), (1, 2.5, (3, (4, (5,)))), 1j, range(3), slice(1, 2)),
    [Slots(), Dict(a=1), List([1]), Int(5), Int(10**30), Str("abc"), Str("é"), Made(), Told()],
    generator(),
]
next(kept[-1])


def traversed(*since):
    """{id: object} of all live objects but for those that were made since the census. In names of a
    module, a lazy import would be carried out when the name is read; so these are local."""
    seen, waiting = {}, []
    listed = gc.get_objects()
    made = {id(seen), id(waiting), id(listed), id(since), *map(id, since)}
    made.add(id(made))
    listed.append(sys._getframe(1).f_code)  # this program's own, which its frame holds
    for item in listed:
        if id(item) not in made:
            seen[id(item)] = item
            waiting.append(item)
    while waiting:
        item = waiting.pop()
        for other in [*gc.get_referents(item), *untold(item)]:
            if id(other) not in seen and id(other) not in made:
                seen[id(other)] = other
                waiting.append(other)
    return seen


heap = seen = by_python = by_tracer = name = None
# Once for nothing: the interpreter's cache of methods may be the last that holds some name, until a
# lookup takes the place of that name. The lookups of a second round find their places taken.
share(traversed(tracer.heap()).values())
gc.collect()
gc.collect()
gc.disable()

heap = tracer.heap()
seen = traversed(heap)
by_python = share(seen.values())
by_tracer = {kind.name: (kind.count, kind.size) for kind in heap.kinds}
for name in sorted(by_python.keys() | by_tracer.keys()):
    if by_python.get(name) != by_tracer.get(name):
        print(name, by_python.get(name), by_tracer.get(name))
print(heap.count > 20_000, "code" in by_tracer, "str" in by_tracer)
