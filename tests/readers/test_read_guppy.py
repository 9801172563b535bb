"""heapy, of guppy3, beside tracer.heap(): a known population has the same counts and sizes."""

import json

from reading import PACKAGES, need, run_package

NEEDS = "pip:guppy3==3.1.7"

# All types are the program's own: of others, guppy3 and tracer have a few themselves.
POPULATION = """
import gc, json, sys
from guppy import hpy
import tracer


class Slotted:
    __slots__ = ("held",)


class Wide:
    __slots__ = ("one", "two", "three")


class Text(str):
    __slots__ = ()


class Number(float):
    __slots__ = ()


class Group(frozenset):
    __slots__ = ()


def made():
    kept = [Slotted() for _ in range(1000)]
    for number in range(700):
        wide = Wide()
        wide.one = Text("x" * number)
        wide.two = [Number(number), Number(number)]
        wide.three = Group([wide.two[0], number])
        kept.append(wide)
    return kept


heapy = hpy()
gc.disable()
kept = made()
by_tracer = tracer.heap()
by_heapy = heapy.heap()
wides = kept[1000:]
truth = {
    Slotted: kept[:1000],
    Wide: wides,
    Text: [wide.one for wide in wides],
    Number: [number for wide in wides for number in wide.two],
    Group: [wide.three for wide in wides],
}
found = {}
for kind, items in truth.items():
    ours, theirs = by_tracer[f"__main__.{kind.__name__}"], by_heapy & kind
    size = sum(map(sys.getsizeof, items))
    both = [[one.count, one.size] for one in (ours, theirs)]
    found[kind.__name__] = [*both, [len(items), size]]
print(json.dumps(found))
"""


def test_a_known_population_is_as_heapy_counts_it():
    need((PACKAGES / "guppy").exists(), "guppy3")
    found = json.loads(run_package("-c", POPULATION))
    counts = {name: truth[0] for name, (_, _, truth) in found.items()}
    assert counts == {"Slotted": 1000, "Wide": 700, "Text": 700, "Number": 1400, "Group": 700}
    for name, (ours, theirs, truth) in found.items():
        assert ours == theirs == truth, name
