"""Profiles that are made of samples: the hits of lines, as far as these are cheap."""

import sys
import textwrap
import threading
import time

import pytest

from sampled import NEEDS_COUNTS, NEEDS_SAMPLES
from shares import Shares, sampled
from tracer._core import Profiler

pytestmark = [NEEDS_SAMPLES, NEEDS_COUNTS]
HERE = __file__


def few(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += i
    return total


def loop(n):
    total = 0
    for i in range(n):
        total += i * i % 7
    return total


def generated(n):
    for i in range(n):
        yield i * i


def lines_of(function, *offsets):
    first = function.__code__.co_firstlineno
    return [(function.__qualname__, first + offset) for offset in offsets]


def hits_of(function, *args, include=(HERE,), **options):
    return sampled(lambda: function(*args), lines=(include, (), (), ()), **options)


def test_hits_are_exact():
    found = hits_of(few, 10).hits()
    assert [found[line] for line in lines_of(few, 1, 2, 3, 4, 5)] == [
        (1, True), (11, True), (10, True), (5, True), (1, True),
    ]  # fmt: skip


def test_a_generator_hits_where_it_goes_on():
    found = hits_of(lambda: list(generated(5))).hits()
    assert [found[line] for line in lines_of(generated, 1, 2)] == [(6, True), (5, True)]


def test_lines_of_all_threads_are_counted():
    def run():
        threads = [threading.Thread(target=few, args=(10,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert hits_of(run).hits()[lines_of(few, 3)[0]] == (40, True)


def test_a_line_that_is_too_dear_falls_silent():
    shares = hits_of(loop, 3_000_000, slowdown=0.01)
    found = shares.hits()
    once, head, body, end = (found[line] for line in lines_of(loop, 1, 2, 3, 4))
    assert (once, end) == ((1, True), (1, True))
    for hits, is_exact in head, body:
        assert not is_exact
        assert 1000 < hits < 3_000_000
    assert shares.counts()["loop"] == 1  # the function itself is cheap
    assert "loop" not in shares.partial()


def test_the_first_line_of_a_function_falls_silent_with_its_beginnings():
    """From 3.13 on, where a body begins in the function's first line, that line has an event only
    while the function's beginnings have."""
    short = lambda n: n  # noqa: E731

    def run():
        for n in range(400_000):
            short(n)

    found = hits_of(run, slowdown=0.001)
    assert short.__qualname__ in found.partial()
    [line] = lines_of(short, 0)
    hits, is_exact = found.hits()[line]
    assert not is_exact
    assert hits < 400_000


def test_only_the_code_that_is_asked_for_is_counted():
    found = hits_of(few, 10, include=("/elsewhere",))
    assert found.hits() == {}
    assert found.counts()["few"] == 1


def test_other_code_is_not_made_slow_by_lines():
    """Places that the interpreter never tells of stay slow where lines are on, and off again."""
    monitoring, line = sys.monitoring, sys.monitoring.events.LINE
    seen = {}

    def run():
        few(3)
        textwrap.dedent("a")
        [tool] = [it for it in range(6) if monitoring.get_tool(it) == "tracer"]
        codes = few.__code__, textwrap.dedent.__code__
        seen[tool] = (
            monitoring.get_events(tool),
            *(monitoring.get_local_events(tool, it) for it in codes),
        )

    hits_of(run)
    [(tool, events)] = seen.items()
    assert events == (monitoring.events.PY_START, line, 0)
    monitoring.use_tool_id(tool, "another")
    try:
        assert monitoring.get_local_events(tool, few.__code__) == 0
    finally:
        monitoring.free_tool_id(tool)


def passed_on(n):
    yield from generated(n)


def go_on_until(is_over, calls=True):
    """Generators go on, which the interpreter never tells of, until that is so or a minute of CPU
    is over. calls: now and then a function is called that is told of."""
    end = time.thread_time() + 60
    while True:
        sum(n for n in passed_on(10_000))
        if calls:
            few(1)
        if is_over() or time.thread_time() > end:
            break


def local_events(function):
    [tool] = [it for it in range(6) if sys.monitoring.get_tool(it) == "tracer"]
    return sys.monitoring.get_local_events(tool, function.__code__)


def test_lines_of_code_that_is_slow_without_an_event_fall_silent():
    def run():
        few(10)
        go_on_until(lambda: local_events(passed_on) == 0)
        assert local_events(passed_on) == 0
        assert local_events(few) == sys.monitoring.events.LINE
        few(10)

    shares = hits_of(run, slowdown=0.01)
    found = shares.hits()
    [line] = lines_of(passed_on, 1)
    hits, is_exact = found[line]
    assert hits >= 1
    assert not is_exact
    assert shares.facts["at_lines"] > 0 or sys.version_info >= (3, 14)


@pytest.mark.skipif(sys.version_info < (3, 13), reason="up to 3.12 only an event does it")
def test_lines_fall_silent_where_nothing_is_told():
    code = passed_on.__code__

    def run():
        [tool] = [it for it in range(6) if sys.monitoring.get_tool(it) == "tracer"]
        end = time.monotonic() + 60
        for _ in passed_on(10**9):
            if sys.monitoring.get_local_events(tool, code) == 0 or time.monotonic() > end:
                break
        assert sys.monitoring.get_local_events(tool, code) == 0

    list(passed_on(3))
    hits_of(run, slowdown=0.01)


def through_c(n):
    last = 0
    for number in map(sum, [range(20_000)] * n):
        last = number
    return last


def on_two_lines(n):
    for _ in range(n):
        last = sum(
            range(20_000),
        )
    return last


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="with tail calls it cannot be told apart")
@pytest.mark.parametrize("function", [through_c, on_two_lines])
def test_what_c_code_takes_where_a_line_begins_silences_nothing(function):
    """The instruction that tells of a line stands for that which calls the C code."""
    shares = hits_of(function, 1000, slowdown=0.1)
    assert shares.facts["at_lines"] == 0
    assert all(is_exact for _, is_exact in shares.hits().values())
    assert sum(hits for hits, _ in shares.hits().values()) > 2000


def test_lines_of_another_tool_are_not_charged():
    monitoring = sys.monitoring
    monitoring.use_tool_id(1, "another")
    monitoring.register_callback(1, monitoring.events.LINE, lambda *_: monitoring.DISABLE)
    monitoring.set_local_events(1, passed_on.__code__, monitoring.events.LINE)
    monitoring.set_local_events(1, generated.__code__, monitoring.events.LINE)
    try:
        end = time.thread_time() + 0.5
        shares = hits_of(
            lambda: go_on_until(lambda: time.thread_time() > end),
            include=("/elsewhere",),
            slowdown=0.01,
        )
    finally:
        for function in passed_on, generated:
            monitoring.set_local_events(1, function.__code__, 0)
        monitoring.register_callback(1, monitoring.events.LINE, None)
        monitoring.free_tool_id(1)
    assert shares.facts["at_lines"] == 0


def test_lines_that_are_silent_stay_so_until_the_profile_is_cleared():
    profile = Profiler(slowdown=0.01, rate=250, lines=((HERE,), (), (), ()))
    profile.enable()
    go_on_until(lambda: local_events(passed_on) == 0)
    profile.disable()
    profile.enable()
    list(passed_on(10))
    assert local_events(passed_on) == 0
    profile.clear()
    list(passed_on(10))
    assert local_events(passed_on) == sys.monitoring.events.LINE
    profile.disable()
    assert Shares(profile.snapshot()).hits()[lines_of(passed_on, 1)[0]] == (1, True)


def test_a_profile_may_be_gone_before_its_lines_fall_silent():
    for turn in range(5):
        profile = Profiler(slowdown=0.001, rate=1000, lines=((HERE,), (), (), ()))
        profile.enable()
        end = time.thread_time() + 0.04 + 0.01 * turn
        go_on_until(lambda: time.thread_time() > end)  # noqa: B023
        profile.disable()
        del profile
    list(generated(10))


def test_a_profile_that_goes_on_counts_the_lines_of_before():
    profile = Profiler(slowdown=1.0, rate=250, lines=((HERE,), (), (), ()))
    for _ in range(3):
        profile.enable()
        few(10)
        profile.disable()
        few(10)
    assert Shares(profile.snapshot()).hits()[lines_of(few, 3)[0]] == (30, True)


def test_without_lines_nothing_is_counted():
    shares = sampled(lambda: few(10))
    assert shares.facts["hits"] is None


def test_the_next_profile_counts_lines_again():
    hits_of(loop, 1_000_000, slowdown=0.001)
    assert hits_of(few, 10).hits()[lines_of(few, 3)[0]] == (10, True)
    sampled(lambda: few(10))  # which wants no lines
    assert hits_of(few, 10).hits()[lines_of(few, 3)[0]] == (10, True)


def test_one_profile_with_lines_beside_one_without():
    plain = Profiler(slowdown=1.0, rate=250)
    plain.enable()
    found = hits_of(few, 10).hits()
    plain.disable()
    assert found[lines_of(few, 3)[0]] == (10, True)


def test_a_profile_that_is_cleared_counts_lines_again():
    profile = Profiler(slowdown=1.0, rate=250, lines=((HERE,), (), (), ()))
    profile.enable()
    few(10)
    profile.clear()
    few(6)
    profile.disable()
    assert Shares(profile.snapshot()).hits()[lines_of(few, 3)[0]] == (6, True)


@pytest.mark.parametrize("lines", [3, "ab", ((),), ((), (), (), []), ((1,), (), (), ())])
def test_lines_that_are_no_paths(lines):
    with pytest.raises(TypeError):
        Profiler(slowdown=1.0, rate=250, lines=lines)


def test_no_tool_is_left():
    hits_of(few, 10)
    assert all(sys.monitoring.get_tool(it) is None for it in range(6))
