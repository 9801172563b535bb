"""tracer.compat.paddle: programs of Paddle's guide with the import changed. Scheduler, tables,
files and errors have files of their own."""

import pytest

import tracer
import tracer.compat.paddle as profiler
from paddles import World, steps_of
from tracer.compat.paddle import ProfilerState, RecordEvent, TracerEventType


@pytest.fixture
def world(monkeypatch, tmp_path):
    return World(monkeypatch, tmp_path)


def test_a_range_of_steps(world):
    prof = world.run(10, scheduler=(2, 5))
    assert world.ready == [[2, 3, 4]]
    assert prof.step_num == 10
    assert prof.current_state is ProfilerState.CLOSED


def test_several_ranges(world):
    world.run(14, scheduler=profiler.make_scheduler(closed=1, ready=1, record=3, repeat=2))
    assert world.ready == [[2, 3, 4], [7, 8, 9]]


def test_all_steps_and_what_is_left_when_the_loop_stops(world):
    world.run(3)
    assert world.ready == [[0, 1, 2, 3]]  # as in Paddle: stop() ends a step, too


def test_start_step_and_stop_by_hand(world):
    prof = profiler.Profiler(on_trace_ready=world.note, scheduler=(1, 3))
    prof.start()
    world.loop(prof, 4)
    prof.stop()
    prof.stop()
    assert world.ready == [[1, 2]]


def test_a_scheduler_of_ones_own(world):
    states = [ProfilerState.READY, ProfilerState.RECORD_AND_RETURN, ProfilerState.CLOSED]
    asked = []

    def scheduler(step):
        asked.append(step)
        return states[step % 3]

    world.run(5, scheduler=scheduler)
    assert world.ready == [[1], [4]]
    assert asked == [*range(6)]


def test_a_cycle_that_stop_ends_in_its_first_step_is_handed_over(world):
    with pytest.warns(UserWarning, match="no step warms up"):
        scheduler = profiler.make_scheduler(closed=0, ready=0, record=2)
    world.run(4, scheduler=scheduler)
    assert world.ready == [[0, 1], [2, 3], [4]]


def test_a_callback_of_ones_own_sees_the_states(world):
    seen = []

    def ready(prof):
        seen.append((prof.step_num, prof.previous_state.name, prof.current_state.name))
        prof.summary(views=profiler.SummaryView.ModelView)

    world.run(6, scheduler=(2, 4), on_trace_ready=ready)
    assert seen == [(4, "RECORD_AND_RETURN", "CLOSED")]


def test_a_profiler_goes_on_counting_when_it_starts_again(world):
    prof = profiler.Profiler(on_trace_ready=world.note)
    for _ in range(2):
        prof.start()
        world.loop(prof, 2)
        prof.stop()
    assert world.ready == [[0, 1, 2], [2, 3, 4]]


def test_record_events_in_three_ways(world):
    @RecordEvent("decorated")
    def decorated():
        world.wait(3)

    by_hand = RecordEvent("by hand")
    with profiler.Profiler(on_trace_ready=world.note) as prof:
        with RecordEvent("with"):
            world.wait(1)
        by_hand.begin()
        world.wait(2)
        by_hand.end()
        by_hand.end()
        decorated()
        decorated()
        prof.step()
    (rows,) = prof.profiler_result.summary().ranges.values()
    assert [(row.name, row.calls, row.total) for row in rows] == [
        ("with", 1, 0.001),
        ("by hand", 1, 0.002),
        ("decorated", 2, 0.006),
    ]


def test_record_events_nest_and_recur(world):
    event = RecordEvent("again")
    with profiler.Profiler(on_trace_ready=world.note) as prof:
        with event, event:
            world.wait(2)
        prof.step()
    (rows,) = prof.profiler_result.summary().ranges.values()
    assert [(row.calls, row.total) for row in rows] == [(2, 0.004)]


def test_record_events_are_ranges_of_any_profile(clock):
    profile = tracer.Profile(clock, timeline=True)
    with profile:
        for kind in (TracerEventType.Forward, TracerEventType.PythonUserDefined):
            with RecordEvent("one", kind):
                clock.now += 1
    (capture,) = tracer.Stats(profile).captures
    found = [(it.name, it.category) for it in capture.timeline.ranges]
    assert found == [("one", "forward"), ("one", "PythonUserDefined")]


def test_record_events_outside_of_a_profile_do_nothing():
    with RecordEvent("alone") as event:
        assert event.name == "alone"
    assert event.event_type is TracerEventType.PythonUserDefined


def test_timer_only_records_nothing(world, capsys):
    prof = world.run(25, timer_only=True)
    assert (prof.profiler_result, world.ready, prof.step_num) == (None, [], 0)
    prof.summary()
    prof.export("nothing.json")
    assert [*world_files()] == []
    assert "batch_cost" in capsys.readouterr().out


def world_files():
    from pathlib import Path

    return Path().iterdir()


def test_step_info_is_of_the_steps_since_the_last_call(world):
    with profiler.Profiler(timer_only=True, on_trace_ready=world.note) as prof:
        assert prof.step_info() == ""
        world.loop(prof, 2, num_samples=7)
        assert prof.step_info("images") == " batch_cost: 0.07000 s ips: 100.000 images/s"
        assert prof.step_info() == ""
        world.loop(prof, 1, num_samples=14)
        assert prof.step_info() == " batch_cost: 0.07000 s ips: 200.000 samples/s"
        world.loop(prof, 1)
        assert prof.step_info("images") == " batch_cost: 0.07000 s ips: 14.286 steps/s"


def test_the_reader_is_in_step_info(world):
    with profiler.Profiler(timer_only=True, on_trace_ready=world.note) as prof:
        for _ in prof._steps.loader(range(4)):
            world.wait(10)
            prof.step(1)
        assert prof.step_info() == " batch_cost: 0.01000 s ips: 100.000 samples/s"


def test_what_is_not_recorded_is_said_once_in_one_line(world, capsys):
    targets = [profiler.ProfilerTarget.CPU, profiler.ProfilerTarget.GPU]
    options = {"targets": targets, "with_flops": True, "record_shapes": True}
    prof = world.run(2, **options)
    world.run(2, **options)
    prof.summary(views=[profiler.SummaryView.KernelView])
    prof.summary(views=profiler.SummaryView.KernelView)
    assert prof.targets == {profiler.ProfilerTarget.CPU}
    assert capsys.readouterr().err == (
        "tracer: not recorded: ProfilerTarget.GPU, record_shapes, with_flops; tracer profiles the "
        "CPU, and goes on with that\n"
        "tracer: not recorded: KernelView; tracer profiles the CPU, and goes on with that\n"
    )


def test_steps_outside_of_a_cycle_record_nothing(world):
    prof = world.run(9, scheduler=(7, 8))
    assert steps_of(prof) == [7]
    (capture,) = prof.profiler_result.stats.captures
    assert {it.category for it in capture.timeline.ranges} == {
        "step",
        "load",
        "forward",
        "backward",
        "optimizer",
    }
