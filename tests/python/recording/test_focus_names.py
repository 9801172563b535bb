"""What the names in a focus stand for, and where code is."""

import json
import os
import sys

import pytest

import tracer
from focusing import focused, two_modules
from rows import calls, record
from tracer.recording.focus import paths_of


@pytest.fixture
def code(tmp_path):
    return two_modules(tmp_path)


@pytest.mark.parametrize("names", [None, (), "", []])
def test_no_names_are_no_paths(names):
    assert paths_of(names, "include") == ()


def test_code_that_was_made_of_text_is_where_its_module_is(code, backend):
    code.own.space["made"] = None
    exec("def made():\n    tick(1)", code.own.space)
    nowhere = {"tick": code.tick}
    exec("def made_nowhere():\n    tick(1)", nowhere)

    def calling():
        code.own.space["made"]()
        nowhere["made_nowhere"]()

    assert calls(focused(code, backend, calling)) == {"made": 1}
    assert calls(focused(code, backend, calling, exclude=code.path / "own")) == {
        "calling": 1,
        "made_nowhere": 1,
        "tick": 2,
    }


def test_a_frozen_module_is_where_its_source_is(backend):
    import genericpath
    import os.path

    def calling():
        genericpath.exists("")
        os.path.join("a", "b")

    found = calls(record(calling, backend=backend, builtins=False, include=["os.path"]))
    assert found["join"] == 1 and "exists" not in found
    assert calls(record(calling, backend=backend, builtins=False, include=[__file__])) == {
        "calling": 1
    }
    only = record(calling, backend=backend, builtins=False, include=genericpath.__file__)
    assert calls(only) == {"exists": 1}


def test_links_are_followed(code, backend):
    (code.path / "link").symlink_to(code.path / "own")
    for name in (code.path / "link", code.path / "own" / "own.py", code.path / "link" / "own.py"):
        assert calls(focused(code, backend, code.own.leaf, include=name)) == {"leaf": 1}


def test_files_that_are_gone_keep_their_place(code, backend):
    space = {}
    exec(compile("def gone(): pass", str(code.path / "link" / "x" / "gone.py"), "exec"), space)
    (code.path / "link").symlink_to(code.path / "own")
    assert calls(focused(code, backend, space["gone"])) == {"gone": 1}


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        ("*/own/*", True),
        ("*own", True),
        ("*/own/own.py", True),
        ("*ow", False),
        ("*/own/own.p", False),
        ("*/*/*.py", True),
        ("*.pyc", False),
        ("*wn*n*.py", True),
        ("*", True),
    ],
)
def test_stars(code, backend, pattern, matches):
    found = calls(focused(code, backend, code.own.leaf, include=pattern))
    assert ("leaf" in found) == matches


def test_a_prefix_of_a_name_is_no_folder(code, backend):
    (code.path / "ow").mkdir()
    assert calls(focused(code, backend, code.own.leaf, include=code.path / "ow")) == {}


def test_more_code_objects_than_verdicts_are_kept(code, backend):
    def making():
        function = code.out.space["leaf_of_out"]
        for line in range(100_100):
            function.__code__ = function.__code__.replace(co_firstlineno=line + 1)
            function()
        code.own.leaf()
        code.own.leaf()

    assert calls(focused(code, backend, making)) == {"leaf": 2}


def test_a_file_is_looked_for_once_however_much_code_there_is(code, backend):
    """No decision on code is kept any more, but that on its file is."""
    link = code.path / "link"
    link.symlink_to(code.path / "own")
    space = {}
    exec(compile("def made(): pass", str(link / "own.py"), "exec"), space)

    def making():
        function = code.out.space["leaf_of_out"]
        for line in range(100_100):
            function.__code__ = function.__code__.replace(co_firstlineno=line + 1)
            function()
        space["made"]()
        link.unlink()
        link.symlink_to(code.path / "out")
        space["made"]()

    assert calls(focused(code, backend, making)) == {"made": 2}


def test_the_capture_says_what_was_looked_at(code, tmp_path):
    own = str(code.path / "own")
    assert tracer.Profile().capture().focus is None
    capture = tracer.Profile(include=own, exclude=["json", own]).capture()
    included, excluded = capture.focus
    assert included == (own,)
    assert excluded[0].endswith("/json") and excluded[1] == own
    capture.write(tmp_path / "profile.out")
    [read] = tracer.Stats(tmp_path / "profile.out").captures
    assert read.focus == capture.focus


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no_such_module_here", "no such module"),
        ("json.no_such_module", "no such module"),
        ("./nowhere", "no such file or folder"),
        ("", "no such file or folder"),
        ("sys", "no file"),
        ("_tracer.py", "no such file or folder"),
    ],
)
@pytest.mark.parametrize("option", ["include", "exclude"])
def test_names_of_nothing_are_refused(option, name, words):
    with pytest.raises(ValueError, match=f"^{option} {name!r}: .*{words}"):
        tracer.Profile(**{option: [name]})


def test_modules_are_found_and_not_imported(tmp_path, monkeypatch):
    package = tmp_path / "unimported" / "deeper"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").write_text("raise RuntimeError")
    (package / "module.py").write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    capture = tracer.Profile(
        include=["unimported", "unimported.deeper", "unimported.deeper.module"]
    ).capture()
    assert capture.focus[0] == (str(package.parent), str(package), str(package / "module.py"))
    assert "unimported" not in sys.modules


@pytest.mark.parametrize("option", ["include", "exclude"])
def test_what_is_no_name_is_refused(option):
    with pytest.raises(TypeError, match=f"{option} takes a name, or several in a list, not 3"):
        tracer.Profile(**{option: 3})
    with pytest.raises(TypeError, match="not int"):
        tracer.Profile(**{option: [3]})


def test_a_module_that_the_program_has_too_is_in_both_places(tmp_path):
    (tmp_path / "json.py").touch()
    own, library = str(tmp_path / "json.py"), os.path.dirname(os.path.realpath(json.__file__))
    assert paths_of("json", "include", str(tmp_path)) == (library, own)
    assert paths_of("json", "include") == (library,)
