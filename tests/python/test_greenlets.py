"""Greenlets, which have a stack each: exact figures across switches. gevent is in test_gevent.py.

A test moves the clock by hand; the figures expected are worked out by hand from where it moved.
"""

import gc
import threading

import pytest

import tracer
from rows import Clock, by_name, resumed, stats_of

greenlet = pytest.importorskip("greenlet", reason="the package greenlet is not installed")

clock = Clock()


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0
    yield
    assert greenlet.gettrace() is None


def measure(program, **options):
    """A finished Profile of one call; Python functions only."""
    profile = tracer.Profile(clock, 1.0, **{"builtins": False, **options})
    profile.runcall(program)
    return profile


def times(source, name):
    row = by_name(source)[name]
    return row.tottime, row.cumtime


def total_of(source):
    """Of this thread: others may be left over from other tests, and wait."""
    return sum(row[2] for row in stats_of(source).threads[threading.get_ident()].stats.values())


def up(*values):
    """Switch to the parent, whose call of switch() this ends."""
    return greenlet.getcurrent().parent.switch(*values)


def leaf():
    clock.now += 1


# -- Switches ------------------------------------------------------------------------------------


def test_a_greenlet_has_a_stack_of_its_own():
    """What the others do between its switches is no part of its time, nor of its callers'."""

    def inner():
        clock.now += 1
        up()
        leaf()
        clock.now += 2

    def body():
        clock.now += 10
        inner()
        clock.now += 20

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 100
        leaf()
        other.switch()
        clock.now += 200

    profile = measure(program)
    rows = by_name(profile)
    assert times(profile, "inner") == (3, 4)
    assert times(profile, "body") == (30, 34)
    assert times(profile, "program") == (300, 301)
    assert rows["body"].callers == {}
    assert rows["inner"].callers == {"body": (1, 1)}
    assert rows["leaf"].callers == {"inner": (1, 1), "program": (1, 1)}
    assert total_of(profile) == clock.now == 335


def test_switching_is_a_call_that_takes_no_time():
    def body():
        clock.now += 1
        up()
        clock.now += 2

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        other.switch()

    rows = by_name(measure(program, builtins=True))
    switch = "<method 'switch' of 'greenlet.greenlet' objects>"
    assert rows[switch] == (3, 3, 0, 0, {"program": (2, 2), "up": (1, 1)})
    assert rows["program"][:4] == (1, 1, 10, 10)
    assert rows["body"][:4] == (1, 1, 3, 3)


def test_greenlets_in_turns():
    """Three of one function: each has its own calls on its own stack, and none is a recursion."""

    def outer(ticks):
        inner(ticks)
        clock.now += ticks

    def inner(ticks):
        for _ in range(2):
            clock.now += ticks
            up()

    def program():
        turns = [greenlet.greenlet(outer) for _ in range(3)]
        for ticks, turn in enumerate(turns, 1):
            turn.switch(ticks)
        for _ in range(2):
            for turn in turns:
                turn.switch()
                clock.now += 100

    profile = measure(program)
    rows = by_name(profile)
    assert rows["inner"] == (3, 3, 12, 12, {"outer": (3, 3)})
    assert rows["outer"] == (3, 3, 6, 18, {})
    assert times(profile, "program") == (600, 600)


def test_a_greenlet_within_a_greenlet():
    """The one that is made in another one goes back to that."""

    def first():
        clock.now += 1
        second_greenlet = greenlet.greenlet(second)
        second_greenlet.switch()
        clock.now += 2
        second_greenlet.switch()
        clock.now += 4

    def second():
        clock.now += 10
        up()
        clock.now += 20

    def program():
        greenlet.greenlet(first).switch()
        clock.now += 100

    profile = measure(program)
    assert times(profile, "first") == (7, 7)
    assert times(profile, "second") == (30, 30)
    assert times(profile, "program") == (100, 100)
    assert by_name(profile)["second"].callers == {}


def test_recursion_across_greenlets_is_none():
    """Each function is on each stack once: all calls are primitive."""

    def descend(depth):
        clock.now += 1
        if depth:
            greenlet.greenlet(descend).switch(depth - 1)
        clock.now += 10

    profile = measure(lambda: descend(3))
    assert by_name(profile)["descend"][:4] == (4, 4, 44, 44)


def test_recursion_within_a_greenlet():
    def descend(depth):
        clock.now += 1
        if depth:
            descend(depth - 1)
        else:
            up()
        clock.now += 10

    def program():
        other = greenlet.greenlet(descend)
        other.switch(3)
        descend_here(1)
        clock.now += 100
        other.switch()

    def descend_here(depth):
        clock.now += 1000
        if depth:
            descend_here(depth - 1)

    profile = measure(program)
    assert by_name(profile)["descend"] == (4, 1, 44, 44, {"descend": (3, 1)})
    assert by_name(profile)["descend_here"][:4] == (2, 1, 2000, 2000)
    assert times(profile, "program") == (100, 2100)


def test_generators_in_greenlets():
    """A generator that switches runs meanwhile: only a yield suspends it."""

    def numbers():
        clock.now += 1
        up()
        clock.now += 2
        yield
        clock.now += 4

    def body():
        for _ in numbers():
            clock.now += 10
            up()
            clock.now += 20

    def program():
        other = greenlet.greenlet(body)
        for _ in range(3):
            other.switch()
            clock.now += 100

    profile = measure(program)
    assert times(profile, "numbers") == (7, 7)
    assert times(profile, "body") == (30, 37)
    assert resumed(profile) == {"numbers": (1, 1, {"body": (1, 1)}, 10 + 100 + 20)}
    assert total_of(profile) == clock.now == 337


def test_a_generator_that_another_greenlet_resumes():
    def numbers():
        clock.now += 1
        yield
        clock.now += 2

    def body(generator):
        next(generator, None)
        clock.now += 10

    def program():
        generator = numbers()
        next(generator)
        clock.now += 100
        greenlet.greenlet(body).switch(generator)

    profile = measure(program)
    assert times(profile, "numbers") == (3, 3)
    assert resumed(profile) == {"numbers": (1, 1, {"body": (1, 1)}, 100)}
    assert times(profile, "body") == (10, 12)


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_node_limits_change_no_figure(limit):
    def descend(depth):
        clock.now += 1
        if depth:
            descend(depth - 1)
        up()
        leaf()
        clock.now += 10

    def program():
        others = (*map(greenlet.greenlet, [descend] * 3),)
        for depth, other in enumerate(others):
            other.switch(depth)
        while not others[-1].dead:
            looks.append(by_name(profile))
            for other in others:
                if not other.dead:
                    other.switch()
                clock.now += 100
                leaf()

    looks = []
    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    expected = [*looks, by_name(profile)]
    looks = []
    clock.now = 0
    profile = tracer.Profile(clock, 1.0, builtins=False, _node_limit=limit)
    profile.runcall(program)
    assert [*looks, by_name(profile)] == expected
    assert len(profile.snapshot()["threads"][0]["folds"]) > 0
    assert expected[-1]["descend"][:4] == (6, 3, 66, 66 + 6)


# -- Exceptions and ends -------------------------------------------------------------------------


class Trouble(Exception):
    pass


def test_a_greenlet_that_raises():
    """What it does not catch is raised where its parent waits."""

    def fail():
        clock.now += 1
        raise Trouble

    def body():
        clock.now += 2
        fail()

    def program():
        try:
            greenlet.greenlet(body).switch()
        except Trouble:
            clock.now += 10
        leaf()

    profile = measure(program)
    assert times(profile, "body") == (2, 3)
    assert times(profile, "program") == (10, 11)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}


def test_an_exception_that_is_thrown_into_a_greenlet():
    def inner():
        try:
            up()
        finally:
            clock.now += 1

    def body():
        try:
            inner()
        except Trouble:
            clock.now += 2
            up()
        leaf()

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        other.throw(Trouble)
        clock.now += 20
        other.switch()

    profile = measure(program)
    assert times(profile, "inner") == (1, 1)
    assert times(profile, "body") == (2, 4)
    assert times(profile, "program") == (30, 30)
    assert by_name(profile)["leaf"].callers == {"body": (1, 1)}


def test_an_exception_that_is_thrown_into_a_greenlet_that_has_not_started():
    def body():
        clock.now += 1000

    def program():
        with pytest.raises(Trouble):
            greenlet.greenlet(body).throw(Trouble)
        leaf()

    stats = tracer.Stats(measure(program))
    rows = {label[2]: row for label, row in stats.stats.items() if label[0] == __file__}
    assert "body" not in rows
    assert [caller[2] for caller in rows["leaf"][4]] == ["program"]


def stop_cleanly():
    try:
        clock.now += 1
        up()
    finally:
        clock.now += 2


@pytest.mark.parametrize("how", ["throw", "drop", "collect"])
def test_a_greenlet_that_is_ended(how):
    """GreenletExit goes through its frames; who ended it goes on where it was."""

    def program():
        other = greenlet.greenlet(stop_cleanly)
        other.switch()
        clock.now += 10
        if how == "throw":
            other.throw()
        elif how == "collect":
            cycle = [other]
            cycle.append(cycle)
            del cycle
        del other
        gc.collect()
        clock.now += 20
        leaf()

    gc.collect()
    profile = measure(program)
    assert times(profile, "stop_cleanly") == (3, 3)
    assert times(profile, "program") == (30, 31)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}
    assert total_of(profile) == clock.now == 34


def test_addresses_of_greenlets_are_used_again():
    """A new greenlet where an old one was has nothing of its stack."""

    def brief():
        up()
        leaf()

    def program():
        for _ in range(300):
            others = [greenlet.greenlet(brief) for _ in range(10)]
            for other in others:
                other.switch()
            for other in others[::2]:
                other.switch()

    rows = by_name(measure(program))
    assert rows["brief"][:2] == (3000, 3000)
    assert rows["brief"].callers == {}
    assert rows["leaf"] == (1500, 1500, 1500, 1500, {"brief": (1500, 1500)})


def test_ten_thousand_greenlets():
    def body(ticks):
        clock.now += ticks
        up()
        leaf()

    def program():
        others = [greenlet.greenlet(body) for _ in range(10_000)]
        for other in others:
            other.switch(3)
        clock.now += 7
        for other in others:
            other.switch()

    profile = measure(program)
    assert by_name(profile)["body"] == (10_000, 10_000, 30_000, 40_000, {})
    assert by_name(profile)["leaf"].callers == {"body": (10_000, 10_000)}
    assert times(profile, "program") == (7, 7)
    assert total_of(profile) == clock.now


# -- What runs when the profile is enabled, and after it -------------------------------------------


def rows_here(source):
    """{name: (calls, tottime, cumtime, callers)} of this file, what was not called included."""
    found = {}
    for label, (_, count, tottime, cumtime, callers) in stats_of(source).stats.items():
        if label[0] == __file__:
            assert label[2] not in found
            names = {caller[2] for caller in callers if caller[0] == __file__}
            found[label[2]] = (count, tottime, cumtime, names)
    return found


def test_frames_of_greenlets_that_wait_when_it_is_enabled_are_roots():
    """Their time counts from the switch to them on; they are callers, and not called."""

    def inner():
        up()
        clock.now += 1
        abs(-1)
        leaf()
        abs(-1)

    def body():
        inner()
        clock.now += 2
        leaf()

    def program():
        clock.now += 100
        other.switch()
        clock.now += 200

    other = greenlet.greenlet(body)
    other.switch()
    clock.now += 1000
    profile = measure(program, builtins=True)
    rows = rows_here(profile)
    assert other.dead
    assert rows["program"] == (1, 300, 300, {"measure"})
    assert rows["leaf"] == (2, 2, 2, {"inner", "body"})
    assert rows["body"] == (0, 2, 5, set())
    assert rows["inner"] == (0, 1, 2, {"body"})
    assert by_name(profile)["<built-in method builtins.abs>"].calls == 2


def test_a_greenlet_that_waited_and_ended_leaves_nothing_behind():
    """Another one where it was, or the one it goes back to, does not run on its stack."""

    def body():
        up()

    def new():
        leaf()

    def program():
        for index in range(len(others)):
            others[index].switch()
            others[index] = None
            greenlet.greenlet(new).switch()

    others = [greenlet.greenlet(body) for _ in range(100)]
    for other in others:
        other.switch()
    del other
    profile = measure(program)
    rows = rows_here(profile)
    assert rows["new"] == (100, 0, 100, set())
    assert rows["leaf"] == (100, 100, 100, {"new"})
    assert rows["body"][:3] == (0, 0, 0)


def test_it_is_enabled_and_disabled_in_a_greenlet():
    """The others are roots when they are switched to: here the one that runs the test."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        profile.enable()
        clock.now += 2
        up()
        clock.now += 4
        leaf()
        profile.disable()
        clock.now += 1000

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 10
        leaf()
        other.switch()
        clock.now += 1000

    program()
    rows = rows_here(profile)
    assert rows["body"] == (0, 6, 7, set())
    assert rows["up"] == (1, 0, 0, {"body"})
    assert rows["program"][:3] == (0, 10, 11)
    assert rows["leaf"] == (2, 2, 2, {"body", "program"})


def test_it_is_disabled_in_one_greenlet_and_enabled_in_another():
    """What went on meanwhile is no part of it."""
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        profile.disable()
        clock.now += 1000
        greenlet.getcurrent().parent.switch()
        clock.now += 2
        leaf()
        up()
        leaf()

    def program():
        other = greenlet.greenlet(body)
        profile.enable()
        other.switch()
        clock.now += 1000
        profile.enable()
        clock.now += 10
        other.switch()
        clock.now += 20
        profile.disable()
        other.switch()

    program()
    rows = rows_here(profile)
    assert rows["body"] == (1, 3, 4, set())
    assert rows["leaf"] == (1, 1, 1, {"body"})
    assert rows["program"][:3] == (0, 30, 30)


def test_two_profiles_of_greenlets():
    first = tracer.Profile(clock, 1.0, builtins=False)
    second = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        second.enable()
        clock.now += 2
        up()
        clock.now += 4
        first.disable()
        up()
        clock.now += 8

    def program():
        other = greenlet.greenlet(body)
        with first:
            other.switch()
            clock.now += 10
            other.switch()
            clock.now += 20
        other.switch()
        clock.now += 40
        second.disable()

    program()
    assert rows_here(first)["body"] == (1, 7, 7, set())
    assert rows_here(first)["program"][:3] == (0, 10, 10)
    assert rows_here(second)["body"] == (0, 14, 14, set())
    assert rows_here(second)["program"][:3] == (0, 70, 70)


def test_it_is_cleared_between_switches():
    profile = tracer.Profile(clock, 1.0, builtins=False)

    def body():
        clock.now += 1
        up()
        clock.now += 2

    def program():
        other = greenlet.greenlet(body)
        other.switch()
        profile.clear()
        clock.now += 10
        other.switch()

    profile.runcall(program)
    rows = rows_here(profile)
    assert rows["body"] == (0, 2, 2, set())
    assert rows["program"][:3] == (0, 10, 10)


# -- greenlet.settrace ----------------------------------------------------------------------------


def two_switches():
    def body():
        clock.now += 1

    greenlet.greenlet(body).switch()


def test_nothing_of_it_stays():
    before = greenlet.gettrace()
    profile = tracer.Profile(clock, 1.0)
    profile.enable()
    two_switches()
    assert greenlet.gettrace() is not before
    profile.disable()
    assert greenlet.gettrace() is before


def test_nothing_of_it_stays_with_several_profiles():
    profiles = [tracer.Profile(clock, 1.0) for _ in range(3)]
    for profile in profiles:
        profile.enable()
    two_switches()
    for profile in profiles:
        assert greenlet.gettrace() is not None
        profile.disable()
    assert greenlet.gettrace() is None


def test_nothing_of_it_stays_in_other_threads_once_they_switch():
    go_on, told = threading.Event(), threading.Event()
    left = []

    def work():
        two_switches()
        told.set()
        go_on.wait(10)
        two_switches()
        left.append(greenlet.gettrace())

    with tracer.Profile(clock, 1.0):
        thread = threading.Thread(target=work)
        thread.start()
        told.wait(10)
    go_on.set()
    thread.join()
    assert left == [None]


def test_a_function_that_the_program_set_before_is_called():
    events = []

    def watch(event, greenlets):
        events.append((event, *greenlets))

    def program():
        two_switches()

    greenlet.settrace(watch)
    try:
        profile = measure(program)
        assert greenlet.gettrace() is watch
    finally:
        greenlet.settrace(None)
    main = greenlet.getcurrent()
    assert [event[0] for event in events] == ["switch", "switch"]
    assert events[0][1] is events[1][2] is main
    assert events[0][2] is events[1][1]
    rows = by_name(profile)
    assert times(profile, "body") == (1, 1)
    assert rows["body"].callers == {}
    assert "watch" not in rows


@pytest.mark.parametrize("calls_the_other", [True, False])
def test_a_function_that_the_program_sets_later_is_called(calls_the_other):
    """If it calls the one that was there, as it should, no switch goes unnoticed; if not, what is
    not known of the stacks is found out again later."""
    events = []

    def program():
        two_switches()
        before = greenlet.gettrace()

        def watch(event, greenlets):
            events.append(event)
            if calls_the_other:
                before(event, greenlets)

        greenlet.settrace(watch)
        try:
            other = greenlet.greenlet(body_2)
            other.switch()
            other.switch()
            clock.now += 100
        finally:
            greenlet.settrace(before)
        two_switches()
        leaf()

    def body_2():
        clock.now += 10
        up()
        clock.now += 20

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(program)
    assert events == ["switch"] * 4
    rows = rows_here(profile)
    assert rows["body"] == (2, 2, 2, set())
    assert rows["leaf"] == (1, 1, 1, {"program"})
    assert rows["body_2"][:2] == (1, 30)
    assert rows["program"][:2] == (1, 100)
    if calls_the_other:
        assert rows["body_2"] == (1, 30, 30, set())
        assert rows["program"][2] == 101
    assert total_of(profile) == clock.now


def test_a_function_of_the_program_that_raises():
    """greenlet takes it away then, and raises the exception after the switch."""

    def watch(event, greenlets):
        raise Trouble

    def body():
        clock.now += 1

    def program():
        try:
            greenlet.greenlet(body).switch()
        except Trouble:
            leaf()
        clock.now += 10

    greenlet.settrace(watch)
    try:
        profile = measure(program)
    finally:
        greenlet.settrace(None)
    assert times(profile, "program") == (10, 11)
    assert by_name(profile)["leaf"].callers == {"program": (1, 1)}


# -- Threads -------------------------------------------------------------------------------------


def test_greenlets_in_several_threads():
    """Greenlets belong to their thread; each thread's are told apart."""

    def outer(ticks):
        clock_of_thread(ticks)
        up()
        clock_of_thread(ticks)

    def clock_of_thread(ticks):
        with lock:
            clock.now += ticks

    def work(ticks):
        others = [greenlet.greenlet(outer) for _ in range(20)]
        for other in others:
            other.switch(ticks)
        barrier.wait(10)
        for other in others:
            other.switch()

    def program():
        threads = [threading.Thread(target=work, args=(1,), name=f"worker-{i}") for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    lock, barrier = threading.Lock(), threading.Barrier(4)
    stats = tracer.Stats(measure(program))
    for number in range(4):
        rows = rows_here(stats.threads[f"worker-{number}"])
        assert rows["outer"][0] == 20
        assert rows["outer"][3] == set()
        assert rows["clock_of_thread"][::3] == (40, {"outer"})
        assert rows["up"][::3] == (20, {"outer"})
        assert rows["work"][0] == 1


def test_a_thread_whose_greenlets_ran_before():
    """The first that is heard of it may be in another greenlet than when the profile began."""
    ready, go_on = threading.Event(), threading.Event()

    def work():
        other = greenlet.greenlet(elsewhere)
        other.switch()
        leaf()

    def elsewhere():
        ready.set()
        go_on.wait(10)
        greenlet.getcurrent().parent.switch()

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    ready.wait(10)
    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        go_on.set()
        thread.join()
    rows = rows_here(tracer.Stats(profile).threads["worker"])
    assert rows["leaf"] == (1, 1, 1, {"work"})
    assert rows["elsewhere"][0] == rows["work"][0] == 0


# -- The package is imported later -----------------------------------------------------------------


@pytest.mark.parametrize("builtins", [True, False])
def test_greenlet_is_imported_while_the_profile_is_enabled(builtins):
    from survival import survives

    survives(f"""
        profile = tracer.Profile(builtins={builtins})
        profile.enable()
        import greenlet
        def inner():
            greenlet.getcurrent().parent.switch()
            leaf()
        def body():
            inner()
        def other():
            leaf()
        first = greenlet.greenlet(body)
        first.switch()
        other()
        first.switch()
        profile.disable()
        assert greenlet.gettrace() is None
        callers = {{}}
        for label, row in tracer.Stats(profile).stats.items():
            callers[label[2]] = sorted(caller[2] for caller in row[4])
        assert callers["leaf"] == ["inner", "other"], callers
        assert callers["inner"] == ["body"], callers
        assert callers["other"] == ["<module>"], callers
        assert callers["body"] == [], callers
    """)
