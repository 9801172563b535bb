"""Greenlets that a profile comes to know: those that wait when it is enabled, in other threads, and
when the package is imported late. A greenlet.settrace of the program's is in
test_greenlets_settrace.py.
"""

import importlib.util
import sys
import threading
import types

import pytest

import greenlets
import tracer
from greenlets import clock, greenlet, leaf, measure, up
from hooks import HAS_MONITORING, OURS
from rows import by_name, rows_of_file
from survival import survives

clean = greenlets.clean  # a fixture of all tests here


def rows_here(source):
    return rows_of_file(source, __file__, greenlets.__file__)


# -- What runs when the profile is enabled, and after it -------------------------------------------


def test_frames_of_greenlets_that_wait_when_it_is_enabled_are_roots():
    """The frames' time counts from the switch to them on. They are callers, and not called."""

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


def test_a_sole_frame_of_a_greenlet_that_waits_when_it_is_enabled():
    def body():
        greenlet.getcurrent().parent.switch()
        abs(-1)
        leaf()
        abs(-1)

    other = greenlet.greenlet(body)
    other.switch()
    profile = measure(other.switch, builtins=True)
    assert rows_here(profile)["leaf"] == (1, 1, 1, {"body"})
    assert by_name(profile)["<built-in method builtins.abs>"].calls == 2


@pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")
def test_code_of_greenlets_that_waited_is_left_without_events_of_its_own():
    """tracer sets some events for a moment, by the tool id that stays ours."""

    def inner():
        up()
        leaf()

    other = greenlet.greenlet(inner)
    other.switch()
    with tracer.Profile(backend="monitoring") as profile:
        other.switch()
        assert sys.monitoring.get_tool(OURS[0]) == "tracer"
        assert sys.monitoring.get_local_events(OURS[0], inner.__code__) == 0
    assert by_name(profile)["leaf"].calls == 1


def test_a_greenlet_that_waited_and_ended_leaves_nothing_behind():
    """Neither a new greenlet at its address nor the one that it goes back to runs on its stack."""

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
    """Other greenlets are roots when they are switched to: here the one that runs the test."""
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
    """What runs in between is no part of the profile."""
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
    """The thread's first event may come in another greenlet than the one it was in at enable()."""
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


def test_a_thread_that_calls_nothing_new_when_it_is_enabled_again():
    """The thread's greenlets are told apart as before."""
    steps, done = [threading.Event() for _ in range(3)], [threading.Event() for _ in range(3)]

    def body():
        clock.now += 1
        up()
        clock.now += 10

    def switches():
        other = greenlet.greenlet(body)
        other.switch()
        clock.now += 100
        other.switch()

    def work():
        for step, over in zip(steps, done, strict=True):
            step.wait(10)
            switches()
            over.set()

    def go(number):
        steps[number].set()
        done[number].wait(10)

    thread = threading.Thread(target=work, name="worker")
    thread.start()
    profile = tracer.Profile(clock, 1.0, builtins=False)
    with profile:
        go(0)
    go(1)  # here the thread learns that nobody looks any more
    with profile:
        go(2)
        thread.join()
    rows = rows_here(tracer.Stats(profile).threads["worker"])
    assert rows["switches"][:3] == (2, 200, 200)
    assert rows["body"] == (2, 22, 22, set())


# -- The package is imported later -----------------------------------------------------------------


def test_another_module_of_that_name():
    survives("""
        import types
        sys.modules["greenlet"] = types.ModuleType("greenlet")
        profile = tracer.Profile()
        with profile:
            leaf()
        assert calls(profile) == 1
        still_works(profile)
    """)


@pytest.mark.parametrize("builtins", [True, False])
def test_greenlet_is_imported_while_the_profile_is_enabled(builtins):
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


def test_a_module_of_that_name_is_not_asked_in_the_middle_of_an_event(monkeypatch):
    """The functions of such a module are Python: they could change the very profile that asks."""
    asked = []
    module = types.ModuleType("greenlet")
    module.gettrace = module.settrace = lambda *function: asked.append(function)
    monkeypatch.setitem(sys.modules, "greenlet", module)
    with tracer.Profile() as profile:
        leaf()
    assert by_name(profile)["leaf"].calls == 1
    assert asked == []


def test_a_module_of_that_name_that_is_lazy_stays_so(tmp_path, monkeypatch):
    path = tmp_path / "greenlet.py"
    path.write_text("raise AssertionError('imported')")
    spec = importlib.util.spec_from_file_location("greenlet", path)
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "greenlet", module)
    spec.loader.exec_module(module)
    with tracer.Profile() as profile:
        leaf()
    assert by_name(profile)["leaf"].calls == 1


def test_a_thread_that_imports_it_is_asked_again_though_another_sees_it_first(monkeypatch):
    """The thread that imports calls nothing new once the import has ended."""

    def work():
        enabled.acquire()
        leaf()
        seen_half.release()
        seen_whole.acquire()
        leaf()
        traced.append(greenlet.gettrace() is not None)

    def other():
        pass

    enabled, seen_half, seen_whole = (threading.Lock() for _ in range(3))
    for lock in (enabled, seen_half, seen_whole):
        lock.acquire()
    traced = []
    half = types.ModuleType("greenlet")
    half.__spec__ = types.SimpleNamespace(_initializing=True)
    monkeypatch.setitem(sys.modules, "greenlet", half)
    thread = threading.Thread(target=work)
    thread.start()
    profile = tracer.Profile(builtins=False)
    profile.enable()
    enabled.release()
    seen_half.acquire()
    sys.modules["greenlet"] = greenlet
    other()  # new here, so that the module is looked at
    seen_whole.release()
    thread.join()
    profile.disable()
    assert traced == [True]


@pytest.mark.parametrize("enabled_again", [False, True])
def test_an_import_that_fails_half_way_is_not_asked_for_at_each_call(
    tmp_path, monkeypatch, enabled_again
):
    """As long as a module is half imported, each event looks for what the module lacks."""

    class Counted(str):
        """A key that is equal to no other, and counts how often it is compared with its text."""

        __hash__ = str.__hash__

        def __eq__(self, other):
            asked.append(other)
            return False

    asked = []
    (tmp_path / "greenlet.py").write_text(
        "def early(): pass\nearly()  # at its first call the module is looked at\n1 / 0\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "greenlet")
    profile = tracer.Profile(builtins=False)
    profile.enable()
    with pytest.raises(ZeroDivisionError):
        importlib.import_module("greenlet")
    leaf()
    if enabled_again:
        profile.disable()
        profile.enable()
    monkeypatch.setitem(sys.modules, Counted("greenlet"), None)
    leaf()
    asked.clear()
    for _ in range(10):
        leaf()
    found = list(asked)
    profile.disable()
    assert found == []
