"""Methods that were made of a text have the names that their classes know."""

import collections
import dataclasses
import functools
import gc
import sys
import types

import attrs
import pytest

import tracer
from tracer._core import LineRecorder, Profiler


def qualified(*functions):
    """The qualified names that a capture has of functions, by their code."""
    profile = Profiler()
    for function in functions:
        profile.enable()
        try:
            function()
        finally:
            profile.disable()
    return names_in(profile)


def names_in(profile):
    """(plain name, qualified name) of the functions that are in no file, but those of runpy, which
    were there before the profile."""
    functions = profile.snapshot()["functions"]
    return [it[2:] for it in functions if it[0].startswith("<") and "runpy" not in it[0]]


def made(text, file="<string>", **names):
    """What a text defines."""
    exec(compile(text, file, "exec"), names)
    return types.SimpleNamespace(**names)


METHOD = "def area(self): pass"


@dataclasses.dataclass(order=True)
class Job:
    due: int

    @dataclasses.dataclass(frozen=True)
    class Part:
        size: int


def test_methods_of_dataclasses_are_named_by_their_classes():
    assert qualified(
        lambda: Job(1) < Job(2), lambda: Job(1) == Job(1), lambda: hash(Job.Part(1))
    ) == [
        ("__init__", "Job.__init__"),
        ("__lt__", "Job.__lt__"),
        ("__eq__", "Job.__eq__"),
        ("__init__", "Job.Part.__init__"),
        ("__hash__", "Job.Part.__hash__"),
    ]


def test_two_dataclasses_have_two_rows_where_names_are_qualified():
    one, other = (dataclasses.make_dataclass(name, ["x"], order=True) for name in ("One", "Other"))
    profile = tracer.Profile()
    with profile:
        one(1) < one(2)  # noqa: B015
        other(1) < other(2)  # noqa: B015
    labels = [label for label in tracer.Stats(profile, names="qualname").stats if label[1]]
    assert sorted(name for _, _, name in labels if name.endswith("__lt__")) == [
        "One.__lt__",
        "Other.__lt__",
    ]
    plain = [name for _, _, name in tracer.Stats(profile).stats if name.endswith("__lt__")]
    assert plain == ["__lt__"]  # as pstats has it


def test_what_a_wrapper_is_around_is_named_and_the_wrapper_keeps_its_name():
    job = Job(1)
    profile = Profiler()
    profile.enable()
    repr(job)
    profile.disable()
    functions = profile.snapshot()["functions"]
    assert [names[2:] for names in functions if names[0] == "<string>"] == [
        ("__repr__", "Job.__repr__")
    ]
    assert "wrapper" in {names[3].rpartition(".")[2] for names in functions}


def test_new_of_a_named_tuple():
    Point = collections.namedtuple("Point", "x y")
    assert qualified(lambda: Point(1, 2)) == [("<lambda>", "Point.__new__")]


def test_a_method_that_some_library_made_is_named_by_the_class_that_has_it():
    class Shape:
        area = made(METHOD).area
        of_class = classmethod(made(METHOD).area)
        of_none = staticmethod(made("def f(): pass").f)
        side = property(made(METHOD).area, made("def put(self, value): pass").put)

    def put():
        Shape().side = 1

    within = f"{Shape.__qualname__}."
    assert qualified(
        lambda: Shape().area(), Shape.of_class, Shape.of_none, lambda: Shape().side, put
    ) == [
        ("area", f"{within}area"),
        ("area", f"{within}of_class"),
        ("f", f"{within}of_none"),
        ("area", f"{within}side"),
        ("put", f"{within}side"),
    ]


def test_the_name_that_its_maker_gave_a_method_stands():
    class Shape:
        area = made(METHOD).area

    Shape.area.__qualname__ = "Figure.surface"
    assert qualified(Shape().area) == [("area", "Figure.surface")]


def test_a_name_that_is_derived_from_str_becomes_a_str():
    class Name(str):
        pass

    class Shape:
        area = made(METHOD).area

    Shape.area.__qualname__ = Name("Figure.surface")
    [(_, name)] = qualified(Shape().area)
    assert name == "Figure.surface"
    assert type(name) is str


def test_code_of_several_classes_is_of_none():
    area = made(METHOD).area
    classes = [type(name, (), {"area": area}) for name in ("Square", "Circle")]
    assert qualified(classes[0]().area) == [("area", "area")]


def test_a_class_below_two_classes_has_its_methods():
    class Base: ...

    class Other: ...

    shape = type("Shape", (Base, Other), {"area": made(METHOD).area})
    assert qualified(shape().area) == [("area", "Shape.area")]


def test_what_a_text_names_by_a_class_itself_keeps_its_name():
    module = made("class Shape:\n    def area(self): pass")
    module.Shape.size = module.Shape.area
    assert qualified(module.Shape().size) == [("area", "Shape.area")]


def test_a_function_of_a_text_that_no_class_has_keeps_its_name():
    assert qualified(made("def run(): pass").run) == [("run", "run")]


def test_a_function_in_a_file_keeps_its_name():
    class Shape:
        area = made(METHOD, "shapes.py").area

    profile = Profiler()
    profile.enable()
    Shape().area()
    profile.disable()
    assert ("shapes.py", 1, "area", "area") in profile.snapshot()["functions"]


def test_a_frozen_function_keeps_its_name():
    class Shape:
        area = made(METHOD, "<frozen shapes>").area

    assert qualified(Shape().area) == [("area", "area")]


def test_a_wrapper_of_a_text_keeps_its_name():
    wrap = made(
        "def wrap(function):\n"
        "    @wraps(function)\n"
        "    def wrapper(self): return function(self)\n"
        "    return wrapper",
        wraps=functools.wraps,
    ).wrap

    class Shape:
        area = wrap(made(METHOD).area)

    name = f"{Shape.__qualname__}.area"
    assert qualified(Shape().area) == [("wrapper", "wrap.<locals>.wrapper"), ("area", name)]


def test_a_wrapper_of_itself_is_followed_to_no_end():
    class Shape:
        area = made(METHOD).area

    Shape.area.__wrapped__ = Shape.area
    assert qualified(Shape().area) == [("area", f"{Shape.__qualname__}.area")]


def test_where_the_class_is_gone_the_helper_of_dataclasses_is_in_no_name():
    profile = Profiler()
    job = dataclasses.make_dataclass("Gone", ["x"])
    profile.enable()
    job(1)
    profile.disable()
    del job
    gc.collect()
    assert names_in(profile) == [("__init__", "__init__")]


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("<attrs generated init shop.models.Item>", "Item.run"),
        ("<attrs generated methods shop.models.Item-12>", "Item.run"),
        ("<attrs generated eq shop.models.make.<locals>.Item>", "make.<locals>.Item.run"),
        ("<attrs generated eq shop.models.make.<locals>.Item-1>", "make.<locals>.Item.run"),
        ("<attrs generated eq shop.Item>", "Item.run"),
        ("<attrs generated eq warehouse.Item>", "run"),  # no such module
        ("<attrs generated init Item>", "run"),
        ("<attrs generated >", "run"),
        ("<attrs generated ", "run"),
        ("<cattrs generated structure shop.models.Item>", "run"),
    ],
)
def test_where_the_class_is_gone_the_file_of_attrs_names_it(monkeypatch, file, name):
    for module in ("shop", "shop.models"):
        monkeypatch.setitem(sys.modules, module, types.ModuleType(module))
    assert qualified(made("def run(): pass", file).run) == [("run", name)]


def test_the_text_of_attrs_as_a_whole_keeps_its_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "shop", types.ModuleType("shop"))
    code = compile("pass", "<attrs generated init shop.Item>", "exec")
    assert qualified(lambda: exec(code)) == [("<module>", "<module>")]


def test_no_code_of_the_program_runs():
    ran = []

    class Meta(type):
        def __getattribute__(cls, name):
            ran.append(name)
            return super().__getattribute__(name)

        def __subclasses__(cls):
            ran.append("__subclasses__")
            return [3]

        def __eq__(cls, other):
            ran.append("__eq__")
            return True

        def __hash__(cls):
            ran.append("__hash__")
            return 3

    class Descriptor:
        def __get__(self, instance, owner):
            ran.append("__get__")

        def __getattribute__(self, name):
            ran.append(name)
            return super().__getattribute__(name)

    class Shape(metaclass=Meta):
        found = Descriptor()
        size = property(lambda self: ran.append("size"))
        area = made(METHOD).area

    class Square(Shape):
        side = made(METHOD).area

    area, side = vars(Shape)["area"], vars(Square)["side"]
    profile = Profiler()
    profile.enable()
    area(None)
    side(None)
    profile.disable()
    ran.clear()
    names = names_in(profile)
    assert ran == []
    within = test_no_code_of_the_program_runs.__name__ + ".<locals>."
    expected = [("area", f"{within}Shape.area"), ("area", f"{within}Square.side")]
    assert names == expected


def test_names_are_released():
    class Shape:
        area = made(METHOD).area

    profile = Profiler()
    profile.enable()
    Shape().area()
    profile.disable()
    name = "".join(["Figure", ".surface"])
    Shape.area.__qualname__ = name
    profile.snapshot()
    before = sys.getrefcount(name), sys.getrefcount(Shape), sys.getrefcount(type.__subclasses__)
    for _ in range(10):
        profile.snapshot()
    after = sys.getrefcount(name), sys.getrefcount(Shape), sys.getrefcount(type.__subclasses__)
    assert after == before


def test_attrs():
    @attrs.define
    class Item:
        size: int = 0

    assert qualified(lambda: Item(1) == Item(2)) == [
        ("__init__", f"{Item.__qualname__}.__init__"),
        ("__eq__", f"{Item.__qualname__}.__eq__"),
    ]


def test_timed_lines_have_the_same_names():
    class Shape:
        area = made("def area(self):\n    return 1").area

    recorder = LineRecorder()
    recorder.add_code(Shape.area.__code__)
    recorder.enable()
    Shape().area()
    recorder.disable()
    assert recorder.snapshot()["codes"] == (("<string>", 1, "area", f"{Shape.__qualname__}.area"),)
