"""`tracer show`: what it prints of saved profiles, and what it says of bad ones."""

import cProfile
import io
import os
import pstats
import subprocess
import sys

import pytest

from launch import environment, start, traced, write

PROGRAM = """
def leaf():
    pass

def middle(n):
    for _ in range(n):
        leaf()

def top():
    middle(2)
    middle(3)

def again():
    middle(1)

top()
again()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("profiles")
    write(folder / "program.py", PROGRAM)
    for name in ("one.out", "two.out"):
        assert traced("-o", name, "program.py", name, cwd=folder).returncode == 0
    profile = cProfile.Profile()
    profile.runctx("len('')", {}, {})
    profile.dump_stats(folder / "other.out")
    return folder


def rows(text):
    """{function: ncalls} of a table."""
    table = text.split("filename:lineno(function)\n")[1]
    lines = [line.split(maxsplit=5) for line in table.splitlines() if line]
    return {line[5]: line[0] for line in lines}


def show(*words, **options):
    found = traced("show", *words, **options)
    assert (found.stderr, found.returncode) == (b"", 0)
    return found.stdout.decode()


def test_table_is_what_pstats_prints(folder):
    stream = io.StringIO()
    pstats.Stats(str(folder / "one.out"), stream=stream).sort_stats("cumulative").print_stats()
    assert show("--no-header", folder / "one.out") == stream.getvalue()


@pytest.mark.parametrize("words", [["one.out", "--strip-dirs"], ["--strip-dirs", "one.out"]])
def test_rows_of_one_profile(folder, words):
    assert rows(show(*words, cwd=folder)) == {
        "program.py:1(<module>)": "1",
        "program.py:2(leaf)": "6",
        "program.py:5(middle)": "3",
        "program.py:9(top)": "1",
        "program.py:13(again)": "1",
    }


def test_header_of_one_profile(folder):
    lines = show("one.out", cwd=folder).splitlines()
    assert lines[0] == "   command  program.py one.out"
    assert [line.split()[0] for line in lines[1:3]] == ["time", "memory"]
    assert lines[3:5] == ["     calls  12 in 1 thread", ""]


def test_profiles_are_added_up(folder):
    text = show("--strip-dirs", "one.out", "two.out", "one.out", cwd=folder)
    assert rows(text)["program.py:2(leaf)"] == "18"
    lines = text.splitlines()
    assert lines[0] == "   command  program.py one.out  (2 times)"
    assert lines[1] == "            program.py two.out"
    assert lines[4:7] == ["     calls  36 in 3 threads", "     files  3, added up", ""]
    one, two, all_three = (
        float(show(*files, cwd=folder).split("time  ")[1].split()[0])
        for files in (["one.out"], ["two.out"], ["one.out", "two.out", "one.out"])
    )
    assert all_three == pytest.approx(2 * one + two, abs=0.002)


def test_profile_of_cprofile(folder):
    text = show("other.out", cwd=folder)
    assert text.startswith("     calls  4\n\n")
    text = show("one.out", "other.out", cwd=folder)
    assert "     calls  16\n     files  2, added up, 1 without command and times\n" in text


def test_tail_is_gone(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    found = traced("show", "cut.out", "--strip-dirs", cwd=tmp_path)
    assert found.returncode == 2
    assert rows(found.stdout.decode())["program.py:2(leaf)"] == "6"
    assert found.stderr == (
        b"tracer: cut.out: tracer's part of the file is truncated: functions and callers are all "
        b"there, threads and resumes are not; make the profile again to have them\n"
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "cannot read 'bad.out': No such file or directory; "),
        (b"", "bad.out: "),
        (b"print('a program')\n", "bad.out: "),
        (b"\x7fELF" + bytes(100), "bad.out: "),
        ("cut", "bad.out: "),
    ],
    ids=["missing", "empty", "text", "binary", "truncated"],
)
def test_bad_file_is_one_clear_line(folder, tmp_path, content, reason):
    if content == "cut":
        content = (folder / "one.out").read_bytes()[:100]
    if content is not None:
        (tmp_path / "bad.out").write_bytes(content)
    for words in (["bad.out"], [folder / "one.out", "bad.out"], ["bad.out", folder / "one.out"]):
        found = traced("show", *words, cwd=tmp_path)
        assert (found.returncode, found.stdout) == (2, b"")
        lines = found.stderr.decode().splitlines()
        assert len(lines) == 1
        assert lines[0].startswith(f"tracer: {reason}")
        assert "; " in lines[0]  # the remedy


def test_folder_is_one_clear_line(tmp_path):
    found = traced("show", ".", cwd=tmp_path)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == (
        "tracer: cannot read '.': Is a directory; "
        "name a profile that python -m tracer -o FILE wrote\n"
    )


def test_closed_pipe_ends_quietly(folder):
    reading, writing = os.pipe()
    os.close(reading)
    with start("-m", "tracer", "show", "one.out", cwd=folder, stdout=writing) as process:
        os.close(writing)
        _, stderr = process.communicate(timeout=30)
    assert (process.returncode, stderr) == (0, b"")


def test_head_ends_quietly(folder):
    line = '"$0" -m tracer show one.out one.out | head -n 1'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable], cwd=folder, env=environment(), capture_output=True
    )
    assert done.stdout == b"   command  program.py one.out  (2 times)\n"
    assert done.stderr == b""


def test_full_standard_output(folder):
    if not os.path.exists("/dev/full"):
        pytest.skip("/dev/full is there on Linux only")
    with (
        open("/dev/full", "wb") as full,
        start("-m", "tracer", "show", "one.out", cwd=folder, stdout=full) as process,
    ):
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 1
    assert stderr == b"tracer: could not write to standard output: No space left on device\n"


def test_file_called_show_is_run_with_a_path(tmp_path):
    write(tmp_path / "show", "print('ran')\n")
    assert traced("./show", cwd=tmp_path).stdout.startswith(b"ran\n")
    assert traced("run", "show", cwd=tmp_path).stdout.startswith(b"ran\n")
    found = traced("show", cwd=tmp_path)
    assert found.returncode == 2
    assert found.stderr.startswith(b"usage: python -m tracer show [OPTIONS] FILE...\n")
