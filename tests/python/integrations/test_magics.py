"""%tprun and %tlprun, in a shell of IPython: what they record, print and save. What they refuse is
in test_magics_refusals.py.
"""

import io
import pstats
import subprocess
import sys
import threading
import time

import pytest

import magics
import tracer
from launch import environment
from magics import hits, result
from tracer.data import lprof

session, shell = magics.session, magics.shell  # fixtures of the tests here


def contents(text):
    """{line: (hits, source)} of the rows of a table that were hit."""
    rows = [(line[:6].strip(), line[6:16].strip(), line[49:].strip()) for line in text.splitlines()]
    return {
        int(line): (int(hits), source)
        for line, hits, source in rows
        if line.isdecimal() and hits.isdecimal()
    }


# -- Lines ----------------------------------------------------------------------------------------


def test_the_lines_of_a_function(shell):
    lines = result(shell, "%tlprun -r -f work work(10)")
    assert hits(lines) == {"work": {2: 1, 3: 11, 4: 10, 5: 1}}
    (text,) = shell.pages
    assert text.startswith("Timer unit: 1e-06 s\n")
    assert contents(text) == {
        2: (1, "total = 0"),
        3: (11, "for i in range(n):"),
        4: (10, "total += i"),
        5: (1, "return total"),
    }


def test_the_magic_of_line_profiler(shell):
    """line_profiler's own tests ask what else the magic does: see test_line_conformance.py."""
    shell.run_line_magic("load_ext", "tracer.compat.line_profiler")
    profile = result(shell, "%lprun -r -f work work(10)")
    (((_, line, name), rows),) = profile.get_stats().timings.items()
    assert (line, name) == (1, "work")
    assert [row[:2] for row in rows] == [(2, 1), (3, 11), (4, 10), (5, 1)]


def test_nothing_is_returned_unless_it_is_asked_for(shell):
    assert result(shell, "%tlprun -f work work(10)") is None
    assert result(shell, "%tprun work(10)") is None
    assert len(shell.pages) == 2


def test_several_functions(shell):
    lines = result(shell, "%tlprun -r -f work -f idle work(2); idle(); idle()")
    assert hits(lines) == {"work": {2: 1, 3: 3, 4: 2, 5: 1}, "idle": {8: 2}}


def test_a_cell_times_itself_and_not_what_is_decorated(shell, monkeypatch):
    code = shell.user_ns["work"].__code__
    monkeypatch.setattr(tracer.profile, "codes", {id(code): code})
    assert hits(result(shell, "%%tlprun -r\nwork(1)\n")) == {"<module>": {2: 1}}
    assert hits(result(shell, "%tlprun -r work(1)")) == {"work": {2: 1, 3: 2, 4: 1, 5: 1}}


def test_a_cell_times_itself_and_what_it_defines(shell):
    cell = (
        "%%tlprun -r\n"
        "\n"
        "def twice(n):\n"
        "    return [\n"
        "        2 * i for i in range(n)\n"
        "    ]\n"
        "\n"
        "class Sum:\n"
        "    def of(self, n):\n"
        "        inner = lambda i: work(i)\n"
        "        return inner(n)\n"
        "\n"
        "for n in range(3):\n"
        "    twice(n)\n"
        "    Sum().of(n)\n"
    )
    lines = result(shell, cell)
    found = hits(lines)
    found.pop("twice.<locals>.<listcomp>", None)  # up to Python 3.11
    assert found == {
        "<module>": {3: 1, 8: 1, 13: 4, 14: 3, 15: 3},
        "twice": {4: 3},
        "Sum": {8: 1, 9: 1},
        "Sum.of": {10: 3, 11: 3},
        "Sum.of.<locals>.<lambda>": {10: 3},
    }
    (text,) = shell.pages
    module = text[text.index("Function: <module> at line 1") :].split("\n\n")[1]
    assert contents(module) == {
        3: (1, "def twice(n):"),
        8: (1, "class Sum:"),
        13: (4, "for n in range(3):"),
        14: (3, "twice(n)"),
        15: (3, "Sum().of(n)"),
    }
    assert "\n    10         3 " in text and "inner = lambda i: work(i)" in text


def test_a_cell_has_the_line_beside_its_magic(shell):
    lines = result(shell, "%%tlprun -r first = 1\nsecond = 2\n")
    assert hits(lines) == {"<module>": {1: 1, 2: 1}}
    assert contents(shell.pages[0]) == {1: (1, "first = 1"), 2: (1, "second = 2")}
    assert (shell.user_ns["first"], shell.user_ns["second"]) == (1, 2)


def test_a_cell_that_names_functions_times_those_alone(shell):
    cell = (
        "%%tlprun -r -f work -f mine.of\nclass mine:\n    def of():\n        work(1)\nmine.of()\n"
    )
    assert hits(result(shell, cell)) == {"mine.of": {4: 1}, "work": {2: 1, 3: 2, 4: 1, 5: 1}}


def test_a_function_that_a_cell_defines_again_is_the_new_one(shell):
    cell = "%%tlprun -r -f work\ndef work():\n    pass\nwork()\n"
    assert hits(result(shell, cell)) == {"work": {3: 1}}


def test_the_functions_of_a_module(shell, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "magics_module.py").write_text(
        "from textwrap import dedent\n"
        "def called():\n    return 1\n"
        "class Kind:\n    def method(self):\n        return called()\n"
        "def left():\n    return 2\n"
        "class Proxy:\n    def __getattribute__(self, name):\n        raise RuntimeError(name)\n"
        "proxy = Proxy()\n"
    )
    lines = result(
        shell, "%tlprun -r -m magics_module import magics_module as m; m.Kind().method()"
    )
    assert hits(lines) == {
        "called": {3: 1},
        "Kind.method": {6: 1},
        "left": {},
        "Proxy.__getattribute__": {},
    }
    assert "Never called: left (magics_module.py:7), Proxy." in shell.pages[0]
    del sys.modules["magics_module"]


def test_what_is_decorated_is_timed_when_nothing_is_named(shell, monkeypatch):
    monkeypatch.setattr(tracer.profile, "codes", {})
    shell.run_cell("from tracer import profile\nprofile(work)")
    assert hits(result(shell, "%tlprun -r work(1)")) == {"work": {2: 1, 3: 2, 4: 1, 5: 1}}


def test_units_and_zeros(shell):
    result(shell, "%tlprun -u 1e-3 -f work -f idle work(3)")
    result(shell, "%tlprun -z -f work -f idle work(3)")
    result(shell, "%tlprun -s -f work -f idle work(3)")
    assert shell.pages[0].startswith("Timer unit: 0.001 s\n")
    assert ["Function: idle" in text for text in shell.pages] == [True, False, False]


def test_files_of_lines(shell, tmp_path, capsys):
    raw, text = tmp_path / "with blank.lprof", tmp_path / "lines.txt"
    result(shell, f'%tlprun -D "{raw}" -T {text} -f work work(10)')
    timings, _ = lprof.load(raw)
    ((key, rows),) = timings.items()
    assert (key[1:], [row[:2] for row in rows]) == (
        (1, "work"),
        [(2, 1), (3, 11), (4, 10), (5, 1)],
    )
    assert text.read_text() == f"{shell.pages[0]}\n"
    assert capsys.readouterr().out.splitlines() == [
        f"*** Profile saved to file {str(raw)!r}.",
        f"*** Table saved to file {str(text)!r}.",
    ]


# -- Functions ------------------------------------------------------------------------------------


def ncalls(stats):
    return {label[2]: row[1] for label, row in stats.stats.items()}


def test_the_functions_that_a_statement_calls(shell):
    stats = result(shell, "%tprun -r work(10); idle(); idle()")
    assert type(stats) is tracer.Stats
    assert ncalls(stats) == {"<module>": 1, "work": 1, "idle": 2}
    (text,) = shell.pages
    assert "4 function calls in" in text
    assert "Ordered by: internal time" in text
    assert stats.stream is not text and not isinstance(stats.stream, io.StringIO)


def test_the_functions_of_a_cell(shell):
    stats = result(shell, "%%tprun -r work(1)\ndef mine():\n    idle()\nmine()\n")
    assert ncalls(stats) == {"<module>": 1, "work": 1, "mine": 1, "idle": 1}
    assert {label[1] for label in stats.stats if label[2] == "mine"} == {2}


def test_threads_that_the_cell_starts(shell):
    cell = (
        "%%tprun -r\nimport threading\n"
        "threads = [threading.Thread(target=work, args=(1,)) for _ in range(3)]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
    )
    assert ncalls(result(shell, cell))["work"] == 3
    assert hits(result(shell, cell.replace("%tprun -r", "%tlprun -r -f work")))["work"][2] == 3


def test_threads_of_the_shell_are_no_part_of_it(shell):
    """Left out are threads that ran before and whose code is of a notebook kernel's packages."""
    ends, threads = threading.Event(), []
    shell.user_ns["beats"] = beats = {}
    code = (
        "def serve():\n    while not ends.is_set(): pause()\ndef pause(): beat.set(); sleep(.001)"
    )
    for name in "ipykernel.iostream", "users_own":
        beats[name] = threading.Event()
        space = {"__name__": name, "ends": ends, "sleep": time.sleep, "beat": beats[name]}
        exec(code, space)
        space["pause"].__code__ = space["pause"].__code__.replace(co_name=name)
        threads.append(threading.Thread(target=space["serve"]))
        threads[-1].start()
    try:
        # The second is of a call that began while this was recorded.
        cell = "%%tprun -r\nfor beat in [*beats.values()] * 2:\n    beat.clear()\n    beat.wait()\n"
        found = ncalls(result(shell, cell))
    finally:
        ends.set()
        for thread in threads:
            thread.join()
    assert found["users_own"] > 0
    assert "ipykernel.iostream" not in found


def test_a_cell_that_a_thread_of_the_shell_runs_is_recorded(shell):
    """A kernel runs the cells of a subshell in a thread of its own."""
    found = []
    run = lambda: found.append(result(shell, "%tprun -r work(1)"))  # noqa: E731
    space = {"__name__": "ipykernel.subshell", "run": run}
    exec("def serve(): run()", space)
    thread = threading.Thread(target=space["serve"])
    thread.start()
    thread.join()
    assert ncalls(found[0])["work"] == 1


def test_rows_are_sorted_and_limited(shell):
    result(shell, "%tprun -s calls -s name -l 1 work(1); idle(); idle()")
    result(shell, "%tprun -l idle -l 1 work(1); idle()")
    result(shell, "%tprun -l 0.5 work(1); idle(); len('')")
    result(shell, "%tprun -s longest work(1)")
    result(shell, "%tprun -l 1.0 work(1)")
    assert "Ordered by: call count, function name" in shell.pages[0]
    assert shell.pages[0].endswith("(idle)")
    assert shell.pages[1].endswith("(idle)")
    assert "from 4 to 2 due to restriction <0.5>" in shell.pages[2]
    assert "  cumtime  percall  longest filename:lineno(function)" in shell.pages[3]
    assert "restriction" not in shell.pages[4]


def test_quiet_and_files_of_functions(shell, tmp_path, capsys):
    raw, text = tmp_path / "calls.out", tmp_path / "calls.txt"
    result(shell, f"%tprun -q -D {raw} -T{text} work(10)")
    assert shell.pages == []
    assert ncalls(tracer.Stats(raw))["work"] == 1
    assert {label[2] for label in pstats.Stats(str(raw)).stats} == {"<module>", "work"}
    assert "2 function calls in" in text.read_text()
    assert capsys.readouterr().out.splitlines() == [
        f"*** Profile saved to file {str(raw)!r}.",
        f"*** Table saved to file {str(text)!r}.",
    ]


# -- What is run ----------------------------------------------------------------------------------


@pytest.mark.parametrize("magic", ["tprun", "tlprun -f work"])
def test_the_statement_stays_as_it_is(shell, magic):
    shell.user_ns["n"] = 3
    result(shell, f"%{magic} kept = '-f  {{n}}  $n', work(1), \"it's\"")
    assert shell.user_ns["kept"] == ("-f  {n}  $n", 0, "it's")
    result(shell, f"%{magic} -- -work(1)")


@pytest.mark.parametrize("magic", ["tprun", "tlprun"])
def test_what_ipython_adds_to_python(shell, magic):
    result(shell, f"%%{magic}\nnames = %who_ls function\n")
    assert "work" in shell.user_ns["names"]


@pytest.mark.parametrize("magic", ["tprun", "tlprun -f work"])
@pytest.mark.parametrize("error", ["SystemExit", "KeyboardInterrupt"])
def test_an_end_is_told_below_the_table(shell, capsys, magic, error):
    result(shell, f"%{magic} work(3); raise {error}")
    assert len(shell.pages) == 1 and "work" in shell.pages[0]
    said = f"*** {error} exception caught in code being profiled.\n"
    assert capsys.readouterr().out == said


@pytest.mark.parametrize("magic", ["tprun", "tlprun -f work"])
def test_an_error_comes_after_the_table(shell, capsys, magic):
    ran = shell.run_cell(f"%%{magic}\nwork(3)\n1 / 0\n")
    assert type(ran.error_in_exec) is ZeroDivisionError
    assert len(shell.pages) == 1 and "work" in shell.pages[0]
    trace = capsys.readouterr().out
    assert "----> 3 1 / 0" in trace
    assert "user_global_ns" not in trace  # a line of the magic's own frame


def test_a_syntax_error_is_pythons(shell):
    assert type(shell.run_cell("%tlprun -f work 1 +").error_in_exec) is SyntaxError
    assert shell.pages == []


def test_what_is_profiled_already_is_left_alone(shell):
    """A Profile that the user enabled has the statement of a magic in its rows, not its work."""
    with tracer.Profile() as outer:
        result(shell, "%tlprun -f work work(3)")
    with tracer.Profile() as also:
        result(shell, "%tprun work(3)")
    for profile in outer, also:
        rows = {label: row[1] for label, row in tracer.Stats(profile).stats.items()}
        assert sum(calls for label, calls in rows.items() if label[2] == "work") == 1
        assert [label for label in rows if "pstats" in label[0] or "inspect" in label[0]] == []


@pytest.mark.parametrize("profiler", ["Profile()", "LineProfiler(later)"])
def test_a_plain_cell_that_awaits(shell, capsys, profiler):
    """What the magics say to statements that await."""
    shell.run_cell("import asyncio, tracer\nasync def later():\n    await asyncio.sleep(0)")
    ran = shell.run_cell(f"with tracer.{profiler} as found:\n    await later()\n")
    assert ran.success
    shell.run_cell("found.print_stats()")
    assert "later" in capsys.readouterr().out


def test_ipython_is_imported_by_nobody_else():
    program = (
        "import sys, tracer, tracer.api.stats, tracer.api.decorator\n"
        "print('IPython' in sys.modules, 'load_ipython_extension' in tracer.__all__)"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, env=environment())
    assert (done.stdout, done.stderr) == ("False False\n", "")
