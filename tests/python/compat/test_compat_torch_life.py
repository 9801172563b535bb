"""tracer.compat.torch.profile: starts, stops, and what goes wrong at each point of a cycle."""

import threading

import pytest

from torching import CLOCK, Profile, go_on, load, loop, rows, steps_of
from tracer.compat.torch import ProfilerAction, schedule

CYCLE = {"wait": 1, "warmup": 1, "active": 2}


class Lost(Exception):
    pass


@pytest.mark.parametrize(
    ("steps", "kept", "ready"),
    [
        (1, None, 0),
        (2, [2], 1),
        (3, [2, 3], 1),
        (4, [2, 3], 1),
        (6, [6], 2),
        (7, [6, 7], 2),
        (8, [6, 7], 2),
    ],
)
def test_a_loop_that_ends_in_a_cycle_keeps_it_with_the_step_that_ran(steps, kept, ready):
    """As in PyTorch; only what was kept stays, where PyTorch's next warm-up throws it away."""
    seen = []
    profiler = loop(Profile(schedule=schedule(**CYCLE), on_trace_ready=seen.append), steps, load)
    assert len(seen) == ready
    assert steps_of(profiler.events()) == [f"ProfilerStep#{number}" for number in kept or ()]
    assert profiler.step_num == steps


def test_nothing_was_to_be_recorded(tmp_path):
    profiler = Profile(schedule=lambda step: ProfilerAction.NONE)
    for look in (profiler.key_averages, profiler.events):
        with pytest.raises(AssertionError, match=r"nothing was recorded: start\(\) the profiler"):
            look()
    loop(profiler, 3, load)
    with pytest.raises(AssertionError, match="see that its schedule records a step"):
        profiler.key_averages()
    with pytest.raises(AssertionError):
        profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    profiler = loop(Profile(schedule=schedule(wait=1, warmup=5, active=1)), 2, load)
    assert profiler.key_averages() == []
    with pytest.raises(ValueError, match="no step was recorded, so there is no trace"):
        profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    assert list(tmp_path.iterdir()) == []


def test_while_it_records_it_tells_what_there_is():
    with Profile() as profiler:
        load()
        assert rows(profiler.key_averages())["load"] == (1, 7, 7)
        load()
    assert rows(profiler.key_averages())["load"] == (2, 14, 14)


def test_a_second_stop_does_nothing():
    seen = []
    profiler = Profile(on_trace_ready=seen.append)
    profiler.start()
    load()
    profiler.stop()
    profiler.stop()
    assert len(seen) == 1


def test_a_stop_before_the_start():
    with pytest.raises(RuntimeError, match=r"stop\(\) before start\(\)"):
        Profile().stop()


def test_a_second_start():
    wrong = pytest.raises(RuntimeError, match=r"start\(\) was called before: call stop\(\) first")
    with Profile() as profiler, wrong:
        profiler.start()


def test_steps_outside_are_counted_and_not_recorded():
    profiler = Profile(schedule=schedule(wait=0, warmup=1, active=1, repeat=1))
    profiler.step()
    loop(profiler, 3, load)
    profiler.step()
    assert profiler.step_num == 5
    assert profiler.current_action is ProfilerAction.NONE


def test_it_can_be_started_again_and_counts_on():
    seen = []
    profiler = Profile(
        schedule=schedule(**CYCLE), on_trace_ready=lambda it: seen.append(steps_of(it.events()))
    )
    loop(profiler, 5, load)
    assert profiler.step_num == 5
    loop(profiler, 5, load)
    assert profiler.step_num == 10
    assert seen == [
        ["ProfilerStep#2", "ProfilerStep#3"],
        ["ProfilerStep#6", "ProfilerStep#7"],
        ["ProfilerStep#10"],
    ]


def test_a_step_in_another_thread():
    said = []

    def step():
        try:
            profiler.step()
        except RuntimeError as error:
            said.append(str(error))

    with Profile() as profiler:
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
        profiler.step()
    assert len(said) == 1 and "another thread" in said[0]
    assert profiler.step_num == 1


@pytest.mark.parametrize("at", range(6))
def test_an_exception_of_the_program_at_each_step(at):
    """The block is left by the program's exception; what was recorded is there."""
    seen = []

    def work():
        load()
        if profiler.step_num == at:
            raise Lost

    profiler = Profile(
        schedule=schedule(**CYCLE, repeat=1),
        on_trace_ready=lambda it: seen.append(steps_of(it.events())),
    )
    with pytest.raises(Lost):
        loop(profiler, 6, work)
    cycle = ["ProfilerStep#2", "ProfilerStep#3"]
    assert seen == ([cycle[: at - 1]] if at >= 2 else [])
    if seen:
        assert rows(profiler.key_averages())["load"][0] == min(2, at - 1)


def test_an_exception_of_on_trace_ready_comes_out_of_step_and_the_next_cycle_is_whole():
    seen = []

    def ready(profiler):
        seen.append(steps_of(profiler.events()))
        raise Lost

    profiler = Profile(schedule=schedule(wait=0, warmup=1, active=2), on_trace_ready=ready)
    raised = []
    with profiler:
        for number in range(6):
            load()
            try:
                profiler.step()
            except Lost:
                raised.append(number)
    assert raised == [2, 5]
    assert seen == [["ProfilerStep#1", "ProfilerStep#2"], ["ProfilerStep#4", "ProfilerStep#5"]]
    assert rows(profiler.key_averages())["load"] == (2, 14, 14)


def test_an_exception_of_on_trace_ready_comes_out_of_the_end():
    def ready(profiler):
        raise Lost

    with pytest.raises(Lost), Profile(on_trace_ready=ready) as profiler:
        load()
    assert rows(profiler.key_averages()) == {"load": (1, 7, 7)}
    profiler.stop()


def test_an_exception_of_the_schedule_comes_out_of_step():
    def ask(step):
        if step == 3:
            raise Lost
        return ProfilerAction.RECORD

    seen = []
    with Profile(schedule=ask, on_trace_ready=seen.append) as profiler:
        go_on(profiler, 2, load)
        with pytest.raises(Lost):
            profiler.step()
        go_on(profiler, 2, load)
    assert len(seen) == 1
    assert rows(profiler.key_averages())["load"] == (2, 14, 14)


def test_on_trace_ready_may_stop_it():
    profiler = Profile(
        schedule=schedule(wait=0, warmup=1, active=1), on_trace_ready=lambda it: it.stop()
    )
    loop(profiler, 6, load)
    assert steps_of(profiler.events()) == ["ProfilerStep#1"]


def test_the_action_of_each_step():
    profiler = Profile(schedule=schedule(**CYCLE, repeat=1))
    assert profiler.current_action is ProfilerAction.NONE
    seen = []
    with profiler:
        for _ in range(5):
            seen.append((profiler.step_num, profiler.current_action.name))
            CLOCK.now += 1
            profiler.step()
    assert seen == [
        (0, "NONE"),
        (1, "WARMUP"),
        (2, "RECORD"),
        (3, "RECORD_AND_SAVE"),
        (4, "NONE"),
    ]


def test_each_cycle_has_an_id():
    ids = iter(["first", "second", "third"])
    seen = []
    profiler = Profile(
        schedule=schedule(wait=0, warmup=1, active=1, repeat=2),
        on_trace_ready=lambda it: seen.append(it.get_trace_id()),
        custom_trace_id_callback=lambda: next(ids),
    )
    assert profiler.get_trace_id() == ""
    loop(profiler, 5, load)
    assert seen == ["first", "second"]
    profiler.set_custom_trace_id_callback(None)
    with profiler:
        pass
    assert profiler.get_trace_id() == "second"
