"""Greenlets in several threads: each belongs to its thread, and each thread's are told apart.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import threading

import greenlets
import tracer
from greenlets import clock, greenlet, leaf, measure, up
from rows import rows_of_file

clean = greenlets.clean  # a fixture of all tests here


def rows_here(source):
    return rows_of_file(source, __file__, greenlets.__file__)


def test_greenlets_in_several_threads():
    """Greenlets belong to their thread; each thread's are told apart."""

    def outer(ticks):
        clock_of_thread(ticks)
        up()
        clock_of_thread(ticks)

    def clock_of_thread(ticks):
        with lock:
            clock.now += ticks

    def work(ticks):
        others = [greenlet.greenlet(outer) for _ in range(20)]
        for other in others:
            other.switch(ticks)
        barrier.wait(10)
        for other in others:
            other.switch()

    def program():
        threads = [threading.Thread(target=work, args=(1,), name=f"worker-{i}") for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    lock, barrier = threading.Lock(), threading.Barrier(4)
    stats = tracer.Stats(measure(program))
    for number in range(4):
        rows = rows_here(stats.threads[f"worker-{number}"])
        assert rows["outer"][0] == 20
        assert rows["outer"][3] == set()
        assert rows["clock_of_thread"][::3] == (40, {"outer"})
        assert rows["up"][::3] == (20, {"outer"})
        assert rows["work"][0] == 1


def test_a_thread_whose_greenlets_ran_before():
    """The thread's first event may come in another greenlet than the one it was in at enable()."""
    ready, go_on = threading.Event(), threading.Event()

    def work():
        other = greenlet.greenlet(elsewhere)
        other.switch()
        leaf()

    def elsewhere():
        ready.set()
        go_on.wait(10)
        greenlet.getcurrent().parent.switch()

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    ready.wait(10)
    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        go_on.set()
        thread.join()
    rows = rows_here(tracer.Stats(profile).threads["worker"])
    assert rows["leaf"] == (1, 1, 1, {"work"})
    assert rows["elsewhere"][0] == rows["work"][0] == 0


def test_a_thread_that_calls_nothing_new_when_it_is_enabled_again():
    """The thread's greenlets are told apart as before."""
    steps, done = [threading.Event() for _ in range(3)], [threading.Event() for _ in range(3)]

    def body():
        clock.now += 1
        up()
        clock.now += 10

    def switches():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 100
        other.switch()

    def work():
        for step, over in zip(steps, done, strict=True):
            step.wait(10)
            switches()
            over.set()

    def go(number):
        steps[number].set()
        done[number].wait(10)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        go(0)
    go(1)  # here the thread learns that nobody looks any more
    with profile:
        go(2)
        thread.join()
    rows = rows_here(tracer.Stats(profile).threads["worker"])
    assert rows["switches"][:3] == (2, 200, 200)
    assert rows["body"] == (2, 22, 22, set())
