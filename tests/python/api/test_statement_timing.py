"""tracer.time(): the times of a statement, with exact numbers from a clock that it advances itself;
and where the time goes, in a run of its own.
"""

import gc
import inspect
import math
import sys
import timeit

import pytest

import tracer
from tracer.report.statement_timing import best_line, doubt, spread_line, time_text


class Clock:
    """A timer that stands still but for tick(), and counts the loops of each kind."""

    def __init__(self, *steps):
        self.now = 0.0
        self.steps = list(steps)  # the seconds of each tick; the last one stays
        self.ticks = 0

    def __call__(self):
        return self.now

    def tick(self):
        self.ticks += 1
        self.now += self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]


def test_the_figures_of_repeats():
    clock = Clock(1, 2, 3, 5, 4, 6)
    timing = tracer.time(clock.tick, number=2, repeat=3, timer=clock)
    assert timing.number == 2
    assert timing.totals == (3.0, 8.0, 10.0)
    assert timing.repeats == (1.5, 4.0, 5.0)
    assert timing.best == 1.5
    assert timing.mean == 3.5
    assert timing.stdev == math.sqrt((4 + 0.25 + 2.25) / 2)
    assert timing.stats is None
    assert repr(timing) == "2 loops, best of 3: 1.5 sec per loop"
    assert str(timing) == (
        "2 loops, best of 3: 1.5 sec per loop\n"
        "3 repeats: mean 3.5 sec, standard deviation 1.8 sec, best 1.5 sec per loop"
    )


def test_one_repeat_has_no_deviation():
    clock = Clock(0.25)
    timing = tracer.time(clock.tick, number=1, repeat=1, timer=clock)
    assert math.isnan(timing.stdev)
    assert str(timing) == (
        "1 loop, best of 1: 250 msec per loop\n1 repeat: mean 250 msec, best 250 msec per loop"
    )


@pytest.mark.parametrize(
    ("step", "number"), [(1, 1), (0.2, 1), (0.19, 2), (0.1, 2), (0.05, 5), (0.01, 20), (0.001, 200)]
)
def test_the_number_of_loops_is_that_of_autorange(step, number):
    clock, other = Clock(step), Clock(step)
    found = tracer.time(clock.tick, timer=clock).number
    assert (found, timeit.Timer(other.tick, timer=other).autorange()[0]) == (number, number)


def test_setup_runs_before_each_loop_and_is_not_timed():
    clock, setups = Clock(1), []
    timing = tracer.time(
        clock.tick, lambda: (clock.tick(), setups.append(1)), number=3, repeat=4, timer=clock
    )
    assert timing.totals == (3.0,) * 4
    assert len(setups) == 4


def test_texts_run_in_the_namespace_given():
    names = {"found": []}
    tracer.time("found.append(x)", "x = 3", number=2, repeat=1, globals=names)
    assert names["found"] == [3, 3]


def test_texts_have_timeits_names_and_leave_none_behind():
    tracer.time("gc, sys, time, itertools", "global kept\nkept = gc.isenabled()", number=1)
    tracer.time("assert not hasattr(timeit, 'kept')", "import timeit", number=1)
    tracer.time("assert __name__ == '__main__'", number=1)


def test_garbage_is_not_collected_meanwhile_unless_the_setup_asks():
    states = []
    tracer.time(lambda: states.append(gc.isenabled()), number=1, repeat=1, profile=True)
    assert states == [False, False]
    names = {"states": states, "gc": gc}
    tracer.time("states.append(gc.isenabled())", "gc.enable()", number=1, repeat=1, globals=names)
    assert states[2:] == [True]
    assert gc.isenabled()


# -- Where the time goes ------------------------------------------------------------------------

WORK = """
def leaf():
    clock.tick()
def work(n):
    for i in range(n): leaf()
"""


def rows(stats):
    return {
        name: (calls, tottime) for (_, _, name), (_, calls, tottime, _, _) in stats.stats.items()
    }


def test_calls_are_exact_and_timed_by_the_same_timer():
    clock = Clock(0.5)
    names = {"clock": clock}
    exec(WORK, names)
    timing = tracer.time(
        "work(3)", "work(100)", number=4, repeat=2, timer=clock, globals=names, profile=True
    )
    found = rows(timing.stats)
    assert found["work"] == (4, 0.0)
    assert found["leaf"] == (12, 0.0)
    assert found["tick"] == (12, 6.0)
    assert found["inner"] == (0, 0.0)
    assert timing.totals == (6.0, 6.0)
    assert clock.ticks == (2 + 1) * (100 + 12)
    assert timing.stats.total_calls == 4 + 12 + 12 + 12  # work, leaf, tick, len


def test_nothing_but_the_loop_is_in_the_profile():
    timing = tracer.time("len('')", "int(); str()", number=3, profile=True)
    assert [*rows(timing.stats)] == ["inner", "<built-in method builtins.len>"]
    assert timing.stats.fcn_list[0][2] == "inner" or len(timing.stats.fcn_list) == 2


def test_a_caller_that_the_statement_calls_has_a_row():
    depth = []

    def outer():
        depth.append(1)
        return tracer.time(outer, number=1, repeat=1, profile=True) if len(depth) == 1 else None

    timing = outer()
    assert rows(timing.stats)["outer"][0] == 1
    assert len(depth) == 3


def test_the_rows_are_sorted_by_own_time():
    clock = Clock(0.5)
    timing = tracer.time(clock.tick, number=1, repeat=1, timer=clock, profile=True)
    assert timing.stats.fcn_list[0][2] == "tick"


def test_cpu_time_is_profiled_as_cpu_time():
    import time

    timing = tracer.time("time.sleep(0.2)", number=1, repeat=1, timer=time.process_time)
    assert timing.best < 0.1
    timing = tracer.time(
        "time.sleep(0.2)", number=1, repeat=1, timer=time.process_time, profile=True
    )
    (capture,) = timing.stats.captures
    assert capture.clock == "cpu"
    assert timing.stats.total_tt < 0.1


def test_other_profiles_record_the_run_under_the_profile_alone():
    def work():
        pass

    # Another thread of another test may still run a function of this name.
    label = work.__code__.co_filename, work.__code__.co_firstlineno, "work"
    with tracer.Profile() as profile:
        tracer.time(work, number=7, repeat=2)
    assert label not in tracer.Stats(profile).stats
    with tracer.Profile() as profile:
        tracer.time(work, number=7, repeat=2, profile=True)
    assert tracer.Stats(profile).stats[label][1] == 7


# -- What is wrong -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"number": 0}, ValueError, "number must be 1 or more, not 0"),
        ({"number": -1}, ValueError, "number must be 1 or more, not -1"),
        ({"repeat": 0}, ValueError, "repeat must be 1 or more, not 0"),
        ({"number": 1.5}, TypeError, "number must be a whole number, not float"),
        ({"repeat": "3"}, TypeError, "repeat must be a whole number, not str"),
        ({"repeat": None}, TypeError, "repeat must be a whole number, not NoneType"),
        ({"statement": 1}, TypeError, "statement must be a text or a callable, not int"),
        ({"setup": None}, TypeError, "setup must be a text or a callable, not NoneType"),
    ],
)
def test_bad_arguments(options, kind, text):
    with pytest.raises(kind) as caught:
        tracer.time(**options)
    assert str(caught.value) == text


def test_an_error_of_the_statement_is_raised_and_shows_its_line():
    import traceback

    with pytest.raises(ZeroDivisionError) as caught:
        tracer.time("x = 1\n1 / 0", profile=True)
    assert "    1 / 0\n" in "".join(traceback.format_exception(caught.value))
    assert gc.isenabled()
    with pytest.raises(SyntaxError):
        tracer.time("1 +")


def test_an_error_of_the_second_run_ends_the_profile():
    runs = []

    def work():
        runs.append(1)
        if len(runs) > 1:
            raise KeyError("second")

    with pytest.raises(KeyError, match="second"):
        tracer.time(work, number=1, repeat=1, profile=True)
    with tracer.Profile() as profile:  # none other holds the hooks
        len("")
    assert rows(tracer.Stats(profile))


# -- Its name ------------------------------------------------------------------------------------


def test_a_star_import_leaves_the_module_time_alone():
    names = {}
    exec("import time\nfrom tracer import *\nfound = time", names)
    assert names["found"] is sys.modules["time"]
    assert "time" in dir(tracer)
    assert "time" not in tracer.__all__


def test_the_signature():
    assert str(inspect.signature(tracer.time)).partition(" ->")[0] == (
        "(statement: 'Statement' = 'pass', setup: 'Statement' = 'pass', *, "
        "number: 'int | None' = None, repeat: 'int' = 5, "
        "timer: 'Callable[[], float] | None' = None, globals: 'dict[str, Any] | None' = None, "
        "profile: 'bool' = False)"
    )


# -- The text ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 nsec"),
        (1.23456e-12, "0.00123 nsec"),
        (9.999e-10, "1 nsec"),
        (1e-9, "1 nsec"),
        (1.5e-6, "1.5 usec"),
        (999.9e-6, "1e+03 usec"),
        (0.001, "1 msec"),
        (1, "1 sec"),
        (12345, "1.23e+04 sec"),
    ],
)
def test_times_in_their_unit(seconds, text):
    assert time_text(seconds) == text


def test_units_and_digits_that_are_asked_for():
    assert time_text(1.23456, "msec", 5) == "1234.6 msec"
    assert best_line(1, [2e-9, 1e-9], "usec") == "1 loop, best of 2: 0.001 usec per loop"
    assert spread_line([1.0, 1.0], 1.0, 0.0, "sec") == (
        "2 repeats: mean 1 sec, standard deviation 0 sec, best 1 sec per loop"
    )


def test_repeats_that_differ_much_are_doubted():
    assert doubt([1.0, 3.99]) == ""
    assert doubt([0.0, 1.0]) == ""
    assert doubt([1.0, 2.0, 4.0]).startswith(
        "the slowest repeat (4 sec per loop) took 4.0 times as long as the best (1 sec): "
    )
