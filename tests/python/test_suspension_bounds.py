"""When the time of a suspension counts: where a profile begins and ends, with threads, in pauses,
and when addresses are used again; and where the figure is to be found.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import sys
import threading
import time

import pytest

import tracer
from rows import by_name, resumed, row_of, times
from suspending import advance, by_for, clock, countdown, guarded, leaf, measure, outer, ticking
from tracer._core import unrecorded

CLOSED_UNSEEN = sys.version_info >= (3, 13)  # closing a generator that holds no try runs nothing


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
    """It catches that and is suspended again, so it is not on the stack when others are called."""

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
    """It is a root: not called, and its suspensions are known from then on."""
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
    """What was suspended while it was enabled last time is not suspended since then."""
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
    thread = threading.Thread(target=function, args=args)
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
    here, there = tracer.Stats(profile).threads
    assert resumed(here) == {"ticking": (1, 1, {"advance": (1, 1)}, 20)}
    assert resumed(there) == {"ticking": (1, 1, {"advance": (1, 1)}, 10)}
    assert resumed(profile) == {"ticking": (2, 2, {"advance": (2, 2)}, 30)}
    assert row_of(here, "ticking")[:4] == (1, 1, 5, 5)
    assert row_of(there, "ticking")[:4] == (0, 0, 2, 2)


def skip_if_blind_to_other_threads(profile):
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
    skip_if_blind_to_other_threads(profile)
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


def brief():
    yield
    yield


def abandon(count):
    """Suspend generators at many addresses, and let them go."""
    generators = [brief() for _ in range(count)]
    for generator in generators:
        next(generator)
    return {id(generator) for generator in generators}


def test_what_was_dropped_while_suspended_is_not_mistaken_for_another():
    def program():
        old = abandon(3000)
        clock.now += 1_000_000
        generators = [brief() for _ in range(3000)]
        assert len(old & {id(generator) for generator in generators}) > 1000
        for generator in generators:
            next(generator)
        clock.now += 7
        for generator in generators:
            next(generator)
        for generator in generators:
            next(generator, None)

    profile = measure(program)
    total, _, _, suspended = resumed(profile)["brief"]
    dropped = 0 if CLOSED_UNSEEN else 3000
    assert total == 2 * 3000 + dropped
    assert suspended == 3000 * 7


@pytest.mark.parametrize("where", ["paused", "thread"])
def test_nor_where_the_new_one_first_waits_unseen(where):
    """A new generator at an old address starts where nobody looks, and goes on in sight."""

    def start(generators):
        for generator in generators:
            next(generator)

    def program():
        old = abandon(1000)
        clock.now += 1_000_000
        generators = [brief() for _ in range(1000)]
        assert len(old & {id(generator) for generator in generators}) > 300
        if where == "paused":
            with unrecorded:
                start(generators)
        else:
            in_a_thread(start, generators)
        clock.now += 7
        for generator in generators:
            next(generator)

    profile = measure(program, threads=where == "paused")
    if where == "thread":
        skip_if_blind_to_other_threads(profile)
    total, _, _, suspended = resumed(profile)["brief"]
    closed = 0 if CLOSED_UNSEEN else 2000  # the 1,000 old ones and, at the end, the new
    assert total == 1000 + closed
    assert suspended == 0


# -- What is made of the figures -----------------------------------------------------------------


def mixture():
    by_for()
    for _ in outer():
        clock.now += 100
    for _ in countdown(2):
        clock.now += 10


MIXTURE = {
    "ticking": (2, 2, {"by_for": (2, 2)}, 20),
    "outer": (1, 1, {"mixture": (1, 1)}, 100),
    "inner": (1, 1, {"outer": (1, 1)}, 100),
    "countdown": (6, 3, {"mixture": (3, 3), "countdown": (3, 2)}, 60),
}


@pytest.mark.parametrize("limit", [0, 1, 3, 1000])
def test_node_limits_change_no_figure(limit):
    profile = measure(mixture, _node_limit=limit)
    assert resumed(profile) == MIXTURE
    assert by_name(profile) == by_name(measure(mixture))
    assert times(profile, "mixture") == (130, (20 + 7) + (100 + 33) + (30 + 3))


def test_getstats_tells_of_suspended_time():
    entries = {entry.code.co_name: entry for entry in measure(mixture).getstats()}
    assert {name: entries[name].suspended for name in MIXTURE} == {
        name: figures[3] for name, figures in MIXTURE.items()
    }
    assert entries["mixture"].suspended == 0


def test_it_is_seconds():
    profile = tracer.Profile(clock, 0.25, builtins=False)
    profile.runcall(by_for)
    assert resumed(profile)["ticking"][3] == 5.0
    assert {entry.suspended for entry in profile.getstats()} == {0.0, 5.0}


def test_a_file_holds_it(tmp_path):
    profile = measure(mixture)
    profile.dump_stats(tmp_path / "profile")
    assert resumed(tmp_path / "profile") == MIXTURE


def test_suspended_times_are_added_up(tmp_path):
    profile = measure(mixture)
    profile.dump_stats(tmp_path / "profile")
    other = measure(by_for)
    stats = tracer.Stats(profile, tmp_path / "profile", other)
    assert resumed(stats) == {
        "ticking": (6, 6, {"by_for": (6, 6)}, 60),
        "outer": (2, 2, {"mixture": (2, 2)}, 200),
        "inner": (2, 2, {"outer": (2, 2)}, 200),
        "countdown": (12, 6, {"mixture": (6, 6), "countdown": (6, 4)}, 120),
    }
    assert resumed(tracer.Stats(other).add(profile)) == resumed(tracer.Stats(other, profile))
    assert resumed(stats.strip_dirs())["ticking"] == (6, 6, {"by_for": (6, 6)}, 60)


def test_a_look_sees_what_is_over():
    """A suspension that has not ended is in no figure yet."""
    looks = []

    def program():
        generator = ticking()
        advance(generator)
        clock.now += 10
        looks.append(resumed(profile))
        advance(generator)
        clock.now += 20
        looks.append(resumed(profile))
        advance(generator)

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    expected = [(1, 1, {"advance": (1, 1)}, 10), (2, 2, {"advance": (2, 2)}, 30)]
    assert [*looks, resumed(profile)] == [{}, *({"ticking": figures} for figures in expected)]
