"""StepProfiler in wrong hands: one clear error, and the loop goes on where it can."""

import threading
import warnings

import pytest

import tracer
from stepping import Loop, actions, calls_of, work
from tracer.api.schedule import Action


def test_step_needs_a_start():
    with pytest.raises(RuntimeError, match=r"^step\(\) before start\(\): call start\(\) first"):
        tracer.StepProfiler().step()


def test_stop_needs_a_start():
    with pytest.raises(RuntimeError, match=r"^stop\(\) before start\(\): call start\(\) first"):
        tracer.StepProfiler().stop()


def test_start_needs_a_stop():
    with (
        tracer.StepProfiler(timer_only=True) as profiler,
        pytest.raises(RuntimeError, match=r"^start\(\) was called before: call stop\(\) first$"),
    ):
        profiler.start()


def test_stop_may_be_called_again_and_a_step_after_it_does_nothing():
    loop = Loop()
    loop.run(2)
    loop.profiler.stop()
    loop.profiler.step()
    assert (loop.numbers, loop.profiler.step_number) == ([[0, 1]], 2)


def test_stop_may_be_called_from_on_ready():
    loop = Loop(tracer.schedule(active=2), lambda profiler: profiler.stop())
    with loop.profiler:
        loop.go_on(10)
    assert loop.numbers == [[0, 1]]
    assert loop.profiler.step_number == 2


def test_a_step_in_another_thread_is_refused_and_the_loop_goes_on():
    loop, errors = Loop(actions("rrs")), []

    def other():
        try:
            loop.profiler.step()
        except RuntimeError as error:
            errors.append(str(error))

    with loop.profiler:
        loop.go_on(1)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        loop.go_on(3)
    assert errors == [
        "step() in another thread than start(): count the steps of one loop, in its thread"
    ]
    assert loop.numbers == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("items", "kind", "text"),
    [
        (-1, ValueError, r"step\(\) takes a number of items, 0 or more, not -1"),
        (float("nan"), ValueError, r"step\(\) takes a number of items, 0 or more, not nan"),
        (float("inf"), ValueError, r"step\(\) takes a number of items, 0 or more, not inf"),
        ("32", TypeError, r"step\(\) takes the number of items that the step worked on, not '32'"),
        ([1], TypeError, r"step\(\) takes the number of items that the step worked on, not \[1\]"),
    ],
)
def test_items_are_a_number_and_a_wrong_one_changes_nothing(items, kind, text):
    loop = Loop(actions("rs"))
    with loop.profiler:
        with pytest.raises(kind, match=f"^{text}$"):
            loop.profiler.step(items)
        assert loop.profiler.step_number == 0
        loop.go_on(2)
    assert loop.numbers == [[0, 1]]


@pytest.mark.parametrize(
    "call",
    [
        lambda it: it.step(1, 2),
        lambda it: it.step(count=1),
        lambda it: it.step(1, items=1),
    ],
)
def test_step_takes_one_number(call):
    with (
        tracer.StepProfiler(timer_only=True) as profiler,
        pytest.raises(TypeError, match=r"^step\(\) takes one number, of items$"),
    ):
        call(profiler)


def test_an_on_ready_that_raises_is_told_once_a_cycle_and_the_loop_goes_on():
    def ready(profiler):
        raise ValueError("disk is full")

    loop = Loop(tracer.schedule(active=2, repeat=2), ready)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        loop.run(6)
    assert loop.numbers == [[0, 1], [2, 3]]
    assert [it.category for it in told] == [RuntimeWarning] * 2
    text = str(told[0].message)
    assert text.startswith(f"on_ready raised ValueError: disk is full ({__file__}:")
    assert text.endswith("the profile of the cycle is kept, and the loop goes on")
    assert told[0].filename.endswith("stepping.py")  # where step() was called


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_ends_a_program_goes_through_on_ready(error):
    def ready(profiler):
        raise error

    loop = Loop(tracer.schedule(active=1), ready)
    with pytest.raises(error), loop.profiler:
        loop.go_on(3)
    assert loop.profiler.step_number == 1


@pytest.mark.parametrize("after", range(8))
def test_an_exception_of_the_loop_keeps_what_was_recorded(after):
    loop = Loop(actions("nwrrsnrs"))
    with pytest.raises(ZeroDivisionError), loop.profiler:
        loop.go_on(after)
        work(loop, 1 // 0)
    whole = [2, 3, 4]
    expected = [[], [], [[]], [[2]], [[2, 3]], [whole], [whole], [whole, [6]]]
    assert loop.numbers == expected[after]
    assert loop.profiler._warm is loop.profiler._profile is None


@pytest.mark.parametrize("at", range(5))
def test_a_schedule_that_raises_ends_the_recording_and_the_loop_goes_on(at):
    def schedule(step):
        if step == at:
            raise LookupError("no plan")
        return Action.WARMUP if step == 0 else Action.RECORD

    loop = Loop(schedule)
    if at == 0:
        with pytest.raises(LookupError):
            loop.profiler.start()
        with pytest.raises(RuntimeError):
            loop.profiler.stop()
        return
    with loop.profiler:
        loop.go_on(at - 1)
        with pytest.raises(LookupError, match=r"^no plan$"):
            loop.profiler.step()
        loop.go_on(3)
        assert loop.profiler.step_number == at + 3
    assert loop.numbers == ([[*range(1, at)]] if at > 1 else [])


def test_a_schedule_that_returns_nonsense_is_refused_at_its_step():
    loop = Loop(lambda step: Action.RECORD if step < 2 else "x")
    with loop.profiler:
        loop.go_on(1)
        with pytest.raises(ValueError, match=r"^the schedule returned 'x' for step 2"):
            loop.profiler.step()
    assert loop.numbers == [[0, 1]]


def test_a_schedule_of_the_users_is_in_no_row():
    def schedule(step):
        return [Action.RECORD, Action.RECORD_AND_SAVE, Action.NONE][min(step, 2)]

    seen = []
    loop = Loop(schedule, lambda it: seen.append(calls_of(it.stats, "schedule")))
    loop.run(4)
    assert (seen, loop.numbers) == ([0], [[0, 1]])


@pytest.mark.parametrize(
    ("options", "kind", "text"),
    [
        ({"on_ready": 3}, TypeError, "on_ready must be a function of the profiler, not 3"),
        ({"timeline": False}, ValueError, "StepProfiler needs a timeline, where its steps are"),
        ({"timeline": 0}, ValueError, "StepProfiler needs a timeline, where its steps are"),
        ({"timeline": "3 apples"}, ValueError, "'3 APPLES' is no size of memory|'3 apples' is no"),
        ({"timer": "cpu"}, ValueError, "StepProfiler cannot use timer='cpu': the CPU times of"),
        ({"no_such": 1}, TypeError, "no_such"),
    ],
)
def test_options_are_checked_at_once(options, kind, text):
    with pytest.raises(kind, match=text):
        tracer.StepProfiler(**options)


def test_a_fork_in_a_cycle_leaves_the_parents_alone():
    import os

    loop = Loop(actions("rrs"))
    with loop.profiler:
        loop.go_on(1)
        child = os.fork()
        if child == 0:
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        loop.go_on(2)
    assert loop.numbers == [[0, 1, 2]]
