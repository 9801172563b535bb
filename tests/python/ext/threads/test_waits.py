"""What threads waited: the part of own times in which they did not run.

tests/core/test_waits.c has the rules; here the figures are those of a whole profile, by function,
path and thread.

A timer that returns a pair has CPU time beside its time, so that numbers are exact. Where threads
really wait, a test compares two times that were measured together.
"""

import threading
import time

import pytest

import tracer
from tracer.analysis.tree.call_tree import paths_of

UNIT = 1e-9
MS = 1_000_000


class Watch:
    """A clock, and the CPU time of the thread that reads it, in nanoseconds."""

    def __init__(self):
        self.now = self.cpu = 5 * MS

    def __call__(self):
        return self.now, self.cpu

    def work(self, milliseconds=1):
        self.now += round(milliseconds * MS)
        self.cpu += round(milliseconds * MS)

    def wait(self, milliseconds=1):
        self.now += round(milliseconds * MS)


def recorded(watch, program, **options):
    profile = tracer.Profile(watch, UNIT, builtins=False, **options)
    profile.runcall(program)
    return profile


def waited(stats):
    """{name: milliseconds}"""
    return {label[2]: round(s * 1e3, 6) for label, s in stats.totals.extras["waited"].items()}


def test_functions_and_paths_wait():
    watch = Watch()

    def read():
        watch.wait(3)
        watch.work(1)

    def lazy():
        read()
        watch.wait(2)
        watch.now += MS

    def program():
        read()
        lazy()
        watch.work(5)

    stats = tracer.Stats(recorded(watch, program))
    assert waited(stats) == {"wait": 8.0, "lazy": 1.0}
    paths = paths_of(stats)
    [tree] = paths.trees
    top = min(depth for depth, waited in zip(tree.depth, tree.waited, strict=True) if waited) - 2
    found = [
        (depth - top, paths.rows[row].name.rpartition(".")[2], waited / MS)
        for depth, row, waited in zip(tree.depth, tree.row, tree.waited, strict=True)
        if waited
    ]
    assert found == [(3, "wait", 3), (2, "lazy", 1), (4, "wait", 3), (3, "wait", 2)]
    assert tree.totals(tree.waited)[1] == 9 * MS  # the outermost frame


def test_nothing_of_a_pause_counts():
    watch = Watch()
    profile = tracer.Profile(watch, UNIT, builtins=False)

    def aside():
        with tracer._core.unrecorded:
            watch.wait(50)
        watch.wait(2)

    profile.runcall(aside)
    assert waited(tracer.Stats(profile)) == {"wait": 2.0}


def test_what_still_waits_counts_in_a_snapshot():
    watch = Watch()
    seen = []

    def program():
        watch.wait(4)
        seen.append(waited(tracer.Stats(profile.capture())))
        watch.wait(3)

    profile = tracer.Profile(watch, UNIT, builtins=False)
    profile.runcall(program)
    assert seen == [{"wait": 4.0}]
    assert waited(tracer.Stats(profile)) == {"wait": 7.0}


def test_a_timer_without_cpu_time_tells_no_waits():
    watch = Watch()
    profile = tracer.Profile(lambda: watch.now, UNIT, builtins=False)
    profile.runcall(watch.wait, 5)
    assert waited(tracer.Stats(profile)) == {}


def test_the_cpu_clock_tells_no_waits():
    profile = tracer.Profile("cpu")
    profile.runcall(time.sleep, 0.001)
    assert waited(tracer.Stats(profile)) == {}


@pytest.mark.parametrize("answer", [(1,), (1, 2, 3), ("a", "b"), (1, None)])
def test_a_timer_that_returns_another_tuple_is_told(answer, monkeypatch):
    told = []
    monkeypatch.setattr("sys.unraisablehook", told.append)
    tracer.Profile(lambda: answer, UNIT).runcall(len, ())
    assert told and all(issubclass(it.exc_type, TypeError) for it in told)


@pytest.mark.parametrize("answer", [(10**18, -(10**18)), (2**63 - 1, 2**63 - 1), (-5, 7)])
def test_a_timer_may_return_any_numbers(answer):
    profile = tracer.Profile(lambda: answer, UNIT)
    profile.runcall(sorted, [3, 1, 2], key=lambda it: it)
    tracer.Stats(profile)


def own_time(stats, name):
    """(tottime, waited) in seconds of the functions with this name."""
    labels = [label for label in stats.stats if label[2] == name]
    times = sum(stats.stats[label][2] for label in labels)
    return times, sum(stats.totals.extras["waited"].get(label, 0.0) for label in labels)


ACQUIRE = "<method 'acquire' of '_thread.lock' objects>"


def test_a_thread_that_is_blocked_when_recording_begins_and_ends_waits():
    """It has no event in between: others tell its CPU time."""
    lock = threading.Lock()
    lock.acquire()
    blocked = threading.Event()

    def block():
        blocked.set()
        lock.acquire()

    thread = threading.Thread(target=block)
    thread.start()
    blocked.wait()
    with tracer.Profile() as profile:
        while profile.capture().figures().stats == {}:
            pass
        time.sleep(0.05)
    lock.release()
    thread.join()
    tottime, waits = own_time(tracer.Stats(profile), "block")
    assert tottime > 0.05  # its frame is the innermost that is known
    assert waits > 0.97 * tottime


def test_a_thread_that_works_does_not_wait():
    """However busy the machine is: what the thread did not get is told as waited."""

    def spin():
        used = -time.thread_time()
        while used + time.thread_time() < 0.1:
            sum(range(5000))
        return used + time.thread_time()

    profile = tracer.Profile(builtins=False)
    used = profile.runcall(spin)
    tottime, waits = own_time(tracer.Stats(profile), "spin")
    assert tottime - waits == pytest.approx(used, rel=0.03)


def test_two_threads_that_spin_wait_for_each_other():
    used = []

    def spin():
        begin = time.thread_time()
        while time.thread_time() - begin < 0.1:
            sum(range(5000))
        used.append(time.thread_time() - begin)

    threads = [threading.Thread(target=spin) for _ in range(2)]
    with tracer.Profile(builtins=False) as profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    tottime, waits = own_time(tracer.Stats(profile), "spin")
    assert tottime - waits == pytest.approx(sum(used), rel=0.03)
    assert waits > 0.2 * tottime


def test_short_waits_go_to_those_who_wait():
    """Each is shorter than the time between two readings of the CPU clock."""

    slept = 0.0

    def nap():
        nonlocal slept
        began, used = time.perf_counter(), time.thread_time()
        time.sleep(20e-6)
        slept += time.perf_counter() - began - (time.thread_time() - used)

    def work():
        sum(range(1000))

    def program():
        for _ in range(3000):
            nap()
            work()

    profile = tracer.Profile(builtins=False)
    profile.runcall(program)
    stats = tracer.Stats(profile)
    # The others wait, too, where the machine is busy.
    assert own_time(stats, "nap")[1] > 0.8 * slept
