"""The table of lines: line_profiler's, column for column, also where there is no source."""

import io
import os
import sys

import pytest

from launch import write
from tracer.api.line_profiler import LineProfiler
from tracer.compat.line_profiler import show_func, show_text
from tracer.data.lines import Line, Lines, TimedFunction
from tracer.report import line_table
from tracer.report.lines import described, report

SOURCE = """\
import os

def f(n):
    total = 0

    for i in range(n):
        total += i
    return total


def g():
    pass
"""
F = [(4, 1, 5), (6, 11, 30), (7, 10, 60), (8, 1, 5)]
RULE = "=" * 62
HEADER = "Line #      Hits         Time  Per Hit   % Time  Line Contents"


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.py"
    path.write_text(SOURCE)
    return str(path)


def shown(timings, stripzeros=False, *, least=0.0, beside=None, **options):
    stream = io.StringIO()
    look = line_table.LineTableOptions(stripzeros=stripzeros, **options)
    line_table.show(timings, 1e-6, stream, look, least=least, beside=beside)
    return stream.getvalue()


def test_a_table(file):
    assert (
        shown({(file, 3, "f"): F})
        == f"""\
Timer unit: 1e-06 s

Total time: 0.0001 s
File: {file}
Function: f at line 3

{HEADER}
{RULE}
     3                                           def f(n):
     4         1          5.0      5.0      5.0      total = 0
     5                                           {""}
     6        11         30.0      2.7     30.0      for i in range(n):
     7        10         60.0      6.0     60.0          total += i
     8         1          5.0      5.0      5.0      return total

"""
    )


def test_a_part_of_a_function_is_shown_alone(tmp_path):
    """The text of a generator expression or of a lambda ends with its last line that was timed."""
    path = str(tmp_path / "parts.py")
    with open(path, "w") as source:
        source.write("def f(rows):\n    n = sum(\n        row\n        for row in rows\n    )\n")
        source.write("    return n\n\n\ndef g():\n    pass\n")
    text = shown({(path, 2, "f.<locals>.<genexpr>"): [(3, 2, 1), (4, 3, 1)]})
    assert text.endswith(
        f"""\
{RULE}
     2                                               n = sum(
     3         2          1.0      0.5     50.0          row
     4         3          1.0      0.3     50.0          for row in rows

"""
    )


def test_units():
    text = shown({("/nowhere", 1, "f"): [(1, 3, 6_000_000)]})
    assert "     1         3    6000000.0    2e+06    100.0  \n" in text
    stream = io.StringIO()
    look = line_table.LineTableOptions(output_unit=1)
    line_table.show({("/nowhere", 1, "f"): [(1, 3, 6_000_000)]}, 1e-6, stream, look)
    assert stream.getvalue().startswith("Timer unit: 1 s\n\nTotal time: 6 s\n")
    assert "     1         3          6.0      2.0    100.0  \n" in stream.getvalue()


@pytest.mark.parametrize("unit", [0, 0.0, -1e-6, float("nan"), float("inf"), float("-inf")])
def test_a_unit_of_no_length(unit):
    """It is refused before anything is printed, wherever a unit is taken."""
    profile = LineProfiler(test_units)
    timings = {("/nowhere", 1, "f"): [(1, 3, 6)]}
    stream = io.StringIO()
    for show in (
        lambda: profile.print_stats(stream, unit),
        lambda: profile.get_stats().print(stream, unit),
        lambda: show_text(timings, 1e-6, unit, stream),
        lambda: show_func("/nowhere", 1, "f", [(1, 3, 6)], 1e-6, unit, stream),
    ):
        with pytest.raises(ValueError) as caught:
            show()
        assert str(caught.value) == (
            f"output_unit must be a positive number of seconds, not {unit!r}: 1e-3 for milliseconds"
        )
    assert stream.getvalue() == ""


def test_large_numbers_are_shortened_and_columns_grow():
    row = (1, 12345678901, 123456789012345)
    text = shown({("/nowhere", 1, "f"): [row, (2, 10**20, 1)]})
    assert "     1 1.23457e+10     1.23e+14  10000.0    100.0  \n" in text
    assert "     2       1e+20          1.0      0.0      0.0  \n" in text
    assert "Line #        Hits         Time  Per Hit" in text


def test_wider_columns(file):
    text = shown({(file, 3, "f"): F}, widths={"line": 10})
    assert f"    {HEADER}\n====" in text
    assert "\n         4         1          5.0 " in text


def test_functions_that_were_never_called(file):
    timings = {(file, 3, "f"): F, (file, 11, "g"): []}
    assert "Total time: 0 s\n" in shown(timings)
    assert "    12                                               pass\n" in shown(timings)
    assert "Function: g" not in shown(timings, True)


def test_a_line_that_was_never_hit_has_no_time_per_hit():
    assert "     2         0          0.0               0.0  \n" in shown(
        {("/nowhere", 1, "f"): [(1, 1, 1), (2, 0, 0)]}
    )


def test_sorted_and_summed_up(file):
    timings = {(file, 3, "f"): F, ("/nowhere", 1, "h"): [(1, 1, 5)], (file, 11, "g"): []}
    text = shown(timings, details=False, summarize=True, sort=True)
    assert text == (
        "Timer unit: 1e-06 s\n\n"
        f"  0.00 seconds - {file}:11 - g\n"
        "  0.00 seconds - /nowhere:1 - h\n"
        f"  0.00 seconds - {file}:3 - f\n"
    )
    assert shown(timings, True, details=False, summarize=True).count("seconds") == 2


def test_a_least_time(file):
    timings = {(file, 3, "f"): F, ("/nowhere", 1, "h"): [(1, 1, 5)], (file, 11, "g"): []}
    text = shown(timings, least=10)
    assert "Function: f" in text
    assert "/nowhere" not in text
    assert "Function: g" not in text
    assert shown(timings, least=0) == shown(timings)


def test_notes_stand_below_a_function(file):
    text = shown(
        {(file, 11, "g"): [(12, 1, 1)]},
        beside={(file, 11, "g"): line_table.Beside(notes=["", "What to know."])},
    )
    assert text.endswith("    pass\n\nWhat to know.\n\n")


def test_a_file_that_has_gone():
    assert (
        shown({("/nowhere/a.py", 3, "f"): [(4, 1, 5), (6, 1, 5)]})
        == f"""\
Timer unit: 1e-06 s

Total time: 1e-05 s
Function: f at line 3

Could not find file /nowhere/a.py
Are you sure you are running this program from the same directory
that you ran the profiler from?
Continuing without the function's contents.

{HEADER}
{RULE}
     3                                           {""}
     4         1          5.0      5.0     50.0  {""}
     5                                           {""}
     6         1          5.0      5.0     50.0  {""}

"""
    )


def test_code_that_was_made_as_the_program_ran():
    """As dataclasses and exec() make it: there is no file to look for, and no line is between."""
    text = shown({("<string>", 2, "__init__"): [(3, 1, 5), (20, 1, 5)]})
    assert text.startswith(
        f"""\
Timer unit: 1e-06 s

Total time: 1e-05 s
Function: __init__ at line 2

<string> is no file: there is no source to show
Continuing without the function's contents.

{HEADER}
{RULE}
     3         1          5.0      5.0     50.0  {""}
    20         1          5.0      5.0     50.0  {""}
"""
    )


def test_a_file_that_has_become_shorter_loses_no_figures(file):
    with open(file, "w") as source:
        source.write("# nothing\n\ndef f(n): pass\n")
    text = shown({(file, 3, "f"): F})
    assert "     3                                           def f(n): pass\n" in text
    assert text.endswith(
        "     7        10         60.0      6.0     60.0  \n"
        "     8         1          5.0      5.0      5.0  \n\n"
    )


def problem_of(path, key, last):
    """What is said of a source in the place of its text, if anything."""
    head = shown({(str(path), *key): [(last, 1, 5)]}).partition("\nLine #")[0].splitlines()
    assert ("Continuing without the function's contents." in head) == (len(head) > 5)
    return head[5:-1]


PAGE = "<html>\n{% for i in numbers %}\n  {{ i }}\n{% endfor %}\n</html>\n"


def test_a_template_is_not_the_source_of_code_that_was_made_of_it(tmp_path):
    page = write(tmp_path / "page.html", PAGE)
    say = f"There is {{}} in {page}: this code may have been made from it, as from a template"
    for key, last in ((1, "<module>"), 5), ((2, "root"), 4), ((2, "root.<locals>.<lambda>"), 3):
        assert problem_of(page, key, last) == [say.format("no such Python")]
    for key, last in ((1, "<module>"), 6), ((4, "root"), 33):
        assert problem_of(page, key, last) == [say.format(f"no line {last}")]
    assert "{{ i }}" not in shown({(str(page), 2, "root"): [(3, 1, 5)]})


def test_a_template_that_reads_as_python(tmp_path):
    page = write(tmp_path / "page.txt", "{{ title }}\n{{ text }}\n")
    assert "no such Python" in problem_of(page, (2, "root"), 2)[0]
    assert "no line 3" in problem_of(page, (1, "<module>"), 3)[0]
    write(page, "")
    assert "no line 2" in problem_of(page, (1, "root"), 2)[0]


def test_a_script_without_an_ending_is_a_source(tmp_path):
    script = write(tmp_path / "script", SOURCE)
    for key, last in ((1, "<module>"), 12), ((3, "f"), 8), ((3, "f.<locals>.<genexpr>"), 6):
        assert problem_of(script, key, last) == []
    assert "no such Python" in problem_of(script, (4, "f"), 8)[0]


def test_a_source_in_which_the_function_is_no_more(tmp_path):
    path = write(tmp_path / "a.py", "import os\n")
    assert "no line 8" in problem_of(path, (3, "f"), 8)[0]
    assert problem_of(path, (1, "<module>"), 1) == []
    write(path, "")
    assert problem_of(path, (1, "<module>"), 1) == []


@pytest.mark.parametrize("name", ["/dev/zero", ".", "a\0b", "\ud800", "fifo"])
def test_what_is_no_source_is_not_read(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    text = shown({(name, 1, "f"): [(1, 1, 5)]})
    assert "Continuing without the function's contents.\n" in text
    assert "     1         1          5.0      5.0    100.0  \n" in text


def test_lines_far_apart_are_not_all_listed():
    text = shown({("/nowhere", 1, "f"): [(1, 1, 5), (2**31 - 1, 1, 5)]})
    assert text.count("\n") < 20
    assert f"{2**31 - 1}         1" in text


@pytest.mark.parametrize(
    "source",
    ["def f():\n  x = (\n", "def f():\n\tx\n    y\n", "\0", "def f():\n  '''\n", "  x\n y\n"],
)
def test_source_that_is_no_python(source, tmp_path):
    (tmp_path / "a.py").write_text(source)
    assert "     1         1          5.0 " in shown(
        {(str(tmp_path / "a.py"), 1, "f"): [(1, 1, 5)]}
    )


def test_source_in_another_encoding(tmp_path):
    path = tmp_path / "a.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\r\ndef f():\r\n    return '\xe9'\r\n")
    assert "100.0      return '\xe9'\n" in shown({(str(path), 2, "f"): [(3, 1, 5)]})
    path.write_bytes(b"def f():\n    return '\xe9'\n")
    assert "100.0      return '\\xe9'\n" in shown({(str(path), 1, "f"): [(2, 1, 5)]})


def test_what_the_stream_cannot_show_is_escaped(tmp_path):
    path = tmp_path / "a.py"
    path.write_text("def f():\n    return '\u2200'\n", encoding="utf-8")
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", write_through=True)
    line_table.show({(str(path), 1, "f"): [(2, 1, 5)]}, 1e-6, stream)
    assert b"    return '\\u2200'\n" in raw.getvalue()


def test_generated_code_has_its_source(monkeypatch):
    import linecache

    lines = ["def f():\n", "    return 1\n"]
    monkeypatch.setitem(linecache.cache, "<generated: f>", (9, None, lines, "<generated: f>"))
    text = shown({("<generated: f>", 1, "f"): [(2, 1, 5)]})
    assert "File: <generated: f>\n" in text
    assert "    return 1\n" in text


def test_without_rich_it_is_plain_and_says_so(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "rich", None)
    text = shown({(file, 3, "f"): F}, rich=True)
    assert text.startswith("Not in colours: there is no package rich here")
    assert text.endswith(shown({(file, 3, "f"): F}))


def test_in_colours(file):
    pytest.importorskip("rich", reason="rich is not installed: colours are not tested")
    text = shown({(file, 3, "f"): F}, rich=True, summarize=True)
    assert "\x1b[" in text
    assert text.count("def") == 1


def test_functions_that_were_never_called_are_told_apart():
    named = [("<module>", "/w/a/__init__.py"), ("<module>", "/w/b/a/__init__.py"), ("f", "/w/c.py")]
    functions = [TimedFunction(file, 1, name, name, ()) for name, file in named]
    assert list(described(functions)) == [
        "<module> (w/a/__init__.py:1)",
        "<module> (b/a/__init__.py:1)",
        "f (c.py:1)",
    ]
    assert list(described([functions[0]] * 2)) == ["<module> (__init__.py:1)"] * 2


def timed(file, *lines):
    """Lines of f, by (line, hits, seconds), of a run of a second."""
    found = Lines()
    found.measured = 1.0
    for line, hits, seconds in lines:
        found.add((file, 3, "f", "f"), Line(line, hits, seconds, None, None, 0.0, 0.0))
    return found


REMEDY = "python -m tracer --slowdown 10% --lines tells which line is slow: it times none."


def test_lines_that_are_hit_often_and_take_a_moment_are_mostly_their_timing(file):
    told = report(timed(file, (4, 1, 0.1), (6, 10**6, 0.05), (7, 10**6, 0.09), (8, 10**6, 0.2)))
    told = told.splitlines()
    assert "Lines 6 and 7 take less than 0.1 us a hit, mostly for being timed." in told
    assert REMEDY in told
    told = report(timed(file, (7, 10**6, 0.09), (8, 10**6, 0.2))).splitlines()
    assert "Line 7 takes less than 0.1 us a hit, mostly for being timed." in told


@pytest.mark.parametrize(
    "line", [(6, 100_000, 0.009), (6, 10**5, 0.005), (6, 10**6, 0.1), (6, 150_000, 0.009)]
)
def test_of_few_hits_and_of_little_time_nothing_is_said(file, line):
    told = report(timed(file, line))
    assert "being timed" not in told and REMEDY not in told


def test_times_of_samples_have_no_timing_in_them(file):
    lines = timed(file, (6, 10**6, 0.05))
    assert "being timed" in report(lines)
    lines.are_sampled = True
    assert "being timed" not in report(lines)
