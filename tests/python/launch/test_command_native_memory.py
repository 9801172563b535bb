"""The command --memory=native: the program starts again with the preloaded library, and sees its
own words and environment. See test_native_memory.py for what is counted then.
"""

import json
import os
import sys
from pathlib import Path

import pytest

import tracer
from allocations import NATIVE_MEMORY
from launch import environment, good, plain, refused, traced, write
from tracer.launch import native_memory

pytestmark = NATIVE_MEMORY

PROGRAM = """
import ctypes, json, os, subprocess, sys
libc = ctypes.CDLL(None)
libc.malloc.restype = libc.getenv.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.getenv.argtypes = [ctypes.c_char_p]

def take():
    return libc.malloc(7_000_001)

block = take()
names = "LD_PRELOAD", "TRACER_NATIVE_MEMORY"
child = [sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))"]
print(json.dumps({
    "ours": dict(os.environ),
    "C": [name for name in names if libc.getenv(name.encode())],
    "child": json.loads(subprocess.check_output(child)),
    "argv": [sys.argv, sys.orig_argv],
    "stdin": sys.stdin.read(),
}))
"""


@pytest.fixture
def program(tmp_path):
    return write(tmp_path / "program.py", PROGRAM)


def amounts(path, name, measure="live"):
    [row] = [
        row
        for (_, _, label), row in tracer.Stats(str(path)).seen_by(measure).stats.items()
        if label == name
    ]
    return round(row[2] * 1e9), row[1]


def test_the_command_starts_the_program_again(program, tmp_path):
    out = tmp_path / "profile.out"
    ours = json.loads(good("--memory=native", "-o", str(out), program, "a word", stdin=b"said"))
    theirs = json.loads(plain(program, "a word", stdin=b"said").stdout)
    assert ours["ours"].pop("ARROW_DEFAULT_MEMORY_POOL") == "system"
    assert ours["child"].pop("ARROW_DEFAULT_MEMORY_POOL") == "system"
    assert ours == theirs
    assert ours["C"] == []
    assert amounts(out, "take")[0] == 7_000_001 + sys.getsizeof(2**40)
    shown = good("show", "--memory", str(out))
    assert "malloc of C code included" in " ".join(shown.split())


def test_the_environment_stays_as_it_was(program):
    """Also where it had a library, or said which pool Arrow takes."""
    [libm] = {
        line.split()[-1]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if "/libm" in line and ".so" in line
    } or [None]
    if libm is None:
        pytest.skip("no other library is known here")
    env = environment(LD_PRELOAD=libm, ARROW_DEFAULT_MEMORY_POOL="mimalloc")
    ours = json.loads(good("--memory=native", "-o", os.devnull, program, env=env))
    theirs = json.loads(plain(program, env=env).stdout)
    assert ours == theirs
    assert ours["ours"]["LD_PRELOAD"] == ours["child"]["LD_PRELOAD"] == libm


def test_python_alone_starts_nothing_again(program, tmp_path):
    out = tmp_path / "profile.out"
    ours = json.loads(good("--memory", "-o", str(out), program))
    assert ours == json.loads(plain(program).stdout)
    assert amounts(out, "take")[0] < 1000
    assert not tracer.Stats(str(out)).captures[0].memory.native


def test_lines_have_native_memory(program, tmp_path):
    out = tmp_path / "profile.out"
    good("--memory=native", "--lines", "-o", str(out), program)
    assert amounts(out, "take")[0] >= 7_000_001


def test_another_word_is_refused(program):
    assert refused("--memory=all", program) == (
        "--memory=all: write --memory alone, or --memory=native for that of C code, too"
    )


def test_the_word_behind_a_blank_is_no_script(program):
    assert refused("--memory", "native", program) == (
        "no script 'native'; the value of --memory stands in the word of the option: "
        "--memory=native"
    )


def test_where_the_library_does_not_load_nothing_runs(program):
    """As where the interpreter is of another user: the system ignores LD_PRELOAD then."""
    env = environment(TRACER_NATIVE_MEMORY="")
    done = traced("--memory=native", program, env=env)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == (
        b"tracer: --memory=native: the system did not load tracer's library into a process that "
        b"started again; leave '=native' out\n"
    )


def refusal(monkeypatch, library):
    monkeypatch.setattr(native_memory, "LIBRARY", str(library))
    with pytest.raises(native_memory.UsageError) as raised:
        native_memory.need_native_memory()
    return str(raised.value)


def test_where_it_is_not_built_it_is_said(monkeypatch, tmp_path):
    assert refusal(monkeypatch, tmp_path / "gone.so") == (
        "--memory=native: tracer's library for the memory of C code is built on Linux with glibc "
        "only; leave '=native' out"
    )


def test_a_path_that_the_system_cannot_read_is_said(monkeypatch, tmp_path):
    path = Path(write(tmp_path / "a library.so", ""))
    assert f"a path with spaces or colons, as '{path}'" in refusal(monkeypatch, path)


def test_an_interpreter_that_is_gone_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "gone"))
    with pytest.raises(native_memory.UsageError, match=r"again: No such file .*; leave '=native'"):
        native_memory.start_again()


@pytest.mark.parametrize("before", [None, "/lib/other.so"])
def test_other_libraries_are_preloaded_as_well(monkeypatch, before):
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    if before is not None:
        monkeypatch.setenv("LD_PRELOAD", before)
    started = []
    monkeypatch.setattr(os, "execve", lambda *words: started.append(words))
    native_memory.start_again()
    [(_, _, found)] = started
    own = native_memory.LIBRARY
    told = (found["LD_PRELOAD"], found["TRACER_NATIVE_MEMORY"])
    assert told == ((own, "") if before is None else (f"{own}:{before}", f"={before}"))
