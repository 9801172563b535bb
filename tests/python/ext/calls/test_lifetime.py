"""The life of a profile: several at once, beside other tools, dropped, collected, copied."""

import copy
import gc
import pickle
import sys
import threading
import weakref

import pytest

import tracer
from hooks import BACKENDS, HAS_MONITORING, held
from rows import calls
from survival import survives
from tracer._core import LineRecorder


def leaf():
    pass


def other():
    pass


# -- Several at once, and beside others --------------------------------------------------------


def test_each_profile_sees_what_is_called_while_it_is_enabled():
    one, two = tracer.Profile(), tracer.Profile(builtins=False)
    one.enable()
    leaf()
    two.enable()
    leaf()
    len("")
    one.disable()
    leaf()
    two.disable()
    leaf()
    assert calls(one) == {"leaf": 2, "<built-in method builtins.len>": 1}
    assert calls(two) == {"leaf": 2}


def test_many_profiles_enabled_and_disabled_in_any_order():
    profiles = [tracer.Profile() for _ in range(20)]
    for profile in profiles:
        profile.enable()
        leaf()
    for profile in profiles[::2] + profiles[::-2]:
        profile.disable()
        leaf()
    assert held() == []
    expected = [20 - place for place in range(20)]
    ends = profiles[::2] + profiles[::-2]
    assert [calls(profile)["leaf"] for profile in profiles] == [
        before + ends.index(profile) for before, profile in zip(expected, profiles, strict=True)
    ]


def test_more_profiles_than_a_process_has_thread_keys():
    profiles = [tracer.Profile() for _ in range(2000)]
    for profile in profiles:
        profile.enable()
    leaf()
    for profile in profiles:
        profile.disable()
    assert held() == []
    assert {calls(profile)["leaf"] for profile in profiles} == {1}
    assert calls_while_enabled(profiles[-1]) == {"leaf": 2}


def calls_while_enabled(profile):
    with profile:
        leaf()
    return calls(profile)


def test_setprofile_of_getprofile_goes_on():
    profile = tracer.Profile(backend="setprofile")
    profile.enable(builtins=False)
    leaf()
    sys.setprofile(sys.getprofile())
    leaf()
    profile.disable()
    assert calls(profile) == {"leaf": 2}
    assert held() == []


def test_a_hook_taken_off_and_put_back_goes_on_with_its_second_event():
    """The first event finds only the object that sys.getprofile() gave, which puts the hook back.
    Where another thread has kept events on, that event is the return from sys.setprofile()."""
    profile = tracer.Profile(backend="setprofile")
    profile.enable(builtins=False)
    saved = sys.getprofile()
    sys.setprofile(None)
    leaf()
    sys.setprofile(saved)
    leaf()
    leaf()
    profile.disable()
    assert calls(profile)["leaf"] in (1, 2)
    assert held() == []


def test_a_hook_saved_from_a_profile_that_is_over_does_nothing():
    profile = tracer.Profile(builtins=False, backend="setprofile")
    with profile:
        saved = sys.getprofile()
    sys.setprofile(saved)
    try:
        leaf()
    finally:
        sys.setprofile(None)
    assert calls(profile) == {}


def test_the_profile_function_of_another_tool_stays():
    events = []

    def theirs(frame, event, arg):
        events.append(event)

    profile = tracer.Profile()
    profile.enable()
    sys.setprofile(theirs)
    leaf()
    profile.disable()
    try:
        assert sys.getprofile() is theirs
    finally:
        sys.setprofile(None)
    assert "call" in events


# -- The end of a profile ----------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_profile_that_is_dropped_leaves_nothing_behind(backend):
    profile = tracer.Profile(backend=backend)
    profile.enable()
    leaf()
    assert len(held()) == 1
    del profile
    gc.collect()
    assert held() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_dropping_the_last_of_several(backend):
    profiles = [tracer.Profile(backend=backend) for _ in range(3)]
    for profile in profiles:
        profile.enable()
    del profile
    while profiles:
        assert len(held()) == 1
        profiles.pop()
        gc.collect()
    assert held() == []


def test_dropping_one_of_two_leaves_the_other():
    one, two = tracer.Profile(), tracer.Profile()
    one.enable()
    two.enable()
    del one
    leaf()
    two.disable()
    assert calls(two) == {"leaf": 1}


@pytest.mark.parametrize("enabled", [False, True])
def test_a_profile_in_a_cycle_is_collected(enabled):
    profile = tracer.Profile()
    profile.itself = profile
    if enabled:
        profile.enable()
    leaf()
    gone = weakref.ref(profile)
    del profile
    gc.collect()
    assert gone() is None
    assert held() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_profile_that_is_enabled_while_its_cycle_is_taken_apart(backend):
    """What its timer holds may be taken apart before the profile, and code may still run then."""
    survives(f"""
        import gc, weakref
        gc.disable()

        class Enabler:
            def __del__(self):
                self.profile.enable()

        def make():
            profile = tracer.Profile(time.perf_counter, backend={backend!r})
            for _ in range(10):
                code = leaf.__code__.replace(co_name=f"leaf{{_}}")
                refs.append(weakref.ref(code, lambda ref: leaf()))
                cycle = [code, profile]
                cycle.append(cycle)
            before, after = Enabler(), Enabler()
            for enabler in before, after:
                enabler.profile, enabler.itself = profile, enabler
            profile.held = before, after

        refs = []
        make()
        gc.collect()
        leaf()
        assert sys.getprofile() is None
    """)


def test_a_timer_that_holds_its_profile_is_collected():
    class Timer:
        def __call__(self):
            return 0

    timer = Timer()
    timer.profile = tracer.Profile(timer)
    timer.profile.runcall(leaf)
    gone = weakref.ref(timer.profile)
    del timer
    gc.collect()
    assert gone() is None


def test_code_that_holds_its_profile_is_collected():
    space = {"profile": tracer.Profile()}
    exec("def function(): pass", space)
    space["profile"].runcall(space["function"])
    gone = weakref.ref(space["profile"])
    del space
    gc.collect()
    assert gone() is None


@pytest.mark.skipif(not HAS_MONITORING, reason="classes are told of by sys.monitoring alone")
def test_classes_that_hold_their_profile_are_collected():
    """Each class is collected of several that were called, also one that is not the first."""

    def make():
        class First:
            profile = tracer.Profile(builtins="all", backend="monitoring")

        class Second:
            profile = tracer.Profile(builtins="all", backend="monitoring")

        for profile in (First.profile, Second.profile):
            with profile:
                leaf()
                First()
                Second()
        return weakref.ref(First.profile), weakref.ref(Second.profile)

    gone = make()
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_a_profile_keeps_no_object_whose_method_was_called():
    class Items(list):
        pass

    items = Items()
    profile = tracer.Profile()
    with profile:
        items.append(1)
    gone = weakref.ref(items)
    del items
    assert gone() is None
    assert calls(profile) == {"<method 'append' of 'list' objects>": 1}


class Local:
    """Lives as long as the frame that has it in a variable."""


def test_a_profile_keeps_no_frame():
    seen = []

    def work(inner=None):
        local = Local()
        seen.append(weakref.ref(local))
        if inner is not None:
            inner()

    def numbers():
        work()
        local = Local()
        seen.append(weakref.ref(local))
        yield 1
        profile.enable()  # in the midst of a stack
        yield 2

    profile = tracer.Profile()
    for _ in range(2):
        with profile:
            threads = [threading.Thread(target=work, args=(inner,)) for inner in (None, work)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            work(work)
            list(numbers())
            profile.disable()
            assert next(numbers()) == 1
            list(numbers())
        seen += map(weakref.ref, threads)
        del thread, threads
    gc.collect()
    assert len(seen) == 26
    assert [ref for ref in seen if ref() is not None] == []


def test_a_profile_keeps_code_so_that_none_is_mistaken_for_it():
    profile = tracer.Profile()
    for number in range(200):
        space = {}
        exec(f"def function_{number}(): pass", space)
        profile.runcall(space[f"function_{number}"])
        del space
    assert calls(profile) == {f"function_{number}": 1 for number in range(200)}


def test_the_constructor_called_again_starts_anew():
    profile = tracer.Profile()
    profile.enable()
    leaf()
    profile.__init__(builtins=False)
    assert not profile.enabled
    assert calls(profile) == {}
    with profile:
        len("")
        other()
    assert calls(profile) == {"other": 1}


def test_a_constructor_that_fails_leaves_a_profile_that_can_be_dropped():
    profile = tracer.Profile()
    profile.enable()
    with pytest.raises(TypeError):
        profile.__init__(timer=5)
    del profile
    gc.collect()
    assert held() == []


@pytest.mark.parametrize("backend", BACKENDS)
def test_nobody_seems_to_hold_what_nobody_holds(backend):
    """gc asks each object whether it refers to another, and believes a traverse that says so."""
    stranger = object()
    recorder = LineRecorder()
    recorder.add_code(leaf.__code__)
    with tracer.Profile(backend=backend), recorder:
        leaf()
        ours = {type(one) for one in gc.get_objects() if is_of_tracer(one)}
        seeming = [type(one) for one in gc.get_referrers(stranger) if is_of_tracer(one)]
    assert {"Dispatcher", "Profile", "LineRecorder"} <= {kind.__name__ for kind in ours}
    assert seeming == []


def is_of_tracer(one):
    return str(type(one).__module__).startswith("tracer.")  # some classes' is no str


# -- As a Python object ------------------------------------------------------------------------


def test_a_subclass_with_attributes_and_methods():
    class Mine(tracer.Profile):
        def __init__(self, title):
            super().__init__(builtins=False)
            self.title = title

        def enable(self):
            self.title += "!"
            super().enable()

    profile = Mine("a title")
    with profile:
        leaf()
    assert profile.title == "a title"  # __enter__ is C and does not ask for enable()
    profile.runcall(leaf)
    assert profile.title == "a title!"
    assert calls(profile) == {"leaf": 2}
    assert repr(profile).startswith("<")


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_profile_can_be_neither_copied_nor_pickled(way):
    with pytest.raises(TypeError, match="cannot pickle 'Profile' object"):
        way(tracer.Profile())


def test_a_profile_takes_weak_references_and_compares_by_identity():
    one, two = tracer.Profile(), tracer.Profile()
    assert weakref.ref(one)() is one
    assert one == one
    assert one != two
    assert len({one, two, one}) == 2
