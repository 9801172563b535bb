"""tracer.compat.paddle in wrong hands: exceptions at each point of a cycle, bad arguments."""

import threading

import pytest

import tracer.compat.paddle as profiler
from paddles import World
from tracer.compat.paddle import ProfilerState, RecordEvent, TracerEventType


@pytest.fixture
def world(monkeypatch, tmp_path):
    return World(monkeypatch, tmp_path)


@pytest.mark.parametrize(("step", "ready"), [(0, []), (2, [[2]]), (3, [[2, 3]]), (5, [[2, 3]])])
def test_an_exception_in_the_loop_ends_the_cycle_and_goes_on_its_way(world, step, ready):
    def fail_at():
        with profiler.Profiler(scheduler=(2, 4), on_trace_ready=world.note) as prof:
            for number in range(7):
                with RecordEvent("work"):
                    if number == step:
                        raise KeyError(number)
                prof.step()

    with pytest.raises(KeyError):
        fail_at()
    assert world.ready == ready


def test_stopped_while_ready_nothing_is_saved_and_that_is_said(world):
    with pytest.warns(UserWarning, match=r"^stop\(\) in state READY") as seen:
        world.run(1, scheduler=(2, 4))
    assert world.ready == []
    assert seen[0].filename.endswith("paddles.py")


def test_a_callback_that_raises_is_warned_of_and_the_loop_goes_on(world):
    def ready(prof):
        raise OSError("the disk is full")

    with pytest.warns(RuntimeWarning, match="on_ready raised OSError: the disk is full"):
        prof = world.run(9, scheduler=(1, 3), on_trace_ready=ready)
    assert prof.step_num == 9
    assert prof.profiler_result is not None


def test_a_callback_may_stop_the_profiler(world):
    def ready(prof):
        world.note(prof)
        prof.stop()

    world.run(9, scheduler=(1, 3), on_trace_ready=ready)
    assert world.ready == [[1, 2]]


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([1, 0, 0], "from READY to CLOSED: the cycle ended before it recorded a step"),
        ([2, 0, 0], "from RECORD to CLOSED: the cycle has no step RECORD_AND_RETURN"),
        ([2, 1, 1], "from RECORD to READY: the cycle has no step RECORD_AND_RETURN"),
    ],
)
def test_a_cycle_that_the_scheduler_does_not_end_is_dropped(world, states, said):
    with pytest.warns(UserWarning, match=said) as seen:
        prof = world.run(2, scheduler=lambda step: ProfilerState(states[step]))
    assert (world.ready, prof.profiler_result) == ([], None)
    assert all(it.filename.endswith("paddles.py") for it in seen)


def test_a_scheduler_that_raises_ends_the_recording(world):
    def scheduler(step):
        if step == 3:
            raise LookupError("no plan")
        return ProfilerState.RECORD

    with pytest.raises(LookupError, match="no plan"):
        world.run(5, scheduler=scheduler)


def test_a_scheduler_that_raises_at_once_starts_nothing(world):
    def scheduler(step):
        raise LookupError("no plan")

    with pytest.raises(LookupError, match="no plan"):
        profiler.Profiler(scheduler=scheduler, on_trace_ready=world.note)


def test_a_scheduler_returns_states(world):
    with pytest.raises(TypeError, match=r"^the scheduler returned 7 for step 0; it must return a "):
        world.run(1, scheduler=lambda step: 7)


@pytest.mark.parametrize("scheduler", [7, (1, 2, 3), "all"])
def test_other_schedulers_are_refused(world, scheduler):
    with pytest.raises(TypeError, match=r"^scheduler must be a function of a step's number"):
        profiler.Profiler(scheduler=scheduler)


def test_a_step_needs_a_start(world):
    prof = profiler.Profiler(on_trace_ready=world.note)
    with pytest.raises(RuntimeError, match=r"^step\(\) before start\(\)"):
        prof.step()
    with pytest.raises(RuntimeError, match=r"^stop\(\) before start\(\)"):
        prof.stop()
    prof.start()
    prof.stop()


def test_a_start_needs_a_stop(world):
    with (
        profiler.Profiler(on_trace_ready=world.note) as prof,
        pytest.raises(RuntimeError, match=r"^start\(\) was called before"),
    ):
        prof.start()
    assert world.ready == [[0]]


def test_a_step_of_another_thread_is_refused(world):
    errors = []

    def other(prof):
        try:
            prof.step()
        except RuntimeError as error:
            errors.append(str(error))

    with profiler.Profiler(on_trace_ready=world.note) as prof:
        thread = threading.Thread(target=other, args=(prof,))
        thread.start()
        thread.join()
    assert errors == [
        "step() in another thread than start(): count the steps of one loop, in its thread"
    ]


def test_an_unknown_unit_and_an_unknown_format_are_refused(world):
    prof = world.run(2)
    with pytest.raises(ValueError, match="time_unit must be one of s, ms, us, ns, not 'min'"):
        prof.summary(time_unit="min")
    with pytest.raises(ValueError, match="unknown format 'xml': give 'json' or 'pb'"):
        prof.export("profile.xml", "xml")


def test_events_of_paddles_own_types_are_warned_of():
    event = RecordEvent("mine", TracerEventType.Kernel)
    with pytest.warns(UserWarning, match="type TracerEventType.Kernel is not recorded; give one"):
        event.begin()
    event.end()
    assert RecordEvent("mine", TracerEventType.Kernel)(len) is len


def test_before_a_cycle_is_over_there_is_nothing_to_show(world, capsys):
    with profiler.Profiler(scheduler=(5, 6), on_trace_ready=world.note) as prof:
        prof.summary()
        prof.export("profile.json")
    assert capsys.readouterr().out == ""


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(RuntimeError, match=r"the folder .* for profiles cannot be made: "):
        profiler.export_chrome_tracing(str(place / "folder"))


def test_what_is_to_get_a_cycle_is_a_function():
    with pytest.raises(TypeError, match=r"^on_trace_ready must be a function of the profiler, not"):
        profiler.Profiler(on_trace_ready="log")
