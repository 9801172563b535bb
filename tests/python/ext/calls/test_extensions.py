"""Functions written in C are of the extension module that has them, so that the program's own
compiled modules are known."""

import _heapq
import array
import sys
import types

import pytest

import tracer
from tracer._core import Profiler
from tracer.analysis.tree.call_tree import paths_of
from tracer.analysis.tree.folding import own_rows

OWN = "/home/me/shop/fast.cpython-313-x86_64-linux-gnu.so"
INSTALLED = "/env/lib/python3.13/site-packages/fast/core.abi3.so"


class Mine(array.array):
    pass


@pytest.fixture
def of_file(monkeypatch):
    """Gives modules of the standard library another file."""

    def set_file(file, *modules):
        for module in modules or (_heapq, array):
            monkeypatch.setattr(module, "__file__", file, raising=False)

    return set_file


def recorded(*functions):
    profile = Profiler()
    for function in functions:
        profile.enable()
        function()
        profile.disable()
    return profile


def extensions(*functions):
    """(qualified name, module, file) of the functions of extension modules."""
    snapshot = recorded(*functions).snapshot()
    return [
        (snapshot["functions"][position][3], module, file)
        for position, module, file in snapshot["extensions"]
    ]


def push():
    _heapq.heappush([], 1)


def append():
    array.array("i").append(1)


def test_functions_and_methods(of_file):
    of_file(OWN)
    assert extensions(push, append, lambda: len("")) == [
        ("_heapq.heappush", "_heapq", OWN),
        ("array.append", "array", OWN),
    ]


def test_a_method_is_of_the_class_that_defines_it(of_file):
    of_file(OWN)
    assert extensions(lambda: Mine("i").append(1)) == [("array.append", "array", OWN)]


@pytest.mark.parametrize(
    "file",
    ["/env/lib/python3.13/lib-dynload/_heapq.so", "/home/me/_heapq.py", "/home/me/so", ".so", None],
)
def test_what_is_no_extension_module_or_of_the_standard_library_is_none(of_file, file):
    of_file(file)
    assert extensions(push, append) == []


def test_what_stands_in_the_place_of_a_module_is_not_asked(monkeypatch):
    ran = []

    class Module(types.ModuleType):
        def __getattribute__(self, name):
            ran.append(name)
            return OWN

    class Anything:
        def __getattr__(self, name):
            ran.append(name)
            return OWN

    for instead in (Module("_heapq"), Anything(), None):
        profile = recorded(push)
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "_heapq", instead)
            assert profile.snapshot()["extensions"] == ()
    assert ran == []


def test_what_is_no_text_is_no_file(of_file):
    class Text(str):
        pass

    of_file(Text(OWN))
    assert extensions(push) == []


def test_the_profiler_is_none_of_the_programs():
    functions = recorded(push).snapshot()
    assert any(it[3] == "Profiler.disable" for it in functions["functions"])
    assert functions["extensions"] == ()


@pytest.mark.parametrize(("file", "is_own"), [(OWN, True), (INSTALLED, False)])
def test_in_a_file(of_file, tmp_path, file, is_own):
    of_file(file)
    with tracer.Profile() as profile:
        push()
        append()
    tracer.Stats(profile).dump_stats(tmp_path / "one.prof")
    of_file(None)
    stats = tracer.Stats(tmp_path / "one.prof")
    assert [(module, its) for _, module, its in stats.captures[0].extensions] == [
        ("_heapq", file),
        ("array", file),
    ]
    paths = paths_of(stats)
    owns = {row.name: own for row, own in zip(paths.rows, own_rows(paths), strict=True)}
    assert (owns["<_heapq.heappush>"], owns["<array.append>"]) == (is_own, is_own)
    modules = [owner for owner in paths.owners if owner.name in ("_heapq", "array")]
    assert [module.kind for module in modules] == ["own" if is_own else "site"] * 2


def test_of_several_runs_each_has_its_own(of_file):
    profiles = []
    for function, module in ((push, _heapq), (append, array)):
        of_file(OWN, module)
        with tracer.Profile() as profile:
            function()
        profiles.append(tracer.Stats(profile))
        of_file(None, module)
    paths = paths_of(profiles[0].add(profiles[1]))
    names = {row.name for row, owner in zip(paths.rows, paths.owners, strict=True) if owner.name}
    assert {"<_heapq.heappush>", "<array.append>"} <= names
