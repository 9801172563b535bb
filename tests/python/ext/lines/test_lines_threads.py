"""Lines in several threads, each of which is on a line of its own, and in greenlets. What is
expected stands beside each line: see linerows.py.
"""

import threading

import pytest

from linerows import by_thread, check, clock, hits, numbered, recorder_of, ticks, waits

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
