"""Profiles that are made of samples: what they count until it is too dear."""

import threading

import pytest

from sampled import NEEDS_COUNTS, NEEDS_SAMPLES
from shares import COUNTS, RATE, Shares, sampled, spin
from survival import survives
from tracer._core import Profiler

pytestmark = NEEDS_SAMPLES


def leaf():
    pass


def branch(times):
    for _ in range(times):
        leaf()


class Thing:
    def __init__(self):
        leaf()

    def method(self, *, key):
        return key


def numbers(count):
    for number in range(count):
        leaf()
        yield number


def program():
    branch(30)
    branch(12)
    for _ in range(7):
        Thing().method(key=1)
    sorted(range(5), key=lambda it: leaf() or it)
    sum(numbers(9))


def own(found):
    """Without the helpers around."""
    names = ("leaf", "branch", "Thing.__init__", "Thing.method", "numbers", "program")
    return {name: calls for name, calls in found.counts().items() if name in names}


@NEEDS_COUNTS
def test_calls_and_callers_are_exact():
    found = sampled(program)
    assert own(found) == {
        "leaf": 42 + 7 + 5 + 9, "branch": 2, "Thing.__init__": 7, "Thing.method": 7,
        "numbers": 1, "program": 1,
    }  # fmt: skip
    assert not found.partial()
    edges = {pair: calls for pair, calls in found.edges().items() if pair[1] == "leaf"}
    assert edges == {
        ("branch", "leaf"): 42, ("Thing.__init__", "leaf"): 7, ("numbers", "leaf"): 9,
        ("program.<locals>.<lambda>", "leaf"): 5,
    }  # fmt: skip
    assert (
        found.edges()["program", "Thing.__init__"] == 7
    )  # the interpreter's own frame is left out
    assert found.edges()["program", "program.<locals>.<lambda>"] == 5  # and so is sorted()


@NEEDS_COUNTS
def test_calls_of_all_threads_are_counted():
    def run():
        threads = [threading.Thread(target=branch, args=(100,)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert own(sampled(run)) == {"leaf": 800, "branch": 8}


@NEEDS_COUNTS
def test_a_function_that_is_too_dear_falls_silent():
    def run():
        branch(400_000)
        for _ in range(5):
            Thing().method(key=1)

    found = sampled(run, slowdown=0.001)
    assert found.partial() == {"leaf"}
    assert 1000 < found.counts()["leaf"] < 400_000
    assert found.counts()["branch"] == 1
    assert found.counts()["Thing.method"] == 5
    assert found.facts["events"] == sum(found.counts().values())


@NEEDS_COUNTS
def test_the_next_profile_counts_again():
    sampled(lambda: branch(400_000), slowdown=0.001)
    assert own(sampled(program))["leaf"] == 63


@NEEDS_COUNTS
def test_a_profile_that_is_cleared_counts_again():
    profile = Profiler(slowdown=0.001, rate=RATE)
    profile.enable()
    branch(400_000)
    assert Shares(profile.snapshot()).partial() == {"leaf"}
    profile.clear()
    program()
    profile.disable()
    found = Shares(profile.snapshot())
    assert not found.partial()
    assert own(found)["leaf"] == 63


@NEEDS_COUNTS
def test_a_profile_that_is_enabled_again_goes_on():
    profile = Profiler(slowdown=0.001, rate=RATE)
    profile.enable()
    branch(400_000)
    profile.disable()
    program()
    profile.enable()
    program()
    profile.disable()
    found = Shares(profile.snapshot())
    assert found.partial() == {"leaf"}
    assert found.counts()["branch"] == 3
    assert found.counts()["leaf"] < 400_000


@NEEDS_COUNTS
def test_a_forked_child_counts_again():
    survives(
        """
        from shares import RATE, Shares
        from tracer._core import Profiler
        def branch(times):
            for _ in range(times):
                leaf()
        profile = Profiler(slowdown=0.001, rate=RATE)
        profile.enable()
        branch(400_000)
        def count():
            branch(63)
            profile.disable()
            found = Shares(profile.snapshot())
            assert found.counts()["leaf"] == 63 and not found.partial()
        assert in_a_child(count) == 0
        profile.disable()
        assert "leaf" in Shares(profile.snapshot()).partial()
        """
    )


@NEEDS_COUNTS
def test_two_profiles_at_once():
    one, other = Profiler(slowdown=0.001, rate=RATE), Profiler(slowdown=1.0, rate=RATE)
    one.enable()
    other.enable()
    branch(200_000)
    other.disable()
    branch(10)
    one.disable()
    assert Shares(other.snapshot()).counts()["leaf"] == 200_000
    assert "leaf" in Shares(one.snapshot()).partial()


@NEEDS_COUNTS
def test_callers_that_take_turns_are_told_apart():
    names = [f"caller_{number}" for number in range(5)]
    code = "\n".join(f"def {name}(): leaf()" for name in names)
    callers = {"leaf": leaf}
    exec(code, callers)

    def run():
        for _ in range(50):
            for name in names:
                callers[name]()

    edges = sampled(run).edges()
    assert [edges[name, "leaf"] for name in names] == [50] * 5


@NEEDS_COUNTS
def test_beside_a_profile_of_calls():
    exact = Profiler()
    exact.enable()
    found = sampled(program)
    exact.disable()
    assert own(found)["leaf"] == 63
    calls = {
        entry.code.co_qualname: entry.callcount
        for entry in exact.getstats()
        if hasattr(entry.code, "co_qualname")
    }
    assert calls["leaf"] == 63


@NEEDS_COUNTS
def test_code_that_is_left_out_is_not_counted():
    found = sampled(program, exclude=(__file__,))
    assert own(found) == {}


@NEEDS_COUNTS
def test_of_a_function_that_ran_already_no_number_is_told():
    profile = Profiler(slowdown=1.0, rate=RATE)
    profile.enable()
    branch(3)
    profile.disable()
    found = Shares(profile.snapshot())
    here = test_of_a_function_that_ran_already_no_number_is_told.__name__
    assert here not in found.counts()
    assert found.edges()[here, "branch"] == 1


@NEEDS_COUNTS
def test_events_of_threads_that_are_not_recorded_are_paid_for():
    go, over = threading.Event(), threading.Event()

    def elsewhere():
        go.wait(100)
        branch(400_000)
        over.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()
    profile = Profiler(slowdown=0.001, rate=RATE, threads=False)
    profile.enable()
    go.set()
    over.wait(100)
    profile.disable()
    thread.join()
    found = Shares(profile.snapshot())
    assert own(found) == {}
    assert 1000 < found.facts["events"] < 400_000


def test_without_counts():
    found = sampled(lambda: spin(0.2), slowdown=0)
    assert not found.facts["has_counts"]
    assert found.counts() == {}
    assert found.facts["events"] == 0


@pytest.mark.skipif(COUNTS, reason="the others count")
def test_python_3_11_has_samples_alone():
    found = sampled(lambda: spin(0.2))
    assert not found.facts["has_counts"]
    assert found.below("spin") > 20


@NEEDS_COUNTS
def test_samples_in_events_are_told_apart():
    def run():
        for _ in range(100):
            branch(100_000)

    found = sampled(run)
    assert found.facts["in_events"] > 0
    assert sum(found.all_paths(kind=1).values()) >= found.facts["in_events"]
