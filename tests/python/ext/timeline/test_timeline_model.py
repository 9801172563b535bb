"""Timelines of random programs, against what these wrote down: every stretch of every call."""

import pytest

from timeline_model import HAS_GREENLETS, both


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("actors", [1, 3])
def test_every_stretch_is_a_slice(seed, actors):
    timeline, threads, expected = both(seed, actors)
    assert timeline.least == timeline.lost == timeline.since == 0
    assert sorted(filter(None, threads)) == sorted(filter(None, expected))


@pytest.mark.parametrize("seed", range(100, 105))
@pytest.mark.parametrize("limit", [1, 10, 40])
def test_stretches_of_contexts_past_the_limit_are_there_too(seed, limit):
    _, threads, expected = both(seed, 2, _node_limit=limit)

    def flat(threads):
        return sorted(sorted(stretch[:3] for stretch in thread) for thread in threads if thread)

    assert flat(threads) == flat(expected)


@pytest.mark.skipif(not HAS_GREENLETS, reason="the package greenlet is not installed")
def test_the_call_at_the_bottom_of_a_greenlet_has_its_stack():
    """By the clock of the processor, whose events go the short way."""
    import greenlet

    import tracer
    from tracer.data.timeline import OF_STACK

    def leaf():
        pass

    def work():
        leaf()
        leaf()

    profile = tracer.Profile(builtins=False, timeline=True)
    with profile:
        for _ in range(5):
            greenlet.greenlet(work).switch()
    capture = tracer.Stats(profile).captures[0]
    (thread,) = capture.timeline.threads
    slices = thread.read()
    calls = [(node, tag) for node, tag in zip(slices.nodes, slices.tags, strict=True) if node]
    names = [capture.functions[thread.functions[node]].qualname for node, _ in calls]
    own = work.__qualname__  # the tests run below other functions, whose slices are cut, too
    tags = [tag for name, (_, tag) in zip(names, calls, strict=True) if name == own]
    assert [tag & 3 for tag in tags] == [OF_STACK] * 5
    assert len({tag >> 2 for tag in tags}) == 5
