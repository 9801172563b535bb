"""analysis/findings/tiny_calls.py: which function has calls too short to believe, and the
remedy."""

from types import SimpleNamespace

import pytest

from tracer.analysis.findings.tiny_calls import tiny_calls
from tracer.analysis.tree.call_tree import Paths, Row
from tracer.data.figures import Figures

ROWS = [
    Row("~", 0, "<builtins.len>"),
    Row("/main.py", 1, "work.<locals>.step"),
    Row("/main.py", 5, "turn"),
]
WHOLE = 10**8


def found(*figures, costs=()):
    """What is found of functions with these (calls, nanoseconds). costs: of each capture."""
    every = {row: Figures(calls, calls, time, time) for row, (calls, time) in enumerate(figures)}
    outline = SimpleNamespace(
        paths=Paths(ROWS, [], figures=lambda: every), whole=WHOLE, length=WHOLE
    )
    captures = [SimpleNamespace(costs=one) for one in costs]
    return tiny_calls(outline, SimpleNamespace(captures=captures))


def test_it_matters_from_a_tenth_of_the_time_on():
    """Recording such a call takes about 100 ns."""
    outline = SimpleNamespace(
        paths=Paths(ROWS, [], figures=lambda: {0: Figures(10**6, 10**6, 10**8)})
    )
    for length, is_told in ((10**9, True), (10**9 + 1, False)):
        outline.whole = outline.length = length
        assert (tiny_calls(outline, SimpleNamespace(captures=[])) is not None) is is_told


@pytest.mark.parametrize(
    ("figures", "is_told"),
    [
        ((100_001, 15_000_000), True),
        ((100_000, 15_000_000), False),  # not so many
        ((100_001, 20_000_200), False),  # 200 ns each
        ((100_001, 20_000_199), True),
        ((100_001, 1_000_000), False),  # a hundredth of the time
        ((100_001, 1_000_001), True),
    ],
)
def test_many_short_calls_with_much_of_the_time(figures, is_told):
    assert (found(figures) is not None) is is_told


def test_the_one_with_the_most_calls_is_named():
    both = [(200_000, 20_000_000), (300_000, 18_000_000)]
    told = "{} calls of {} ns, much of it tracing's own"
    assert found(*both).parts == (f"step has {told.format('300,000', 60)}",)
    assert found(both[0]).parts == (f"len has {told.format('200,000', 100)}",)
    assert (found(*both).row, found(*both).saving) == (ROWS[1], 18_000_000)


def test_the_others_are_counted():
    one = (200_000, 20_000_000)
    first = "Trust the counts more than the times."
    assert found(one).advice == first
    assert found(one, one).advice == f"{first} 1 other function is like that, too."
    assert found(one, one, one).advice == f"{first} 2 other functions are like that, too."
    assert found(one, one, (100_000, 15_000_000)).advice.endswith(
        "1 other function is like that, too."
    )


def test_the_remedy_is_told_of_a_profile_that_was_recorded_without_it():
    one = (200_000, 20_000_000)
    assert found(one, costs=[None]).aside == ": use --slowdown"
    assert found(one, costs=[None, {"a": 1}]).aside == ""
    assert found(one).aside == ""  # of another tool
