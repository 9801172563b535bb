"""analysis/findings/findings.py: what each rule finds, where its threshold is, and what is told
first."""

from tracer.analysis.findings.findings import findings
from tracer.analysis.outline.outline import Outline
from treetexts import PYTHON, SITE, in_ms, paths_of_text, said


def found(*texts, most=3):
    outline = Outline(paths_of_text(*map(in_ms, texts)))
    return [said(finding, file_of) for finding in findings(outline, most)]


def file_of(row):
    return row.file.rpartition("/")[2]


def test_imports_are_named_with_who_asked():
    text = """
    <module>@main 1 0
      one@main 1 {0}
      two@main 1 {0}
      three@main 1 {0}
      _find_and_load@boot 3 0
        <module>@pandas 1 150
        <module>@json 1 49
        <module>@numpy 1 1
        <module>@helpers 1 140
    """
    assert found(text.format(220)) == [
        "20%: importing pandas (0.15 s), json (49 ms); the first in main.py"
    ]
    assert found(text.format(223)) == []


def test_imports_asked_for_in_several_places():
    assert found(
        """
        <module>@main 1 0
          _find_and_load@boot 3 0
            <module>@pandas 1 40
          a@helpers 1 2
            _find_and_load@boot 1 0
              <module>@numpy 1 30
          b@helpers 1 2
            _find_and_load@boot 1 0
              <module>@json 1 30
        """
    ) == ["96%: importing pandas (40 ms), numpy (30 ms), json (30 ms); the first in main.py"]


def test_the_place_is_of_an_import_that_the_program_asked_for():
    text = """
    _find_and_load@boot 1 0
      <module>@pandas 1 400
    <module>@main 1 10
      _find_and_load@boot 1 0
        <module>@{} 1 {}
    """
    assert found(text.format("numpy", 40)) == [
        "98%: importing pandas (0.40 s), numpy (40 ms); numpy asked for in main.py"
    ]
    assert found(text.format("numpy", 10)) == [
        "98%: importing pandas (0.40 s); numpy asked for in main.py"
    ]


def test_all_imports_count_however_short_each_is():
    loads = "".join(
        f"    _find_and_load@boot 1 0\n      <module>@{PYTHON}/lib{number}.py 1 1\n"
        for number in range(2500)
    )
    assert found(f"<module>@main 1 0\n  load@main 1 2500\n{loads}") == [
        "50%: importing modules; asked for in load, main.py",
        "50%: load, main.py, takes 2.50 s itself in 1 call by <module>",
    ]


def test_what_is_called_again_and_again_in_one_call():
    text = """
    <module>@main 1 10
      one@main 1 110
      two@main 1 110
      three@main 1 110
      four@main 1 110
      report@main {0} 10
        query@helpers {1} {2}
    """
    assert found(text.format(3, 300, 100)) == [
        "18%: report, main.py, calls query 300 times, 333 us each"
    ]
    assert found(text.format(4, 300, 100)) == []  # not 100 for each call
    assert found(text.format(2, 299, 100)) == []  # not so often
    assert found(text.format(3, 300, 50)) == []  # not so long
    assert found(text.format(3, 300, 100).replace("query@helpers", "<len>")) == []


def test_a_loop_that_sees_each_item_once_is_no_finding():
    """write() is called once a thread. What it calls of others may be done at once for all."""
    text = """
    <module>@main 1 10
      one@main 1 160
      two@main 1 160
      three@main 1 160
      four@main 1 160
      write@main {} 10
        {} 1200 200
    """
    own, library = "store@helpers", f"store@{SITE}/requests/api.py"
    assert found(text.format(1, own)) == []
    assert found(text.format(1, own), text.format(1, own)) == []
    line = "23%: write, main.py, calls {} 1,200 times, 167 us each"
    assert found(text.format(2, own)) == [line.format("store")]
    assert found(text.format(1, library)) == [line.format("requests (store)")]


def test_what_is_told_of_a_function_is_not_told_of_its_caller():
    """Nor of who calls another that leads to it."""
    text = """
    <module>@main 1 10
      report@main 1 10
        row@main 900 10
          query@helpers 900 300
    """
    assert found(text) == ["91%: query, helpers.py, takes 0.30 s itself in 900 calls by row"]


def test_those_that_could_save_most_come_first_and_once():
    text = f"""
    <module>@main 1 10
      load@main 1 10
        get@{SITE}/requests/api.py 900 400
      work@main 3 300
      _find_and_load@boot 3 0
        <module>@pandas 1 250
    """
    every = [
        "42%: load, main.py, takes 0.41 s in 1 call by <module>: 0.40 s requests (get) (900 calls)",
        "31%: work, main.py, takes 0.30 s itself in 3 calls by <module>",
        "26%: importing pandas (0.25 s); asked for in main.py",
    ]
    assert found(text) == every
    assert found(text, most=2) == every[:2]


def test_what_may_be_done():
    text = f"""
    <module>@main 1 10
      one@main 1 200
      load@main 1 10
        get@{SITE}/requests/api.py 900 200
      save@main 1 10
        dump@json 1 400
      _find_and_load@boot 3 0
        <module>@pandas 1 400
    """
    assert {it.rule: it.advice for it in findings(Outline(paths_of_text(in_ms(text))), 9)} == {
        "again_and_again": "One call for all of them, or what was found the first time, may do.",
        "slow_imports": "What is seldom needed can be imported where it is used.",
        "costly_functions": "Fewer calls, or less to do in each, would save the most.",
    }


def test_of_a_short_run_nothing_is_told():
    assert found("<module>@main 1 0\n  work@main 1 19\n") == []
    assert found("<module>@main 1 0\n  work@main 1 20\n") != []
    assert found("<module>@main 1 0") == []
