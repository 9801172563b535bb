"""allocated_at(): where an object was allocated, and by which calls.

Nothing here comes from a free list of the interpreter's: its block would be older than the object.
"""

import sys

import pytest

import heaps
import tracer
from allocations import KEPT
from heaps import line_of, row_of
from tracer.api.origins import Call

counted = heaps.counted  # a fixture of all tests here


class Thing:
    __slots__ = ("held",)


class Plain:
    pass


class Weak:
    __slots__ = ("__weakref__",)


class Listed(list):
    pass


class Mapped(dict):
    __slots__ = ()


class Numbered(int):
    __slots__ = ()


class Paired(tuple):
    __slots__ = ()


NAME = f"{__name__}.Thing"
MADE = [
    Thing,
    Plain,
    Weak,
    Listed,
    Mapped,
    lambda: Numbered(5),
    lambda: Numbered(7**60),
    lambda: Paired((1, 2)),
    object,
    lambda: type("Made", (), {}),
    lambda: Exception("no"),
    lambda: {Thing},
    lambda: "x" * 50 + str(len(KEPT)),
    lambda: bytes(300),
    lambda: bytes(3000),
    lambda: bytearray(3),
    lambda: memoryview(b"abc"),
    lambda: property(line_of),
    lambda: lambda: None,
    lambda: 7 ** len(KEPT),
    lambda: (Thing,) * 40,
]


@pytest.mark.parametrize("number", range(len(MADE)))
def test_the_block_of_an_object_is_found(number):
    def make():
        return MADE[number]()

    with tracer.Profile(memory=True):
        KEPT[0] = make()
        found = tracer.allocated_at(KEPT[0])
        rows = tracer.heap().allocated(type(KEPT[0])).rows
    assert found.is_known
    assert found.size >= type(KEPT[0]).__basicsize__
    assert found.place.file == __file__
    names = [call.function for call in found.calls]
    place = names.index("test_the_block_of_an_object_is_found.<locals>.make")
    assert names[place + 1 :] in ([], ["<lambda>"])
    assert found.place.function in (names[place], names[-1])
    assert any(row[2:] == found.place for row in rows)


def test_the_calls_that_led_there():
    def outer():
        inner()

    def inner():
        KEPT[0] = Thing()

    with tracer.Profile(memory=True):
        outer()
        found = tracer.allocated_at(KEPT[0])
    here = "test_the_calls_that_led_there"
    calls = (
        Call(f"{here}.<locals>.outer", __file__, line_of(outer)),
        Call(f"{here}.<locals>.inner", __file__, line_of(inner)),
    )
    assert found.calls[-2:] == calls
    assert found.calls[-3].function == here
    assert (found.kind, found.place) == (NAME, calls[1])
    assert repr(found).splitlines()[0] == (
        f"{NAME}: {found.size} bytes, allocated by {here}.<locals>.inner, "
        f"{__file__}:{line_of(inner)}"
    )
    assert repr(found).splitlines()[-2:] == [f"  {one}, {file}:{line}" for one, file, line in calls]


def test_a_function_written_in_c_is_part_of_its_caller():
    def join():
        KEPT[0] = "-".join(("a" * 100, "b" * 100))

    with tracer.Profile(memory=True):
        join()
        found = tracer.allocated_at(KEPT[0])
        rows = tracer.heap().allocated(str).rows
    assert found.calls[-1] == Call("<method 'join' of 'str' objects>", "~", 0)
    assert found.place == found.calls[-2] == Call(join.__qualname__, __file__, line_of(join))
    assert row_of(join, 1, sys.getsizeof(KEPT[0])) in rows
    assert repr(found).endswith("\n  <method 'join' of 'str' objects>")


def test_what_is_older_is_not_known():
    KEPT[0] = Thing()
    with tracer.Profile(memory=True):
        found = tracer.allocated_at(KEPT[0])
        small = tracer.allocated_at(7)
    assert (found.kind, found.size, found.calls, found.place) == (NAME, 0, (), None)
    assert not found.is_known
    assert not small.is_known
    assert repr(found) == (
        f"{NAME}: its allocation is not known; the object is older than the recording, or of no "
        "function of the program"
    )
