"""tracer.heap(), growth(): live objects by type, exactly; against a traversal in Python, too."""

import gc
import subprocess
import sys

import pytest

import tracer
from heaps import more_than, size_of
from places import HELPERS
from tracer.data.heap import Census, Kind, size_class

KEPT = []


class Thing:
    __slots__ = ("held",)

    def __init__(self, held=None):
        self.held = held


class Sized:
    """What it says of itself is code of the program, which must not run."""

    def __sizeof__(self):
        raise AssertionError("code of the program ran")

    __hash__ = __eq__ = __repr__ = __sizeof__


class NamedOddly(type):
    @property
    def __module__(cls):
        raise AssertionError("code of the program ran")

    __name__ = __module__


@pytest.fixture(autouse=True)
def nothing_is_kept():
    tracer.heap()
    gc.collect()
    gc.disable()
    yield
    gc.enable()
    KEPT.clear()


NAME = f"{__name__}.Thing"


def test_nothing_between_is_no_difference():
    first = tracer.heap()
    second = tracer.heap()
    assert second.kinds == first.kinds
    assert (second - first).kinds == ()
    assert repr(second - first) == "+0 objects, +0 B, by type"


def test_what_is_made_between_is_the_difference():
    before = tracer.heap()
    KEPT.append(Thing(bytes(1000)))
    after = more_than(before)
    assert after.pop("list") == (0, sys.getsizeof(KEPT) - sys.getsizeof([]))
    assert after == {NAME: (1, sys.getsizeof(KEPT[0])), "bytes": (1, 1033)}
    KEPT[0].held = None
    assert more_than(before)[NAME][0] == 1
    assert "bytes" not in more_than(before)


def test_less_is_negative():
    KEPT.append([Thing(), Thing()])
    before = tracer.heap()
    size = size_of(*KEPT[0])
    KEPT[0][:] = [None, None]
    after = tracer.heap() - before
    assert after[Thing] == after[NAME] == Kind(NAME, -2, -size)
    assert (after.count, after.size) == (-2, -size)
    assert repr(after) == (
        f"-2 objects, -{size} B, by type\n"
        " index      count          size  kind\n"
        f"     0         -2 {-size:+13,}  {NAME}"
    )


@pytest.mark.parametrize(
    ("make", "counts"),
    [
        (lambda: (float("1.5"), (float("2.5"), float("3.5"))), {"float": 3, "tuple": 2}),
        (lambda: {chr(300) * 20: int("9" * 40)}, {"dict": 1, "str": 1, "int": 1}),
        (lambda: [[[bytes(500)]]], {"list": 3, "bytes": 1}),
        (
            lambda: {frozenset([float("1.5")]): bytearray(500)},
            {"dict": 1, "frozenset": 1, "float": 1, "bytearray": 1},
        ),
    ],
)
@pytest.mark.parametrize("is_collected", [False, True])
def test_what_is_not_tracked_counts(make, counts, is_collected):
    KEPT.append(None)
    gc.collect()
    before = tracer.heap()
    KEPT[0] = make()
    if is_collected:
        gc.collect()  # which no longer tracks tuples and dicts of numbers and texts
    found = more_than(before)
    assert {kind: count for kind, (count, _) in found.items()} == counts


def test_the_constants_of_code_count():
    KEPT.append(None)
    before = tracer.heap()
    KEPT[0] = eval("lambda: 'a text that is nowhere else'").__code__
    found = more_than(before)
    assert found["code"] == (1, size_of(KEPT[0]))
    assert found["str"] == (1, size_of(KEPT[0].co_consts[-1]))


def test_a_value_counts_once_however_many_hold_it():
    value = bytes(500)
    before = tracer.heap()
    KEPT.extend([value, Thing(value), Thing((value,))])
    after = more_than(before)
    assert "bytes" not in after
    assert after[NAME][0] == 2
    assert after["tuple"] == (1, size_of((value,)))


def test_it_counts_as_a_traversal_in_python_does():
    """And sizes are those of sys.getsizeof(), in a process of its own."""
    words = [sys.executable, str(HELPERS / "programs" / "census.py")]
    ran = subprocess.run(words, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("True True True\n", "")


def test_no_code_of_the_program_runs():
    before = tracer.heap()
    KEPT.append({1: Sized(), "odd": NamedOddly("Odd", (), {})})
    assert more_than(before)[f"{__name__}.Sized"][0] == 1
    (odd,) = tracer.heap().of(NamedOddly)
    assert odd is KEPT[0]["odd"]
    assert tracer.why(KEPT[0][1]).kind == f"{__name__}.Sized"
    assert tracer.heap()["?.NamedOddly"].count == 1


def test_types_of_one_name_are_one_kind():
    def make():
        return type("Twin", (), {"__slots__": ()})

    KEPT.extend([make(), make()])
    before = tracer.heap()
    KEPT.extend([KEPT[0](), KEPT[1]()])
    assert more_than(before)[f"{__name__}.Twin"][0] == 2
    assert len(tracer.heap().of(f"{__name__}.Twin")) == 2
    assert len(tracer.heap().of(KEPT[0])) == 1


def test_a_census_keeps_nothing_alive():
    import weakref

    kind = type("Gone", (), {})
    KEPT.append(kind())
    census = tracer.heap()
    assert census[f"{__name__}.Gone"].count == 1
    gone = weakref.ref(kind)
    KEPT.clear()
    del kind
    gc.collect()
    assert gone() is None
    assert census[f"{__name__}.Gone"].count == 1


def test_by_module():
    KEPT.extend([Thing(), Thing(), Sized()])
    census = tracer.heap()
    found = {kind.name: kind.count for kind in census.by("module").kinds}
    assert found[__name__] >= 3
    assert found["builtins"] > 10_000
    assert sum(found.values()) == census.count
    assert census.by("module").by("type").kinds == census.kinds


def test_by_size():
    before = tracer.heap()
    KEPT.extend([bytes(1024 - 33), bytes(1025 - 33), bytes(2048 - 33)])
    found = {kind.name: kind for kind in (tracer.heap() - before).by("size").kinds}
    assert found["up to 1 KiB"][1:] == (1, 1024)
    assert found["up to 2 KiB"][1:] == (2, 3073)
    names = [kind.name for kind in tracer.heap().by("size").kinds]
    assert names.index("up to 16 B") < names.index("up to 512 B") < names.index("up to 1 KiB")


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "1 B"), (9, "512 B"), (10, "1 KiB"), (31, "2 GiB"), (51, "2,048 TiB")],
)
def test_size_classes(number, text):
    assert size_class(number) == text


def test_the_sums_are_the_same_in_each_grouping():
    census = tracer.heap()
    for grouping in "type", "module", "size":
        kinds = census.by(grouping).kinds
        assert sum(kind.count for kind in kinds) == census.count
        assert sum(kind.size for kind in kinds) == census.size


def test_the_table():
    types = {("builtins", "list"): (3, 600), ("shop", "Order"): (1, 400), ("shop", "Sum"): (0, 0)}
    census = tracer.Heap(Census(types, {}).packed())
    assert census.table() == (
        "4 objects, 1,000 B, by type\n"
        " index      count   %          size   %    cumulative   %  kind\n"
        "     0          3  75           600  60           600  60  list\n"
        "     1          1  25           400  40         1,000 100  shop.Order\n"
        "     2          0   0             0   0         1,000 100  shop.Sum"
    )
    assert census.by("module").table(limit=1) == (
        "4 objects, 1,000 B, by module\n"
        " index      count   %          size   %    cumulative   %  kind\n"
        "     0          3  75           600  60           600  60  builtins\n"
        "       1 more; table(None) has all"
    )
    assert len(tracer.heap().table(None).splitlines()) == len(tracer.heap().kinds) + 2
    assert tracer.Heap(Census({}, {}).packed()).table().startswith("0 objects, 0 B, by type")


def test_of_gives_some_objects():
    KEPT.extend([Thing(1), Thing(2), Thing(3)])
    census = tracer.heap()
    for kind in Thing, NAME:
        assert sorted(thing.held for thing in census.of(kind)) == [1, 2, 3]
        (one,) = census.of(kind, 1)
        assert one in KEPT
    del one
    del KEPT[1]
    assert sorted(thing.held for thing in census.of(Thing)) == [1, 3]
    assert census.of("no.such.Type") == ()


def test_of_finds_what_is_not_tracked():
    KEPT.append({"the key": 12345678901234567890})
    assert 12345678901234567890 in tracer.heap().of(int, 10**6)
    assert "the key" in tracer.heap().of("str", limit=10**6)


def test_of_leaves_out_subclasses():
    class More(Thing):
        __slots__ = ()

    KEPT.append(More())
    assert tracer.heap().of(Thing) == ()
    assert tracer.heap().of(More) == (KEPT[0],)


def test_growth():
    tracer.growth()
    assert tracer.growth().kinds == ()
    KEPT.extend([Thing(), Thing()])
    grown = tracer.growth()
    assert grown[Thing] == Kind(NAME, 2, size_of(*KEPT))
    assert {kind.name for kind in grown.kinds} == {NAME, "list"}
    assert tracer.growth()[Thing].count == 0  # since the last call
    KEPT.clear()
    assert tracer.growth()[Thing].count == 0  # less is not growth
    KEPT.append(Thing())
    assert tracer.growth()[Thing].count == 1


def test_what_is_frozen_counts():
    before = tracer.heap()
    KEPT.append(Thing())
    gc.freeze()
    try:
        assert more_than(before)[NAME][0] == 1
    finally:
        gc.unfreeze()


def test_collection_is_as_it_was():
    tracer.heap()
    assert not gc.isenabled()
    gc.enable()
    tracer.heap()
    tracer.heap().of(int)
    tracer.why(KEPT)
    assert gc.isenabled()


def test_many_types():
    """The table of types grows several times."""
    kinds = [type(f"Kind{number}", (), {"__slots__": ()}) for number in range(5000)]
    KEPT.extend(kind() for kind in kinds)
    census = tracer.heap()
    found = [kind for kind in census.kinds if kind.name.startswith(f"{__name__}.Kind")]
    assert len(found) == 5000
    assert {kind.count for kind in found} == {1}


def test_no_profile_has_it():
    profile = tracer.Profile()
    with profile:
        census = tracer.heap()
        census.of(int)
        tracer.growth()
        assert census.count and census.size and census.kinds and (census - census).by("size")
        tracer.why(census).is_found  # noqa: B018
    rows = tracer.Stats(profile).stats
    names = {name for _, _, name in rows}
    assert not {name for name in names if "heap" in name or "marshal" in name or "sorted" in name}


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda heap: heap.by("kind"), ValueError, "by() takes 'type', 'module' or 'size', not 'k"),
        (lambda heap: heap.of(3), TypeError, "of() takes a type or its name, not int"),
        (lambda heap: heap[3], TypeError, "heap[...] takes a type or its name, not int"),
        (lambda heap: heap.of(int, 0), ValueError, "limit must be 1 or more, not 0"),
        (lambda heap: heap.of(int, "9"), TypeError, "limit must be a whole number, not str"),
        (lambda heap: heap.table(-1), ValueError, "limit must be 1 or more, not -1"),
        (lambda heap: heap - 3, TypeError, "unsupported operand type"),
    ],
)
def test_what_makes_no_sense_is_refused(ask, error, words):
    with pytest.raises(error) as raised:
        ask(tracer.heap())
    assert words in str(raised.value)
