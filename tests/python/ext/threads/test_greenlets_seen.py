"""Greenlets that a profile comes to know: those that wait when it is enabled, those in which it is
enabled and disabled. Those of other threads are in test_greenlets_threads.py, a package that is
imported late is in test_greenlets_imported.py, a greenlet.settrace of the program's in
test_greenlets_settrace.py.
"""

import sys

import pytest

import greenlets
import tracer
from greenlets import clock, greenlet, leaf, measure, up
from hooks import HAS_MONITORING, OURS
from rows import by_name, rows_of_file

clean = greenlets.clean  # a fixture of all tests here


def rows_here(source):
    return rows_of_file(source, __file__, greenlets.__file__)


def test_frames_of_greenlets_that_wait_when_it_is_enabled_are_roots():
    """The frames' time counts from the switch to them on. They are callers, and not called."""

    def inner():
        up()
        clock.now += 1
        abs(-1)
        leaf()
        abs(-1)

    def body():
        inner()
        clock.now += 2
        leaf()

    def program():
        clock.now += 100
        other.switch()
        clock.now += 200

    other = greenlet.greenlet(body)
    other.switch()
    clock.now += 1000
    profile = measure(program, builtins=True)
    rows = rows_here(profile)
    assert other.dead
    assert rows["program"] == (1, 300, 300, {"measure"})
    assert rows["leaf"] == (2, 2, 2, {"inner", "body"})
    assert rows["body"] == (0, 2, 5, set())
    assert rows["inner"] == (0, 1, 2, {"body"})
    assert by_name(profile)["<built-in method builtins.abs>"].calls == 2


def test_a_sole_frame_of_a_greenlet_that_waits_when_it_is_enabled():
    def body():
        greenlet.getcurrent().parent.switch()
        abs(-1)
        leaf()
        abs(-1)

    other = greenlet.greenlet(body)
    other.switch()
    profile = measure(other.switch, builtins=True)
    assert rows_here(profile)["leaf"] == (1, 1, 1, {"body"})
    assert by_name(profile)["<built-in method builtins.abs>"].calls == 2


@pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")
def test_code_of_greenlets_that_waited_is_left_without_events_of_its_own():
    """tracer sets some events for a moment, by the tool id that stays ours."""

    def inner():
        up()
        leaf()

    other = greenlet.greenlet(inner)
    other.switch()
    with tracer.Profile(backend="monitoring") as profile:
        other.switch()
        assert sys.monitoring.get_tool(OURS[0]) == "tracer"
        assert sys.monitoring.get_local_events(OURS[0], inner.__code__) == 0
    assert by_name(profile)["leaf"].calls == 1


def test_a_greenlet_that_waited_and_ended_leaves_nothing_behind():
    """Neither a new greenlet at its address nor the one that it goes back to runs on its stack."""

    def body():
        up()

    def new():
        leaf()

    def program():
        for index in range(len(others)):
            others[index].switch()
            others[index] = None
            greenlet.greenlet(new).switch()

    others = [greenlet.greenlet(body) for _ in range(100)]
    for other in others:
        other.switch()
    del other
    profile = measure(program)
    rows = rows_here(profile)
    assert rows["new"] == (100, 0, 100, set())
    assert rows["leaf"] == (100, 100, 100, {"new"})
    assert rows["body"][:3] == (0, 0, 0)


def test_it_is_enabled_and_disabled_in_a_greenlet():
    """Other greenlets are roots when they are switched to: here the one that runs the test."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        profile.enable()
        clock.now += 2
        up()
        clock.now += 4
        leaf()
        profile.disable()
        clock.now += 1000

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        leaf()
        other.switch()
        clock.now += 1000

    program()
    rows = rows_here(profile)
    assert rows["body"] == (0, 6, 7, set())
    assert rows["up"] == (1, 0, 0, {"body"})
    assert rows["program"][:3] == (0, 10, 11)
    assert rows["leaf"] == (2, 2, 2, {"body", "program"})


def test_it_is_disabled_in_one_greenlet_and_enabled_in_another():
    """What runs in between is no part of the profile."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        profile.disable()
        clock.now += 1000
        greenlet.getcurrent().parent.switch()
        clock.now += 2
        leaf()
        up()
        leaf()

    def program():
        other = greenlet.greenlet(body)
        profile.enable()
        other.switch()
        clock.now += 1000
        profile.enable()
        clock.now += 10
        other.switch()
        clock.now += 20
        profile.disable()
        other.switch()

    program()
    rows = rows_here(profile)
    assert rows["body"] == (1, 3, 4, set())
    assert rows["leaf"] == (1, 1, 1, {"body"})
    assert rows["program"][:3] == (0, 30, 30)


def test_two_profiles_of_greenlets():
    first = tracer.Profile(clock, 1.0, builtins=False)
    second = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        second.enable()
        clock.now += 2
        up()
        clock.now += 4
        first.disable()
        up()
        clock.now += 8

    def program():
        other = greenlet.greenlet(body)
        with first:
            other.switch()
            clock.now += 10
            other.switch()
            clock.now += 20
        other.switch()
        clock.now += 40
        second.disable()

    program()
    assert rows_here(first)["body"] == (1, 7, 7, set())
    assert rows_here(first)["program"][:3] == (0, 10, 10)
    assert rows_here(second)["body"] == (0, 14, 14, set())
    assert rows_here(second)["program"][:3] == (0, 70, 70)


def test_it_is_cleared_between_switches():
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        up()
        clock.now += 2

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        profile.clear()
        clock.now += 10
        other.switch()

    profile.runcall(program)
    rows = rows_here(profile)
    assert rows["body"] == (0, 2, 2, set())
    assert rows["program"][:3] == (0, 10, 10)
