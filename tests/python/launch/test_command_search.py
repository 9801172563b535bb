"""A script that is no file is looked up on PATH, where most programs are not Python."""

import io
import os
import sys
import zipfile

import pytest

from launch import environment, traced, write
from tracer.launch.output import quote

REMEDY = "give the path of one, or a module after -m"


@pytest.fixture
def found_on(tmp_path):
    """Run a name with a PATH of folders, which are made from {path: content}."""
    (tmp_path / "here").mkdir()

    def run(name, path, programs, **options):
        for place, content in programs.items():
            file = tmp_path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
            file.chmod(0o755)
        variables = environment(PATH=path.format(here=tmp_path))
        words = ["-o", "profile.out", name, "argument"]
        return traced(*words, cwd=tmp_path / "here", env=variables, **options)

    run.folder = tmp_path
    return run


PYTHON = b"#!/usr/bin/env python3\nimport sys\nprint(sys.argv, sys.path[0])\n"
BILINGUAL = b"#!/bin/sh\n'''exec' /long/python \"$0\" \"$@\"\n' '''\n" + PYTHON


def archive(start):
    """An archive of Python source, with a line before it as zipapp writes one, or with none."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr("__main__.py", "import sys\nprint(sys.argv)\n")
    return start + made.getvalue()


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("prog", archive(b"")),
        ("prog", archive(b"#!/usr/bin/env python3\n")),
        ("prog.pyz", archive(b"#!/a/launcher\n")),
    ],
)
def test_archive_on_path(found_on, name, program):
    found = found_on(name, "{here}/bin", {f"bin/{name}": program})
    path = found_on.folder / "bin" / name
    assert found.stdout.decode() == f"{[str(path), 'argument']}\n"
    assert (found.stderr, found.returncode) == (b"", 0)


@pytest.mark.parametrize("program", [PYTHON, BILINGUAL], ids=["plain", "bilingual"])
def test_python_script_on_path(found_on, program):
    found = found_on("prog", "{here}/none:{here}/bin", {"bin/prog": program})
    folder = found_on.folder / "bin"
    assert (found.stderr, found.returncode) == (b"", 0)
    assert found.stdout.decode() == f"['{folder}/prog', 'argument'] {folder}\n"


def test_file_here_comes_first(found_on):
    programs = {"bin/prog": PYTHON, "here/prog": b"print('here')\n"}
    assert found_on("prog", "{here}/bin", programs).stdout == b"here\n"


def test_folder_here_is_no_script(found_on):
    found = found_on("prog", "{here}/bin", {"bin/prog": PYTHON, "here/prog/data": b""})
    assert found.returncode == 0
    assert b"bin/prog', 'argument']" in found.stdout


def test_name_with_a_slash_is_not_sought(found_on):
    found = found_on("./prog", "{here}/bin", {"bin/prog": PYTHON})
    assert found.returncode == 2
    assert found.stderr.startswith(b"tracer: no script './prog'; ")


@pytest.mark.parametrize(
    "program",
    [b"#!/bin/sh\nexec python3 other\n", b"\x7fELF\x02\x01" + bytes(64), b""],
    ids=["shell", "binary", "empty"],
)
def test_other_programs_are_passed_over(found_on, program):
    path = "{here}/shims:{here}/bin"
    found = found_on("prog", path, {"shims/prog": program, "bin/prog": PYTHON})
    assert found.returncode == 0
    assert b"bin/prog', 'argument']" in found.stdout
    found = found_on("only", path, {"shims/only": program})
    assert found.returncode == 2
    place = found_on.folder / "shims/only"
    assert found.stderr.decode() == f"tracer: {place} is no Python script; {REMEDY}\n"


@pytest.mark.parametrize("name", ["python", "python3", "python3.11"])
def test_an_interpreter_is_to_be_left_out(found_on, name):
    binary = b"\x7fELF\x02\x01" + bytes(64)
    found = found_on(name, "{here}/bin", {f"bin/{name}": binary, f"here/sub/{name}": binary})
    place = found_on.folder / f"bin/{name}"
    assert (found.stdout, found.returncode) == (b"", 2)
    assert found.stderr.decode() == (
        f"tracer: {place} is no Python script, but an interpreter; leave {name!r} out, tracer "
        "starts the program itself\n"
    )
    found = found_on(f"sub/{name}", "{here}/bin", {})
    assert (found.stdout, found.returncode) == (b"", 2)
    assert found.stderr.decode() == (
        f"tracer: sub/{name} is no Python script, but an interpreter; leave 'sub/{name}' out, "
        "tracer starts the program itself\n"
    )


def test_a_script_may_be_named_as_an_interpreter(found_on):
    found = found_on("./python", "{here}/bin", {"here/python": PYTHON})
    assert (found.stderr, found.returncode) == (b"", 0)


def test_file_that_may_not_be_executed_is_passed_over(found_on):
    write(found_on.folder / "data/prog", "print('data')\n").chmod(0o644)
    found = found_on("prog", "{here}/data:{here}/bin", {"bin/prog": PYTHON})
    assert b"bin/prog', 'argument']" in found.stdout


def test_empty_entry_of_path_is_the_current_folder(found_on):
    found = found_on("prog", ":{here}/bin", {"bin/other": PYTHON})
    assert found.returncode == 2


def test_this_very_pytest(tmp_path):
    script = os.path.join(os.path.dirname(sys.executable), "pytest")
    if not os.path.exists(script):
        pytest.skip(f"there is no pytest beside {sys.executable}")
    write(tmp_path / "test_it.py", "def test_it():\n    assert 1 + 1 == 2\n")
    variables = environment(PATH=os.path.dirname(sys.executable))
    words = ["--limit=3", "pytest", "-q", "-p", "no:cacheprovider", "test_it.py"]
    found = traced(*words, cwd=tmp_path, env=variables)
    assert (found.stderr, found.returncode) == (b"", 0)
    assert b"1 passed" in found.stdout
    line = f"   command  {quote(script)} -q -p no:cacheprovider test_it.py\n"
    assert line.encode() in found.stdout
