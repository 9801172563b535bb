"""launch/autosave.py, and GilYielder, its thread: when it saves, with a save() of the tests."""

import math
import os
import sys
import threading
import time
from itertools import pairwise

import pytest

from survival import survives
from tracer._core import GilYielder, Profiler
from tracer.launch.autosave import IDLE, REST, SHORT_REST, Saver, start


class Saves:
    """A save() that takes some time of its own and counts itself."""

    def __init__(self, seconds=0.0):
        self.seconds = seconds
        self.count = 0
        self.ended = []
        self.done = threading.Event()

    def __call__(self):
        end = time.thread_time() + self.seconds
        while time.thread_time() < end:
            pass
        self.count += 1
        self.ended.append(time.monotonic())
        self.done.set()


def test_saves_until_it_is_stopped():
    saves = Saves()
    saver = Saver(Profiler(), saves, 0.001)
    saver.start()
    for _ in range(5):
        saves.done.clear()
        assert saves.done.wait(300)
    saver.stop()
    count = saves.count
    assert not saves.done.clear() and not saves.done.wait(0.05)
    assert saves.count == count
    saver.stop()  # again: nothing happens


def test_rests_a_hundred_times_as_long_as_a_save_took():
    saves = Saves(0.02)
    saver = Saver(Profiler(), saves, 0.001)
    saver.start()
    assert saves.done.wait(300)
    time.sleep(0.3)
    saver.stop()  # which waits for a save that has begun
    assert 0.02 * REST <= saver.due - saves.ended[-1] < 10 * REST
    assert all(later - before >= 0.02 * REST for before, later in pairwise(saves.ended))


def test_put_off():
    saves = Saves()
    saver = Saver(Profiler(), saves, 0.5)
    saver.start()
    before, longest = time.monotonic(), 0.0
    for _ in range(20):
        time.sleep(0.05)
        saver.put_off()
        longest = max(longest, time.monotonic() - before)
        before = time.monotonic()
    assert saves.count == 0 or longest > 0.4  # the machine kept this thread from it
    assert saves.done.wait(300)
    saver.stop()


def test_beside_a_timeline_the_first_save_is_soon():
    saves = Saves()
    [saver] = start(Profiler(), saves, 1000, SHORT_REST)
    is_saved = saves.done.wait(300)
    saver.stop()
    assert is_saved
    [saver] = start(Profiler(), saves, 1000, REST)
    assert saver.time_left() > 500
    saver.stop()
    assert saves.count == 1


def test_beside_a_timeline_an_idle_program_is_not_saved_again():
    profile = Profiler(threads=False)
    saver = Saver(profile, Saves(), 0.001, SHORT_REST)
    assert not saver.is_idle()
    profile.record_call(len, "")
    saver.last_event, saver.saved = profile.last_event, time.monotonic()
    assert saver.last_event > 0 and saver.is_idle()
    profile.record_call(len, "")
    assert not saver.is_idle()
    saver.last_event, saver.saved = profile.last_event, time.monotonic() - IDLE
    assert not saver.is_idle()  # what it waits grows


def test_turns_take_any_time_and_end_twice():
    turns = GilYielder()
    assert turns.native_id in {int(name) for name in os.listdir("/proc/self/task")}
    turns.begin_in(0)
    turns.begin_in(10**9 - 1)
    for seconds in (-1, math.nan, 10**9):
        with pytest.raises(ValueError, match=f"from 0 to 1e9 seconds, not {seconds}"):
            turns.begin_in(seconds)
    with pytest.raises(TypeError):
        turns.begin_in("soon")
    with pytest.raises(TypeError, match="takes no arguments"):
        GilYielder(1)
    turns.stop()
    turns.stop()  # again: nothing happens
    turns.begin_in(0)


@pytest.mark.parametrize("end", ["turns.stop()", "del turns", "turns.begin_in(0); turns.stop()"])
def test_a_child_has_no_thread_of_turns_to_wait_for(end):
    survives(
        f"""
        import signal
        from tracer._core import GilYielder
        turns = GilYielder()
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # only where it waits for the thread
            {end}
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert turns.native_id in {{int(name) for name in os.listdir("/proc/self/task")}}
        turns.stop()
    """,
        flags=("-W", "ignore::DeprecationWarning"),
    )


def test_longest_interval():
    saver = Saver(Profiler(), Saves(), sys.float_info.max)
    saver.start()
    saver.stop()
