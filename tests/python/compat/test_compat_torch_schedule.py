"""tracer.compat.torch.schedule(): the same actions as PyTorch's rule gives, which is spelled out
here; tests/frameworks asks PyTorch itself. And schedules of the program's own."""

import random
import warnings

import pytest

import tracer
from torching import Profile, load, loop
from tracer.compat.torch import ProfilerAction, profile, schedule

pytestmark = pytest.mark.results

NONE, WARMUP, RECORD, SAVE = list(ProfilerAction)[:4]


def by_rule(step, wait, warmup, active, repeat, skip_first, skip_first_wait):
    """The action, by laying out the steps one after the other."""
    cycle = [NONE] * wait + [WARMUP] * warmup + [RECORD] * (active - 1) + [SAVE]
    laid = [NONE] * skip_first
    cycles = repeat or step // len(cycle) + 2
    for number in range(cycles):
        laid += cycle[wait:] if number == 0 and skip_first_wait else cycle
    return laid[step] if step < len(laid) else NONE


def test_each_step_is_by_the_rule():
    chance = random.Random(18)
    for _ in range(3_000):
        given = {
            "wait": chance.randrange(5),
            "warmup": chance.randrange(1, 4),
            "active": chance.randrange(1, 5),
            "repeat": chance.randrange(4),
            "skip_first": chance.randrange(6),
            "skip_first_wait": chance.randrange(-1, 2),
        }
        made = schedule(**given)
        step = chance.randrange(60)
        assert made(step) is by_rule(step, **given), (given, step)


@pytest.mark.parametrize(
    "wrong",
    [{"wait": -1}, {"warmup": -1}, {"active": 0}, {"repeat": -1}, {"skip_first": -1}],
    ids=str,
)
def test_wrong_numbers_are_pytorchs_error(wrong):
    with pytest.raises(AssertionError, match=rf"schedule\(\): {next(iter(wrong))} must be "):
        schedule(**{"wait": 1, "warmup": 1, "active": 1, **wrong})


def test_what_is_no_number_and_no_keyword():
    with pytest.raises(TypeError, match="active must be a whole number"):
        schedule(wait=1, warmup=1, active=1.5)
    with pytest.raises(TypeError):
        schedule(1, 1, 1)
    with pytest.raises(AssertionError, match="a step has a number of 0 or more, not -1"):
        schedule(wait=1, warmup=1, active=1)(-1)


def test_a_schedule_without_warmup_warns_where_it_is_made():
    with pytest.warns(UserWarning, match=r"schedule\(warmup=0\): ") as caught:
        schedule(wait=1, warmup=0, active=1)
    assert caught[0].filename == __file__


def test_it_says_what_it_is():
    made = schedule(wait=1, warmup=2, active=3)
    assert repr(made) == (
        "<tracer.compat.torch.schedule: skip_first=0, wait=1, warmup=2, active=3, repeat=0>"
    )


def test_actions_of_tracer_and_of_pytorch_are_taken():
    theirs = type("ProfilerAction", (), {"name": "RECORD_AND_SAVE"})()
    for action in (tracer.Action.RECORD_AND_SAVE, theirs):
        seen = []
        loop(Profile(schedule=lambda step, a=action: a, on_trace_ready=seen.append), 2, load)
        assert len(seen) == 3


@pytest.mark.parametrize("answer", [7, True, None, "RECORD", ProfilerAction.DEVICE_STOPPED])
def test_answers_that_are_no_action(answer):
    with pytest.raises(ValueError, match=r"the schedule returned .* for step 0; it must return"):
        profile(schedule=lambda step: answer)


LETTERS = {"n": NONE, "w": WARMUP, "r": RECORD, "s": SAVE}


@pytest.mark.parametrize(
    ("text", "ready", "warned"),
    [
        ("rrnn", [], ["RECORD for step 1 and NONE for step 2"]),
        ("wnn", [], ["WARMUP for step 0 and NONE for step 1"]),
        ("rwrsn", [4], ["RECORD for step 0 and WARMUP for step 1"]),
        ("ssnrn", [1, 2], ["RECORD for step 3 and NONE for step 4"]),
        ("nwrsnwrs", [4, 8], []),
    ],
)
def test_a_cycle_that_nobody_saves_is_warned_of_and_not_ready(text, ready, warned):
    seen = []

    def ask(step):
        return LETTERS[text[step]] if step < len(text) else NONE

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        loop(
            Profile(schedule=ask, on_trace_ready=lambda it: seen.append(it.step_num)),
            len(text),
            load,
        )
    assert seen == ready
    assert [str(it.message).partition(":")[0] for it in caught] == [
        f"the schedule has {it}" for it in warned
    ]
