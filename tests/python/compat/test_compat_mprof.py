"""tracer.compat.mprof: run, plot, peak, list, clean, rm and attach; Ctrl-C; other systems."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest

import launch
from tracer.compat import memory_profiler, mprof, mprof_files, mprof_plot
from tracer.runtime import process_memory

SAMPLES = """\
CMDLINE python program.py
MEM 10.000000 1000.0000
MEM 30.000000 1001.0000
CHLD 77 5.000000 1001.0000
FUNC main.work 12.0000 1000.5000 20.0000 1000.9000 0
MEM 20.000000 1002.0000
FUNC main.inner 25.0000 1000.9000 31.5000 1001.5000 1
"""
OLD, NEW = "mprofile_20240102030405.dat", "mprofile_20250102030405.dat"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / OLD).write_text(SAMPLES.replace("30.0", "40.0"))
    (tmp_path / NEW).write_text(SAMPLES)
    (tmp_path / "other.dat").write_text(SAMPLES)
    return tmp_path


def command(folder, *words, **options):
    found = launch.plain("-m", "tracer.compat.mprof", *words, cwd=folder, **options)
    return found.returncode, found.stdout.decode(), found.stderr.decode()


def good(folder, *words):
    status, out, err = command(folder, *words)
    assert (status, err) == (0, "")
    return out


def bad(folder, *words):
    status, out, err = command(folder, *words)
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    return err


# -- Files --


def test_list_rm_and_clean(folder):
    assert good(folder, "list") == (f"0 {OLD} 03:04:05 02/01/2024\n1 {NEW} 03:04:05 02/01/2025\n")
    assert good(folder, "rm", "--dry-run", "0") == f"Files to be removed: \n{OLD}\n"
    assert good(folder, "clean", "--dry-run") == f"Files to be removed: \n{OLD}\n{NEW}\n"
    assert good(folder, "rm", "-1") == ""
    assert {path.name for path in folder.iterdir()} == {OLD, "other.dat"}
    assert good(folder, "clean") == ""
    assert {path.name for path in folder.iterdir()} == {"other.dat"}
    assert "name the files to remove" in bad(folder, "rm")


def test_peak(folder):
    assert good(folder, "peak") == f"{NEW}\t30.000 MiB\n  Child 77\t\t\t5.000 MiB\n"
    both = good(folder, "peak", "0", "other.dat")
    assert both.splitlines()[::2] == [f"{OLD}\t40.000 MiB", "other.dat\t30.000 MiB"]
    assert good(folder, "peak", "0", OLD) == good(folder, "peak", "0")  # one file, named twice
    assert good(folder, "peak", "--func", "main.inner").splitlines()[0] == f"{NEW}\t31.500 MiB"
    assert good(folder, "peak", "--func", "main.work").splitlines()[0] == f"{NEW}\t20.000 MiB"
    assert good(folder, "peak", "--func", "nobody").splitlines()[0] == f"{NEW}\tNaN MiB"


def test_what_a_file_holds(folder):
    found = mprof_files.read(str(folder / NEW))
    assert found.command == "python program.py"
    assert found.samples == [(1000.0, 10.0), (1001.0, 30.0), (1002.0, 20.0)]
    assert found.children == {"77": [(1001.0, 5.0)]}
    assert found.calls["main.inner"] == [mprof_files.Call(1000.9, 1001.5, 25.0, 31.5, 1)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["peak", "3"], "there is no file number 3"),
        (["peak", "no.dat"], "there is no file 'no.dat'"),
        (["peak", "bad.dat"], "'bad.dat': line 1 is no line of mprof's"),
        (["peak", "empty.dat"], "'empty.dat' holds no measurement"),
        (["nothing"], "name one of run, attach, list, plot, peak, rm, clean"),
        ([], "name one of run"),
        (["peak", "--nothing"], "unknown option '--nothing'"),
        (["plot", "--window", "3,1"], "--window '3,1': give two numbers of seconds"),
        (["run"], "nothing to run"),
        (["run", "-T", "0", "x.py"], "'0': give a positive number of seconds"),
        (["run", "--backend", "x", "x.py"], "--backend 'x': choose from"),
        (["run", "--python", "--nopython", "x.py"], "--python and --nopython exclude each other"),
        (["run", "no_such_program"], "cannot run 'no_such_program'"),
        (["run", "-o", "no/out.dat", "x.py"], "cannot write 'no/out.dat'"),
        (["attach", "no_such_program"], "there is no process 'no_such_program'"),
    ],
)
def test_mistakes(folder, words, said):
    (folder / "bad.dat").write_text("MEM one two\n")
    (folder / "empty.dat").write_text("CMDLINE x\n")
    (folder / "x.py").write_text("")
    assert said in bad(folder, *words)


def test_a_folder_without_files(tmp_path):
    assert good(tmp_path, "list") == ""
    assert "there is no mprofile_*.dat here" in bad(tmp_path, "peak")


def test_labels():
    labels = mprof_files.function_labels(["a.x", "a.y", "b.y", "f.a.b", "g.a.b", "z"])
    expected = {"a.x": "x", "a.y": "a.y", "b.y": "b.y", "f.a.b": "f.a.b", "g.a.b": "g.a.b"}
    assert labels == {**expected, "z": "z"}


# -- run --

PROGRAM = """\
import sys, time

@profile
def work():
    data = bytearray(b"x") * (8 * 2**20)
    time.sleep(0.2)

if __name__ == "__main__":
    work()
    print("done", sys.argv[1:])
    sys.exit(3)
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def only_file(folder):
    (path,) = folder.glob("mprofile_*.dat")
    return mprof_files.read(str(path))


def test_run_a_script(program):
    assert good(program, "run", "-T", "0.01", "program.py", "-x", "a b") == "done ['-x', 'a b']\n"
    found = only_file(program)
    assert found.command == "program.py -x 'a b'"
    assert len(found.samples) > 2
    ((start, end, *_, level),) = found.calls["__main__.work"]
    assert (end - start > 0.15, level) == (True, 0)
    assert found.samples[0][0] <= start
    peaks = good(program, "peak")
    assert re.fullmatch(r"mprofile_\d{14}\.dat\t[\d.]+ MiB\n", peaks)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk(program):
    status, out, err = command(program, "run", "-o", "/dev/full", "program.py")
    assert (status, out) == (3, "")  # the program has not begun
    assert err == "tracer: could not write '/dev/full': No space left on device\n"


def test_the_status_of_the_program(program):
    words = ("run", "-T", "0.01", "-o", "out.dat", "program.py")
    assert command(program, *words)[0] == 0
    assert command(program, words[0], "-E", *words[1:])[0] == 3


def test_run_other_programs(program):
    script = PROGRAM.replace("@profile\n", "")
    (program / "plain.py").write_text(script)
    words = ("run", "-T", "0.01", "-o", "out.dat")
    out = good(program, *words, sys.executable, "plain.py", "1")
    assert out == "done ['1']\n"
    assert good(program, *words, "--nopython", sys.executable, "plain.py") == "done []\n"
    assert good(program, *words, "--python", "program") == "done []\n"
    assert good(program, *words, "-M", "plain.py") == "done []\n"
    found = mprof_files.read(str(program / "out.dat"))
    assert list(found.calls) == ["__main__.work"]
    assert len(found.calls["__main__.work"]) == 1


def test_attach(tmp_path):
    words = [sys.executable, "-c", "print(1, flush=True); input()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        pid = str(process.pid)
        assert good(tmp_path, "attach", "-T", "0.01", "-t", "0.05", "-o", "out.dat", pid) == ""
        assert good(tmp_path, "run", "-a", "-T", "0.01", "-t", "0.03", "-o", "out.dat", pid) == ""
        process.stdin.close()
        process.wait(60)
    assert len(mprof_files.read(str(tmp_path / "out.dat")).samples) == 8
    assert f"there is no process '{pid}'" in bad(tmp_path, "attach", pid)


def test_a_program_that_goes_on(tmp_path):
    (tmp_path / "program.py").write_text("import time\ntime.sleep(1)\n")
    words = ("run", "--nopython", "-T", "0.01", "-t", "0.05", "-o", "out.dat")
    status, _, err = command(tmp_path, *words, sys.executable, "program.py")
    assert status == 0
    assert "the program runs on: it was measured for 0.05 s" in err


# -- Ctrl-C --

READY = "import sys; print(1, flush=True); sys.stdin.read()"


@contextmanager
def measuring(folder, *words):
    """A command that has measured something, and is to be interrupted."""
    words = ("-m", "tracer.compat.mprof", *words)
    with launch.start(*words, cwd=folder) as process:
        # 50 measurements are written together: the file has more than its first line then.
        while b"MEM" not in (folder / "out.dat").read_bytes():
            assert process.poll() is None
            time.sleep(0.01)
        yield process


def test_interrupted_where_it_is_attached(tmp_path):
    (tmp_path / "out.dat").touch()
    with launch.start("-c", READY) as process:
        process.stdout.readline()
        words = ("attach", "-T", "0.001", "-o", "out.dat", str(process.pid))
        with measuring(tmp_path, *words) as command:
            command.send_signal(signal.SIGINT)
            said = command.communicate(timeout=300)
        assert process.poll() is None  # it goes on
        process.communicate(timeout=300)
    assert said == (b"", b"tracer: interrupted: out.dat has what was measured until then\n")
    assert command.returncode == 0
    assert len(mprof_files.read(str(tmp_path / "out.dat")).samples) >= 50


@pytest.mark.parametrize("timeout", [(), ("-t", "9999")])
def test_interrupted_with_the_program(tmp_path, timeout):
    (tmp_path / "out.dat").touch()
    script = (
        "import signal, sys\n"
        "try:\n    print(1, flush=True)\n    signal.pause()\n"
        "except KeyboardInterrupt:\n    print('again', flush=True)\n    signal.pause()\n"
    )
    (tmp_path / "waits.py").write_text(script)
    words = ("run", "--nopython", "-T", "0.001", *timeout, "-o", "out.dat")
    with measuring(tmp_path, *words, sys.executable, "waits.py") as command:
        (pid,) = process_memory.descendants(command.pid)
        assert command.stdout.readline() == b"1\n"
        command.send_signal(signal.SIGINT)  # a terminal sends it to both
        os.kill(pid, signal.SIGINT)
        assert command.stdout.readline() == b"again\n"
        assert command.poll() is None
        os.kill(pid, signal.SIGINT)
        out, err = command.communicate(timeout=300)
    assert (out, command.returncode) == (b"", 128 + signal.SIGINT)
    assert err.count(b"Traceback") == 2  # the program's own: one error while the other was handled
    assert b"mprof" not in err


# -- Where there is no /proc --


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "-C", "x.py"], "the children of a process are not known here: pip install psutil"),
        (["run", "-M", "x.py"], "or leave out include_children and multiprocess (-C and -M of"),
        (["attach", "-C", "1"], "the children of a process are not known here: pip install psutil"),
        (["run", "--backend", "psutil_pss", "x.py"], "known on Linux alone: give the backend"),
        (["attach", "python"], "processes have names on Linux alone, not 'python'; give the id"),
    ],
)
def test_what_other_systems_do_not_tell(tmp_path, monkeypatch, capsys, words, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(process_memory, "IN_PROC", False)
    monkeypatch.setattr(process_memory, "installed_psutil", lambda: None)
    with pytest.raises(SystemExit) as end:
        mprof.main([words[0], "-o", "out.dat", *words[1:]])
    assert end.value.code == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
    assert "CMDLINE" not in "".join(path.read_text() for path in tmp_path.iterdir())


def test_the_command_of_memory_profiler_says_so_too(tmp_path, monkeypatch, capsys):
    (tmp_path / "x.py").write_text("print('ran')\n")
    monkeypatch.setattr(process_memory, "IN_PROC", False)
    monkeypatch.setattr(process_memory, "installed_psutil", lambda: None)
    with pytest.raises(SystemExit) as end:
        memory_profiler.main(["--timestamp", "--include-children", str(tmp_path / "x.py")])
    out, err = capsys.readouterr()
    assert (end.value.code, out, err.count("\n")) == (2, "", 1)
    assert "pip install psutil" in err


# -- plot --


def test_a_plot_as_text(folder):
    found = mprof_files.read(str(folder / NEW))
    text = mprof_plot.text_plot(found, mprof_plot.Look(), width=4, is_ascii=True)
    first, *rows, axis, times = text.splitlines()
    assert first == "python program.py"
    assert len(rows) == mprof_plot.HEIGHT
    heights = [sum(1 for row in rows if row[10:][1 + at : 2 + at].strip()) for at in range(4)]
    assert heights == [4, 4, 12, 8]
    assert rows[0].startswith("     30.0 |")
    assert axis == "      MiB +----"
    assert times.split() == ["0.0", "2.0", "s"]
    part = mprof_plot.text_plot(found, mprof_plot.Look("a title", (1.5, 2.5)), width=4)
    assert part.splitlines()[0] == "a title"
    assert part.splitlines()[1].startswith("     20.0 |")
    assert "█" in part
    assert good(folder, "plot", "--text", "-1").splitlines()[0] == "python program.py"


def test_without_matplotlib_it_is_text(folder, monkeypatch, capsys):
    monkeypatch.setattr(mprof_plot, "is_installed", lambda: False)
    monkeypatch.chdir(folder)
    mprof.main(["plot"])
    said = capsys.readouterr()
    assert "there is no matplotlib here (pip install matplotlib)" in said.err
    assert "30.0 |" in said.out
    with pytest.raises(SystemExit):
        mprof.main(["plot", "-o", "out.png"])
    assert "a picture needs matplotlib: pip install matplotlib" in capsys.readouterr().err


class Recorder:
    """Stands for anything of matplotlib's: notes what it is asked for."""

    def __init__(self, notes, name=""):
        self.notes, self.name = notes, name

    def __getattr__(self, name):
        return Recorder(self.notes, name)

    def __call__(self, *args, **options):
        self.notes.append((self.name, args, options))
        return (self, self) if self.name == "subplots" else None


@pytest.mark.parametrize("words", [[], ["-f"], ["-s"], ["-n"], ["-w", "0,1"], ["0", "1"]])
def test_a_picture(folder, monkeypatch, words):
    notes = []
    modules = {"matplotlib.pyplot": Recorder(notes), "matplotlib": Recorder(notes)}
    real = mprof_plot.import_module
    monkeypatch.setattr(mprof_plot, "is_installed", lambda: True)
    monkeypatch.setattr(mprof_plot, "import_module", lambda name: modules.get(name) or real(name))
    monkeypatch.chdir(folder)
    mprof.main(["plot", "-o", "out.png", "--backend", "agg", *words])
    names = [name for name, _, _ in notes]
    assert names.count("savefig") == 1
    assert ("use", ("agg",), {}) in notes
    curves = [args for name, args, _ in notes if name == "plot" and args[2:] == ("+-",)]
    merged = [0.0, 0.5, 0.9, 0.9, 1.0, 1.5, 2.0]  # with the ends of calls
    assert curves[0][0] == pytest.approx(merged)
    assert curves[-1][0] == [1.0]  # of the child
    marks = sum(1 for name, args, _ in notes if name == "plot" and args[2:] == ("|",))
    assert marks == (0 if words in (["-f"], ["-n"], ["0", "1"]) else 2)
    assert names.count("axvspan") == (2 if words == ["-f"] else 0)
    labels = [options["label"] for _, _, options in notes if "label" in options]
    assert any("slope" in label for label in labels) == (words == ["-s"])
    assert ("set_xlim" in names) == (words == ["-w", "0,1"])


def test_a_trend():
    assert mprof_plot.trend([0.0, 1.0, 2.0], [1.0, 3.0, 5.0]) == pytest.approx((2.0, 1.0))
    assert mprof_plot.trend([1.0], [3.0]) == (0.0, 3.0)


def test_help(folder):
    assert "  peak    print the maximum of files\n" in good(folder, "--help")
    assert "-T, --interval SECONDS" in good(folder, "run", "--help")
    assert good(folder, "--version") == good(folder, "plot", "--version") == "0.61.0\n"
