"""analysis/findings/line_bounds.py: what a line worked for sure. Times are milliseconds."""

import pytest

import tracer
from linesnapshots import snapshot
from timelines import capture_of
from tracer.analysis.findings.line_bounds import bounds_of_lines
from treetexts import FILES

BACK = """
f@main 0-100
  <sorted> 2-{sorted}
  <str.join> {sorted}-100
    back@main {back}-100
"""


def capture(text, timed, waits=None):
    """A run of `text`, with the lines (line, hits, time, in C, own, suspended) of functions."""
    found = capture_of(text, tick=1e-3)
    lines = {(1, name): lines for name, lines in timed.items()}
    found.timed_lines = snapshot(lines, waits=waits, file=FILES["main"], tick=1e-3)
    return found


def bounds(profiles):
    """{line: (worked, in C, whether it is sure)}"""
    return {
        it.line.line: (round(1000 * it.worked), round(1000 * it.in_c), it.is_sure)
        for it in bounds_of_lines(profiles)
    }


def bounds_in(text, lines, name="f", **options):
    return bounds(tracer.Stats(capture(text, {name: lines}, **options)))


@pytest.mark.parametrize(
    ("in_sorted", "in_back", "worked"), [(45, 52, 1), (60, 37, 24), (80, 17, 64)]
)
def test_which_line_called_back_is_not_known_so_it_counts_for_none(in_sorted, in_back, worked):
    """Line 2 joins what back() makes, for a millisecond of its own in C. Line 3 sorts: for all that
    is known, it may call back()."""
    text = BACK.format(sorted=2 + in_sorted, back=3 + in_sorted)
    joins = (2, 1, in_back + 2, in_back + 1, 1, 0)
    sorts = (3, 1, in_sorted + 1, in_sorted, 1, 0)
    assert bounds_in(text, [joins, sorts]) == {2: (2, 1, True), 3: (worked, worked - 1, True)}


def test_where_nothing_is_called_back_all_counts():
    text = "f@main 0-100\n  <len> 30-45\n  g@main 60-90"
    assert bounds_in(text, [(2, 1, 75, 15, 30, 0), (3, 1, 25, 0, 25, 0)]) == {
        2: (45, 15, True),
        3: (25, 0, True),
    }


def test_c_code_that_is_no_callable_is_in_the_own_time_of_the_function():
    """As a class that is called: 40 of the 70 ms of f() itself."""
    text = "f@main 0-100\n  g@main 60-90"
    assert bounds_in(text, [(2, 1, 100, 70, 30, 0)]) == {2: (70, 40, True)}


def test_what_a_line_waited_is_no_work():
    lines = [(2, 1, 50, 10, 40, 0), (3, 1, 50, 10, 40, 0)]
    text = "f@main 0-100\n  <recv> 0-20"
    assert bounds_in(text, lines, waits={0: 45, 1: 60}) == {2: (5, 5, True), 3: (0, 0, True)}


def test_lines_of_which_no_parts_are_known_have_no_bound():
    text = "f@main 0-100"
    assert bounds_in(text, [(2, 1, 50, -1, -1, 0), (3, 1, 50, 0, 50, 0)]) == {3: (50, 0, True)}


def test_of_a_function_without_figures_the_bound_is_not_sure():
    text = "other@main 0-100"
    assert bounds_in(text, [(2, 1, 90, 60, 30, 0)]) == {2: (90, 60, False)}


@pytest.mark.parametrize("names", ["label", "qualname"])
def test_the_function_is_found_by_the_names_of_the_set(names):
    """Figures have the name alone, or the qualified one; timed lines have both."""
    of = capture("step@main 0-100", {"work.<locals>.step": [(2, 1, 90, 60, 30, 0)]})
    [function] = of.functions
    of.functions = (function._replace(qualname="work.<locals>.step"),)
    assert bounds(tracer.Stats(of, names=names)) == {2: (90, 60, True)}


def test_a_set_without_folders_finds_the_function_all_the_same():
    stats = tracer.Stats(capture("f@main 0-100", {"f": [(2, 1, 90, 60, 30, 0)]}))
    stats.strip_dirs()
    assert bounds(stats) == {2: (90, 60, True)}
