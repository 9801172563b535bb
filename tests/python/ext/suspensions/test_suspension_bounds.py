"""When the time of a suspension counts: where a profile begins and ends, with threads, in pauses,
and when addresses are used again.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import threading
import time
from time import perf_counter

import pytest

import tracer
from rows import by_name, resumed, row_of, times
from suspending import (
    advance,
    clock,
    closing_is_told,
    guarded,
    leaf,
    measure,
    ticking,
)
from tracer._core import unrecorded


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0


# -- What is on the stack, and who looks ---------------------------------------------------------


def test_a_generator_that_started_before_the_profile():
    generator = ticking()
    next(generator)
    clock.now += 1000

    def program():
        advance(generator)
        clock.now += 10
        advance(generator)

    profile = measure(program)
    assert times(profile, "ticking") == (6, 6)
    assert by_name(profile)["ticking"].calls == 0
    assert resumed(profile) == {"ticking": (2, 2, {"advance": (2, 2)}, 10)}


def test_an_exception_that_is_thrown_into_one_that_started_before_the_profile():
    """The generator catches it and is suspended again, so it is not on the stack in later calls."""

    def stubborn():
        try:
            yield
        except KeyError:
            clock.now += 1
            yield

    generator = stubborn()
    next(generator)

    def program():
        generator.throw(KeyError)
        clock.now += 10
        leaf()
        advance(generator)

    profile = measure(program)
    rows = by_name(profile)
    assert rows["leaf"].callers == {"program": (1, 1)}
    assert times(profile, "program") == (10, 16)
    assert times(profile, "stubborn") == (1, 1)
    callers = {"program": (1, 1), "advance": (1, 1)}
    assert resumed(profile) == {"stubborn": (2, 2, callers, 15)}


def test_a_generator_that_runs_when_the_profile_is_enabled():
    """The generator is a root: not called, and its suspensions are known from then on."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def starts():
        clock.now += 1
        profile.enable()
        clock.now += 2
        yield
        clock.now += 4
        yield

    def program():
        generator = starts()
        next(generator)
        clock.now += 10
        next(generator)
        clock.now += 20
        profile.disable()

    program()
    assert row_of(profile, "starts")[:4] == (0, 0, 6, 6)
    assert row_of(profile, "program")[:4] == (0, 0, 30, 36)
    assert resumed(profile) == {"starts": (1, 1, {"program": (1, 1)}, 10)}


def test_a_suspension_ends_with_the_profile():
    """Suspended time does not go on from one time that a profile is enabled to the next."""
    generator = ticking()
    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(advance, generator)
    clock.now += 1000
    profile.runcall(advance, generator)
    assert resumed(profile) == {"ticking": (1, 1, {"advance": (1, 1)}, 0)}
    clock.now += 1000
    with profile:
        clock.now += 10
        advance(generator)
    assert resumed(profile) == {"ticking": (2, 2, {"advance": (2, 2)}, 0)}
    assert times(profile, "ticking") == (7, 7)


def test_a_suspension_ends_when_the_profile_is_cleared():
    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        profile.clear()
        clock.now += 20
        advance(generator)
        clock.now += 40
        advance(generator)

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    assert resumed(profile) == {"ticking": (2, 2, {"advance": (2, 2)}, 40)}
    assert by_name(profile)["ticking"].calls == 0
    assert times(profile, "ticking") == (6, 6)


def test_two_profiles_know_of_different_suspensions():
    first = tracer.Profile(clock, 1.0, builtins=False)
    second = tracer.Profile(clock, 1.0, builtins=False)
    generator = ticking()
    with first:
        advance(generator)
        clock.now += 10
        with second:
            clock.now += 20
            advance(generator)
            clock.now += 40
            advance(generator)
    assert resumed(first) == {"ticking": (2, 2, {"advance": (2, 2)}, 70)}
    assert resumed(second) == {"ticking": (2, 2, {"advance": (2, 2)}, 40)}
    assert times(first, "ticking") == (7, 7)
    assert times(second, "ticking") == (6, 6)


def test_what_is_not_recorded_ends_a_suspension_unseen():
    """The generator went on and waited again where nobody looked: since when is not known."""

    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        with unrecorded:
            next(generator)
        clock.now += 20
        advance(generator)

    profile = measure(program)
    assert resumed(profile) == {"ticking": (1, 1, {"advance": (1, 1)}, 0)}
    assert times(profile, "ticking") == (5, 5)


# -- Threads -----------------------------------------------------------------------------------


def in_a_thread(function, *args):
    thread = threading.Thread(target=function, args=args, name="other")
    thread.start()
    thread.join()


def test_a_generator_that_another_thread_resumes():
    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        in_a_thread(advance, generator)
        clock.now += 20
        advance(generator)

    profile = measure(program)
    threads = tracer.Stats(profile).threads
    here, there = threads["MainThread"], threads["other"]
    assert resumed(here) == {"ticking": (1, 1, {"advance": (1, 1)}, 20)}
    assert resumed(there) == {"ticking": (1, 1, {"advance": (1, 1)}, 10)}
    assert resumed(profile) == {"ticking": (2, 2, {"advance": (2, 2)}, 30)}
    assert row_of(here, "ticking")[:4] == (1, 1, 5, 5)
    assert row_of(there, "ticking")[:4] == (0, 0, 2, 2)


def skip_if_blind(profile):
    if profile.backend == "setprofile":
        pytest.skip("PyEval_SetProfile tells nothing of the threads that are not recorded")


def test_a_generator_that_a_thread_resumes_which_is_not_recorded():
    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        in_a_thread(advance, generator)
        clock.now += 20
        advance(generator)

    profile = measure(program, threads=False)
    skip_if_blind(profile)
    assert resumed(profile)["ticking"] == (1, 1, {"advance": (1, 1)}, 0)
    assert times(profile, "ticking") == (5, 5)


def burn():
    end = time.thread_time() + 0.02
    while time.thread_time() < end:
        pass


def test_suspended_in_cpu_time():
    """The time that its thread computed while it waited; in another thread it is not known."""
    generator = guarded()
    measured = []

    def program():
        before = time.thread_time()
        advance(generator)
        inside = time.thread_time()
        burn()
        time.sleep(0.02)
        least = time.thread_time() - inside
        advance(generator)
        measured.extend((least, time.thread_time() - before))

    profile = tracer.Profile("cpu", builtins=False)
    profile.runcall(program)
    least, most = measured
    suspended = resumed(profile)["guarded"][3]
    assert 0.02 <= least <= suspended <= most

    profile.clear()
    generator = guarded()
    with profile:
        advance(generator)
        burn()
        in_a_thread(advance, generator)
    assert resumed(profile)["guarded"] == (1, 1, {"advance": (1, 1)}, 0)


# -- Addresses that are used again ---------------------------------------------------------------


def skip_unless_reused(reused):
    if sum(reused) < len(reused) / 10:  # with ASan, nothing is
        pytest.skip("here addresses are not used again soon")


def brief():
    yield
    yield


def abandon():
    """Suspend a generator, and let it go; where it was."""
    generator = brief()
    next(generator)
    return id(generator)


def test_what_was_dropped_while_suspended_is_not_mistaken_for_another():
    reused = []

    def program():
        for _ in range(3000):
            old = abandon()
            clock.now += 1000
            generator = brief()
            reused.append(id(generator) == old)
            next(generator)
            clock.now += 7
            next(generator)
            next(generator, None)

    profile = measure(program)
    skip_unless_reused(reused)
    total, _, _, suspended = resumed(profile)["brief"]
    assert total == 2 * 3000 + (3000 if closing_is_told() else 0)
    assert suspended == 3000 * 7


@pytest.mark.parametrize("where", ["paused", "thread"])
def test_nor_where_the_new_one_first_waits_unseen(where):
    """A new generator at an old address starts where nobody looks, and goes on in sight."""
    reused = []

    def program():
        for _ in range(100):
            old = abandon()
            clock.now += 1000
            generator = brief()
            reused.append(id(generator) == old)
            if where == "paused":
                with unrecorded:
                    next(generator)
            else:
                in_a_thread(next, generator)
            clock.now += 7
            next(generator)
            next(generator, None)

    profile = measure(program, threads=where == "paused")
    if where == "thread":
        skip_if_blind(profile)
    skip_unless_reused(reused)
    total, _, _, suspended = resumed(profile)["brief"]
    assert total == 2 * 100 + (100 if closing_is_told() else 0)
    assert suspended == 0


# -- By the wall clock, whose events go the shortest way -------------------------------------------


@pytest.mark.parametrize("count", [1, 60, 500])
def test_so_many_that_wait_at_a_time(count):
    """Each figure lies between what the program measures of it outside and inside."""

    def waiting(rounds):
        for _ in range(rounds):
            left = perf_counter()
            yield
            outer.append(perf_counter() - left)

    def program():
        generators = [waiting(4) for _ in range(count)]
        left = {}
        for _ in range(5):
            for generator in generators:
                if generator in left:
                    inner.append(perf_counter() - left[generator])
                next(generator, None)
                left[generator] = perf_counter()

    inner, outer = [], []
    profile = tracer.Profile()
    profile.runcall(program)
    (entry,) = [entry for entry in profile.getstats() if entry.code is waiting.__code__]
    assert (entry.callcount, entry.resumes, len(outer)) == (count, 4 * count, 4 * count)
    assert sum(inner) * 0.99 < entry.suspended < sum(outer) * 1.01
