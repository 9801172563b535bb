"""A program may leave the process in any state: its profile is kept all the same.

Modules of its own that are named as the standard library's, half an import, no file descriptors,
streams that are hardly streams. How a program ends is test_command_endings.py's subject.
"""

import os
import re
import signal
import subprocess
import sys
import threading
from importlib import _bootstrap
from pathlib import Path

import pytest

from launch import environment, masked, plain, traced, write
from rows import Clock
from tracer.launch import interpreter_state

SAVED = re.compile(rb"tracer: (.*); the profile is saved as (\S+)\n")
LEAF = "import sys\ndef leaf(): pass\nleaf()\n"
ROW = rb"program.py:2\(leaf\)|     calls  function.*\n"  # of a table, of the first screen
NAMED_LIKE = """
    collections contextlib copyreg dataclasses dis enum functools inspect keyword opcode operator
    pstats random re reprlib resource shlex shutil signal string tempfile token tokenize types
    typing warnings weakref
""".split()  # noqa: SIM905


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "temporary").mkdir()
    return tmp_path


def run(folder, program, *options, **more):
    write(folder / "program.py", LEAF + program)
    variables = environment(TMPDIR=str(folder / "temporary"))
    return traced(*options, "program.py", cwd=folder, env=variables, **more)


def assert_profile(folder, path):
    found = traced("show", "--strip-dirs", "--limit=0", path, cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    assert re.search(ROW, found.stdout)


def assert_written(folder, found):
    assert found.stderr == b""
    assert_profile(folder, "profile.out")


def assert_shown_or_saved(folder, found, reason):
    """Whether there is a table; else one line says why, and where the profile is."""
    if re.search(ROW, found.stdout):
        assert found.stderr == b""
        return True
    said, path = SAVED.fullmatch(found.stderr).groups()
    assert re.search(reason, said)
    assert Path(os.fsdecode(path)).parent == folder / "temporary"
    assert_profile(folder, os.fsdecode(path))
    return False


# Python is not started in the program's folder: there it would not even start.


def test_modules_of_the_programs_own(folder):
    """They are imported, but for those that `python -m` itself has from the standard library."""
    write(folder / "modules.py", "import sys\nprint(*sys.modules)\n")
    loaded = plain("-m", "modules", cwd=folder).stdout.decode().split()
    expected = [name for name in NAMED_LIKE if name not in loaded]
    assert {"signal", "resource", "re", "dataclasses", "tempfile"} <= set(expected)
    for name in NAMED_LIKE:
        write(folder / "here" / f"{name}.py", f"print({name!r})\n")
    write(folder / "here/program.py", f"{LEAF}for name in {NAMED_LIKE}: __import__(name)\n")
    found = traced("-o", "profile.out", "here/program.py", cwd=folder)
    assert found.stdout.decode().split() == expected
    assert_written(folder, found)


@pytest.mark.parametrize("name", ["re", "token", "dataclasses", "pstats", "shlex", "functools"])
def test_the_table_beside_modules_of_the_programs_own(folder, name):
    write(folder / "here" / f"{name}.py", "mine = 1\n")
    write(folder / "here/program.py", f"{LEAF}import {name}\n")
    variables = environment(TMPDIR=str(folder / "temporary"))
    found = traced("here/program.py", cwd=folder, env=variables)
    assert found.returncode == 0
    assert_shown_or_saved(folder, found, rb"could not make the table: \w+Error\(")


# Kills the process, or does what else ACTION is, while `inspect` is half imported.
HALF = """
import os, signal, threading
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "dis":
            ACTION
sys.meta_path.insert(0, Finder())
import inspect
"""
KILLS = {
    "SIGTERM": ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "SIGHUP": ("os.kill(os.getpid(), signal.SIGHUP)", -signal.SIGHUP),
    "exit": ("os._exit(7)", 7),
    "exit in a thread": (
        "thread = threading.Thread(target=os._exit, args=[7]); thread.start(); thread.join()",
        7,
    ),
}


@pytest.mark.parametrize("name", KILLS)
@pytest.mark.parametrize("options", [[], ["-o", "profile.out"]], ids=["table", "file"])
def test_an_end_in_the_middle_of_an_import(folder, options, name):
    action, status = KILLS[name]
    found = run(folder, HALF.replace("ACTION", action), *options)
    assert found.returncode == status
    if options:
        assert_written(folder, found)
    else:
        assert_shown_or_saved(folder, found, rb"could not make the table: \w+Error\(")


LEFT = {
    "no modules": "sys.modules.clear()",
    "no path": "del sys.path, sys.meta_path, sys.path_hooks",
    "no import": "import builtins; builtins.__import__ = None",
    "no open": "import builtins; builtins.open = builtins.print = None",
    "a poisoned module": "sys.modules['pstats'] = None",
    "a module that exits": "class M:\n  def __getattr__(self, name): sys.exit(5)\n"
    "sys.modules['pstats'] = M()",
}


@pytest.mark.parametrize("name", LEFT)
def test_what_a_program_leaves_behind(folder, name):
    found = run(folder, LEFT[name], "-o", "profile.out")
    expected = plain("program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (expected.stderr, expected.returncode)
    assert_profile(folder, "profile.out")
    found = run(folder, LEFT[name])
    assert found.returncode == expected.returncode
    assert_shown_or_saved(folder, found, rb"could not make the table: ")


# -- Streams -----------------------------------------------------------------------------------

TEE = """
class Tee:
    def write(self, text):
        REAL.write(text)
        log.append(text)
    FLUSH
log = []
REAL, sys.stdout = sys.stdout, Tee()
print("mine")
"""


@pytest.mark.parametrize(
    "more", ["", "sys.__stdout__ = None\n", "sys.stderr = sys.stdout\n", "log = None\n"]
)
@pytest.mark.parametrize("flush", ["def flush(self): REAL.flush()", ""], ids=["flush", "no flush"])
def test_a_standard_output_that_can_only_write(folder, flush, more):
    found = run(folder, TEE.replace("FLUSH", flush) + more)
    expected = plain("program.py", cwd=folder)
    assert masked(found.stderr) == masked(expected.stderr)
    assert found.returncode == expected.returncode
    assert found.stdout.startswith(b"mine\n   command  program.py\n")
    assert re.search(ROW, found.stdout)


def test_a_standard_output_that_can_only_write_where_there_is_no_other(folder):
    program = TEE.replace("FLUSH", "").replace("REAL.write", "file.write")
    program += "file = open('seen', 'w', buffering=1)\nREAL.close()\nsys.__stdout__ = None\n"
    found = run(folder, program.replace('print("mine")\n', ""))
    assert found.stdout == b""
    assert (folder / "seen").read_text().startswith("   command  program.py\n")
    expected = plain("program.py", cwd=folder)
    assert masked(found.stderr) == masked(expected.stderr)
    assert found.returncode == expected.returncode


def test_streams_that_fail(folder):
    program = """
class Failing:
    def write(self, text):
        raise LookupError(text)
    def flush(self):
        pass
sys.stdout.close()
sys.stdout = Failing()
"""
    found = run(folder, program)
    assert found.returncode == 0
    assert not assert_shown_or_saved(folder, found, rb"the program's sys.stdout: LookupError\(")
    found = run(folder, f"{program}sys.stderr = Failing()\n", "-o", "profile.out")
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 0)
    assert_profile(folder, "profile.out")


# -- File descriptors --------------------------------------------------------------------------

FULL = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (MOST, MOST))
kept = []
while True:
    kept.append(open("/dev/null"))
"""


@pytest.mark.parametrize("limit", [40, 33])
def test_no_file_descriptors_left(folder, limit):
    program = FULL.replace("MOST", str(limit))
    found = run(folder, program, "-o", "profile.out")
    expected = plain("program.py", cwd=folder)
    assert expected.stderr.endswith(b"OSError: [Errno 24] Too many open files: '/dev/null'\n")
    assert (found.stderr, found.returncode) == (expected.stderr, 1)
    assert_profile(folder, "profile.out")
    found = run(folder, program)
    assert found.stderr == expected.stderr
    assert re.search(ROW, found.stdout)


def test_no_file_descriptors_left_from_the_start(folder):
    write(folder / "program.py", LEAF + "kept = []\nwhile True: kept.append(open('/dev/null'))\n")
    line = 'ulimit -n 20; exec "$0" -m tracer -o profile.out program.py'
    words = ["sh", "-c", line, sys.executable]
    ended = subprocess.run(words, cwd=folder, env=environment(), capture_output=True)
    assert ended.stderr.endswith(b"OSError: [Errno 24] Too many open files: '/dev/null'\n")
    assert ended.stderr.count(b"tracer") == 0
    assert_profile(folder, "profile.out")


@pytest.mark.parametrize("taken", ["os.closerange(3, 64)", "pass"])
def test_the_reserve_is_of_no_use(folder, taken):
    """The program closed it, or may open no file of so high a number."""
    most = "64" if taken != "pass" else "20"
    program = f"import os\n{taken}\n{FULL.replace('MOST', most)}"
    for words, what in (([], "make the table"), (["-o", "profile.out"], "write 'profile.out'")):
        found = run(folder, program, *words)
        assert found.stderr.splitlines()[-1].decode() == (
            f"tracer: could not {what}: Too many open files; nor to the temporary folder (Too many "
            "open files): the profile is lost"
        )
        assert found.returncode == 1


DESCRIPTORS = """
import os
seen = [os.open("/dev/null", os.O_RDONLY) for _ in range(20)]
print(seen)
os.closerange(3, 64)
theirs = [os.dup(0) for _ in range(40)]
if os.fork() == 0:
    print([number for number in range(3, 64) if number not in theirs and is_open(number)])
    sys.stdout.flush()
    os._exit(0)
os.wait()
import atexit
atexit.register(lambda: [os.fstat(number) for number in theirs])
"""
IS_OPEN = """
def is_open(number):
    try:
        os.fstat(number)
    except OSError:
        return False
    return True
"""


def test_the_programs_descriptors_are_its_own(folder):
    """They have the numbers that they have without tracer, and none of them is closed."""
    found = run(folder, IS_OPEN + DESCRIPTORS, "-o", "profile.out")
    expected = plain("program.py", cwd=folder)
    assert (found.stdout, found.returncode) == (expected.stdout, 0)
    assert_written(folder, found)


# -- Ctrl-C ------------------------------------------------------------------------------------


def test_interrupt_right_before_the_profile_is_written(folder):
    found = run(folder, "import atexit, _thread\natexit.register(_thread.interrupt_main)\n")
    assert plain("program.py", cwd=folder).returncode == 0
    assert (found.stderr, found.returncode) == (b"", 0)
    assert re.search(ROW, found.stdout)


def test_interrupt_while_the_profile_is_being_written(folder):
    # The program's last act is to be interrupted soon; wherever that finds tracer, all ends well.
    program = (
        "import atexit, os, signal, threading\nparent = os.getpid()\n"
        "from _signal import SIG_BLOCK, SIG_UNBLOCK, pthread_sigmask\n"
        "def unblock():\n    try:\n        pthread_sigmask(SIG_UNBLOCK, [2])\n"
        "    except KeyboardInterrupt:\n        pass\n"  # the signal came before
        "atexit.register(unblock)\npthread_sigmask(SIG_BLOCK, [2])\n"
        "if os.fork() == 0:\n"
        "    import time\n    time.sleep({})\n    if os.getppid() == parent:\n"
        "        os.kill(parent, signal.SIGINT)\n    os._exit(0)\n"
    )
    for delay in (0.0, 0.005, 0.01, 0.02, 0.04):
        found = run(folder, program.format(delay), "-o", "profile.out")
        assert found.returncode in (0, -signal.SIGINT)
        assert_written(folder, found)
        (folder / "profile.out").unlink()


def test_interrupted_program_ends_as_it_does_plainly(folder):
    found = run(folder, "raise KeyboardInterrupt\n", "-o", "profile.out")
    expected = plain("program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (expected.stderr, -signal.SIGINT)
    assert expected.returncode == found.returncode


@pytest.mark.parametrize("free", [True, False])
def test_another_threads_import_is_waited_for(free, monkeypatch):
    """tracer waits for a second, and then gives up."""

    def work():
        with _bootstrap._ModuleLockManager("json.tool"):
            begun.set()
            over.wait()

    def pause(seconds):
        clock.now += 0.25
        pauses.append(seconds)
        if free and len(pauses) == 3:
            over.set()
            thread.join()

    clock, pauses = Clock(), []
    monkeypatch.setattr(interpreter_state, "monotonic", clock)
    monkeypatch.setattr(interpreter_state, "sleep", pause)
    begun, over = threading.Event(), threading.Event()
    thread = threading.Thread(target=work)
    thread.start()
    begun.wait()
    assert interpreter_state.imports_can_be_made() == free
    over.set()
    thread.join()
    assert len(pauses) == (3 if free else 5)  # the fifth is the first that takes more than a second
