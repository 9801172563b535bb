"""report/tiny_calls.py: which function has calls that are too short to believe, and the remedy."""

from types import SimpleNamespace

import pytest

from tracer.analysis.call_tree import Paths, Row
from tracer.cli.first_screen import tiny_lines
from tracer.data.figures import Figures
from tracer.report.tiny_calls import tiny_calls

ROWS = [Row("~", 0, "<builtins.len>"), Row("/main.py", 1, "work.<locals>.step")]
WHOLE = 10**9


def paths_with(*figures):
    """The paths of functions with these (calls, nanoseconds)."""
    every = {row: Figures(calls, calls, time, time) for row, (calls, time) in enumerate(figures)}
    return Paths(ROWS, [], figures=lambda: every)


@pytest.mark.parametrize(
    ("figures", "is_told"),
    [
        ((100_001, 15_000_000), True),
        ((100_000, 15_000_000), False),  # not so many
        ((100_001, 20_000_200), False),  # 200 ns each
        ((100_001, 20_000_199), True),
        ((100_001, 10_000_000), False),  # a hundredth of the time
        ((100_001, 10_000_001), True),
    ],
)
def test_many_short_calls_with_much_of_the_time(figures, is_told):
    assert bool(tiny_calls(paths_with(figures), WHOLE)) is is_told


def test_the_one_with_the_most_calls_is_named():
    both = [(200_000, 20_000_000), (300_000, 18_000_000)]
    told = "{} calls of {} ns, much of it tracing's own"
    assert tiny_calls(paths_with(*both), WHOLE) == f"step has {told.format('300,000', 60)}"
    assert tiny_calls(paths_with(both[0]), WHOLE) == f"len has {told.format('200,000', 100)}"


def test_the_remedy_is_told_of_a_profile_that_was_recorded_without_it():
    outline = SimpleNamespace(paths=paths_with((200_000, 20_000_000)), whole=WHOLE)
    text = "tiny calls  len has 200,000 calls of 100 ns, much of it tracing's own"

    def lines(*costs, width=100):
        captures = [SimpleNamespace(costs=one) for one in costs]
        return tiny_lines(SimpleNamespace(captures=captures), outline, width)

    assert lines(None) == [f"{text}: use --compensate"]
    assert lines({"a": 1}) == lines() == [text]
    assert len(lines(None, width=50)[0]) == 50
    outline.whole *= 3
    assert lines(None) == []
