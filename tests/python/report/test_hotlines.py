"""The lines that took longest: what each took, in which order, and what is printed of it.

The times are exact: of a clock that the program moves, or of figures that are made here.
"""

import functools
import re

import pytest

import tracer
from launch import traced, write
from linerows import HAS_MONITORING, clock, recorder_of
from linesnapshots import FILE, snapshot
from tracer.data.capture import capture_of_lines
from tracer.data.lines import Lines
from tracer.report.hottest_lines import hottest, report
from tracer.report.lines import report as line_tables

needs_monitoring = pytest.mark.skipif(
    not HAS_MONITORING, reason="sys.settrace, the way to lines on 3.11, tells of no C callables"
)
put = setattr  # it moves the clock in C


def times(lines, stats):
    """[(function, line, time)], the longest first, of what took any."""
    rows, _ = hottest(lines, stats, by="own")
    return [(row.function.name, row.line.line, row.time) for row in rows if row.time]


def recorded(program, *functions):
    """The lines of functions, and what was recorded of all functions beside them, of one call."""
    profile = tracer.Profile(clock, 1.0, threads=False)
    recorder = recorder_of(program, *functions, calls=True)
    with profile, recorder:
        program()
    return Lines([recorder.snapshot()]), tracer.Stats(profile).stats


def relative(found, *functions):
    """As times(), with lines counted from the first of their function."""
    first = {function.__name__: function.__code__.co_firstlineno for function in functions}
    return [(name, line - first[name], time) for name, line, time in found]


def tick(number):
    clock.now += number


@needs_monitoring
def test_no_line_has_the_time_of_python_functions_that_it_calls():
    def texts():
        clock.now += 50
        yield "a"
        clock.now += 20

    def joined():
        return "".join(texts())  # the line's time is all in C, and none of it is join's own

    def program():
        joined()
        clock.now += 4
        tick(6)  # which is not timed by line, and stands in the table of functions

    lines, stats = recorded(program, joined, texts)
    assert relative(times(lines, stats), program, joined, texts) == [
        ("texts", 1, 50),
        ("texts", 3, 20),
        ("program", 2, 4),
    ]


@needs_monitoring
def test_a_line_has_what_c_callables_took_themselves():
    def called_back(number):
        clock.now += 40
        return number

    def program():
        sorted((3,), key=called_back)  # in C for 40, of which no more can be its own than
        put(clock, "now", clock.now + 7)  # all that C callables took: these 7
        clock.now += 2

    lines, stats = recorded(program, called_back)
    assert relative(times(lines, stats), program, called_back) == [
        ("called_back", 1, 40),
        ("program", 1, 7),
        ("program", 2, 7),
        ("program", 3, 2),
    ]


@needs_monitoring
def test_a_line_has_what_c_callables_took_that_are_in_no_row():
    advance = functools.partial(put, clock, "now")

    def program():
        advance(clock.now + 9)
        clock.now += 2

    lines, stats = recorded(program)
    assert not any("partial" in name for _, _, name in stats)
    assert relative(times(lines, stats), program) == [("program", 1, 9), ("program", 2, 2)]


F, G = (1, "f"), (5, "g")
OWN = {F: [(2, 1, 30, 0, 10, 0), (3, 4, 6, 0, 6, 3)], G: [(6, 10, 20, 0, 20, 0)]}
STATS = {
    (FILE, 1, "f"): (1, 1, 16.0, 36.0, {}),
    (FILE, 5, "g"): (10, 10, 20.0, 20.0, {(FILE, 1, "f"): (10, 10, 20.0, 20.0)}),
}


def table(text):
    """The rows of a table, without its head."""
    rows = text.split("Line Contents\n")[1].splitlines()
    return [row.split() for row in rows[: rows.index("")]]


def test_the_table():
    text = report(Lines([snapshot(OWN, measured=40.0)]), STATS, 2, 1.0, by="own")
    assert text == (
        "Timer unit: 1 s\n"
        "\n"
        "   Ordered by: time of the line without the Python functions that it calls: own, "
        "and in C\n"
        "   List reduced from 3 lines to 2\n"
        "\n"
        "        Time    % Run      Hits filename:lineno(function)  Line Contents\n"
        "        20.0     50.0        10 /nowhere/a.py:6(g)\n"
        "        10.0     25.0         1 /nowhere/a.py:2(f)\n"
        "\n"
        "Could not find file /nowhere/a.py\n"
        "Time: a line's own and, of that in C, at most what the C callables that its function "
        "calls\n"
        "took themselves, without the Python functions that these call back. What is not timed by\n"
        "line, as libraries are not, is in no line here: the table of functions has it.\n"
    )


def test_by_total_time_unless_own_is_asked_for():
    text = report(Lines([snapshot(OWN, measured=40.0)]), STATS, 2, 1.0)
    assert "   Ordered by: total time of the line, with all that it calls\n" in text
    assert [row[:4] for row in table(text)] == [
        ["30.0", "75.0", "1", "/nowhere/a.py:2(f)"],
        ["20.0", "50.0", "10", "/nowhere/a.py:6(g)"],
    ]
    assert "Time: " not in text


def test_with_all_that_they_call_where_no_more_is_known():
    """One line whose own time is not known is enough: all others are told likewise."""
    mixed = {**OWN, G: [(6, 10, 20, -1, -1, 0)]}
    lines = Lines([snapshot(mixed)])
    assert times(lines, STATS) == [("f", 2, 30), ("g", 6, 20), ("f", 3, 6)]
    text = report(lines, STATS, 9, 1.0, by="own")
    assert "   Ordered by: total time of the line, because own time is not known of " in text
    assert "reduced" not in text and "Time: " not in text
    assert [row[1] for row in table(text)] == ["-", "-", "-"]  # the run's time is not known


def test_options_of_the_table():
    lines = Lines([snapshot(OWN, measured=40.0)])
    parts = report(lines, STATS, 9, 0.5, by="own", parts=True, strip_dirs=True)
    assert table(parts) == [
        ["40.0", "50.0", "10", "40.0", "0.0", "-", "-", "a.py:6(g)"],
        ["20.0", "25.0", "1", "20.0", "0.0", "-", "-", "a.py:2(f)"],
        ["12.0", "15.0", "4", "12.0", "0.0", "6.0", "-", "a.py:3(f)"],
    ]
    title = "\n        Time    % Run      Hits      Own     In C Suspended   Waited filename:lin"
    assert title in parts
    assert "A dash: not known. Own and In C need Python 3.12.\n" in parts
    least = [
        len(table(report(lines, STATS, 9, by="own", percent=p))) for p in (15, 15.1, 25.1, 50.1)
    ]
    assert least == [3, 2, 1, 0]
    assert len(table(report(Lines([snapshot(OWN, measured=10_000.0)]), STATS, 9))) == 3
    unknown = Lines([snapshot(OWN)])  # then percent of the line that took longest: 20 s
    least = [len(table(report(unknown, STATS, 9, by="own", percent=p))) for p in (30, 50, 51)]
    assert least == [3, 2, 1]


def test_waits_are_told_where_there_were_any_worth_it():
    def report_of(waits, **options):
        lines = Lines([snapshot(OWN, measured=100.0, waits=waits)])
        return report(lines, STATS, 9, 1.0, by="own", **options)

    waiting = report_of({0: 2, 1: 1})
    assert "\n        Time    % Run      Hits   Waited filename:lineno(function)" in waiting
    assert table(waiting) == [
        ["20.0", "20.0", "10", "0.0", "/nowhere/a.py:6(g)"],
        ["10.0", "10.0", "1", "2.0", "/nowhere/a.py:2(f)"],
        ["6.0", "6.0", "4", "1.0", "/nowhere/a.py:3(f)"],
    ]
    assert waiting.endswith(
        "Waited: the thread did not run, on the line or in functions that it calls and that are "
        "not\ntimed by line.\n"
    )
    assert [row[-2] for row in table(report_of({0: 2, 1: 1}, parts=True))] == ["0.0", "2.0", "1.0"]
    assert "Waited" not in report_of({0: 1, 1: 1})  # 1% of the run each, and no more
    assert "Waited" not in report_of(None)


def test_the_lines_that_waited_most():
    """Those that did not wait have no row. Their order is that of the column, not of the time."""
    lines = Lines([snapshot(OWN, measured=1000.0, waits={0: 2, 1: 6})])
    text = report(lines, STATS, 9, 1.0, by="waited")
    assert "   Ordered by: time that the line waited\n\n" in text
    assert "\n        Time    % Run      Hits   Waited filename:lineno(function)" in text
    assert table(text) == [
        ["6.0", "0.6", "4", "6.0", "/nowhere/a.py:3(f)"],
        ["30.0", "3.0", "1", "2.0", "/nowhere/a.py:2(f)"],
    ]
    assert "\nWaited: the thread did not run, " in text
    (most,) = table(report(lines, STATS, 1, 1.0, by="waited", parts=True))
    assert most == ["6.0", "0.6", "4", "6.0", "0.0", "3.0", "6.0", "/nowhere/a.py:3(f)"]
    percents = (0.2, 0.5, 1)  # of the run, of what was waited
    found = [table(report(lines, STATS, 9, by="waited", percent=least)) for least in percents]
    assert [len(it) for it in found] == [2, 1, 0]


def test_the_lines_that_were_suspended_most():
    lines = Lines([snapshot(OWN, measured=1000.0, waits={})])
    text = report(lines, STATS, 9, 0.5, by="suspended")
    assert "   Ordered by: time that the line was suspended, which is in no other time\n\n" in text
    assert "\n        Time    % Run      Hits Suspended filename:lineno(function)" in text
    assert table(text) == [["12.0", "0.6", "4", "6.0", "/nowhere/a.py:3(f)"]]
    much = Lines([snapshot(OWN, measured=100.0, waits={1: 6})])
    assert table(report(much, STATS, 9, 1.0, by="suspended")) == [
        ["6.0", "6.0", "4", "3.0", "6.0", "/nowhere/a.py:3(f)"]
    ]


AT_ONCE = "Suspended: what coroutines waited at once is added up, and may exceed the run's time.\n"


@pytest.mark.parametrize("run", [0.0, 2.9, 3.0])
def test_tasks_that_were_suspended_at_once_are_explained(run):
    """The line was suspended for 3 s, of a run of 2.9 s or 3 s, or of one that is not known."""
    lines = Lines([snapshot(OWN, measured=run, waits={})])
    told = run == 2.9
    assert (AT_ONCE in report(lines, STATS, 9, by="suspended")) == told
    assert (AT_ONCE in report(lines, STATS, 9, parts=True)) == told
    assert (AT_ONCE in line_tables(lines, parts=True)) == told
    assert AT_ONCE not in report(lines, STATS, 9)
    assert AT_ONCE not in line_tables(lines)


def test_of_lines_of_which_none_waited_there_is_no_table():
    lines = Lines([snapshot(OWN, waits={})]).only(lambda key: key[2] == "g")
    assert report(lines, STATS, 9, by="waited") == "Timer unit: 1e-06 s\n\n   No line waited.\n"
    text = report(lines, STATS, 9, by="suspended")
    assert text == "Timer unit: 1e-06 s\n\n   No line was suspended.\n"


def test_by_total_time_where_waits_are_not_known():
    text = report(Lines([snapshot(OWN)]), STATS, 9, 1.0, by="waited")
    assert (
        "   Ordered by: total time of the line, because waits are not known of every line" in text
    )
    assert [row[0] for row in table(text)] == ["30.0", "20.0", "6.0"]


def test_shares_of_threads_that_ran_at_once_are_explained():
    remark = "% Run: of the run's time. Lines that threads ran at the same time may have more than"
    for measured, is_told in (29.9, True), (30.0, False), (0.0, False):
        lines = Lines([snapshot(OWN, measured=measured)])
        tables = line_tables(lines, parts=True), report(lines, STATS, 9), report(lines, STATS, 1)
        for text in tables:
            assert (f"\n{remark} 100.\n" in text) is is_told
        assert remark not in line_tables(lines)  # which has no such column
        assert remark not in report(lines, STATS, 9, by="own")  # nor such a line


def test_large_numbers_are_shortened():
    lines = Lines([snapshot({F: [(2, 1, 10**12, 0, 10**12, 0)]})])
    assert table(report(lines, {}, 1))[0][0] == "1e+18"


def test_what_was_not_timed_is_told():
    text = report(Lines([snapshot(OWN, left_out=2, lost=1)]), STATS, 1)
    assert "\n2 code objects not timed: there were too many.\n1 events dropped: out of " in text


@pytest.fixture
def folder(tmp_path):
    """A profile of lines whose source is beside it."""
    path = tmp_path / "a.py"
    write(path, "def f():\n    g()\n    x = 1\n\ndef g():\n    work()  # +5\n")
    lines = snapshot(OWN)
    lines["codes"] = tuple((str(path), *label[1:]) for label in lines["codes"])
    capture_of_lines(lines).write(tmp_path / "a.out")
    lines["sources"] = {str(path): 1}
    capture_of_lines(lines).write(tmp_path / "changed.out")
    return tmp_path


def test_the_command(folder):
    words = ["show", "--lines", "-sown", "--no-header", "--strip-dirs", "--unit=1", "--limit"]
    found = traced(*words, "2", "a.out", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    rows = found.stdout.decode().splitlines()
    assert rows[5:8] == [
        "        Time    % Run      Hits filename:lineno(function)  Line Contents",
        "        20.0        -        10 a.py:6(g)                  work()  # +5",
        "        10.0        -         1 a.py:2(f)                  g()",
    ]
    assert not any("has changed since" in row for row in rows)
    for key, head in ("waited", "because waits are not known"), ("suspended", "line was suspended"):
        found = traced("show", "--lines", "-s", key, "a.out", cwd=folder)
        assert (found.stderr, found.returncode) == (b"", 0)
        assert re.search(f"   Ordered by: .*{head}", found.stdout.decode())
    assert "has changed since" in traced(*words, "2", "changed.out", cwd=folder).stdout.decode()
    # The text of a source file can be anything, and is not colored.
    dressed = traced(*words, "1", "a.out", "--color=always", cwd=folder).stdout.decode()
    assert "                  work()  # +5\n" in dressed
    bare = re.sub(r"\x1b\[\d+m", "", dressed)
    assert "\n        20.0        -        10 a.py:6(g)                  work()  # +5\n" in bare


def test_a_run(tmp_path):
    write(tmp_path / "run.py", "def f():\n    return sum(range(100000))\n\nf()\nf()\n")
    assert traced("--lines", "-o", "run.out", "run.py", cwd=tmp_path).returncode == 0
    words = ("show", "--lines", "-s", "own", "--limit=1", "--strip-dirs")
    found = traced(*words, "run.out", cwd=tmp_path)
    assert (found.stderr, found.returncode) == (b"", 0)
    text = found.stdout.decode()
    if HAS_MONITORING:
        ((_, share, hits, *named),) = table(text)
        assert [hits, *named[-3:]] == ["2", "run.py:2(f)", "return", "sum(range(100000))"]
        assert 0 < float(share) <= 100
    else:
        assert "total time of the line" in text
    assert "tottime" not in text and "Line #" not in text


def test_a_file_of_lines_alone(tmp_path):
    write(tmp_path / "run.py", "@profile\ndef f():\n    len(())\n    return 2\n\nf()\n")
    for name in "run.out", "run.lprof":
        assert traced("-l", "-o", name, "run.py", cwd=tmp_path).returncode == 0
        found = traced("show", "--lines", "--limit=1", "--strip-dirs", name, cwd=tmp_path)
        assert (found.stderr, found.returncode) == (b"", 0)
        assert b"List reduced from 2 lines to 1\n" in found.stdout
        assert b"total time of the line" in found.stdout


def test_a_file_without_lines_says_so(tmp_path):
    write(tmp_path / "plain.py", "print(1)\n")
    traced("-o", "plain.out", "plain.py", cwd=tmp_path)
    found = traced("show", "--lines", "--limit=3", "plain.out", cwd=tmp_path)
    assert found.stderr.startswith(
        b"tracer: no line was timed in that run: run the program with --lines"
    )
    assert b"Ordered by" not in found.stdout
    assert found.returncode == 0  # the answer to a question is no failure, as with --callers


@pytest.mark.parametrize("flag", ["-z", "--sort-lines", "--summarize"])
def test_what_is_of_tables_of_functions_is_refused(flag, folder):
    found = traced("show", "--lines", "--limit=3", flag, "a.out", cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert found.stderr.decode() == (
        f"tracer: {flag} is about the tables of functions, and --limit prints one table "
        "of lines; give one of them\n"
    )
