"""The plot of live memory in the terminal, with figures known by hand."""

from types import SimpleNamespace

import pytest

from launch import traced
from tracer.data.memory import Amount, Point
from tracer.report.memory_plot import cell, highest_in, memory_plot

RISE = [Point(0.0, 0, 0, 0, 0), Point(1.0, 0, 60, 60, 0), Point(2.0, 60, 120, 120, 0)]
FALL = [Point(4.0, 30, 30, 30, 0)]


def capture(points, peak=120):
    """What the plot reads of a Capture."""
    memory = SimpleNamespace(peak=Amount(peak, 1), curve=lambda: iter(points))
    return SimpleNamespace(memory=memory)


NOTHING = SimpleNamespace(memory=None)


def test_a_column_is_as_high_as_the_most_that_was_live_in_it():
    assert memory_plot([capture(RISE + FALL)], 33).splitlines() == [
        "   Live memory: 120 B at 2.000 s; a column is 200.0 ms",
        "      120 B |          ##########",
        "            |          ##########",
        "            |          ##########",
        "       60 B |     ###############",
        "            |     ###############",
        "            |     ###############",
        "          0 +--------------------",
        "             0.000 s      4.000 s",
        "",
    ]


def test_a_point_holds_until_the_next():
    assert highest_in(RISE + FALL, 4) == [0, 60, 120, 120]
    assert highest_in([Point(0.0, 0, 9, 2, 0), Point(4.0, 2, 2, 2, 0)], 4) == [9, 2, 2, 2]


def test_little_memory_is_a_point():
    points = [Point(0.0, 0, 1, 1, 0), Point(1.0, 0, 1200, 0, 0), Point(2.0, 0, 0, 0, 0)]
    lowest = memory_plot([capture(points, 1200)], 33).splitlines()[6]
    assert lowest == "            |..........#"


def test_a_row_is_full_from_its_middle_on():
    assert [cell(height, 1) for height in (0, 0.4, 0.5)] == [" ", ".", "#"]
    assert [cell(height, 2) for height in (1.4, 1.5)] == [" ", "#"]


@pytest.mark.parametrize("width", [0, 33, 80, 110, 500])
def test_it_is_as_wide_as_there_is_room(width):
    lines = memory_plot([capture(RISE + FALL)], width).splitlines()[1:]
    assert max(map(len, lines)) == max(33, min(width, 110))


def test_nothing_is_drawn_of_nothing():
    assert memory_plot([NOTHING], 80) == ""
    assert memory_plot([], 80) == ""
    assert memory_plot([capture(RISE[:1])], 80) == ""
    nothing_live = [Point(0.0, 0, 0, 0, 0), Point(1.0, 0, 0, 0, 0)]
    assert memory_plot([capture(nothing_live)], 80) == ""
    assert memory_plot([capture([RISE[0], RISE[0]])], 80) == ""  # no time passed


def test_of_several_runs_the_one_with_the_highest_peak_is_drawn():
    text = memory_plot([NOTHING, capture(FALL + FALL, 30), capture(RISE + FALL)], 33)
    assert text.startswith("   Live memory, of the run with the highest peak: 120 B at 2.000 s")


def test_show_prints_it_below_the_header(tmp_path):
    program = tmp_path / "rise.py"
    program.write_text("kept = [bytearray(2**16) for _ in range(64)]\ndel kept\n")
    out = tmp_path / "out"
    assert traced("--memory", "-o", out, program).returncode == 0
    shown = traced("show", out, "--memory").stdout.decode()
    header, plot = shown.split("\n\n")[:2]
    assert "allocated" in header
    assert plot.startswith("   Live memory: 4")
    assert plot.count("|") == 6
    assert "Live memory" not in traced("show", out, "--memory", "--no-header").stdout.decode()
    assert "Live memory" not in traced("show", out, "--table").stdout.decode()
