"""`show --ranges`: how many rows, of which ranges, and how wide."""

import re
from textwrap import dedent

import pytest

from launch import environment, good, on_terminal, traced, write
from outfiles import second


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A profile of 40 ranges, 12 of them of one name, one with values that are long."""
    source = """
    import tracer
    for number in range(12):
        with tracer.range("load (all)", rid=number, path="/" + 40 * "long", query=40 * "q"):
            with tracer.range(f"step {number}"):
                pass
            with tracer.range(f"stop {number}"):
                pass
    for number in range(4):
        tracer.range("last", who=number).__enter__()
    """
    folder = tmp_path_factory.mktemp("ranges")
    write(folder / "marks.py", dedent(source))
    assert traced("--timeline", "-o", "marked.out", "marks.py", cwd=folder).returncode == 0
    return folder


def rows_of(text):
    """How many rows the two tables of ranges have."""
    return [len(part.splitlines()) - 1 for part in text.rstrip("\n").split("\n\n")[-2:]]


@pytest.mark.parametrize(
    ("limit", "rows"),
    [([], [26, 10]), (["--limit", "3"], [3, 3]), (["--limit=0"], [26, 40])],
)
def test_a_limit_rules_both_tables_of_ranges(marked, limit, rows):
    text = good("show", "marked.out", "--ranges", "--no-header", *limit, cwd=marked)
    assert rows_of(text) == rows


def test_ranges_of_several_runs_are_added_up(marked):
    words = ("--ranges", "--no-header", "--limit=0")
    again = second(marked / "marked.out")
    assert rows_of(good("show", "marked.out", again, *words, cwd=marked)) == [26, 80]


def test_ranges_are_chosen_by_name(marked):
    """By a name as it is; where there is none, by a regular expression."""
    words = ("show", "marked.out", "--ranges", "--no-header", "--limit=0", "--only")
    assert rows_of(good(*words, "load (all)", cwd=marked)) == [1, 12]
    assert rows_of(good(*words, "^st[eo]p 1", cwd=marked)) == [6, 6]
    said = traced(*words, "nothing", cwd=marked)
    assert (said.returncode, said.stdout) == (0, b"")
    assert said.stderr.decode() == (
        "tracer: no range matches 'nothing'; there are: load (all), step 0, stop 0, step 1, "
        "stop 1, step 2, stop 2, step 3, stop 3, step 4 and 16 more\n"
    )


def test_values_of_ranges_are_cut_on_a_terminal_alone(marked):
    words = ("show", "marked.out", "--ranges", "--only", "load", "--limit=1")
    line = f"  rid=\\d+  path='/{40 * 'long'}'  query='{40 * 'q'}'  in <module>, "
    assert re.search(line, good(*words, cwd=marked))
    env = environment(TERM="xterm", NO_COLOR="1", COLUMNS="90")
    shown, _ = on_terminal("stdout", "-m", "tracer", *words, cwd=marked, env=env)
    assert max(map(len, shown.decode().splitlines()[-3:])) == 90
