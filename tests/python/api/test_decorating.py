"""`profile`, the decorator: what it marks, and that what it marks stays what it was."""

import asyncio
import contextlib
import dataclasses
import functools
import inspect
import io
import pickle
import sys
import types

import pytest

import tracer
from tracer._core import LineRecorder
from tracer.api.decorator import VARIABLES, LineDecorator
from tracer.source.code_objects import codes_of

pytestmark = pytest.mark.lines


def names(target):
    """The names of the code that a decorated thing runs."""
    return sorted(code.co_qualname.rpartition("<locals>.")[2] for code in codes_of(target))


def plain(x):
    """Adds one."""
    return x + 1


def speak():
    return "é"


class Thing:
    class Inner:
        def deep(self):
            return 1

    def method(self):
        return 1

    @classmethod
    def of_class(cls):
        return 2

    @staticmethod
    def of_nobody():
        return 3

    @property
    def attribute(self):
        return 4

    @attribute.setter
    def attribute(self, value):
        pass

    @functools.cached_property
    def kept(self):
        return 5

    part = functools.partialmethod(plain)
    other = plain  # a function from elsewhere is the class's own, too: the class can call it


def wrapping(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


def test_it_is_its_own_context():
    decorator = LineDecorator()
    with decorator as entered:
        assert entered is decorator
        assert decorator.enabled
    assert not decorator.enabled


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        (plain, ["plain"]),
        (lambda: 1, ["<lambda>"]),
        (Thing().method, ["Thing.method"]),
        (vars(Thing)["of_class"], ["Thing.of_class"]),
        (Thing.of_class, ["Thing.of_class"]),
        (vars(Thing)["of_nobody"], ["Thing.of_nobody"]),
        (vars(Thing)["attribute"], ["Thing.attribute", "Thing.attribute"]),
        (vars(Thing)["kept"], ["Thing.kept"]),
        (functools.partial(functools.partial(plain, 1)), ["plain"]),
        (functools.lru_cache(plain), ["plain"]),
        (wrapping(wrapping(plain)), ["plain"]),
        (contextlib.contextmanager(plain), ["plain"]),
        (functools.singledispatch(plain), ["plain"]),
        (plain.__code__, ["plain"]),
        (
            Thing,
            [
                *("Thing.Inner.deep", "Thing.attribute", "Thing.attribute", "Thing.kept"),
                *("Thing.method", "Thing.of_class", "Thing.of_nobody", "plain"),
            ],
        ),
        (len, []),
        (3, []),
        (None, []),
        (types.SimpleNamespace(a=1), []),
        (int, []),
    ],
)
def test_what_is_marked(target, expected):
    assert names(target) == expected


def test_of_a_dataclass_what_is_written_in_it_is_marked():
    @dataclasses.dataclass(order=True)
    class Point:
        x: int

        def norm(self):
            return abs(self.x)

    assert names(Point) == ["Point.norm"]


def test_it_comes_back_as_it_was():
    decorator = LineDecorator()
    for target in plain, Thing, Thing.of_class, functools.partial(plain, 1), vars(Thing)["kept"]:
        assert decorator(target) is target
    assert pickle.loads(pickle.dumps(decorator(plain))) is plain
    assert str(inspect.signature(decorator(plain))) == "(x)"
    assert plain.__doc__ == "Adds one." and not hasattr(plain, "__wrapped__")


def test_what_is_not_written_in_python_is_warned_of():
    message = r"^@profile cannot time the lines of <built-in funct"
    with pytest.warns(RuntimeWarning, match=message) as warned:
        assert LineDecorator()(len) is len
    assert [warning.filename for warning in warned] == [__file__]


def test_the_environment_is_asked_once(monkeypatch):
    """What the program sets after the first decoration starts nothing."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    decorator = LineDecorator()
    decorator(plain)
    monkeypatch.setenv(VARIABLES[0], "1")
    decorator(Thing)
    assert not decorator.enabled


def test_looking_at_a_thing_runs_no_code_of_it():
    def fail(*args):
        raise AssertionError(args)

    class Meta(type):
        __class__ = __dict__ = __mro__ = property(fail)
        __getattribute__ = fail

    class Touchy(metaclass=Meta):
        __class__ = property(fail)
        __getattribute__ = fail

    class Bare(Touchy):
        __slots__ = ()
        __dict__ = property(fail)

    class NoDict:
        __slots__ = ()
        __dict__ = property(fail)
        __getattr__ = fail

    class OfNoModule:
        __module__ = ("builtins",)
        __getattr__ = fail

    class OfBuiltins:
        __module__ = "builtins"
        __getattr__ = fail

    class Getter(property):
        fget = __class__ = property(fail)

    class Holder(metaclass=Meta):
        touchy, bare, part = Touchy, NoDict(), Getter(plain)

    for thing in Touchy(), Bare(), NoDict(), OfNoModule(), OfBuiltins():
        assert names(thing) == []
    assert names(Getter(plain)) == names(Holder) == ["plain"]


def test_what_is_derived_from_functools_and_what_does_as_it_does():
    class Later(functools.partial):
        pass

    class Like:
        def __init__(self, function):
            self.func = function

    assert names(Later(plain)) == names(Like(plain)) == ["plain"]


def test_in_a_shell():
    decorator = LineDecorator()
    decorator.attach(None)

    @decorator
    def before():
        return 1

    before()
    decorator.enable()

    @decorator
    def after():
        before()
        return 1

    after()
    decorator.disable()
    before()
    with decorator:
        before()
    found = {f.name: [line.hits for line in f.lines] for f in decorator.lines.functions}
    assert found == {"before": [2], "after": [1, 1]}
    decorator.clear()
    assert not decorator.lines
    assert len(decorator.lines.functions) == 2


def test_a_recorder_of_somebody_elses_is_theirs_to_begin_and_end():
    decorator = LineDecorator()
    recorder = LineRecorder()
    recorder.enable()
    decorator.attach(recorder)
    decorator(plain)
    with decorator:
        plain(1)
    plain(1)
    decorator.disable()
    plain(1)
    decorator.clear()
    assert decorator.enabled
    (function,) = decorator.lines.functions
    assert [line.hits for line in function.lines] == [3]
    recorder.disable()
    decorator.enable()
    assert not decorator.enabled
    decorator.attach(None)
    with decorator:
        assert decorator.enabled


def test_a_table_goes_to_any_stream_and_to_none(monkeypatch):
    decorator = LineDecorator()
    decorator.attach(None)
    decorator(speak)
    with decorator:
        speak()
    stream = io.TextIOWrapper(io.BytesIO(), "ascii", write_through=True)
    decorator.print_stats(stream)
    assert b'return "\\xe9"\n' in stream.buffer.getvalue()
    monkeypatch.setattr(sys, "stdout", None)
    decorator.print_stats()


def test_its_table_and_its_files(tmp_path):
    decorator = LineDecorator()
    decorator.attach(None)
    decorator(plain)
    with decorator:
        plain(1)
    stream = io.StringIO()
    decorator.print_stats(stream)
    assert "Function: plain at line" in stream.getvalue()
    decorator.dump_stats(tmp_path / "x.lprof")
    decorator.dump_stats(tmp_path / "x.out")
    for name in "x.lprof", "x.out":
        (function,) = tracer.Stats(tmp_path / name).lines.functions
        assert (function.name, [line.hits for line in function.lines]) == ("plain", [1])
    assert (tmp_path / "x.lprof").read_bytes().startswith(b"\x80")
    assert not (tmp_path / "x.out").read_bytes().startswith(b"\x80")
    LineDecorator().dump_stats(tmp_path / "nothing.out")
    assert not tracer.Stats(tmp_path / "nothing.out").lines


def test_generators_coroutines_and_classes_made_many_times():
    decorator = LineDecorator()
    decorator.attach(None)

    @decorator
    def numbers():
        yield 1
        yield 2

    @decorator
    async def wait():
        await asyncio.sleep(0)
        return 1

    @decorator
    async def ticks():
        yield 1

    def make():
        @decorator
        def inner():
            return 1

        return inner()

    async def main():
        await wait()
        return [tick async for tick in ticks()]

    with decorator:
        list(numbers())
        asyncio.run(main())
        for _ in range(5):
            make()
    found = {f.name: [line.hits for line in f.lines] for f in decorator.lines.functions}
    assert found == {"numbers": [1, 1], "wait": [1, 1], "ticks": [1], "inner": [5]}


def test_code_that_is_equal_and_not_the_same():
    """The code of one file that is run twice, as by a reload."""
    decorator = LineDecorator()
    decorator.attach(None)
    functions = []
    for _ in range(2):
        space = {}
        exec(compile("def f():\n    return 1\n", "<twice>", "exec"), space)
        functions.append(decorator(space["f"]))
    with decorator:
        for function in functions:
            function()
    (function,) = decorator.lines.functions
    assert [line.hits for line in function.lines] == [2]


def test_a_class_that_is_made_of_text_as_a_whole_has_its_functions():
    space = {"__name__": "made of text"}
    exec("class Made:\n    def f(self): pass\n    def g(self): pass\n", space)
    assert {code.co_name for code in codes_of(space["Made"])} == {"f", "g"}
