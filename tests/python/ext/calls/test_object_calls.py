"""Calls of objects that have no row: how often, and what they took of their caller's own time."""

import contextlib
import functools
import gc
import operator
import sys
import threading
import time
import weakref
from struct import Struct

import pytest

from tracer import Profile
from tracer._core import Profiler

RECORD = Struct("=IIQq")  # caller, callee, calls, ticks
COMES = Profile().backend == "monitoring"


class Plain:
    def __init__(self):
        self.made = True


class Callable:
    def __call__(self):
        return sum((1, 2))


class Clock:
    now = 0

    def __call__(self):
        Clock.now += 1
        return Clock.now


def calls_of(function, **options):
    """{(caller, object): (calls, ticks)} of what has no row."""
    profile = Profiler(**options)
    profile.enable()
    function()
    profile.disable()
    snapshot = profile.snapshot()
    names = [names[3] for names in snapshot["functions"]]
    found = {}
    for thread in snapshot["threads"]:
        for caller, callee, calls, ticks in RECORD.iter_unpack(thread.get("object_calls", b"")):
            assert callee in snapshot["left_out"], "it has no row"
            key = names[caller], names[callee]
            before = found.get(key, (0, 0))
            found[key] = before[0] + calls, before[1] + ticks
    return found


def made(times):
    for _ in range(times):
        Plain()


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_each_call_counts():
    def work():
        made(500)
        made(7)
        getter, partial = operator.itemgetter(0), functools.partial(max, 1)
        for _ in range(30):
            getter((1,))
            partial(2)

    found = calls_of(work)
    assert found["made", f"<type '{__name__}.Plain'>"][0] == 507
    whose = work.__qualname__
    assert found[whose, "<operator.itemgetter object>"][0] == 30
    assert found[whose, "<functools.partial object>"][0] == 30
    assert found[whose, "<type 'operator.itemgetter'>"][0] == 1


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_their_time_is_theirs_alone():
    """Not that of Python functions which they call, nor what their caller does before and after."""

    def inside():
        return sorted(range(200_000), key=lambda value: -value)

    def work():
        sorted(range(300_000))
        functools.partial(inside)()
        set(range(2_000_000))

    found = calls_of(work)
    whose = work.__qualname__
    long, short = (found[whose, name][1] for name in ("<type 'set'>", "<functools.partial object>"))
    assert long > 20 * short > 0


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_each_thread_counts_its_own():
    """Also where another goes on between two calls, or within one."""
    pause = functools.partial(time.sleep, 0.0005)

    def both():
        made(1000)
        for _ in range(50):
            pause()

    def work():
        threads = [threading.Thread(target=both) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        found = calls_of(work)
    finally:
        sys.setswitchinterval(interval)
    assert found["made", f"<type '{__name__}.Plain'>"][0] == 3000
    calls, ticks = found[both.__qualname__, "<functools.partial object>"]
    assert calls == 150 and ticks > 0


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_each_of_two_profiles_counts_them():
    def inner():
        found.append(calls_of(lambda: made(20)))

    found = []
    found.append(calls_of(inner))
    for each in found:
        assert each["made", f"<type '{__name__}.Plain'>"][0] == 20


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_one_without_functions_in_c_counts_none_beside_another():
    """It is told of no end of them."""
    found = []
    alone = calls_of(lambda: found.append(calls_of(lambda: made(20))), builtins=False)
    assert alone == {}
    assert found[0]["made", f"<type '{__name__}.Plain'>"][0] == 20


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_a_function_that_is_an_object_has_its_name():
    """As those of numba and of C extensions."""

    def work():
        cached = functools.lru_cache(len)
        for _ in range(20):
            cached("x")

    found = calls_of(work)
    assert found[work.__qualname__, "<_lru_cache_wrapper 'len' of functools>"][0] == 20


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_no_class_is_kept_alive():
    """It may be freed, and another one come in its place, while it is counted."""
    freed = []

    def work():
        for _ in range(5):
            made = type("Made", (), {})
            made()
            freed.append(weakref.ref(made))
            del made
            gc.collect()

    found = calls_of(work)
    assert [of() for of in freed] == [None] * 5
    assert found[work.__qualname__, f"<type '{__name__}.Made'>"][0] == 5


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_no_code_of_the_program_runs_for_a_name():
    class Meta(type):
        @property
        def __module__(cls):
            raise AssertionError("asked")

    class Odd(functools.partial):
        def __getattribute__(self, name):
            raise AssertionError("asked")

    odd, plain = Odd(len, ""), Meta("Plain", (), {})

    def work():
        odd()
        plain()

    found = calls_of(work)
    assert sorted(name.rpartition(".")[2] for _, name in found) == ["Odd object>", "Plain'>"]


def test_what_has_a_row_is_not_among_them():
    def work():
        made(3)
        Callable()()
        len(())

    found = calls_of(work)
    assert not any("Callable object" in name or "len" in name for _, name in found)
    if COMES:
        assert calls_of(work, builtins="all") == {}


def test_with_a_timer_of_the_programs_nothing_is_measured():
    """It would run in the middle of the call."""
    assert calls_of(lambda: made(3), timer=Clock()) == {}


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_a_profile_that_is_cleared_counts_anew():
    profile = Profiler()
    profile.enable()
    made(9)
    profile.clear()
    made(4)
    profile.disable()
    snapshot = profile.snapshot()
    [record] = [
        it
        for thread in snapshot["threads"]
        for it in RECORD.iter_unpack(thread["object_calls"])
        if snapshot["functions"][it[1]][3] == f"<type '{__name__}.Plain'>"
    ]
    assert record[2] == 4


@pytest.mark.skipif(not COMES, reason="sys.setprofile does not tell of them")
def test_an_exception_ends_a_call():
    def work():
        for _ in range(5):
            with contextlib.suppress(ValueError):
                int("x")
        made(2)

    found = calls_of(work)
    assert found[work.__qualname__, "<type 'int'>"][0] == 5
    assert found["made", f"<type '{__name__}.Plain'>"][0] == 2
