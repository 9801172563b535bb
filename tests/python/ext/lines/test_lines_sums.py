"""What a line's time is made of: its own, that of C callables, that of Python functions. What is
expected stands beside each line: see linerows.py. Threads and greenlets are in
test_lines_threads.py.

What moves the clock in C here is setattr(); sorted() calls Python, and so does functools.partial.
"""

import functools
import operator

import pytest

from linerows import HAS_MONITORING, check, clock, lines_of, measure, numbered, recorder_of

needs_monitoring = pytest.mark.skipif(
    not HAS_MONITORING, reason="sys.settrace, the way to lines on 3.11, tells of no C callables"
)


def tick(number=1):
    clock.now += number
    return number


class Ticking:
    """Its callables are written in Python, whatever they look like."""

    def __init__(self, number=1):
        clock.now += number

    def __call__(self):
        clock.now += 1

    def method(self):
        clock.now += 1


class Made(type):
    def __call__(cls):
        clock.now += 1
        return super().__call__()


class ByMeta(metaclass=Made):
    pass


class New:
    def __new__(cls):
        clock.now += 1
        return super().__new__(cls)


# -- C callables ---------------------------------------------------------------------------------


def test_c_time_is_not_known_on_3_11():
    def program():
        setattr(clock, "now", clock.now + 5)  # noqa: B010

    ((_, line),) = lines_of(measure(program), program).items()
    assert line[:2] == (1, 5)
    assert line.c == (5 if HAS_MONITORING else -1)
    assert line.own == -1


@needs_monitoring
def test_what_is_written_in_c():
    def program():
        setattr(clock, "now", clock.now + 5)  # noqa: B010  #: 1 5 c=5
        clock.__setattr__("now", clock.now + 5)  #: 1 5 c=5
        object.__setattr__(clock, "now", clock.now + 5)  #: 1 5 c=5
        advance(), tick(4)  #: 1 7 c=3
        sorted([1, 2, 3], key=tick)  #: 1 6 c=6
        list(map(tick, [1, 2]))  #: 1 3 c=3
        clock.now += 1  #: 1 1 c=0
        try:  #: 1 0 c=0
            operator.attrgetter("nothing")(Getter())  #: 1 7 c=7
        except AttributeError:  #: 1 0 c=0
            clock.now += 1  #: 1 1 c=0
        functools.partial(tick, 8)()  #: 1 8 c=8

    class Getter:
        def __getattr__(self, name):
            clock.now += 7
            raise AttributeError

    advance = functools.partial(tick, 3)
    check(measure(program), program)


@needs_monitoring
def test_what_is_written_in_python():
    def program():
        tick(3)  #: 1 3 c=0
        Ticking()  #: 1 1 c=0
        Ticking(5)()  #: 1 6 c=0
        Ticking().method()  #: 1 2 c=0
        ByMeta()  #: 1 1 c=0
        New()  #: 1 1 c=0
        (lambda: tick(2))()  #: 1 2 c=0
        Ticking.method(Ticking())  #: 1 2 c=0
        bound(), counted()  #: 1 2 c=0

    bound, counted = Ticking(0).method, Ticking(0)
    check(measure(program), program)


@needs_monitoring
def test_operators_are_no_calls():
    class Number:
        def __add__(self, other):
            clock.now += 2

        def __getitem__(self, key):
            clock.now += 3

        def __contains__(self, key):
            clock.now += 4

    def program():
        number + 1  #: 1 2 c=0
        number[1]  #: 1 3 c=0
        assert 1 not in number  #: 1 4 c=0

    number = Number()
    check(measure(program), program)


@needs_monitoring
def test_c_that_recurses():
    def program(depth=3):
        clock.now += 1  #: 4 4 c=0
        if depth:  #: 4 0 c=0
            sorted([depth - 1], key=program)  #: 3 6 c=6
        clock.now += 1  #: 4 4 c=0

    check(measure(program), program)


@needs_monitoring
def test_a_class_statement_and_what_it_calls():
    def program():
        class Some:  #: 1 3 c=3
            clock.now += 3

        Some()  #: 1 0 c=0

    check(measure(program), program)


# -- Own time ------------------------------------------------------------------------------------


@needs_monitoring
def test_own_time():
    def leaf():
        clock.now += 4  #: 2 8 own=8

    def program():
        clock.now += 1  #: 1 1 own=1 c=0
        leaf()  #: 1 4 own=0 c=0
        number + leaf()  #: 1 6 own=0 c=0
        setattr(clock, "now", clock.now + 5)  # noqa: B010  #: 1 5 own=0 c=5
        tick(7), other()  #: 1 9 own=0 c=0
        clock.now += tick(0) + 3  #: 1 3 own=3 c=0

    def other():
        clock.now += 2

    class Number:
        def __add__(self, other):
            clock.now += 2

    number = Number()
    check(measure(program, leaf, calls=True), program, leaf)


@needs_monitoring
def test_own_and_c_and_callees_are_the_time():
    """By a clock of which each reading is later, whatever happens."""

    def leaf(depth=2):
        if depth:
            leaf(depth - 1)
        sorted([1, 2], key=lambda item: len(str(item)))

    def ticking():
        leaf()
        yield
        leaf()

    def program():
        for _ in range(2):
            leaf()
            list(ticking())
            Ticking()
            try:
                raise KeyError
            except KeyError:
                leaf(0)

    def timer():
        nonlocal now
        now += 1
        return now

    now = 0
    recorder = recorder_of(program, leaf, ticking, timer=timer, calls=True)
    with recorder:
        program()
    for function in (program, ticking):
        for line in lines_of(recorder, function).values():
            assert line.own > 0
            assert line.own + line.c <= line.ticks
    # A call from C into Python is time in C on one line, and the callee's time on others.
    found = numbered(recorder, program)
    assert found[1].c > 0
    assert found[3].c > found[1].c
    assert found[2].c == found[4].c == found[6].c == 0
    assert found[6].own == found[6].hits


@needs_monitoring
def test_own_time_of_what_runs_already():
    def program():
        clock.now += 100
        begin()
        clock.now += 1  #: 1 1 own=1
        tick(2)  #: 1 2 own=0
        clock.now += 4  #: 1 4 own=4

    def begin():
        recorder.enable()
        clock.now += 200

    recorder = recorder_of(program, calls=True)
    program()
    clock.now += 1000
    recorder.disable()
    check(recorder, program)


@needs_monitoring
def test_own_time_when_an_exception_passes():
    def leaf():
        clock.now += 1  #: 1 1 own=1
        raise KeyError  #: 1 0 own=0

    def between():
        clock.now += 2
        leaf()

    def program():
        try:  #: 1 0 own=0
            between()  #: 1 3 own=0
        except KeyError:  #: 1 0 own=0
            clock.now += 4  #: 1 4 own=4

    check(measure(program, leaf, calls=True), program, leaf)
