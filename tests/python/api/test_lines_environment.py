"""`from tracer import profile` in programs that run without the command: with TRACER=1 they
report the lines of what is decorated. Those under the command: test_command_lines.py.
"""

import os
import sys

import pytest

import tracer
from launch import plain, write
from linetables import DECORATED, hits, table
from tracer.runtime.processes import is_worker

pytestmark = pytest.mark.lines


def test_who_asks_for_a_report(tmp_path):
    write(tmp_path / "imports.py", "from tracer import profile\n" + DECORATED)
    for changes, reports in (
        ({}, False),
        ({"TRACER": "1"}, True),
        ({"LINE_PROFILE": "1"}, True),
        ({"TRACER": "0"}, False),
    ):
        found = plain("imports.py", cwd=tmp_path, env={**os.environ, **changes})
        assert found.stderr == b""
        rows = table(found.stdout.decode())
        assert bool(rows) == reports
        if reports:
            assert [row[1] for row in rows] == [1, 11, 10, 1]


def test_the_table_is_printed_wherever_it_goes(tmp_path):
    code = "from tracer import profile\n@profile\ndef speak():\n    return 'é'\nspeak()\n"
    write(tmp_path / "speaks.py", code)
    write(tmp_path / "mute.py", f"import sys\nsys.stdout = None\n{code}")
    env = {**os.environ, "TRACER": "1", "PYTHONIOENCODING": "ascii"}
    found = plain("speaks.py", cwd=tmp_path, env=env)
    assert found.stderr == b""
    assert table(found.stdout.decode()) == [(4, 1, "return '\\xe9'")]
    found = plain("mute.py", cwd=tmp_path, env={**env, "TMPDIR": str(tmp_path)})
    assert (found.returncode, found.stdout) == (0, b"")
    assert found.stderr.startswith(b"tracer: could not write to standard output: it is closed; the")


def test_the_table_is_saved_when_it_cannot_be_printed(tmp_path):
    silent = DECORATED.replace("print(work(10))", "work(10)")
    write(tmp_path / "full.py", "from tracer import profile\n" + silent)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    changes = {**os.environ, "TRACER": "1", "TMPDIR": str(temporary)}
    with open("/dev/full", "wb") as full:
        found = plain("full.py", cwd=tmp_path, env=changes, stdout=full)
    assert found.stderr.startswith(b"tracer: could not write to standard output: No space left on")
    (path,) = temporary.iterdir()
    assert f"the lines are saved as {path}\n".encode() in found.stderr
    assert hits(tracer.Stats(path))["work"] == {5: 1, 6: 11, 7: 10, 10: 1}


@pytest.mark.parametrize(
    ("words", "worker"),
    [
        (["python", "-c", "from multiprocessing.forkserver import main; main(3)"], True),
        (["python", "-c", "from multiprocessing.resource_tracker import main;main(3)"], True),
        (["python", "program.py", "multiprocessing"], False),
        (["python", "-m", "multiprocessing.program"], False),
    ],
)
def test_what_multiprocessing_starts_is_known_by_its_words(monkeypatch, words, worker):
    monkeypatch.delitem(sys.modules, "multiprocessing.process", raising=False)
    monkeypatch.setattr(sys, "orig_argv", words)
    assert is_worker() is worker


def test_one_process_reports(tmp_path):
    write(
        tmp_path / "pool.py",
        "import multiprocessing, os\n"
        "from tracer import profile\n"
        "@profile\n"
        "def work(x):\n"
        "    return x\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        pool.map(work, range(4))\n"
        "    work(1)\n"
        "    if os.fork() == 0:\n"
        "        raise SystemExit\n"
        "    os.wait()\n",
    )
    found = plain("-W", "ignore", "pool.py", cwd=tmp_path, env={**os.environ, "TRACER": "1"})
    assert found.stderr == b""
    assert found.stdout.count(b"Timer unit") == 1
