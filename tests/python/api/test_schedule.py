"""tracer.schedule: which steps are recorded, beside a list that is made cycle by cycle."""

import pickle
import random

import pytest

import tracer
from stepping import LETTERS, letters
from tracer.api.schedule import NEVER, Called, schedule_of

pytestmark = pytest.mark.results


def model(skip_first=0, wait=0, warmup=0, active=1, repeat=0, skip_first_wait=0, *, number):
    """The same, written down one cycle after the other."""
    text = "n" * skip_first
    cycles = 0
    while len(text) < number and not (repeat and cycles == repeat):
        waits = 0 if skip_first_wait and cycles == 0 else wait
        text += "n" * waits + "w" * warmup + "r" * (active - 1) + "s"
        cycles += 1
    return (text + "n" * number)[:number]


def test_a_schedule_names_the_action_of_each_step():
    schedule = tracer.schedule(skip_first=3, wait=2, warmup=1, active=3, repeat=2)
    assert letters(schedule, 18) == "nnn" + "nnwrrs" + "nnwrrs" + "nnn"
    assert schedule(5) is tracer.Action.WARMUP


def test_by_default_every_step_is_a_cycle():
    assert letters(tracer.schedule(), 4) == "ssss"


def test_the_first_wait_can_be_left_out():
    assert letters(tracer.schedule(1, 3, 0, 1, skip_first_wait=1), 9) == "nsnnnsnnn"


def test_schedules_are_as_written_down():
    chance = random.Random(18)
    for _ in range(10_000):
        bounds = {"skip_first": 6, "wait": 5, "warmup": 4, "repeat": 4, "skip_first_wait": 2}
        given = {name: chance.randrange(bound) for name, bound in bounds.items()}
        given["active"] = chance.randrange(1, 5)
        schedule = tracer.schedule(**given)
        assert letters(schedule, 40) == model(**given, number=40), given


def test_no_change_is_passed_over():
    chance = random.Random(5)
    for _ in range(2000):
        schedule = tracer.schedule(
            *(chance.randrange(4) for _ in range(3)),
            active=chance.randrange(1, 4),
            repeat=chance.randrange(3),
        )
        for step in range(30):
            change = schedule.next_change(step)
            between = letters(schedule, min(change, 60))[step:]
            assert change > step
            assert (set(between) <= {"n", "w"} and len(set(between)) == 1) or change == step + 1


def test_a_schedule_without_more_cycles_never_changes():
    schedule = tracer.schedule(active=1, repeat=1)
    assert schedule.next_change(0) == 1
    assert schedule.next_change(1) == NEVER


@pytest.mark.parametrize("name", ["skip_first", "wait", "warmup", "repeat", "skip_first_wait"])
def test_no_number_is_negative(name):
    with pytest.raises(ValueError, match=f"^{name} must be 0 or more, not -1$"):
        tracer.schedule(**{name: -1})


def test_a_cycle_records_at_least_one_step():
    with pytest.raises(ValueError, match=r"^active must be 1 or more, not 0$"):
        tracer.schedule(active=0)


@pytest.mark.parametrize("value", [1.5, "3", None])
def test_steps_are_whole_numbers(value):
    with pytest.raises(TypeError, match=r"^wait must be a whole number of steps, not "):
        tracer.schedule(wait=value)


def test_a_step_is_not_negative():
    with pytest.raises(ValueError, match=r"^a step has a number of 0 or more, not -1$"):
        tracer.schedule()(-1)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [((0, 2), "rsnn"), ((1, 2), "wsnn"), ((3, 6), "nnwrrsnn"), ([2, 4], "nwrsn")],
)
def test_two_numbers_are_one_cycle(pair, expected):
    assert letters(schedule_of(pair), len(expected)) == expected


@pytest.mark.parametrize("pair", [(2, 2), (3, 1), (-1, 2), (1,), (1, 2, 3)])
def test_other_pairs_are_refused(pair):
    with pytest.raises(ValueError, match=r"^schedule (\(first, end\) needs|must be two numbers)"):
        schedule_of(pair)


def test_what_is_no_schedule_is_refused():
    with pytest.raises(TypeError, match=r"^schedule must be None, tracer.schedule"):
        tracer.StepProfiler("wait=1")


@pytest.mark.parametrize("value", [4, -1, "RECORD", None])
def test_a_function_must_return_an_action(value):
    with pytest.raises(ValueError, match=r"^the schedule returned .* for step 3; it must return"):
        Called(lambda step: value)(3)


def test_a_function_may_return_the_number_of_an_action():
    assert Called(lambda step: 2)(0) is tracer.Action.RECORD
    assert LETTERS[Called(lambda step: tracer.Action.WARMUP)(0)] == "w"


def test_a_schedule_tells_what_it_is_and_can_be_sent():
    schedule = tracer.schedule(skip_first=10, wait=1, warmup=1, active=3, repeat=2)
    assert repr(schedule) == (
        "<tracer.schedule: skip_first=10, wait=1, warmup=1, active=3, repeat=2>"
    )
    assert letters(pickle.loads(pickle.dumps(schedule)), 30) == letters(schedule, 30)
