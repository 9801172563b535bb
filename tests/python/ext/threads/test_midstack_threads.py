"""Starting in the middle of the stacks of other threads: see test_midstack.py."""

import sys
import threading
import time

import pytest

import tracer
from rows import Clock, figures


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0)


class Parked:
    """A thread that waits in an Event, with known functions below it."""

    def __init__(self, clock, name):
        self.clock = clock
        self.event = threading.Event()
        self.thread = threading.Thread(target=self.work, name=name)
        self.thread.start()
        while not self.is_at_the_lock():
            time.sleep(0.001)

    def is_at_the_lock(self):
        """Whether it is in Condition.wait(), at the lock that lets nobody through. By then it has
        let go of the Event's lock, and goes no further while another thread runs."""
        frame = sys._current_frames().get(self.thread.ident)
        waits = frame is not None and frame.f_code is threading.Condition.wait.__code__
        return waits and not self.event._cond._lock.locked()

    def work(self):
        self.clock.now += 100
        self.stay()
        self.clock.now += 1
        self.leave()

    def stay(self):
        self.event.wait()

    def leave(self):
        self.clock.now += 2

    def end(self):
        self.event.set()
        self.thread.join()


def test_threads_that_wait_all_the_time(clock, profile):
    parked = [Parked(clock, f"parked {number}") for number in range(3)]
    profile.enable(builtins=False)
    clock.now += 10
    while_enabled = tracer.Stats(profile)
    profile.disable()
    clock.now += 100
    for item in parked:
        item.end()
    for stats in while_enabled, tracer.Stats(profile):
        for item in parked:
            of_thread = stats.threads[item.thread.name]
            assert figures(of_thread, Parked.work, Parked.stay, threading.Condition.wait) == {
                "work": (0, 0, 10, {}),
                "stay": (0, 0, 10, {"work": (0, 0, 10)}),
                "wait": (0, 10, 10, {}),
            }
            assert (of_thread.total_calls, of_thread.total_tt) == (0, 10)


def test_threads_go_on_where_they_were(clock, profile):
    parked = Parked(clock, "parked")
    profile.enable(builtins=False)
    clock.now += 10
    parked.end()
    clock.now += 20
    profile.disable()
    stats = tracer.Stats(profile).threads["parked"]
    rows = figures(stats, Parked.work, Parked.stay, Parked.leave)
    assert rows == {
        "work": (0, 1, 13, {}),
        "stay": (0, 0, 10, {"work": (0, 0, 10)}),
        "leave": (1, 2, 2, {"work": (1, 2, 2)}),
    }
    assert stats.total_tt == 13  # nothing after its end


def test_threads_are_left_out_of_a_profile_of_one(clock):
    parked = Parked(clock, "parked")
    profile = tracer.Profile(clock, 1.0, threads=False)
    profile.enable()
    clock.now += 10
    profile.disable()
    parked.end()
    (stats,) = tracer.Stats(profile).threads
    assert stats.thread.ident == threading.get_ident()
    assert not any(label[2] == "stay" for label in stats.stats)


def test_a_thread_that_runs_has_its_own_cpu_time_up_to_now():
    """A snapshot reads the clock of the thread, not that of the thread which takes the snapshot."""

    def burn():
        began.append(time.thread_time())
        while not over.is_set():
            until = time.thread_time() + 0.01
            while time.thread_time() < until:
                pass
            burnt.append(time.thread_time())
            turns.release()

    began, burnt, over, turns = [], [], threading.Event(), threading.Semaphore(0)
    profile = tracer.Profile("cpu", builtins=False)
    thread = threading.Thread(target=burn, name="burner")
    with profile:
        thread.start()
        for _ in range(10):
            turns.acquire()
        least = burnt[9] - began[0]
    over.set()
    thread.join()
    most = burnt[-1] - began[0]
    label = next(label for label in tracer.Stats(profile).stats if label[2] == "burn")
    row = tracer.Stats(profile).threads["burner"].stats[label]
    assert least * 0.9 <= row[3] <= most * 1.1


def test_a_thread_that_waits_uses_no_cpu_time(clock):
    parked = Parked(clock, "parked")
    profile = tracer.Profile("cpu")
    profile.enable()
    until = time.thread_time() + 0.1
    while time.thread_time() < until:
        pass
    profile.disable()
    parked.end()
    stats = tracer.Stats(profile)
    ((_, _, _, cumtime, _),) = (row for label, row in stats.stats.items() if label[2] == "stay")
    assert cumtime < 0.01
    assert stats.threads["MainThread"].total_tt > 0.09


def test_a_profile_enabled_by_another_thread_has_the_frames_of_all(clock, profile):
    def program():
        other = threading.Thread(target=enable, name="other")
        other.start()
        other.join()
        clock.now += 1
        profile.disable()

    def enable():
        clock.now += 100
        profile.enable(builtins=False)
        clock.now += 2

    program()
    threads = tracer.Stats(profile).threads
    assert figures(threads["MainThread"], program) == {"program": (0, 1, 3, {})}
    assert figures(threads["other"], enable) == {"enable": (0, 2, 2, {})}
    assert not any(label[2] == "enable" for label in threads["MainThread"].stats)


@pytest.mark.parametrize("timer", ["wall", "cpu"])
def test_the_tottimes_of_a_thread_make_the_cumtime_of_its_outermost_row(timer):
    parked = Parked(Clock(), "parked")
    with tracer.Profile(timer) as profile:
        sorted(range(1000), key=str)
        time.sleep(0.01)
    parked.end()
    for stats in tracer.Stats(profile).threads:
        outermost = max(row[3] for row in stats.stats.values())
        total = sum(row[2] for row in stats.stats.values())
        assert outermost == pytest.approx(total, rel=1e-9, abs=0)
        assert timer == "cpu" or total > 0.01
