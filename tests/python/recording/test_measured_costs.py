"""Costs of calls and of lines, of times that are made up here. What is measured, and what is taken
out of the times, is in test_compensation.py.
"""

from types import SimpleNamespace

import pytest

from tracer.recording import call_overhead, line_overhead


@pytest.mark.parametrize(
    ("seconds", "left"),
    [(1.0, (5.0, 1.0)), (2.0, (5.0, 0.0)), (3.0, (4.0, 0.0)), (9.0, (0.0, 0.0))],
)
def test_what_is_subtracted_is_the_callers_and_then_the_callees(seconds, left):
    assert call_overhead._less((5.0, 2.0), seconds) == left


@pytest.mark.parametrize(
    ("added", "factor"), [(8.0, 1.0), (16.0, 1.0), (24.0, 1.5), (32.0, 2.0), (80.0, 2.0)]
)
def test_a_small_program_adds_once_to_twice_as_much_as_loops(added, factor):
    """Two runs have four calls in all, of 1 and 3 seconds each."""
    small = object.__new__(call_overhead._SmallProgram)
    small.runs = 2
    small.trial = SimpleNamespace(
        plain=10.0, total=10.0 + added / 2, counts=lambda: {"function": 4, "init": 0}
    )
    costs = dict.fromkeys(("function", "init", "unseen"), ((1.0, 3.0), (0.0, 0.0)))
    assert small.factor(costs) == factor


@pytest.mark.parametrize(("functions", "call"), [(None, 3 * 2 + 7), ({}, 2 * 2 + 2 * 7)])
def test_what_timing_adds_to_a_line(monkeypatch, functions, call):
    """A turn of a loop is an event on its line and on the four below, or on the call."""
    turn = {"x = _": 5 * 2, "abs(9)": 5 * 2 + 4 * 3, "f()": call}

    def trial(source, *_):
        added = line_overhead.TIMES * turn[source.split("\n")[-1].strip()]
        return SimpleNamespace(run=lambda: None, added=lambda: added)

    monkeypatch.setattr(line_overhead, "_Trial", trial)
    assert line_overhead._measure("wall", functions) == (2, 7, 3)
