"""Greenlets, which have a stack each: exact figures across switches. How they end is in
test_greenlets_ends.py, where a profile begins and ends in test_greenlets_seen.py.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import pytest

import greenlets
import tracer
from greenlets import clock, greenlet, leaf, measure, up
from rows import by_name, limited, resumed, times, total_time
from tracer._core import unrecorded

clean = greenlets.clean  # a fixture of all tests here


# -- Switches ------------------------------------------------------------------------------------


def test_a_greenlet_has_a_stack_of_its_own():
    """The time of other greenlets between its switches is not in its time, nor in its callers'."""

    def inner():
        clock.now += 1
        up()
        leaf()
        clock.now += 2

    def body():
        clock.now += 10
        inner()
        clock.now += 20

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 100
        leaf()
        other.switch()
        clock.now += 200

    profile = measure(program)
    rows = by_name(profile)
    assert times(profile, "inner") == (3, 4)
    assert times(profile, "body") == (30, 34)
    assert times(profile, "program") == (300, 301)
    assert rows["body"].callers == {}
    assert rows["inner"].callers == {"body": (1, 1)}
    assert rows["leaf"].callers == {"inner": (1, 1), "program": (1, 1)}
    assert total_time(profile) == clock.now == 335


def test_switching_is_a_call_that_takes_no_time():
    def body():
        clock.now += 1
        up()
        clock.now += 2

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        other.switch()

    rows = by_name(measure(program, builtins=True))
    switch = "<method 'switch' of 'greenlet.greenlet' objects>"
    assert rows[switch] == (3, 3, 0, 0, {"program": (2, 2), "up": (1, 1)})
    assert rows["program"][:4] == (1, 1, 10, 10)
    assert rows["body"][:4] == (1, 1, 3, 3)


def test_greenlets_in_turns():
    """Three of one function: each has its own calls on its own stack, and none is a recursion."""

    def outer(ticks):
        inner(ticks)
        clock.now += ticks

    def inner(ticks):
        for _ in range(2):
            clock.now += ticks
            up()

    def program():
        turns = [greenlet.greenlet(outer) for _ in range(3)]
        for ticks, turn in enumerate(turns, 1):
            turn.switch(ticks)
        for _ in range(2):
            for turn in turns:
                turn.switch()
                clock.now += 100

    profile = measure(program)
    rows = by_name(profile)
    assert rows["inner"] == (3, 3, 12, 12, {"outer": (3, 3)})
    assert rows["outer"] == (3, 3, 6, 18, {})
    assert times(profile, "program") == (600, 600)


def test_a_greenlet_within_a_greenlet():
    """A greenlet that is made in another one goes back to that one."""

    def first():
        clock.now += 1
        second_greenlet = greenlet.greenlet(second)
        second_greenlet.switch()
        clock.now += 2
        second_greenlet.switch()
        clock.now += 4

    def second():
        clock.now += 10
        up()
        clock.now += 20

    def program():
        greenlet.greenlet(first).switch()
        clock.now += 100

    profile = measure(program)
    assert times(profile, "first") == (7, 7)
    assert times(profile, "second") == (30, 30)
    assert times(profile, "program") == (100, 100)
    assert by_name(profile)["second"].callers == {}


def test_recursion_across_greenlets_is_none():
    """Each function is on each stack once: all calls are primitive."""

    def descend(depth):
        clock.now += 1
        if depth:
            greenlet.greenlet(descend).switch(depth - 1)
        clock.now += 10

    profile = measure(lambda: descend(3))
    assert by_name(profile)["descend"][:4] == (4, 4, 44, 44)


def test_recursion_within_a_greenlet():
    def descend(depth):
        clock.now += 1
        if depth:
            descend(depth - 1)
        else:
            up()
        clock.now += 10

    def program():
        other = greenlet.greenlet(descend)
        other.switch(3)
        descend_here(1)
        clock.now += 100
        other.switch()

    def descend_here(depth):
        clock.now += 1000
        if depth:
            descend_here(depth - 1)

    profile = measure(program)
    assert by_name(profile)["descend"] == (4, 1, 44, 44, {"descend": (3, 1)})
    assert by_name(profile)["descend_here"][:4] == (2, 1, 2000, 2000)
    assert times(profile, "program") == (100, 2100)


def test_generators_in_greenlets():
    """A generator that switches runs meanwhile: only a yield suspends it."""

    def numbers():
        clock.now += 1
        up()
        clock.now += 2
        yield
        clock.now += 4

    def body():
        for _ in numbers():
            clock.now += 10
            up()
            clock.now += 20

    def program():
        other = greenlet.greenlet(body)
        for _ in range(3):
            other.switch()
            clock.now += 100

    profile = measure(program)
    assert times(profile, "numbers") == (7, 7)
    assert times(profile, "body") == (30, 37)
    assert resumed(profile) == {"numbers": (1, 1, {"body": (1, 1)}, 10 + 100 + 20)}
    assert total_time(profile) == clock.now == 337


def test_a_generator_that_another_greenlet_resumes():
    def numbers():
        clock.now += 1
        yield
        clock.now += 2

    def body(generator):
        next(generator, None)
        clock.now += 10

    def program():
        generator = numbers()
        next(generator)
        clock.now += 100
        greenlet.greenlet(body).switch(generator)

    profile = measure(program)
    assert times(profile, "numbers") == (3, 3)
    assert resumed(profile) == {"numbers": (1, 1, {"body": (1, 1)}, 100)}
    assert times(profile, "body") == (10, 12)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_node_limits_change_no_figure(limit):
    def descend(depth):
        clock.now += 1
        if depth:
            descend(depth - 1)
        up()
        leaf()
        clock.now += 10

    def program():
        others = (*map(greenlet.greenlet, [descend] * 3),)
        for depth, other in enumerate(others):
            other.switch(depth)
        while not others[-1].dead:
            with unrecorded:
                looks.append(by_name(profile))
            for other in others:
                if not other.dead:
                    other.switch()
                clock.now += 100
                leaf()

    looks = []
    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    expected = [*looks, by_name(profile)]
    looks = []
    clock.now = 0
    profile = limited(clock, 1.0, builtins=False, _node_limit=limit)
    profile.runcall(program)
    assert [*looks, by_name(profile)] == expected
    assert len(profile.snapshot()["threads"][0]["folds"]) > 0
    assert expected[-1]["descend"][:4] == (6, 3, 66, 66 + 6)
