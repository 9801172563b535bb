"""tracer.compat.paddle: its enumerations, and the scheduler beside one that counts step by step.
tests/frameworks/test_paddle.py has Paddle's own beside it."""

import random
import warnings

import pytest

import tracer.compat.paddle as profiler
from tracer.compat.paddle_parts.states import of_range

pytestmark = pytest.mark.results

LETTERS = "crRs"  # CLOSED, READY, RECORD, RECORD_AND_RETURN


def letters(scheduler, steps):
    return "".join(LETTERS[scheduler(step).value] for step in range(steps))


def quiet(**numbers):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return profiler.make_scheduler(**numbers)


def counted(steps, *, closed, ready, record, repeat=0, skip_first=0):
    """What a scheduler says, by counting."""
    cycle = "c" * closed + "r" * ready + "R" * (record - 1) + "s"
    whole = "c" * skip_first + cycle * (repeat or steps + 1)
    return (whole + "c" * steps)[:steps]


def test_cycles_begin_after_the_steps_that_are_skipped():
    scheduler = profiler.make_scheduler(closed=1, ready=1, record=4, repeat=1)
    assert letters(scheduler, 8) == "crRRRscc"
    scheduler = profiler.make_scheduler(closed=1, ready=1, record=4, skip_first=1)
    assert letters(scheduler, 15) == "ccrRRRscrRRRscr"


def test_any_numbers_are_as_if_counted():
    chance = random.Random(7)
    for _ in range(500):
        names = ("closed", "ready", "repeat", "skip_first")
        numbers = {name: chance.randint(0, 5) for name in names}
        numbers["record"] = chance.randint(1, 5)
        assert letters(quiet(**numbers), 60) == counted(60, **numbers), numbers


@pytest.mark.parametrize("name", ["closed", "ready", "repeat", "skip_first"])
def test_negative_numbers_are_refused(name):
    with pytest.raises(AssertionError, match=rf"{name}=-1.*and no negative number$"):
        quiet(**{"closed": 1, "ready": 1, "record": 1, name: -1})


def test_a_cycle_without_a_recorded_step_is_refused():
    with pytest.raises(AssertionError, match=r"record=0.*give 1 or more to `record`"):
        quiet(closed=1, ready=1, record=0)


def test_a_negative_step_is_refused():
    with pytest.raises(AssertionError, match=r"step -1 is negative: steps are counted from 0"):
        quiet(closed=0, ready=0, record=1)(-1)


def test_a_cycle_without_warmup_is_warned_of():
    with pytest.warns(UserWarning, match=r"^no step warms up: .*give ready=1$") as seen:
        profiler.make_scheduler(closed=1, ready=0, record=1)
    assert seen[0].filename == __file__


@pytest.mark.parametrize(
    ("start", "stop", "wanted"),
    [(2, 5, "crRRscc"), (1, 2, "rsccccc"), (0, 2, "Rsccccc"), (-3, 2, "Rsccccc")],
)
def test_a_range_of_steps_is_recorded_once(start, stop, wanted):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert letters(of_range(start, stop), 7) == wanted


@pytest.mark.parametrize("bounds", [(3, 3), (4, 2)])
def test_a_range_without_a_step_is_refused(bounds):
    with pytest.raises(AssertionError, match="before which recording stops, must be greater"):
        profiler.Profiler(scheduler=bounds)


def test_numbers_of_the_enumerations_are_paddles():
    assert [it.name for it in sorted(profiler.ProfilerState, key=lambda it: it.value)] == [
        "CLOSED",
        "READY",
        "RECORD",
        "RECORD_AND_RETURN",
    ]
    assert profiler.ProfilerTarget.CUSTOM_DEVICE.value == 3
    assert profiler.SummaryView.UDFView.value == 8
    assert profiler.SortedKeys.GPUMin.value == 7
    assert int(profiler.TracerEventType.PythonUserDefined) == 14
    assert str(profiler.TracerEventType.Forward) == "TracerEventType.Forward"
