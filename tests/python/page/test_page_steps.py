"""The steps in the page's data, what a page without steps has not, and how much the page grows."""

import re

import pytest

import pages
import tracer
from timelines import capture_of
from tracer.page import document as page
from tracer.page.document import shown

LOOP = "main@main 0-100000"
OTHER = "work@main 0-100000"


def ranges(steps, thread=0):
    """The ranges of steps (number, start, {phase: (start, end)}, end, values)."""
    for number, start, phases, end, values in steps:
        facts = (("number", number), *values)
        yield (thread, 1, start, end, "step", "step", facts, 0, thread)
        for name, (first, last) in phases.items():
            yield (thread, 1, first, last, name, name, (), 0, thread)


STEPS = [
    (0, 1000, {"load": (1000, 1300), "forward": (1300, 1800)}, 2000, [("items", 8)]),
    (1, 2000, {"tune": (2000, 2900), "load": (2900, 2950)}, 3000, [("items", 2.5)]),
    (2, 3000, {"load": (3000, 8000)}, 9000, []),
    (7, 9500, {}, -1, []),
]


def opened(*captures):
    """The steps in the page of these captures, unpacked; None where it has none."""
    header, blocks = pages.opened(pages.data_in(pages.written([shown(tracer.Stats(*captures))])))
    steps = header["profiles"][0].get("steps")
    if steps is None:
        return None
    return {
        **{
            name: pages.column(it, blocks) if isinstance(it, dict) else it
            for name, it in steps.items()
        },
        "times": [pages.column(block, blocks) for block in steps["times"]],
    }


def test_steps_have_their_moments_and_phases_in_ticks():
    capture = capture_of(LOOP, ranges=ranges(STEPS))
    capture.phases = {"tune": ("main.tune",)}  # without a rule, "tune" is no phase
    assert opened(capture) == {
        "phases": ["load", "forward", "tune"],  # known phases first, then by name
        "process": [0, 0, 0],
        "thread": [0, 0, 0],
        "number": [0, 1, 2],  # the last one has not ended
        "start": [1000, 2000, 3000],
        "end": [2000, 3000, 9000],
        "slow": [0, 0, 1],
        "items": [8, 2.5, None],
        "times": [[300, 50, 5000], [500, 0, 0], [0, 900, 0]],
    }


@pytest.mark.parametrize("tick", [1e-6, 1 / 2.7e9, 1e-9])
def test_ticks_are_exact(tick):
    found = opened(capture_of(LOOP, tick=tick, ranges=ranges(STEPS)))
    assert (found["start"], found["end"]) == ([1000, 2000, 3000], [2000, 3000, 9000])
    assert found["times"][0] == [300, 50, 5000]


def test_steps_of_several_captures_and_threads_find_theirs_on_the_page():
    """The second capture has its steps in its second thread, the third has no timeline."""
    first = capture_of(LOOP, ranges=ranges(STEPS[:1]))
    second = capture_of(
        OTHER,
        LOOP,
        names=("MainThread", "loop"),
        ranges=ranges(STEPS[1:2], 1),
        timeline={"pid": 8},
    )
    found = opened(first, second)
    assert (found["process"], found["thread"], found["number"]) == ([0, 1], [0, 2], [0, 1])
    plain = capture_of(LOOP)
    plain.timeline_data = None
    found = opened(plain, second)
    assert (found["process"], found["thread"], found["number"]) == ([0], [2], [1])
    alone = tracer.Stats(first, second).threads["loop"]
    header, blocks = pages.opened(pages.data_in(pages.written([shown(alone)])))
    steps = header["profiles"][0]["steps"]
    assert pages.column(steps["process"], blocks) == pages.column(steps["thread"], blocks) == [0]


def test_numbers_are_what_the_page_can_hold():
    """JavaScript has no exact number beyond 2^53; such a step has its place."""
    steps = [
        (-5, 0, {}, 10, [("items", float("inf"))]),
        (2**60, 10, {}, 20, [("items", 2**53)]),
        (2**53 - 1, 20, {}, 30, [("items", float("nan"))]),
        (-(2**60), 30, {}, 40, []),
    ]
    found = opened(capture_of(LOOP, ranges=ranges(steps)))
    assert found["number"] == [-5, 1, 2**53 - 1, 3]
    assert found["items"] == [None, 2**53, None, None]


def test_items_that_no_step_tells_are_not_there():
    assert opened(capture_of(LOOP, ranges=ranges(STEPS[2:])))["items"] is None


def test_a_profile_without_steps_has_none_in_the_page():
    assert opened(capture_of(LOOP)) is None
    assert opened(capture_of(LOOP, ranges=ranges(STEPS[3:]))) is None  # none ended
    marked = [(0, 1, 10, 20, "step", "other", (), 0, 0), (0, 1, 30, 40, "step", None, (), 0, 0)]
    assert opened(capture_of(LOOP, ranges=marked)) is None
    header, _ = pages.opened(pages.data_in(pages.written([pages.small()])))
    assert "steps" not in header["profiles"][0]


def with_steps():
    return shown(tracer.Stats(capture_of(LOOP, ranges=ranges(STEPS))))


def without_steps():
    return shown(tracer.Stats(capture_of(LOOP)))


def test_a_page_without_steps_has_neither_their_view_nor_its_script_nor_its_style():
    first, timed = with_steps(), without_steps()
    for profiles in ([pages.small()], [timed], [timed, first]):
        text = pages.written(profiles)
        assert not re.findall(r"m_steps|m_views_steps|--st-", pages.script_in(text))
        assert ".st-" not in text
        assert "--st-" not in text
    for profiles in ([first], [first, timed]):
        text = pages.written(profiles)
        assert "m_views_steps = " in pages.script_in(text)
        assert ".st-chart" in text
        served = page.page_of("", ("timeline", "steps")).decode()
        assert pages.script_in(text) == pages.script_in(served)
    without_timeline = pages.small()._replace(steps=first.steps)
    assert page.parts_of([without_timeline]) == frozenset()


def test_the_page_grows_by_little():
    """Script and style have 18 KB, and a step has less than ten bytes."""
    timed, first = pages.written([without_steps()]), pages.written([with_steps()])
    assert 0 < len(first) - len(timed) <= 20_000
    many = [
        (at, 90 * at, {"load": (90 * at, 90 * at + 30 + at % 7)}, 90 * at + 80, [("items", 4)])
        for at in range(1000)
    ]
    stats = shown(tracer.Stats(capture_of(LOOP, ranges=ranges(many))))
    grown = pages.data_in(pages.written([stats]))
    plain = pages.data_in(pages.written([stats._replace(steps=None)]))
    assert 0 < len(grown) - len(plain) <= 8_000
