"""LineStats, the figures of a LineProfiler: added up, written, read and printed; and what is
printed where nothing else is asked for. What a LineProfiler records is in test_line_profiler.py.
"""

import inspect
import io

import pytest

import tracer
from tracer.api import line_config
from tracer.api.line_profiler import LineProfiler, LineStats
from tracer.compat import line_profiler

pytestmark = [pytest.mark.programs, pytest.mark.lines]


@pytest.fixture
def profile(clock):
    return LineProfiler(timer=clock, timeunit=1.0)


def test_printing_and_dumping(profile, tmp_path):
    def f():
        return 1

    def never():
        return 2

    profile.add_callable(never)
    profile(f)()
    stream = io.StringIO()
    profile.print_stats(stream, 1e-6, stripzeros=True, summarize=True)
    text = stream.getvalue()
    assert text.startswith("Timer unit: 1e-06 s\n\nTotal time: 0 s\n")
    assert "<locals>.f at line" in text and "never" not in text
    profile.dump_stats(tmp_path / "x.lprof")
    assert LineStats.from_files(tmp_path / "x.lprof") == profile.get_stats()
    again = io.StringIO()
    LineStats.from_files(tmp_path / "x.lprof").print(again, 1e-6, stripzeros=True, summarize=True)
    assert again.getvalue() == text


def test_stats_are_added_up():
    one = LineStats({("a", 1, "f"): [(1, 2, 3000), (2, 1, 1)]}, 1e-6)
    two = LineStats({("a", 1, "f"): [(1, 1, 5)], ("a", 9, "g"): []}, 1e-3)
    assert one + two == LineStats({("a", 1, "f"): [(1, 3, 8), (2, 1, 0)], ("a", 9, "g"): []}, 1e-3)
    one += one
    assert one.timings == {("a", 1, "f"): [(1, 4, 6000), (2, 2, 2)]}
    assert repr(two) == "LineStats({('a', 1, 'f'): [(1, 1, 5)], ('a', 9, 'g'): []}, 0.001)"
    assert two != 3
    with pytest.raises(TypeError):
        two + 3
    with pytest.raises(TypeError):
        two += 3


def test_whole_numbers_keep_all_their_digits():
    one = LineStats({("a", 1, "f"): [(1, 1, 2**62 + 1)]}, 1e-9)
    assert (one + one).timings[("a", 1, "f")] == [(1, 2, 2**63 + 2)]


def test_a_file_that_is_none(tmp_path):
    (tmp_path / "x.lprof").write_text("hello")
    with pytest.raises(tracer.ProfileFormatError, match=r"x\.lprof: no \.lprof file"):
        LineStats.from_files(tmp_path / "x.lprof")
    with pytest.raises(FileNotFoundError):
        LineStats.from_files(tmp_path / "y.lprof")


@pytest.mark.parametrize(
    "function", [LineStats.print, LineProfiler.print_stats, line_profiler.show_text]
)
def test_what_is_printed_where_nothing_else_is_asked_for(function):
    """The same defaults as line_profiler's."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if isinstance(parameter.default, bool)
    }
    assert defaults == {
        "stripzeros": False,
        "details": True,
        "summarize": False,
        "sort": False,
        "rich": False,
    }


def test_what_the_explicit_profile_shows_where_no_file_says_otherwise():
    """The same defaults as line_profiler's, but in no colours."""
    assert line_config.DEFAULTS["show"] == {
        "sort": True,
        "stripzeros": True,
        "rich": False,
        "details": False,
        "summarize": True,
    }
