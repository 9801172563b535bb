"""A program ends under tracer as it ends plainly: status, traceback, hooks.

Each program runs both ways; stderr must be the same to the byte. That the profile is written in
each case is part of each test. Signals are in test_command_signals.py.
"""

import re
import signal

import pytest

import tracer
from launch import masked, plain, traced, write

RAISE_DEEP = """
def first(n):
    second(n)

def second(n):
    if n:
        first(n - 1)
    else:
        raise ValueError("caf\\u00e9")

first(3)
"""

ENDINGS = {
    "falls off the end": "print('done')",
    "exit 0": "import sys; sys.exit(0)",
    "exit 3": "import sys; sys.exit(3)",
    "exit None": "import sys; sys.exit(None)",
    "exit message": "import sys; sys.exit('a message')",
    "exit tuple": "import sys; sys.exit((1, 2))",
    "exit 256": "import sys; sys.exit(256)",
    "exit -1": "import sys; sys.exit(-1)",
    "exit of an own class": "class E(SystemExit): pass\nraise E(5)",
    "exit in atexit": "import atexit, sys; atexit.register(sys.exit, 5); print('x')",
    "error": "1 / 0",
    "deep error": RAISE_DEEP,
    "error with notes": "e = ValueError('x'); e.add_note('a note'); raise e",
    "chained error": "try:\n  1/0\nexcept ZeroDivisionError as e:\n  raise KeyError(2) from e",
    "error in handler": "try:\n  1/0\nexcept ZeroDivisionError:\n  [][1]",
    "error group": "raise ExceptionGroup('g', [ValueError(1), TypeError(2)])",
    "syntax error": "def f():\n  return (\nf()",
    "wrong indentation": "if True:\n  1\n    2\n",
    "syntax error in eval": "eval('1 +')",
    "error in import": "import broken",
    "syntax error in import": "import unparsable",
    "error in atexit": "import atexit\n@atexit.register\ndef f(): 1/0",
    "error in thread": "import threading\nt = threading.Thread(target=int, args='x', name='T')\n"
    "t.start(); t.join()",
    "error in del": "class A:\n  def __del__(self): 1/0\na = A(); del a",
    "keyboard interrupt": "raise KeyboardInterrupt",
    "keyboard interrupt of an own class": "class K(KeyboardInterrupt): pass\nraise K",
    "own excepthook": "import sys\nsys.excepthook = lambda *a: print(a[0], a[1], a[2].tb_lineno, "
    "a[1].__traceback__ is a[2], sys.last_traceback is a[2])\n1/0",
    "failing excepthook": "import sys\ndef hook(*a): [][1]\nsys.excepthook = hook\n1/0",
    "excepthook that exits": "import sys\nsys.excepthook = lambda *a: sys.exit(9)\n1/0",
    "excepthook of None": "import sys\nsys.excepthook = None\n1/0",
    "traceback limit": f"import sys; sys.tracebacklimit = 2\n{RAISE_DEEP}",
    "warning": "import warnings\nwarnings.warn('careful')",
    "no __main__": "import sys\ndel sys.modules['__main__']\n1/0",
    "cleared globals": "globals().clear()",
    "no stderr": "import sys\nsys.stderr = None\n1/0",
    "closed stderr": "import sys\nsys.stderr.close()\n1/0",
    "closed stdout": "import sys\nprint(1)\nsys.stdout.close()",
    "code with a callback": "import weakref\nnames = {}\nexec('def f(): pass', names)\n"
    "seen = weakref.ref(names['f'].__code__, lambda seen: print('freed'))\n"
    "names['f']()\nnames.clear()",
    "output after the end": "import atexit\natexit.register(print, 'bye')\nprint('first')",
}


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "broken.py", "def f():\n    raise OSError(2, 'no such thing')\nf()\n")
    write(tmp_path / "unparsable.py", "a b\n")
    return tmp_path


@pytest.mark.parametrize("name", ENDINGS)
def test_script_ends_as_it_does_plainly(folder, name):
    write(folder / "program.py", ENDINGS[name])
    expected = plain("program.py", cwd=folder)
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert masked(found.stderr).decode() == masked(expected.stderr).decode()
    assert (found.stdout, found.returncode) == (expected.stdout, expected.returncode)
    # A program that could not even be compiled did not run: there is nothing to write.
    ran = name not in ("syntax error", "wrong indentation")
    assert (folder / "profile.out").exists() == ran


def without_runpy(traceback):
    """Plain python's traceback without the two calls in runpy that -m begins with."""
    lines = traceback.splitlines(keepends=True)
    return b"".join(
        line for line in lines if b"_run_module_as_main" not in line and b"in _run_code" not in line
    )


@pytest.mark.parametrize("name", ["deep error", "exit 3", "error in import", "no __main__"])
@pytest.mark.parametrize("words", [["-m", "program"], ["-"]], ids=" ".join)
def test_module_and_standard_input_end_as_they_do_plainly(folder, words, name):
    write(folder / "program.py", ENDINGS[name])
    options = {"cwd": folder, "stdin": ENDINGS[name].encode()}
    expected = plain(*words, **options)
    found = traced("-o", "profile.out", *words, **options)
    assert found.stderr.decode() == without_runpy(expected.stderr).decode()
    assert (found.stdout, found.returncode) == (expected.stdout, expected.returncode)
    assert (folder / "profile.out").exists()


def test_interactive_after_an_error(folder):
    write(folder / "program.py", RAISE_DEEP)
    typed = (
        b"import sys, traceback\n"
        b"print(repr(sys.last_value), sys.last_traceback is sys.last_value.__traceback__)\n"
        b"print([f.name for f in traceback.extract_tb(sys.last_traceback)])\n"
        b"print(sys.excepthook is sys.__excepthook__, __name__, first)\n"
    )
    options = {"cwd": folder, "flags": ["-iq"], "stdin": typed}
    expected = plain("program.py", **options)
    assert b"['<module>', 'first', 'second'" in expected.stdout
    found = traced("-o", "profile.out", "program.py", **options)
    assert found.stdout[:40] == expected.stdout[:40]
    assert found.stderr == expected.stderr
    assert found.returncode == expected.returncode == 0
    assert (folder / "profile.out").exists()


def test_interactive_after_the_end(folder):
    write(folder / "program.py", "x = 5\n")
    options = {"cwd": folder, "flags": ["-iq"], "stdin": b"print(x)\n"}
    expected = plain("program.py", **options)
    found = traced("-o", "profile.out", "program.py", **options)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    assert found.stdout == b"5\n"


@pytest.mark.parametrize(
    ("text", "ended"),
    [
        ("pass", ""),
        ("raise SystemExit", ""),
        ("raise SystemExit(0)", ""),
        ("raise SystemExit(False)", ""),
        ("raise SystemExit(259)", "with exit status 3"),
        ("raise SystemExit('sorry')", "with exit status 1"),
        ("1 / 0", "by ZeroDivisionError"),
        ("raise KeyboardInterrupt", "by KeyboardInterrupt"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", "by SIGTERM"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGHUP)", "by SIGHUP"),
        ("import os; os._exit(0)", ""),
        ("import os; os._exit(-1)", "with exit status 255"),
        ("import os\nif os.fork() == 0: os._exit(3)\nos.wait()", ""),
        ("import os\nif os.fork() == 0: 1 / 0\nos.wait()", ""),
    ],
)
def test_how_it_ended_is_told(folder, text, ended):
    write(folder / "program.py", text)
    traced("-o", "profile.out", "program.py", cwd=folder)
    assert how_it_ended(folder) == ended


def how_it_ended(folder):
    """What the file says, and so the header that `show` prints."""
    [capture] = tracer.Stats(folder / "profile.out").captures
    shown = traced("show", "profile.out", cwd=folder).stdout.decode()
    lines = [line for line in shown.splitlines() if line.startswith("     ended  ")]
    assert lines == [f"     ended  {capture.run.ended}"] * bool(capture.run.ended)
    return capture.run.ended


FORK = """
import os, signal, sys, time
sys.stdout.flush()
child = os.fork()
if child == 0:
    def in_child(): pass
    in_child()
    print(signal.getsignal(signal.SIGTERM), sys.getprofile(), flush=True)
    {child}
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize(
    ("child", "status"),
    [
        ("sys.exit(4)", 4),
        ("os.kill(os.getpid(), signal.SIGTERM); time.sleep(30)", -signal.SIGTERM),
        ("os.kill(os.getpid(), signal.SIGHUP); time.sleep(30)", -signal.SIGHUP),
        ("os._exit(6)", 6),
        ("1 / 0", 1),
        ("raise SystemExit", 0),
    ],
)
def test_forked_child_just_ends(folder, child, status):
    write(folder / "program.py", FORK.format(child=child))
    expected = plain("program.py", cwd=folder)
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert found.stdout == f"0 None\n{int(status)}\n".encode() == expected.stdout
    assert (found.stderr, found.returncode) == (expected.stderr, 0)
    table = traced("show", "--limit=0", "profile.out", cwd=folder).stdout
    assert b"{built-in method posix.waitpid}" in table
    assert b"in_child" not in table


def test_table_is_printed_once_when_the_program_forks(folder):
    write(folder / "program.py", FORK.format(child="sys.exit(4)"))
    found = traced("program.py", cwd=folder)
    assert found.stdout.count(b"   command  ") == 1


def test_child_that_outlives_the_program(folder):
    program = (
        "import os, time\n"
        "if os.fork() == 0:\n    time.sleep(0.3)\n    raise SystemExit\n"
        "print(os.getpid())\n"
    )
    write(folder / "program.py", program)
    # The pipe of stdout is closed, and so the run over, when the child has ended too.
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    table = traced("show", "--limit=0", "profile.out", cwd=folder).stdout
    assert b"posix.getpid" in table
    assert b"time.sleep" not in table


def test_threads_that_go_on_after_the_end(folder):
    program = """
import threading, time

said, began = threading.Event(), threading.Event()

def late():
    said.wait()
    began.wait()
    time.sleep(0.2)
    last_words()

def last_words():
    print("late", flush=True)

def endless():
    began.set()
    while True:
        time.sleep(0.01)

threading.Thread(target=late).start()
threading.Thread(target=endless, daemon=True).start()
print("end", flush=True)
said.set()
"""
    write(folder / "program.py", program)
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"end\nlate\n", b"", 0)
    table = traced("show", "--limit=0", "profile.out", cwd=folder).stdout
    assert b"(last_words)" in table
    assert b"(endless)" in table


def test_profile_is_written_after_the_programs_own_exit_functions(folder):
    program = "import atexit, os\natexit.register(lambda: print(os.path.exists('profile.out')))\n"
    write(folder / "program.py", program)
    assert traced("-o", "profile.out", "program.py", cwd=folder).stdout == b"False\n"
    assert (folder / "profile.out").exists()


def test_low_recursion_limit_left_by_the_program(folder):
    write(folder / "program.py", "import sys\nsys.setrecursionlimit(40)\n")
    found = traced("program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    assert b"  <module>  program.py:1\n" in found.stdout


def test_no_file_descriptors_left_by_the_program(folder):
    program = """
import resource
_, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (100, hard))
kept = []
while True:
    kept.append(open("/dev/null"))
"""
    write(folder / "program.py", program)
    expected = plain("program.py", cwd=folder)
    assert expected.stderr.endswith(b"OSError: [Errno 24] Too many open files: '/dev/null'\n")
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (expected.stderr, 1)
    assert traced("show", "profile.out", cwd=folder).returncode == 0


def test_rows_start_at_the_programs_own_module(folder):
    write(folder / "program.py", "def f(): pass\nf()\n")
    for words in (["program.py"], ["-m", "program"]):
        found = traced("--no-header", "--strip-dirs", *words, cwd=folder).stdout.decode()
        _, rows = found.split("filename:lineno(function)\n")
        rows = [line.split()[-1] for line in rows.splitlines() if line]
        assert rows == ["program.py:1(<module>)", "program.py:1(f)"]
        found = traced("--no-header", "--strip-dirs", "--callers", "module", *words, cwd=folder)
        assert found.stdout.decode().rstrip().splitlines()[-1].rstrip() == (
            "program.py:1(<module>)  <-"
        )


def test_packages_of_a_module_are_recorded(folder):
    write(folder / "pack" / "__init__.py", "def leaf(): pass\nleaf()\n")
    write(folder / "pack" / "__main__.py", "import pack\npack.leaf()\n")
    write(folder / "pack" / "module.py", "import pack\npack.leaf()\npack.leaf()\n")
    for name, expected in ("pack", 2), ("pack.module", 3):
        found = traced("--limit=0", "-m", name, cwd=folder)
        assert (found.stderr, found.returncode) == (b"", 0)
        assert re.search(rf"^ +{expected} .*__init__.py:1\(leaf\)$".encode(), found.stdout, re.M)
        assert b"runpy" not in found.stdout
        assert b"tracer/commands" not in found.stdout


def test_package_that_ends_the_program(folder):
    write(folder / "pack" / "__init__.py", "import sys\nsys.exit(5)\n")
    write(folder / "pack" / "__main__.py", "")
    found = traced("-o", "profile.out", "-m", "pack", cwd=folder)
    assert (found.stdout, found.stderr, found.returncode) == (b"", b"", 5)
    assert (
        b"__init__.py:1(<module>)" in traced("show", "--limit=0", "profile.out", cwd=folder).stdout
    )
