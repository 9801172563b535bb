"""recording/slowdown.py: by how much a program may be slowed down, as users write it."""

import pytest

import tracer
from tracer.recording.slowdown import part_of, rate_of, slowdown_of


@pytest.mark.parametrize("text", ["10", "10%", " 10 %", "10.0", "10.", "010%"])
def test_percentages(text):
    assert part_of(text) == slowdown_of(text) == slowdown_of(0.1) == 0.1


def test_the_ends():
    assert (part_of("0"), part_of("100%"), part_of(".5")) == (0, 1, 0.005)
    assert (slowdown_of(0), slowdown_of(1), slowdown_of(1.0)) == (0, 1, 1)
    assert slowdown_of(None) == -1


@pytest.mark.parametrize(
    "text",
    ["", "%", ".", "-1", "101", "100.5%", "ten", "1e1", "nan", "inf", "1,5", "10%%", "\u0661"],
)
def test_what_is_no_percentage(text):
    with pytest.raises(ValueError, match="give a percentage from 0 to 100, such as 10 or 10%"):
        part_of(text)


@pytest.mark.parametrize("value", [10, 1.5, 100])
def test_a_percentage_as_a_number_is_told_how_to_be_one(value):
    with pytest.raises(ValueError, match=f"for {value:g}% give {value / 100:g}, or '{value:g}%'"):
        slowdown_of(value)


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), 101])
def test_what_is_no_part_of_1(value):
    with pytest.raises(ValueError, match="slowdown must be from 0 to 1, not"):
        slowdown_of(value)


@pytest.mark.parametrize("value", [True, [], b"10"])
def test_another_kind_of_slowdown(value):
    with pytest.raises(TypeError, match=r"slowdown must be a part of 1, such as 0\.1"):
        slowdown_of(value)


def test_rates():
    assert (rate_of(None), rate_of(1), rate_of(10_000)) == (250, 1, 10_000)
    for value in (0, -1, 10_001):
        with pytest.raises(ValueError, match="from 1 to 10000 samples in a second of CPU"):
            rate_of(value)
    for value in (True, 1.5, "250"):
        with pytest.raises(TypeError, match="rate must be an int"):
            rate_of(value)


@pytest.mark.parametrize(
    "others",
    [
        {"timer": "cpu"},
        {"timeline": True},
        {"timeline_last": True, "timeline": True},
        {"memory": True},
        {"compensate": True},
    ],
)
def test_what_needs_each_call_is_refused(others):
    name = next(iter(others)).removesuffix("_last")
    with pytest.raises(ValueError, match=f"slowdown and {name} exclude each other: .*leave one of"):
        tracer.Profile(slowdown=0.1, **others)


def test_a_rate_needs_a_slowdown():
    with pytest.raises(ValueError, match="rate is of no use without slowdown"):
        tracer.Profile(rate=100)
