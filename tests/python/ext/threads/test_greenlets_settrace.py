"""greenlet.settrace, by which a profile is told of switches: nothing of it stays, and what the
program sets there is called.
"""

import threading
import weakref

import pytest

import greenlets
import tracer
from greenlets import Trouble, clock, greenlet, leaf, measure, up
from rows import by_name, rows_of_file, times, total_time

clean = greenlets.clean  # a fixture of all tests here


def rows_here(source):
    return rows_of_file(source, __file__, greenlets.__file__)


# -- greenlet.settrace ----------------------------------------------------------------------------


def two_switches():
    def body():
        clock.now += 1

    greenlet.greenlet(body).switch()


def test_nothing_of_it_stays():
    before = greenlet.gettrace()
    profile = tracer.Profile(clock, 1.0)
    profile.enable()
    two_switches()
    assert greenlet.gettrace() is not before
    profile.disable()
    assert greenlet.gettrace() is before


def test_nothing_of_it_stays_with_several_profiles():
    profiles = [tracer.Profile(clock, 1.0) for _ in range(3)]
    for profile in profiles:
        profile.enable()
    two_switches()
    for profile in profiles:
        assert greenlet.gettrace() is not None
        profile.disable()
    assert greenlet.gettrace() is None


def test_nothing_of_it_stays_in_other_threads_once_they_switch():
    go_on, told = threading.Event(), threading.Event()
    left = []

    def work():
        two_switches()
        told.set()
        go_on.wait(10)
        two_switches()
        left.append(greenlet.gettrace())

    with tracer.Profile(clock, 1.0):
        thread = threading.Thread(target=work)
        thread.start()
        told.wait(10)
    go_on.set()
    thread.join()
    assert left == [None]


def test_a_function_that_the_program_set_before_is_called():
    events = []

    def watch(event, greenlets):
        events.append((event, *greenlets))

    def program():
        two_switches()

    greenlet.settrace(watch)
    try:
        profile = measure(program)
        assert greenlet.gettrace() is watch
    finally:
        greenlet.settrace(None)
    main = greenlet.getcurrent()
    assert [event[0] for event in events] == ["switch", "switch"]
    assert events[0][1] is events[1][2] is main
    assert events[0][2] is events[1][1]
    rows = by_name(profile)
    assert times(profile, "body") == (1, 1)
    assert rows["body"].callers == {}
    assert "watch" not in rows


def test_a_function_that_the_program_set_before_is_kept_no_longer_than_by_it():
    class Watch:
        def __call__(self, event, greenlets):
            pass

    watch = Watch()
    gone = weakref.ref(watch)
    greenlet.settrace(watch)
    measure(two_switches)
    greenlet.settrace(None)
    del watch
    assert gone() is None


@pytest.mark.parametrize("calls_the_other", [True, False])
def test_a_function_that_the_program_sets_later_is_called(calls_the_other):
    """If the function calls the one that was there, as it should, no switch goes unnoticed. If
    not, tracer later finds out again what it does not know of the stacks."""
    events = []

    def program():
        two_switches()
        before = greenlet.gettrace()

        def watch(event, greenlets):
            events.append(event)
            if calls_the_other:
                before(event, greenlets)

        greenlet.settrace(watch)
        try:
            other = greenlet.greenlet(body_2)
            other.switch()
            other.switch()
            clock.now += 100
        finally:
            greenlet.settrace(before)
        two_switches()
        leaf()

    def body_2():
        clock.now += 10
        up()
        clock.now += 20

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    assert events == ["switch"] * 4
    rows = rows_here(profile)
    assert rows["body"] == (2, 2, 2, set())
    assert rows["leaf"] == (1, 1, 1, {"program"})
    assert rows["body_2"][:2] == (1, 30)
    assert rows["program"][:2] == (1, 100)
    if calls_the_other:
        assert rows["body_2"] == (1, 30, 30, set())
        assert rows["program"][2] == 101
    assert total_time(profile) == clock.now


def test_what_is_no_greenlet_is_told_of_a_switch():
    """The program can call the function that greenlet calls, with an object of its own."""

    def program():
        assert greenlet.gettrace()("switch", (object(), object())) is None
        leaf()

    assert by_name(measure(program))["leaf"].calls == 1


def test_a_function_of_the_program_that_raises():
    """greenlet takes such a function away, and raises the exception after the switch."""

    def watch(event, greenlets):
        raise Trouble

    def body():
        clock.now += 1

    def program():
        try:
            greenlet.greenlet(body).switch()
        except Trouble:
            leaf()
        clock.now += 10

    greenlet.settrace(watch)
    try:
        profile = measure(program)
    finally:
        greenlet.settrace(None)
    assert times(profile, "program") == (10, 11)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
