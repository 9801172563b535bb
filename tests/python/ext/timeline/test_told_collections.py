"""Garbage collections in a timeline, and the callback that tells of them."""

import gc
import sys

import pytest

import tracer
from hooks import HAS_MONITORING
from rows import Clock
from telling import told


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0, timeline=True)


@pytest.fixture
def no_automatic_collections():
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_automatic_collections")
def test_collections_are_told(clock, profile):
    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            clock.now += 5

    def work():
        gc.collect(0)
        Cycle()
        clock.now += 1
        gc.collect()

    gc.collect()
    profile.runcall(work)
    first, second = told(profile, "collections")
    assert first == (0, 0, 0, 0, 0, 0)
    thread, start, end, generation, collected, uncollectable = second
    assert (thread, start, end, generation, uncollectable) == (0, 1, 6, 2, 0)
    assert collected >= 1


@pytest.mark.usefixtures("no_automatic_collections")
def test_a_snapshot_in_the_middle_of_a_collection(clock, profile):
    seen = []

    def look(phase, info):
        if phase == "start":
            seen.append(told(profile, "collections"))

    with profile:
        gc.callbacks.append(look)
        gc.collect(1)
        gc.callbacks.remove(look)
    assert seen == [((0, 0, -1, 1, 0, 0),)]


def test_the_callback_is_there_only_while_a_profile_is_enabled(profile):
    before = list(gc.callbacks)
    other = tracer.Profile()
    assert gc.callbacks == before
    with profile:
        assert len(gc.callbacks) == len(before) + 1
        with other:
            assert len(gc.callbacks) == len(before) + 1
        assert len(gc.callbacks) == len(before) + 1
        profile.enable()
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before
    with other:
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before


def test_the_callback_is_removed_with_the_profile():
    before = list(gc.callbacks)
    profile = tracer.Profile(timeline=True)
    profile.enable()
    del profile
    gc.collect()
    assert gc.callbacks == before


@pytest.mark.skipif(not HAS_MONITORING, reason="there is nothing to refuse")
def test_the_callback_is_removed_when_enabling_fails():
    before = list(gc.callbacks)
    profile = tracer.Profile(timeline=True, backend="monitoring")
    held = [i for i in range(6) if sys.monitoring.get_tool(i) is None]
    for i in held:
        sys.monitoring.use_tool_id(i, "a test")
    try:
        with pytest.raises(RuntimeError):
            profile.enable()
        assert gc.callbacks == before
    finally:
        for i in held:
            sys.monitoring.free_tool_id(i)


@pytest.mark.usefixtures("no_automatic_collections")
def test_a_program_may_do_with_the_callbacks_what_it_likes(clock, profile):
    before = list(gc.callbacks)
    try:
        with profile:
            kept = list(gc.callbacks)
            gc.callbacks.clear()
            gc.collect()
        assert gc.callbacks == []
        gc.callbacks[:] = kept  # with tracer's
        gc.collect()
        with profile:
            assert gc.callbacks == kept
            gc.collect(0)
            gc.callbacks.extend(kept)
        assert gc.callbacks == before * 2
        assert len(told(profile, "collections")) == 1
        with profile:
            ours = gc.callbacks[-1]
            for args in [(), ("start",), (1, {}), ("start", {}), ("stop", {"generation": 1})]:
                ours(*args)
            ours("start", {"generation": "x"})
            ours("stop", {"generation": 1, "collected": "x", "uncollectable": 0})
            clock.now += 1
        assert len(told(profile, "collections")) == 1
    finally:
        gc.callbacks[:] = before


def test_collections_beside_a_timer_that_collects():
    class Collecting(Clock):
        def __call__(self):
            gc.collect(0)
            return super().__call__()

    profile = tracer.Profile(Collecting(), 1.0, timeline=True)
    with profile:
        gc.collect()
    assert len(told(profile, "collections")) >= 1
