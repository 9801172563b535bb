"""What threads wait is told right by real clocks, on every back end, however busy the machine is.

A busy machine makes all of these programs wait more, and none of them work more. So what is held
beside each other is the work that the profile tells and that of the CPU clock, or shares of one
time. The programs go on until they have waited or worked enough. test_wait_tables.py has exact
numbers.
"""

import os
import socket
import threading
import time
from queue import SimpleQueue

import pytest

import tracer

ENOUGH = 0.2  # s
PIECE = 0.01  # s


class Figures:
    """The figures of one thread, or of all: times are seconds."""

    def __init__(self, stats):
        self.waits = stats.totals.extras["waited"]
        self.stats = stats.stats
        self.time = sum(row[2] for row in self.stats.values())
        self.waited = sum(self.waits.values())
        self.busy = self.time - self.waited

    def of(self, *names):
        """tottime and waited of the functions with one of these words in their names."""
        some = [label for label in self.stats if any(name in label[2] for name in names)]
        assert some, names
        waited = sum(self.waits.get(label, 0) for label in some)
        return sum(self.stats[label][2] for label in some), waited


class Program:
    """Runs a function under a Profile, in the main thread, and knows the CPU time that it took."""

    def __init__(self, function, *args, **options):
        self.cpu = 0.0
        with tracer.Profile(**options) as profile:
            began = time.thread_time()
            function(*args)
            self.cpu = time.thread_time() - began
        self.stats = tracer.Stats(profile)
        ident = threading.get_ident()
        self.main = Figures(self.stats.threads[ident])


def spin():
    """Works until it has worked enough."""
    end = time.thread_time() + ENOUGH
    number = 0
    while time.thread_time() < end:
        for _ in range(500):
            number += 1


def test_work_is_what_the_cpu_clock_says():
    """However often the thread must wait for a processor."""
    program = Program(spin)
    assert program.main.busy == pytest.approx(program.cpu, rel=0.03)


def sleep():
    for _ in range(10):
        time.sleep(ENOUGH / 10)


def test_sleep():
    program = Program(sleep)
    tottime, waited = program.main.of("time.sleep")
    assert tottime >= ENOUGH
    assert 0.97 * tottime <= waited <= tottime
    assert program.main.busy <= program.cpu + 0.03 * program.main.time


def waits_for(receive, send):
    """Calls receive() until it has taken enough time, while another thread sends now and then."""
    done = threading.Event()

    def sender():
        while not done.is_set():
            time.sleep(PIECE)
            send()

    thread = threading.Thread(target=sender)
    thread.start()
    taken = 0.0
    while taken < ENOUGH:
        began = time.perf_counter()
        receive()
        taken += time.perf_counter() - began
    done.set()
    thread.join()


def lock_and_its_release():
    """A lock is held by the other thread most of the time."""
    lock = threading.Lock()
    lock.acquire()

    def hand_over():
        if lock.locked():
            lock.release()

    return lock.acquire, hand_over


def queue():
    queue = SimpleQueue()
    return queue.get, lambda: queue.put(1)


def connection():
    one, other = socket.socketpair()
    return lambda: one.recv(1), lambda: other.send(b"x")


@pytest.mark.parametrize(
    ("make", "name"), [(lock_and_its_release, "acquire"), (queue, "get"), (connection, "recv")]
)
def test_waiting_in_c(make, name):
    program = Program(waits_for, *make())
    stats = program.stats.threads[threading.get_ident()].stats
    names = [label[2] for label in stats if label[0] == "~" and f"'{name}'" in label[2]]
    tottime, waited = program.main.of(*names)
    assert tottime >= 0.8 * ENOUGH
    assert 0.97 * tottime <= waited <= tottime
    assert abs(program.main.busy - program.cpu) <= 0.03 * program.main.time


def write_and_sync(path):
    began = time.perf_counter()
    with open(path, "wb") as file:
        while time.perf_counter() < began + ENOUGH:
            file.write(b"some data")
            file.flush()
            os.fsync(file.fileno())


def test_disk(tmp_path):
    """How long a disk takes is its own affair; in memory, it takes nothing."""
    program = Program(write_and_sync, tmp_path / "file")
    tottime, waited = program.main.of("fsync")
    assert 0 <= waited <= tottime
    assert abs(program.main.busy - program.cpu) <= 0.03 * program.main.time


class Spinners:
    """Two threads of Python code, each of which goes on until both have worked enough."""

    def __init__(self):
        self.worked = [0.0, 0.0]
        self.both = threading.Barrier(2)

    def spin(self, which):
        self.both.wait()
        began = time.thread_time()
        number = 0
        while min(self.worked) < ENOUGH:
            for _ in range(5000):
                number += 1
            self.worked[which] = time.thread_time() - began

    def run(self):
        threads = [threading.Thread(target=self.spin, args=(number,)) for number in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def test_waiting_for_the_gil():
    """Only one of two threads can run at a time, so that they wait for half of their time, or for
    more where the machine is busy; in Python code, where they give the GIL away."""
    spinners = Spinners()
    program = Program(spinners.run)
    everything = Figures(program.stats)
    tottime, waited = everything.of("spin")
    assert waited >= 0.45 * tottime
    assert tottime - waited == pytest.approx(sum(spinners.worked), rel=0.05)
