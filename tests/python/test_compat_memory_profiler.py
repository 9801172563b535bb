"""tracer.compat.memory_profiler: its names, its command and its magics."""

import asyncio
import io
import os
import re
import subprocess
import sys
import time
import types

import pytest

import launch
from tracer.compat import memory_profiler
from tracer.compat.memory_profiler import LineProfiler, memory_usage, profile, show_results
from tracer.runtime import process_memory

MIB = 2**20
SLEEPS = [sys.executable, "-c", "import sys; print(1, flush=True); sys.stdin.read()"]
ROW = re.compile(r" *(\d+) +(?:([\d.]+|-)(?: MiB)? +(-?[\d.]+) MiB +(\d+))?   ?(.*)")


def make(size):
    data = bytearray(size * MIB - 57)
    kept = bytearray(MIB)
    del data
    return kept


def rows_in(text):
    """{line: (increment, occurrences)} of the lines of a table that were reached."""
    found = {}
    for line in text.splitlines():
        row = ROW.fullmatch(line)
        if row and row[3]:
            found[int(row[1])] = float(row[3]), int(row[4])
    return found


def line_of(function):
    return function.__code__.co_firstlineno


# -- Lines --


def test_a_decorator_prints_each_call():
    stream = io.StringIO()
    decorated = profile(stream=stream, precision=2)(make)
    assert decorated.__name__ == "make"
    assert len(decorated(3)) == MIB
    text = stream.getvalue()
    head = "Line #    Mem usage    Increment  Occurrences   Line Contents"
    assert text.startswith(f"Filename: {__file__}\n\n{head}\n{'=' * len(head)}\n")
    assert text.endswith("\n\n\n")
    first = line_of(make)
    assert rows_in(text) == {
        first + 1: (3.00, 1),
        first + 2: (1.00, 1),
        first + 3: (-3.00, 1),
        first + 4: (0.00, 1),
    }
    decorated(2)
    assert stream.getvalue().count("Filename: ") == 2


def test_it_prints_on_standard_output_and_after_an_error_too(capsys):
    @profile
    def fails():
        data = bytearray(MIB)
        raise ValueError(len(data))

    with pytest.raises(ValueError, match=str(MIB)):
        fails()
    text = capsys.readouterr().out
    assert rows_in(text)[line_of(fails.__wrapped__) + 2] == (1.0, 1)


def test_a_generator_is_printed_when_it_ends():
    stream = io.StringIO()

    @profile(stream=stream)
    def numbers():
        kept = []
        kept.append(bytearray(MIB))
        got = yield 1
        kept.append(bytearray(2 * MIB))
        return got

    def whole():
        return (yield from numbers())

    steps = whole()
    assert next(steps) == 1
    assert not stream.getvalue()
    with pytest.raises(StopIteration) as end:
        steps.send("sent")
    assert end.value.value == "sent"
    first = line_of(numbers.__wrapped__)
    found = rows_in(stream.getvalue())
    assert found[first + 3] == (1.0, 1)
    assert found[first + 5] == (2.0, 1)


def test_a_coroutine():
    stream = io.StringIO()

    @profile(stream=stream)
    async def work():
        data = bytearray(2 * MIB)
        await asyncio.sleep(0)
        del data
        return 3

    async def main():
        return await asyncio.gather(work(), work())

    assert asyncio.run(main()) == [3, 3]
    first = line_of(work.__wrapped__)
    tables = stream.getvalue().split("Filename: ")[1:]
    assert len(tables) == 2
    for table in tables:
        assert rows_in(table)[first + 2] == (2.0, 1)
        assert rows_in(table)[first + 4] == (-2.0, 1)


def test_a_profiler_adds_up():
    profiler = LineProfiler()
    wrapped = profiler(make)
    wrapped(3)
    with profiler:
        assert profiler.enable_count == 1
        make(3)
    assert profiler.enable_count == 0
    make(3)  # not recorded
    (lines,) = {id(lines): lines for lines in profiler.code_map.values()}.values()
    first = line_of(make)
    assert list(lines) == [first + 1, first + 2, first + 3, first + 4]
    increment, usage, occurrences = lines[first + 1]
    assert (round(increment, 3), occurrences) == (6.0, 2)
    assert usage == 0 or usage > 3
    ((file, rows),) = profiler.code_map.items()
    assert file == __file__
    assert [number for number, _ in rows] == list(range(first, first + 5))
    assert dict(rows)[first] is None
    stream = io.StringIO()
    show_results(profiler, stream, precision=1)
    assert rows_in(stream.getvalue())[first + 1] == (6.0, 2)


def test_what_an_earlier_call_kept_is_known():
    kept = []

    def work():
        kept.append(bytearray(MIB - 57))
        del kept[:-1]

    profiler = LineProfiler()
    wrapped = profiler(work)
    for _ in (1, 2, 3):
        wrapped()
    lines = profiler.code_map[work.__code__]
    first = line_of(work)
    assert round(lines[first + 1].increment, 3) == 3.0
    assert round(lines[first + 2].increment, 3) == -2.0


def test_allocations_are_counted_no_longer_than_a_profiler_lives():
    import tracer

    profiler = LineProfiler()
    profiler(make)(1)
    other = tracer.Profile(memory=True)
    with pytest.raises(RuntimeError, match="another profile records memory"):
        other.enable()
    del profiler
    profile(make, stream=io.StringIO())(1)
    with other:
        pass


def test_what_is_defined_within_has_its_lines_in_the_same_table():
    def outer():
        def inner():
            return bytearray(MIB)

        return inner()

    profiler = LineProfiler()
    profiler(outer)()
    stream = io.StringIO()
    show_results(profiler, stream)
    first = line_of(outer)
    found = rows_in(stream.getvalue())
    assert found[first + 2] == (1.0, 1)
    assert found[first + 4] == (1.0, 1)


def test_decorated_functions_may_call_each_other():
    outer_stream, inner_stream = io.StringIO(), io.StringIO()

    @profile(stream=inner_stream)
    def inner():
        return bytearray(MIB)

    @profile(stream=outer_stream)
    def outer():
        kept = inner()
        kept = inner()
        return kept

    outer()
    assert inner_stream.getvalue().count("Filename: ") == 2
    first = line_of(outer.__wrapped__)
    found = rows_in(outer_stream.getvalue())
    assert found[first + 2] == (1.0, 1)
    assert found[first + 3] == (0.0, 1)


def test_beside_a_profile_of_the_programs_own():
    import tracer

    stream = io.StringIO()
    with tracer.Profile(memory=True) as mine:
        profile(make, stream=stream)(3)
    assert rows_in(stream.getvalue())[line_of(make) + 1] == (3.0, 1)
    assert mine.capture().memory.peak.bytes > 3 * MIB


def test_what_has_no_code_is_warned_of():
    with pytest.warns(UserWarning, match="Could not extract a code object"):
        assert LineProfiler()(len)([1]) == 1


def test_backends(capsys):
    assert memory_profiler.choose_backend() == "psutil"
    for call in (profile, LineProfiler, memory_usage, memory_profiler.TimeStamper):
        with pytest.raises(ValueError, match="backend must be one of psutil, "):
            call(make, backend="none") if call is profile else call(backend="none")
    LineProfiler(backend="tracemalloc", include_children=True)
    said = capsys.readouterr().err
    assert "tracer's lines are exact without it" in said
    assert "lines have the memory of this process alone" in said


def test_the_debugger_begins_where_there_is_too_much(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("p 'here', len(data)\ncontinue\n"))
    LineProfiler(max_mem=1e-3)(make)(2)
    said = capsys.readouterr().out
    assert "MiB exceeded the maximum of 0.00 MiB" in said
    assert "Stepping into the debugger" in said
    assert sys.gettrace() is None


# -- memory_usage() --


def test_of_a_function():
    def work(*args, **kwargs):
        time.sleep(0.05)
        return args, kwargs

    found, returned = memory_usage((work, (1, 2), {"a": 1}), interval=0.001, retval=True)
    assert returned == ((1, 2), {"a": 1})
    assert len(found) > 4
    assert all(type(mib) is float and mib > 1 for mib in found)
    pairs = memory_usage(work, interval=0.001, timestamps=True)
    assert [at for _, at in pairs] == sorted(at for _, at in pairs)
    assert abs(pairs[0][1] - time.time()) < 600


def test_the_largest_is_seen_even_where_no_other_thread_runs():
    def work():
        return len([0] * (40 * MIB // 8))  # an instruction, in which the GIL stays

    before = memory_usage()[0]
    most = memory_usage((work,), interval=100.0, max_usage=True, max_iterations=1)
    assert type(most) is float
    if process_memory.peak(os.getpid()) and most > before:
        assert most >= process_memory.resident(os.getpid()) / MIB - 1


def test_a_short_function_runs_again_unless_it_is_told_not_to():
    runs = []
    memory_usage((runs.append, (1,)), max_usage=True, max_iterations=1)
    assert runs == [1]
    memory_usage((runs.append, (1,)), interval=1e-3, max_iterations=3)
    assert 2 <= len(runs) <= 4


def test_an_error_comes_through():
    def fails():
        raise NotImplementedError("here")

    with pytest.raises(NotImplementedError, match="here"):
        memory_usage((fails, (), {}), timeout=1)


@pytest.fixture
def child():
    with subprocess.Popen(SLEEPS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.stdin.close()
        process.wait(60)


def test_of_processes(child):
    (own,) = memory_usage()
    assert own > 5
    (other,) = memory_usage(child.pid)
    assert 1 < other < 200
    assert len(memory_usage(str(child.pid), timeout=0.03, interval=0.01)) == 3
    both = memory_usage(include_children=True)[0]
    assert both > own + 1
    ((_, *others),) = memory_usage(multiprocess=True)
    assert len(others) >= 1
    assert type(memory_usage(timeout=0.02, interval=0.01, max_usage=True)) is float
    assert memory_usage(backend="psutil_pss")[0] > 0
    assert 0 < memory_usage(backend="psutil_uss")[0] <= memory_usage(backend="psutil_pss")[0] + 1


def test_of_a_child_until_it_ends(child):
    stream = io.StringIO()
    child.stdin.close()
    assert memory_usage(child, interval=0.01, stream=stream, multiprocess=True) is None
    assert child.poll() == 0
    for line in stream.getvalue().splitlines():
        assert re.fullmatch(r"MEM \d+\.\d{6} \d+\.\d{4}", line)
    assert type(memory_usage(child, interval=0.01)) is list


def test_the_stream_of_a_function():
    stream = io.StringIO()
    found = memory_usage((sum, ([1],)), interval=0.001, retval=True, stream=stream)
    assert found == (None, 1)
    assert re.match(r"MEM \d+\.\d{6} \d+\.\d{4}\n", stream.getvalue())


def test_what_is_no_process_is_refused():
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(60)
    with pytest.raises(ProcessLookupError, match=f"there is no process {gone.pid}"):
        memory_usage(gone.pid)
    with pytest.raises(ValueError, match="proc must be a process, a function, or a tuple"):
        memory_usage(((), 1))
    with pytest.raises(ValueError, match="interval must be a positive number of seconds"):
        memory_usage(interval=0)


# -- The command --

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
