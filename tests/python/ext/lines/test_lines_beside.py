"""A LineRecorder beside others: Profiles, other tools of lines, and more of its kind than may be
enabled. The tool ids that it takes are in test_lines_tools.py.
"""

import sys

import pytest

import tracer
from hooks import HAS_MONITORING, held
from linelives import lives
from linerows import check, clock, hits, recorder_of
from rows import calls_of
from tracer._core import LineRecorder

needs_monitoring = pytest.mark.skipif(not HAS_MONITORING, reason="of sys.monitoring alone")


def leaf():
    return None


@pytest.mark.parametrize("calls", [False, True] if HAS_MONITORING else [False])
@pytest.mark.parametrize("lines_first", [False, True])
def test_beside_a_profile(lines_first, calls):
    """Lines and profile are exact, in whatever order they begin and end."""

    def inner():
        clock.now += 2  #: 3 6

    def outer():
        for _ in range(3):  #: 4 0
            inner()  #: 3 6
        clock.now += 5  #: 1 5

    recorder = recorder_of(inner, outer, calls=calls)
    profile = tracer.Profile(clock, 1.0, builtins=False)
    first, second = (recorder, profile) if lines_first else (profile, recorder)
    first.enable()
    second.enable()
    outer()
    first.disable()
    second.disable()
    check(recorder, inner, outer)
    assert calls_of(profile, inner, outer) == [3, 1]
    assert held() == []


def test_a_recorder_that_comes_and_goes_changes_no_profile():
    def program():
        for _ in range(3):
            leaf()
            with recorder:
                leaf()

    recorder = recorder_of(leaf)
    profile = tracer.Profile(builtins=False)
    profile.runcall(program)
    assert calls_of(profile, leaf) == [6]
    assert hits(recorder, leaf) == {1: 3}
    names = [label[2] for label in tracer.Stats(profile).stats]
    assert not any("LineRecorder" in name or "__enter__" in name for name in names)


@pytest.mark.parametrize("made", [True, "all"] if HAS_MONITORING else [True])
def test_the_methods_of_a_recorder_are_in_no_profile(made):
    def program():
        recorder = LineRecorder()
        recorder.add_code(leaf.__code__)
        recorder.enable()
        leaf()
        recorder.snapshot()
        recorder.clear()
        recorder.disable()
        assert not recorder.enabled

    profile = tracer.Profile(builtins=made)
    profile.runcall(program)
    names = {label[2] for label in tracer.Stats(profile).stats}
    assert not any("LineRecorder" in name for name in names), names


@needs_monitoring
def test_beside_another_tool_of_lines():
    """As a debugger or a coverage measurement: both get all lines, also when one comes or goes."""
    seen = []
    monitoring = sys.monitoring
    monitoring.use_tool_id(1, "coverage")
    monitoring.register_callback(1, monitoring.events.LINE, lambda code, line: seen.append(line))
    recorder = recorder_of(leaf)
    try:
        leaf()
        with recorder:
            leaf()
            monitoring.set_local_events(1, leaf.__code__, monitoring.events.LINE)
            leaf()
            monitoring.set_local_events(1, leaf.__code__, 0)
            leaf()
            monitoring.set_local_events(1, leaf.__code__, monitoring.events.LINE)
            leaf()
        leaf()
    finally:
        monitoring.set_local_events(1, leaf.__code__, 0)
        monitoring.register_callback(1, monitoring.events.LINE, None)
        monitoring.free_tool_id(1)
    assert hits(recorder, leaf) == {1: 4}
    assert len(seen) == 3


@needs_monitoring
def test_beside_a_trace_function():
    def trace(frame, event, argument):
        if frame.f_code is leaf.__code__:
            seen.append(event)
        return trace

    seen = []
    recorder = recorder_of(leaf)
    before = sys.gettrace()
    with recorder:
        sys.settrace(trace)
        try:
            leaf()
        finally:
            sys.settrace(before)
        leaf()
    assert hits(recorder, leaf) == {1: 2}
    assert seen == ["call", "line", "return"]


def test_beside_cprofile():
    lives("""
        import cProfile

        recorder = recorder_of(leaf)
        profile = cProfile.Profile()
        for first, second in ((recorder, profile), (profile, recorder)):
            first.enable()
            second.enable()
            leaf()
            first.disable()
            leaf()
            second.disable()
        assert counted(recorder) == 3, counted(recorder)
        goes_on(recorder)
    """)


def test_more_than_a_process_has_thread_keys():
    recorders = [recorder_of(leaf) for _ in range(2000)]
    for recorder in recorders:
        recorder.enable()
    leaf()
    for recorder in recorders:
        recorder.disable()
    assert held() == []
    assert {hits(recorder, leaf)[1] for recorder in recorders} == {1}
