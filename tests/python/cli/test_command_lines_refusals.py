"""What -l and --lines cannot do: there is no line to time, or options do not go together. What they
say names the thing, and the remedy where there is one.
"""

import sys

import pytest

import linetables
from launch import plain, traced, write

SEES_CALLS = sys.version_info >= (3, 12)

folder = linetables.folder  # a fixture of the tests here

NO_OWN_CODE = (
    "tracer: no line was timed: the program's own code that ran is excluded, or lies elsewhere; "
    "add code by --lines-of\n"
)


def test_nothing_is_left_to_time(folder):
    found = traced("--lines", "--exclude", "./app", "app/main.py", cwd=folder)
    assert found.stderr.decode() == NO_OWN_CODE
    assert b"calls  function" in found.stdout
    saved = traced("--lines", "--exclude", "./app", "-o", "none.out", "app/main.py", cwd=folder)
    assert saved.stderr.decode() == NO_OWN_CODE
    found = traced("show", "--lines", "none.out", cwd=folder)
    assert (found.stderr.decode(), found.returncode) == (NO_OWN_CODE, 0)


def test_a_file_without_lines_says_so(folder):
    write(folder / "bare.py", "print(1)\n")
    traced("-l", "-o", "bare.out", "bare.py", cwd=folder)
    found = traced("show", "--limit", "3", "bare.out", cwd=folder)
    assert b"calls" not in found.stdout
    assert b"no function was decorated" in found.stderr
    assert b"--limit is of no use here: there are lines and no functions" in found.stderr


def test_nothing_to_time(folder):
    write(folder / "bare.py", "print(1)\n")
    found = traced("-l", "bare.py", cwd=folder)
    assert found.returncode == 0
    assert found.stderr.decode() == (
        "tracer: no function was decorated with @profile: put @profile above the "
        "functions to be timed "
        "by line, or give --lines to time all\n"
    )
    for name in ("bare.out", "bare.lprof"):
        assert traced("-l", "-o", name, "bare.py", cwd=folder).stderr == found.stderr


@pytest.mark.parametrize("option", ["-l", "--lines"])
def test_nothing_that_is_timed_runs(folder, option):
    write(folder / "idle.py", "@profile\ndef idle():\n    return 1\n")
    words = (
        [option, "--exclude=./idle.py", "idle.py"] if option == "--lines" else [option, "idle.py"]
    )
    line = b"tracer: no timed line was reached\n"
    assert traced(*words, cwd=folder).stderr == line
    assert traced("-o", "idle.out", *words, cwd=folder).stderr == line
    assert traced("show", "--lines", "idle.out", cwd=folder).stderr == line


def test_what_has_no_lines(folder):
    write(folder / "builtin.py", "profile(len)\nprint(1)\n")
    found = traced("-l", "builtin.py", cwd=folder)
    assert (
        b"RuntimeWarning: @profile cannot time the lines of <built-in function len>" in found.stderr
    )
    assert found.stdout.startswith(b"1\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["-l", "--lines"], "--lines times decorated functions, too; leave -l out"),
        (
            ["-l", "--limit", "3"],
            "--limit is of no use with -l, which times lines only; use --lines",
        ),
        (
            ["--lines", "--no-threads"],
            "--no-threads is of no use with --lines, which times the lines of every "
            "thread; leave --no-threads out",
        ),
        (["--unit", "1"], "--unit is of no use without lines; give -l or --lines, too"),
        (["-l", "--unit", "0"], "--unit '0': give the seconds of a unit, such as 1e-6 or 1"),
        (["-l", "--min", "x"], "--min 'x': give a percentage, from 0 to 100"),
        (
            ["-l", "-o", "x.out", "-z"],
            "-z is of no use with -o, which prints nothing; give it to 'show'",
        ),
        (["-l", "--lines-of", "."], "--lines-of times decorated functions, too; leave -l out"),
        (
            ["--lines-of", ".", "--no-threads"],
            "--no-threads is of no use with --lines-of, which times the lines of every "
            "thread; leave --no-threads out",
        ),
        (
            ["--lines-of", "nowhere"],
            "--lines-of 'nowhere': there is no such module; a file or folder is named with a slash"
            ": ./nowhere",
        ),
        (
            ["--lines", "--include", "nowhere"],
            "--include 'nowhere': there is no such module; a file or folder is named with a slash: "
            "./nowhere",
        ),
        (
            ["-o", "x.lprof"],
            "'x.lprof': an .lprof file holds lines only; give -l, too, or another name",
        ),
        (
            ["--lines", "-o", "x.lprof"],
            "'x.lprof': an .lprof file holds lines only, and --lines records functions, "
            "too; give another name, or -l",
        ),
    ],
)
def test_refused(folder, words, complaint):
    found = traced(*words, "decorated.py", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == f"tracer: {complaint}\n"


@pytest.mark.skipif(not SEES_CALLS, reason="tool ids are of Python 3.12")
def test_no_tool_id_is_free(folder):
    take = "import sys\nfor i in range(2, 6):\n    sys.monitoring.use_tool_id(i, 'other')\n"
    run = "import runpy\nsys.argv[1:] = ['-l', 'decorated.py']\nrunpy.run_module('tracer')\n"
    write(folder / "taken.py", take + run)
    found = plain("taken.py", cwd=folder)
    assert found.returncode != 0
    assert b"no tool id of sys.monitoring is free" in found.stderr
