"""analysis/findings/costly.py: the functions that are told, with parts, calls and callers."""

import pytest

from tracer.analysis.findings.costly import costly_functions
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Row
from treetexts import PYTHON, SITE, in_ms, paths_of_text, said, with_figures


def outline_of(*texts, names=(), text_of=lambda file: None):
    paths = with_figures(paths_of_text(*map(in_ms, texts), names=names))
    return Outline(paths, text_of)


def told(*texts, **options):
    found = costly_functions(outline_of(*texts, **options))
    return [said(finding, file_of) + finding.aside for finding in found]


def file_of(row):
    return row.file.rpartition("/")[2]


def test_what_a_function_took_itself():
    text = """
    <module>@main 1 0
      work@main 3 {0}
      other@main 1 {1}
      one@helpers 1 {1}
      two@helpers 1 {1}
      three@helpers 1 {1}
    """
    assert told(text.format(260, 185)) == [
        "26%: work, main.py, takes 0.26 s itself in 3 calls by <module>"
    ]
    assert told(text.format(240, 190)) == []


def test_its_two_largest_parts_and_all_of_its_time():
    text = """
    <module>@main 1 30
      book@main 40 10
        find@main 40 20
          <Connection.execute> 40 460
          <Cursor.fetchone> 80 450
          <builtins.len> 40 30
    """
    assert told(text) == [
        "96%: find, main.py, takes 0.96 s in 40 calls by book: "
        "0.46 s Connection.execute, 0.45 s Cursor.fetchone (80 calls)"
    ]


@pytest.mark.parametrize(
    ("own", "parts"),
    [
        (51, ": 0.46 s Connection.execute"),  # less than a tenth
        (52, ": 0.46 s Connection.execute, 52 ms itself"),
        (459, ": 0.46 s Connection.execute, 0.46 s itself"),
        (500, ": 0.50 s itself, 0.46 s Connection.execute"),
        (4500, " itself in 4 calls by <module>"),  # nine tenths: no part is named
    ],
)
def test_the_function_itself_is_one_of_the_parts(own, parts):
    (line,) = told(f"<module>@main 1 0\n  find@main 4 {own}\n    <Connection.execute> 4 460")
    assert line.endswith(parts)


def test_a_generator_expression_is_a_part_of_its_function():
    text = """
    <module>@main 1 0
      load@main 5 100
        <sum> 5 50
          load.<locals>.<genexpr>@main 5 300
            parse@helpers 90 40
            <float> 90 60
      <max> 1 10
        <genexpr>@main 1 300
    """
    assert told(text) == [
        "59%: load, main.py, takes 0.51 s in 5 calls by <module>: "
        "0.40 s itself, 60 ms float (90 calls)",
        "36%: <module>, main.py, takes 0.31 s itself",
    ]


def test_functions_without_a_name_have_that_of_their_function():
    assert told("<module>@main 1 0\n  work.<locals>.<lambda>@main 3 260\n") == [
        "100%: work.<lambda>, main.py, takes 0.26 s itself in 3 calls by <module>"
    ]


def test_what_others_do_without_what_they_call_back_and_import():
    text = f"""
    <module>@main 1 200
      load@main 2 20
        get@{SITE}/requests/api.py 2 100
          _find_and_load@boot 1 0
            <module>@numpy 1 100
          on_chunk@main 7 200
        post@{SITE}/requests/api.py 3 {{0}}
      save@main 1 180
    """
    assert told(text.format(300)) == [
        "38%: load, main.py, takes 0.42 s in 2 calls by <module>: "
        "0.40 s requests (post, get) (5 calls)"
    ]
    assert told(text.format(100)) == []


def test_the_calls_of_a_package_are_those_of_the_functions_that_are_named():
    text = """
    <module>@main 1 0
      page@main 30 10
        loads@json 30 900
        dumps@json 900 20
    """
    assert told(text) == [
        "100%: page, main.py, takes 0.93 s in 30 calls by <module>: 0.92 s json (loads)"
    ]


def test_a_method_of_a_package_is_named_with_its_class_where_it_is_alone():
    text = f"""
    <module>@main 1 0
      main@main 1 0
        Session.get@{SITE}/requests/api.py 2 100
        Session.post@{SITE}/requests/api.py 2 {{}}
    """
    assert told(text.format(100))[0].endswith(": 0.20 s requests (get, post) (4 calls)")
    assert told(text.format(2000))[0].endswith(": 2.10 s requests (Session.post) (2 calls)")


def test_all_counts_however_little_in_each_place():
    """As in a package that stands open: the 4000 functions have no node."""
    parts = "".join(f"          part{number}@frame 1 1\n" for number in range(4000))
    text = f"""
    <module>@main 1 0
      main@main 1 0
        apply@frame 200 200
{parts}
        loads@frame 100 400
          _find_and_load@boot 1 0
            <module>@json 1 60
          on_value@main 1 40
    """
    outline = outline_of(text)
    assert not any(node.name.startswith("part") for node in outline.walk())
    (finding,) = costly_functions(outline)
    assert said(finding, file_of) == (
        "98%: main, main.py, takes 4.60 s in 1 call by <module>: 4.60 s pandas (apply) (200 calls)"
    )


def test_who_calls():
    callers = "".join(f"  by{number}@main 1 1\n    step@main 2 1\n" for number in range(2500))
    assert told(f"<module>@main 1 0\n{callers}") == [
        "50%: step, main.py, takes 2.50 s itself in 5,000 calls by 2500 functions"
    ]
    text = """
    one@main 1 10
      step@main {} 100
    two@main 1 10
      step@main {} 100
    three@main 1 10
      step@main 1 100
    """
    line = "91%: step, main.py, takes 0.30 s itself in {} calls{}"
    assert told(text.format(2, 2)) == [line.format(5, " by 3 functions")]
    assert told(text.format(3, 2)) == [line.format(6, ", most by one")]
    assert told(text.format(1, 38)) == [line.format(40, " by two")]


def test_a_thread_is_no_caller_and_a_package_is_where_no_function_of_the_program_is():
    assert told("run@threading 1 0\n  work@main 1 100") == [
        "100%: work, main.py, takes 0.10 s itself in 1 call"
    ]
    assert told(f"serve@{SITE}/flask/app.py 1 0\n  work@main 4 100") == [
        "100%: work, main.py, takes 0.10 s itself in 4 calls by flask"
    ]


def test_recursion():
    deep = "".join(f"{'  ' * level}walk@main 1 1\n" for level in range(1, 900))
    assert told(f"<module>@main 1 1\n{deep}") == [
        "100%: walk, main.py, takes 0.90 s itself: 1 call by <module> became 899, "
        "a recursion up to 899 deep"
    ]
    both = "<module>@main 1 1\n  a@main 9 100\n    b@main 9 1\n      a@main 9 100\n  a@main 0 0"
    assert told(both)[0].startswith(
        "99%: a, main.py, takes 0.20 s itself: 9 calls by <module> became 18, "
        "a recursion up to 2 deep"
    )


def figures_of(rows, text, **longest):
    """The outline of a text, whose functions had these longest calls, in milliseconds."""
    outline = outline_of(text)
    figures = {
        row: of._replace(longest=longest.get(outline.paths.rows[row].name.strip("<>"), 0) * 10**6)
        for row, of in outline.paths.figures.items()
    }
    outline.paths.add_up = lambda: figures
    outline.paths.__dict__.pop("figures", None)
    return outline


@pytest.mark.parametrize(
    ("calls", "longest", "text"),
    [
        (40, {"check": 150}, "; one of 40 calls took 0.15 s"),
        (40, {"check": 149}, ""),
        (19, {"check": 150}, ""),
        (40, {"match": 280}, "; one of 40 calls of match took 0.28 s"),
        (40, {"match": 281}, ""),  # more than all of it: a generator that was suspended
    ],
)
def test_a_single_call_that_took_most(calls, longest, text):
    tree = f"<module>@main 1 0\n  check@main {calls} 20\n    <match> {calls} 280"
    (finding,) = costly_functions(figures_of((), tree, **longest))
    assert said(finding, file_of) == (
        f"100%: check, main.py, takes 0.30 s in {calls} calls by <module>: 0.28 s match{text}"
    )


# -- Waits -----------------------------------------------------------------------------------------

WAITS = """
<module>@main 1 {}
  fetch@main 4 0
    <{}> 4 {}~{}
"""


def test_what_mostly_waits_waits():
    assert told(WAITS.format(100, "time.sleep", 900, 900)) == [
        "90%: fetch, main.py, waits 0.90 s in 4 calls by <module>: 0.90 s time.sleep"
    ]
    assert told(WAITS.format(100, "socket.recv", 900, 900))[0].endswith(
        ": 0.90 s socket.recv (I/O, lock or processor)"
    )
    assert told(WAITS.format(100, "sorted", 900, 400)) == [
        "90%: fetch, main.py, takes 0.90 s in 4 calls by <module>: 0.90 s sorted"
    ]


@pytest.mark.parametrize(
    ("rest", "waited", "is_told"), [(100, 100, True), (100, 99, False), (400, 100, True)]
)
def test_a_short_wait_is_none(rest, waited, is_told):
    others = "".join(f"  part{at}@main 1 {rest / 10:.0f}\n" for at in range(10))
    text = f"<module>@main 1 0\n{others}  fetch@main 1 0\n    <time.sleep> 1 {waited}~{waited}"
    assert bool(told(text)) == is_told


def test_a_fifth_of_the_run_is_enough_for_a_wait_and_not_for_work():
    others = "".join(f"  part{at}@main 1 79\n" for at in range(10))
    text = f"<module>@main 1 0\n{others}  fetch@main 1 0\n    <time.sleep> 1 200~{{}}"
    assert len(told(text.format(200))) == 1
    assert told(text.format(20)) == []


MAIN = """
<module>@main 1 50
  Thread.join@threading 1 950~950
"""
WORKER = """
Thread.run@threading 1 0
  fetch@main 1 10
    <socket.recv> 40 {0}~{0}
"""
NAMES = ("MainThread", *(f"Thread-{number}" for number in range(9)))


def test_threads_that_wait_side_by_side():
    """The work of all, 90 ms, is of the same real time."""
    assert told(MAIN, *[WORKER.format(930)] * 4, names=NAMES) == [
        "89%: fetch, main.py, waits 3.72 s in 4 calls, in 4 threads: "
        "3.72 s socket.recv (160 calls) (I/O, lock, GIL or processor)"
    ]


def test_what_threads_that_compute_wait_for_is_their_turn():
    """Each works for 230 ms of 930. For 30 ms nobody works: that they wait for a processor, too."""
    spinner = "Thread.run@threading 1 0\n  count@main 1 930~700"
    texts = {"text_of": lambda file: "def count(): pass"}
    assert told(MAIN, *[spinner] * 4, names=NAMES, **texts) == [
        "95%: count, main.py, takes 0.95 s itself in 4 calls, in 4 threads one at a time"
    ]


def test_threads_that_only_wait_take_nothing_of_a_share():
    """Consumers wait for a queue that one producer fills."""
    producer = "Thread.run@threading 1 0\n  produce@main 1 100\n    decode@main 90 800"
    consumer = "Thread.run@threading 1 0\n  consume@main 1 5\n    Queue.get@queue 90 940~940"
    assert told(MAIN, producer, *[consumer] * 4, names=NAMES) == [
        "80%: decode, main.py, takes 0.80 s itself in 90 calls by produce"
    ]


def test_a_finding_means_what_it_waited_for():
    (finding,) = costly_functions(outline_of(WAITS.format(100, "time.sleep", 900, 900)))
    assert (finding.figure, finding.callee) == ("waited", Row("~", 0, "<time.sleep>"))
    assert finding.advice.startswith("A sleep is as long as it is told to be")
    (finding,) = costly_functions(outline_of("<module>@main 1 0\n  work@main 1 900"))
    assert (finding.figure, finding.callee, finding.advice) == ("", None, "")


# -- Wrappers --------------------------------------------------------------------------------------

DECORATED = """
<module>@main:1 1 10
  main@main:20 1 0
    checked.<locals>.wrapper@main:5 30 50
      signature@{python}/inspect.py 30 800
      net@main:12 20 10
      label@main:16 10 10
"""
SOURCE = """
import functools, inspect
def checked(function):
    @functools.wraps(function)
    def wrapper(*args):
        inspect.signature(function)
        return function(*args)
    return wrapper
"""


def test_a_wrapper_is_told_by_what_it_wraps_and_is_no_caller():
    source = SOURCE.lstrip("\n").replace("    @functools", "\n    @functools")
    text = DECORATED.format(python=PYTHON)
    assert told(text, text_of=lambda file: source) == [
        "97%: checked(net, label), main.py, takes 0.85 s in 30 calls by main: "
        "0.80 s inspect (signature)"
    ]
    busy = text.replace("net@main:12 20 10", "net@main:12 20 900")
    assert told(busy, text_of=lambda file: source)[0] == (
        "51%: net, main.py, takes 0.90 s itself in 20 calls by main"
    )


# -- Child processes -------------------------------------------------------------------------------

RUNS = """
<module>@main 1 10
  run@main {calls} 0
    run@{python}/subprocess.py 8 0
      <_posixsubprocess.fork_exec> 8 1
      <select.poll> 8 900~900
"""


@pytest.mark.parametrize(
    ("calls", "text"),
    [(8, " for 8 child processes, one after the other"), (1, " for 8 child processes")],
)
def test_a_wait_for_child_processes(calls, text):
    times = "1 call" if calls == 1 else "8 calls"
    often = " (8 calls)" if calls == 1 else ""
    assert told(RUNS.format(python=PYTHON, calls=calls)) == [
        f"99%: run, main.py, waits 0.90 s in {times} by <module>{text}: "
        f"0.90 s subprocess (run){often}"
    ]


def test_processes_are_those_of_the_latest_function_of_the_program():
    text = RUNS.format(python=PYTHON, calls=8) + "  other@main 1 0\n    <posix.fork> 3 1\n"
    assert " for 8 child processes" in told(text)[0]


# -- What is inside, and in which thread -----------------------------------------------------------

SAVES = """
<module>@main 1 0
  save@main 20 10
    DataFrame.to_sql@frame 40 {0}
      Frame._insert@frame 40 0
        <Cursor.execute> 40 {1}
        other@main 1 300
"""


def test_what_took_most_of_the_largest_part_is_named():
    """But for what a function of the program took that is called back."""
    assert told(SAVES.format(300, 390))[0] == (
        "70%: save, main.py, takes 0.70 s in 20 calls by <module>: "
        "0.69 s pandas (DataFrame.to_sql) (40 calls), 0.39 s of it Cursor.execute"
    )
    assert "of it" not in told(SAVES.format(400, 290))[0]
    for other in ("<lock.acquire>", "written@pandas"):
        assert "of it" not in told(SAVES.format(300, 390).replace("<Cursor.execute>", other))[0]


def test_what_is_no_package_has_nothing_inside():
    text = """
    <module>@main 1 0
      save@main 20 10
        <builtins.sorted> 40 300
          <str.lower> 40 690
    """
    assert told(text) == [
        "100%: save, main.py, takes 1.00 s in 20 calls by <module>: 0.99 s sorted (40 calls)"
    ]


@pytest.mark.parametrize(("work", "text"), [(650, ", most in Thread-1"), (640, "")])
def test_of_several_threads_the_one_that_works_most_is_named(work, text):
    """For 70% or more of what all of them worked."""
    one, other = (
        f"run@main 1 0\n  pack@main 3 10\n    <zlib.compress> 3 {time}" for time in (work, 270)
    )
    found = told("main@main 1 0", one, other, names=("MainThread", "Thread-1", "Thread-2"))
    assert f" in 6 calls by run, in 2 threads{text}: " in found[0]
