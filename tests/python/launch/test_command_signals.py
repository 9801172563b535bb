"""Signals that end a program, or that it handles, under tracer as plainly; and those that come
while the profile is written."""

import os
import signal

import pytest

import tracer
from launch import start, traced, write
from tracer.launch.profiled_run import OVER, ProfiledRun

WAIT = "import time\nprint('ready', flush=True)\nwhile True: time.sleep(0.01)\n"


def send(signals, words, tmp_path, **options):
    """Start, wait for the program's first line, send the signals; the ended process's figures."""
    with start(*words, cwd=tmp_path, **options) as process:
        assert process.stdout.readline() == b"ready\n"
        for number in signals:
            process.send_signal(number)
        stdout, stderr = process.communicate(timeout=300)
    return process.returncode, stdout, stderr


PACKAGE = os.fsencode(os.path.dirname(tracer.__file__))
TRACED = ["-m", "tracer", "-o", "profile.out", "program.py"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_death_by_a_signal(tmp_path, number):
    write(tmp_path / "program.py", WAIT)
    returncode, stdout, stderr = send([number], TRACED, tmp_path)
    assert returncode == -number
    plain_end = send([number], ["program.py"], tmp_path)
    assert plain_end[0] == -number
    if number == signal.SIGINT:  # the traceback tells where the program was, which may differ
        assert stderr.splitlines()[0] == b"Traceback (most recent call last):"
        assert stderr.splitlines()[-1] == b"KeyboardInterrupt"
        assert stderr.count(b"  File ") == 1
        assert b"program.py" in stderr
    else:
        assert (stdout, stderr) == plain_end[1:] == (b"", b"")
    table = traced("show", "--limit=0", "profile.out", cwd=tmp_path).stdout
    assert b"program.py:1(<module>)" in table
    assert b"{built-in method builtins.print}" in table
    assert PACKAGE not in table


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_death_by_a_signal_prints_the_table(tmp_path, number):
    write(tmp_path / "program.py", WAIT)
    returncode, stdout, stderr = send([number], ["-m", "tracer", "program.py"], tmp_path)
    assert (returncode, stderr) == (-number, b"")
    assert stdout.startswith(b"   command  program.py\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_signal_that_is_ignored_from_outside_stays_ignored(tmp_path, number):
    program = f"import signal, os\nos.kill(os.getpid(), {number.value})\nprint('alive')"
    write(tmp_path / "program.py", program)
    old = signal.signal(number, signal.SIG_IGN)
    try:
        found = traced("-o", "profile.out", "program.py", cwd=tmp_path)
    finally:
        signal.signal(number, old)
    assert (found.returncode, found.stdout) == (0, b"alive\n")


def test_signal_that_the_program_handles_is_its_own(tmp_path):
    program = (
        "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *a: sys.exit(7))\n" + WAIT
    )
    write(tmp_path / "program.py", program)
    assert send([signal.SIGTERM], TRACED, tmp_path)[0] == 7
    assert (tmp_path / "profile.out").exists()


def test_signal_handler_that_the_program_puts_back(tmp_path):
    program = (
        "import os, signal\n"
        "old = signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "os.kill(os.getpid(), signal.SIGTERM)\n"
        "signal.signal(signal.SIGTERM, old)\n" + WAIT
    )
    write(tmp_path / "program.py", program)
    assert send([signal.SIGTERM], TRACED, tmp_path)[0] == -signal.SIGTERM
    assert (tmp_path / "profile.out").exists()


def test_signal_while_the_profile_is_being_written(tmp_path):
    # The program's last act is to be killed soon; wherever that finds tracer, all ends well.
    program = (
        "import os\nparent = os.getpid()\nif os.fork() == 0:\n    import time\n"
        "    time.sleep({})\n    if os.getppid() == parent:\n        os.kill(parent, 15)\n"
        "    os._exit(0)\n"
    )
    for delay in (0.0, 0.005, 0.01, 0.02, 0.04):
        write(tmp_path / "program.py", program.format(delay))
        found = traced("-o", "profile.out", "program.py", cwd=tmp_path)
        assert found.returncode in (0, -signal.SIGTERM)
        assert found.stderr == b""
        assert traced("show", "profile.out", cwd=tmp_path).returncode == 0
        assert sorted(path.name for path in tmp_path.glob("profile*")) == ["profile.out"]
        (tmp_path / "profile.out").unlink()


def test_a_signal_that_comes_while_the_profile_is_written_waits():
    run = ProfiledRun.__new__(ProfiledRun)
    run.state, run.ended = OVER, "by itself"
    assert run.at_signal("by SIGTERM") is False
    assert run.ended == "by itself"
