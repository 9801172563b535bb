"""The tables of a profile that is made of samples: each time has its error, and each number of
calls says whether it is exact."""

from io import StringIO

import pytest

import tracer
from made_samples import captured
from tracer.cli.first_screen import first_screen, more_of_files
from tracer.cli.run_header import header_lines
from tracer.cli.screen import Screen
from tracer.cli.tables import no_lines_of
from tracer.report.lines import report
from tracer.results.function_tables import function_row

# 2,500 samples: two standard errors are 2 points at 50%.
PATHS = {"main": 125, "main;load": 1250, "main;load;parse": 1000, "main;tidy": 125}
COUNTS = {"main": 1, "load": 40, "parse": "7000+"}
EDGES = {";main": 1, "main;load": 40, "load;parse": 7000}


@pytest.fixture
def stats():
    return tracer.Stats(captured(PATHS, COUNTS, EDGES), stream=StringIO()).strip_dirs()


def printed(stats):
    return stats.stream.getvalue().splitlines()


def test_functions_have_errors_and_what_is_known_of_their_calls(stats):
    stats.sort_stats("tottime").print_stats()
    lines = printed(stats)
    head = next(at for at, line in enumerate(lines) if "tottime" in line)
    assert lines[head : head + 5] == [
        "    ncalls  tottime      +-  percall  cumtime      +-  percall filename:lineno(function)",
        "        40    5.000   0.200    0.125    9.000   0.120    0.225 p.py:5(load)",
        "     7000+    4.000   0.196             4.000   0.196          p.py:9(parse)",
        "         1    0.500   0.087    0.500   10.000   0.008   10.000 p.py:1(main)",
        "              0.500   0.087             0.500   0.087          p.py:13(tidy)",
    ]


def test_the_sum_of_calls_is_at_least_so_much():
    for parse, told in (("7000+", "7041+"), ("7000", "7041")):
        stats = tracer.Stats(captured(PATHS, {**COUNTS, "parse": parse}), stream=StringIO())
        stats.print_stats()
        [line] = [line for line in printed(stats) if "function calls" in line]
        assert line.split() == [told, "function", "calls", "in", "10.000", "seconds"]
        assert stats.total_calls == 7041


def test_callers_have_errors(stats):
    stats.print_callers("parse")
    assert printed(stats)[-4:-2] == [
        "                   ncalls  tottime      +-  cumtime      +-",
        "p.py:9(parse)  <-   7000+    4.000   0.196    4.000   0.196  p.py:5(load)",
    ]


def test_callees_have_errors(stats):
    stats.print_callees("main")
    assert [line.split() for line in printed(stats)[-5:-2]] == [
        ["ncalls", "tottime", "+-", "cumtime", "+-"],
        ["p.py:1(main)", "->", "40", "5.000", "0.200", "9.000", "0.120", "p.py:5(load)"],
        ["0.500", "0.087", "0.500", "0.087", "p.py:13(tidy)"],
    ]


def test_the_tree_has_errors_and_no_calls(stats):
    stats.print_tree()
    assert printed(stats)[2:6] == [
        "    share  cumtime      +-  tottime      +-  filename:lineno(function)",
        "   100.0%   10.000   0.008    0.500   0.087  p.py:1(main)",
        "    90.0%    9.000   0.120    5.000   0.200  ├─ p.py:5(load)",
        "    40.0%    4.000   0.196    4.000   0.196  │  └─ p.py:9(parse)",
    ]


def test_results_as_data(stats):
    rows = {row.name: row for row in stats.table("functions")}
    assert [(it, rows[it].counted) for it in sorted(rows)] == [
        ("load", "exact"), ("main", "exact"), ("parse", "at least"), ("tidy", ""),
    ]  # fmt: skip
    assert rows["load"].own_error == pytest.approx(0.2)
    assert rows["load"].error == pytest.approx(0.12)
    assert rows["load"].waited is None


def test_of_recorded_calls_nothing_is_in_doubt():
    profile = tracer.Profile()
    profile.runcall(sorted, [2, 1])
    stats = tracer.Stats(profile)
    [row] = [function_row(stats, label) for label in stats.stats if "sorted" in label[2]]
    assert (row.counted, row.own_error, row.error) == ("exact", None, None)


def test_the_first_screen():
    screen = first_screen(tracer.Stats(captured(PATHS, COUNTS, EDGES)), [], "", Screen())
    assert screen.rstrip().splitlines() == [
        "    time     +-      %      own     +-",
        "  10.000  0.008  100.0    0.500  0.087  main  /app/p.py:1",
        "   9.000  0.120   90.0    5.000  0.200  ├─ load  /app/p.py:5",
        "   4.000  0.196   40.0    4.000  0.196  │  └─ parse  /app/p.py:9",
        "   0.500  0.087    5.0    0.500  0.087  └─ tidy  /app/p.py:13",
        "",
        "     own     +-      %     time     +-     calls  function",
        "   5.000  0.200   50.0    9.000  0.120        40  load  /app/p.py:5",
        "   4.000  0.196   40.0    4.000  0.196    7,000+  parse  /app/p.py:9",
        "   0.500  0.087    5.0   10.000  0.008         1  main  /app/p.py:1",
        "   0.500  0.087    5.0    0.500  0.087            tidy  /app/p.py:13",
    ]


def header(*captures):
    lines = header_lines(tracer.Stats(*captures), len(captures), brief=True)
    return {line[:10].strip(): line[12:] for line in lines}


def test_the_header_tells_the_cost_and_how_far_to_trust():
    found = header(captured(PATHS, COUNTS, EDGES, events=4_000_000))
    assert found["time"].endswith("; 7,041 calls or more in 1 thread")
    assert found["slow-down"] == (
        "about 3.0% of at most 10% (2.0 events, 1.0 samples); 2,500 samples; 1 function counted in "
        "part"
    )
    assert found["sampled"] == "CPU time: a share of 20% is within 1.6 points"
    assert "timer" not in found


def test_the_header_tells_how_long_to_run():
    found = header(captured({"main": 100}, {"main": 1}))
    assert found["sampled"] == (
        "CPU time: a share of 20% is within 8.0 points; run for 6 s of CPU to have it within 2"
    )


def test_the_header_of_samples_alone():
    found = header(captured({"main": 100}, slowdown=0.0))
    assert found["slow-down"] == "about 1.0%, by samples alone; 100 samples"
    assert "call" not in found["time"]


@pytest.mark.parametrize(
    ("weight", "rate", "told"),
    [
        (250, 250, "250 samples"),
        (250, 300, "250 samples"),
        (250, 1000, "250 samples, 250 of 1,000 a second"),
        (124, 1000, "124 samples"),  # in half a second
    ],
)
def test_the_header_tells_of_fewer_samples_than_were_asked_for(weight, rate, told):
    found = header(captured({"main": weight}, slowdown=0.0, rate=rate))
    assert found["slow-down"].endswith(f"; {told}")


def test_the_header_where_events_cannot_be_switched_off():
    found = header(captured({"main": 100}))
    assert found["slow-down"] == (
        "about 1.0%: no counts, as this Python cannot switch events off; 100 samples"
    )


def test_the_header_tells_of_samples_that_are_missing():
    found = header(captured({"main": 100}, lost=3, broken=1))
    assert found["lost"].startswith("3 samples: ")
    assert found["dropped"].startswith("1 sample: ")


def test_the_header_tells_of_cpu_time_that_is_in_no_sample():
    found = header(captured({"main": 150}))  # of a run that used a second
    assert found["missing"] == (
        "0.394 s of 1.000 s of CPU are in no sample, as of threads that end soon, "
        "above all on a busy machine"
    )
    assert "missing" not in header(captured({"main": 230}))
    assert "missing" not in header(captured({"main": 150}, in_events=90))


@pytest.mark.parametrize("name", ["longest", "resumes", "suspended"])
def test_what_samples_do_not_tell_is_said(stats, name):
    getattr(stats, f"print_{name}")()
    assert printed(stats)[0].endswith("are recorded here: samples do not tell them.")


def waiting():
    """12 s of 22 s, seen 120 times."""
    waits = {"main;load": 30, "main;tidy": 90}
    capture = captured(PATHS, COUNTS, EDGES, waits=waits, waited=12.0)
    return tracer.Stats(capture, stream=StringIO()).strip_dirs()


def test_where_threads_waited_has_errors():
    stats = waiting()
    stats.print_waited()
    assert printed(stats)[-5:-1] == [
        "  waited      +-  cumwait      +- filename:lineno(function)",
        "   9.000   0.949    9.000   0.949 p.py:13(tidy)",
        "   3.000   0.949    3.000   0.949 p.py:5(load)",
        "   0.000   0.199   12.000   0.199 p.py:1(main)",
    ]


def test_nothing_was_waited(stats):
    stats.print_waited()
    assert printed(stats) == ["   No function waited.", ""]


def test_the_header_tells_what_was_waited():
    [line] = [it for it in header_lines(waiting(), 1) if "waited" in it]
    assert line.split() == (
        [
            "waited",
            "12.000",
            "s",
            "of",
            "22.000",
            "s",
            "in",
            "1",
            "thread;",
            "--waited",
            "tells",
            "where",
        ]
    )


def test_threads_have_their_exact_times():
    stats = waiting()
    stats.print_threads()
    row = next(line for line in printed(stats) if "MainThread" in line)
    assert row.split()[:5] == ["-", "22.000", "10.000", "12.000", "0.000"]


def test_tables_of_the_api_have_none_for_what_samples_do_not_tell(stats):
    rows = {row.name: row for row in stats.table("functions")}
    assert [(row.ncalls, row.primitive) for row in map(rows.get, ("load", "parse", "tidy"))] == [
        (40, None), (7000, None), (None, None),
    ]  # fmt: skip
    calls = {(row.caller, row.callee): row for row in stats.table("callers")}
    found = calls["load", "parse"], calls["main", "tidy"]
    assert [(row.ncalls, row.primitive) for row in found] == [(7000, None), (None, None)]
    assert {row.ncalls for row in stats.tree()} == {None}


def test_lines_have_their_errors_and_hits_where_those_are_known():
    lines = {("load", 6): (1000, 2000), ("load", 7): (0, 250)}
    [first, other] = tracer.Stats(captured(PATHS, COUNTS, EDGES, lines)).table("lines")
    assert (first.line, first.time, first.own) == (6, 8.0, 4.0)
    assert (first.error, first.own_error) == (pytest.approx(0.16), pytest.approx(0.196, abs=1e-3))
    assert (first.hits, first.counted, first.suspended) == (None, "", None)
    assert (other.line, other.own) == (7, 0.0)


def test_a_run_without_a_sample_has_no_empty_tables():
    stats = tracer.Stats(captured({}, COUNTS, EDGES, squares=0))
    header = header_lines(stats, 1)
    last = more_of_files("tracer", ["p.out"], 100, stats)
    text = first_screen(stats, header, last, Screen(100, None))
    assert "no sample fell into the program" in text
    assert text.splitlines()[-2:] == [
        "",
        "      more  tracer show p.out -s calls; tracer view p.out",
    ]
    assert "calls  function" not in text and "+-" not in text


def test_parts_of_lines_are_those_that_samples_tell():
    lines = {("load", 6): (1000, 2000), ("load", 7): (0, 250)}
    found = tracer.Stats(captured(PATHS, COUNTS, EDGES, lines)).lines
    rows = [line.split()[:8] for line in report(found, 1.0, parts=True).splitlines()]
    assert ["6", "8.0", "88.9", "0.2", "80.0", "4.0"] in [row[:6] for row in rows]
    assert ["Own:", "of", "Time,"] in [row[:3] for row in rows]
    assert "Own" not in report(found, 1.0)


def test_why_there_are_no_lines_of_samples(stats):
    assert no_lines_of(stats) == ["no sample fell into a line of the program; run it for longer"]
