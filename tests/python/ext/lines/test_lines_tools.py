"""The tool ids that a LineRecorder takes and gives back, and the events that it asks for. What it
records beside Profiles and other tools is in test_lines_beside.py.
"""

import contextlib
import sys

import pytest

import tracer
from hooks import HAS_MONITORING, HOLDERS, OURS, Disabler, asked, forget_marks, held
from linelives import lives
from linerows import check, hits, recorder_of
from tracer._core import LineRecorder

needs_monitoring = pytest.mark.skipif(not HAS_MONITORING, reason="of sys.monitoring alone")


def leaf():
    return None


@needs_monitoring
@pytest.mark.parametrize("count", range(len(OURS)))
def test_the_order_of_tool_ids(take, count):
    take(*OURS[:count])
    recorder = recorder_of(leaf)
    for _ in range(2):
        with recorder:
            leaf()
            assert held() == [f"tool id {OURS[count]}"]
        assert held() == []
    assert hits(recorder, leaf) == {1: 2}


@needs_monitoring
def test_where_all_are_taken_it_is_refused(take):
    take(*OURS)
    recorder = recorder_of(leaf)
    with pytest.raises(RuntimeError, match=f"^{HOLDERS}$"):
        recorder.enable()
    assert not recorder.enabled
    assert held() == []
    leaf()
    sys.monitoring.free_tool_id(5)
    with recorder:
        leaf()
    take(5)
    assert hits(recorder, leaf) == {1: 1}


@needs_monitoring
def test_one_id_for_all_recorders_and_one_for_all_profiles():
    recorders = [recorder_of(leaf) for _ in range(3)]
    profiles = [tracer.Profile(backend="monitoring") for _ in range(3)]
    for number, (recorder, profile) in enumerate(zip(recorders, profiles, strict=True)):
        recorder.enable()
        assert len(held()) == (1 if number == 0 else 2)
        profile.enable()
        assert held() == ["tool id 3", "tool id 4"]
    for profile in profiles:
        profile.disable()
    assert held() == ["tool id 4"]
    for recorder in recorders:
        recorder.disable()
    assert held() == []


@needs_monitoring
def test_a_tool_id_that_the_program_took_from_us(take):
    """The next recorder has lines reported to all by another id, and to none of them twice."""
    one, two = recorder_of(leaf), recorder_of(leaf)
    one.enable()
    leaf()
    sys.monitoring.free_tool_id(4)
    take(4)
    one.add_code(hits.__code__)  # asks nothing of an id that is not ours any more
    two.enable()
    assert held() == ["tool id 3"]
    leaf()
    two.disable()
    leaf()
    one.disable()
    assert hits(one, leaf) == {1: 3}
    assert hits(two, leaf) == {1: 1}
    assert held() == []


@needs_monitoring
def test_a_tool_id_that_the_program_gave_back():
    recorder = recorder_of(leaf)
    recorder.enable()
    sys.monitoring.set_events(4, 0)
    sys.monitoring.free_tool_id(4)
    recorder.add_code(hits.__code__)
    recorder.disable()
    assert held() == []
    leaf()
    with recorder:
        leaf()
    assert hits(recorder, leaf) == {1: 1}
    assert held() == []


def robbed():
    """An enabled recorder of leaf() whose tool id another tool has taken."""
    recorder = recorder_of(leaf)
    recorder.enable()
    sys.monitoring.set_events(4, 0)
    sys.monitoring.free_tool_id(4)
    sys.monitoring.use_tool_id(4, "another")
    return recorder


@needs_monitoring
def test_callbacks_of_another_tool_that_has_our_id_stay():
    monitoring, line = sys.monitoring, sys.monitoring.events.LINE
    recorder = robbed()
    monitoring.register_callback(4, line, print)
    recorder.disable()
    assert monitoring.register_callback(4, line, None) is print
    monitoring.set_local_events(4, leaf.__code__, 0)
    monitoring.free_tool_id(4)
    assert held() == []


@needs_monitoring
def test_events_of_code_of_another_tool_that_has_our_id_stay():
    monitoring, line = sys.monitoring, sys.monitoring.events.LINE
    recorder = robbed()
    monitoring.set_local_events(4, leaf.__code__, line)
    recorder.disable()
    assert monitoring.get_local_events(4, leaf.__code__) == line
    monitoring.set_local_events(4, leaf.__code__, 0)
    monitoring.free_tool_id(4)
    assert held() == []


def looping():
    for number in (1, 2):
        if number == 1:
            continue
    return None


@needs_monitoring
@pytest.mark.parametrize("whole", [False, True])
def test_events_are_restarted_the_first_time_and_where_code_was_left_out(whole):
    """Jumps need no restart: they are switched off only where nobody needs them."""
    away = eval(compile("lambda: None", "/away.py", "eval"))
    options = {"whole": True, "include": ("/nowhere",)} if whole else {}
    recorder = recorder_of(leaf, looping, **options)
    forget_marks()
    restarts = []
    for _ in range(3):
        with asked() as calls, recorder:
            leaf()
            looping()
            away()
        restarts.append(calls.count("restart_events"))
    assert restarts == ([1, 1, 1] if whole else [1, 0, 0])
    assert hits(recorder, leaf) == {1: 3}
    assert hits(recorder, looping) == {1: 9, 2: 6, 3: 3, 4: 3}


@needs_monitoring
def test_a_profile_after_a_recorder_restarts_nothing():
    """Both take the same id, and each knows what the other did."""
    profile = tracer.Profile(backend="monitoring")
    for one in (recorder_of(leaf), profile, recorder_of(leaf), profile):
        with asked() as calls, one:
            leaf()
    assert calls == ["set_events", "set_events", "free_tool_id"]


@needs_monitoring
def test_what_a_profile_leaves_out_is_on_for_a_recorder():
    away = eval(compile("lambda: None", "/away.py", "eval"))
    profile = tracer.Profile(backend="monitoring", include=__file__)
    for one in (recorder_of(leaf), profile):
        with one:
            away()
    recorder = recorder_of(whole=True, include=("/away*",))
    with asked() as calls, recorder:
        away()
    assert hits(recorder, away) == {0: 1}
    assert calls.count("restart_events") == 1


@needs_monitoring
def test_what_other_tools_have_switched_off_stays_off():
    with recorder_of(leaf):
        pass
    with Disabler(1, sys.monitoring.events.PY_START) as other:
        leaf()
        for _ in range(3):
            recorder = recorder_of(leaf)
            with recorder:
                leaf()
            assert hits(recorder, leaf) == {1: 1}
    assert other.told == ["leaf"]


@needs_monitoring
@pytest.mark.parametrize("event", ["LINE", "PY_RETURN"])
def test_an_id_that_another_tool_had_meanwhile(event):
    with recorder_of(leaf):
        leaf()
    with Disabler(4, getattr(sys.monitoring.events, event)):
        leaf()
    recorder = recorder_of(leaf)
    with recorder:
        leaf()
        leaf()
    assert hits(recorder, leaf) == {1: 2}


@needs_monitoring
def test_the_beginnings_of_functions_are_reported_to_nobody():
    """Nor is any event of code that is not timed, but for those that come of all code or none."""
    monitoring, events = sys.monitoring, sys.monitoring.events
    with recorder_of(leaf):
        everywhere, of_leaf = (
            monitoring.get_events(4),
            monitoring.get_local_events(4, leaf.__code__),
        )
    assert everywhere & ~(events.PY_UNWIND | events.PY_THROW) == 0
    assert of_leaf & events.LINE
    assert of_leaf & events.PY_START == 0


@needs_monitoring
def test_events_of_code_are_taken_back():
    monitoring = sys.monitoring
    one, two = recorder_of(leaf), recorder_of(leaf, check)
    with one:
        with two:
            assert monitoring.get_local_events(4, leaf.__code__)
            assert monitoring.get_local_events(4, check.__code__)
        assert monitoring.get_local_events(4, leaf.__code__)
        assert not monitoring.get_local_events(4, check.__code__)
    monitoring.use_tool_id(4, "a test")
    assert not monitoring.get_local_events(4, leaf.__code__)
    assert not monitoring.get_events(4)
    monitoring.free_tool_id(4)


NONSENSE = [
    (),
    (None,),
    ("code", 1),
    (leaf.__code__,),
    (leaf.__code__, None),
    (leaf.__code__, "line"),
    (leaf.__code__, 2**80),
    (leaf.__code__, -1),
    (leaf.__code__, 10**9),
    (leaf.__code__, 10**9, 0),
    (leaf.__code__, 10**9, 10**8),
    (leaf.__code__, -5, -7),
    (leaf.__code__, 0, len, sys.monitoring.MISSING if HAS_MONITORING else None),
    (leaf.__code__, 0, None, None),
    (leaf.__code__, 0, LineRecorder, 1),
    (leaf.__code__, 4, 2),
]


@needs_monitoring
def test_the_callbacks_called_by_hand():
    """A program can get hold of them."""
    events = {
        event
        for name, event in vars(sys.monitoring.events).items()
        if name.isupper() and event and event.bit_count() == 1
    }
    recorder = recorder_of(leaf, calls=True, whole=True, include=("/nowhere",))
    got = {}
    with recorder:
        for event in events:
            got[event] = sys.monitoring.register_callback(4, event, None)
            sys.monitoring.register_callback(4, event, got[event])
        callbacks = [callback for callback in got.values() if callback is not None]
        assert len(callbacks) == 11
        for callback in callbacks:
            for arguments in NONSENSE:
                with contextlib.suppress(TypeError, OverflowError):
                    assert callback(*arguments) in (None, sys.monitoring.DISABLE)
        recorder.clear()
        leaf()
    assert hits(recorder, leaf) == {1: 1}
    for callback in callbacks:  # nobody is enabled
        callback(leaf.__code__, 0, 5, None)
        with pytest.raises(TypeError):
            type(callback)()
    with pytest.raises(TypeError, match="called by the interpreter only"):
        callbacks[0]()


@needs_monitoring
@pytest.mark.parametrize("fails", range(1, 12))
def test_an_enable_that_fails_half_way(fails):
    """An audit hook refuses one of the eleven callbacks."""
    lives(f"""
        from hooks import refused

        recorder = recorder_of(leaf)
        assert refused(recorder.enable, {fails})
        leaf()
        assert counted(recorder) == 0
        goes_on(recorder)
    """)
