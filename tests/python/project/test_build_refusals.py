"""What setup.py refuses, each in one sentence that says what to do instead of a traceback.

Also the two checks that keep the core free of Python. Builds that succeed are tried elsewhere.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from places import ROOT

CC = os.environ.get("CC") or shutil.which("cc") or "cc"

pytest.importorskip("setuptools", reason="setup.py needs setuptools")
needs_compiler = pytest.mark.skipif(shutil.which(CC) is None, reason=f"no C compiler ({CC})")

# Imported before anything is faked, so that only setup.py sees the fake.
PREPARE = """\
import os, runpy, sys, sysconfig
import setuptools, setuptools.command.build_clib, setuptools.command.build_ext
import setuptools.command.sdist
arguments, fake, then = sys.argv[1].split(), sys.argv[2], sys.argv[3]
exec(fake)
sys.argv = ["setup.py", *arguments]
build = runpy.run_path("setup.py", run_name="__main__")
exec(then)
"""


def run_setup(
    arguments: str, fake: str = "", then: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    inherited = {k: v for k, v in os.environ.items() if k not in ("CFLAGS", "UTHASH_INCLUDE")}
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PREPARE, arguments, fake, then],
        cwd=ROOT,
        env=inherited | environment,
        text=True,
        capture_output=True,
    )


def refusal(result: subprocess.CompletedProcess[str]) -> str:
    assert result.returncode == 1, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("tracer: ")
    return lines[0]


def build_core(folder: Path, verbosity: str = "-q") -> str:
    return f"{verbosity} build_clib --build-clib {folder} --build-temp {folder}"


def test_nothing_is_refused_without_a_fake() -> None:
    result = run_setup("--version")
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("fake", "sentence"),
    [
        (
            "sys.platform = 'win32'",
            "tracer: Windows is not supported: use Linux or macOS (WSL is fine).",
        ),
        (
            "sysconfig.get_config_vars()['Py_GIL_DISABLED'] = 1",
            "tracer: free-threaded builds of CPython are not supported: use a build with the GIL.",
        ),
        (
            "sys.version_info = (3, 10, 4, 'final', 0)",
            "tracer: needs CPython 3.11 or newer; this is cpython 3.10.4.",
        ),
        (
            "sys.implementation.name = 'pypy'",
            f"tracer: needs CPython 3.11 or newer; this is pypy {sys.version.split()[0]}.",
        ),
    ],
    ids=["windows", "free-threaded", "old", "pypy"],
)
def test_unsupported_interpreter(fake: str, sentence: str) -> None:
    assert refusal(run_setup("--version", fake)) == sentence


def test_missing_python_headers(tmp_path: Path) -> None:
    fake = (
        "real = os.path.exists\n"
        "os.path.exists = lambda path: not str(path).endswith('Python.h') and real(path)"
    )
    said = refusal(run_setup(f"-q build_ext --build-lib {tmp_path}", fake))
    version = "{}.{}".format(*sys.version_info)
    assert f"apt install python{version}-dev" in said
    assert "dnf install python3-devel" in said
    assert f"brew install python@{version}" in said


@needs_compiler
def test_missing_uthash(tmp_path: Path) -> None:
    said = refusal(run_setup(build_core(tmp_path), CFLAGS="-nostdinc"))
    assert "apt install uthash-dev" in said
    assert "dnf install uthash-devel" in said
    assert "brew install uthash" in said
    assert "UTHASH_INCLUDE" in said


@needs_compiler
def test_wrong_uthash_include(tmp_path: Path) -> None:
    said = refusal(run_setup(build_core(tmp_path), CFLAGS="-nostdinc", UTHASH_INCLUDE="/no/where"))
    assert said == "tracer: UTHASH_INCLUDE is /no/where, which holds no usable uthash.h."


def test_missing_compiler(tmp_path: Path) -> None:
    said = refusal(run_setup(build_core(tmp_path), CC="no-such-compiler"))
    assert said.startswith("tracer: the C compiler no-such-compiler is missing:")
    assert "apt install gcc" in said


@needs_compiler
def test_the_core_is_compiled_without_a_python_include_path(tmp_path: Path) -> None:
    result = run_setup(build_core(tmp_path, "-v"), CFLAGS="-O0")  # a third of the time
    assert result.returncode == 0, result.stderr
    commands = [
        line for line in result.stdout.splitlines() if "ext/core/" in line and " -c " in line
    ]
    assert commands, result.stdout
    include = sysconfig.get_path("include")
    assert not [line for line in commands if include in line.split() or f"-I{include}" in line]
    assert (tmp_path / "libtracercore.a").exists()


@needs_compiler
@pytest.mark.parametrize(
    ("source", "named"),
    [
        (
            "extern int PyErr_Occurred(void); int f(void) { return PyErr_Occurred(); }",
            "PyErr_Occurred",
        ),
        ("int trc_Py(void) { return 0; }", "trc_Py"),
        ("int trc_fine(void) { return 0; }", None),
    ],
    ids=["wanted", "defined", "neither"],
)
def test_symbols_of_python_in_the_core(tmp_path: Path, source: str, named: str | None) -> None:
    (tmp_path / "unit.c").write_text(source)
    subprocess.run([CC, "-c", "unit.c", "-o", "unit.o"], cwd=tmp_path, check=True)
    result = run_setup("-q --version", then=f"build['check_symbols']({str(tmp_path / 'unit.o')!r})")
    if named is None:
        assert (result.returncode, result.stderr) == (0, "")
    else:
        assert named in refusal(result)


@needs_compiler
def test_an_archive_with_what_is_gone_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "kept.c").write_text("int kept;")
    (tmp_path / "gone.c").write_text("int gone;")
    subprocess.run([CC, "-c", "kept.c", "gone.c"], cwd=tmp_path, check=True)
    for held, stays in [(["kept.o"], True), (["kept.o", "gone.o"], False)]:
        subprocess.run(["ar", "rcs", "lib.a", *held], cwd=tmp_path, check=True)
        call = f"build['drop_what_is_gone']({str(tmp_path / 'lib.a')!r}, ['ext/core/kept.c'])"
        result = run_setup("-q --version", then=call)
        assert (result.returncode, result.stderr) == (0, "")
        assert (tmp_path / "lib.a").exists() == stays
