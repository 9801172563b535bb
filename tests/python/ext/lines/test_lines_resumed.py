"""Lines of generators: each generator is on a line of its own, and the time that it waits is told
apart from the line's. Coroutines and async generators are in test_lines_coroutines.py.

What is expected stands beside each line: see linerows.py.
"""

import threading

import pytest

from linerows import (
    HAS_MONITORING,
    check,
    clock,
    expected_of,
    hits,
    lines_of,
    measure,
    numbered,
    recorder_of,
    ticks,
    waits,
)


def pass_time(number):
    clock.now += number


def drive(generator, *pauses):
    """Resumes a generator again and again, with a pause before each time but the first."""
    next(generator, None)
    for pause in pauses:
        clock.now += pause
        next(generator, None)


# -- Generators ----------------------------------------------------------------------------------


def test_a_generator():
    def ticking():
        clock.now += 1  #: 1 1
        yield  #: 1 0 waits=10
        clock.now += 2  #: 1 2
        yield  #: 1 0 waits=20
        clock.now += 4  #: 1 4

    recorder = recorder_of(ticking)
    with recorder:
        drive(ticking(), 10, 20)
    check(recorder, ticking)


def test_a_line_on_both_sides_of_a_yield():
    def ticking():
        for number in (1, 2, 3):  #: 4 0
            pass_time(number), (yield), pass_time(10 * number)  #: 3 66 waits=600

    recorder = recorder_of(ticking)
    with recorder:
        drive(ticking(), 100, 200, 300)
    check(recorder, ticking)


def test_a_loop_over_a_generator():
    def ticking():
        for _ in range(3):  #: 4 0
            clock.now += 1  #: 3 3
            yield  #: 3 0 waits=30
        clock.now += 5  #: 1 5

    def program():
        for _ in ticking():  #: 4 8
            clock.now += 10  #: 3 30

    check(measure(program, ticking), program, ticking)


def test_generators_in_turns():
    def ticking(number):
        clock.now += number
        yield
        clock.now += 2 * number

    def program():
        one, two, three = map(ticking, (1, 10, 100))  #: 1 0
        next(one)  #: 1 1
        next(two)  #: 1 10
        next(three)  #: 1 100
        clock.now += 1000  #: 1 1000
        next(one, None)  #: 1 2
        next(two, None)  #: 1 20
        next(three, None)  #: 1 200

    recorder = measure(program, ticking)
    check(recorder, program)
    assert hits(recorder, ticking) == {1: 3, 2: 3, 3: 3}
    assert ticks(recorder, ticking) == {1: 111, 2: 0, 3: 222}
    # Each generator waits from its yield until it is resumed.
    assert waits(recorder, ticking) == {2: (10 + 100 + 1000) + (100 + 1000 + 2) + (1000 + 2 + 20)}


def test_generators_in_one_another():
    def inner():
        clock.now += 1  #: 1 1
        yield  #: 1 0 waits=110
        clock.now += 2  #: 1 2

    def outer():
        clock.now += 10  #: 1 10
        yield from inner()  #: 1 3 waits=110
        clock.now += 20  #: 1 20

    recorder = recorder_of(inner, outer)
    with recorder:
        drive(outer(), 110)
    check(recorder, inner, outer)


def test_a_generator_that_recurses():
    def countdown(number):
        clock.now += 1  #: 3 3
        yield  #: 3 0 waits=30
        if number:  #: 3 0
            yield from countdown(number - 1)  #: 2 2 waits=30

    recorder = recorder_of(countdown)
    with recorder:
        drive(countdown(2), 10, 10, 10)
    # The line that recurses is not on any generator's stack while all wait. Its outermost
    # activation waits 20, the one within 10.
    check(recorder, countdown)


def test_what_is_thrown():
    def ticking():
        try:  #: 1 0
            clock.now += 1  #: 1 1
            yield  #: 1 0 waits=10
            clock.now += 100
        except KeyError:  #: 1 0
            clock.now += 2  #: 1 2
        yield  #: 1 0 waits=20
        clock.now += 100

    def program():
        generator = ticking()
        next(generator)
        clock.now += 10
        generator.throw(KeyError)
        clock.now += 20
        with pytest.raises(ValueError, match="seen"):
            generator.throw(ValueError("seen"))
        clock.now += 40
        with pytest.raises(ValueError, match="at once"):
            ticking().throw(ValueError("at once"))

    recorder = recorder_of(ticking)
    with recorder:
        program()
    check(recorder, ticking)


def test_what_is_thrown_into_a_generator_within():
    def inner():
        try:  #: 1 0
            yield  #: 1 0 waits=10
        except KeyError:  #: 1 0
            clock.now += 1  #: 1 1
        yield  #: 1 0 waits=20
        clock.now += 2  #: 1 2

    def outer():
        clock.now += 3  #: 1 3
        yield from inner()  #: 1 3 waits=30
        clock.now += 4  #: 1 4

    recorder = recorder_of(inner, outer)
    with recorder:
        generator = outer()
        next(generator)
        clock.now += 10
        generator.throw(KeyError)
        clock.now += 20
        next(generator, None)
    check(recorder, inner)
    found = numbered(recorder, outer)
    assert [found[i].hits for i in (1, 2, 3)] == [1, 1, 1]
    assert [found[i].ticks for i in (1, 3)] == [3, 4]
    # throw() goes to the inner generator, past the outer one, which waits on.
    assert found[2].ticks + found[2].waits == 33


def test_what_goes_on_because_a_throw_ended_the_generator_within():
    def inner():
        try:
            yield
        except KeyError:
            return 5
        return 0

    def outer():
        found = yield from inner()  #: 1 0 waits=10
        clock.now += found  #: 1 5
        both = (yield from inner()), (yield from inner())  #: 1 0 waits=300
        clock.now += both[0]  #: 1 5
        return (yield from inner())  #: 1 0 waits=1000

    recorder = recorder_of(outer)
    with recorder:
        generator = outer()
        next(generator)
        for pause in (10, 100, 200, 1000):
            clock.now += pause
            try:
                generator.throw(KeyError)
            except StopIteration as end:
                assert end.value == 5
    told = expected_of(outer.__code__)
    found = lines_of(recorder, outer)
    assert {line: entry.waits for line, entry in found.items()} == {
        line: fields["waits"] for line, fields in told.items()
    }
    assert {line: entry.ticks for line, entry in found.items()} == {
        line: fields["ticks"] for line, fields in told.items()
    }


def test_one_that_begins_where_another_was_closed_by_another_thread_has_not_waited():
    """It has the name of the other, of whose end the thread in which that waited is not told."""

    def ticking():
        clock.now += 1
        yield

    recorder = recorder_of(ticking)
    with recorder:
        for _ in range(20):
            waiting = ticking()
            next(waiting)
            clock.now += 100
            thread = threading.Thread(target=waiting.close)
            thread.start()
            thread.join()
    assert ticks(recorder, ticking) == {1: 20, 2: 0}
    assert waits(recorder, ticking) == {}


def closed(generator):
    generator.close()


def dropped(generator):
    del generator


@pytest.mark.parametrize("end", [closed, dropped])
def test_what_ends_half_way(end):
    def guarded():
        try:  #: 2 0
            clock.now += 1  #: 2 2
            yield  #: 2 0 waits=10
            clock.now += 100
        finally:
            clock.now += 5  #: 1 5

    def begun():
        generator = guarded()
        next(generator)
        return generator

    recorder = recorder_of(guarded)
    with recorder:
        generators = [begun(), begun()]
        clock.now += 10
        end(generators.pop())
        clock.now += 300
    check(recorder, guarded)
    generators.clear()
    assert hits(recorder, guarded) == {1: 2, 2: 2, 3: 2, 6: 1}


@pytest.mark.parametrize("end", [closed, dropped])
def test_what_ends_half_way_without_noticing(end):
    """3.13.0 tells of no end of a generator without a try; others may come where it was."""

    def ticking():
        clock.now += 1
        yield
        clock.now += 2

    recorder = recorder_of(ticking)
    with recorder:
        for _ in range(100):
            generator = ticking()
            next(generator)
            clock.now += 10
            end(generator)
            del generator
            clock.now += 300
    assert hits(recorder, ticking) == {1: 100, 2: 100}
    assert ticks(recorder, ticking) == {1: 100, 2: 0}
    assert waits(recorder, ticking) in ({}, {2: 1000})


def test_what_waits_when_recording_begins_and_ends():
    def ticking():
        clock.now += 1
        yield
        clock.now += 2
        yield
        clock.now += 4
        yield
        clock.now += 8

    recorder = recorder_of(ticking)
    generator = ticking()
    next(generator)
    with recorder:
        clock.now += 10
        next(generator)
        clock.now += 20
        next(generator)
        clock.now += 40
    clock.now += 80
    with recorder:
        clock.now += 160
        next(generator, None)
    assert hits(recorder, ticking) == {3: 1, 4: 1, 5: 1, 6: 1, 7: 1}
    assert ticks(recorder, ticking) == {3: 2, 4: 0, 5: 4, 6: 0, 7: 8}
    assert waits(recorder, ticking) == {4: 20}


def test_a_generator_that_goes_on_in_another_thread():
    def ticking():
        for _ in range(4):
            clock.now += 1
            yield

    def program():
        generator = ticking()
        for resume in (in_thread, next, in_thread, next, in_thread):
            resume(generator, None)

    def in_thread(*args):
        thread = threading.Thread(target=next, args=args)
        thread.start()
        thread.join()

    recorder = recorder_of(ticking)
    with recorder:
        program()
    assert hits(recorder, ticking) == {1: 5, 2: 4, 3: 4}
    assert ticks(recorder, ticking) == {1: 0, 2: 4, 3: 0}


@pytest.mark.skipif(not HAS_MONITORING, reason="own times need Python 3.12")
def test_own_times_of_what_is_resumed():
    def inner():
        clock.now += 1  #: 1 1 own=1
        yield  #: 1 0 own=0 waits=110
        clock.now += 2  #: 1 2 own=2

    def outer():
        clock.now += 10  #: 1 10 own=10
        yield from inner()  #: 1 3 own=0 waits=110
        clock.now += 20  #: 1 20 own=20

    def program():
        generator = outer()  #: 1 0 own=0
        next(generator), pass_time(10)  #: 1 21 own=0
        clock.now += 100  #: 1 100 own=100
        next(generator, None)  #: 1 22 own=0

    check(measure(program, inner, outer, calls=True), program, inner, outer)
