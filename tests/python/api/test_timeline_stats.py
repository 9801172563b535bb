"""What Stats prints of a timeline: the texts that `show` prints, with nothing cut."""

import io

import pytest

import tracer
from timelines import capture_of

MAIN = """
<module>@main 0-10000
  view@main 200-5200
  spin@main 5200-9900
"""
WORKER = """
run@threading 1000-9000
  work@helpers 1000-9000
"""
RANGES = [(0, 1, 100 * at, 200 * at + 50, f"step {at % 2}", None, (), 0, 0) for at in range(12)]
NAMES = ["MainThread", "ThreadPoolExecutor-1_0"]


def printed(method, *arguments, count=1, strip=False, **options):
    captures = [capture_of(MAIN, WORKER, names=NAMES, ranges=RANGES) for _ in range(count)]
    stats = tracer.Stats(*captures, stream=io.StringIO())
    stats = stats.strip_dirs() if strip else stats
    assert getattr(stats, method)(*arguments, **options) is stats
    return stats.stream.getvalue()


def test_the_run_over_time():
    lines = printed("print_timeline").splitlines()
    assert [line[:22].rstrip() for line in lines[1:3]] == NAMES
    assert "  A      8 ms  44.4%  work  /home/me/shop/helpers.py:1" in lines
    lines = printed("print_timeline", 1, strip=True).splitlines()
    assert lines[1].startswith("MainThread  ") and lines[2] == ""
    assert "  A      5 ms  27.8%  view  main.py:1" in lines


def test_the_longest_calls():
    assert printed("print_slowest", 2, strip=True) == (
        "        at      took  thread                  call < its callers\n"
        "  0.001000      8 ms  ThreadPoolExecutor-1_0  work  helpers.py:1\n"
        "  0.000200      5 ms  MainThread              view  main.py:1 < <module>\n"
    )
    assert len(printed("print_slowest").splitlines()) == 4


def test_ranges():
    table, longest = printed("print_ranges").split("\n\n", 1)[1].split("\n\n")
    assert (len(table.splitlines()), len(longest.splitlines())) == (3, 11)
    table, longest = printed("print_ranges", 1).split("\n\n", 1)[1].split("\n\n")
    assert (len(table.splitlines()), len(longest.splitlines())) == (2, 2)
    stats = tracer.Stats(capture_of(MAIN), stream=io.StringIO()).print_ranges()
    assert stats.stream.getvalue().startswith("No range was marked there")


@pytest.mark.parametrize("method", ["print_timeline", "print_slowest"])
def test_several_runs(method):
    """Their moments have nothing in common."""
    text = printed(method)
    assert printed(method, count=2) == (
        f"run 1 of 2, process 1\n\n{text}\nrun 2 of 2, process 1\n\n{text}"
    )
    assert printed("print_ranges", count=2).splitlines()[3].split()[0] == "12"


def test_a_thread():
    stats = tracer.Stats(capture_of(MAIN, WORKER, names=NAMES), stream=io.StringIO())
    thread = stats.threads["MainThread"].print_slowest(9)
    assert "work" not in thread.stream.getvalue() and "view" in thread.stream.getvalue()


@pytest.mark.parametrize("method", ["print_timeline", "print_slowest", "print_ranges"])
def test_what_cannot_be_printed(method):
    capture = capture_of(MAIN)
    capture.timeline_data = None
    for source in (capture, tracer.Profile()):
        with pytest.raises(ValueError, match="no timeline was recorded; make the Profile with"):
            getattr(tracer.Stats(source), method)()
    with pytest.raises(ValueError, match="must be 1 or more, not 0"):
        printed(method, 0)
