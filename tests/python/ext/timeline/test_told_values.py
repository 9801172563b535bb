"""Names and values that a program tells: which are kept, and what becomes of the others."""

import enum
import gc
import math
import signal

import pytest

import tracer
from telling import ERRORS, LISTS, Rude, told
from tracer import _core
from tracer.data.section import dumps, section_of


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0, timeline=True)


class Text(str):
    __slots__ = ()

    def __str__(self):
        raise AssertionError("it is text already")


class Named:
    def __str__(self):
        return "named"


class Returns:
    def __init__(self, value):
        self.value = value

    def __str__(self):
        return self.value


LONG = "x" * 5000

VALUES = [
    (None, None),
    (True, True),
    (7, 7),
    (2**63 - 1, 2**63 - 1),
    (-(2**63), -(2**63)),
    (2**63, str(2**63)),
    (10**5000, "<int>"),
    (0.1, 0.1),
    (math.inf, math.inf),
    ("text", "text"),
    ("", ""),
    ("\0\udc80\U0001f600", "\0\udc80\U0001f600"),
    (Text("sub"), "sub"),
    (type("Real", (float,), {})(2.5), 2.5),
    (enum.IntEnum("Color", "RED").RED, 1),
    (Named(), "named"),
    (Named, str(Named)),
    ([1, "a"], "[1, 'a']"),
    (b"raw", "b'raw'"),
    (Returns(Text("sub")), "sub"),
    (Returns(LONG), "x" * 199 + "…"),
    (LONG, "x" * 1999 + "…"),
    ("x" * 2000, "x" * 2000),
    (Returns(5), "<Returns>"),
    *((Rude(error), "<Rude>") for error in ERRORS),
]


@pytest.mark.parametrize(("value", "kept"), VALUES, ids=lambda each: type(each).__name__)
def test_values_are_kept_or_become_text(profile, value, kept):
    with profile:
        tracer.mark("plain", value=value)
        with tracer.range("range", first=1, value=value):
            pass
    ((*_, of_mark),) = told(profile, "marks")
    ((*_, of_range, _, _),) = told(profile, "ranges")
    assert of_mark == (("value", kept),)
    assert of_range == (("first", 1), ("value", kept))
    assert type(of_mark[0][1]) is type(kept)


@pytest.mark.parametrize(("value", "kept"), VALUES, ids=lambda each: type(each).__name__)
def test_names_become_text(profile, value, kept):
    expected = kept if isinstance(kept, str) else str(value)
    with profile:
        flow = tracer.flow(value)
        flow.begin()
        flow.end()
        tracer.mark(value)
        tracer.counter(value, 1)
        with tracer.range(value, value):
            pass
    ((_, _, _, _, name, category, *_),) = told(profile, "ranges")
    assert name == expected
    assert category == (None if value is None else expected)
    assert [each[3] for each in told(profile, "marks")] == [expected]
    assert [each[2] for each in told(profile, "counters")] == [expected]
    assert [each[0] for each in told(profile, "flows")] == [expected]


def test_names_of_values_may_be_any_text(profile):
    names = {Text("sub"): 1, "": 2, "\udc80": 3, LONG: 4, "self": 5}
    with profile:
        tracer.mark("plain", **names)
    ((*_, values),) = told(profile, "marks")
    assert values == (("sub", 1), ("", 2), ("\udc80", 3), ("x" * 1999 + "…", 4), ("self", 5))
    assert all(type(name) is str for name, _ in values)


def test_64_values_are_kept(profile):
    with profile:
        tracer.mark("many", **{f"v{i}": i for i in range(1000)})
        with tracer.range("many", category="c", **{f"v{i}": i for i in range(1000)}):
            pass
    ((*_, values),) = told(profile, "marks")
    assert values == tuple((f"v{i}", i) for i in range(64))
    ((*_, category, of_range, _, _),) = told(profile, "ranges")
    assert (category, of_range) == ("c", values)


def test_values_are_told_as_they_are_when_the_range_begins(profile):
    value = [1]
    load = tracer.range("load", value=value)
    value.append(2)
    with profile, load:
        value.append(3)
    ((*_, values, _, _),) = told(profile, "ranges")
    assert values == (("value", "[1, 2]"),)


def test_text_is_made_for_a_timeline_only():
    made = []

    class Counted:
        def __str__(self):
            made.append(1)
            return "text"

    value = Counted()
    with tracer.Profile(), tracer.range(value, value=value):
        tracer.mark(value, value=value)
    assert made == []
    with tracer.Profile(timeline=True), tracer.Profile(timeline=True):
        tracer.mark("name", value=value)
    assert made == [1]


def test_the_code_of_str_is_in_no_profile(clock):
    def helper():
        clock.now += 1
        return "text"

    class Slow:
        def __str__(self):
            return helper()

    profile = tracer.Profile(clock, 1.0, timeline=True)
    with profile:
        tracer.mark("name", value=Slow())
        tracer.mark("after")
    names = {label[2] for label in tracer.Stats(profile).stats}
    assert not names & {"helper", "__str__"}
    assert [mark[2] for mark in told(profile, "marks")] == [1, 1]


def test_str_may_meddle_with_the_profile(profile):
    class Meddling:
        def __init__(self, act):
            self.act = act

        def __str__(self):
            self.act()
            return "text"

    def begin_again():
        profile.disable()
        profile.enable()

    for act in (profile.clear, profile.disable, profile.enable, begin_again, gc.collect):
        profile.enable()
        with tracer.range(Meddling(act), value=Meddling(act)):
            tracer.mark("inner", value=Meddling(lambda: tracer.mark("innermost")))
            tracer.counter(Meddling(act), 1)
        profile.disable()
    profile.clear()
    with profile:
        tracer.mark("after")
    assert [mark[3] for mark in told(profile, "marks")] == ["after"]


@pytest.fixture
def interruptible():
    """A shell's background jobs ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_in_str_comes_later(profile):
    with profile:
        with pytest.raises(KeyboardInterrupt):
            tracer.mark("name", value=Rude(KeyboardInterrupt()))
            for _ in range(1000):  # the program gets it at its next step
                pass
        tracer.mark("after")
    assert [mark[3:] for mark in told(profile, "marks")] == [
        ("name", (("value", "<Rude>"),)),
        ("after", ()),
    ]


def test_a_file_holds_all_that_can_be_told(profile):
    with profile:
        for value, _ in VALUES:
            tracer.mark(value, value=value)
            with tracer.range(value, value, value=value):
                tracer.counter(value, value if isinstance(value, (int, float)) else 1)
        tracer.mark("nan", value=math.nan)
        gc.collect()
    snapshot = profile.snapshot()
    assert len(profile.capture().timeline.marks) == len(VALUES) + 1
    _, payload, _ = _core.read_profile(dumps(section_of(snapshot, None)))
    for name in LISTS:
        # Two nan are never equal.
        assert repr(payload["timeline"][name]) == repr(snapshot["timeline"][name])
