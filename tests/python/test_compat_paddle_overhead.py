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
    assert moments.of(100) == 100
    assert moments.of_call(0, 200) == (90, 187)
    assert moments.of(200) == 187


def test_calls_inside_of_a_call_are_taken_out_of_it():
    moments = moments_of((100, 1, -1), (110, 2, 0), (150, 2, 0))
    assert moments.of_call(0, 200) == (90, 200 - 13 - 13 - 7)
    assert moments.of_call(1, 130) == (110 - 13 - 10, 130 - 13 - 13)
    assert moments.of_call(2, 170) == (150 - 13 - 13 - 5, 170 - 13 - 13 - 7)


def test_a_gap_costs_nothing():
    moments = moments_of((100, 0, -1), (120, 0, -1))
    assert moments.of(200) == 200


def test_no_call_ends_before_it_begins():
    moments = moments_of((100, 1, -1), (101, 2, 0), (102, 2, 0))
    start, end = moments.of_call(0, 103)
    assert start == end == 90


def test_no_range_ends_before_it_begins():
    moments = moments_of((100, 1, -1), (101, 2, 0), (102, 2, 0))
    assert moments.of_range(99, 103) == (99, 99)
    assert moments.of_range(99, 150) == (99, 150 - 13 - 13 - 7)


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
