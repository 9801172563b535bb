"""What a line's time is made of: its own, that of C callables, that of Python functions; and what
threads and greenlets add to it. What is expected stands beside each line: see linerows.py.

What moves the clock in C here is setattr(); sorted() calls Python, and so does functools.partial.
"""

import functools
import operator
import threading

import pytest

from linerows import (
    HAS_MONITORING,
    by_thread,
    check,
    clock,
    hits,
    inner,
    lines_of,
    measure,
    numbered,
    recorder_of,
    ticks,
    waits,
)

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


# -- Threads -------------------------------------------------------------------------------------


def test_threads_have_lines_of_their_own():
    """All threads are on one line at once, each for as long as it stays there itself."""

    def work(number):
        begun[number].set()  #: 3 0
        assert go_on[number].wait(10)  #: 3 1234
        clock.now += number  #: 3 6

    def events():
        return {number: threading.Event() for number in (1, 2, 3)}

    begun, go_on = events(), events()
    threads = {number: threading.Thread(target=work, args=[number]) for number in begun}
    recorder = recorder_of(work)
    with recorder:
        for number, thread in threads.items():
            thread.start()
            assert begun[number].wait(10)
            settle(recorder, work, number)
        for number, thread in threads.items():
            clock.now += 10**number
            go_on[number].set()
            thread.join()
    check(recorder, work)
    found = by_thread(recorder, work)
    first = work.__code__.co_firstlineno
    for number, thread in threads.items():
        lines = found[thread.native_id]
        assert [lines[first + i].hits for i in (1, 2, 3)] == [1, 1, 1]
        assert lines[first + 3].ticks == number


def settle(recorder, function, count):
    """Wait until so many threads are on the second line of a function."""
    while hits(recorder, function).get(2) != count:
        pass


def test_two_hundred_threads_at_once():
    def work(number):
        all_run.wait()
        for _ in range(number):
            leaf()
        all_run.wait()

    def leaf():
        return None

    all_run = threading.Barrier(200)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 201)]
    recorder = recorder_of(work, leaf)
    with recorder:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert hits(recorder, work) == {1: 200, 2: 20300, 3: 20100, 4: 200}
    assert hits(recorder, leaf) == {1: 20100}
    found = by_thread(recorder, leaf)
    assert {thread.native_id: number for number, thread in enumerate(threads, 1)} == {
        native_id: line.hits for native_id, lines in found.items() for line in lines.values()
    }


@pytest.mark.filterwarnings("ignore")  # that a thread ended by an exception
def test_threads_that_end():

    def work():
        clock.now += 1
        raise SystemExit

    def program():
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        clock.now += 100

    recorder = recorder_of(work)
    with recorder:
        for _ in range(3):
            program()
    assert hits(recorder, work) == {1: 3, 2: 3}
    assert ticks(recorder, work) == {1: 3, 2: 0}


def test_a_thread_that_runs_already():
    def work():
        begun.set()
        assert go_on.wait(10)
        clock.now += 1
        done.set()
        assert go_on_again.wait(10)
        clock.now += 2

    begun, go_on, done, go_on_again = (threading.Event() for _ in range(4))
    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    recorder = recorder_of(work)
    recorder.enable()
    go_on.set()
    assert done.wait(10)
    recorder.disable()
    go_on_again.set()
    thread.join()
    found = hits(recorder, work)
    assert found == {3: 1, 4: 1, 5: 1}


@pytest.mark.parametrize("enabled", ["once", "in each call"])
def test_a_thread_of_c_is_one_in_all_of_its_calls(foreign, enabled):
    """Each call has a thread state of its own; a generator may go on from one call to the next."""

    def numbers():
        while True:
            clock.now += 2
            yield

    def called_back():
        called.release()
        go_on.acquire()
        next(generator)
        clock.now += 10
        done.release()
        go_on.acquire()

    called, go_on, done = (threading.Lock() for _ in range(3))
    for lock in (called, go_on, done):
        lock.acquire()
    generator = numbers()
    recorder = recorder_of(numbers)
    if enabled == "once":
        recorder.enable()
    thread = foreign(called_back, 3)
    for _ in range(3):
        called.acquire()
        recorder.enable()
        hits(recorder, numbers)  # an event here, which has the other thread traced
        go_on.release()
        done.acquire()
        if enabled == "in each call":
            recorder.disable()
        go_on.release()
    thread.join()
    recorder.disable()
    threads = [item["native_id"] for item in recorder.snapshot()["threads"]]
    assert len(threads) == len(set(threads))
    assert numbered(recorder, numbers)[2][:2] == (3, 6)
    assert waits(recorder, numbers) == ({3: 20} if enabled == "once" else {})


def test_enabled_and_disabled_by_another_thread():
    def program():
        for number in range(6):
            if number == 2:
                elsewhere(recorder.enable)
            clock.now += 1
            if number == 3:
                elsewhere(recorder.disable)

    def elsewhere(function):
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()

    recorder = recorder_of(program)
    program()
    assert hits(recorder, program) == {1: 1, 2: 1, 4: 2, 5: 2, 6: 1}
    assert ticks(recorder, program) == {1: 0, 2: 0, 4: 2, 5: 0, 6: 0}


# -- Greenlets -----------------------------------------------------------------------------------


def test_greenlets_in_turns():
    greenlet = pytest.importorskip("greenlet", reason="the package greenlet is not installed")

    def up():
        greenlet.getcurrent().parent.switch()

    def body(number):
        clock.now += number  #: 2 3
        up()  #: 2 312
        clock.now += 10 * number  #: 2 30

    def program():
        turns = [greenlet.greenlet(body) for _ in range(2)]
        for number, turn in enumerate(turns, 1):
            turn.switch(number)
        clock.now += 300
        for turn in turns:
            turn.switch()

    recorder = recorder_of(body)
    with recorder:
        program()
    # From the first one's switch until the second one goes on, some greenlet is on that line.
    check(recorder, body)


def test_a_function_within_is_code_of_its_own():
    def program():
        def function():
            clock.now += 2

        function()
        function()

    recorder = recorder_of(inner(program, "function"))
    with recorder:
        program()
    assert ticks(recorder, inner(program, "function")) == {1: 4}
