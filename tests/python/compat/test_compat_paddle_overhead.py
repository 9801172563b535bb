"""The times of tracer.compat.paddle without tracing overhead: moments of a thread, by costs that
are known, and that a Profiler measures them."""

from types import SimpleNamespace

import tracer.compat.paddle as profiler
from tracer.compat.paddle_parts.overhead import NOTHING, Moments, costs_of_functions

# Ticks of (callee, caller): of the first call in an activation, of later ones.
COST = ((3.0, 10.0), (2.0, 5.0))


def moments_of(*slices):
    """slices: (start, node, position of the caller or -1), of nodes whose calls cost COST; 0: a
    gap."""
    starts, nodes, parents = zip(*slices, strict=True)
    columns = SimpleNamespace(starts=starts, nodes=nodes, parents=parents)
    return Moments(columns, [NOTHING, COST, COST])


def test_what_a_call_costs_its_caller_is_before_it_and_the_rest_is_in_it():
    moments = moments_of((100, 1, -1))
    assert moments.of(50) == 50
    assert [moments.of(tick) for tick in (90, 95, 100, 103)] == [90] * 4
    assert moments.of_call(0, 200) == (90, 187)
    assert moments.of(200) == 187


def test_calls_inside_of_a_call_are_taken_out_of_it():
    moments = moments_of((100, 1, -1), (120, 2, 0), (150, 2, 0))
    assert moments.of_call(0, 200) == (90, 200 - 13 - 13 - 7)
    assert moments.of_call(1, 130) == (120 - 13 - 10, 130 - 13 - 13)
    assert moments.of_call(2, 170) == (150 - 13 - 13 - 5, 170 - 13 - 13 - 7)


def test_a_gap_costs_nothing():
    moments = moments_of((100, 0, -1), (120, 0, -1))
    assert moments.of(200) == 200


def test_no_call_ends_before_it_begins():
    moments = moments_of((100, 1, -1), (101, 2, 0), (102, 2, 0))
    start, end = moments.of_call(0, 103)
    assert start == end == 90


def test_a_call_that_comes_too_soon_begins_with_the_one_before():
    """10 ticks before the first call and 3 in it, and 10 before the second, which has 8."""
    moments = moments_of((100, 1, -1), (108, 2, 0))
    assert moments.of_call(1, 130) == (90, 130 - 13 - 13)
    assert moments.of_call(0, 140) == (90, 140 - 13 - 13)


def test_a_later_tick_never_has_an_earlier_moment():
    moments = moments_of((100, 1, -1), (101, 2, 0), (102, 2, 0), (102, 1, 2), (160, 2, 0))
    found = [moments.of(tick) for tick in range(80, 200)]
    assert found == sorted(found)
    # The first four calls cost 13 + 13 + 7 + 13 ticks: 10 before the first start, the rest behind.
    # The last costs 5 before its start, and 2 behind.
    assert (moments.of(90), moments.of(102), moments.of(110)) == (90, 90, 90)
    assert (moments.of(136), moments.of(137), moments.of(155)) == (90, 91, 155 - 46)
    assert (moments.of(156), moments.of(160), moments.of(162)) == (109, 109, 109)
    assert moments.of(170) == 170 - 53


def test_no_range_ends_before_it_begins():
    moments = moments_of((100, 1, -1), (101, 2, 0), (102, 2, 0))
    assert (moments.of(99), moments.of(103)) == (90, 90)
    assert moments.of(150) == 150 - 13 - 13 - 7


def test_a_profiler_measures_what_its_calls_cost():
    def work():
        for number in range(3000):
            abs(number)

    with profiler.Profiler(on_trace_ready=lambda prof: None) as prof:
        with profiler.RecordEvent("work"):
            work()
        prof.step()
    result = prof.profiler_result
    (capture,) = result.stats.captures
    costs = costs_of_functions(capture)
    assert max(cost for sides in costs for side in sides for cost in side) > 0
    (rows,) = result.summary().ranges.values()
    (range_,) = [it for it in capture.timeline.ranges if it.name == "work"]
    measured = (range_.end - range_.start) * capture.timeline.seconds_per_tick
    assert 0 <= rows[0].total < measured  # nearly all of it is overhead


def test_a_timer_alone_measures_no_costs():
    prof = profiler.Profiler(timer_only=True, on_trace_ready=lambda prof: None)
    assert prof._steps._options["compensate"] is False
