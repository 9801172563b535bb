"""Profile(timeline=...): which sizes are taken, and what a snapshot says of them."""

import os
import time

import pytest

import tracer
from rows import Clock
from tracer._core import Profiler
from tracer.recording.budget import budget_of

MIB = 1024 * 1024


@pytest.mark.parametrize(
    ("option", "budget"),
    [
        (True, 64 * MIB),
        (MIB, MIB),
        ("1MiB", MIB),
        ("256MiB", 256 * MIB),
        (" 1 gib ", 1024 * MIB),
        ("2048KiB", 2 * MIB),
        ("1048576", MIB),
    ],
)
def test_a_timeline_has_a_budget(option, budget):
    timeline = tracer.Profile(timeline=option).snapshot()["timeline"]
    assert (timeline["budget"], timeline["ring"]) == (budget, False)
    ring = tracer.Profile(timeline=option, timeline_last=True).snapshot()["timeline"]
    assert (ring["budget"], ring["ring"]) == (budget, True)


def test_without_the_option_there_is_none():
    assert tracer.Profile().snapshot()["timeline"] is None
    assert tracer.Profile(timeline=False).snapshot()["timeline"] is None
    assert tracer.Profile(timeline=0).snapshot()["timeline"] is None
    assert Profiler().snapshot()["timeline"] is None


@pytest.mark.parametrize(
    "text", ["", "MiB", "much", "-1MiB", "1.5MiB", "1MB", "1GB", "1TB", "1 TiB", "٣MiB"]
)
def test_a_text_that_is_no_size_is_refused(text):
    with pytest.raises(ValueError, match="is no size of memory: give a whole number of KiB, MiB"):
        budget_of(text)
    with pytest.raises(ValueError, match="is no size of memory"):
        tracer.Profile(timeline=text)


@pytest.mark.parametrize("size", [1, MIB - 1, -MIB, "1KiB", "0", "9999999GiB", 2**80])
def test_a_size_out_of_bounds_is_refused(size):
    with pytest.raises(ValueError, match="a timeline needs 1MiB at least and 1GiB at most, not"):
        tracer.Profile(timeline=size)


@pytest.mark.parametrize("option", [None, 2.5e6, b"1MiB", ["1MiB"]])
def test_what_is_no_option_is_refused(option):
    with pytest.raises(TypeError, match="timeline must be True, False, bytes or a text"):
        tracer.Profile(timeline=option)


def test_the_latest_of_no_timeline_is_refused():
    with pytest.raises(ValueError, match="timeline_last needs a timeline: give timeline=True"):
        tracer.Profile(timeline_last=True)
    with pytest.raises(ValueError, match="timeline_ring needs a timeline"):
        Profiler(timeline_ring=True)


@pytest.mark.parametrize("size", [-1, 1, MIB - 1])
def test_the_core_refuses_what_is_too_small(size):
    with pytest.raises(ValueError, match="timeline must be 0 or at least 1048576"):
        Profiler(timeline=size)


def test_moments_begin_where_recording_first_began():
    clock = Clock()
    profile = tracer.Profile(clock, 1.0, timeline=True)
    clock.now = 100
    profile.enable()
    clock.now = 107
    profile.disable()
    clock.now = 200
    profile.enable()
    clock.now = 230
    before = time.monotonic_ns()
    (first, began), (last, ended) = profile.snapshot()["timeline"]["clock"]
    assert (first, last) == (0, 130)
    assert began <= before <= ended <= time.monotonic_ns()
    profile.disable()
    clock.now = 300
    assert profile.snapshot()["timeline"]["clock"][1][0] == 130
    profile.clear()
    profile.enable()
    clock.now = 301
    profile.disable()
    assert [tick for tick, _ in profile.snapshot()["timeline"]["clock"]] == [0, 1]


def test_a_timeline_says_when_and_where_it_was_made():
    before = time.time()
    with tracer.Profile(timeline=True) as profile:
        pass
    timeline = profile.snapshot()["timeline"]
    assert before <= timeline["epoch"] <= time.time()
    assert (timeline["pid"], timeline["packing"]) == (os.getpid(), "")


def test_the_longest_call_is_told_from_the_first_start_with_any_timer():
    clock = Clock()
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def slow(duration):
        clock.now += duration

    profile.runcall(slow, 5)
    clock.now += 100
    profile.runcall(slow, 3)
    (entry,) = [each for each in profile.getstats() if each.code is slow.__code__]
    assert entry.longest == 5
    assert entry.longest_at == 0
