"""The console script `tracer`: it does what `python -m tracer` does, and its programs end alike.

The script is the outer __main__ of such a process. The interpreter goes back to it once a program
has ended. So the tests try each end that lets go of as much as it can.
"""

import os
import signal
import sys
from pathlib import Path

import pytest

from launch import masked, plain, start, traced, write

SCRIPT = Path(sys.executable).with_name("tracer")
pytestmark = pytest.mark.skipif(
    not SCRIPT.exists(), reason=f"tracer is not installed beside {sys.executable}: no such script"
)

UNPARSABLE = {
    "not closed": b"x = (1",
    "no Python": b"def f(:\n",
    "wrong indentation": b"if True:\n  1\n    2\n",
    "a zero byte": b"x = 1\n\0\n",
    "no such encoding": b"# coding: no-such\nx = 1\n",
    "not of its encoding": b"x = '\xff'\n",
}
FORGETTING = """
import sys
def hook(kind, value, traceback):
    print(kind.__name__, file=sys.stderr)
    for name in {"last_exc", "last_type", "last_value", "last_traceback"} & set(vars(sys)):
        delattr(sys, name)
    value.__traceback__ = None
sys.excepthook = hook
"""
ENDINGS = {
    "end": "print('done')",
    "exit 3": "import sys; sys.exit(3)",
    "exit message": "import sys; sys.exit('a message')",
    "error": "def f(): 1 / 0\nf()",
    "syntax error of another": "eval('1 +')",
    "error, forgotten": f"{FORGETTING}1 / 0",
    "error, forgotten with all modules": f"{FORGETTING}sys.modules.clear()\n1 / 0",
    "no __main__": "import sys\ndel sys.modules['__main__']\n1 / 0",
    "another __main__": "import sys\nsys.modules['__main__'] = None\n1 / 0",
    "keyboard interrupt": "raise KeyboardInterrupt",
    "os._exit": "import os; os._exit(4)",
}
OPTIONS = ["", "-o profile.out", "-l", "--lines", "--live", "--timer cpu", "--save-every 9 -o x"]


def outcome(found):
    return masked(found.stderr).decode(), found.returncode


def test_it_does_the_same(tmp_path):
    write(tmp_path / "program.py", "import sys\nprint(sys.argv, sys.path[0])\n")
    for words in (["program.py", "a"], ["-m", "program"], ["-"]):
        options = {"cwd": tmp_path, "stdin": b"import sys\nprint(sys.argv, sys.path[0])"}
        expected = traced("-o", "profile.out", *words, **options)
        found = plain(SCRIPT, "-o", "profile.out", *words, **options)
        assert found.stdout == expected.stdout
        assert (found.stderr, found.returncode) == (b"", 0)
    assert b"usage: tracer [OPTIONS]" in plain(SCRIPT, "-h").stdout


@pytest.mark.parametrize("name", UNPARSABLE)
def test_a_program_that_cannot_be_compiled(tmp_path, name):
    (tmp_path / "bad.py").write_bytes(UNPARSABLE[name])
    expected = plain("bad.py", cwd=tmp_path)
    found = plain(SCRIPT, "bad.py", cwd=tmp_path)
    assert found.returncode == expected.returncode
    if expected.returncode == 0:  # the first versions of 3.11 run such a file
        assert (name, found.stderr) == ("a zero byte", expected.stderr)
        return
    # The interpreter reads a file piece by piece, and words some of these errors in its own way.
    if name in ("not closed", "no Python", "wrong indentation"):
        assert found.stderr.decode() == expected.stderr.decode()
    assert outcome(found) == outcome(traced("bad.py", cwd=tmp_path))
    assert b"SyntaxError" in found.stderr or b"IndentationError" in found.stderr


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("words", ["bad.py", "-", "-m bad"])
def test_whatever_was_asked_for(tmp_path, words, options):
    write(tmp_path / "bad.py", "x = (1\n")
    arguments = [*options.split(), *words.split()]
    found = plain(SCRIPT, *arguments, cwd=tmp_path, stdin=b"x = (1\n")
    assert found.returncode == 1
    assert found.stderr.decode().endswith("SyntaxError: '(' was never closed\n")
    if words != "-m bad" and options != "--live":
        assert found.stderr == plain(words, cwd=tmp_path, stdin=b"x = (1\n").stderr


def test_a_profile_in_the_place_of_a_program(tmp_path):
    write(tmp_path / "program.py", "print(1)\n")
    plain(SCRIPT, "-o", "profile.out", "program.py", cwd=tmp_path)
    found = plain(SCRIPT, "profile.out", cwd=tmp_path)
    assert (found.stdout, found.returncode) == (b"", 2)
    assert b"show profile.out" in found.stderr and b"SyntaxError" not in found.stderr


@pytest.mark.parametrize("options", ["-o profile.out", "--lines -o profile.out"])
@pytest.mark.parametrize("name", ENDINGS)
def test_it_ends_as_it_does_plainly(tmp_path, name, options):
    write(tmp_path / "program.py", ENDINGS[name])
    expected = plain("program.py", cwd=tmp_path)
    found = plain(SCRIPT, *options.split(), "program.py", cwd=tmp_path)
    assert outcome(found) == outcome(expected)
    assert found.stdout == expected.stdout
    assert (tmp_path / "profile.out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_dies_of_a_signal(tmp_path, number):
    write(tmp_path / "program.py", "import time\nprint('ready', flush=True)\ntime.sleep(60)\n")
    with start(SCRIPT, "-o", "profile.out", "program.py", cwd=tmp_path) as process:
        assert process.stdout.readline() == b"ready\n"
        os.kill(process.pid, number)
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == -number
    if number == signal.SIGINT:
        assert stderr.splitlines()[-1] == b"KeyboardInterrupt"
    else:
        assert stderr == b""
    assert (tmp_path / "profile.out").exists()
