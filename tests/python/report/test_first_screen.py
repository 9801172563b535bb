"""The first screen: the whole of it to the character, and that it fits the terminal."""

import marshal
import re
from types import SimpleNamespace

import pytest

import launch
import tracer
from launch import environment, good, traced, write
from pictures import stats_of
from tracer.analysis.findings.findings import import_place
from tracer.analysis.outline.outline import Outline
from tracer.analysis.tree.call_tree import Paths, Row
from tracer.analysis.tree.program_texts import ProgramTexts
from tracer.cli.first_screen import (
    Places,
    finding_lines,
    first_screen,
    more_of_files,
    more_of_run,
    tiny_lines,
)
from tracer.cli.screen import Screen, screen_for
from tracer.data.figures import Figures
from tracer.report.cells import CUT, fitted
from tracer.results.findings import first_findings
from tracer.results.records import Finding, Function
from treetexts import in_ms, paths_of_text

HEAD = "    time      %      own     calls"
FUNCTIONS_HEAD = "     own      %     time     calls  function"
ABOUT = ["   command  work.py"]
MORE = "      more  and more"

SCREEN = """\
   command  work.py
  findings  38%: top, work.py:11, takes 3.00 s itself in 1 call
            38%: leaf, work.py:2, takes 3.00 s itself in 3 calls, most by Shop.middle
            25%: Shop.middle, work.py:6, takes 2.00 s itself in 1 call by top

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
    assert first_screen(stats_of("top"), ABOUT, MORE, Screen()) == SCREEN


def test_files_from_the_folder_where_one_stands_else_from_that_of_the_program(monkeypatch):
    stats = stats_of("top")
    for here, place in (("/here", "app/work.py:11"), ("/there", "/here/app/work.py:11")):
        monkeypatch.setattr("tracer.cli.first_screen.folder_here", lambda here=here: here)
        assert f"  top  {place}\n" in first_screen(stats, [], MORE, Screen())


# Forty functions of known times, each called by another.
MANY = (
    """
def main():
    """
    + "\n    ".join(f"part_{n}()" for n in range(40))
    + "".join(
        f"""
def part_{n}():
    clock.now += {n + 10}
    inner_{n}()

def inner_{n}():
    clock.now += {n + 20}
"""
        for n in range(40)
    )
)


@pytest.mark.parametrize("width", [80, 100, 200])
@pytest.mark.parametrize(
    ("height", "rows", "functions"),
    [(None, 25, 10), (60, 25, 10), (44, 25, 10), (40, 22, 10), (24, 10, 6), (10, 5, 3)],
)
def test_there_are_as_many_rows_as_fit_above_the_prompt(height, rows, functions, width):
    stats = stats_of("main", source=MANY)
    text = first_screen(stats, ABOUT, MORE, Screen(width, height, height is not None))
    about, tree, table, more = text.split("\n\n")
    assert (about, more) == (*ABOUT, f"{MORE}\n")
    assert (tree.count("\n"), table.count("\n")) == (rows, functions)
    assert tree.endswith(" others")
    assert max(map(len, text.splitlines())) <= width
    if height in (24, 40):
        assert len(text.splitlines()) == height - 1


def test_a_tree_of_few_rows_leaves_room_for_functions():
    """Here is one row of recursion, and a function that it calls in each of ten ways."""
    ways = "\n    ".join(f"way_{n}(); clock.now += 40" for n in range(9))
    source = f"def main():\n    clock.now += 9999\n    {ways}" + "".join(
        f"\ndef way_{n}(): clock.now += {n + 1}" for n in range(9)
    )
    text = first_screen(stats_of("main", source=source), ABOUT, MORE, Screen(100, 24, True))
    _, tree, functions, _ = text.split("\n\n")
    assert (tree.count("\n"), functions.count("\n")) == (1, 10)


PROGRAM = "def work():\n    return sum(range(100000))\nwork()\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("screens")
    write(folder / "program.py", PROGRAM)
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    return folder


@pytest.mark.parametrize("words", [["program.py"], ["show", "profile.out"]], ids=" ".join)
def test_a_terminal_tells_its_size(folder, words):
    env = environment(TERM="xterm", NO_COLOR="1")
    for columns, is_narrow in ((56, True), (120, False)):
        options = {"cwd": folder, "env": env, "columns": columns}
        shown, status = launch.on_terminal("stdout", "-m", "tracer", *words, **options)
        lines = shown.decode().splitlines()
        assert status == 0
        assert max(map(len, lines)) <= columns
        assert lines[1].endswith(" sys;") == is_narrow  # the line goes on in the next one
        assert (lines[2].startswith(" " * 14) and CUT not in lines[2]) == is_narrow
    env["COLUMNS"] = "50"
    shown, _ = launch.on_terminal("stdout", "-m", "tracer", *words, **options)
    assert max(map(len, shown.decode().splitlines())) <= 50


@pytest.mark.parametrize(
    ("room", "text"),
    [(19, "work  src/main.py:3"), (18, "work  main.py:3"), (15, "work  main.py:3"), (14, "work")],
)
def test_a_name_and_its_place_in_so_many_characters(room, text):
    assert fitted("work", "src/main.py:3", room) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.<locals>.b", "a.<locals>.b"),
        ("a › create.<locals>.Checked.check", "a › Checked.check"),  # noqa: RUF001
        ("shop.<locals>.made.<locals>.work", "work"),
        ("main.<locals>.made.<locals>.<lambda>", "made.<lambda>"),
        ("outer (load.<locals>.read)", "outer (read)"),
    ],
)
def test_a_name_is_first_cut_by_the_functions_around_it(name, text):
    assert fitted(name, "", 20) == text
    assert fitted(name, "src/main.py:3", 31).startswith(f"{text}  ")


def test_a_run_and_its_file_print_the_same_parts(folder):
    for words in (["program.py"], ["show", "profile.out"]):
        about, tree, functions, more = good(*words, cwd=folder).split("\n\n")
        assert about.startswith("   command  program.py\n      time  ")
        # On a busy machine there is a column `waited`, too.
        assert tree.partition("\n")[0].replace("   waited", "") == HEAD
        assert "  <module>  program.py:1\n" in tree
        head = functions.partition("\n")[0].replace("   waited", "")
        assert head in (FUNCTIONS_HEAD, f"{FUNCTIONS_HEAD}, the program's own first")
        assert more.startswith("      more  python -m tracer ")
    assert more == (
        "      more  python -m tracer show profile.out -s tottime, --tree; "
        "python -m tracer view profile.out\n"
    )


def test_times_memory_and_calls_share_a_line(folder):
    line = good("show", "profile.out", cwd=folder).splitlines()[1]
    figure = r"\d+\.\d{3} s"
    assert re.fullmatch(
        rf"      time  {figure} real, {figure} user, {figure} sys; [\d.]+ MiB; "
        r"[\d,]+ calls in 1 thread",
        line,
    )


def test_one_thread(folder):
    text = good("show", "--thread", "MainThread", "profile.out", cwd=folder)
    assert "    thread  MainThread, " in text
    assert "  function, " in text and "function calls" not in text


def test_the_last_line_names_the_files_where_there_is_room():
    def line(*files, width=100):
        return more_of_files("tracer", files, width, stats_of("top")).strip()

    assert line("a.out", "b c.out") == (
        "more  tracer show a.out 'b c.out' -s tottime, --tree; tracer view a.out 'b c.out'"
    )
    assert line("a.out", width=60) == "more  tracer show FILE -s tottime, --tree; tracer view FILE"
    assert line("a.out", "b.out", width=70).endswith("; tracer view FILE...")


def test_the_last_line_names_what_shows_a_timeline():
    with tracer.Profile(timeline=True) as profile:
        pass
    stats = tracer.Stats(profile)
    assert more_of_files("tracer", ["a.out"], 100, stats).strip() == (
        "more  tracer show a.out -s tottime, --tree, --timeline, --slowest 9; tracer view a.out"
    )
    assert more_of_run("tracer", stats).endswith("-o FILE (to keep it, and its timeline)")
    assert more_of_run("tracer", stats_of("top")).endswith("-o FILE (to keep it)")


def test_what_is_no_terminal_has_100_columns_and_no_end_of_lines(monkeypatch, tmp_path):
    monkeypatch.setenv("LINES", "10")
    with open(tmp_path / "file", "w") as file:
        assert screen_for(file) == screen_for(None) == Screen(100, None, False)


def test_where_an_encoding_lacks_boxes_there_are_others(folder):
    env = environment(PYTHONIOENCODING="ascii")
    text = traced("show", "profile.out", cwd=folder, env=env).stdout.decode("ascii")
    assert "         1  `- work  program.py:1\n" in text


def test_why_was_waited_is_told_where_there_is_room():
    text = """
    <module>@main 1 100
      fetch@main 4 0
        <socket.recv> 4 900~900
    """
    outline = Outline(paths_of_text(in_ms(text)))

    found = first_findings(outline, 3, None)

    def lines(width):
        return finding_lines(found, width, lambda function: "main.py:1")

    whole = (
        "90%: fetch, main.py:1, waits 0.90 s in 4 calls by <module>: 0.90 s socket.recv "
        "(I/O, lock or processor)"
    )
    room = len(whole) + len("  findings  ")
    assert lines(room) == [f"  findings  {whole}"]
    assert lines(room - 1) == [f"  findings  {whole.partition(' (')[0]}"]
    assert lines(88) == [
        "  findings  90%: fetch, main.py:1, waits 0.90 s in 4 calls by <module>: 0.90 s",
        "              socket.recv",
    ]
    assert lines(40) == [
        "  findings  90%: fetch, main.py:1, waits",
        "              0.90 s in 4 calls by <mod…",
    ]


def test_folders_go_where_there_is_no_room_for_them():
    function = Function("/home/me/shop/src/main.py", 7, "load")
    found = Finding("a_rule", ("one, ", function, ", and two, ", function), saves=1.0)
    whole = "  findings  one, shop/main.py:7, and two, shop/main.py:7"

    def lines(width):
        return finding_lines([found, found], width, lambda it: f"shop/main.py:{it.line}")

    assert lines(len(whole)) == [whole, whole.replace("findings", "        ")]
    assert lines(len(whole) - 1)[0] == "  findings  one, main.py:7, and two, main.py:7"


def test_the_place_of_line_0_is_the_file():
    places = Places(Outline(paths_of_text("<module>@main 1 5\n")))
    assert places.of(Function("/home/me/shop/main.py", 3, "load")) == "main.py:3"
    assert places.of(Function("/home/me/shop/main.py", 0, "<module>")) == "main.py"


def test_calls_that_are_too_short_to_believe():
    figures = {0: Figures(200_000, 200_000, 20_000_000, 20_000_000)}
    paths = Paths([Row("~", 0, "<builtins.len>")], [], figures=lambda: figures)
    outline = SimpleNamespace(paths=paths, whole=10**8, length=10**8)
    text = "tiny calls  len has 200,000 calls of 100 ns, much of it tracing's own"

    def lines(*costs, width=100):
        captures = [SimpleNamespace(costs=one) for one in costs]
        return tiny_lines(SimpleNamespace(captures=captures), outline, width)

    assert lines(None) == [f"{text}: use --slowdown"]
    assert lines({"a": 1}) == lines() == [text]
    assert [len(line) for line in lines(None, width=50)] == [50]
    outline.length *= 3
    assert lines(None) == []


@pytest.mark.parametrize("name", ["<module>", "load"])
def test_where_a_module_is_imported(tmp_path, name):
    """The text that the profile keeps comes first; the file is read unless the profile is without
    texts on purpose."""
    write(tmp_path / "app.py", "\nimport slow\ndef load():\n    import slow\n")
    row = Row(str(tmp_path / "app.py"), 1 if name == "<module>" else 3, name)
    kept = {row.file: SimpleNamespace(data=b"#\n#\ndef load():\n#\n  import slow\nimport slow")}

    def asked(sources, keeps_source):
        capture = SimpleNamespace(sources=sources, keeps_source=keeps_source)
        text = ProgramTexts(SimpleNamespace(captures=[capture])).of(row.file)
        parts = import_place(row, "slow", text)
        return "".join(it if isinstance(it, str) else f"app.py:{it.line}" for it in parts)

    unknown = "in app.py:0" if name == "<module>" else "in load, app.py:3"
    assert asked(kept, True) == ("at app.py:6" if name == "<module>" else "at app.py:5")
    assert asked({}, True) == ("at app.py:2" if name == "<module>" else "at app.py:4")
    assert asked({}, False) == unknown
    (tmp_path / "app.py").unlink()
    assert asked({}, True) == unknown


def test_a_file_without_paths(tmp_path, monkeypatch):
    """The tree shares what is called from two functions out; the functions are as in the file."""
    monkeypatch.setattr("tracer.cli.first_screen.folder_here", lambda: "/here")
    table = {
        "main": (1, 0.0, 8.0, {}),
        "a": (1, 0.5, 3.5, {"main": (1, 3.5)}),
        "b": (1, 0.5, 4.5, {"main": (1, 4.5)}),
        "c": (8, 4.0, 7.0, {"a": (2, 3.0), "b": (6, 4.0)}),
        "d": (8, 3.0, 3.0, {"c": (8, 3.0)}),
    }
    label = {name: ("/here/work.py", 1, name) for name in table}
    rows = {
        label[name]: (
            calls,
            calls,
            own,
            time,
            {label[by]: (n, n, 0.0, part) for by, (n, part) in callers.items()},
        )
        for name, (calls, own, time, callers) in table.items()
    }
    (tmp_path / "c.out").write_bytes(marshal.dumps(rows))
    text = first_screen(tracer.Stats(tmp_path / "c.out"), ABOUT, MORE, Screen())
    assert text.count("The tree is an estimate: the profiler that wrote the file keeps no") == 1
    assert "findings" not in text
    assert [line[:35] for line in text.split("\n\n")[2].splitlines()[1:]] == [
        "   4.000   50.0    7.000         8 ",
        "   3.000   37.5    3.000         8 ",
        "   0.500    6.2    3.500         1 ",
        "   0.500    6.2    4.500         1 ",
    ]
    short = first_screen(tracer.Stats(tmp_path / "c.out"), ABOUT, MORE, Screen(100, 17, True))
    assert len(short.splitlines()) == 16
