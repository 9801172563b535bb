"""`tracer show`: what it prints of saved profiles, and what it says of bad ones."""

import cProfile
import io
import marshal
import os
import pstats
import subprocess
import sys

import pytest

import tracer
from launch import environment, good, ncalls_in, refused, start, traced, write
from outfiles import second

pytestmark = pytest.mark.results

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
    second(folder / "one.out")
    return folder


def test_table_is_what_pstats_prints(folder):
    """Of CPU time, which has no waits: no column for them is added where the machine is busy."""
    file = str(folder / "cpu.out")
    assert traced("--timer=cpu", "-o", file, "program.py", "cpu", cwd=folder).returncode == 0
    stream = io.StringIO()
    pstats.Stats(file, stream=stream).sort_stats("cumulative").print_stats()
    text = stream.getvalue()
    assert good("show", "--table", file).endswith(f"\n\n{text}")
    (_, _, bare) = text.partition("cpu.out\n\n")  # the header has the file and its date
    assert good("show", "--table", "--no-header", file) == bare


@pytest.mark.parametrize("words", [["one.out", "--strip-dirs"], ["--strip-dirs", "one.out"]])
def test_rows_of_one_profile(folder, words):
    assert ncalls_in(good("show", *words, cwd=folder)) == {
        "program.py:1(<module>)": "1",
        "program.py:2(leaf)": "6",
        "program.py:5(middle)": "3",
        "program.py:9(top)": "1",
        "program.py:13(again)": "1",
    }


def test_header_of_one_profile(folder):
    lines = good("show", "--table", "one.out", cwd=folder).splitlines()
    assert lines[0] == "   command  program.py one.out"
    assert [line.split()[0] for line in lines[1:3]] == ["time", "memory"]
    assert lines[3:5] == ["     calls  12 in 1 thread", ""]


DIFFERENTLY = "tracer: the runs were recorded differently: "


@pytest.fixture(scope="module")
def others(folder):
    """The folder, with profiles of the same program that were recorded in other ways."""
    for name, words in (("cpu.out", ["--timer", "cpu"]), ("less.out", ["--compensate"])):
        assert traced("-o", name, *words, "program.py", cwd=folder).returncode == 0
    second(folder / "cpu.out")
    return folder


def test_the_header_tells_of_another_clock_than_that_on_the_wall(others):
    line = "     timer  CPU time of each thread"
    shown = good("show", "cpu.out", "--table", cwd=others).splitlines()
    assert shown[shown.index(line) + 1] == "     calls  12 in 1 thread"
    direct = traced("--timer", "cpu", "program.py", cwd=others).stdout.decode().splitlines()
    assert line in direct
    assert "     timer  " not in good("show", "one.out", cwd=others)
    profile = tracer.Profile(iter(range(100)).__next__, 1.0)
    profile.runcall(len, "")
    profile.dump_stats(others / "own.out")
    assert "     timer  the program's own\n" in good("show", "own.out", cwd=others)
    both = traced("show", "cpu.out", "one.out", "cpu2.out", cwd=others)
    assert f"{line}  (2 of 3 runs)\n" in both.stdout.decode()


@pytest.mark.parametrize(
    ("files", "way"),
    [
        (["one.out", "cpu.out"], "with different timers"),
        (["cpu.out", "two.out", "one.out"], "with different timers"),
        (["cpu.out", "less.out"], "with different timers"),
        (["one.out", "less.out"], "some of them with --compensate"),
        (["one.out", "two.out"], None),
        (["cpu.out", "cpu2.out"], None),
        (["cpu.out"], None),
        (["cpu.out", "other.out"], None),  # of cProfile, which does not tell
    ],
)
def test_figures_that_were_recorded_differently_are_added_up(others, tmp_path, files, way):
    said = "" if way is None else f"{DIFFERENTLY}{way}\n"
    for verb in ("show", "html"):
        options = ["-o", tmp_path / "page.html"] if verb == "html" else []
        added = traced(verb, *options, *files, cwd=others)
        assert (added.stderr.decode(), added.returncode) == (said, 0)
    if len(files) > 1 and "other.out" not in files:
        merged = traced("merge", "-o", tmp_path / "all.out", *files, cwd=others)
        assert (merged.stderr.decode(), merged.returncode) == (said, 0)
        assert traced("show", tmp_path / "all.out").stderr.decode() == said


def test_with_raw_times_it_does_not_matter_that_some_are_compensated(others):
    assert "in 2 threads" in good("show", "--raw", "one.out", "less.out", cwd=others)


def test_profiles_are_added_up(folder):
    text = good("show", "--strip-dirs", "one.out", "two.out", "one2.out", cwd=folder)
    assert ncalls_in(text)["program.py:2(leaf)"] == "18"
    lines = text.splitlines()
    assert lines[0] == "   command  program.py one.out  (2 times)"
    assert lines[1] == "            program.py two.out"
    assert lines[4:7] == ["     calls  36 in 3 threads", "     files  3, added up", ""]
    one, two, all_three = (
        float(good("show", *files, cwd=folder).split("time  ")[1].split()[0])
        for files in (["one.out"], ["two.out"], ["one.out", "two.out", "one2.out"])
    )
    assert all_three == pytest.approx(2 * one + two, abs=0.002)


def test_profile_of_cprofile(folder):
    text = good("show", "--table", "other.out", cwd=folder)
    assert text.startswith("     calls  4\n\n")
    text = good("show", "--table", "one.out", "other.out", cwd=folder)
    assert "     calls  16\n     files  2, added up, 1 without command and times\n" in text


def test_tail_is_gone(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    found = traced("show", "cut.out", "--strip-dirs", cwd=tmp_path)
    assert found.returncode == 2
    assert ncalls_in(found.stdout.decode())["program.py:2(leaf)"] == "6"
    assert found.stderr == (
        b"tracer: cut.out: tracer's part of the file is truncated: functions and callers are all "
        b"there; threads, paths, resumes, lines, sources and the facts of the run are not; make "
        b"the profile again to have them\n"
    )


def test_of_a_damaged_file_the_damage_is_the_reason(folder, tmp_path):
    data = (folder / "one.out").read_bytes()
    (tmp_path / "cut.out").write_bytes(data[:-10])
    reason = "are recorded here: a damaged file has lost them."
    for option in ("threads", "resumes", "suspended"):
        what = {"suspended": "suspended times"}.get(option, option)
        found = traced("show", "cut.out", f"--{option}", cwd=tmp_path)
        assert f"No {what} {reason}" in found.stdout.decode()
        assert found.returncode == 2
    found = traced("show", "cut.out", "--lines", cwd=tmp_path)
    assert (found.stdout, found.returncode) == (b"     calls  12\n\n", 2)
    assert found.stderr.startswith(b"tracer: cut.out: tracer's part of the file is truncated: ")
    assert found.stderr.count(b"\n") == 1
    assert refused("show", "cut.out", "--thread", "MainThread", cwd=tmp_path) == (
        "--thread: no threads are recorded here: a damaged file has lost them; leave --thread out"
    )


def test_of_another_profiler_no_threads_are_known(folder):
    reason = "are recorded here: another profiler wrote"
    assert f"No threads {reason} this.\n" in good("show", "other.out", "--threads", cwd=folder)
    assert f"No resumes {reason} this.\n" in good("show", "other.out", "--resumes", cwd=folder)
    both = good("show", "one.out", "other.out", "--resumes", cwd=folder)
    assert f"No resumes {reason} some of this.\n" in both
    assert refused("show", "other.out", "--thread", "MainThread", cwd=folder) == (
        f"--thread: no threads {reason} this; leave --thread out"
    )


def test_lines_have_no_threads(folder, tmp_path):
    traced("-l", "-o", "lines.out", folder / "program.py", cwd=tmp_path)
    assert refused("show", "lines.out", "--thread", "MainThread", cwd=tmp_path) == (
        "--thread: no threads are recorded here: there are lines and no functions; leave --thread "
        "out"
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


@pytest.mark.parametrize(
    "name", ["its", "its figures are not those of a profile; make the profile again"]
)
def test_a_damaged_file_is_named_whatever_its_name(tmp_path, name):
    """Also where the message about the file begins with the file's name."""
    entry = {("f.py", 1, "f"): (1, 1, float("nan"), 1.0, {})}
    (tmp_path / name).write_bytes(marshal.dumps(entry))
    message = f"{name}: its figures are not those of a profile; make the profile again"
    assert refused("show", "--tree", name, cwd=tmp_path) == message
    (tmp_path / "copy").write_bytes((tmp_path / name).read_bytes())
    message = f"{name}, copy: its figures are not those of a profile; make the profile again"
    assert refused("show", "--tree", name, "copy", cwd=tmp_path) == message


def test_a_file_that_can_be_opened_and_not_read():
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("/proc/self/mem is there on Linux only")
    assert refused("show", "/proc/self/mem") == (
        "cannot read '/proc/self/mem': Input/output error; "
        "name a profile that python -m tracer -o FILE wrote"
    )


def test_closed_pipe_ends_quietly(folder):
    reading, writing = os.pipe()
    os.close(reading)
    with start("-m", "tracer", "show", "one.out", cwd=folder, stdout=writing) as process:
        os.close(writing)
        _, stderr = process.communicate(timeout=300)
    assert (process.returncode, stderr) == (0, b"")


def test_head_ends_quietly(folder):
    line = '"$0" -m tracer show one.out one2.out | head -n 1'
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
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 3
    assert stderr == b"tracer: could not write to standard output: No space left on device\n"


def test_file_called_show_is_run_with_a_path(tmp_path):
    write(tmp_path / "show", "print('ran')\n")
    assert traced("./show", cwd=tmp_path).stdout.startswith(b"ran\n")
    assert traced("run", "show", cwd=tmp_path).stdout.startswith(b"ran\n")
    found = traced("show", cwd=tmp_path)
    assert found.returncode == 2
    assert found.stderr.startswith(b"usage: python -m tracer show [OPTIONS] FILE...\n")
