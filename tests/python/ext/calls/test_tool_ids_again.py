"""A tool id of sys.monitoring that tracer takes again and again: it changes few events and restarts
them seldom, whatever others switched off meanwhile or left behind.

From 3.13 on the interpreter has 2^24 versions of its events, for as long as it lives. A set that
changes takes one of them, restart_events() two, free_tool_id() one from 3.14 on. And a restart
has all tools told again of what they have switched off.
"""

import sys

import pytest

import tracer
from hooks import HAS_MONITORING, Disabler, asked, forget_marks
from rows import calls_of
from survival import survives

pytestmark = pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")


def leaf():
    len("")


def test_a_cycle_sets_events_and_unsets_them():
    """And does nothing else, but the first time: nobody knows what was done under the id before."""
    profile = tracer.Profile(backend="monitoring")
    forget_marks()
    for times in range(3):
        with asked() as calls:
            profile.enable()
            profile.enable()  # again: it is enabled already
            assert calls == [*["restart_events"][times:], "set_events"]
            profile.disable()
            profile.disable()
        assert calls == [*["restart_events"][times:], "set_events", "set_events", "free_tool_id"]


@pytest.mark.parametrize("ends", [(0, 1), (1, 0)])
def test_profiles_within_another_change_nothing(ends):
    profiles = [tracer.Profile(backend="monitoring") for _ in range(2)]
    inner = tracer.Profile(backend="monitoring", builtins=False)
    tracer.Profile(backend="monitoring").runcall(leaf)
    with asked() as calls:
        for profile in profiles:
            profile.enable()
        for _ in range(3):
            inner.runcall(leaf)
        for end in ends:
            profiles[end].disable()
    assert calls == ["set_events", "set_events", "free_tool_id"]


def test_what_other_tools_have_switched_off_stays_off():
    tracer.Profile(backend="monitoring").runcall(leaf)
    with Disabler(1, sys.monitoring.events.PY_START) as other:
        leaf()
        assert other.told == [leaf.__code__.co_name]
        for _ in range(3):
            profile = tracer.Profile(backend="monitoring")
            profile.runcall(leaf)
            assert calls_of(profile, leaf) == [1]
    assert other.told == ["leaf"]


def left_out():
    """A profile, which has been enabled again, and a function that it leaves out and was called."""
    away = eval(compile("lambda: None", "/away.py", "eval"))
    profile = tracer.Profile(backend="monitoring", include=__file__)
    tracer.Profile(backend="monitoring").runcall(away)
    profile.runcall(away)
    return profile, away


def test_what_a_profile_leaves_out_stays_off_for_itself():
    profile, away = left_out()
    with Disabler(1, sys.monitoring.events.PY_START) as other, asked() as calls:
        leaf()
        for _ in range(3):
            with profile:
                away()
                leaf()
    assert "restart_events" not in calls
    assert other.told == ["leaf"]
    assert calls_of(profile, away, leaf) == [None, 3]


def test_what_a_profile_leaves_out_is_on_for_another():
    profile, away = left_out()
    for names in ({}, {"exclude": __file__}):
        one = tracer.Profile(backend="monitoring", **names)
        profile.runcall(away)
        with asked() as calls:
            one.runcall(away)
        assert calls.count("restart_events") == 1
        assert calls_of(one, away) == [1]


@pytest.mark.parametrize("others", [(), ("another",)])
def test_what_a_profile_leaves_out_is_on_when_it_has_forgotten_why(others):
    """What was compiled from no file is where it is first seen, which may be elsewhere then."""
    profile, away = left_out()
    with profile:
        profile.clear()
        for name in others:  # which it leaves out anew
            eval(compile("lambda: None", f"/{name}.py", "eval"))()
    with asked() as calls:
        profile.runcall(away)
    assert calls.count("restart_events") == 1


def test_what_two_profiles_leave_out_is_on_for_each():
    profile, away = left_out()
    with tracer.Profile(backend="monitoring", exclude="/away*"), profile:
        away()
    with asked() as calls:
        profile.runcall(away)
    assert calls.count("restart_events") == 1


@pytest.mark.parametrize("back", [False, True])
def test_an_id_that_others_had_meanwhile(back):
    """Events that others switched off are on, whatever they leave behind; one restart is enough."""

    def program():
        leaf()

    events = sys.monitoring.events
    profile = tracer.Profile(backend="monitoring")
    profile.runcall(program)
    with Disabler(4, events.PY_START):
        program()
    if back:
        with Disabler(4, events.RAISE):
            pass
    for times in range(2):
        with asked() as calls:
            profile.runcall(program)
        assert calls.count("restart_events") == (1 if times == 0 else 0)
    assert calls_of(profile, program, leaf) == [3, 3]


def test_another_tool_that_an_audit_hook_has_take_the_id():
    """The callbacks that the other tool registers are there in the end."""
    survives("""
        monitoring, event = sys.monitoring, sys.monitoring.events.PY_START

        def hook(what, arguments):
            global armed
            if armed and what == "sys.monitoring.register_callback" and not monitoring.get_tool(4):
                armed = False
                monitoring.use_tool_id(4, "other")
                for bit in range(16):
                    monitoring.register_callback(4, 1 << bit, print)

        armed = False
        sys.addaudithook(hook)
        profile = tracer.Profile(backend="monitoring")
        profile.enable()
        leaf()
        armed = True
        profile.disable()
        if monitoring.get_tool(4) == "other":
            for bit in range(16):
                assert monitoring.register_callback(4, 1 << bit, None) is print
            monitoring.free_tool_id(4)
        armed = False
        still_works(profile)
    """)


def test_what_is_left_with_an_id_does_nothing():
    """A tool that asks for events, and not for calls at them, has nothing to fear."""
    tracer.Profile(backend="monitoring").runcall(leaf)
    monitoring, event = sys.monitoring, sys.monitoring.events.PY_START
    monitoring.use_tool_id(4, "other")
    monitoring.set_events(4, event)
    leaf()
    monitoring.set_events(4, 0)
    mark = monitoring.register_callback(4, event, None)
    monitoring.free_tool_id(4)
    if mark is not None:
        assert mark() is mark(leaf.__code__, 0) is None
