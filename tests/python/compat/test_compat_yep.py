"""The names of yep, and its command."""

import struct
import subprocess
import sys

import pytest

from launch import write
from sampled import NEEDS_SAMPLES, compress
from tracer.compat import yep

PROGRAM = """
import sys, time, zlib
data = bytes(range(256)) * 1000
def pack():
    end = time.thread_time() + 0.3
    while time.thread_time() < end:
        zlib.compress(data)
pack()
print("packed", *sys.argv[1:])
"""


def run(folder, *words):
    words = [sys.executable, "-m", "tracer.compat.yep", *words]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120)


def stacks(data):
    """The samples and depths of a profile of gperftools, and the files in its map."""
    head = struct.unpack_from("=5Q", data)
    assert head[:3] == (0, 3, 0)
    assert head[4] == 0
    place, found = 40, []
    while True:
        samples, depth, first = struct.unpack_from("=3Q", data, place)
        place += 16 + 8 * depth
        if samples == 0:
            assert (depth, first) == (1, 0)
            break
        found.append((samples, depth))
    return head[3], found, data[place:].decode().splitlines()


@NEEDS_SAMPLES
def test_the_command_writes_a_profile_of_gperftools(tmp_path):
    write(tmp_path / "work.py", PROGRAM)
    done = run(tmp_path, "work.py", "a", "-o")
    assert (done.returncode, done.stdout, done.stderr) == (0, "packed a -o\n", "")
    period, found, files = stacks((tmp_path / "work.py.prof").read_bytes())
    assert period == 4000
    assert sum(samples for samples, _ in found) >= 15
    assert max(depth for _, depth in found) >= 2
    assert any(("r-xp" in line and "libz" in line) or "zlib" in line for line in files)


@NEEDS_SAMPLES
def test_its_options(tmp_path):
    write(tmp_path / "work.py", PROGRAM)
    done = run(tmp_path, "-v", "-o", "my.prof", "-c", "my.callgrind", "work.py")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("packed\n")
    assert "native function (library) <- functions it ran for" in done.stdout
    stacks((tmp_path / "my.prof").read_bytes())
    text = (tmp_path / "my.callgrind").read_text()
    assert "ob=" in text
    assert "pack" in text


@NEEDS_SAMPLES
def test_start_and_stop(tmp_path):
    yep.start(str(tmp_path / "own.prof"))
    try:
        with pytest.raises(RuntimeError, match="yep has started already: call stop"):
            yep.start()
        compress(0.2)
    finally:
        yep.stop()
    _, found, _ = stacks((tmp_path / "own.prof").read_bytes())
    assert sum(samples for samples, _ in found) >= 10
    yep.stop()  # once more: nothing


@NEEDS_SAMPLES
def test_what_the_program_raises_is_its_own(tmp_path):
    write(tmp_path / "work.py", PROGRAM + "sys.exit(3)")
    assert run(tmp_path, "work.py").returncode == 3
    _, found, _ = stacks((tmp_path / "work.py.prof").read_bytes())
    assert sum(samples for samples, _ in found) >= 15
    write(tmp_path / "wrong.py", "1 / 0")
    done = run(tmp_path, "wrong.py")
    assert done.returncode == 1
    assert done.stderr.splitlines()[0] == "Traceback (most recent call last):"
    assert "compat" not in done.stderr


@NEEDS_SAMPLES
def test_a_file_that_cannot_be_written(tmp_path):
    write(tmp_path / "work.py", "print(1)")
    done = run(tmp_path, "-o", "gone/my.prof", "work.py")
    assert done.returncode == 1
    assert "could not write 'gone/my.prof': No such file or directory" in done.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to run: name a SCRIPT"),
        (["gone.py"], "gone.py"),
        (["--nonsense", "x.py"], "--nonsense"),
    ],
)
def test_bad_input(tmp_path, words, message):
    done = run(tmp_path, *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_help_and_version(tmp_path):
    assert "usage: python -m tracer.compat.yep" in run(tmp_path, "--help").stdout
    assert run(tmp_path, "--version").stdout == "0.4\n"
