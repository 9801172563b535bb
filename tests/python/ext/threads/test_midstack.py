"""Starting in the middle of a stack: what runs already is in rows with 0 calls, the callers of what
follows, with its time from enable() on.

Other threads are in test_midstack_threads.py, random programs that are cleared on their way, and so
start in the middle, in test_model.py, frames of tracer's own in test_own_frames.py.
"""

import pytest

import tracer
from rows import figures, resumes


@pytest.fixture
def profile(clock):
    return tracer.Profile(clock, 1.0)


# -- The thread that enables -------------------------------------------------------------------


def test_what_runs_is_timed_from_there_on_and_calls_what_follows(clock, profile):
    def program():
        clock.now += 100
        outer()
        clock.now += 1
        leaf()
        profile.disable()

    def outer():
        clock.now += 100
        inner()
        clock.now += 2
        leaf()

    def inner():
        clock.now += 100
        profile.enable()
        clock.now += 4
        leaf()
        clock.now += 8

    def leaf():
        clock.now += 16

    program()
    assert figures(profile, program, outer, inner, leaf) == {
        "program": (0, 1, 63, {}),
        "outer": (0, 2, 46, {"program": (0, 2, 46)}),
        "inner": (0, 12, 28, {"outer": (0, 12, 28)}),
        "leaf": (3, 48, 48, {"program": (1, 16, 16), "outer": (1, 16, 16), "inner": (1, 16, 16)}),
    }


def test_what_is_called_again_after_it_ended_is_a_call(clock, profile):
    def program():
        function()
        clock.now += 1
        function()
        profile.disable()

    def function():
        if not profile.enabled:
            profile.enable()
        clock.now += 2

    program()
    assert figures(profile, program, function) == {
        "program": (0, 1, 5, {}),
        "function": (1, 4, 4, {"program": (1, 4, 4)}),
    }


def test_a_stack_of_hundreds(clock, profile):
    def down(depth):
        if depth:
            down(depth - 1)
        else:
            profile.enable()
        clock.now += 1

    down(299)
    profile.disable()
    assert figures(profile, down) == {"down": (0, 300, 300, {"down": (0, 299, 299)})}


def test_a_recursion_of_what_runs_is_no_primitive_call(clock, profile):
    def down(depth):
        if depth:
            down(depth - 1)
        elif not profile.enabled:
            profile.enable()
            down(1)
        clock.now += 1

    down(1)
    down(0)
    profile.disable()
    ((primitive, calls, tottime, cumtime, callers),) = (
        row for label, row in tracer.Stats(profile).stats.items() if label[2] == "down"
    )
    assert (primitive, calls, tottime, cumtime) == (1, 3, 5, 5)
    within = {caller[2]: figures for caller, figures in callers.items()}
    name = "test_a_recursion_of_what_runs_is_no_primitive_call"
    # down(0) makes an edge from `down` within one that lasts, and so within itself.
    assert within == {"down": (2, 0, 3, 3), name: (1, 1, 2, 5)}


def test_an_exception_ends_what_runs(clock, profile):
    def program():
        try:
            outer()
        except KeyError:
            clock.now += 1
        leaf()
        profile.disable()

    def outer():
        inner()

    def inner():
        profile.enable()
        clock.now += 2
        raise KeyError

    def leaf():
        clock.now += 4

    program()
    assert figures(profile, program, outer, inner, leaf) == {
        "program": (0, 1, 7, {}),
        "outer": (0, 0, 2, {"program": (0, 0, 2)}),
        "inner": (0, 2, 2, {"outer": (0, 2, 2)}),
        "leaf": (1, 4, 4, {"program": (1, 4, 4)}),
    }


def test_builtins_that_run_are_not_known(clock, profile):
    """Nobody can tell which builtins run: a builtin's caller is the caller of what it called."""

    def program():
        sorted([1, 2], key=key)
        clock.now += 1
        len("")
        profile.disable()

    def key(item):
        profile.enable()
        clock.now += 2
        return item

    program()
    stats = tracer.Stats(profile).stats
    assert ("~", 0, "<built-in method builtins.sorted>") not in stats
    assert figures(profile, program, key, "<built-in method builtins.len>") == {
        "program": (0, 1, 5, {}),
        "key": (1, 4, 4, {"program": (1, 4, 4)}),
        "<built-in method builtins.len>": (1, 0, 0, {"program": (1, 0, 0)}),
    }


def test_a_generator_that_runs(clock, profile):
    def numbers():
        clock.now += 100
        profile.enable()
        clock.now += 1
        yield
        clock.now += 2
        yield

    def consume():
        generator = numbers()
        next(generator)
        clock.now += 4
        next(generator)
        clock.now += 8
        profile.disable()

    consume()
    name = "<built-in method builtins.next>"
    assert figures(profile, consume, numbers, name) == {
        "consume": (0, 12, 15, {}),
        "numbers": (0, 3, 3, {"consume": (0, 1, 1), name: (0, 2, 2)}),
        name: (1, 0, 2, {"consume": (1, 0, 2)}),
    }
    ((label, found),) = tracer.Stats(profile).resumes.items()
    assert (label[2], found.total, found.primitive, found.suspended) == ("numbers", 1, 1, 4)
    assert {caller[2]: tuple(counts) for caller, counts in found.callers.items()} == {name: (1, 1)}


def test_what_runs_resumes(profile):
    def numbers():
        yield 1
        yield 2

    def consume():
        profile.enable(builtins=False)
        for _ in generator:
            pass
        profile.disable()

    generator = numbers()
    next(generator)
    consume()
    ((_, found),) = tracer.Stats(profile).resumes.items()
    assert {caller[2]: n.total for caller, n in found.callers.items()} == {"consume": 2}
    assert resumes(profile) == {"numbers": (2, {})}  # resumes() leaves out what ran before


def test_a_coroutine_that_runs(clock, profile):
    class Pause:
        def __await__(self):
            yield

    async def outer():
        await inner()
        clock.now += 1

    async def inner():
        profile.enable()
        clock.now += 2
        await Pause()
        clock.now += 4

    def drive():
        coroutine = outer()
        coroutine.send(None)
        clock.now += 8
        try:
            coroutine.send(None)
        except StopIteration:
            profile.disable()

    drive()
    send = "<method 'send' of 'coroutine' objects>"
    assert figures(profile, drive, outer, inner, send) == {
        "drive": (0, 8, 15, {}),
        "outer": (0, 1, 7, {"drive": (0, 0, 2), send: (0, 1, 5)}),
        "inner": (0, 6, 6, {"outer": (0, 6, 6)}),
        send: (1, 0, 5, {"drive": (1, 0, 5)}),
    }
    waited = {label[2]: found.suspended for label, found in tracer.Stats(profile).resumes.items()}
    assert waited == {"outer": 8, "inner": 8, "__await__": 8}


# -- Again and again ---------------------------------------------------------------------------


def test_enabled_again_at_another_place(clock, profile):
    def program():
        profile.enable()
        clock.now += 1
        profile.disable()
        clock.now += 100
        inner()
        clock.now += 2
        profile.disable()
        clock.now += 100

    def inner():
        clock.now += 100
        profile.enable()
        clock.now += 4
        leaf()

    def leaf():
        clock.now += 8

    program()
    assert figures(profile, program, inner, leaf) == {
        "program": (0, 3, 15, {}),
        "inner": (0, 4, 12, {"program": (0, 4, 12)}),
        "leaf": (1, 8, 8, {"inner": (1, 8, 8)}),
    }


def test_enabling_what_is_enabled_changes_no_figure(clock, profile):
    def program():
        profile.enable()
        clock.now += 1
        function()
        profile.disable()

    def function():
        clock.now += 2
        profile.enable()
        clock.now += 4

    program()
    assert figures(profile, program, function) == {
        "program": (0, 1, 7, {}),
        "function": (1, 6, 6, {"program": (1, 6, 6)}),
    }


def test_clear_starts_in_the_middle(clock, profile):
    def program():
        profile.enable()
        clock.now += 100
        function()
        clock.now += 1
        profile.disable()

    def function():
        clock.now += 100
        leaf()
        profile.clear()
        clock.now += 2
        leaf()

    def leaf():
        clock.now += 4

    program()
    assert figures(profile, program, function, leaf) == {
        "program": (0, 1, 7, {}),
        "function": (0, 2, 6, {"program": (0, 2, 6)}),
        "leaf": (1, 4, 4, {"function": (1, 4, 4)}),
    }
    assert tracer.Stats(profile).total_calls == 1
