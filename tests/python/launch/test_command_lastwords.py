"""A program that ends its process without a word, by os._exit or os.exec*, leaves its profile.

Each runs plainly too: what it prints and returns is the same. Only the process that ran the command
writes, and what the program sees of tracer is nothing.
"""

import os
import sys

import pytest

import tracer
from launch import plain, traced, write
from outfiles import own_rows
from tracer.launch.exit_hooks import can_be_executed

LEAF = "import os, sys\ndef leaf(): pass\nleaf()\n"
PYTHON = f"{sys.executable!r}, {sys.executable!r}"


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def test_what_may_be_started_in_the_place_of_the_process(folder):
    """execvp tries each folder of PATH, and a profile takes time to write."""
    (folder / "text").touch(0o644)
    (folder / "program").touch(0o755)
    tried = [folder / "program", folder / "text", folder, folder / "nothing", 3]
    assert [can_be_executed(path) for path in tried] == [True, False, False, False, True]


def run_both(folder, program, *options):
    """The program's end under tracer with -o, after a look that it is the same without."""
    write(folder / "program.py", program)
    expected = plain("program.py", cwd=folder)
    found = traced("-o", "profile.out", *options, "program.py", cwd=folder)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    assert found.returncode == expected.returncode
    return found


def leaves(folder):
    """How often leaf() was called, in a profile that knows nothing of tracer's own."""
    stats = tracer.Stats(folder / "profile.out").stats
    assert not own_rows(stats)
    [calls] = [row[1] for label, row in stats.items() if label[2] == "leaf"]
    return calls


EXITS = {
    "main": "leaf(); os._exit(7)",
    "keyword": "leaf(); os._exit(status=7)",
    "zero": "leaf(); os._exit(0)",
    "posix": "leaf(); import posix; posix._exit(7)",
    "imported": "from os import _exit; leaf(); _exit(7)",
    "deep": "def deep(n):\n  deep(n - 1) if n else os._exit(7)\nleaf(); deep(50)",
    "generator": "def g():\n  yield\n  os._exit(7)\nleaf(); list(g())",
    "called by C code": "leaf(); list(map(os._exit, [7]))",
    "finally": "leaf()\ntry:\n  sys.exit(3)\nfinally:\n  os._exit(7)",
    "exit function": "import atexit; leaf(); atexit.register(os._exit, 7)",
    "signal handler": "import signal\nsignal.signal(signal.SIGUSR1, lambda *a: os._exit(7))\n"
    "leaf(); os.kill(os.getpid(), signal.SIGUSR1)",
    "unflushed output": "leaf(); print('lost'); os._exit(7)",
    "thread": "import threading\nleaf(); threading.Thread(target=os._exit, args=[7]).start()\n"
    "threading.Event().wait()",
    "two threads": "import threading\nleaf()\n"
    "for _ in range(2): threading.Thread(target=os._exit, args=[7]).start()\n"
    "threading.Event().wait()",
    "daemon thread while the interpreter ends": "import threading, time\nleaf()\n"
    "def late():\n  time.sleep(0.02)\n  os._exit(7)\n"
    "import atexit; atexit.register(time.sleep, 10)\n"
    "threading.Thread(target=late, daemon=True).start()",
    "wrong arguments first": "for bad in (), ('x',), (2**40,), (-2**31 - 1,), (1, 2):\n"
    "  try: os._exit(*bad)\n  except (TypeError, OverflowError) as e: print(e, flush=True)\n"
    "leaf(); os._exit(7)",
    "closed streams": "sys.stdout.close(); sys.stderr.close(); leaf(); os._exit(7)",
    "low recursion limit": "sys.setrecursionlimit(60); leaf(); os._exit(7)",
    "a path of the program's": "sys.path[:] = ['']; open('pstats.py', 'w').write('1 / 0')\n"
    "open('dataclasses.py', 'w').write('1 / 0'); leaf(); os._exit(7)",
}


@pytest.mark.parametrize("name", EXITS)
def test_exit(folder, name):
    found = run_both(folder, LEAF + EXITS[name])
    assert found.returncode == (0 if name == "zero" else 7)
    assert leaves(folder) == 2


def test_exit_prints_the_table(folder):
    write(folder / "program.py", LEAF + "os._exit(7)\n")
    found = traced("--strip-dirs", "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 7)
    assert found.stdout.startswith(b"   command  program.py\n")
    assert found.stdout.count(b"program.py:2(leaf)") == 1
    assert b"_exit" not in found.stdout


@pytest.mark.parametrize(
    "child",
    [
        "os._exit(4)",
        "import posix; posix._exit(4)",
        "sys.exit(4)",
        f"os.execl({PYTHON}, '-c', 'raise SystemExit(4)')",
    ],
)
def test_child_writes_nothing(folder, child):
    program = (
        "print(os.path.exists('profile.out'), flush=True)\nif os.fork() == 0:\n"
        f"  leaf(); leaf(); leaf()\n  {child}\n"
        "print(os.waitstatus_to_exitcode(os.wait()[1]), os.path.exists('profile.out'))\n"
        "leaf()\n"
    )
    found = run_both(folder, LEAF + program)
    assert found.stdout == b"False\n4 False\n"
    assert leaves(folder) == 2


SAME = """
import inspect, pickle, os, posix
for name in "_exit", "execv", "execve":
    function = getattr(os, name)
    print(function, function is getattr(posix, name), function.__name__, function.__qualname__)
    print(function.__doc__, function.__module__, inspect.signature(function))
    print(inspect.isbuiltin(function), isinstance(function, type(os.open)), callable(function))
    print(pickle.loads(pickle.dumps(function)) is function, {function: 1}[function])
    print(function in os.supports_fd, function == len, function == function)
"""


def test_the_functions_answer_as_the_builtins_do(folder):
    run_both(folder, SAME)


def test_what_the_program_put_in_their_place_stays(folder):
    program = LEAF + "os._exit = lambda status: print('mine', status)\nos._exit(3)\nleaf()\n"
    assert run_both(folder, program).stdout == b"mine 3\n"
    assert leaves(folder) == 2


# -- exec ------------------------------------------------------------------------------------

# What the other program sees: the profile is there, and the process is as it would have been.
OTHER = (
    "import os, resource, signal, sys\n"
    "print(resource.getrlimit(resource.RLIMIT_NOFILE), signal.getsignal(signal.SIGINT))\n"
    "print(os.getpid() == int(sys.argv[1]), os.environ.get('ADDED'), sys.argv[2:])\n"
    "print(os.path.exists('profile.out'), file=open('seen', 'w'))\n"
)
WORDS = "words = [sys.executable, 'other.py', str(os.getpid()), 'word']\n"
EXECS = {
    "execv": "os.execv(sys.executable, words)",
    "execve": "os.execve(sys.executable, words, {'ADDED': '1'})",
    "keywords": "os.execve(path=sys.executable, argv=words, env={'ADDED': '1'})",
    "execl": "os.execl(sys.executable, *words)",
    "execvp": "os.environ['PATH'] += os.pathsep + os.path.dirname(sys.executable)\n"
    "os.execvp(os.path.basename(sys.executable), words)",
    "bytes": "os.execv(os.fsencode(sys.executable), words)",
    "path": "import pathlib; os.execv(pathlib.Path(sys.executable), words)",
    "file descriptor": "os.execve(os.open(sys.executable, os.O_RDONLY), words, os.environ)",
    "posix": "import posix; posix.execv(sys.executable, words)",
    "thread": "import threading\n"
    "threading.Thread(target=os.execv, args=[sys.executable, words]).start()\n"
    "threading.Event().wait()",
    "exit function": "import atexit; atexit.register(os.execv, sys.executable, words)",
    "after failures": "for path in 'nothing', '/', 'other.py':\n"
    "  try: os.execv(path, words)\n  except OSError as e: print(e, flush=True)\n"
    "os.execv(sys.executable, words)",
}


@pytest.mark.parametrize("name", EXECS)
def test_exec(folder, name):
    if name == "file descriptor" and os.execve not in os.supports_fd:
        pytest.skip("this system cannot execute an open file")
    write(folder / "other.py", OTHER)
    found = run_both(folder, LEAF + "leaf()\n" + WORDS + EXECS[name])
    assert found.stdout.endswith(b" ['word']\n")
    assert (folder / "seen").read_text() == "True\n"
    assert leaves(folder) == 2


def test_exec_prints_the_table_first_and_once(folder):
    write(folder / "bin" / "other", "#!/bin/sh\necho other\n").chmod(0o755)
    for name in "first", "second":  # which hold no such command
        (folder / name).mkdir()
    program = LEAF + "os.environ['PATH'] = 'first:second:bin:first'\nos.execlp('other', 'other')\n"
    write(folder / "program.py", program)
    found = traced("--strip-dirs", "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    assert found.stdout.startswith(b"   command  program.py\n")
    assert found.stdout.endswith(b"\nother\n")
    assert found.stdout.count(b"   command  ") == 1


FAILURES = {
    "no file": "os.execv('nothing', ['nothing'])",
    "no file on PATH": "os.execvp('nothing-of-that-name', ['nothing'])",
    "permission": "os.execv('program.py', ['program.py'])",
    "folder": "os.execv('/', ['/'])",
    "no program": "open('x', 'wb').write(b'\\0\\1'); os.chmod('x', 0o755); os.execv('x', ['x'])",
    "no arguments": "os.execv(sys.executable, [])",
    "wrong environment": "os.execve(sys.executable, ['x'], {'a=b': 'c'})",
    "wrong type": "os.execv(None, ['x'])",
    "too few": "os.execv()",
}


@pytest.mark.parametrize("name", FAILURES)
def test_failed_exec(folder, name):
    program = f"""
import resource
before = resource.getrlimit(resource.RLIMIT_NOFILE), sys.getrecursionlimit(), list(sys.path)
try:
    {FAILURES[name]}
except Exception as e:
    print(type(e), e, os.WIFEXITED(0))
print(before == (resource.getrlimit(resource.RLIMIT_NOFILE), sys.getrecursionlimit(), sys.path))
leaf()
"""
    found = run_both(folder, LEAF + program)
    assert found.stdout.endswith(b"True\nTrue\n")
    assert leaves(folder) == 2
    assert not list(folder.glob(".tracer-*"))


# Other processes: nothing of the sort happens to this one.
OTHERS = {
    "subprocess": "import subprocess; subprocess.run([sys.executable, '-c', 'pass'])",
    "subprocess with a function": "import subprocess\n"
    "subprocess.run([sys.executable, '-c', 'pass'], preexec_fn=leaf)",
    "system": "os.system('true')",
    "spawn": f"os.spawnl(os.P_WAIT, {PYTHON}, '-c', 'pass')",
    "posix_spawn": f"os.posix_spawn({sys.executable!r}, [sys.executable, '-c', 'pass'], {{}})\n"
    "os.wait()",
    "fork and exec": f"os.fork() or os.execl({PYTHON}, '-c', 'pass')\nos.wait()",
    "fork and exit": "os.fork() or os._exit(0)\nos.wait()",
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_processes(folder, name):
    program = f"{OTHERS[name]}\nprint(os.path.exists('profile.out'))\nleaf()\n"
    assert run_both(folder, LEAF + program).stdout == b"False\n"
    assert leaves(folder) == 2
    found = traced("program.py", cwd=folder)
    assert found.stdout.count(b"   command  ") == 1
