"""How greenlets end: by exceptions, killed, collected; and new ones at the addresses of old ones.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import gc

import pytest

import greenlets
import tracer
from greenlets import Trouble, clock, greenlet, leaf, measure, up
from rows import by_name, times, total_time

clean = greenlets.clean  # a fixture of all tests here


# -- Exceptions and ends -------------------------------------------------------------------------


def test_a_greenlet_that_raises():
    """An exception that it does not catch is raised where its parent waits."""

    def fail():
        clock.now += 1
        raise Trouble

    def body():
        clock.now += 2
        fail()

    def program():
        try:
            greenlet.greenlet(body).switch()
        except Trouble:
            clock.now += 10
        leaf()

    profile = measure(program)
    assert times(profile, "body") == (2, 3)
    assert times(profile, "program") == (10, 11)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}


def test_an_exception_that_is_thrown_into_a_greenlet():
    def inner():
        try:
            up()
        finally:
            clock.now += 1

    def body():
        try:
            inner()
        except Trouble:
            clock.now += 2
            up()
        leaf()

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        other.throw(Trouble)
        clock.now += 20
        other.switch()

    profile = measure(program)
    assert times(profile, "inner") == (1, 1)
    assert times(profile, "body") == (2, 4)
    assert times(profile, "program") == (30, 30)
    assert by_name(profile)["leaf"].callers == {"body": (1, 1)}


def test_an_exception_that_is_thrown_into_a_greenlet_that_has_not_started():
    def body():
        clock.now += 1000

    def program():
        with pytest.raises(Trouble):
            greenlet.greenlet(body).throw(Trouble)
        leaf()

    stats = tracer.Stats(measure(program))
    rows = {
        label[2]: row
        for label, row in stats.stats.items()
        if label[0] in (__file__, greenlets.__file__)
    }
    assert "body" not in rows
    assert [caller[2] for caller in rows["leaf"][4]] == ["program"]


def stop_cleanly():
    try:
        clock.now += 1
        up()
    finally:
        clock.now += 2


def make_garbage():
    other = greenlet.greenlet(stop_cleanly)
    other.switch()
    cycle = [other]
    cycle.append(cycle)


@pytest.mark.parametrize("how", ["throw", "drop", "collect"])
def test_a_greenlet_that_is_ended(how):
    """GreenletExit goes through its frames; the greenlet that ended it goes on where it was."""
    if how == "collect":
        make_garbage()
        gc.collect()
        if clock.now != 3:
            pytest.skip("this interpreter does not collect greenlets that wait")
        clock.now = 0

    def program():
        if how == "collect":
            make_garbage()
            clock.now += 10
            gc.collect()
        else:
            other = greenlet.greenlet(stop_cleanly)
            other.switch()
            clock.now += 10
            if how == "throw":
                other.throw()
            del other
        clock.now += 20
        leaf()

    gc.collect()
    profile = measure(program)
    assert times(profile, "stop_cleanly") == (3, 3)
    assert times(profile, "program") == (30, 31)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
    assert total_time(profile) == clock.now == 34


def test_addresses_of_greenlets_are_used_again():
    """A new greenlet at the address of an old one has nothing of the old one's stack."""

    def brief():
        up()
        leaf()

    def program():
        for _ in range(300):
            others = [greenlet.greenlet(brief) for _ in range(10)]
            for other in others:
                other.switch()
            for other in others[::2]:
                other.switch()

    rows = by_name(measure(program))
    assert rows["brief"][:2] == (3000, 3000)
    assert rows["brief"].callers == {}
    assert rows["leaf"] == (1500, 1500, 1500, 1500, {"brief": (1500, 1500)})


def test_ten_thousand_greenlets():
    def body(ticks):
        clock.now += ticks
        up()
        leaf()

    def program():
        others = [greenlet.greenlet(body) for _ in range(10_000)]
        for other in others:
            other.switch(3)
        clock.now += 7
        for other in others:
            other.switch()

    profile = measure(program)
    assert by_name(profile)["body"] == (10_000, 10_000, 30_000, 40_000, {})
    assert by_name(profile)["leaf"].callers == {"body": (10_000, 10_000)}
    assert times(profile, "program") == (7, 7)
    assert total_time(profile) == clock.now
