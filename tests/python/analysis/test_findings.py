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
    <module>@main 1 {}
      _find_and_load@boot 3 0
        <module>@pandas 1 150
        <module>@json 1 49
        <module>@numpy 1 1
        <module>@helpers 1 100
    """
    assert found(text.format(650)) == [
        "21%: importing pandas (0.15 s), json (49 ms); the first in main.py"
    ]
    assert found(text.format(750)) == []


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


def test_a_function_with_much_time_of_its_own():
    text = """
    <module>@main 1 0
      work@main 3 {0}
      other@main 1 {1}
      one@helpers 1 {1}
      two@helpers 1 {1}
      three@helpers 1 {1}
    """
    assert found(text.format(260, 185)) == ["26%: work, main.py, takes 0.26 s itself, in 3 calls"]
    assert found(text.format(240, 190)) == []


def test_functions_without_a_name_have_that_of_their_function():
    (line,) = found("<module>@main 1 0\n  work.<locals>.<lambda>@main 3 260\n")
    assert line == "100%: work.<lambda>, main.py, takes 0.26 s itself, in 3 calls"


def test_what_others_do_for_one_function_without_what_they_call_back():
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
    assert found(text.format(300)) == [
        "36%: load, main.py, spends 0.40 s in requests (post, get), 5 calls"
    ]
    assert found(text.format(150)) == []


def test_all_that_others_did_counts_however_little_in_each_place():
    """As in a package that stands open: the 4000 functions have no node. What was waited is told
    beside."""
    parts = "".join(f"          part{number}@frame 1 1\n" for number in range(4000))
    text = f"""
    <module>@main 1 0
      main@main 1 0
        apply@frame 200 200~100
{parts}
        loads@frame 100 400~300
          _find_and_load@boot 1 0
            <module>@json 1 60
          on_value@main 1 40
    """
    outline = Outline(paths_of_text(in_ms(text)))
    assert not any(node.name.startswith("part") for node in outline.walk())
    (finding,) = findings(outline, 1)
    assert said(finding, file_of) + finding.aside == (
        "89%: main, main.py, spends 4.20 s in pandas (apply), 300 calls, and waits 0.40 s"
    )


def test_all_that_a_function_took_counts_however_little_in_each_place():
    callers = "".join(f"  by{number}@main 1 1\n    step@main 2 1\n" for number in range(2500))
    assert found(f"<module>@main 1 0\n{callers}") == [
        "50%: step, main.py, takes 2.50 s itself, in 5,000 calls"
    ]


def test_all_imports_count_however_short_each_is():
    loads = "".join(
        f"    _find_and_load@boot 1 0\n      <module>@{PYTHON}/lib{number}.py 1 1\n"
        for number in range(2500)
    )
    assert found(f"<module>@main 1 0\n  load@main 1 2500\n{loads}") == [
        "50%: importing modules; asked for in load, main.py",
        "50%: load, main.py, takes 2.50 s itself, in 1 call",
    ]


def test_a_method_is_named_with_its_class_where_it_is_alone():
    text = f"""
    <module>@main 1 0
      main@main 1 0
        Session.get@{SITE}/requests/api.py 2 100
        Session.post@{SITE}/requests/api.py 2 {{}}
    """
    line = "100%: main, main.py, spends {} s in requests ({}), 4 calls"
    assert found(text.format(100)) == [line.format("0.20", "get, post")]
    assert found(text.format(2000)) == [line.format("2.10", "Session.post")]


def test_what_a_builtin_does_for_one_function():
    assert (
        found("<module>@main 1 100\n  crawl@main 1 10\n    <time.sleep> 4 90\n")
        == [
            "45%: crawl, main.py, spends 90 ms in time.sleep, 4 calls",
            "50%: <module>, main.py",
        ][:1]
    )


def test_what_is_called_again_and_again_in_one_call():
    text = """
    <module>@main 1 500
      report@main {0} 10
        query@helpers {1} {2}
    """
    assert found(text.format(3, 300, 100)) == [
        "16%: report, main.py, calls query 300 times, 333 us each"
    ]
    assert found(text.format(4, 300, 100)) == []  # not 100 for each call
    assert found(text.format(2, 299, 100)) == []  # not so often
    assert found(text.format(3, 300, 50)) == []  # not so long
    assert found(text.format(3, 300, 100).replace("query@helpers", "<len>")) == []


def test_a_loop_that_sees_each_item_once_is_no_finding():
    """write() is called once a thread. What it calls of others may be done at once for all."""
    text = """
    <module>@main 1 500
      write@main {} 10
        {} 1200 300
    """
    own, library = "store@helpers", f"store@{SITE}/requests/api.py"
    assert found(text.format(1, own)) == []
    assert found(text.format(1, own), text.format(1, own)) == []
    line = "37%: write, main.py, calls {} 1,200 times, 250 us each"
    assert found(text.format(2, own)) == [line.format("store")]
    assert found(text.format(1, library))[0] == line.format("requests (store)")


def test_what_threads_wait_side_by_side_saves_once():
    """Of 4 x 500 ms waited in recv(), 500 ms could be saved: less than the 680 of work()."""
    worker = f"""
    work@main 1 170
      post@{SITE}/requests/api.py 300 0
        <socket.recv> 300 500~500
    """
    assert found(*[worker] * 4) == [
        "25%: work, main.py, takes 0.68 s itself, in 4 calls",
        "75%: work, main.py, calls requests (post) 1,200 times, 1.67 ms each",
        "75% of the run: work, main.py, waits 2.00 s in socket.recv, 4 threads",
    ]


def test_recursion_is_not_called_again_and_again():
    deep = "".join(f"{'  ' * level}walk@main 1 1\n" for level in range(1, 900))
    lines = found(f"<module>@main 1 1\n{deep}")
    assert lines == ["100%: walk, main.py, takes 0.90 s itself, in 899 calls"]


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
        "41%: load, main.py, calls requests (get) 900 times, 444 us each",
        "31%: work, main.py, takes 0.30 s itself, in 3 calls",
        "26%: importing pandas (0.25 s); asked for in main.py",
    ]
    assert found(text) == every
    assert found(text, most=2) == every[:2]


def test_what_may_be_done():
    text = f"""
    <module>@main 1 10
      load@main 1 10
        get@{SITE}/requests/api.py 900 400
      save@main 1 10
        dump@json 1 400
      _find_and_load@boot 3 0
        <module>@pandas 1 400
      work@main 1 500
    """
    several = f"<module>@main 1 10\n  save@main 1 10\n    put@{SITE}/requests/api.py 1 400"
    outlines = [Outline(paths_of_text(in_ms(one))) for one in (text, several)]
    assert {it.rule: it.advice for one in outlines for it in findings(one, 9)} == {
        "again_and_again": "One call for all of them, or what was found the first time, may do.",
        "slow_imports": "What is seldom needed can be imported where it is used.",
        "others_work": "Fewer calls, or less to do in each, would save the most.",
        "one_function": "",
    }


def test_of_a_short_run_nothing_is_told():
    assert found("<module>@main 1 0\n  work@main 1 19\n") == []
    assert found("<module>@main 1 0\n  work@main 1 20\n") != []
    assert found("<module>@main 1 0") == []


def test_what_is_waited_is_no_work():
    """work() is busy for 390 of 700 ms, other() for 260 of 260; and sleep() does nothing."""
    text = """
    <module>@main 1 0
      work@main 1 700~{0}
      other@main 1 260
      crawl@main 1 20
        <time.sleep> 4 400~400
    """
    assert found(text.format(310)) == [
        "29% of the run: crawl, main.py, waits 0.40 s in time.sleep",
        "28%: work, main.py, takes 0.39 s itself, in 1 call",
    ]
    assert found(text.format(400)) == ["29% of the run: crawl, main.py, waits 0.40 s in time.sleep"]
