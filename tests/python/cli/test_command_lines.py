"""-l and --lines: which lines the command times, what it prints of them, and in which files.

Where there is nothing to time, and what is refused: test_command_lines_refusals.py. Programs that
run without the command, with TRACER=1, are in test_lines_environment.py.
"""

import os
import re
import sys

import pytest

import linetables
import tracer
from launch import traced, write
from linetables import DECORATED, hits, table
from outfiles import second

SEES_CALLS = sys.version_info >= (3, 12)

folder = linetables.folder  # a fixture of the tests here


def saved(folder, *words):
    """The Stats of a run with these words."""
    found = traced("-o", "profile.out", *words, cwd=folder)
    assert found.stderr == b""
    return tracer.Stats(folder / "profile.out")


def test_what_is_decorated(folder):
    found = traced("-l", "decorated.py", cwd=folder)
    assert found.stderr == b""
    output = found.stdout.decode()
    assert table(output) == [
        (4, 1, "total = 0"),
        (5, 11, "for i in range(n):"),
        (6, 10, "total += abs("),
        (9, 1, "return total"),
    ]
    assert output.startswith("45\n   command  decorated.py\n")
    assert "     lines  23 hits in 1 function timed by line\n" in output
    assert "function calls" not in output
    assert output.endswith("Never called: idle (decorated.py:11)\n")


TEMPLATE = """
import os
path = os.path.abspath("page.html")
code = "pass\\n" * 9 + "def root():\\n    return 1\\n\\nroot()\\n"
exec(compile(code, path, "exec"), {})
"""


def test_code_that_was_made_of_a_template_has_no_text(folder):
    write(folder / "made" / "page.html", "{% if x %}\n" * 11)
    write(folder / "made" / "program.py", TEMPLATE)
    found = traced("--lines", "program.py", cwd=folder / "made")
    assert found.stderr == b""
    output = found.stdout.decode()
    assert "{% if" not in output
    assert output.count("page.html: this code may have been made from it, as from a template") == 2
    assert "There is no such Python in" in output  # root() ends before the template does
    assert "There is no line 13 in" in output  # the module of root() does not
    stats = saved(folder / "made", "--lines", "program.py")
    assert [os.path.basename(file) for file in stats.captures[0].sources] == ["program.py"]


def test_an_empty_module_was_called(folder):
    write(folder / "empty" / "package" / "__init__.py", "")
    write(folder / "empty" / "package" / "comments.py", "# nothing\n\n# at all\n")
    write(folder / "empty" / "idle.py", "import package.comments\n@profile\ndef idle(): pass\n")
    found = traced("--lines", "idle.py", cwd=folder / "empty")
    assert found.stderr == b""
    output = found.stdout.decode()
    assert output.endswith("Never called: idle (idle.py:2)\n")
    stats = saved(folder / "empty", "--lines", "idle.py")
    names = [(os.path.basename(it.file), it.qualname) for it in stats.lines.functions if it.lines]
    assert ("idle.py", "<module>") in names
    assert f"{len(names)} of {len(names) + 1} functions" in repr(stats.lines)


def test_a_decorated_program_runs_in_every_mode(folder):
    for options in [], ["--lines"], ["-o", "profile.out"]:
        found = traced(*options, "decorated.py", cwd=folder)
        assert (found.stderr, found.stdout[:3]) == (b"", b"45\n")


def test_all_lines_of_the_programs_own_code(folder):
    comprehension = {} if SEES_CALLS else {"main.<locals>.<listcomp>": {10: 5}}
    stats = saved(folder, "--lines", "app/main.py")
    found = hits(stats)
    generator = found.pop("main.<locals>.<genexpr>")
    module = found.pop("main.py")
    assert found.pop("helpers.py") == found.pop("<string>") == {1: 1}
    assert found == {
        "Thing": {5: 1, 6: 1, 7: 1},
        "Thing.<lambda>": {7: 4},
        "main": {10: 5 if SEES_CALLS else 1, 11: 1, 12: 1},
        "total": {2: 1, 3: 5, 4: 4, 5: 1},
        **comprehension,
    }
    assert set(generator) == {12}
    assert module == {2: 1, 3: 1, 5: 1, 9: 1, 14: 1}
    # One command, both tables: functions of everywhere.
    names = {label[2] for label in stats.stats}
    assert {"main", "total", "dumps"} <= names
    assert not any(function.name == "dumps" for function in stats.lines.functions)


def test_what_is_included_besides(folder):
    both = saved(folder, "--lines", "--lines-of", "json", "app/main.py")
    assert {"main", "total", "dumps"} <= set(hits(both)) & functions(both)
    alone = saved(folder, "--lines-of", "json", "app/main.py")
    assert "dumps" in hits(alone) and not {"main", "total"} & set(hits(alone))
    assert {"main", "total", "dumps"} <= functions(alone)


def functions(stats):
    return {label[2] for label in stats.stats}


def test_a_focus_chooses_functions_and_lines(folder):
    """--include and --exclude mean the same with and without lines."""
    for name, inside, outside in (("helpers", "total", "main"), ("json", "dumps", "total")):
        stats = saved(folder, "--lines", "--include", name, "app/main.py")
        assert inside in functions(stats) and outside not in functions(stats)
        assert inside in hits(stats) and outside not in hits(stats)
        sources = {os.path.basename(file) for file in stats.captures[0].sources}
        assert sources == {os.path.basename(file) for file, _, _ in stats.stats if file[0] == "/"}
    stats = saved(folder, "--lines", "--exclude", "helpers", "app/main.py")
    assert "main" in functions(stats) and "total" not in functions(stats)
    assert "main" in hits(stats) and "total" not in hits(stats)
    stats = saved(folder, "--include=helpers", "--lines-of=json", "app/main.py")
    assert "total" in functions(stats) and "dumps" not in functions(stats)
    assert "dumps" in hits(stats) and "total" not in hits(stats)


def test_what_is_installed_below_is_not_the_users_own(folder):
    path = folder / "app" / "venv" / "lib" / "site-packages"
    code = "import bought\n\ndef mine():\n    bought.buy()\n\nmine()\n"
    write(folder / "app" / "shop.py", f"import sys\nsys.path.append({str(path)!r})\n{code}")
    assert set(hits(saved(folder, "--lines", "app/shop.py"))) == {"shop.py", "mine"}
    found = hits(saved(folder, "--lines-of", str(path / "bought.py"), "app/shop.py"))
    assert "buy" in found


def test_modules(folder):
    found = hits(saved(folder / "app", "--lines", "-m", "main"))
    assert {"main", "total"} <= set(found)


def test_a_module_that_is_not_the_users_own(folder):
    write(folder / "some.json", "[1, 2]")
    found = traced("--lines", "-o", "tool.out", "-m", "json.tool", "some.json", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    files = {function.file for function in tracer.Stats(folder / "tool.out").lines.functions}
    assert {os.path.basename(os.path.dirname(file)) for file in files} == {"json"}


def test_code_from_standard_input():
    code = b"def f():\n    return 1\n\nf()\n"
    found = traced("--lines", "-", stdin=code)
    assert found.stderr == b""
    assert "Function: f at line 1" in found.stdout.decode()


def test_decorated_code_from_standard_input():
    code = b"@profile\ndef f():\n    return max(\n        1,\n        2,\n    )\n\nf()\n"
    found = traced("-l", "-", stdin=code)
    assert found.stderr == b""
    assert table(found.stdout.decode()) == [(3, 1, "return max(")]


@pytest.mark.skipif(not SEES_CALLS, reason="own time needs sys.monitoring, of Python 3.12")
def test_parts_of_a_lines_time(folder):
    stats = saved(folder, "--lines", "app/main.py")
    for function in stats.lines.functions:
        for line in function.lines:
            assert 0 <= line.own <= line.time + 1e-9
            assert 0 <= line.c_time <= line.time + 1e-9
    (line,) = (
        line
        for f in stats.lines.functions
        if f.qualname == "main"
        for line in f.lines
        if line.line == 12
    )
    assert line.own + line.c_time < line.time  # the rest is in Python functions


def test_without_calls_own_time_is_not_known(folder):
    stats = saved(folder, "-l", "decorated.py")
    lines = [line for function in stats.lines.functions for line in function.lines]
    assert {line.own for line in lines} == {None}
    assert {line.c_time is None for line in lines} == {not SEES_CALLS}
    assert stats.stats == {}


def test_a_file_shows_the_same_table(folder):
    saved(folder, "-l", "decorated.py")
    shown = traced("show", "profile.out", cwd=folder).stdout.decode()
    assert [row[0] for row in table(shown)] == [4, 5, 6, 9]
    saved(folder, "--lines", "app/main.py")
    again = second(folder / "profile.out")
    both = traced("show", "profile.out", again, cwd=folder).stdout.decode()
    assert "  function, " in both
    assert re.search(r" functions timed by line, which makes them heavier$", both, re.MULTILINE)
    assert (3, 10, "for number in numbers:") in table(both)


def test_lprof_files(folder):
    found = traced("-l", "-o", "lines.lprof", "decorated.py", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    assert (folder / "lines.lprof").read_bytes()[:1] == b"\x80"  # a pickle
    shown = traced("show", "lines.lprof", cwd=folder)
    assert shown.stderr == b""
    assert [row[:2] for row in table(shown.stdout.decode())] == [(4, 1), (5, 11), (6, 10), (9, 1)]


def test_an_lprof_file_is_written_whatever_the_program_does_to_modules(folder):
    broken = (
        "import sys\nfor name in ('pickle', 'pickletools', 'struct'): sys.modules[name] = None\n"
    )
    write(folder / "breaking.py", f"{DECORATED}\n{broken}")
    found = traced("-l", "-o", "lines.lprof", "breaking.py", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    assert (folder / "lines.lprof").read_bytes()[:1] == b"\x80"


def test_an_edited_source_is_noticed_where_the_profile_does_not_hold_it(folder):
    write(folder / "edited.py", DECORATED)
    saved(folder, "-l", "--no-source", "edited.py")
    write(folder / "edited.py", "\n" + DECORATED)
    shown = traced("show", "profile.out", cwd=folder)
    assert b"/edited.py has changed since: its lines may not be those" in shown.stdout
    (folder / "edited.py").unlink()
    shown = traced("show", "profile.out", cwd=folder)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert b"Could not find file" in shown.stdout
    assert b"     5        11 " in shown.stdout


def test_options_of_the_table(folder):
    def printed(*options):
        return traced("-l", *options, "decorated.py", cwd=folder).stdout.decode()

    assert "Function: idle" in printed()
    assert "Function: idle" not in printed("--skip-zero")
    assert "Function: idle" not in printed("--min", "1")
    assert "Timer unit: 1 s" in printed("--unit", "1")
    assert re.search(r"^ +[\d.]+ seconds - .*decorated.py:2 - work$", printed("--summarize"), re.M)
    assert printed("--sort-lines").index("Function: idle") < printed("--sort-lines").index(
        "work at"
    )


def test_parts_are_printed(folder):
    found = traced("--lines", "--parts", "app/main.py", cwd=folder).stdout.decode()
    assert (
        "Per Hit   % Time    % Run      Own     In C Suspended   Waited  Line Contents\n" in found
    )
    assert found.endswith(
        "and in Python functions that these call back. Operators, `in` and subscripts are no\n"
        "calls, and stay in the line. Waited: the thread did not run, on the line or in functions "
        "that\nit calls and that are not timed by line. "
        "A dash: not known. Own and In C need Python 3.12.\n"
    )


@pytest.mark.parametrize("command", ["run", "raw"])
def test_compensated_lines_are_no_share_of_a_run_that_is_not(folder, command):
    traced("--lines", "--compensate", "-o", "profile.out", "app/main.py", cwd=folder)
    raw = ["--raw"] if command == "raw" else []
    found = traced("show", "--lines", "--parts", *raw, "profile.out", cwd=folder).stdout.decode()
    shares = re.findall(r"^ +\d+ +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +(-|[\d.]+) ", found, re.M)
    assert shares
    assert {share == "-" for share in shares} == {command == "run"}


def test_of_a_module_what_was_reached_is_printed(folder):
    found = traced("--lines", "app/main.py", cwd=folder).stdout.decode()
    module = found.partition("Function: <module> at line 1\n")[2].partition("Total time")[0]
    assert [row[2] for row in table(module)] == ["def total(numbers):"]
    assert "result" not in module


def test_a_form_feed_is_no_end_of_a_line(folder):
    (folder / "feed.py").write_text(
        "import textwrap\n\x0c\n@profile\ndef g(n):\n    a = 0\n\x0c\n    for i in range(n):\n"
        "        a += 1\n    return a\ng(3)\n"
    )
    for words, stdin in ((["feed.py"], b""), (["-"], (folder / "feed.py").read_bytes())):
        found = traced("-l", *words, cwd=folder, stdin=stdin).stdout.decode()
        assert table(found) == [
            *((5, 1, "a = 0"), (7, 4, "for i in range(n):"), (8, 3, "a += 1"), (9, 1, "return a")),
        ]


def test_compensation(folder):
    raw = saved(folder, "-l", "decorated.py").lines
    less = saved(folder, "-l", "--compensate", "decorated.py").lines
    assert not raw.compensated and less.compensated
    for function in less.functions:
        for line in function.lines:
            assert line.time >= 0 and line.cost > 0


def test_the_program_does_not_end_the_commands_recording(folder):
    code = "@profile\ndef work():\n    return 1\nwith profile:\n    work()\nwork()\n"
    for meddling in "disable", "clear":
        write(folder / "meddles.py", f"{code}profile.{meddling}()\nwork()\n")
        for option in "-l", "--lines":
            assert hits(saved(folder, option, "meddles.py"))["work"] == {3: 3}


def test_threads(folder):
    write(
        folder / "threads.py",
        "import threading\n"
        "@profile\n"
        "def work():\n"
        "    return 1\n"
        "threads = [threading.Thread(target=work) for _ in range(50)]\n"
        "[thread.start() for thread in threads]\n"
        "[thread.join() for thread in threads]\n",
    )
    assert hits(saved(folder, "-l", "threads.py")) == {"work": {4: 50}}


def test_forks(folder):
    write(
        folder / "forking.py",
        "import os\n"
        "@profile\n"
        "def work():\n"
        "    return 1\n"
        "work()\n"
        "if os.fork() == 0:\n"
        "    work()\n"
        "    os._exit(0)\n"
        "os.wait()\n",
    )
    assert hits(saved(folder, "-l", "forking.py")) == {"work": {4: 1}}
