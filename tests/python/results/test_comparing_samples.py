"""Two profiles of samples side by side: what chance makes of them is no change."""

import random
from collections import Counter

from made_samples import captured
from tracer import Stats
from tracer.results.comparison import compare

SAMPLES = 5000
NAMES = [f"f{number}" for number in range(400)]


def profile(seed, more=()):
    """Each function has a share, and which of them a sample meets is chance."""
    dice = random.Random(seed)
    drawn = Counter(dice.choices(NAMES, k=SAMPLES)) + Counter(dict(more))
    paths = {f"main;{name}": weight for name, weight in drawn.items()}
    return Stats(captured(paths), names="qualname")


def test_of_many_functions_none_has_changed_by_chance():
    told = [compare(profile(seed), profile(-1 - seed)).biggest("tottime") for seed in range(20)]
    beyond = sum(map(bool, told))
    assert beyond <= 4  # one of twenty, more or less


def test_one_that_has_changed_is_told():
    found = compare(profile(1), profile(2, {"f7": 120}))
    assert [it.label[2] for it in found.biggest("tottime")] == ["f7"]


def test_of_one_function_its_own_error_decides():
    found = compare(profile(1), profile(2, {"f7": 22}))
    assert found.biggest("tottime") == []
    assert [it.label[2] for it in found.only("f7").biggest("tottime")] == ["f7"]
