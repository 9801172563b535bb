"""LineRecorder.hold() and release(): enabled again and again, with events left as they are.

These tests ask whether nothing is recorded in between, not what a hold costs.
"""

import sys

import pytest

from linerows import clock, merged, recorder_of, ticks
from tracer._core import LineRecorder


def hits_of(recorder):
    """How often lines were hit, by the name of their function."""
    return {
        label[2]: sum(line.hits for line in lines.values())
        for label, lines in merged(recorder.snapshot()).items()
    }


def f():
    return 1


def g():
    return 2


@pytest.fixture
def recorder():
    recorder = LineRecorder()
    recorder.add_code(f.__code__)
    yield recorder
    recorder.disable()


def test_held_it_is_enabled(recorder):
    f()
    for count in (1, 2, 3):
        recorder.hold()
        assert (recorder.enabled, recorder.holds) == (True, 1)
        f()
        recorder.release()
        assert (recorder.enabled, recorder.holds) == (False, 0)
        f()
        assert hits_of(recorder) == {"f": count}


def test_holds_nest_and_releases_without_one_do_nothing(recorder):
    recorder.release()
    recorder.hold()
    recorder.hold()
    recorder.release()
    f()
    recorder.release()
    recorder.release()
    f()
    assert recorder.holds == 0
    assert hits_of(recorder) == {"f": 1}


def test_code_added_in_between_is_recorded_when_held_again(recorder):
    recorder.hold()
    recorder.release()
    recorder.add_code(g.__code__)
    g()
    recorder.hold()
    g()
    recorder.release()
    assert hits_of(recorder) == {"f": 0, "g": 1}


def test_enabled_and_disabled_in_between(recorder):
    recorder.hold()
    recorder.release()
    recorder.enable()
    f()
    recorder.disable()
    f()
    recorder.hold()
    f()
    recorder.disable()
    f()
    recorder.release()
    f()
    assert hits_of(recorder) == {"f": 2}


def test_others_record_meanwhile(recorder):
    other = LineRecorder()
    other.add_code(f.__code__)
    recorder.hold()
    recorder.release()
    with other:
        f()
        recorder.hold()
        f()
        recorder.release()
        f()
    f()
    assert hits_of(other) == {"f": 3}
    assert hits_of(recorder) == {"f": 1}


def test_time_between_is_in_no_line():
    def work():
        clock.now += 1
        recorder.release()
        clock.now += 10
        recorder.hold()
        clock.now += 1

    recorder = recorder_of(work)
    recorder.hold()
    work()
    clock.now += 100
    recorder.release()
    clock.now += 1000
    assert ticks(recorder, work) == {1: 1, 2: 0, 5: 1}
    assert len(recorder.snapshot()["threads"]) == 1
    recorder.disable()


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.11 has no sys.monitoring")
def test_it_gives_its_tool_back_when_it_goes():
    before = [sys.monitoring.get_tool(number) for number in range(6)]
    recorder = LineRecorder()
    recorder.add_code(f.__code__)
    recorder.hold()
    recorder.release()
    assert [sys.monitoring.get_tool(number) for number in range(6)] != before
    del recorder
    assert [sys.monitoring.get_tool(number) for number in range(6)] == before
