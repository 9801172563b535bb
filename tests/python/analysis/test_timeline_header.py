"""What stands above what is printed of a timeline: what is drawn, and what found no room."""

import re

import pytest

import tracer
from rows import Clock, limited
from timelines import capture_of
from tracer.cli.run_header import run_header


def header_of(**options):
    capture = capture_of("main@main 0-2500000\n  f@main 1-10\n", **options)
    [line] = [it for it in run_header(tracer.Stats(capture), 1).splitlines() if "timeline" in it]
    return line


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "all are drawn"),
        ({"least": 3}, "those of 3 us and more are drawn"),
        ({"timeline": {"since": 500000}}, "those since 0.500 s are drawn"),
        ({"timeline": {"lost": 1200}}, "all are drawn; 1,200 of them found no room"),
        (
            {"timeline": {"dropped": {"marks": 3, "ranges": 0}}},
            "all are drawn; 3 marks found no room",
        ),
        ({"timeline": {"dropped": {"tasks": 1}}}, "all are drawn; 1 task found no room"),
        (
            {"timeline": {"dropped": {"counters": 1}}},
            "all are drawn; 1 counter value was no number",
        ),
        (
            {"timeline": {"dropped": {"counters": 2000}}, "counters": [(0, 1, "n", 7)] * 2**18},
            "all are drawn; 2,000 counter values were no numbers, or found no room",
        ),
    ],
)
def test_the_header(options, told):
    assert header_of(**options) == f"  timeline  2.500 s, 2 calls, {told}"


def test_the_header_of_several_runs():
    captures = [capture_of("main@main 0-10\n") for _ in range(3)]
    captures[0].timeline_data = None
    assert "  timeline  in 2 of 3 runs\n" in run_header(tracer.Stats(*captures), 3)


def test_calls_without_a_path_are_told_in_the_header():
    clock = Clock()

    def leaf():
        clock.now += 1

    def work(n):
        leaf()
        if n:
            work(n - 1)

    profile = limited(clock, 1.0, threads=False, builtins=False, _node_limit=3)
    profile.record_call(work, 5)
    header = run_header(tracer.Stats(profile), 1)
    told = "calls with no path: too many calling contexts; functions and callers are exact"
    assert re.search(rf"^     paths  \d+ {told}$", header, re.MULTILINE)
    assert "paths" not in run_header(tracer.Stats(limited(clock, 1.0)), 1)
