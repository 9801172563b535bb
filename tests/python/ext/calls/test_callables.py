"""builtins="all": whatever is written in C and is called by name, beyond cProfile's builtins."""

import collections
import functools
import gc
import itertools
import operator
import re
import weakref

import pytest

import tracer
from hooks import BACKENDS, HAS_MONITORING
from rows import Clock, by_name, calls, figures, record

pytestmark = pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")


def called(*functions):
    """{name: calls} of a program that calls each of some functions once."""

    def program():
        for function in functions:
            function()

    found = calls(record(program, builtins="all", backend="monitoring"))
    assert found.pop("program") == 1
    return found


class Plain:
    pass


class Made:
    def __init__(self):
        len("")

    def method(self):
        pass


class Instance:
    def __call__(self):
        pass


class Inherited(Instance):
    pass


class Meta(type):
    def __call__(cls):
        return None


class WithMeta(metaclass=Meta):
    pass


def leaf():
    pass


@functools.lru_cache
def cached():
    pass


# By name: what is called, and the rows that the call makes.
CALLABLES = {
    "a type": (dict, {"<type 'dict'>": 1}),
    "a type of a module": (itertools.count, {"<type 'itertools.count'>": 1}),
    "a class": (Plain, {f"<type '{__name__}.Plain'>": 1}),
    "a class of a module that is named like tracer": (
        type("Like", (), {"__module__": "tracery"}),
        {"<type 'tracery.Like'>": 1},
    ),
    "a class with a constructor": (
        Made,
        {
            f"<type '{__name__}.Made'>": 1,
            "__init__": 1,
            "<built-in method builtins.len>": 1,
        },
    ),
    "a partial": (
        functools.partial(leaf),
        {"<functools.partial object>": 1, "leaf": 1},
    ),
    "an itemgetter": (
        lambda: operator.itemgetter(0)("a"),
        {"<lambda>": 1, "<type 'operator.itemgetter'>": 1, "<operator.itemgetter object>": 1},
    ),
    "an attrgetter": (
        lambda get=operator.attrgetter("real"): get(1),
        {"<lambda>": 1, "<operator.attrgetter object>": 1},
    ),
    "a methodcaller": (
        lambda call=operator.methodcaller("upper"): call("a"),
        {"<lambda>": 1, "<operator.methodcaller object>": 1},
    ),
    "a slot wrapper": (
        lambda: dict.__len__({}),
        {"<lambda>": 1, "<slot wrapper '__len__' of 'dict' objects>": 1},
    ),
    "a weak reference": (weakref.ref(leaf), {"<weakref.ReferenceType object>": 1}),
    "a cache": (cached, {"<functools._lru_cache_wrapper object>": 1, "cached": 1}),
    "a builtin method": ([].copy, {"<method 'copy' of 'list' objects>": 1}),
    "a builtin function": (gc.isenabled, {"<built-in method gc.isenabled>": 1}),
    # A callable written in Python has rows of its own and makes no other.
    "a function": (leaf, {"leaf": 1}),
    "a method": (Made.method.__get__(object.__new__(Made)), {"method": 1}),
    "an instance": (Instance(), {"__call__": 1}),
    "an instance that inherits": (Inherited(), {"__call__": 1}),
}


@pytest.mark.parametrize("name", CALLABLES)
def test_a_callable(name):
    function, expected = CALLABLES[name]
    cached.cache_clear()
    assert called(function) == expected


def test_a_cache_that_knows_the_answer_calls_nothing():
    cached()
    assert called(cached, cached) == {"<functools._lru_cache_wrapper object>": 2}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_method_that_a_subclass_has_anew_is_that_of_its_class(backend):
    def program():
        super(collections.OrderedDict, instance).pop("a")

    instance = collections.OrderedDict(a=1)
    profile = record(program, backend=backend)
    assert calls(profile) == {"program": 1, "<method 'pop' of 'dict' objects>": 1}


def test_an_instance_hands_its_time_and_its_callers_on():
    clock = Clock()

    class Callable:
        def __call__(self):
            clock.now += 1

    def program():
        instance()

    instance = Callable()
    profile = record(program, timer=clock, timeunit=1.0, builtins="all", backend="monitoring")
    assert figures(profile, program, Callable.__call__) == {
        "program": (1, 0, 1, {}),
        "__call__": (1, 1, 1, {"program": (1, 1, 1)}),
    }


def test_a_class_whose_metaclass_is_in_python():
    """The class is called. That the metaclass takes the call is known only when it does."""
    assert called(WithMeta)["__call__"] == 1


def test_a_ufunc():
    numpy = pytest.importorskip("numpy")
    array = numpy.arange(3)
    found = called(lambda: numpy.add(array, 1), lambda: numpy.sin(array), lambda: numpy.sin(array))
    assert found["<ufunc 'add' of numpy>"] == 1
    assert found["<ufunc 'sin' of numpy>"] == 2


@pytest.mark.parametrize("name, told", [("add", "add"), (1, "?")])
def test_what_is_as_a_ufunc_without_numpy(name, told):
    ufunc = type("numpy.ufunc", (), {"__call__": lambda self: None, "__name__": name})()
    assert called(ufunc, ufunc)[f"<ufunc '{told}' of numpy>"] == 2


def test_times_and_callers():
    clock = Clock()

    def tick():
        clock.now += 1

    def program():
        clock.now += 2
        partial()
        Ticking()
        leaf()

    class Ticking:
        def __init__(self):
            tick()

    partial = functools.partial(tick)
    profile = record(program, timer=clock, timeunit=1.0, builtins="all", backend="monitoring")
    by_partial = "<functools.partial object>"
    by_class = f"<type '{__name__}.{Ticking.__qualname__}'>"
    found = figures(profile, program, by_partial, by_class, Ticking.__init__, tick, leaf)
    assert found == {
        "program": (1, 2, 4, {}),
        by_partial: (1, 0, 1, {"program": (1, 0, 1)}),
        by_class: (1, 0, 1, {"program": (1, 0, 1)}),
        "__init__": (1, 0, 1, {by_class: (1, 0, 1)}),
        "tick": (2, 2, 2, {by_partial: (1, 1, 1), "__init__": (1, 1, 1)}),
        "leaf": (1, 0, 0, {"program": (1, 0, 0)}),
    }


def fails(function, *args):
    try:
        function(*args)
    except (TypeError, ValueError):
        leaf()


@pytest.mark.parametrize(
    "function, name",
    [
        (dict, "<type 'dict'>"),
        (functools.partial(int, "x"), "<functools.partial object>"),
        (operator.itemgetter(5), "<operator.itemgetter object>"),
        (dict.__len__, "<slot wrapper '__len__' of 'dict' objects>"),
    ],
)
def test_what_raises_is_left(function, name):
    rows = by_name(record(fails, function, 5, builtins="all", backend="monitoring"))
    assert rows[name].calls == 1
    assert rows["leaf"].callers == {"fails": (1, 1)}


def program():
    re.compile("(a|b)*c{2,3}" + "x" * 50)
    sorted({"b": 1, "a": 2}.items(), key=operator.itemgetter(1))
    Made().method()
    list(map(str, range(3)))
    re.purge()


def test_what_cprofile_counts_is_counted_alike():
    re.purge()
    some = calls_by_label(record(program, builtins=True, backend="monitoring"))
    re.purge()
    every = calls_by_label(record(program, builtins="all", backend="monitoring"))
    assert {label: every[label] for label in some} == some
    assert len(every) > len(some) > 20


def calls_by_label(profile):
    return {label: row[1] for label, row in tracer.Stats(profile).stats.items()}


def test_tables_have_the_names_in_braces(capsys):
    profile = record(lambda: bytearray(1), builtins="all", backend="monitoring")
    tracer.Stats(profile).print_stats()
    assert "{type 'bytearray'}" in capsys.readouterr().out


# -- Asking for it -----------------------------------------------------------------------------


def test_switched_while_enabled():
    profile = tracer.Profile(backend="monitoring")
    for builtins in (True, "all", False, "all"):
        profile.enable(builtins=builtins)
        bytearray(1)
        leaf()
    profile.disable()
    assert calls(profile) == {"leaf": 4, "<type 'bytearray'>": 2}
    assert profile.capture().builtins == "all"


def test_beside_a_profile_that_wants_less():
    profiles = [
        tracer.Profile(builtins=builtins, backend="monitoring") for builtins in (False, True, "all")
    ]
    for profile in profiles:
        profile.enable()
    bytearray(1)
    len("")
    leaf()
    for profile in profiles:
        profile.disable()
    few, some, every = [
        {"leaf": 1},
        {"<built-in method builtins.len>": 1},
        {"<type 'bytearray'>": 1},
    ]
    assert [calls(profile) for profile in profiles] == [few, few | some, few | some | every]


@pytest.mark.parametrize("value", ["some", "", "ALL"])
def test_another_word_is_refused(value):
    message = f"builtins must be True, False or 'all', not '{value}'"
    with pytest.raises(ValueError, match=message):
        tracer.Profile(builtins=value)
    profile = tracer.Profile()
    with pytest.raises(ValueError, match=message):
        profile.enable(builtins=value)
    assert not profile.enabled
