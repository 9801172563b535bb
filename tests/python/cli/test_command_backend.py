"""What the command says of the back end, and the options that not every back end can serve."""

import re

import pytest

import tracer
from launch import environment, refused, traced, write
from tracer._core import BACKEND_TITLES, BACKENDS, Profiler
from tracer._version import __version__


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", "dict(a=1)\nlen('')\n")
    return tmp_path


@pytest.mark.parametrize(
    "words", [["--version", "-v"], ["-v", "--version"], ["--verbose", "--version"]]
)
def test_verbose_version(folder, words):
    found = traced(*words, cwd=folder)
    backend = Profiler().backend
    expected = f"tracer {__version__}\nback ends, the best first:\n"
    for name in BACKENDS:
        taken = f" <- {backend.reason}" if name == backend else ""
        expected += f"    {name} ({BACKEND_TITLES[name]}){taken}\n"
    assert (found.stdout.decode(), found.stderr, found.returncode) == (expected, b"", 0)


def test_verbose_version_says_what_was_asked_for(folder):
    found = traced("--version", "-v", cwd=folder, env=environment(TRACER_BACKEND="setprofile"))
    (line,) = re.findall(r"^ .+ <- .+$", found.stdout.decode(), re.MULTILINE)
    title = "PyEval_SetProfile"
    assert line == f"    setprofile ({title}) <- asked for by TRACER_BACKEND=setprofile"


def test_verbose_alone(folder):
    line = "--verbose adds to --version; give both, or leave --verbose out"
    assert refused("-v", "program.py", cwd=folder) == line


@pytest.mark.parametrize("words", [["--version", "-v"], ["program.py"], ["-o", "x", "program.py"]])
def test_no_such_backend(folder, words):
    assert "nonsense" in refused(*words, cwd=folder, env=environment(TRACER_BACKEND="nonsense"))
    assert [path.name for path in folder.iterdir()] == ["program.py"]


def test_all_builtins(folder):
    line = (
        "--all-builtins needs Python 3.12 or later and the back end monitoring; here it is "
        "{}: {}; leave the option out"
    )
    words = ["--all-builtins", "program.py"]
    asked = line.format("setprofile", "asked for by TRACER_BACKEND=setprofile")
    assert refused(*words, cwd=folder, env=environment(TRACER_BACKEND="setprofile")) == asked
    backend = Profiler().backend
    if backend != "monitoring":
        assert refused(*words, cwd=folder) == line.format(backend, backend.reason)
        pytest.skip("PyEval_SetProfile does not report classes; that it is said was tested")
    for option, rows in ("--all-builtins", {"<type 'dict'>": 1}), ("--no-threads", {}):
        assert traced(option, "-o", "p.out", "program.py", cwd=folder).returncode == 0
        stats = tracer.Stats(folder / "p.out").stats
        assert {k[2]: row[1] for k, row in stats.items() if "dict" in k[2]} == rows


def test_all_builtins_and_none(folder):
    line = "--all-builtins and --no-builtins exclude each other; give one of them"
    assert refused("--all-builtins", "--no-builtins", "program.py", cwd=folder) == line
