"""The first screen: the whole of it to the character, and that it fits the terminal."""

import re

import pytest

import launch
from launch import environment, good, traced, write
from pictures import stats_of
from tracer.cli.first_screen import first_screen, more_of_files
from tracer.cli.view import View, view_of

ABOUT = "   command  work.py\n\n"
MORE = "      more  and more"

SCREEN = """\
   command  work.py
  findings  38%: top, work.py:11, takes 3.00 s itself, in 1 call

    time      %      own     calls
   8.000  100.0    3.000         1  top  work.py:11
   4.000   50.0    2.000         1  ├─ Shop.middle  work.py:6
   2.000   25.0    2.000         2  │  └─ leaf  work.py:2
   1.000   12.5    1.000         1  └─ leaf  work.py:2

     own      %     time     calls  function
   3.000   37.5    8.000         1  top  work.py:11
   3.000   37.5    3.000         3  leaf  work.py:2
   2.000   25.0    4.000         1  Shop.middle  work.py:6

      more  and more
"""


def test_the_screen(monkeypatch):
    monkeypatch.setattr("tracer.cli.first_screen.folder_here", lambda: "/here/app")
    assert first_screen(stats_of("top"), ABOUT, MORE, View()) == SCREEN


def test_files_from_the_folder_where_one_stands_else_from_that_of_the_program(monkeypatch):
    stats = stats_of("top")
    for here, place in (("/here", "app/work.py:11"), ("/there", "/here/app/work.py:11")):
        monkeypatch.setattr("tracer.cli.first_screen.folder_here", lambda here=here: here)
        assert f"  top  {place}\n" in first_screen(stats, "", MORE, View())


# Forty functions that take about as long, each by way of another.
MANY = (
    "".join(
        f"""
def part_{n}():
    return inner_{n}() + inner_{n}()

def inner_{n}():
    return sum(range({4000 + 50 * n}))
"""
        for n in range(40)
    )
    + f"for _ in range(5):\n    {'; '.join(f'part_{n}()' for n in range(40))}\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("screens")
    write(folder / "program.py", MANY)
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    return folder


def on_terminal(*words, cwd, lines, columns):
    env = environment(TERM="xterm", NO_COLOR="1", LINES=str(lines), COLUMNS=str(columns))
    shown, status = launch.on_terminal("stdout", "-m", "tracer", *words, cwd=cwd, env=env)
    assert status == 0
    return shown.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("words", [["program.py"], ["show", "profile.out"]], ids=" ".join)
@pytest.mark.parametrize(("lines", "columns"), [(24, 100), (24, 80), (40, 120), (60, 200)])
def test_it_fits_the_terminal_and_leaves_a_line_for_the_prompt(folder, words, lines, columns):
    shown = on_terminal(*words, cwd=folder, lines=lines, columns=columns).splitlines()
    assert max(map(len, shown)) <= columns
    _, tree, functions, _ = "\n".join(shown).split("\n\n")
    assert any("... " in line and line.endswith(" others") for line in tree.splitlines())
    if lines < 60:
        assert len(shown) == lines - 1
    else:
        assert (len(tree.splitlines()), len(functions.splitlines())) == (1 + 25, 1 + 10)


def test_where_there_is_no_terminal_there_are_25_rows_and_10_functions(folder):
    text = good("show", "profile.out", cwd=folder)
    about, tree, functions, more = text.split("\n\n")
    assert about.startswith("   command  program.py\n      time  ")
    assert len(tree.splitlines()) == 1 + 25
    assert len(functions.splitlines()) == 1 + 10
    assert more == (
        "      more  python -m tracer show profile.out -s tottime, --tree; "
        "python -m tracer view profile.out\n"
    )
    assert max(map(len, text.splitlines())) <= 100
    again = good("program.py", cwd=folder)
    figures = re.compile(r"[\d.,]+")
    assert figures.sub("", again).split("\n\n")[0] == figures.sub("", about)


def test_times_memory_and_calls_share_a_line(folder):
    line = good("show", "profile.out", cwd=folder).splitlines()[1]
    figure = r"\d+\.\d{3} s"
    assert re.fullmatch(
        rf"      time  {figure} real, {figure} user, {figure} sys; [\d.]+ MiB at most; "
        r"[\d,]+ calls in 1 thread",
        line,
    )


def test_one_thread(folder):
    text = good("show", "--thread", "MainThread", "profile.out", cwd=folder)
    assert "    thread  MainThread, " in text
    assert "  function\n" in text and "function calls" not in text


def test_the_last_line_names_the_files_where_there_is_room():
    def line(*files, width=100):
        return more_of_files("tracer", files, width).strip()

    assert line("a.out", "b c.out") == (
        "more  tracer show a.out 'b c.out' -s tottime, --tree; tracer view a.out 'b c.out'"
    )
    assert line("a.out", width=60) == "more  tracer show FILE -s tottime, --tree; tracer view FILE"
    assert line("a.out", "b.out", width=70).endswith("; tracer view FILE...")


def test_what_is_no_terminal_has_100_columns_and_no_end_of_lines(monkeypatch, tmp_path):
    monkeypatch.setenv("LINES", "10")
    with open(tmp_path / "file", "w") as file:
        assert view_of(file) == view_of(None) == View(100, None, False)


def test_where_an_encoding_lacks_boxes_there_are_others(folder):
    env = environment(PYTHONIOENCODING="ascii")
    text = traced("show", "profile.out", cwd=folder, env=env).stdout.decode("ascii")
    assert "  |- " in text and "  `- " in text
