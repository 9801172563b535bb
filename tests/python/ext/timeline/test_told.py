"""What a timeline is told beside ranges: marks, counters, flows, forks; and how much it keeps."""

import decimal
import enum
import fractions
import gc
import math
import os
import time

import pytest

import tracer
from telling import ERRORS, LISTS, Rude, function_at, in_thread, told

LIMIT = 262144  # TRC_NOTE_LIMIT


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0, timeline=True)


def test_a_mark_is_where_and_when_it_was_made(clock, profile):
    def work():
        clock.now += 3
        tracer.mark("half", batch=1)
        tracer.mark("plain")

    profile.runcall(work)
    first, second = told(profile, "marks")
    assert first == (0, first[1], 3, "half", (("batch", 1),))
    assert second == (0, first[1], 3, "plain", ())
    assert function_at(profile, 0, first[1]) == "work"


def test_marks_of_threads(clock, profile):
    def work():
        clock.now += 1
        tracer.mark("there")

    with profile:
        tracer.mark("here")
        in_thread(work)
    here, there = told(profile, "marks")
    assert (here[0], here[2], here[3]) == (0, 0, "here")
    assert (there[0], there[2], there[3]) == (1, 1, "there")
    assert function_at(profile, 1, there[1]) == "work"


def test_counters(clock, profile):
    with profile:
        for value in (1, 0.5, True, -(2**63)):
            tracer.counter("loss", value)
            clock.now += 1
    assert told(profile, "counters") == (
        (0, 0, "loss", 1),
        (0, 1, "loss", 0.5),
        (0, 2, "loss", 1),
        (0, 3, "loss", -(2**63)),
    )
    assert {type(value) for *_, value in told(profile, "counters")} == {int, float}


class Half:
    def __float__(self):
        return 0.5


class Three:
    def __index__(self):
        return 3


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (decimal.Decimal("1.5"), 1.5),
        (fractions.Fraction(1, 4), 0.25),
        (Half(), 0.5),
        (Three(), 3.0),
        (2**64, 2.0**64),
        (float("inf"), math.inf),
        (float("-inf"), -math.inf),
        (type("Real", (float,), {})(2.5), 2.5),
        (enum.IntEnum("Color", "RED").RED, 1),
    ],
)
def test_numbers_of_other_kinds(profile, value, number):
    with profile:
        tracer.counter("loss", value)
    ((*_, kept),) = told(profile, "counters")
    assert kept == number
    assert type(kept) in (int, float)


def test_nan_is_kept(profile):
    with profile:
        tracer.counter("loss", math.nan)
    ((*_, kept),) = told(profile, "counters")
    assert math.isnan(kept)


@pytest.mark.parametrize("value", ["1.5", b"1", None, 1j, [], 10**400, *map(Rude, ERRORS)])
def test_what_is_no_number_is_dropped(profile, value):
    with profile:
        tracer.counter("loss", value)
        tracer.counter("loss", 1)
    assert [value for *_, value in told(profile, "counters")] == [1]
    assert told(profile, "dropped") == {"counters": 1}


def test_a_flow_leads_from_its_latest_begin(clock, profile):
    flow, other = tracer.flow("request"), tracer.flow("other")

    def work():
        clock.now += 2
        flow.end()

    with profile:
        flow.end()  # nothing has begun
        flow.begin()
        clock.now += 1
        other.begin()
        flow.begin()
        in_thread(work)
        clock.now += 4
        flow.end()
        other.end()
    assert told(profile, "flows") == (
        ("request", 0, 1, 1, 3),
        ("request", 0, 1, 0, 7),
        ("other", 0, 1, 0, 7),
    )
    assert (flow.name, repr(flow)) == ("request", "<tracer.flow 'request'>")


def test_flows_that_a_profile_saw_one_end_of(clock, profile):
    early, late = tracer.flow("early"), tracer.flow("late")
    early.begin()
    with profile:
        early.end()
        late.begin()
    late.end()
    assert told(profile, "flows") == ()
    with profile:
        clock.now += 1
        late.end()
    assert told(profile, "flows") == (("late", 0, 0, 0, 1),)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tracer.mark(), "mark.. takes a name, and values by keyword"),
        (lambda: tracer.mark("a", "b"), "mark.. takes a name, and values by keyword"),
        (lambda: tracer.counter("a"), "counter.. takes a name and a value"),
        (lambda: tracer.counter(name="a", value=1), "takes no keyword arguments"),
        (lambda: tracer.flow(), "flow.. takes a name"),
        (lambda: tracer.flow("a", b=1), "flow.. takes a name, and nothing by keyword"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_the_parent_notes_a_fork(clock, profile):
    with profile:
        clock.now += 2
        with tracer.range("around"):
            pid = os.fork()
            if pid == 0:
                marked = told(profile, "marks"), told(profile, "forks"), told(profile, "ranges")
                tracer.mark("child")
                alone = [each[3] for each in told(profile, "marks")] == ["child"]
                os._exit(0 if marked == ((), (), ()) and alone else 1)
            clock.now += 1
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert told(profile, "forks") == ((0, 2, "fork", -1),)
    assert [each[2:5] for each in told(profile, "ranges")] == [(2, 3, "around")]


def test_an_exec_is_noted_when_it_is_told(clock, profile):
    profile.note_exec()
    with profile:
        clock.now += 2
        profile.note_exec()
    profile.note_exec()
    assert told(profile, "forks") == ((0, 2, "exec", os.getpid()),)
    tracer.Profile().note_exec()


def test_each_list_has_a_budget(clock, profile):
    with profile:
        flow = tracer.flow("flow")
        flow.begin()
        for i in range(LIMIT + 3):
            tracer.counter("i", i)
            flow.end()
            clock.now += 1
        tracer.mark("there is room")
    timeline = profile.snapshot()["timeline"]
    assert timeline["dropped"] == {"counters": 3, "flows": 3}
    assert len(timeline["counters"]) == len(timeline["flows"]) == LIMIT
    assert timeline["counters"][-1] == (0, LIMIT - 1, "i", LIMIT - 1)
    assert len(timeline["marks"]) == 1
    profile.clear()
    timeline = profile.snapshot()["timeline"]
    assert (timeline["dropped"], timeline["counters"], timeline["marks"]) == ({}, (), ())


def test_texts_have_a_budget(profile):
    text = "x" * 2000
    many = {f"{i:02}": text for i in range(64)}
    most = (64 << 20) // (len("mark") + 64 * (2 + 2000))
    with profile:
        for _ in range(most + 5):
            tracer.mark("mark", **many)
        tracer.mark("")
        with tracer.range("range", **many):
            pass
    assert told(profile, "dropped") == {"marks": 5, "ranges": 1}
    assert [mark[3] for mark in told(profile, "marks")] == ["mark"] * most + [""]
    profile.clear()
    with profile:
        tracer.mark("mark", **many)
    assert len(told(profile, "marks")) == 1


def test_ranges_without_room_end_as_nothing(clock, profile):
    outer, late = tracer.range("outer"), tracer.range("late")
    with profile, outer:
        for _ in range(LIMIT - 1):
            tracer.range("open").__enter__()
        with late:
            clock.now += 1
    timeline = profile.snapshot()["timeline"]
    assert timeline["dropped"] == {"ranges": 1}
    assert timeline["ranges"][0][2:5] == (0, 1, "outer")
    assert {each[4] for each in timeline["ranges"]} == {"outer", "open"}


def test_clear_empties_every_list(clock, profile):
    with profile:
        tracer.mark("a")
        tracer.counter("a", 1)
        flow = tracer.flow("a")
        flow.begin()
        gc.collect()
        profile.clear()
        flow.end()
        clock.now += 7
        timeline = profile.snapshot()["timeline"]
    assert [timeline[name] for name in LISTS] == [()] * 6
    assert [tick for tick, _ in timeline["clock"]] == [0, 7]


def test_ranges_are_in_order_where_each_thread_has_a_clock():
    profile = tracer.Profile(timer="cpu", timeline=True)

    def work():
        with tracer.range("of a new thread"):
            pass

    with profile:
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            pass
        with tracer.range("of an old thread"):
            in_thread(work)
    found = [each[2:5] for each in profile.snapshot()["timeline"]["ranges"]]
    assert [name for *_, name in found] == ["of a new thread", "of an old thread"]
    assert all(0 <= start <= end for start, end, _ in found)
