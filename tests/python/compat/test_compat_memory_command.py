"""tracer.compat.memory_profiler: its command, time stamps, %memit and %mprun."""

import io
import re
import sys
import types

import pytest

import launch
from memorylines import MIB, line_of, make, rows_in
from tracer.compat import memory_profiler

PROGRAM = """\
import sys
from memory_profiler import profile as other

@profile
def work():
    data = bytearray(2 * 2**20)
    return len(data)

@profile(precision=4)
def unused():
    pass

print(work(), sys.argv, __name__, other.__module__)
sys.exit(3)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def command(*words, cwd):
    found = launch.plain("-m", "tracer.compat.memory_profiler", *words, cwd=cwd)
    return found.returncode, found.stdout.decode(), found.stderr.decode()


def test_a_script(program):
    status, out, err = command("program.py", "-x", "1", cwd=program)
    assert (status, err) == (3, "")
    first, table = out.split("\n", 1)
    expected = "['program.py', '-x', '1'] __main__ tracer.compat.memory_lines"
    assert first == f"{2 * MIB} {expected}"
    assert rows_in(table) == {6: (2.0, 1), 7: (0.0, 1)}
    assert "2.000 MiB" in table
    assert "unused" not in table


def test_a_module_and_a_file_of_results(program):
    for _ in range(2):
        status, out, err = command("--precision", "1", "-o", "out.txt", "program", cwd=program)
        assert (status, err, len(out.splitlines())) == (3, "", 1)
    text = (program / "out.txt").read_text()
    assert text.count("Filename: ") == 2
    assert " 2.0 MiB " in text


def test_time_stamps(program):
    status, out, _ = command("--timestamp", "program.py", cwd=program)
    assert status == 3
    line = out.splitlines()[-1]
    assert re.fullmatch(r"FUNC __main__\.work [\d.]+ [\d.]+ [\d.]+ [\d.]+ 0", line)
    _, _, before, start, after, end, _ = line.split()
    assert float(start) <= float(end)
    assert float(before) > 1 < float(after)


def test_levels_of_time_stamps():
    stamper = memory_profiler.TimeStamper()

    @stamper
    def inner():
        return 1

    @stamper(precision=3)
    def outer():
        with stamper.timestamp("a block"):
            return inner()

    assert outer() == 1
    stream = io.StringIO()
    stamper.show_results(stream)
    rows = [
        (line.split()[1].rpartition(".")[2], line[-1]) for line in stream.getvalue().splitlines()
    ]
    assert rows == [("inner", "2"), ("a_block", "1"), ("outer", "0")]
    with pytest.raises(ValueError, match="only what can be called can be decorated"):
        stamper(3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to run: name a SCRIPT or a MODULE"),
        (["--precision", "x", "a.py"], "--precision 'x': give a number of digits"),
        (["--pdb-mmem", "-1", "a.py"], "--pdb-mmem '-1': give a number of MiB"),
        (["--backend", "x", "a.py"], "--backend 'x': choose from psutil, "),
        (["--nothing"], "unknown option '--nothing'"),
        (["not_there.py"], "not_there.py"),
    ],
)
def test_wrong_words(program, words, said):
    status, out, err = command(*words, cwd=program)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_help_and_version(program):
    status, out, _ = command("--help", cwd=program)
    assert status == 0
    assert "--pdb-mmem MIB" in out
    assert command("--version", cwd=program)[:2] == (0, "0.61.0\n")


def test_a_caller_goes_on(program, capsys, monkeypatch):
    monkeypatch.chdir(program)
    before = sys.argv, sys.modules.get("memory_profiler"), sys.modules["__main__"]
    with pytest.raises(SystemExit):
        memory_profiler.main(["program.py"])
    assert (sys.argv, sys.modules.get("memory_profiler"), sys.modules["__main__"]) == before
    assert "2.000 MiB" in capsys.readouterr().out


# -- Magics --


@pytest.fixture
def shell():
    pytest.importorskip("IPython", reason="the package ipython is not installed")
    found = {}

    class Shell:
        def __init__(self):
            self.user_ns = {"make": make}

        def register_magic_function(self, magic, magic_kind, magic_name):
            assert magic_kind == "line_cell"
            found[magic_name] = magic

    memory_profiler.load_ipython_extension(Shell())
    return types.SimpleNamespace(**found)


def test_memit(shell, capsys):
    result = shell.memit("-o -r 2 -i 0.001 make(1)")
    assert len(result.mem_usage) == 2
    assert re.fullmatch(r"peak memory: [\d.]+ MiB, increment: -?[\d.]+ MiB", str(result))
    assert capsys.readouterr().out == f"{result}\n"
    assert shell.memit("-q size = 2", "make(size)") is None
    assert capsys.readouterr().out == ""


def test_mprun(shell, capsys, tmp_path):
    path = tmp_path / "out.txt"
    profiler = shell.mprun(f"-f make -r -T {path} x = make(3)", "make(3)")
    assert rows_in(path.read_text())[line_of(make) + 1] == (6.0, 2)
    assert path.read_text() in capsys.readouterr().out
    assert profiler.enable_count == 0


@pytest.mark.parametrize(
    ("magic", "line", "said"),
    [
        ("memit", "-x 1", "%memit: option -x not recognized"),
        ("memit", "-r", "%memit: option -r requires argument"),
        ("memit", "-r no 1", "-r no: give a number"),
        ("mprun", "-f nothing 1", "Could not find function 'nothing'"),
    ],
)
def test_wrong_magics(shell, magic, line, said):
    from IPython.core.error import UsageError

    with pytest.raises(UsageError, match=re.escape(said)):
        getattr(shell, magic)(line)
