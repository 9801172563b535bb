"""The live objects of a program that runs, in its own process: when they are counted, and what is
found of them."""

import pytest

import tracer
from rows import Clock
from tracer._core import find_paths
from tracer.launch import live_objects
from tracer.server.live_objects import alive, holders_json


class Thing:
    pass


class Liar:
    """Whatever is asked of it, this is its code."""

    def __repr__(self):
        raise AssertionError

    __str__ = __len__ = __hash__ = __eq__ = __bool__ = __sizeof__ = __repr__


class Numbered(int):
    def __repr__(self):
        raise AssertionError


HELD = []


@pytest.fixture(autouse=True)
def nothing_is_held():
    yield
    HELD.clear()


@pytest.mark.parametrize(("took", "rest"), [(0, 1.0), (0.0125, 1.0), (0.25, 12.5), (2, 100)])
def test_fifty_times_as_long_passes_as_a_census_took(monkeypatch, took, rest):
    clock = Clock()
    clock.now = 1000.0

    def count_objects():
        clock.now += took
        return [("shop", "Order", 2, 96)], []

    monkeypatch.setattr(live_objects, "count_objects", count_objects)
    objects = live_objects.Objects(clock)
    assert objects.rest == 0
    assert objects.census() == [("shop", "Order", 2, 96)]
    assert objects.rest == pytest.approx(rest)
    clock.now += rest / 2
    assert objects.rest == pytest.approx(rest / 2)
    clock.now += rest
    assert objects.rest == 0


@pytest.fixture
def slow(monkeypatch):
    """Objects with a clock, on which paths take 0.125 s and a census takes 0.25 s."""
    clock = Clock()
    clock.now = 1000.0

    def find_paths(name, limit):
        clock.now += 0.125
        return [(16, None, None)] * limit

    def count_objects():
        clock.now += 0.25
        return [], []

    monkeypatch.setattr(live_objects, "find_paths", find_paths)
    monkeypatch.setattr(live_objects, "count_objects", count_objects)
    return live_objects.Objects(clock)


def test_paths_put_the_next_census_off(slow):
    found, origins = slow.paths("shop.Order")
    assert (len(found), origins) == (live_objects.SAMPLE, None)
    assert slow.rest == 6.25
    slow.clock.now += 6.25
    slow.census()
    assert slow.rest == 12.5
    slow.paths("shop.Order")  # nobody looked for long: at once
    assert slow.rest == 12.5 - 0.125 + 6.25


def test_paths_are_found_again_after_fifty_times_as_long(slow):
    slow.paths("shop.Order")
    assert slow.paths("shop.Order") == 6.25
    slow.clock.now += 6
    assert slow.paths("shop.Cart") == 0.25
    assert slow.rest == 0.25  # who is told to wait costs nothing
    slow.clock.now += 0.25
    assert len(slow.paths("shop.Cart")[0]) == live_objects.SAMPLE
    assert slow.rest == slow.paths("shop.Cart") == 6.25


@pytest.mark.parametrize("clicks_in_a_second", [0.01, 1, 50])
def test_whoever_clicks_gets_a_fiftieth_of_the_time(slow, clicks_in_a_second):
    clock, busy, began = slow.clock, 0.0, slow.clock.now
    while clock.now < began + 10_000:
        before = clock.now
        slow.paths("shop.Order")
        if slow.rest == 0:
            slow.census()
        busy += clock.now - before
        clock.now += 1 / clicks_in_a_second
        assert busy <= (clock.now - began) / 50 + 0.125 + 0.25
    assert busy > 10


def test_without_memory_there_is_no_answer(monkeypatch):
    def none(*args):
        raise MemoryError

    monkeypatch.setattr(live_objects, "count_objects", none)
    monkeypatch.setattr(live_objects, "find_paths", none)
    objects = live_objects.Objects()
    assert objects.census() is None
    assert objects.paths("int") is None


def test_paths_are_those_of_why():
    HELD[:] = Thing(), Thing()
    name = f"{__name__}.Thing"
    found = {row[0]: row for row in find_paths(name, 5)}
    assert len(find_paths(name, 1)) == 1
    assert found.keys() == set(map(id, HELD))
    for thing in HELD:
        why = tracer.why(thing)
        answer = alive(*found[id(thing)])
        assert (answer["address"], answer["text"]) == (hex(id(thing)), None)
        assert (answer["expression"], answer["start"]) == (why.expression, why.start)
        assert [tuple(step) for step in answer["steps"]] == [tuple(step) for step in why.steps]
    assert find_paths("no.such", 5) == []
    with pytest.raises(ValueError, match="limit must be 1 or more, not 0"):
        find_paths(name, 0)
    with pytest.raises(TypeError):
        find_paths(Thing, 1)


def test_a_sample_is_of_all_objects_alike():
    HELD[:] = [Thing() for _ in range(1000)]
    places = {id(thing): place for place, thing in enumerate(HELD)}
    found = find_paths(f"{__name__}.Thing", 100)
    sampled = [places[row[0]] for row in found]
    assert len(set(sampled)) == 100
    tenths = [sum(place // 100 == tenth for place in sampled) for tenth in range(10)]
    assert min(tenths) >= 2 and max(tenths) <= 25  # the numbers are the same each time
    ends = [f"[{place}]" for place in sampled]
    assert [f"[{row[2][1][-1][1]}]" for row in found] == ends


def test_of_many_objects_in_a_long_container_the_first_has_its_place():
    HELD[:] = [*[None] * 10_000, Thing(), Thing()], dict.fromkeys(range(10_000))
    HELD[1].update(first=Thing(), second=Thing())
    found = find_paths(f"{__name__}.Thing", 10)
    ways = [row[2][1][-1][:2] for row in found]
    indices = [name for way, name in ways if way == "index"]
    keys = [name for way, name in ways if way == "key"]
    assert indices in ([10_000, None], [10_001, None])
    assert keys in (["'first'", None], ["'second'", None])
    (holder,) = holders_json(found)["holders"]
    assert (holder["holder"], holder["count"]) == (f"{__name__}.HELD[…]", 4)
    for place, last in (0, 10_001), (1, "second"):  # of one object, the place is always named
        assert tracer.why(HELD[place][last]).expression == f"{__name__}.HELD[{place}][{last!r}]"


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (lambda: "x" * 100, repr("x" * 60)),
        (lambda: "quo'te".lower() + "d" * 3, '"quo\'teddd"'),
        (lambda: bytes(70), repr(bytes(60))),
        (lambda: 2**100 + 7, str(2**100 + 7)),
        (lambda: 10**100, None),
        (lambda: 0.125 * 3, "0.375"),
        (lambda: complex(3, 4), "(3+4j)"),
        (lambda: [Liar()] * 3, 3),
        (lambda: {1: Liar()}, 1),
        (lambda: bytearray(9), 9),
        (Liar, None),
        (lambda: Numbered(5), None),
    ],
)
def test_a_text_is_short_and_no_code_runs(made, text):
    HELD.append([made()])
    held = HELD[0][0]
    kind = type(held)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"
    texts = {row[0]: row[1] for row in find_paths(name, 10**6)}
    assert texts[id(held)] == text
