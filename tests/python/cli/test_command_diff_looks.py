"""`tracer diff`, as people read it: in the width of a terminal, the program's own functions first,
and what was waited."""

import json
import re

import pytest

import tracer
from diffing import diff, write_profiles
from launch import environment, on_terminal, refused
from tracer.results.comparison import compare
from waiting import profile_of, space_of

pytestmark = pytest.mark.results

SITE = "/usr/lib/python3/dist-packages/somewhat/inside/library.py"
LIBRARY = """
def a_function_with_a_name_that_is_much_too_long_for_any_row_on_a_terminal():
    WORK({0})
    WAIT({1})
def entry():
    a_function_with_a_name_that_is_much_too_long_for_any_row_on_a_terminal()
"""
OWN = """
def little():
    WORK(1)
def asks():
    WORK(10)
    entry()
def main():
    little()
    asks()
    WORK({0})
"""


def profile(own, work, wait):
    space = space_of(LIBRARY.format(work, wait), SITE)
    return profile_of(space_of(OWN.format(own), space=space), threads=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("looks")
    write_profiles(folder)
    profile(20, 100, 5).dump_stats(folder / "one.out")
    profile(25, 200, 305).dump_stats(folder / "two.out")
    profile(25, 200, 5).dump_stats(folder / "three.out")
    return folder


def shown(folder, *words, columns=80):
    options = {"cwd": folder, "env": environment(TERM="dumb"), "columns": columns}
    text, status = on_terminal("stdout", "-m", "tracer", "diff", *words, **options)
    assert status == 0
    return text.decode()


LONG = "a_function_with_a_name_that_is_much_too_long_for_any_row_on_a_terminal"


def test_own_code_and_own_time_stand_above_the_table(folder):
    """Of asks() and its caller main(), which changed about as much, the innermost is told."""
    lines = diff("one.out", "two.out", folder=folder).splitlines()
    head = lines[: lines.index("")]
    assert head[-2:] == [
        "  own code  asks  /here/app/work.py:4  cumtime 0.115 s -> 0.515 s  +347.8%",
        f"  own time  {LONG}  {SITE}:2  tottime 0.105 s -> 0.505 s  +381.0%",
    ]
    back = diff("two.out", "one.out", folder=folder)
    assert "  own code  asks  /here/app/work.py:4  cumtime 0.515 s -> 0.115 s  -77.7%\n" in back
    assert "own time" not in back  # no function has more of it
    for words in ("one.out", "one.out"), ("--no-header", "one.out", "two.out"):
        text = diff(*words, folder=folder)
        assert "own code" not in text and "own time" not in text


def test_own_code_that_is_new():
    nothing = tracer.Stats(names="qualname")
    then = tracer.Stats(profile(20, 100, 5), names="qualname")
    new = compare(nothing, then).of_own_code()
    assert (new.name, new.state) == ("work.asks", "new")
    assert compare(then, nothing).of_own_code().state == "gone"


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_no_line_is_wider_than_the_terminal(folder, columns):
    text = shown(folder, "one.out", "two.out", columns=columns)
    head, table = re.split("filename.*\n", text)
    # Beside the figures, 16 characters of a name are left, however narrow the terminal.
    figures = len(head.rpartition("\n")[2])
    assert max(map(len, text.partition(table)[0].splitlines())) <= columns
    assert max(map(len, table.splitlines())) <= max(columns, figures + len("library.py:2()") + 16)
    assert "/here/app/work.py:7(main)" in text or columns == 80
    (row,) = [line for line in text.splitlines() if line.endswith("terminal)")]
    name = row.split("  ")[-1]
    assert name.startswith("library.py:2(a_")
    assert "…" in name
    # What is printed is taken again.
    assert " functions  1 -> 1: " in shown(folder, "one.out", "two.out", "--only", name)


def test_a_pipe_has_whole_names(folder):
    text = diff("one.out", "two.out", folder=folder)
    assert f"  {SITE}:2({LONG})\n" in text
    assert "…" not in text


def test_waits_in_the_header(folder):
    text = diff("one.out", "two.out", folder=folder)
    times = "   tottime  0.136 s -> 0.541 s  +297.8%\n    waited  0.005 s -> 0.305 s  x61"
    assert f"{times}  (--metric busy compares what worked)\n" in text
    assert "waited" not in diff("one.out", "three.out", folder=folder)  # too little to be told


def test_what_waited_longer(folder):
    text = diff("--metric=waited", "--no-header", "--strip-dirs", *PAIR, folder=folder)
    assert text == (
        "   Ordered by: change of waited\n"
        "\n"
        "   ncalls       +/-  tottime      +/-   waited      +/-   growth  "
        "filename:lineno(function)\n"
        "        1              0.505   +0.400    0.305   +0.300      x61  "
        f"library.py:2({LONG})\n"
        "\n"
    )


def test_what_was_busier(folder):
    text = diff("--metric=busy", "--no-header", "--strip-dirs", *PAIR, folder=folder)
    head, first, second, _ = text.splitlines()[2:]
    assert head.split()[4:7] == ["busy", "+/-", "growth"]
    assert first.split() == f"1 0.505 +0.400 0.200 +0.100 +100.0% library.py:2({LONG})".split()
    assert second.split()[3:] == ["0.025", "+0.005", "+25.0%", "work.py:7(main)"]


PAIR = "one.out", "two.out"


def test_waits_in_json(folder):
    found = json.loads(diff("--json", "--metric=waited", *PAIR, folder=folder))
    assert found["metric"] == "waited"
    first = found["functions"][0]
    assert first["after"] == {
        "calls": 1,
        "tottime": pytest.approx(0.505),
        "cumtime": pytest.approx(0.505),
        "waited": pytest.approx(0.305),
        "busy": pytest.approx(0.2),
    }


def test_waits_that_grew(folder):
    """A wait grew where it grew by 1% of the total time."""
    words = "--metric=waited", "--fail-above=50"
    said = "tracer: the total and 1 function grew by more than 50% in waited\n"
    diff(*words, *PAIR, folder=folder, status=1, said=said)
    diff(*words, "two.out", "one.out", folder=folder)
    diff(*words, "one.out", "three.out", folder=folder)


@pytest.mark.parametrize("metric", ["waited", "busy"])
def test_a_profile_without_waits(folder, metric):
    assert refused("diff", f"--metric={metric}", "old.out", "plain.out", cwd=folder) == (
        f"'plain.out' tells no waits: another profiler wrote this; leave --metric {metric} out, or "
        "record the program with tracer"
    )
    said = "tracer: the two were recorded differently: by different profilers\n"
    found = json.loads(diff("--json", "old.out", "plain.out", folder=folder, said=said))
    assert found["total"]["before"]["waited"] == 0
    assert found["total"]["after"]["waited"] is None


def test_waits_that_one_of_two_tells_are_not_compared(folder):
    said = "tracer: the two were recorded differently: by different profilers\n"
    for pair in ("two.out", "plain.out"), ("plain.out", "two.out"):
        text = diff(*pair, folder=folder, said=said)
        assert "   tottime  " in text and "    waited  " not in text


MANY = "".join(f"def f{n}():\n    WORK({{0}})\n" for n in range(25))
CALLS = "def main():\n" + "".join(f"    f{n}()\n" for n in range(25))


def test_a_table_that_leaves_changes_out_says_how_to_see_them(folder):
    for name, work in ("few", 1), ("more", 3):
        profile_of(space_of(MANY.format(work) + CALLS), threads=False).dump_stats(folder / name)

    def last(*words):
        return diff("few", "more", *words, folder=folder).splitlines()[-1]

    assert last() == (
        "5 more functions: --limit 0 prints all; --metric cumtime, --only NAME choose others"
    )
    assert last("--metric=cumtime") == (
        "6 more functions: --limit 0 prints all; --metric tottime, --only NAME choose others"
    )
    assert last("--limit=3") == last("--limit=0") == last("--only=f1") == ""
