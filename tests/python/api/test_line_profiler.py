"""LineProfiler: line_profiler's interface, exact figures from a clock of ours. LineStats are in
test_line_profiler_stats.py.
"""

import asyncio
import functools
import inspect
import pickle
import threading
import types
import warnings

import pytest

import tracer
from outfiles import own_rows
from rows import Clock
from tracer.api.line_profiler import LineProfiler

pytestmark = [pytest.mark.programs, pytest.mark.lines]

NANO = 10**9


def timings_of(profile):
    """{name: [(line from the first on, hits, seconds)]}, by the last part of each name."""
    return {
        name.rpartition(".")[2]: [(line - first, hits, time / NANO) for line, hits, time in rows]
        for (_, first, name), rows in profile.get_stats().timings.items()
    }


def hits_of(profile):
    return {
        name: [(line, hits) for line, hits, _ in rows] for name, rows in timings_of(profile).items()
    }


@pytest.fixture
def profile(clock):
    return LineProfiler(timer=clock, timeunit=1.0)


def test_a_decorated_function(profile, clock):
    @profile
    def f(n):
        clock.now += 1
        for _ in range(n):
            clock.now += 3
        return n

    assert f(2) == f(2) == 2
    assert timings_of(profile) == {"f": [(2, 2, 2), (3, 6, 0), (4, 4, 12), (5, 2, 0)]}
    assert profile.enable_count == 0


def test_it_is_recorded_only_while_enabled(profile):
    def f():
        return 1

    profile.add_function(f)
    wrapped = profile(f)
    f()
    wrapped()
    f()
    assert hits_of(profile) == {"f": [(1, 1)]}
    with profile:
        f()
    f()
    profile.enable()
    f()
    profile.disable()
    f()
    assert hits_of(profile) == {"f": [(1, 3)]}


def test_what_is_added_is_recorded_in_calls_of_others(profile):
    def helper():
        return 1

    @profile
    def f():
        return helper()

    helper()
    profile.add_function(helper)
    helper()
    f()
    helper()
    assert hits_of(profile) == {"f": [(2, 1)], "helper": [(1, 1)]}


def test_counted_enables_nest(profile):
    def f():
        return 1

    profile.add_function(f)
    profile.enable_by_count()
    profile.enable_by_count()
    profile.disable_by_count()
    assert profile.enable_count == 1
    f()
    profile.disable_by_count()
    profile.disable_by_count()
    assert profile.enable_count == 0
    f()
    assert hits_of(profile) == {"f": [(1, 1)]}


def test_an_exception_ends_the_call(profile):
    @profile
    def f():
        raise KeyError(1)

    with pytest.raises(KeyError):
        f()
    assert profile.enable_count == 0


def test_other_threads_are_recorded(profile):
    def f():
        return 1

    profile.add_function(f)
    with profile:
        thread = threading.Thread(target=f)
        thread.start()
        thread.join()
    assert hits_of(profile) == {"f": [(1, 1)]}


def test_signatures_and_kinds_stay(profile):
    def f(a: int, *, b: str = "x") -> None:
        "Doc."

    wrapped = profile(f)
    assert inspect.signature(wrapped) == inspect.signature(f)
    assert (wrapped.__name__, wrapped.__doc__, wrapped.__wrapped__) == ("f", "Doc.", f)
    assert profile(wrapped) is wrapped
    assert profile.functions == [f]
    assert LineProfiler()(wrapped) is not wrapped


@LineProfiler()
def importable():
    return 1


def test_a_decorated_function_can_be_pickled():
    assert pickle.loads(pickle.dumps(importable)) is importable


def test_generators(profile, clock):
    @profile
    def g(n):
        got = yield n
        clock.now += 1
        try:
            yield got
        except KeyError:
            yield "caught"
        return 7

    assert inspect.isgeneratorfunction(g)
    running = g(1)
    assert next(running) == 1
    assert profile.enable_count == 0
    clock.now += 100
    assert running.send(5) == 5
    assert running.throw(KeyError()) == "caught"
    with pytest.raises(StopIteration) as end:
        next(running)
    assert end.value.value == 7
    assert timings_of(profile)["g"] == [
        (2, 1, 0),
        (3, 1, 1),
        (4, 1, 0),
        (5, 1, 0),
        (6, 1, 0),
        (7, 1, 0),
        (8, 1, 0),
    ]


def test_closing_a_generator(profile):
    closed = []

    @profile
    def g():
        try:
            yield 1
        finally:
            closed.append(profile.enable_count)

    running = g()
    next(running)
    running.close()
    assert closed == [1]
    assert profile.enable_count == 0


def test_coroutines_and_asynchronous_generators(profile):
    counts = []

    @profile
    async def steps(n):
        for number in range(n):
            await asyncio.sleep(0)
            yield number

    @profile
    async def f():
        found = []
        async for number in steps(3):
            found.append(number)
            counts.append(profile.enable_count)
        return found

    async def other():
        counts.append(profile.enable_count)

    async def both():
        return (await asyncio.gather(f(), other()))[0]

    assert inspect.iscoroutinefunction(f)
    assert inspect.isasyncgenfunction(steps)
    assert asyncio.run(both()) == [0, 1, 2]
    assert counts == [0, 1, 1, 1]  # the other ran while the first was waiting
    assert profile.enable_count == 0
    assert hits_of(profile)["f"] == [(2, 1), (3, 4), (4, 3), (5, 3), (6, 1)]
    assert hits_of(profile)["steps"] == [(2, 4), (3, 3), (4, 3)]


def test_what_holds_functions(profile):
    @profile
    class C:
        def method(self):
            return 1

        @property
        def attribute(self):
            return 2

        @attribute.setter
        def attribute(self, value):
            self.value = value

        @functools.cached_property
        def cached(self):
            return 3

        @classmethod
        def of_class(cls):
            return cls

        @staticmethod
        def static():
            return 4

        part = functools.partialmethod(method)

        @functools.lru_cache(1)  # noqa: B019
        def kept(self):
            return 5

    c = C()
    c.attribute = 9
    assert (c.method(), c.attribute, c.cached, c.cached, C.of_class()) == (1, 2, 3, 3, C)
    assert (C.static(), c.part(), c.kept(), c.kept()) == (4, 1, 5, 5)
    assert isinstance(vars(C)["attribute"], property)
    assert isinstance(vars(C)["cached"], functools.cached_property)
    assert isinstance(vars(C)["of_class"], classmethod)
    hits = {name: sum(hits for _, hits in rows) for name, rows in hits_of(profile).items()}
    assert hits == {
        "method": 2,
        "attribute": 1,
        "cached": 1,
        "of_class": 1,
        "static": 1,
        "kept": 1,
    }


def test_methods_and_partials(profile):
    class C:
        def f(self, n):
            return n

    bound = profile(C().f)
    part = profile(functools.partial(C().f, 3))
    assert (bound(2), part()) == (2, 3)
    assert inspect.ismethod(bound) and isinstance(part, functools.partial)
    assert hits_of(profile) == {"f": [(1, 2)]}


@pytest.mark.parametrize("target", [len, "".split, str.split, int.__repr__, [].append])
def test_builtins_stay_as_they_are(profile, target):
    assert profile(target) is target
    assert profile.add_callable(target) == 0
    assert profile.functions == []


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (None, ["f", "m"]),
        ("exact", ["f"]),
        ("children", ["f", "m", "g"]),
        ({"func": "exact", "class": "exact", "module": "children"}, ["f", "g"]),
    ],
)
def test_what_of_a_module_is_added(profile, policy, expected):
    """A policy decides on the modules that it holds, too."""
    made, child = types.ModuleType("made"), types.ModuleType("made.child")
    exec("import os\ndef f(): pass\nclass C:\n    def m(self): pass\n", vars(made))
    exec("def g(): pass\n", vars(child))
    made.child = child
    assert profile.add_module(made, scoping_policy=policy) == len(expected)
    assert [function.__name__ for function in profile.functions] == expected


def test_what_is_no_callable_is_named(profile):
    with pytest.raises(TypeError, match="func = 3: cannot get functions from <class 'int'>"):
        profile(3)
    with pytest.raises(TypeError, match="expected a class or a module, not 3"):
        profile.add_module(3)
    with pytest.raises(ValueError, match="'foo' is not a valid ScopingPolicy"):
        profile.add_class(Clock, scoping_policy="foo")
    with pytest.warns(
        UserWarning, match="Could not extract a code object for the object <built-in"
    ):
        profile.add_function(len)


def test_adding_what_wraps_another_function_warns(profile):
    @functools.wraps(importable)
    def f():
        return 1

    with pytest.warns(UserWarning, match=r"adding `importable.__wrapped__` instead"):
        profile.add_function(f)


def test_running(profile):
    def f(a, *, b):
        return a + b

    profile.add_function(f)
    assert profile.runcall(f, 1, b=2) == 3
    names = {"f": f}
    assert profile.runctx("x = f(1, b=3)", names, names) is profile
    assert names["x"] == 4
    assert profile.run("1 + 1") is profile
    assert hits_of(profile) == {"f": [(1, 2)]}
    assert profile.code_map == {
        f.__code__: {f.__code__.co_firstlineno + 1: (f.__code__.co_firstlineno + 1, 2, 0)}
    }


def test_a_statement_of_several_lines_is_one(profile):
    @profile
    def f():
        return max(
            1,
            2,
        )

    f()
    assert hits_of(profile) == {"f": [(2, 1)]}


def test_recursion_has_the_time_of_the_outermost(profile, clock):
    @profile
    def f(n):
        clock.now += 1
        if n:
            f(n - 1)

    f(3)
    assert timings_of(profile) == {"f": [(2, 4, 4), (3, 4, 0), (4, 3, 3)]}


def test_a_profile_of_functions_does_not_see_the_work(clock):
    lines = LineProfiler()

    def f():
        return 1

    with tracer.Profile() as functions, warnings.catch_warnings():
        wrapped = lines(f)
        wrapped()
        lines.get_stats()
    labels = tracer.Stats(functions).stats
    assert not [label for label in own_rows(labels) if label[0] != __file__]
