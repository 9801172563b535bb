"""Generators: calls where a body starts, resumes where it goes on, and the time between, which is
nobody's. When a suspension counts is in test_suspension_bounds.py; coroutines are in
test_asyncio.py, random programs in test_model.py.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import gc
import sys
from contextlib import suppress

import pytest

from rows import by_name, calls, resumed, row_of, times
from suspending import (
    by_for,
    clock,
    closing_is_told,
    countdown,
    guarded,
    leaf,
    measure,
    outer,
    ticking,
)


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


# -- Driving one generator ---------------------------------------------------------------------


def by_next():
    generator = ticking()
    clock.now += 100  # not started yet, and so not suspended
    while next(generator, None):
        clock.now += 10


def by_send():
    generator = ticking()
    generator.send(None)
    clock.now += 10
    generator.send("something")
    clock.now += 10
    with suppress(StopIteration):  # a class of Python code: its methods are rows, without time
        generator.send("something")


def by_unpacking():
    [*_] = ticking()
    clock.now += 20


@pytest.mark.parametrize(
    ("program", "outside", "suspended"),
    [(by_for, 20, 20), (by_next, 120, 20), (by_send, 20, 20), (by_unpacking, 20, 0)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_generator_driven_to_its_end(program, outside, suspended):
    profile = measure(program)
    name = program.__name__
    assert times(profile, "ticking") == (7, 7)
    row = by_name(profile)[name]
    assert row.cumtime == outside + 7
    assert by_name(profile)["ticking"][:2] == (1, 1)
    assert resumed(profile) == {"ticking": (2, 2, {name: (2, 2)}, suspended)}


def test_a_generator_that_is_never_resumed_is_suspended_in_no_figure():
    kept = []

    def program():
        generator = ticking()
        next(generator)
        kept.append(generator)
        clock.now += 50

    profile = measure(program)
    assert calls(profile) == {"program": 1, "ticking": 1}
    assert times(profile, "ticking") == (1, 1)
    assert times(profile, "program") == (50, 51)
    assert resumed(profile) == {}


def test_a_generator_that_never_starts_is_not_called():
    def program():
        generator = ticking()
        clock.now += 5
        generator.close()
        del generator
        ticking()
        clock.now += 5

    profile = measure(program)
    assert times(profile, "program") == (10, 10)
    # 3.11 throws into it to close it. That is no call, for the body does not start.
    thrown_into = sys.version_info < (3, 12)
    assert calls(profile) == {"program": 1, **({"ticking": 0} if thrown_into else {})}
    thrown = {"ticking": (2, 2, {"program": (2, 2)}, 0)}
    assert resumed(profile) == (thrown if thrown_into else {})


def test_a_generator_expression():
    def program():
        numbers = (clock() for _ in range(2))  # clock.__call__ is a row of its own
        next(numbers)
        clock.now += 3
        next(numbers)
        clock.now += 4
        next(numbers, None)

    profile = measure(program)
    assert calls(profile) == {"program": 1, "<genexpr>": 1, "__call__": 2}
    assert resumed(profile) == {"<genexpr>": (2, 2, {"program": (2, 2)}, 7)}


def test_interleaved_generators():
    """Time in one is time suspended in the others."""

    def left():
        for _ in range(3):
            clock.now += 1
            yield

    def right():
        for _ in range(3):
            clock.now += 10
            yield

    def program():
        for _ in zip(left(), right(), strict=True):
            clock.now += 100

    profile = measure(program)
    assert times(profile, "left") == (3, 3)
    assert times(profile, "right") == (30, 30)
    assert times(profile, "program") == (300, 333)
    assert resumed(profile) == {
        "left": (3, 3, {"program": (3, 3)}, 3 * 10 + 3 * 100),  # the last one ends it
        "right": (3, 3, {"program": (3, 3)}, 2 * 1 + 3 * 100),
    }


# -- Chains and recursion ----------------------------------------------------------------------


def test_each_generator_of_a_chain_is_suspended():
    def program():
        for _ in outer():
            clock.now += 100

    profile = measure(program)
    assert times(profile, "inner") == (3, 3)
    assert times(profile, "outer") == (30, 33)
    assert times(profile, "program") == (100, 133)
    assert resumed(profile) == {
        "outer": (1, 1, {"program": (1, 1)}, 100),
        "inner": (1, 1, {"outer": (1, 1)}, 100),
    }


def test_a_recursive_generator():
    """Values come out of 1, 2 and 3 of them on top of each other; so many wait each time."""

    def program():
        for _ in countdown(2):
            clock.now += 10

    profile = measure(program)
    row = by_name(profile)["countdown"]
    assert (row.calls, row.primitive, row.tottime, row.cumtime) == (3, 1, 3, 3)
    assert row.callers == {"program": (1, 1), "countdown": (2, 1)}
    assert resumed(profile) == {
        "countdown": (1 + 2 + 3, 3, {"program": (3, 3), "countdown": (3, 2)}, 10 + 20 + 30)
    }


def test_recursion_that_resumes_another_of_the_same_generator():
    def relay(source):
        for _ in source:
            clock.now += 1
            yield

    def program():
        for _ in relay(relay(iter((1, 2)))):
            clock.now += 10

    profile = measure(program)
    row = by_name(profile)["relay"]
    assert (row.calls, row.primitive, row.tottime, row.cumtime) == (2, 1, 4, 4)
    # The outer one waits for the program, 10 each time; the inner one for both, 11.
    assert resumed(profile) == {
        "relay": (4, 2, {"program": (2, 2), "relay": (2, 2)}, 2 * 10 + 2 * 11)
    }


# -- throw, close, and the end of a generator ----------------------------------------------------


def test_an_exception_that_is_thrown_and_caught():
    def stubborn():
        try:
            yield
        except KeyError:
            clock.now += 1
            yield
        clock.now += 2

    def program():
        generator = stubborn()
        next(generator)
        clock.now += 10
        generator.throw(KeyError)
        clock.now += 20
        next(generator, None)

    profile = measure(program)
    assert times(profile, "stubborn") == (3, 3)
    assert resumed(profile) == {"stubborn": (2, 2, {"program": (2, 2)}, 30)}


def test_an_exception_that_is_thrown_and_not_caught():
    def program():
        generator = guarded()
        next(generator)
        clock.now += 10
        try:
            generator.throw(KeyError)
        except KeyError:
            clock.now += 20
        leaf()

    profile = measure(program)
    assert times(profile, "guarded") == (9, 9)
    assert times(profile, "program") == (30, 39 + 5)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
    assert resumed(profile) == {"guarded": (1, 1, {"program": (1, 1)}, 10)}


def test_an_exception_that_is_thrown_into_a_generator_that_has_not_started():
    """The generator's body never runs, and nothing stays on the stack."""

    def program():
        with suppress(KeyError):
            ticking().throw(KeyError)
        leaf()

    profile = measure(program)
    assert row_of(profile, "ticking")[:4] == (0, 0, 0, 0)
    assert [caller[2] for caller in row_of(profile, "leaf")[4]] == ["program"]
    assert resumed(profile)["ticking"] == (1, 1, {"program": (1, 1)}, 0)


@pytest.mark.parametrize("goes_on", [False, True])
def test_an_exception_that_is_thrown_into_a_chain(goes_on):
    """It is thrown into the innermost generator at once, whose caller is the one that throws. The
    outer generator goes on when the inner one is over, or at the next value."""

    def within():
        try:
            yield
        except KeyError:
            clock.now += 1
            if goes_on:
                yield
            raise

    def around():
        try:
            yield from within()
        except KeyError:
            leaf()
        clock.now += 2

    def program():
        generator = around()
        next(generator)
        clock.now += 10
        try:
            generator.throw(KeyError)
            clock.now += 20
            next(generator)
        except StopIteration:
            clock.now += 40

    profile = measure(program)
    rows = by_name(profile)
    assert rows["within"].tottime == 1
    assert (rows["around"].tottime, rows["around"].cumtime) == (2, 7)
    assert rows["leaf"].callers == {"around": (1, 1)}
    callers = {"program": (1, 1), "around": (1, 1)} if goes_on else {"program": (1, 1)}
    assert resumed(profile) == {
        "around": (1, 1, {"program": (1, 1)}, 31 if goes_on else 11),
        "within": (len(callers), len(callers), callers, 30 if goes_on else 10),
    }


def test_a_generator_that_is_closed():
    def program():
        generator = guarded()
        next(generator)
        clock.now += 10
        generator.close()
        clock.now += 20
        leaf()

    profile = measure(program)
    assert times(profile, "guarded") == (9, 9)
    assert times(profile, "program") == (30, 44)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
    assert resumed(profile) == {"guarded": (1, 1, {"program": (1, 1)}, 10)}


def test_a_generator_that_is_closed_and_has_nothing_to_do_about_it():
    def program():
        generator = ticking()
        next(generator)
        clock.now += 10
        generator.close()
        leaf()

    profile = measure(program)
    assert times(profile, "ticking") == (1, 1)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
    closing = {"ticking": (1, 1, {"program": (1, 1)}, 10)}
    assert resumed(profile) == (closing if closing_is_told() else {})


def test_a_generator_that_is_dropped():
    def program():
        for _ in guarded():
            clock.now += 10
            break
        clock.now += 20
        leaf()

    profile = measure(program)
    assert times(profile, "guarded") == (9, 9)
    assert resumed(profile) == {"guarded": (1, 1, {"program": (1, 1)}, 10)}
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}


def test_a_generator_that_is_collected():
    """The function that runs when the collector finds the generator resumes it."""

    def make_garbage():
        generator = guarded()
        cycle = [generator]
        cycle.append(cycle)
        next(generator)

    def program():
        make_garbage()
        clock.now += 10
        collect()
        clock.now += 20

    def collect():
        gc.collect()
        clock.now += 100

    gc.collect()
    profile = measure(program)
    assert resumed(profile) == {"guarded": (1, 1, {"collect": (1, 1)}, 10)}
    assert times(profile, "guarded") == (9, 9)
    assert times(profile, "collect") == (100, 108)
