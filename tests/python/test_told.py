"""What a timeline is told beside ranges: marks, counters, flows, collections, forks; and which
names and values it keeps."""

import decimal
import enum
import fractions
import gc
import math
import os
import signal
import threading
import time

import pytest

import tracer
from rows import Clock
from tracer import _core
from tracer.data.records import NODE
from tracer.data.section import dumps, section_of

LISTS = ("ranges", "marks", "counters", "flows", "collections", "forks")
LIMIT = 262144  # TRC_NOTE_LIMIT


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0, timeline=True)


def told(profile, name):
    return profile.snapshot()["timeline"][name]


def function_at(profile, thread, node):
    snapshot = profile.snapshot()
    _, function, *_ = list(NODE.iter_unpack(snapshot["threads"][thread]["nodes"]))[node]
    return snapshot["functions"][function][2]


def in_thread(function):
    thread = threading.Thread(target=function)
    thread.start()
    thread.join()


# -- Marks, counters, flows ----------------------------------------------------------------------


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


class Rude:
    """Raises whatever it is asked."""

    def __init__(self, error):
        self.error = error

    def __float__(self):
        raise self.error

    __str__ = __repr__ = __float__


ERRORS = [ValueError("no"), KeyError(), RecursionError(), MemoryError(), SystemExit(3)]


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


# -- Names and values ----------------------------------------------------------------------------


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


# -- Collections ---------------------------------------------------------------------------------


@pytest.fixture
def no_automatic_collections():
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_automatic_collections")
def test_collections_are_told(clock, profile):
    class Cycle:
        def __init__(self):
            self.me = self

        def __del__(self):
            clock.now += 5

    def work():
        gc.collect(0)
        Cycle()
        clock.now += 1
        gc.collect()

    gc.collect()
    profile.runcall(work)
    first, second = told(profile, "collections")
    assert first == (0, 0, 0, 0, 0, 0)
    thread, start, end, generation, collected, uncollectable = second
    assert (thread, start, end, generation, uncollectable) == (0, 1, 6, 2, 0)
    assert collected >= 1


@pytest.mark.usefixtures("no_automatic_collections")
def test_a_snapshot_in_the_middle_of_a_collection(clock, profile):
    seen = []

    def look(phase, info):
        if phase == "start":
            seen.append(told(profile, "collections"))

    with profile:
        gc.callbacks.append(look)
        gc.collect(1)
        gc.callbacks.remove(look)
    assert seen == [((0, 0, -1, 1, 0, 0),)]


def test_the_callback_is_there_only_while_a_timeline_is_recorded(profile):
    before = list(gc.callbacks)
    other = tracer.Profile(timeline=True)
    with tracer.Profile():
        assert gc.callbacks == before
    with profile:
        assert len(gc.callbacks) == len(before) + 1
        with other:
            assert len(gc.callbacks) == len(before) + 1
        assert len(gc.callbacks) == len(before) + 1
        profile.enable()
        assert len(gc.callbacks) == len(before) + 1
    assert gc.callbacks == before


def test_the_callback_is_removed_with_the_profile():
    before = list(gc.callbacks)
    profile = tracer.Profile(timeline=True)
    profile.enable()
    del profile
    gc.collect()
    assert gc.callbacks == before


@pytest.mark.skipif(not hasattr(__import__("sys"), "monitoring"), reason="nothing to refuse")
def test_the_callback_is_removed_when_enabling_fails(monkeypatch):
    import sys

    before = list(gc.callbacks)
    profile = tracer.Profile(timeline=True, backend="monitoring")
    held = [i for i in range(6) if sys.monitoring.get_tool(i) is None]
    for i in held:
        sys.monitoring.use_tool_id(i, "a test")
    try:
        with pytest.raises(RuntimeError):
            profile.enable()
        assert gc.callbacks == before
    finally:
        for i in held:
            sys.monitoring.free_tool_id(i)


@pytest.mark.usefixtures("no_automatic_collections")
def test_a_program_may_do_with_the_callbacks_what_it_likes(clock, profile):
    before = list(gc.callbacks)
    try:
        with profile:
            kept = list(gc.callbacks)
            gc.callbacks.clear()
            gc.collect()
        assert gc.callbacks == []
        gc.callbacks[:] = kept  # with tracer's
        gc.collect()
        with profile:
            assert gc.callbacks == kept
            gc.collect(0)
            gc.callbacks.extend(kept)
        assert gc.callbacks == before * 2
        assert len(told(profile, "collections")) == 1
        with profile:
            ours = gc.callbacks[-1]
            for args in [(), ("start",), (1, {}), ("start", {}), ("stop", {"generation": 1})]:
                ours(*args)
            ours("start", {"generation": "x"})
            ours("stop", {"generation": 1, "collected": "x", "uncollectable": 0})
            clock.now += 1
        assert len(told(profile, "collections")) == 1
    finally:
        gc.callbacks[:] = before


def test_collections_beside_a_timer_that_collects():
    class Collecting(Clock):
        def __call__(self):
            gc.collect(0)
            return super().__call__()

    profile = tracer.Profile(Collecting(), 1.0, timeline=True)
    with profile:
        gc.collect()
    assert len(told(profile, "collections")) >= 1


# -- Forks ---------------------------------------------------------------------------------------


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


# -- Budgets and lives ---------------------------------------------------------------------------


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
