"""Beside a profile: the program's own trace and profile functions, and audit hooks that run code.

Several profiles at once are in test_lifetime.py, other tools of sys.monitoring in
test_tool_ids.py and test_tool_ids_again.py.
"""

import sys
import threading
import time
from textwrap import dedent

import pytest

import tracer
from rows import Clock, by_name, calls_of
from survival import survives

MONITORING = tracer.Profile().backend == "monitoring"
needs_monitoring = pytest.mark.skipif(not MONITORING, reason="of the monitoring back end alone")
needs_setprofile = pytest.mark.skipif(MONITORING, reason="of the setprofile back end alone")


def leaf():
    pass


# -- Other tools ---------------------------------------------------------------------------------


def in_a_thread(*functions):
    for function in functions:
        thread = threading.Thread(target=function)
        thread.start()
        thread.join()


def test_a_trace_function_of_all_threads():
    def trace(frame, event, argument):
        if frame.f_code is leaf.__code__:
            seen.append(event)
        return trace

    seen = []
    profile = tracer.Profile(builtins=False)
    before = threading.gettrace()
    threading.settrace(trace)
    try:
        with profile:
            in_a_thread(leaf, leaf)
    finally:
        threading.settrace(before)
    assert seen.count("call") == seen.count("return") == 2
    assert calls_of(profile, leaf) == [2]


def test_a_profile_function_of_all_threads():
    """The program's function takes the back end setprofile's place in the threads that it is in."""

    def theirs(frame, event, argument):
        if frame.f_code is leaf.__code__:
            seen.append(event)

    seen = []
    profile = tracer.Profile(builtins=False)
    threading.setprofile(theirs)
    try:
        with profile:
            in_a_thread(leaf, leaf)
            leaf()
    finally:
        threading.setprofile(None)
    assert seen == ["call", "return"] * 2
    assert calls_of(profile, leaf) == [3 if MONITORING else 1]


@needs_monitoring
def test_setprofile_called_by_the_program_changes_nothing():
    def theirs(frame, event, argument):
        pass

    profile = tracer.Profile(builtins=False)
    with profile:
        leaf()
        sys.setprofile(theirs)
        leaf()
        sys.setprofile(None)
        leaf()
    assert calls_of(profile, leaf) == [3]
    assert tracer.Stats(profile).captures[0].threads[0].cut_off is None


@needs_setprofile
@pytest.mark.parametrize("look", [True, False])
def test_setprofile_called_by_the_program_cuts_us_off(look):
    def program():
        clock.now += 20
        leaf()
        clock.now += 3
        sys.setprofile(None)
        clock.now += 500
        leaf()

    clock = Clock()
    profile = tracer.Profile(clock, 1.0, builtins=False)
    clock.now = 7000
    profile.enable()
    clock.now += 100
    program()
    if look:  # this look comes after the cut, and so is no event
        assert tracer.Stats(profile).captures[0].threads[0].cut_off == 120
        profile.getstats()
    profile.disable()
    (capture,) = tracer.Stats(profile).captures
    assert [thread.cut_off for thread in capture.threads] == [120]  # leaf() is the last it heard of
    rows = by_name(profile)
    assert rows["leaf"].calls == 1
    assert rows["program"].cumtime == 20


@needs_setprofile
def test_a_thread_that_was_cut_off_stays_so_when_another_begins():
    """From 3.13 on the interpreter hooks all threads or none: the cut one's events come again."""

    def cut_here():
        sys.setprofile(None)

    def work():
        cut_here()
        is_cut.set()
        assert go_on.wait(10)
        clock.now += 100
        leaf()

    clock = Clock()
    is_cut, go_on = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    with tracer.Profile(clock, 1.0, builtins=False) as profile:
        thread.start()
        assert is_cut.wait(10)
        other = threading.Thread(target=leaf)
        other.start()
        other.join()
        go_on.set()
        thread.join()
    assert [item.cut_off is None for item in tracer.Stats(profile).captures[0].threads] == [
        True,
        False,
        True,
    ]
    assert calls_of(profile, leaf) == [1]
    (label,) = (label for label in tracer.Stats(profile).stats if label[2] == "cut_here")
    assert tracer.Stats(profile).stats[label][:4] == (1, 1, 0, 0)


def test_an_enable_within_one_that_then_fails():
    """The profile is as the inner enable() left it: enabled."""
    if sys.version_info < (3, 12):
        pytest.skip("3.11 refuses to set a profile function within an audit hook of that")
    survives("""
        def refuse(event, args):
            if event == "sys.setprofile" and armed:
                armed.clear()
                profile.disable()
                profile.enable()
                raise KeyError

        armed = [True]
        profile = tracer.Profile(backend="setprofile")
        sys.addaudithook(refuse)
        sys.unraisablehook = lambda unraisable: None  # from 3.13 on it is told of the KeyError
        try:
            profile.enable()
        except KeyError:
            pass
        leaf()
        assert profile.enabled
        profile.disable()
        assert calls(profile) == 1
        still_works(profile)
    """)


@needs_setprofile
def test_cut_off_by_the_cpu_clock():
    profile = tracer.Profile("cpu")
    thread_time = time.thread_time()
    with profile:
        leaf()
        sys.setprofile(None)
        while time.thread_time() - thread_time < 0.1:
            pass
    assert 0 < tracer.Stats(profile).captures[0].threads[0].cut_off < 0.05


# -- Audit hooks ---------------------------------------------------------------------------------

MEDDLING = """
    def tools():
        return [number for number in range(6) if sys.monitoring.get_tool(number) is not None]

    def hook(event, arguments):
        global meddle
        if meddle is not None and event.startswith("sys.monitoring"):
            action, meddle = meddle, None
            action()
            done.append(event)

    meddle, done = None, []
    sys.addaudithook(hook)
    one, two = tracer.Profile(), tracer.Profile()
"""


@needs_monitoring
@pytest.mark.parametrize(
    "program",
    [
        """
        meddle = two.enable
        one.enable()
        leaf()
        assert (calls(one), calls(two)) == (1, 1)
        """,
        """
        one.enable()
        meddle = two.enable
        one.disable()
        leaf()
        assert (calls(one), calls(two)) == (0, 1)
        """,
        """
        meddle = one.disable
        one.enable()
        leaf()
        assert not one.enabled and calls(one) == 0
        """,
        """
        def again():
            one.disable()
            one.enable()

        meddle = again
        one.enable()
        leaf()
        assert one.enabled and calls(one) == 1
        """,
        """
        def refuse():
            done.append(None)
            raise KeyError

        for profile in (one, two):
            meddle = refuse
            try:
                profile.enable()
            except KeyError:
                pass
            else:
                raise AssertionError
            assert not profile.enabled and not tools()
        one.enable()
        meddle = refuse
        one.disable()
        """,
    ],
    ids=["enables another", "enables in disable", "disables", "disables and enables", "refuses"],
)
def test_an_audit_hook_meddles(program):
    """Guards against a tool id that is lost, or given back while it is in use."""
    ending = """
        assert done
        one.disable()
        two.disable()
        assert tools() == []
        held()  # a callback whose removal was refused is still there
        still_works(one)
        assert tools() == []
    """
    survives(dedent(MEDDLING) + dedent(program) + dedent(ending))


def test_a_warning_that_enables_the_profile_it_is_about():
    """Guards against a profile that is twice in the list of the enabled, which then has no end."""
    if not MONITORING:
        pytest.skip("no tool ids are to be had before 3.12, or with the setprofile back end")
    survives(
        """
        import warnings

        def warn(*of):
            if not asked:
                asked.append(of)
                profile.enable()

        asked = []
        warnings.simplefilter("always")
        warnings.showwarning = warn
        for number in range(6):
            sys.monitoring.use_tool_id(number, "somebody else")
        profile = tracer.Profile()
        profile.enable()
        leaf()
        assert asked and profile.backend == "setprofile"
        profile.disable()
        assert calls(profile) == 1
        assert sys.getprofile() is None
        """,
        TRACER_BACKEND="",
    )
