"""--include and --exclude: modules and paths, as the program would find them."""

import os
import re

import pytest

from hooks import BACKENDS
from launch import traced, write

PROGRAM = """
import sys
import helpers.deep
from helpers import shallow

def main():
    helpers.deep.dig(shallow.skim)
    return 0

sys.exit(main())
"""
DEEP = "def dig(f):\n    f(leaf)\n    return abs(-1)\n\ndef leaf():\n    pass\n"
SHALLOW = "def skim(f):\n    len('x')\n    f()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("focus")
    write(folder / "app" / "main.py", PROGRAM)
    write(folder / "app" / "helpers" / "deep.py", DEEP)
    write(folder / "app" / "helpers" / "shallow.py", SHALLOW)
    write(folder / "app" / "helpers" / "__main__.py", "from helpers import deep\ndeep.dig(print)\n")
    return folder


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["--include", "helpers.deep"], {"<module>", "dig", "leaf"}),
        (["--include=app/helpers", "--exclude=helpers.shallow"], {"<module>", "dig", "leaf"}),
        (["--include", "app/main.py"], {"<module>", "main"}),
        (
            ["--include", "helpers.shallow", "--include", "main"],
            {"<module>", "main", "skim"},
        ),
        (
            ["--include", "*/app/*", "--exclude", "*/app/main.py"],
            {"<module>", "dig", "leaf", "skim"},
        ),
    ],
)
def test_what_is_recorded(folder, words, names, backend, monkeypatch):
    monkeypatch.setenv("TRACER_BACKEND", backend)
    found = traced(
        "--limit=0", "--no-builtins", *words, "app/main.py", cwd=folder, env=dict(os.environ)
    )
    assert found.stderr == b""
    table = found.stdout.decode().partition("filename:lineno(function)\n")[2]
    assert set(re.findall(r"\((.+)\)$", table, re.MULTILINE)) == names


def test_a_module_is_looked_for_in_the_folder_of_the_program_first(folder, tmp_path):
    write(tmp_path / "helpers" / "deep.py", "")
    paths = {**os.environ, "PYTHONPATH": str(tmp_path)}
    words = ("--table", "--no-builtins", "--include", "helpers.deep", "app/main.py")
    found = traced(*words, cwd=folder, env=paths)
    assert b"(dig)" in found.stdout


def test_a_module_that_is_run(folder):
    found = traced("--table", "--include", "helpers", "-m", "helpers", cwd=folder / "app")
    table = found.stdout.decode().partition("filename:lineno(function)\n")[2]
    lines = [line.split("/")[-1] for line in table.splitlines() if line]
    names = {name for line in lines for name in re.findall(r"(?:\(|method )(.+?)[)}]$", line)}
    assert names == {"<module>", "dig", "builtins.abs", "builtins.print"}


def test_the_header_says_so_when_the_profile_is_shown(folder, tmp_path):
    file = tmp_path / "profile.out"
    words = ["--include", "helpers", "--exclude", "app/helpers/deep.py"]
    assert traced("-o", str(file), *words, "app/main.py", cwd=folder).returncode == 0
    shown = traced("show", str(file)).stdout.decode()
    assert f"   include  {folder}/app/helpers\n" in shown
    assert f"   exclude  {folder}/app/helpers/deep.py\n" in shown
    assert "include" not in traced("app/main.py", cwd=folder).stdout.decode()
    traced("-o", str(tmp_path / "whole.out"), "app/main.py", cwd=folder)
    both = traced("show", str(file), str(tmp_path / "whole.out")).stdout.decode()
    assert f"   include  {folder}/app/helpers  (1 of 2 runs)\n" in both


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("helper", "there is no such module; a file or folder is named with a slash: ./helper"),
        ("a.b", "there is no such module; a file or folder is named with a slash: ./a/b.py"),
        (
            "app/helper",
            "there is no such file or folder",
        ),
        ("math", "it is written in C; only Python code can be {}"),
        ("sys", "it has no file, so no Python code"),
    ],
)
@pytest.mark.parametrize("option", ["--include", "--exclude"])
def test_what_is_not_there(folder, option, name, answer):
    if name == "math":
        import math

        done = {"--include": "included", "--exclude": "left out"}[option]
        built_in = "it has no file, so no Python code"
        answer = answer.format(done) if hasattr(math, "__file__") else built_in
    found = traced(option, name, "app/main.py", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == f"tracer: {option} {name!r}: {answer}\n"


NOTHING = {
    "--include helpers": "nothing in {0}/helpers was called",
    "--include helpers --include x.py": "nothing in {0}/helpers, {0}/x.py was called",
    "--exclude .": "all that was called is in {0}",
    "--include helpers --exclude x.py": "nothing in {0}/helpers, less {0}/x.py, was called",
}


@pytest.mark.parametrize("words", NOTHING)
def test_a_focus_that_lets_nothing_be_recorded_is_told(tmp_path, words):
    write(tmp_path / "helpers" / "__init__.py", "")
    write(tmp_path / "x.py", "")
    write(tmp_path / "program.py", "len('')\n")
    said = f"tracer: no function was recorded: {NOTHING[words].format(tmp_path)}\n"
    for command in (
        [*words.split(), "program.py"],
        ["-o", "profile.out", *words.split(), "program.py"],
        ["show", "profile.out"],
    ):
        found = traced(*command, cwd=tmp_path)
        assert (found.stderr.decode(), found.returncode) == (said, 0)
        assert (b"0 function calls" in found.stdout) == ("-o" not in command)


def test_what_was_recorded_of_one_run_is_no_nothing(folder, tmp_path):
    options = ("--include", "helpers.deep", "-o")
    traced(*options, str(tmp_path / "some.out"), "app/main.py", cwd=folder)
    write(tmp_path / "program.py", "len('')\n")
    traced("--include", str(tmp_path / "x*"), "-o", "none.out", "program.py", cwd=tmp_path)
    found = traced("show", "none.out", "some.out", cwd=tmp_path)
    assert found.stderr == b"" and b"dig" in found.stdout


def test_the_program_sees_nothing_of_the_search(folder, tmp_path):
    """It sees nothing in the path, in what the interpreter remembers of folders, or in modules."""
    look = (
        "import sys\nprint(sys.path, sorted(sys.path_importer_cache), 'helpers' in sys.modules)\n"
    )
    program = write(tmp_path / "look.py", look)
    write(tmp_path / "helpers" / "deep.py", DEEP)
    [without, _, _] = traced(str(program)).stdout.partition(b"\n")
    [seen, _, _] = traced("--include", "helpers.deep", str(program)).stdout.partition(b"\n")
    assert seen == without
    assert seen.endswith(b" False")
