"""Where the profile and the table of a run go, and what is said when they cannot go there."""

import gzip
import io
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import launch
import tracer
from launch import environment, start, traced, write
from outfiles import SAVED, assert_profile, assert_refused, files
from tracer.launch.output import say, write_text


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", "import sys\nprint('ran', *sys.argv[1:])\n")
    return tmp_path


def test_without_o_the_table_follows_what_the_program_printed(folder):
    found = traced("--table", "program.py", "a", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    lines = found.stdout.decode().splitlines()
    assert lines[0] == "ran a"
    assert lines[1] == "   command  program.py a"
    assert re.fullmatch(r" {6}time  \d+\.\d{3} s real, \d\.\d{3} s user, \d\.\d{3} s sys", lines[2])
    assert re.fullmatch(r" {4}memory  \d{1,2}\.\d MiB at most", lines[3])
    assert lines[4] == "     calls  2 in 1 thread"
    assert lines[5] == ""
    assert re.fullmatch(r" {9}2 function calls in \d+\.\d{3} seconds", lines[6])
    assert files(folder) == ["program.py"]


def test_with_o_the_profile_is_the_only_output(folder):
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"ran\n", b"", 0)
    assert files(folder) == ["profile.out", "program.py"]
    assert_profile(folder / "profile.out")


def on_terminal(*words, **options):
    """What a terminal shows that is the command's standard error."""
    shown, _ = launch.on_terminal("stderr", *words, **options)
    return shown


def test_on_a_terminal_the_last_line_says_how_to_look_at_the_profile(folder):
    words = ["-m", "tracer", "-o", "the profile.out", "program.py"]
    assert on_terminal(*words, cwd=folder) == (
        b"tracer: wrote 'the profile.out'; to see it: python -m tracer view 'the profile.out' "
        b"(in the browser), or show\n"
    )
    write(folder / "program.py", "1 / 0\n")
    assert on_terminal(*words, cwd=folder).splitlines()[-2:] == [
        b"ZeroDivisionError: division by zero",
        b"tracer: wrote 'the profile.out'; to see it: python -m tracer view 'the profile.out' "
        b"(in the browser), or show",
    ]
    assert b"tracer" not in on_terminal("-m", "tracer", "program.py", cwd=folder)


def test_relative_file_is_where_the_user_stood(folder):
    (folder / "elsewhere").mkdir()
    write(folder / "program.py", "import os\nos.chdir('elsewhere')\n")
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    assert files(folder) == ["elsewhere", "profile.out", "program.py"]
    assert files(folder / "elsewhere") == []


def test_existing_profile_is_replaced_at_the_end_only(folder):
    write(folder / "profile.out", "the old one")
    write(folder / "program.py", "print(open('profile.out').read())\n")
    assert traced("-o", "profile.out", "program.py", cwd=folder).stdout == b"the old one\n"
    assert_profile(folder / "profile.out")


def test_link_is_followed(folder):
    (folder / "sub").mkdir()
    (folder / "profile.out").symlink_to("sub/real.out")
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    assert (folder / "profile.out").is_symlink()
    assert_profile(folder / "sub/real.out")


def test_device_is_written_to_and_not_replaced(folder):
    found = traced("-o", "/dev/null", "program.py", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"ran\n", b"", 0)
    assert Path("/dev/null").is_char_device()


def test_named_pipe_is_written_to_and_not_replaced(folder):
    os.mkfifo(folder / "pipe")
    pipe = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert traced("-o", "pipe", "program.py", cwd=folder).returncode == 0
    assert (folder / "pipe").is_fifo()
    (folder / "profile.out").write_bytes(os.read(pipe, 65536))
    os.close(pipe)
    assert_profile(folder / "profile.out")


def test_name_that_is_not_utf8(folder):
    name = b"caf\xe9.out"
    try:
        (folder / os.fsdecode(name)).write_bytes(b"")
    except OSError as error:
        pytest.skip(f"this file system takes UTF-8 names only: {error}")
    assert traced("-o", name, "program.py", cwd=folder).returncode == 0
    assert_profile(folder / os.fsdecode(name))
    words = ["-m", "tracer", "-o", name, "program.py"]
    assert b"tracer: wrote 'caf\\udce9.out'; to see it: " in on_terminal(*words, cwd=folder)


def test_longest_name(folder):
    name = "x" * os.pathconf(folder, "PC_NAME_MAX")
    found = traced("-o", name, "program.py", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"ran\n", b"", 0)
    assert files(folder) == ["program.py", name]
    assert_profile(folder / name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing/profile.out", "No such file or directory"),
        (".", "it is a directory"),
        ("missing/", "it names a directory"),
        ("", "the name is empty"),
        ("program.py/profile.out", "Not a directory"),
        ("x" * 300, "File name too long"),
    ],
)
def test_file_that_cannot_be_written_stops_the_run(folder, name, reason):
    found = traced("-o", name, "program.py", cwd=folder)
    remedy = "give a path that can be written after -o"
    assert_refused(found, f"cannot write {name!r}: {reason}; {remedy}")
    assert files(folder) == ["program.py"]


@pytest.mark.skipif(os.geteuid() == 0, reason="to root every file is writable")
def test_read_only_file_stops_the_run(folder):
    write(folder / "profile.out", "old").chmod(0o444)
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    remedy = "give a path that can be written after -o"
    assert_refused(found, f"cannot write 'profile.out': permission denied; {remedy}")
    assert (folder / "profile.out").read_text() == "old"


def test_folder_that_goes_away_costs_nothing(folder):
    (folder / "sub").mkdir()
    (folder / "temporary").mkdir()
    write(folder / "program.py", "import os\nos.rmdir('sub')\n")
    variables = environment(TMPDIR=str(folder / "temporary"))
    found = traced("-o", "sub/profile.out", "program.py", cwd=folder, env=variables)
    saved = Path(os.fsdecode(SAVED.search(found.stderr)[1]))
    assert found.stderr == (
        b"tracer: could not write 'sub/profile.out': No such file or directory; "
        b"the profile is saved as %s\n" % bytes(saved)
    )
    assert found.returncode == 0
    assert saved.parent == folder / "temporary"
    assert_profile(saved)


def test_full_disk_costs_nothing(folder, full_disk):
    write(full_disk / "filler", "x")
    found = traced("-o", full_disk / "profile.out", "program.py", cwd=folder)
    saved = Path(os.fsdecode(SAVED.search(found.stderr)[1]))
    assert found.stderr == (
        b"tracer: could not write '%s': No space left on device; the profile is saved as %s\n"
        % (bytes(full_disk / "profile.out"), bytes(saved))
    )
    assert files(full_disk) == ["filler"]
    assert_profile(saved)
    saved.unlink()


def test_no_room_anywhere(folder):
    (folder / "sub").mkdir()
    # No file may grow, whichever folder it is in.
    program = "import os, resource\nos.rmdir('sub')\n"
    program += "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
    write(folder / "program.py", program)
    found = traced("-o", "sub/profile.out", "program.py", cwd=folder)
    assert re.fullmatch(
        rb"tracer: could not write 'sub/profile.out': No such file or directory; nor to the "
        rb"temporary folder \(File too large\): the profile is lost\n",
        found.stderr,
    )


def test_program_that_closes_standard_output(folder):
    write(folder / "program.py", "import sys\nprint('ran')\nsys.stdout.close()\n")
    found = traced("program.py", cwd=folder)
    assert found.stdout == b"ran\n"
    saved = Path(os.fsdecode(SAVED.search(found.stderr)[1]))
    assert found.stderr == (
        b"tracer: standard output is closed; the profile is saved as %s\n" % bytes(saved)
    )
    assert_profile(saved)
    saved.unlink()


@pytest.mark.parametrize(
    "replace",
    [
        "sys.stdout = io.StringIO()",
        "sys.stdout = None",
        "sys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'utf-8')",
        "sys.stdout = io.TextIOWrapper(sys.stdout.detach(), 'utf-8')",
        "print = None",
    ],
)
def test_program_that_replaces_standard_output(folder, replace):
    write(folder / "program.py", f"import io, sys\nprint('first')\n{replace}\n")
    found = traced("program.py", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    assert found.stdout.startswith(b"first\n   command  program.py\n")


def test_text_in_a_replaced_standard_output_comes_before_the_table(folder):
    program = "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer)\nprint('mine')\n"
    write(folder / "program.py", program)
    assert traced("program.py", cwd=folder).stdout.startswith(b"mine\n   command  ")


def with_stdout(stdout, *words, **options):
    with start(*words, stdout=stdout, **options) as process:
        _, stderr = process.communicate(timeout=300)
    return process.returncode, stderr


def closed_pipe():
    reading, writing = os.pipe()
    os.close(reading)
    return writing


def test_reader_that_has_gone(folder):
    write(folder / "program.py", "x = 1\n")
    pipe = closed_pipe()
    assert with_stdout(pipe, "-m", "tracer", "program.py", cwd=folder) == (0, b"")
    # What the program itself cannot write is reported as the interpreter reports it.
    write(folder / "program.py", "print('unread')\n")
    expected = with_stdout(pipe, "program.py", cwd=folder)
    assert expected[0] == 120
    assert with_stdout(pipe, "-m", "tracer", "program.py", cwd=folder) == expected
    os.close(pipe)


@pytest.mark.parametrize(
    ("words", "status"), [(["show", "nothere"], 2), (["--exclude", "program", "program.py"], 0)]
)
@pytest.mark.parametrize("place", ["a closed pipe", "/dev/full"])
def test_a_line_that_nobody_hears_changes_no_status(folder, words, status, place):
    write(folder / "program.py", "x = 1\n")
    if place == "/dev/full" and not Path(place).exists():
        pytest.skip("/dev/full is there on Linux only")
    stderr = os.open(place, os.O_WRONLY) if place == "/dev/full" else closed_pipe()
    with start("-m", "tracer", *words, cwd=folder, stderr=stderr) as process:
        process.communicate(timeout=300)
    os.close(stderr)
    assert process.returncode == status


def test_a_stream_above_no_descriptor_has_the_line(tmp_path):
    stream = io.TextIOWrapper(io.BytesIO())
    say("in memory", stream)
    assert stream.buffer.getvalue() == b"tracer: in memory\n"
    with gzip.open(tmp_path / "err.gz", "wt") as stream:
        say("compressed", stream)
    assert gzip.decompress((tmp_path / "err.gz").read_bytes()) == b"tracer: compressed\n"


def test_full_standard_output(folder):
    write(folder / "program.py", "x = 1\n")
    if not Path("/dev/full").exists():
        pytest.skip("/dev/full is there on Linux only")
    with open("/dev/full", "wb") as full:
        status, stderr = with_stdout(full, "-m", "tracer", "program.py", cwd=folder)
    saved = Path(os.fsdecode(SAVED.search(stderr)[1]))
    assert stderr == (
        b"tracer: could not write to standard output: No space left on device; "
        b"the profile is saved as %s\n" % bytes(saved)
    )
    assert status == 0
    assert_profile(saved)
    saved.unlink()


def test_streams_that_were_closed_from_the_start(folder):
    write(folder / "program.py", "x = 1\n")
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        line = f'exec "$0" -m tracer -o profile.out program.py {closed}'
        done = subprocess.run(
            ["sh", "-c", line, sys.executable], cwd=folder, env=environment(), capture_output=True
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        assert_profile(folder / "profile.out")
        (folder / "profile.out").unlink()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_names_in_the_table_are_printed_as_they_are(folder, encoding):
    try:
        (folder / os.fsdecode(b"caf\xe9.py")).write_text(
            "def \u00fcber(): pass\n\u00fcber()\n", "utf-8"
        )
    except OSError as error:
        pytest.skip(f"this file system takes UTF-8 names only: {error}")
    variables = environment(PYTHONIOENCODING=encoding)
    found = traced("--strip-dirs", b"caf\xe9.py", cwd=folder, env=variables)
    assert (found.returncode, found.stderr) == (0, b"")
    name, function = {
        "utf-8": (b"caf\xe9.py", "\u00fcber".encode()),
        "ascii": (b"caf\\udce9.py", b"\\xfcber"),
        "latin-1": (b"caf\xe9.py", b"\xfcber"),
    }[encoding]
    assert b" %s:1(%s)\n" % (name, function) in found.stdout
    assert b"   command  '%s'\n" % name in found.stdout


def test_command_line_in_the_header_is_one_line(folder):
    found = traced("--table", "program.py", "two\nlines", "x" * 1000, cwd=folder).stdout.decode()
    line = next(line for line in found.splitlines() if line.startswith("   command  "))
    assert line.startswith("   command  program.py 'two\\nlines' xxx")
    assert line.endswith("xxx...")
    assert len(line) == len("   command  ") + 200


def test_memory_is_that_of_the_program(folder):
    write(folder / "program.py", "x = bytearray(300 * 2**20)\nx[::4096] = x[::4096]\n")
    found = traced("--table", "program.py", cwd=folder).stdout.decode()
    assert 300 < float(re.search(r"memory  (.*) MiB at most", found)[1]) < 400
    # The memory is not that of the process that started the command: of this one, just now.
    ballast = bytearray(300 * 2**20)
    write(folder / "program.py", "x = 1\n")
    found = traced("--table", "program.py", cwd=folder).stdout.decode()
    if sys.platform == "linux":
        assert float(re.search(r"memory  (.*) MiB at most", found)[1]) < 100
    assert len(ballast) == 300 * 2**20


def test_times_are_those_of_the_run(folder):
    write(folder / "program.py", "import time\ntime.sleep(0.3)\n")
    began = time.monotonic()
    found = traced("program.py", cwd=folder).stdout.decode()
    taken = time.monotonic() - began
    real, user, system = re.search(r"time  (\S+) s real, (\S+) s user, (\S+) s sys", found).groups()
    assert 0.3 <= float(real) < taken
    assert float(user) + float(system) < 0.3


def test_child_processes_are_told_apart(folder):
    """The child works until its own clock has the time that the header must tell at least."""
    child = "import time\nwhile time.process_time() < 0.05: pass"
    write(
        folder / "program.py",
        f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {child!r}])\n",
    )
    assert "child processes" not in traced("-c", "pass", cwd=folder).stdout.decode()
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert found.returncode == 0
    [capture] = tracer.Stats(folder / "profile.out").captures
    assert capture.run.children >= 0.05
    told = f"  children  {capture.run.children:.3f} s of the processor in child processes\n"
    assert told in traced("show", "--table", "profile.out", cwd=folder).stdout.decode()


def test_a_reader_that_has_gone_leaves_no_descriptor_open():
    """What is still to be written goes nowhere, by the stream's own descriptor."""
    reading, writing = os.pipe()
    os.close(reading)
    with open(writing, "w") as stream:
        lowest = os.dup(0)
        os.close(lowest)
        write_text("text\n", stream)
        free = os.dup(0)
        os.close(free)
    assert free == lowest
