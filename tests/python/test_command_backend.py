"""What the command says of the back end, and the options that not every back end can serve."""

import re

import pytest

import tracer
from launch import environment, traced, write
from tracer._core import Profiler
from tracer._version import __version__


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", "dict(a=1)\nlen('')\n")
    return tmp_path


def refused(*words, folder, **variables):
    found = traced(*words, cwd=folder, env=environment(**variables))
    assert (found.stdout, found.returncode) == (b"", 2)
    assert re.fullmatch(rb"tracer: .+\n", found.stderr)
    return found.stderr.decode()


@pytest.mark.parametrize(
    "words", [["--version", "-v"], ["-v", "--version"], ["--verbose", "--version"]]
)
def test_verbose_version(folder, words):
    found = traced(*words, cwd=folder)
    backend = Profiler().backend
    expected = f"tracer {__version__}\nback end: {backend}: {backend.reason}\n"
    assert (found.stdout.decode(), found.stderr, found.returncode) == (expected, b"", 0)


def test_verbose_version_says_what_was_asked_for(folder):
    found = traced("--version", "-v", cwd=folder, env=environment(TRACER_BACKEND="setprofile"))
    assert re.fullmatch(rb"tracer .+\nback end: setprofile: .*TRACER_BACKEND.*\n", found.stdout)


def test_verbose_alone(folder):
    line = "tracer: --verbose says more of --version; give both, or leave it out\n"
    assert refused("-v", "program.py", folder=folder) == line


@pytest.mark.parametrize("words", [["--version", "-v"], ["program.py"], ["-o", "x", "program.py"]])
def test_no_such_backend(folder, words):
    assert "nonsense" in refused(*words, folder=folder, TRACER_BACKEND="nonsense")
    assert [path.name for path in folder.iterdir()] == ["program.py"]


def test_all_builtins(folder):
    line = (
        "tracer: --all-builtins needs Python 3.12 or later and the back end monitoring; here it is "
        "setprofile: {}; leave the option out\n"
    )
    words = ["--all-builtins", "program.py"]
    asked = line.format("asked for by TRACER_BACKEND=setprofile")
    assert refused(*words, folder=folder, TRACER_BACKEND="setprofile") == asked
    if Profiler().backend != "monitoring":
        assert refused(*words, folder=folder) == line.format(Profiler().backend.reason)
        pytest.skip("PyEval_SetProfile does not report classes; that it is said was tested")
    for option, rows in ("--all-builtins", {"<type 'dict'>": 1}), ("--no-threads", {}):
        assert traced(option, "-o", "p.out", "program.py", cwd=folder).returncode == 0
        stats = tracer.Stats(folder / "p.out").stats
        assert {k[2]: row[1] for k, row in stats.items() if "dict" in k[2]} == rows


def test_all_builtins_and_none(folder):
    line = "tracer: --all-builtins and --no-builtins exclude each other; give one of them\n"
    assert refused("--all-builtins", "--no-builtins", "program.py", folder=folder) == line
