"""analysis/findings/figures.py: what each rule finds in figures, and where its threshold is."""

import pytest

import tracer
from linesnapshots import snapshot
from timelines import capture_of
from tracer.analysis.findings.figures import one_function, one_line, one_way, slow_imports
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import paths_of
from treetexts import FILES, PYTHON, SITE, in_ms, paths_of_text, said, with_figures

MS = 1_000_000


def found(rule, *texts):
    return rule(Outline(with_figures(paths_of_text(*map(in_ms, texts)))), None)


def told(rule, *texts):
    """What is told, with the file for each place."""
    finding = found(rule, *texts)
    return finding and said(finding, lambda row: row.file.rpartition("/")[2])


# -- One way ---------------------------------------------------------------------------------------

STEPS = """
<module>@main 1 {rest}
  step@main {calls} {own}
    work@helpers 1 {below}
"""


def steps(calls=10, own=10, below=41, rest=49):
    return STEPS.format(calls=calls, own=own, below=below, rest=rest)


def test_a_way_that_most_of_the_time_takes():
    finding = found(one_way, steps())
    assert told(one_way, steps()) == "51% of the time passes through step, main.py"
    assert finding.advice == (
        "51 ms in 10 calls of it and what it calls, 10 ms of that in itself. Fewer calls, or a "
        "quicker way, would save the most."
    )
    assert (finding.row.name, finding.saving) == ("step", 51 * MS)


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        (steps(below=40, rest=50), False),  # half of the time
        (steps(calls=9), False),  # as main() is called
        (steps(own=29, below=30, rest=41), True),
        (steps(own=30, below=30, rest=40), False),  # half of it is its own
    ],
)
def test_thresholds_of_a_way(text, is_told):
    assert (found(one_way, text) is not None) is is_told


def test_the_deepest_of_such_functions_is_told():
    text = """
    <module>@main 1 10
      outer@main 10 10
        inner@main 10 10
          work@main 1 70
    """
    assert told(one_way, text) == "80% of the time passes through inner, main.py"


FRAMES = """
<module>@main 1 30
  {outer} 10 5
    {inner} 10 5
      work@main 1 60
"""


@pytest.mark.parametrize(
    ("outer", "inner", "name"),
    [
        ("step@main", "apply@frame", "step"),
        ("apply@frame", "step@main", "step"),
        ("get@frame", "apply@frame", "apply"),  # where the program has none
    ],
)
def test_the_way_is_told_of_the_program_s_own_code_where_there_is_any(outer, inner, name):
    assert found(one_way, FRAMES.format(outer=outer, inner=inner)).row.name == name


@pytest.mark.parametrize(
    "function",
    [
        "<map>",
        "_find_and_load@boot",
        f"Handle._run@{PYTHON}/asyncio/events.py",
        f"_worker@{PYTHON}/concurrent/futures/thread.py",
        "Thread.run@threading",
        "run_module@runpy",
    ],
)
def test_who_calls_the_whole_program_is_no_way(function):
    text = STEPS.replace("step@main", "{function}").replace("work@helpers", "<work>")
    values = {"calls": 10, "own": 10, "below": 80, "rest": 10}
    assert found(one_way, text.format(function=function, **values)) is None
    assert found(one_way, text.format(function="loads@json", **values)) is not None


def test_what_was_waited_passes_through_nothing():
    text = STEPS.replace("{below}", "60~{waited}").format
    values = {"calls": 10, "own": 1, "below": 60, "rest": 39}
    assert found(one_way, text(**values, waited=10)).advice == (
        "51 ms in 10 calls of it and what it calls, without the 10 ms that was waited, 1 ms of "
        "that in itself. Fewer calls, or a quicker way, would save the most."
    )
    assert "waited" not in found(one_way, text(**values, waited=9)).advice  # not worth telling
    assert found(one_way, text(**values, waited=11)) is None


def test_what_a_function_waits_itself_is_no_work_of_it():
    text = STEPS.replace("{own}", "40~{waited}").format
    values = {"calls": 10, "below": 30, "rest": 10}
    assert found(one_way, text(**values, waited=11)) is not None  # 29 of 59
    assert found(one_way, text(**values, waited=10)) is None


def test_the_time_of_all_threads_counts():
    own, other = steps(rest=0), "<module>@helpers 1 {}"
    assert found(one_way, own, other.format(50)) is not None
    assert found(one_way, own, other.format(51)) is None


def test_recursion_counts_once():
    """walk() is 60 of 100 ms, of which 20 are waited."""
    text = """
    <module>@main 1 {}
      walk@main 5 5
        walk@main 5 5
          leaf@main 1 50~10
    """
    assert found(one_way, text.format(39)).saving == 50 * MS
    assert found(one_way, text.format(40)) is None


# -- Whom a function hands on to -------------------------------------------------------------------

HANDS_ON = """
<module>@main 1 1
  step@main 10 1
    render@main 5 {render}
      <execute> 5 600
    log@main 3 {log}
    tick@main 2 20
  <execute> 1 0
"""
RENDER = "render takes 0.70 s"
EXECUTE = "and of all below, execute takes the most itself, 0.60 s."


@pytest.mark.parametrize(
    ("render", "log", "takers"),
    [
        (100, 79, f"{RENDER}, {EXECUTE}"),
        (100, 80, f"{RENDER}, {EXECUTE}"),  # a tenth of the 0.80 s that it hands on
        (100, 81, f"{RENDER}, log takes 81 ms, {EXECUTE}"),
        (700, 79, "render takes 1.30 s."),
    ],
)
def test_whom_a_function_hands_on_to(render, log, takers):
    advice = found(one_way, HANDS_ON.format(render=render, log=log)).advice
    assert advice.partition(" It hands on: ")[2] == takers


def test_three_are_named_at_most():
    callees = "".join(f"    part{number}@main 1 {20 + number}\n" for number in range(4))
    text = f"<module>@main 1 1\n  step@main 10 0\n{callees}"
    assert found(one_way, text).advice.partition(" It hands on: ")[2] == (
        "part3 takes 23 ms, part2 takes 22 ms, part1 takes 21 ms."
    )


def test_what_a_recursion_hands_on_to():
    text = """
    <module>@main 1 1
      walk@main 10 0
        walk@main 10 0
          visit@main 1 50
            walk@main 10 0
              visit@main 1 10
            sort@main 1 30
        log@main 1 19
        walk@main 1 0
    """
    assert found(one_way, text).advice.endswith(" It hands on: visit takes 90 ms, log takes 19 ms.")


def test_the_first_is_named_however_little_it_takes():
    callees = "".join(f"    part{number}@main 1 10\n" for number in range(11))
    text = f"<module>@main 1 1\n  step@main 10 0\n{callees}"
    assert found(one_way, text).advice.endswith(" It hands on: part0 takes 10 ms.")


@pytest.mark.parametrize(("whose", "told_of"), [(f"{SITE}/hooks.py", (10,)), ("main", (9, 10))])
def test_what_only_hands_on_is_no_way_or_none_to_be_quicker(whose, told_of):
    """A hundredth of the time of call() is 10 ms."""
    for own in (9, 10):
        text = f"<module>@main 1 10\n  call@{whose} 10 {own}\n    work@main 1 {1000 - own}"
        finding = found(one_way, text)
        assert (finding is not None) is (own in told_of)
        if finding is not None:
            assert ("quicker way" in finding.advice) is (own == 10)
            assert (" It hands on: work takes 0.99 s." in finding.advice) is (own == 9)


def test_a_package_that_is_the_program_is_its_own_code():
    """As where an installed command is run. Of another package, call() would only hand on."""
    tool, other = (f"{SITE}/{name}" for name in ("tool.py", "hooks.py"))
    text = f"main@{tool} 1 10\n  call@{tool} 10 9\n    run@{other} 10 100\n      work@{other} 1 891"
    assert found(one_way, text).row.name == "call"


def test_a_function_whose_callees_are_not_known_hands_on_all_the_same():
    """As where calls have no path that was kept."""
    paths = with_figures(paths_of_text(in_ms("<module>@main 1 1\n  step@main 10 1")))
    tree = paths.trees[0]
    tree.figures[1] = tree.figures[1]._replace(cumtime=1000 * MS)
    advice = one_way(Outline(paths), None).advice
    assert advice.endswith(" It hands on: what it calls takes the time.")


# -- Where no outline tells ------------------------------------------------------------------------


def test_the_function_that_works_most():
    text = "<module>@main 1 {}\n  work@main 3 {}\n"
    line = "75%: work, main.py, takes 30 ms itself, in 3 calls"
    assert told(one_function, text.format(10, 30)) == line
    others = "".join(f"  part{number}@main 1 150\n" for number in range(5))
    assert found(one_function, text.format(0, 250) + others).row.name == "work"
    assert found(one_function, text.format(1, 249) + others) is None


def test_a_builtin_has_no_place():
    text = "<module>@main 1 10\n  <builtins.len> 1 30"
    assert told(one_function, text) == "75%: len, takes 30 ms itself, in 1 call"


def test_what_a_function_waits_is_no_work():
    text = "<module>@main 1 10\n  work@main 1 {}~{}\n  other@helpers 1 50"
    assert told(one_function, text.format(100, 49)).startswith("32%: work")
    assert told(one_function, text.format(100, 51)).startswith("31%: other")
    assert found(one_function, "<module>@main 1 100~90") is None


def test_imports_that_took_long():
    text = "<module>@main 1 {}\n  _find_and_load@{} 4 1\n    <module>@json 1 {}"
    finding = found(slow_imports, text.format(69, "boot", 30))
    assert finding.parts == ("31%: imports take 31 ms to find, load and run modules",)
    assert finding.advice == "What is seldom needed can be imported where it is used."
    assert (finding.row.name, finding.saving) == ("_find_and_load", 31 * MS)
    assert found(slow_imports, text.format(70, "boot", 29)) is None
    assert found(slow_imports, text.format(69, "main", 30)) is None


# -- One line --------------------------------------------------------------------------------------

CALLS = """
format@main 0-100
  <str.join> 2-100
    run@main 5-100
      work@main 40-100
"""


def line_found(text, *timed, waits=None):
    """What is found of the lines `timed`, (function, [(line, hits, time, in C, own, suspended)]),
    of a run; a tick is a millisecond."""
    capture = capture_of(text, tick=1e-3)
    capture.timed_lines = snapshot(
        {(1, name): lines for name, lines in timed}, waits=waits, file=FILES["main"], tick=1e-3
    )
    stats = tracer.Stats(capture)
    finding = one_line(Outline(paths_of(stats)), stats)
    return finding and (said(finding, lambda row: row.name), finding.advice, finding.line)


def test_a_line_with_most_of_the_time():
    calls = (2, 1, 100, 0, 1, 0)
    text = "a@main 0-100\n  b@main 52-100"
    assert line_found(text, ("a", [calls, (3, 2, 60, 0, 51, 0)])) == (
        "51%: line 3 of a, a",
        "51 ms in 2 hits, without the Python functions that it calls or that C calls back; 0 ns "
        "of that in C.",
        3,
    )
    assert line_found(text, ("a", [calls, (3, 2, 60, 0, 50, 0)])) is None
    assert line_found(text, ("a", [(3, 2, 100, -1, -1, 0)])) is None  # not known
    assert line_found(text) is None


def test_the_part_of_a_line_in_c():
    text = "a@main 0-100\n  <len> 30-45\n  b@main 55-100"
    _, advice, _ = line_found(text, ("a", [(3, 1, 55, 15, 40, 0)]))
    assert advice.startswith("55 ms in 1 hit, without") and advice.endswith("; 15 ms of that in C.")


def test_what_a_line_waited_is_no_work():
    text = "a@main 0-100"
    for waited, is_told in ((38, True), (39, False)):
        found = line_found(text, ("a", [(3, 1, 90, 0, 89, 0)]), waits={0: waited})
        assert (found is not None) is is_told


def test_what_c_calls_back_is_no_time_of_the_line():
    joins = ("format", [(60, 1, 100, 98, 2, 0)])

    def works(own):
        return "work", [(7, 9, 60, 0, 60 - own, 0), (8, 9, 60, 0, own, 0)]

    assert line_found(CALLS, joins) is None
    assert line_found(CALLS, joins, works(50)) is None
    assert line_found(CALLS, joins, works(51))[2] == 8


def test_a_line_of_a_function_without_figures_has_what_c_calls_back():
    assert line_found("a@main 0-100", ("left_out", [(3, 2, 60, 50, 1, 0)])) == (
        "51%: line 3 of left_out, left_out",
        "51 ms in 2 hits: 1 ms of its own, and 50 ms in C with what C calls back.",
        3,
    )


def test_the_function_of_the_line_is_that_of_the_figures():
    text = "work.<locals>.step@main 0-100"
    told, _, _ = line_found(text, ("work.<locals>.step", [(3, 2, 60, 0, 60, 0)]))
    assert told == "60%: line 3 of step, work.<locals>.step"
