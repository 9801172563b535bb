"""What is one row: functions that share a label; and what is one call: generators, coroutines."""

import asyncio
import collections
import contextlib
import dataclasses

import tracer
from rows import Clock, by_name, calls, resumes


def leaf():
    pass


def twice(function):
    function()
    function()


# -- Functions that share a label --------------------------------------------------------------


def counts(profile, name):
    row = by_name(profile)[name]
    return row.calls, row.primitive


def test_two_lambdas_on_a_line_add_up():
    one, two = lambda: 1, lambda: 2
    profile = tracer.Profile()
    profile.enable()
    twice(one)
    two()
    profile.disable()
    assert counts(profile, "<lambda>") == (3, 3)
    assert by_name(profile)["<lambda>"].callers == {"twice": (2, 2)}
    assert [entry.callcount for entry in profile.getstats() if entry.code is one.__code__] == [2]
    assert [entry.callcount for entry in profile.getstats() if entry.code is two.__code__] == [1]


def test_the_methods_of_dataclasses_add_up():
    classes = [dataclasses.make_dataclass(f"Class{n}", ["x"]) for n in range(3)]
    profile = tracer.Profile()
    profile.enable()
    for number, made in enumerate(classes, 1):
        for _ in range(number * 10):
            made(1)
    profile.disable()
    assert counts(profile, "__init__") == (60, 60)


def test_code_that_is_run_twice_adds_up():
    profile = tracer.Profile()
    for _ in range(2):
        space = {}
        exec(compile("def made(): pass", "made.py", "exec"), space)
        profile.runcall(space["made"])
    assert counts(profile, "made") == (2, 2)


def test_fromkeys_of_two_classes_adds_up():
    profile = tracer.Profile()
    profile.enable()
    dict.fromkeys("ab")
    collections.OrderedDict.fromkeys("ab")
    dict.fromkeys("ab")
    profile.disable()
    found = {name: row.calls for name, row in by_name(profile).items() if "fromkeys" in name}
    assert found == {"<built-in method fromkeys>": 3}


def test_the_new_of_all_types_written_in_c_is_no_ones():
    """They share one function, which has the name of the type that was made first."""
    profile = tracer.Profile()
    profile.enable()
    int.__new__(int)
    str.__new__(str)
    profile.disable()
    assert counts(profile, "<built-in method __new__>") == (2, 2)
    named = tracer.Stats(profile, names="qualname").stats
    assert [name for _, _, name in named if "__new__" in name] == ["<__new__>"]


def test_functions_of_one_label_within_each_other_are_one_recursion():
    clock = Clock()

    def step(inner):
        clock.now += 1
        inner()

    source = "def same(step, inner):\n    step(inner)"
    made = []
    for _ in range(2):
        space = {}
        exec(compile(source, "made.py", "exec"), space)
        made.append(space["same"])
    outer, inner = made
    profile = tracer.Profile(clock, 1.0)
    profile.runcall(outer, step, lambda: inner(step, leaf))
    row = by_name(profile)["same"]
    assert (row.calls, row.primitive, row.cumtime) == (2, 1, 2.0)


# -- Generators and coroutines -----------------------------------------------------------------


def numbers(limit):
    yield from range(limit)


def test_a_generator_is_called_once_and_resumed():
    profile = tracer.Profile()

    def consume():
        for _ in numbers(3):
            pass

    profile.enable(builtins=False)
    consume()
    profile.disable()
    assert calls(profile) == {"consume": 1, "numbers": 1}
    assert resumes(profile) == {"numbers": (3, {"consume": 3})}
    assert by_name(profile)["numbers"].callers == {"consume": (1, 1)}


def test_a_generator_that_is_never_started_is_not_called():
    profile = tracer.Profile()
    profile.enable(builtins=False)
    generator = numbers(3)
    profile.disable()
    assert calls(profile) == {}
    assert list(generator) == [0, 1, 2]


def test_a_generator_that_was_started_before_is_resumed_only():
    generator = numbers(3)
    next(generator)
    profile = tracer.Profile()
    profile.enable(builtins=False)
    for _ in generator:
        pass
    profile.disable()
    assert calls(profile) == {"numbers": 0}
    assert resumes(profile) == {"numbers": (3, {})}


def test_time_while_suspended_is_not_the_generators():
    clock = Clock()

    def produce():
        clock.now += 1
        yield
        clock.now += 2

    def consume():
        for _ in produce():
            clock.now += 10

    profile = tracer.Profile(clock, 1.0, builtins=False)
    profile.runcall(consume)
    rows = by_name(profile)
    assert (rows["produce"].tottime, rows["produce"].cumtime) == (3, 3)
    assert (rows["consume"].tottime, rows["consume"].cumtime) == (10, 13)


def test_coroutines_are_resumed_by_those_who_await():
    async def inner():
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def outer():
        await inner()

    profile = tracer.Profile(builtins=False)
    with profile:
        coroutine = outer()
        for _ in range(2):
            coroutine.send(None)
        with contextlib.suppress(StopIteration):
            coroutine.send(None)
    assert calls(profile)["outer"] == calls(profile)["inner"] == 1
    assert resumes(profile)["outer"] == (2, {})
    assert resumes(profile)["inner"] == (2, {"outer": 2})


def test_asynchronous_generators():
    async def produce():
        for number in range(3):
            yield number

    async def consume():
        async for _ in produce():
            pass

    profile = tracer.Profile(builtins=False)
    with profile, contextlib.suppress(StopIteration):
        consume().send(None)
    assert calls(profile)["produce"] == 1
    assert resumes(profile)["produce"] == (3, {"consume": 3})
