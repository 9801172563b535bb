"""Right figures where they easily go wrong: limits, several profiles, options changed on the way.

Crashes and hangs are in test_reentry.py.
"""

import _thread
import sys
import threading
import time
from contextlib import suppress

import pytest

import tracer
from hooks import BACKENDS
from rows import Clock, begun, by_name, calls, calls_of, limited, record, resumes

PAST = "<functions past the limit>"


def leaf():
    pass


# -- The limit of functions --------------------------------------------------------------------


def made(name, count):
    """Functions of their own code, called name_0, name_1 ..."""
    codes = [leaf.__code__.replace(co_name=f"{name}_{number}") for number in range(count)]
    return [type(leaf)(code, {}) for code in codes]


def in_a_new_thread(profile, functions):
    """Call functions in a new thread, and record nothing else."""

    def work():
        try:
            for function in functions:
                profile.record_call(function)
        finally:
            profile.disable()
            done.release()

    done = _thread.allocate_lock()
    done.acquire()
    _thread.start_new_thread(work, ())
    done.acquire()


def test_the_function_limit_counts_distinct_functions():
    """Guards the limit from counting a function once for each thread that calls it."""
    profile = limited(builtins=False, threads=False, _function_limit=10)
    functions = made("known", 10)
    for _ in range(20):
        in_a_new_thread(profile, functions)
    assert calls(profile) == {f"known_{number}": 20 for number in range(10)}


def test_known_functions_keep_their_figures_past_the_limit():
    """Guards a known function from being counted as unknown in a thread that comes later."""
    profile = limited(builtins=False, threads=False, _function_limit=10)
    known, strangers = made("known", 10), made("stranger", 7)
    in_a_new_thread(profile, known + strangers)
    for _ in range(4):
        in_a_new_thread(profile, strangers + known)
    assert calls(profile) == {**{f"known_{number}": 5 for number in range(10)}, PAST: 35}
    assert [entry.callcount for entry in profile.getstats() if entry.code == PAST] == [35]


def test_the_function_limit_counts_anew_after_clear():
    """Guards clear() from leaving no room for functions."""
    profile = limited(builtins=False, threads=False, _function_limit=10)
    in_a_new_thread(profile, made("before", 12))
    assert calls(profile)[PAST] == 2
    profile.clear()
    in_a_new_thread(profile, made("after", 10))
    assert calls(profile) == {f"after_{number}": 1 for number in range(10)}


def test_generators_past_the_function_limit():
    """Guards the start of a generator that has no row of its own from being taken for a resume."""

    def numbers():
        yield 1
        yield 2

    profile = limited(builtins=False, threads=False, _function_limit=10)
    functions = made("function", 20)
    for function in functions:
        profile.record_call(function)
    profile.record_call(list, numbers())
    profile.disable()
    assert calls(profile) == {**{f"function_{number}": 1 for number in range(10)}, PAST: 11}
    assert resumes(profile)[PAST][0] == 2


# -- enable() in the middle --------------------------------------------------------------------


def test_code_run_twice_and_then_enabled():
    """Guards a thread from staying muted: record_call() mutes it at its end."""

    def leaf():
        clock.now += 1

    clock = Clock()
    code = compile("for _ in range(5): leaf()", "program.py", "exec")
    profile = tracer.Profile(clock)
    for _ in range(2):
        profile.record_call(exec, code, {"leaf": leaf})
        clock.now += 100
    profile.enable()
    leaf()
    profile.disable()
    assert calls(profile) == {"<module>": 2, "leaf": 11}
    assert by_name(profile)["leaf"].tottime == 11
    assert by_name(profile)["<module>"].cumtime == 10


@pytest.mark.parametrize("include", [(), __file__])
@pytest.mark.parametrize("before, after", [(True, False), (False, True)])
def test_builtins_switched_while_a_builtin_runs(before, after, include):
    """Guards the rest of a caller's time from going to a builtin whose end is not recorded."""

    def key(item):
        clock.now += 1
        profile.enable(builtins=after)
        clock.now += 2
        return item

    def program():
        sorted([1], key=key)
        clock.now += 4

    clock = Clock()
    profile = tracer.Profile(clock, builtins=before, include=include)
    profile.runcall(program)
    rows = by_name(profile)
    times = {name: (row.calls, row.tottime, row.cumtime) for name, row in rows.items()}
    expected = {"program": (1, 4, 7), "key": (1, 3, 3)}
    if before:
        expected["<built-in method builtins.sorted>"] = (1, 0, 3)
    assert times == expected


@pytest.mark.parametrize("backend", BACKENDS)
def test_time_up_to_disable_counts(backend):
    """Guards the end from the timer's own calls: as it is read, the profile is disabled already."""
    clock = Clock()

    def timer():
        return clock.now

    profile = tracer.Profile(timer, 1.0, builtins=False, threads=False, backend=backend)
    profile.enable()
    leaf()
    clock.now += 5
    profile.disable()
    assert tracer.Stats(profile).total_tt == 5


def test_a_recorded_call_that_raises_with_a_timer_in_python():
    """Guards the timer from being called while an exception is set."""

    def timer():
        return 0

    def fail():
        raise KeyError("the program's")

    profile = tracer.Profile(timer)
    with pytest.raises(KeyError, match="the program's"):
        profile.record_call(fail)
    profile.disable()
    assert calls(profile) == {"fail": 1}


# -- Several profiles, several tools -----------------------------------------------------------


@pytest.mark.parametrize("late", [0, 1])
def test_a_profile_that_ends_while_its_timer_is_read_costs_the_others_no_event(late):
    """Guards the walk over the enabled profiles, one of which is taken out of it on the way."""

    def timer():
        if armed[0] and threading.get_ident() == here:
            armed[0] = False
            go.set()
            assert stopped.wait(5)
        return 0

    def stop():
        go.wait(5)
        timed.disable()
        stopped.set()

    here = threading.get_ident()
    armed = [False]
    go, stopped = threading.Event(), threading.Event()
    timed = tracer.Profile(timer)
    others = [tracer.Profile(), tracer.Profile()]
    thread = threading.Thread(target=stop)
    thread.start()
    for profile in [others[0], timed, others[1]] if late else [*others, timed]:
        profile.enable()
    armed[0] = True
    leaf()
    leaf()
    for profile in others:
        profile.disable()
    thread.join()
    assert stopped.is_set()
    assert [calls_of(profile, leaf) for profile in others] == [[2], [2]]


def test_a_profile_function_of_the_program_stays_when_threads_start():
    """Guards the program's own function in a thread: only new threads are hooked."""

    def theirs(frame, event, arg):
        pass

    def work():
        sys.setprofile(theirs)
        is_set.set()
        others_ran.wait(5)
        found.append(sys.getprofile())
        sys.setprofile(None)

    is_set, others_ran, found = threading.Event(), threading.Event(), []
    profile = tracer.Profile()
    with profile:
        thread = threading.Thread(target=work)
        thread.start()
        is_set.wait(5)
        for _ in range(3):
            other = threading.Thread(target=leaf)
            other.start()
            other.join()
        others_ran.set()
        thread.join()
    assert found == [theirs]
    # From 3.13 on, new threads cannot be given a profile function alone.
    if profile.backend == "monitoring" or sys.version_info < (3, 13):
        assert calls_of(profile, leaf) == [3]


# -- Threads -----------------------------------------------------------------------------------


def wait_for_the_end_of(thread):
    """join() may return a little before the interpreter has forgotten the thread."""
    thread.join()
    while thread.ident in sys._current_frames():
        time.sleep(0.001)


def test_a_thread_that_ended_unseen_goes_on_no_longer():
    """Guards the figures of a thread that unhooked itself from the time after its end."""

    def work():
        clock.now += 1
        sys.setprofile(None)

    clock = Clock()
    profile = tracer.Profile(clock, backend="setprofile")
    with profile:
        thread = threading.Thread(target=work, name="unhooked")
        thread.start()
        wait_for_the_end_of(thread)
        clock.now += 100
        while_enabled = tracer.Stats(profile)
    for stats in (while_enabled, tracer.Stats(profile)):
        assert by_name(stats.threads["unhooked"])["work"].cumtime == 1
        assert stats.threads["unhooked"].total_tt == 1


def test_a_shared_record_has_the_name_and_the_ids_of_its_last_thread():
    """Guards the name from being that of the first thread beside the ids of the last."""
    profile = tracer.Profile()
    with profile:
        for number in range(1010):
            thread = threading.Thread(target=leaf, name=f"thread {number}")
            thread.start()
            thread.join()
    assert calls_of(profile, leaf) == [1010]
    (shared,) = (
        item.thread
        for item in tracer.Stats(profile).threads
        if item.thread.native_id == thread.native_id
    )
    assert shared.sharers > 1
    assert (shared.name, shared.ident) == ("thread 1009", thread.ident)


# -- Names -------------------------------------------------------------------------------------


def test_a_builtin_has_one_name_whichever_subclass_called_first():
    """Guards list.append from being named after the method of a subclass that overrides it."""

    class Log(list):
        def append(self, item):
            super().append(item)

    class Plain(list):
        pass

    profile = tracer.Profile()
    with profile:
        Log().append(1)
        Plain().append(2)
        [].append(3)
    label = "<method 'append' of 'list' objects>"
    assert calls(profile) == {"append": 1, label: 3}
    assert [entry.callcount for entry in profile.getstats() if entry.code == label] == [3]
    names = [name for _, _, name in begun(tracer.Stats(profile, names="qualname"))]
    assert {name.rpartition("<locals>.")[2] for name in names} == {"Log.append", "<list.append>"}


def test_a_method_of_object_without_a_self_is_no_call():
    """sys.monitoring has an instance of `object` in the place of the self that is missing."""

    def program():
        for _ in range(3):
            object.__sizeof__(1)
        for _ in range(2):
            with suppress(TypeError):
                object.__sizeof__()

    recorded = record(program).getstats()
    calls_of_it = sum(entry.callcount for entry in recorded if "__sizeof__" in str(entry.code))
    assert calls_of_it == 3
