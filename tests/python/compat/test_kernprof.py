"""`python -m tracer.compat.kernprof` and `.line_profiler`: kernprof's command line and viewer."""

import linecache
import os
import pickle
import pstats
import re
import sys
from pathlib import Path

import pytest

import tracer
from launch import plain, write
from outfiles import second
from tracer.compat import kernprof, line_profiler
from tracer.compat.kernprof_targets import Targets, imports_of
from tracer.data import lprof
from tracer.launch import output

PROGRAM = """\
import sys

@profile
def f(n):
    for i in range(n):
        pass

f(3)
print("out", sys.argv[1:], __name__, file=sys.stdout)
print("err", file=sys.stderr)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "main.py", PROGRAM)
    return tmp_path


def run(*words, **options):
    result = plain("-m", "tracer.compat.kernprof", *words, **options)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def view(*words, **options):
    result = plain("-m", "tracer.compat.line_profiler", *words, **options)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def names_in(file):
    timings, _ = lprof.load(file)
    return {name for _, _, name in timings}


def test_lines(folder):
    status, out, err = run("-l", "main.py", "a", "-v")
    assert (status, err) == (0, "err\n")
    assert out == (
        "out ['a', '-v'] __main__\n"
        "Wrote profile results to 'main.py.lprof'\n"
        "Inspect results with:\n"
        f"{output.quote(sys.executable)} -m tracer.compat.line_profiler -rmt main.py.lprof\n"
    )
    timings, unit = lprof.load("main.py.lprof")
    assert unit == 1e-9
    assert list(timings) == [(str(folder / "main.py"), 3, "f")]
    assert [(line, hits) for rows in timings.values() for line, hits, _ in rows] == [(5, 4), (6, 3)]


def test_viewing(folder):
    status, out, _ = run("-lvz", "-u1e-3", "--summarize", "main.py")
    assert status == 0
    head, _, table = out.partition("Wrote profile results to 'main.py.lprof'\n")
    assert head == "out [] __main__\n"
    assert table.startswith("Timer unit: 0.001 s\n\nTotal time: ")
    assert re.search(rf"\n +[0-9.]+ seconds - {folder}/main.py:3 - f\n$", table)
    assert view("-mz", "-u", "1e-3", "main.py.lprof") == (0, table, "")


def test_functions():
    write(Path("plain.py"), "def f():\n    return len('x')\nf()\n")
    status, out, err = run("plain.py")
    assert (status, err) == (0, "")
    assert "Wrote profile results to 'plain.py.prof'\nInspect results with:\n" in out
    assert {name for _, _, name in pstats.Stats("plain.py.prof").stats} >= {"f", "<module>"}
    assert tracer.Stats("plain.py.prof").total_calls == 3
    assert "plain.py:1(f)" in run("-v", "plain.py")[1]


def test_only_what_is_decorated():
    status, out, _ = run("-b", "-v", "main.py")
    assert status == 0
    rows = [line for line in out.splitlines() if re.match(r" +[1-9]", line)]
    functions = [row.split("/")[-1] for row in rows if "function calls" not in row]
    assert functions == ["main.py:3(f)"]


@pytest.mark.parametrize("words", [("-m", "main"), ("-lm", "main"), ("-mmain",)])
def test_modules(words):
    words = ("-b", *words) if "-lm" not in words else words
    status, out, _ = run(*words, "-v", "x")
    assert status == 0
    assert "out ['-v', 'x'] __main__" in out
    assert os.path.exists("main.lprof" if "-lm" in words else "main.prof")


def test_statements():
    status, out, _ = run("-l", "-v", "-o", "x.lprof", "-c", "def f():\n    return 1\nf()", "-v")
    assert status == 0
    assert "Function: f at line 1\n" in out
    assert "100.0      return 1\n" in out
    assert lprof.load("x.lprof")[0] == {}  # its source is nowhere
    assert "Function: f" in run("-lv", "-", stdin=b"def f():\n    return 1\nf()")[1]


def test_setup_comes_before():
    write(Path("setup.py"), "import builtins; builtins.answer = 42; print('setup')")
    write(Path("a.py"), "print(answer)")
    assert run("-q", "-s", "setup.py", "a.py") == (0, "setup\n42\n", "")


@pytest.mark.parametrize(
    ("flags", "out", "err"),
    [
        ("-q", "out [] __main__\n", "err\n"),
        ("-qq", "", "err\n"),
        ("-qqq", "", ""),
        ("-qqqv", "", "err\n"),
    ],
)
def test_quiet(flags, out, err):
    assert run("-l", flags, "main.py") == (0, out, err)
    assert os.path.exists("main.py.lprof")


def test_a_folder_of_modules(folder):
    write(folder / "pack" / "__init__.py", "def at_top(): pass")
    write(folder / "pack" / "one.py", "def first(): pass\nclass C:\n    def m(self): pass")
    write(folder / "pack" / "two.py", "def second(): pass")
    write(folder / "a.py", "import pack.one\npack.one.first()\ndef own(): pass\nown()\n")
    cases = {
        "pack": {"at_top", "first", "C.m", "second"},
        "pack.__init__": {"at_top"},
        "pack/one.py": {"first", "C.m"},
        "pack.one.C,pack.two": {"C.m", "second"},
        "pack.one.first": {"first"},
        "a.py": {"own"},
        str(folder / "a.py"): {"own"},
    }
    for target, names in cases.items():
        assert run("-l", "-p", target, "-o", "x.lprof", "a.py")[0] == 0
        assert names_in("x.lprof") == names, target
    assert run("-l", "-p", "pack.one,pack.two", "--no-preimports", "-o", "x.lprof", "a.py")[0] == 0
    assert names_in("x.lprof") == {"first", "C.m"}
    assert run("-l", "-p", "a.py", "--prof-imports", "-o", "x.lprof", "a.py")[0] == 0
    assert names_in("x.lprof") == {"own", "first", "C.m"}


def test_an_import_that_cannot_be_resolved_hides_no_other(folder):
    text = "from ... import above\nfrom . import beside\nimport one\n"
    code = compile(text, str(write(folder / "top.py", text)), "exec")
    assert imports_of(code, None) == ["one"]
    assert imports_of(code, "pack") == ["pack.beside", "one"]


def test_a_target_that_is_none():
    status, _, err = run("-l", "-p", "nowhere,./no.py", "main.py")
    assert status == 0
    assert "2 profiling targets cannot be found: ['nowhere', './no.py']" in err
    assert "-p is of no use without -l" in run("-b", "-p", "os", "main.py")[2]


def test_a_target_that_fails_is_told_with_its_own_traceback(folder):
    write(folder / "bad.py", "raise ValueError('bad')")
    status, _, err = run("-l", "-p", "bad", "main.py")
    assert status == 1
    assert err.startswith(f'Traceback (most recent call last):\n  File "{folder}/bad.py", line 1')


def test_line_profilers_decorator_is_ours(folder):
    write(folder / "a.py", "from line_profiler import profile\n@profile\ndef f():\n    pass\nf()\n")
    assert run("-l", "a.py")[0] == 0
    assert names_in("a.py.lprof") == {"f"}


def test_how_the_program_ends(folder):
    write(folder / "a.py", "@profile\ndef f():\n    raise SystemExit(3)\nf()\n")
    assert run("-l", "a.py")[0] == 3
    assert names_in("a.py.lprof") == {"f"}
    write(folder / "a.py", "1 / 0\n")
    status, _, err = run("-l", "a.py")
    assert status == 1
    assert err.startswith(f'Traceback (most recent call last):\n  File "{folder}/a.py", line 1')


def test_results_come_while_it_runs(folder):
    write(
        folder / "a.py",
        "import os, time\n@profile\ndef f():\n    while not os.path.exists('a.py.lprof'):\n"
        "        time.sleep(.01)\nf()\n",
    )
    assert run("-l", "-i", "a.py")[0] == 0
    assert run("-l", "-i", "1", "a.py")[0] == 0


def test_the_program_needs_not_wait_for_what_writes_its_results(folder):
    write(
        folder / "a.py",
        "import threading\nothers = set(threading.enumerate()) - {threading.main_thread()}\n"
        "print([thread.daemon for thread in others])\n",
    )
    assert run("-l", "-i", "1", "a.py")[1].startswith("[True]\n")


BAD = {
    "nothing": ((), "nothing to run"),
    "no script": (("nowhere.py",), "no script 'nowhere.py'"),
    "no module": (("-m", "nowhere"), "cannot run -m nowhere"),
    "-m alone": (("-m",), "-m needs a value"),
    "-m --": (("-m", "--", "main"), "-m needs a value"),
    "option": (("--foo", "main.py"), "unknown option '--foo'"),
    "short for several": (("--prof", "x", "main.py"), "--prof is short for several"),
    "unit": (("-u", "-1", "main.py"), "--unit '-1': give the seconds"),
    "truth": (("--rich=maybe", "main.py"), "--rich=maybe: give yes or no"),
    "setup": (("-s", "nowhere", "main.py"), "cannot read 'nowhere'"),
    "setup is bad": (("-s", "bad", "main.py"), "'bad' cannot be run"),
    "outfile": (("-l", "-o", "/nowhere/x", "main.py"), "cannot write '/nowhere/x'"),
    "itself": (("-l", "-o", "main.py", "main.py"), "'main.py' is the program itself"),
    "config": (("--config", "nowhere", "main.py"), "cannot read 'nowhere'"),
    "config is bad": (("--config", "bad", "main.py"), "bad is no TOML file"),
    "interval": (
        ("--output-interval=soon", "main.py"),
        "--output-interval 'soon': give a whole number",
    ),
    "a value too many": (("--version=3",), "--version takes no value, '3' was given"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_one_line(case, folder):
    write(folder / "bad", "x = (\n")
    words, reason = BAD[case]
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert err.startswith(f"tracer: {reason}")
    assert err.count("\n") == 1
    assert not list(folder.glob("*prof"))


def test_configuration(folder):
    write(
        folder / "pyproject.toml",
        "[tool.line_profiler.kernprof]\nline-by-line = true\noutfile = 'x.lprof'\n"
        "[tool.line_profiler.show.column_widths]\nline = 8\n",
    )
    assert run("main.py")[0] == 0
    assert "\n  Line #      Hits" in view("x.lprof")[1]
    assert "\nLine #      Hits" in view("--no-config", "x.lprof")[1]
    assert run("--no-line-by-line", "-b", "-o", "x.prof", "main.py")[0] == 0
    assert pstats.Stats("x.prof").stats
    for unit in ("0.0", "-1", "nan", "inf"):
        write(folder / "line_profiler.toml", f"[tool.line_profiler.cli]\nunit = {unit}\n")
        status, _, err = view("x.lprof")
        assert (status, err.count("\n")) == (2, 1)
        assert f"unit = {float(unit)} is no positive number of seconds; correct the file" in err
    write(folder / "line_profiler.toml", "[tool.line_profiler]\ncli = 3\n")
    status, _, err = view("x.lprof")
    assert (status, err.count("\n")) == (2, 1)
    assert "cli is no table; correct the file" in err
    write(folder / "line_profiler.toml", "[tool.line_profiler.kernprof]\noutfile = 3\n")
    status, _, err = run("main.py")
    assert (status, err.count("\n")) == (2, 1)
    assert "line_profiler.toml: outfile = 3 is no str; correct the file" in err


@pytest.mark.parametrize(("words", "name"), [(("-c", "1/0"), "<command>"), (("-",), "<stdin>")])
def test_what_is_in_no_file_has_a_name(words, name):
    status, _, err = run("-o", "x.prof", *words, stdin=b"1/0\n")
    assert status == 1
    assert f'File "{name}", line 1, in <module>\n' in err


def test_help_and_version():
    status, out, _ = run("--help")
    assert status == 0
    assert out.startswith("usage: python -m tracer.compat.kernprof ")
    assert "\n  -V, --version           print the version\n" in out
    assert run("-V") == view("-V") == (0, f"{line_profiler.__version__}\n", "")
    assert view("-h")[1].startswith("usage: python -m tracer.compat.line_profiler ")


def test_the_viewer_without_standard_output_is_silent(folder, monkeypatch, capsys):
    assert run("-l", "main.py")[0] == 0
    monkeypatch.setattr(sys, "stdout", None)
    line_profiler.main(["main.py.lprof"])
    assert capsys.readouterr().err == ""


def test_imports_of_what_is_no_source_are_none(folder):
    source = write(folder / "edited.py", "import os, sys\nfrom . import other\n")
    code = compile("pass", str(source), "exec")
    assert imports_of(code, "pack") == ["os", "sys", "pack.other"]
    write(source, "import os sys\n")
    linecache.checkcache(str(source))
    assert imports_of(code, "pack") == []


def test_the_viewer_adds_files_up_and_refuses_others(folder):
    assert run("-l", "main.py")[0] == 0
    assert " 5         8 " in view("main.py.lprof", second("main.py.lprof"))[1]
    for words, reason in {
        (): "nothing to show",
        ("nowhere",): "cannot read 'nowhere': No such file",
        ("main.py",): "main.py: no .lprof file",
        (".",): "cannot read '.': Is a directory",
    }.items():
        status, out, err = view(*words)
        assert (status, out) == (2, "")
        assert err.startswith(f"tracer: {reason}") and err.count("\n") == 1


def test_the_process_is_as_plain_pythons(folder):
    write(
        folder / "a.py",
        "import sys, pickle\nclass C: pass\n"
        "print(sys.argv, sys.path[0], __file__, sys.modules['__main__'].C is C)\n"
        "print(pickle.loads(pickle.dumps(C)) is C, sys.orig_argv)\n",
    )
    assert run("-l", "-q", "a.py", "x") == (0, plain("a.py", "x").stdout.decode(), "")


def test_in_process_it_leaves_everything_as_it_was(folder, capsys):
    before = sys.argv, sys.path[:], sys.modules.get("line_profiler"), sys.modules["__main__"]
    kernprof.main(["-l", "main.py"])
    assert before == (
        sys.argv,
        sys.path[:],
        sys.modules.get("line_profiler"),
        sys.modules["__main__"],
    )
    assert names_in("main.py.lprof") == {"f"}
    with pytest.raises(SystemExit) as end:
        kernprof.main(["nowhere.py"])
    assert end.value.code == 2


def test_the_module_has_line_profilers_names():
    assert set(line_profiler.__all__) <= set(dir(line_profiler))
    stats = line_profiler.LineStats({("a", 1, "f"): [(1, 2, 3)]}, 1e-6)
    stats.to_file("x.lprof")
    assert line_profiler.load_stats("x.lprof") == pickle.loads(pickle.dumps(stats)) == stats


def test_adding_a_target_says_whether_it_was_found(folder):
    profile = line_profiler.LineProfiler()
    targets = Targets.__new__(Targets)
    targets.profile, targets.seen = profile, set()
    assert targets.add("no_module_of_this_name") is False
    assert targets.add("textwrap", True) is True
