"""benchmarks/first_screen.py: how it reads screens, their scores, the clock of a plain run, and a
tiny run."""

import ast
import json

import pytest

from benching import load, script
from treetexts import paths_of_text

TRUTH = """\
# function: find
# share: 96.5
# caller: book
# words: 4,000
# command: -m shop --limit "3 4"
\"\"\"A shop.\"\"\"
"""

TRACER = """\
   command  shop.py
      time  1.072 s real; 18,130 calls in 1 thread
  findings  95%: find, shop.py:18, takes 1.02 s in 4,000 calls by book: 0.51 s Connection.execute,
              0.49 s fetchone
            20%: importing sqlite3
tiny calls  abs has 9 calls

    time      %   waited      own     calls  3 of 9 rows: --tree has all
   1.071  100.0    0.315                  1  <module>  shop.py:1
   1.044   97.4    0.298    0.002         1  ├─ <genexpr>  shop.py:27
   1.041   97.2             0.290     4,000  │  └─ book \u203a find  shop.py:18
   0.394   36.8    0.012    0.394     4,000  │     └─ Connection.execute
   0.009    0.8    0.005    0.009         1  └─ import sqlite3

     own      %   waited     time     calls  function
   0.394   36.8    0.012    0.394     4,001  Connection.execute

      more  python -m tracer show FILE
"""

PYINSTRUMENT = """\
  _     ._   __/__   _ _  _  _ _/_   Recorded: 02:23:30  Samples:  680
 /_//_/// /_\\ / //_// / //_'/ //     Duration: 0.800     CPU time: 0.740
/   _/                      v5.1.3

Program: shop.py

0.800 <module>  shop.py:1
├─ 0.760 book  shop.py:22
│  └─ 0.720 get  client/api.py:160
│        [5 frames hidden]  client
│        0.720 wrapper  shop.py:30
│        └─ 0.700 find  shop.py:18
└─ 0.040 <module>  sqlite3/__init__.py:1

"""

CPROFILE = """\
printed by the program
         21525 function calls (21483 primitive calls) in 0.800 seconds

   Ordered by: cumulative time

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
      5/1    0.000    0.000    0.800    0.800 {built-in method builtins.exec}
        1    0.000    0.000    0.800    0.800 shop.py:1(<module>)
     4000    0.002    0.000    0.760    0.000 shop.py:18(find)
"""


def truth(**changed):
    truths = load("harness.truths")
    stated = {"share": 96.5, "caller": "book", "words": ("4,000",), "command": (), "clock": "find"}
    return truths.Truth(**{"name": "shop", "function": "find", **stated, **changed})


def screen(*rows, findings=(), text="", **options):
    screens = load("harness.screens")
    nested = screens.nested(screens.Row(*row, file="shop.py") for row in rows)
    return screens.Screen(text, nested, list(findings), **options)


def score(shown, **changed):
    stated = truth(**{"words": (), "files": ("shop.py",), **changed})
    return load("harness.screens").score(shown, stated)


# -- What programs state ---------------------------------------------------------------------------


def test_a_program_states_its_truth():
    found = load("harness.truths").parsed("shop", TRUTH)
    assert found == truth(command=("-m", "shop", "--limit", "3 4"))


def test_a_program_without_a_share_is_refused():
    with pytest.raises(ValueError, match="shop states no function, or no share"):
        load("harness.truths").parsed("shop", "# function: find\n")


def test_each_program_states_its_truth():
    truths = load("harness.truths")
    stated = [truths.truth_of(name) for name in truths.names()]
    assert len(stated) == 37
    assert all(0 < one.share <= 100 for one in stated)


# -- Reading screens -------------------------------------------------------------------------------


def test_a_screen_of_tracer():
    shown = load("harness.screens").of_tracer(TRACER)
    assert shown.findings == [
        "95%: find, shop.py:18, takes 1.02 s in 4,000 calls by book: 0.51 s Connection.execute, "
        "0.49 s fetchone",
        "20%: importing sqlite3",
    ]
    assert [(row.names, row.share, row.file) for row in shown.rows] == [
        (["<module>"], 100.0, "shop.py"),
        (["<genexpr>"], 97.4, "shop.py"),
        (["book", "find"], 97.2, "shop.py"),
        (["Connection.execute"], 36.8, ""),
        (["import sqlite3"], 0.8, ""),
    ]
    above = [row.above.names[-1] if row.above else None for row in shown.rows]
    assert above == [None, "<module>", "<genexpr>", "find", "<module>"]
    assert "command" not in shown.text
    assert "python -m tracer" not in shown.text


def test_a_screen_of_pyinstrument():
    shown = load("harness.screens").of_pyinstrument(PYINSTRUMENT)
    assert [(row.names[0], row.share, row.file) for row in shown.rows] == [
        ("<module>", 100.0, "shop.py"),
        ("book", pytest.approx(95.0), "shop.py"),
        ("get", pytest.approx(90.0), "api.py"),
        ("wrapper", pytest.approx(90.0), "shop.py"),
        ("find", pytest.approx(87.5), "shop.py"),
        ("import sqlite3", pytest.approx(5.0), "__init__.py"),
    ]
    assert score(shown, share=86) == 2  # what a library and a wrapper do is passed over
    assert score(shown, share=86, caller="get") == 1


def test_a_list_of_cprofile_has_no_callers():
    shown = load("harness.screens").of_cprofile(CPROFILE)
    assert [row.share for row in shown.rows] == [100.0, 100.0, pytest.approx(95.0)]
    assert score(shown) == 1
    assert score(shown, caller="") == 2
    assert score(load("harness.screens").of_cprofile("Traceback"), caller="") == 0


# -- Scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("finding", "expected"),
    [
        ("94%: find takes 1 s in 4,000 calls by book", 2),
        ("82%: find takes 1 s in 4,000 calls by book", 2),  # 14.5 points off
        ("81%: find takes 1 s in 4,000 calls by book", 1),
        ("94%: find takes 1 s in 4,000 calls by bookings", 1),
        ("94%: refind takes 1 s in 4,000 calls by book", 0),
        ("94%: find_all takes 1 s in 4,000 calls by book", 0),
        ("1.2 s suspended in find, awaited by book", 1),
    ],
)
def test_a_finding_names_function_share_and_caller(finding, expected):
    assert score(screen(findings=[finding])) == expected


def test_a_share_is_that_of_the_profile_where_this_is_known():
    finding = "90%: find takes 1 s in 4,000 calls by book"
    rows = [(["book", "find"], 90.0)]
    for shares, expected in (((), 2), ((40.0, 87.5), 2), ((86.5, 93.5), 1)):  # 96.5 is too far
        assert score(screen(findings=[finding], shares=shares)) == expected
        assert score(screen(*rows, shares=shares)) == expected
    assert score(screen(findings=[finding], shares=(40.0,)), share=92) == 2


def test_the_shares_of_a_function_in_a_profile():
    paths = paths_of_text(
        """
        <module>@main 1 20
          book@main 1 10
            find@main 2 20
              sleep@ 2 30~20
            find@main 1 10
              book@main 1 10
        """,
        """
        find@main 1 10
        """,
    )
    shares_of = load("harness.profiles").shares_of
    for names, expected in (
        ({"find"}, (60, 80, 0, 60 / 0.9)),
        ({"book"}, (60, 80, 0, 60 / 0.9)),
        ({"find", "book"}, (70, 90, 0, 70 / 0.9)),
    ):
        assert shares_of(paths, names.__contains__) == pytest.approx(expected)
    assert shares_of(paths, lambda name: name == "nobody") == ()


def test_the_caller_of_a_finding_may_be_in_the_tree():
    finding = "95%: find takes 1 s in 4,000 calls"
    assert score(screen(findings=[finding])) == 1
    rows = [(["book"], 40.0), (["find"], 40.0, 1)]
    assert score(screen(*rows, findings=[finding])) == 2


def test_words_must_be_on_the_screen():
    rows = [(["book", "find"], 96.0)]
    assert score(screen(*rows, text="in 4,000 calls"), words=["4,000", "calls"]) == 2
    assert score(screen(*rows, text="in 400 calls"), words=["4,000", "calls"]) == 1


def test_the_answer_is_among_five_rows_and_the_name_among_ten():
    def below(number):
        rows = [([f"other{place}"], 99.0) for place in range(number)]
        return screen(*rows, (["book", "find"], 96.0))

    assert [score(below(number)) for number in (4, 5, 9, 10)] == [2, 1, 1, 0]


def test_what_starts_a_program_is_no_row_of_a_peer():
    rows = [(["<module>"], 100.0)] * 20 + [(["import json"], 3.0), (["book", "find"], 96.0)]
    assert score(screen(*rows)) == 0
    assert score(screen(*rows, skips_start=True)) == 2
    assert score(screen(*rows, skips_start=True), function="import json", share=3, caller="") == 2


def test_a_finding_about_another_function_misleads_if_its_share_is_larger():
    rows = [(["book", "find"], 96.0)]
    assert score(screen(*rows, findings=["97%: others take 1 s"])) == 0
    assert score(screen(*rows, findings=["97%: book takes 1 s"])) == 2
    assert score(screen(*rows, findings=["20%: others take 1 s"])) == 2
    assert score(screen(findings=["20%: others take 1 s", "95%: find, by book"])) == 1


def test_a_finding_with_words_of_the_answer_does_not_mislead():
    shown = screen((["book", "find"], 40.0), findings=["97%: others take 1 s in 4,000 calls"])
    assert score(shown, words=["4,000"]) == 1
    assert score(shown, words=[r"(?s)\A(?!.*5,000)"]) == 0


def test_a_method_without_its_class_is_half_an_answer():
    rows = [(["book", "__lt__"], 96.0)]
    assert score(screen(*rows), function="Job.__lt__") == 1
    assert score(screen((["book", "Job.__lt__"], 96.0)), function="Job.__lt__") == 2
    local = (["book", "main.<locals>.inner"], 96.0)
    assert score(screen(local), function="main.inner") == 2


# -- The clock of a plain run ----------------------------------------------------------------------


class Times:
    """A clock that is one second on each time it is read."""

    def __init__(self):
        self.read = 0

    def __call__(self):
        self.read += 1
        return float(self.read)


@pytest.fixture
def plain_clock(monkeypatch):
    module = load("harness.plain_clock")
    monkeypatch.setattr(module, "perf_counter", Times())
    return module


def test_a_recursion_counts_once(plain_clock):
    clock = plain_clock.Clock()

    def down(number):
        return down(number - 1) if number else 0

    down = plain_clock.clocked(down, clock)
    down(3)
    down(0)
    assert (clock.calls, clock.outermost, clock.seconds) == (5, 2, 2.0)


def test_a_generator_has_the_time_in_which_it_makes_items(plain_clock):
    clock = plain_clock.Clock()

    def numbers():
        yield 1
        yield 2
        return 3

    def both():
        return (yield from plain_clock.clocked(numbers, clock)())

    made = both()
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(StopIteration) as stopped:
        next(made)
    assert stopped.value.value == 3
    assert (clock.calls, clock.seconds) == (3, 3.0)


def test_a_coroutine_has_the_time_until_its_end(plain_clock):
    import asyncio

    clock = plain_clock.Clock()

    async def waits():
        await asyncio.sleep(0)
        plain_clock.perf_counter()
        return 5

    assert asyncio.run(plain_clock.clocked(waits, clock)()) == 5
    assert (clock.calls, clock.seconds) == (1, 2.0)


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("find", "@clocked\ndef find():\n    pass"),
        ("Shop.find", "    @property\n    @clocked\n    def find(self):\n        pass"),
        ("Shop.__lt__", "@clocked_method('__lt__')\n@dataclass\nclass Shop:"),
        ("import json", "with clock:\n    import json.decoder"),
    ],
)
def test_the_clock_is_given_to_one_function(tmp_path, target, expected):
    file = tmp_path / "shop.py"
    file.write_text(
        '"""A shop."""\nfrom __future__ import annotations\nimport json.decoder\n'
        "def find():\n    pass\n"
        "@dataclass\nclass Shop:\n    @property\n    def find(self):\n        pass\n"
    )
    load("harness.truths").give_clock(file, target)
    text = file.read_text()
    assert expected in text
    assert text.count("clocked\n") + text.count("clocked_method(") + text.count("with clock") == 1
    ast.parse(text)
    lines = text.splitlines()
    assert lines[2] == "from plain_clock import clock, clocked, clocked_method"


# -- Runs ------------------------------------------------------------------------------------------


def test_a_plain_run_tells_the_share_of_a_function(tmp_path, monkeypatch):
    truths = load("harness.truths")
    monkeypatch.setattr(truths, "FOLDER", tmp_path)
    lines = ["# function: slow", "# share: 50", "from time import sleep"]
    lines += ["def slow():", "    sleep(0.4)", "slow()", "sleep(0.4)"]
    (tmp_path / "sleeper.py").write_text("\n".join(lines) + "\n")
    assert truths.names() == ["sleeper"]
    assert truths.measured(truths.truth_of("sleeper")) == pytest.approx(50, abs=15)


def test_a_program_is_scored(tmp_path):
    file = tmp_path / "found.json"
    words = ["--programs", "child_wait", "--only", "cProfile", "--json", str(file)]
    done = script("first_screen", *words)
    assert done.returncode == 0, done.stderr
    assert "| child_wait | run 99% for version |        1 |" in done.stdout
    found = json.loads(file.read_text())["found"]
    assert found["scores"] == {"child_wait": {"cProfile": 1}}
    [shots] = found["shots"]["child_wait"]
    assert "(version)" in shots["cProfile"][0]


def test_the_score_of_several_rounds_is_their_median():
    first_screen = load("first_screen")
    stated = truth(words=(), caller="")
    better, empty = ({"cProfile": first_screen.Shot(text)} for text in (CPROFILE, ""))
    assert first_screen.scores_of(stated, [better, empty, better]) == {"cProfile": 2}
    assert first_screen.scores_of(stated, [better, empty]) == {"cProfile": 0}
    assert first_screen.scores_of(stated, []) is None


def test_the_goals_are_of_tracer_and_a_program_that_fails_has_a_0():
    scores = {"a": {"tracer": 2}, "b": {"tracer": 1}, "c": None, "d": {"tracer": 1}}
    found = load("first_screen").goals_of(scores)
    assert [(goal.measured, goal.verdict) for goal in found] == [(3, "met"), (1, "missed")]
