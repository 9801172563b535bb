"""Odd threads: very many of them, those that C code makes, and those that are found at the wrong
moment. What any thread has in a profile is in test_threads.py.
"""

import _thread
import threading
import time

import pytest

import tracer
from rows import calls_of
from tracer._core import unrecorded


def leaf():
    pass


def functions_of(number):
    """Two functions that no other thread calls."""
    space = {}
    source = f"def outer_{number}(inner):\n    for _ in range({number}):\n        inner()\n"
    exec(source + f"def inner_{number}():\n    pass\n", space)
    return space[f"outer_{number}"], space[f"inner_{number}"]


def test_two_hundred_threads_at_once():
    def work(outer, inner):
        all_run.wait()
        outer(inner)
        all_run.wait()

    functions = [functions_of(number) for number in range(1, 201)]
    all_run = threading.Barrier(len(functions))
    threads = [
        threading.Thread(target=work, args=pair, name=f"thread {number}")
        for number, pair in enumerate(functions, 1)
    ]
    profile = tracer.Profile()
    with profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    stats = tracer.Stats(profile)
    of_threads = stats.threads
    assert len(of_threads) == 201
    for number, pair in enumerate(functions, 1):
        assert calls_of(of_threads[f"thread {number}"], *pair) == [1, number]
    assert sum(row[1] for label, row in stats.stats.items() if "inner_" in label[2]) == 20100


def test_more_threads_than_are_kept_apart():
    """Threads unknown to `threading`: past 1,000, new ones go on in the records of ended ones."""
    done = threading.Lock()

    def work():
        leaf()
        done.release()

    profile = tracer.Profile(builtins=False)
    done.acquire()
    with profile:
        for _ in range(1100):
            _thread.start_new_thread(work, ())
            assert done.acquire(timeout=300)
    stats = tracer.Stats(profile)
    assert len(stats.threads) <= 1000
    assert calls_of(stats, leaf) == [1100]
    assert sum(calls_of(item, leaf)[0] for item in stats.threads[1:]) == 1100


def held_locks(count):
    locks = [threading.Lock() for _ in range(count)]
    for lock in locks:
        lock.acquire()
    return locks


def test_a_thread_of_c_that_comes_and_goes(foreign):
    """Each call into Python has a thread state of its own, but the figures are of one thread."""

    def called_back():
        called.release()
        hooked.acquire()
        leaf()

    called, hooked = held_locks(2)
    profile = tracer.Profile()
    with profile:
        thread = foreign(called_back, 20)
        for _ in range(20):
            called.acquire()
            leaf()  # has the other thread hooked
            hooked.release()
        thread.join()
    stats = tracer.Stats(profile)
    assert len(stats.threads) == 2
    assert sum(calls_of(item, leaf)[0] for item in stats.threads) == calls_of(stats, leaf)[0]
    assert [calls_of(item, leaf)[0] for item in stats.threads] == [20, 20]


def times_of_the_other(source):
    """{name: (tottime, cumtime)} of the functions in the thread of C that took time."""
    with unrecorded:
        stats = tracer.Stats(source)
        (other,) = (one for one in stats.threads if one.thread.ident != threading.get_ident())
    rows = {label[2]: row for label, row in other.stats.items()}
    return {name: row[2:4] for name, row in rows.items() if row[3]}


def test_what_a_thread_of_c_does_now_is_timed_in_each_of_its_calls(foreign, clock):
    """The last call ends when nothing is recorded any more."""

    def inner():
        clock.now += 1
        reached.release()
        go_on.acquire()

    def called_back():
        called.release()
        hooked.acquire()
        leaf()
        clock.now += 10
        inner()

    called, hooked, reached, go_on = held_locks(4)
    found = []
    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        thread = foreign(called_back, 3)
        for _ in range(3):
            called.acquire()
            leaf()  # has the other thread hooked
            hooked.release()
            reached.acquire()
            clock.now += 100
            found.append(times_of_the_other(profile))
            if len(found) < 3:
                go_on.release()
    clock.now += 1000
    go_on.release()
    thread.join()
    assert found == [
        {"inner": (count * 101, count * 101), "called_back": (count * 10, count * 111)}
        for count in (1, 2, 3)
    ]
    assert times_of_the_other(profile) == found[-1]


def test_a_thread_of_c_is_the_same_when_the_profile_is_enabled_again(foreign):
    def called_back():
        called.release()
        go_on.acquire()
        leaf()
        done.release()
        go_on.acquire()

    called, go_on, done = held_locks(3)
    profile = tracer.Profile(builtins=False)
    thread = foreign(called_back, 3)
    for _ in range(3):
        called.acquire()
        with profile:
            go_on.release()
            done.acquire()
        go_on.release()
    thread.join()
    stats = tracer.Stats(profile)
    assert len(stats.threads) == 2
    assert calls_of(stats, leaf) == [3]


def test_a_thread_of_c_that_enables_a_profile_for_itself(foreign):
    """The thread's next call is recorded, too, where the interpreter reports events without being
    asked for each thread state."""

    def called_back():
        called.append(True)
        if len(called) == 1:
            profile.enable()
        leaf()
        if len(called) == 3:
            profile.disable()

    called = []
    profile = tracer.Profile(builtins=False, threads=False)
    foreign(called_back, 3).join()
    stats = tracer.Stats(profile)
    assert len(stats.threads) == 1
    assert calls_of(stats, leaf) == [3 if profile.backend == "monitoring" else 1]


@pytest.mark.parametrize("where", ["start", "return"])
@pytest.mark.parametrize("same_backend", [True, False])
def test_a_thread_found_in_the_middle_of_an_event(where, same_backend):
    """Guards against callers that are over. A profile is enabled while the thread is in another
    one's timer: the event that this timer was read for is not told again."""

    def timer():
        if armed and threading.get_ident() == thread.ident:
            armed.clear()
            inside.set()
            assert go_on.wait(10)
        return 0

    def struck():
        if where == "return":
            armed.append(True)

    def next_one():
        pass

    def work():
        if where == "start":
            armed.append(True)
        struck()
        next_one()

    armed = []
    inside, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    first = tracer.Profile(timer, builtins=False)
    second = tracer.Profile(builtins=False, backend=None if same_backend else "setprofile")
    with first:
        thread.start()
        assert inside.wait(10)
        with second:
            go_on.set()
            thread.join()
    callers = {}
    for (_, _, name), row in tracer.Stats(second).stats.items():
        callers[name] = [caller[2] for caller in row[4]]
    assert callers["next_one"] == ["work"]
    assert callers.get("struck", ["work"]) == ["work"]
    assert calls_of(first, struck, next_one) == [1, 1]
    assert calls_of(second, next_one) == [1]


def test_cpu_time_of_threads_that_exist_before():
    """Guards the time of one thread from being reckoned from the clock of another."""

    def work():
        both.wait()
        both.wait()
        leaf()

    both = threading.Barrier(2)
    thread = threading.Thread(target=work, name="early")
    thread.start()
    both.wait()
    began = time.thread_time()
    while time.thread_time() - began < 0.1:
        pass
    profile = tracer.Profile("cpu")
    with profile:
        both.wait()
        thread.join()
    early = tracer.Stats(profile).threads["early"]
    assert all(0 <= row[2] <= row[3] for row in early.stats.values())
    assert 0 < early.total_tt < 0.05
