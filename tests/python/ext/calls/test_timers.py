"""What time is measured by: the wall clock, CPU time, and a function of the user's own.

A custom timer may raise or return nonsense, in the middle of every event; those that change the
very profile that asks them are in test_timers_that_meddle.py.
"""

import itertools
import sys
import threading
import time
from decimal import Decimal
from fractions import Fraction

import pytest

import tracer
from rows import Clock, by_name, calls, record
from tracer._core import unrecorded


def leaf():
    pass


def outer():
    leaf()
    leaf()


@pytest.fixture
def unraisable(monkeypatch):
    """What was reported as unraisable; nothing else can report an error in the middle of a call."""
    reports = []
    monkeypatch.setattr(sys, "unraisablehook", lambda report: reports.append(report.exc_value))
    return reports


# -- The wall clock ----------------------------------------------------------------------------


@pytest.mark.parametrize("timer", [None, "wall"])
def test_wall_time_is_that_of_perf_counter(timer):
    def nap():
        start = time.perf_counter()
        time.sleep(0.3)
        return time.perf_counter() - start

    profile = tracer.Profile(timer)
    before = time.perf_counter()
    least = profile.runcall(nap)
    most = time.perf_counter() - before
    assert least * 0.999 <= by_name(profile)["nap"].cumtime <= most * 1.001


@pytest.mark.parametrize("timer", ["wall", "cpu"])
def test_the_tottimes_make_the_cumtime_of_the_root(timer):
    def work():
        sorted(range(100), key=str)
        [outer() for _ in range(100)]

    profile = record(work, timer=timer)
    rows = by_name(profile)
    total = sum(row.tottime for row in rows.values())
    assert total > 0
    assert rows["work"].cumtime == pytest.approx(total, rel=1e-9, abs=0)
    assert tracer.Stats(profile).total_tt == pytest.approx(total, rel=1e-9, abs=0)


# -- CPU time ----------------------------------------------------------------------------------


def spin(seconds):
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass
    return time.thread_time() - start


def test_cpu_time_does_not_count_sleep():
    def nap():
        time.sleep(0.2)

    profile = tracer.Profile("cpu")
    profile.runcall(nap)
    assert by_name(profile)["nap"].cumtime < 0.2


def test_cpu_time_counts_work():
    profile = tracer.Profile("cpu", builtins=False)
    before = time.thread_time()
    least = profile.runcall(spin, 0.05)
    most = time.thread_time() - before
    assert least * 0.999 <= by_name(profile)["spin"].cumtime <= most * 1.001


def test_cpu_time_is_that_of_each_thread():
    lock = threading.Lock()
    profile = tracer.Profile("cpu", builtins=False)

    def idle():
        with lock:
            pass

    with profile, lock:
        thread = threading.Thread(target=idle, name="idle")
        thread.start()
        spin(0.1)
    thread.join()
    main, other = tracer.Stats(profile).threads
    assert main.total_tt >= 0.09
    assert other.total_tt < 0.05


# -- Custom timers -----------------------------------------------------------------------------


def run_by(clock, timeunit=0.0):
    def inner():
        clock.now += 2

    def root():
        clock.now += 1
        inner()
        clock.now += 4

    profile = tracer.Profile(clock, timeunit)
    clock.now += 1000
    profile.runcall(root)
    clock.now += 1000
    rows = by_name(profile)
    return [(rows[name].tottime, rows[name].cumtime) for name in ("root", "inner")]


def test_integers_are_units():
    assert run_by(Clock(), 0.25) == [(1.25, 1.75), (0.5, 0.5)]


def test_numbers_without_a_unit_are_seconds():
    assert run_by(Clock()) == [(5.0, 7.0), (2.0, 2.0)]


@pytest.mark.parametrize("kind", [float, Fraction, Decimal])
def test_any_number_will_do(kind):
    clock = Clock()
    assert run_by(clock) == [(5.0, 7.0), (2.0, 2.0)]

    class Kind(Clock):
        def __call__(self):
            return kind(self.now)

    assert run_by(Kind()) == [(5.0, 7.0), (2.0, 2.0)]


def test_a_timer_may_be_a_builtin():
    profile = tracer.Profile(time.perf_counter)
    profile.runcall(outer)
    assert calls(profile) == {"outer": 1, "leaf": 2}  # the timer's own calls are not seen
    assert 0 < by_name(profile)["outer"].cumtime < 1


def test_the_calls_of_a_timer_are_not_seen():
    counter = itertools.count()

    def timer():
        leaf()
        return next(counter)

    profile = tracer.Profile(timer)
    profile.runcall(outer)
    assert calls(profile) == {"outer": 1, "leaf": 2}


def test_a_clock_that_runs_backwards_does_no_harm():
    counter = itertools.count(0, -1)
    profile = tracer.Profile(lambda: next(counter), 1.0)
    profile.runcall(outer)
    assert by_name(profile)["outer"].cumtime < 0
    tracer.Stats(profile)


@pytest.mark.parametrize("timer", [1, 1.5, "real", b"wall", []])
def test_what_is_no_timer_is_refused(timer):
    with pytest.raises(TypeError, match="timer must be None, 'wall', 'cpu' or a callable"):
        tracer.Profile(timer)


@pytest.mark.parametrize("timeunit", [-1.0, float("nan"), float("inf"), float("-inf")])
def test_a_bad_unit_is_refused(timeunit):
    for kind in tracer.Profile, tracer.LineProfiler:
        with pytest.raises(ValueError, match=r"^timeunit must be a finite number, 0 or more: "):
            kind(timer=Clock(), timeunit=timeunit)


def test_a_unit_that_is_no_number_is_refused():
    with pytest.raises(TypeError):
        tracer.Profile(Clock(), "second")


@pytest.mark.parametrize(
    "value, timeunit, error",
    [
        ("now", 0.0, TypeError),
        (None, 0.0, TypeError),
        (int, 0.0, TypeError),
        (1.5, 1.0, TypeError),
        ("now", 1.0, TypeError),
        (2**70, 1.0, OverflowError),
        (1e300, 0.0, OverflowError),
        (float("nan"), 0.0, OverflowError),
        (10**400, 0.0, OverflowError),
    ],
)
def test_a_timer_that_gives_no_time_is_reported_once(unraisable, value, timeunit, error):
    profile = tracer.Profile(lambda: value, timeunit)
    profile.runcall(outer)
    assert [type(report) for report in unraisable] == [error]
    assert calls(profile) == {"outer": 1, "leaf": 2}
    assert by_name(profile)["outer"].cumtime == 0


def test_a_timer_that_raises_is_reported_once(unraisable):
    def timer():
        raise KeyError("no time")

    profile = tracer.Profile(timer)
    assert profile.runcall(lambda: (leaf(), 5)[1]) == 5
    assert [repr(report) for report in unraisable] == ["KeyError('no time')"]
    assert [e.callcount for e in profile.getstats() if e.code is leaf.__code__] == [1]
    profile.runcall(leaf)  # enabled anew, reported anew
    assert len(unraisable) == 2


def test_a_failing_timer_leaves_the_exception_of_the_program_alone(unraisable):
    def timer():
        raise KeyError("no time")

    def program():
        raise LookupError("the program's")

    profile = tracer.Profile(timer)
    with pytest.raises(LookupError, match="the program's"):
        profile.runcall(program)


def test_a_thread_that_is_left_out_reads_no_timer():
    def timer():
        readers.add(threading.get_ident())
        return 0

    readers = set()
    profile = tracer.Profile(timer, threads=False)
    thread = threading.Thread(target=lambda: [leaf() for _ in range(10)])
    with profile:
        leaf()
        thread.start()
        thread.join()
    assert readers == {threading.get_ident()}
    assert [e.callcount for e in profile.getstats() if e.code is leaf.__code__] == [1]


def test_a_pause_reads_the_timer_when_it_begins_and_when_it_ends():
    def timer():
        reads[0] += 1
        return reads[0]

    reads = [0]
    profile = tracer.Profile(timer, builtins=False)
    with profile:
        before = reads[0]
        with unrecorded:
            for _ in range(10):
                leaf()
        paused = reads[0] - before
    assert paused == 2


def test_threads_inside_one_timer():
    """The threads leave it in any order, and neither is taken for being in it afterwards."""

    def timer():
        time.sleep(0.0001)
        return time.perf_counter()

    def leaf():
        pass

    def work():
        for _ in range(100):
            leaf()

    profile = tracer.Profile(timer)
    profile.enable()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    profile.disable()
    assert [
        row[:2] for label, row in tracer.Stats(profile).stats.items() if label[2] == "leaf"
    ] == [(400, 400)]
