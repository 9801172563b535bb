"""Timers of the user's own that change the profile that asks them, in the middle of an event.

CPython had crashes there: gh-120289, gh-121225, gh-143545. Timers that give no time are in
test_timers.py.
"""

import gc
import itertools
import threading
import weakref

import pytest

import tracer
from hooks import held
from rows import calls


def leaf():
    pass


def outer():
    leaf()
    leaf()


def evil(action, at):
    """A timer that does action(profile) when it is read for the `at`th time, and a list for the
    errors of that; the profile is the list's first item until somebody takes it out."""
    reads = itertools.count(1)
    errors = []
    holder = []

    def timer():
        now = next(reads)
        if now == at and holder:
            try:
                action(holder)
            except Exception as error:
                errors.append(error)
        return now

    holder.append(tracer.Profile(timer))
    return holder, errors


CHANGES = {
    "enable": lambda holder: holder[0].enable(),
    "enter": lambda holder: holder[0].__enter__(),
    "disable": lambda holder: holder[0].disable(),
    "clear": lambda holder: holder[0].clear(),
    "init": lambda holder: holder[0].__init__(),
    "record_call": lambda holder: holder[0].record_call(outer),
}


@pytest.mark.parametrize("at", range(1, 9))
@pytest.mark.parametrize("change", CHANGES)
def test_a_timer_cannot_change_its_profile(change, at):
    holder, errors = evil(CHANGES[change], at)
    (profile,) = holder
    profile.runcall(outer)
    profile.disable()
    assert [type(error) for error in errors] == [RuntimeError]
    assert "within its own timer" in str(errors[0])
    assert calls(profile) == {"outer": 1, "leaf": 2}
    assert held() == []


@pytest.mark.parametrize("at", range(1, 9))
def test_a_timer_may_read_its_profile(at):
    holder, errors = evil(lambda holder: (holder[0].getstats(), tracer.Stats(holder[0])), at)
    (profile,) = holder
    profile.runcall(outer)
    assert errors == []
    assert calls(profile) == {"outer": 1, "leaf": 2}


@pytest.mark.parametrize("at", range(1, 9))
def test_a_timer_may_drop_its_profile(at):
    holder, errors = evil(list.clear, at)
    gone = weakref.ref(holder[0])
    holder[0].enable()
    outer()
    del holder[:]  # where the timer has not done it yet
    gc.collect()
    assert errors == []
    assert gone() is None
    assert held() == []


@pytest.mark.parametrize("at", range(1, 9))
def test_a_timer_may_enable_and_disable_another_profile(at):
    other = tracer.Profile()

    def toggle(holder):
        other.disable() if other.enabled else other.enable()

    holder, errors = evil(toggle, at)
    holder[0].runcall(outer)
    other.disable()
    assert errors == []
    assert calls(holder[0]) == {"outer": 1, "leaf": 2}
    assert held() == []


def test_another_thread_may_stop_a_profile_that_reads_its_timer():
    def timer():
        if armed[0]:
            armed[0] = False
            go.set()
            assert stopped.wait(5)
        return 0

    def stop():
        go.wait(5)
        profile.disable()
        profile.clear()
        stopped.set()

    armed = [False]
    go, stopped = threading.Event(), threading.Event()
    profile = tracer.Profile(timer, threads=False)
    thread = threading.Thread(target=stop)
    thread.start()
    profile.enable()
    armed[0] = True
    leaf()
    thread.join()
    assert stopped.is_set()
    assert not profile.enabled
    assert calls(profile) == {}
    assert held() == []
