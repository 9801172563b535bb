"""Colors: on a terminal and where they are asked for, and nowhere else; they change no text."""

import io
import re

import pytest

import launch
from launch import environment, traced, write
from pictures import profile_of
from rows import Clock, record
from tracer.cli.colors import BOLD, CYAN, DIM, GREEN, PLAIN, RED, YELLOW, colored, is_colored

pytestmark = pytest.mark.results

ESCAPE = re.compile(r"\x1b\[\d+m")
PROGRAM = """
import sys

def numbers():
    yield 1

def leaf(text):
    return len(text)

@profile
def top():
    list(numbers())
    return [leaf(str(number)) for number in range(1000)]

top()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("colors")
    write(folder / "program.py", PROGRAM)
    assert traced("--lines", "-o", "profile.out", "program.py", cwd=folder).returncode == 0
    profile_of("top").dump_stats(folder / "old.out")
    return folder


def on_terminal(*words, cwd, **variables):
    """What a terminal shows of the command."""
    env = environment(**{"TERM": "xterm", "NO_COLOR": "", **variables})
    shown, status = launch.on_terminal("stdout", "-m", "tracer", *words, cwd=cwd, env=env)
    assert status == 0
    return shown.decode()


WORDS = [
    ["show", "profile.out"],
    ["show", "profile.out", "--table"],
    ["show", "profile.out", "--tree"],
    ["show", "profile.out", "--callers", "leaf"],
    ["show", "profile.out", "--callees", "top"],
    ["show", "profile.out", "--resumes"],
    ["show", "profile.out", "--suspended"],
    ["show", "profile.out", "--threads"],
    ["show", "profile.out", "--lines"],
    ["show", "profile.out", "--lines", "--limit=3"],
    ["diff", "old.out", "profile.out", "--metric=calls"],
]


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_on_a_terminal_the_same_text_is_in_colors(folder, words):
    plain = traced(*words, cwd=folder).stdout.decode()
    # diff cuts long names in a narrow terminal; the first screen is as wide as that of a pipe
    wide = {"COLUMNS": "200"} if words[0] == "diff" else {}
    shown = on_terminal(*words, cwd=folder, **wide)
    assert "\x1b" not in plain
    short = plain.replace(f"{folder}/program.py:", "program.py:")
    assert ESCAPE.sub("", shown).split() == short.split()
    assert shown.count(BOLD) >= 1
    assert shown.count(PLAIN) * 2 == shown.count("\x1b")
    asked = traced(*words, "--color=always", cwd=folder).stdout.decode()
    assert ESCAPE.sub("", asked) == plain
    assert asked.count(BOLD) == shown.count(BOLD)


def test_no_name_makes_the_terminal_act(tmp_path):
    source = "def work(): clock.now += 1\ndef top(): work()\n"
    space = {"clock": Clock()}
    exec(compile(source, "/a\x1b[2J\x9b/b.py", "exec"), space)
    space["work"].__code__ = space["work"].__code__.replace(co_name="wo\x07rk", co_qualname="w\x00")
    profile = record(space["top"], timer=space["clock"], timeunit=1.0)
    profile.dump_stats(tmp_path / "evil.out")
    for option in [], ["--table"], ["--tree"], ["--table", "--color=never"]:
        shown = ESCAPE.sub("", on_terminal("show", "evil.out", *option, cwd=tmp_path))
        assert ("/a\\x1b[2J\\x9b/b.py:1(w" if option else "w\\x00  ") in shown
        assert not set(shown) & {chr(number) for number in (*range(9), *range(11, 32), 0x9B)}


def test_a_run_does_so_too(folder):
    shown = on_terminal("--tree", "program.py", cwd=folder)
    assert f"{DIM}   command{PLAIN}  program.py\n" in shown
    assert f"program.py:1{PLAIN}({CYAN}<module>{PLAIN})" in shown
    assert "\x1b" not in traced("--tree", "program.py", cwd=folder).stdout.decode()
    assert "\x1b" in traced("--color", "always", "program.py", cwd=folder).stdout.decode()


def test_what_says_that_there_are_to_be_none(folder):
    words = ["show", "profile.out"]
    plain = traced(*words, cwd=folder).stdout.decode()
    assert on_terminal(*words, "--color=never", cwd=folder) == plain
    assert on_terminal(*words, cwd=folder, NO_COLOR="1") == plain
    assert on_terminal(*words, cwd=folder, TERM="dumb") == plain
    assert "\x1b" in on_terminal(*words, cwd=folder, NO_COLOR="")  # empty is as if it was not set
    assert "\x1b" in on_terminal(*words, "--color=always", cwd=folder, NO_COLOR="1")


class NoTerminal:
    """A stream that a program may have put in the place of sys.stdout."""

    def isatty(self):
        raise RuntimeError("never asked for")


@pytest.mark.parametrize(
    "stream", [None, object(), NoTerminal(), io.StringIO()], ids=lambda it: type(it).__name__
)
def test_streams_that_are_no_terminals(stream):
    assert not is_colored(stream, "auto")
    assert is_colored(stream, "always")


def function(place, name):
    return f"{DIM}{place}{PLAIN}({CYAN}{name}{PLAIN})"


@pytest.mark.parametrize(
    ("plain", "shown"),
    [
        ("     calls  4\n\nx", f"{DIM}     calls{PLAIN}  4\n\nx"),
        ("     calls  4 -> 5  +1\n\nx", f"{DIM}     calls{PLAIN}  4 -> 5  {RED}+1{PLAIN}\n\nx"),
        ("   command  a.py -1 new\n\nx", f"{DIM}   command{PLAIN}  a.py -1 new\n\nx"),
        (
            "        1    0.0    0.1 /a b/c.py:3(f)",
            f"        1    0.0    0.1 /a {function('b/c.py:3', 'f')}",
        ),
        (
            "        1    0.0    0.1 {built-in method len}",
            f"        1    0.0    0.1 {CYAN}{{built-in method len}}{PLAIN}",
        ),
        (
            "c.py:3(<lambda>)  <-    1  0.0  d.py:4(g)",
            f"{function('c.py:3', '<lambda>')}  <-    1  0.0  {function('d.py:4', 'g')}",
        ),
        ("    50.0%    1.0", f"    {RED}50.0{PLAIN}%    1.0"),
        ("    49.9%    1.0", f"    {YELLOW}49.9{PLAIN}%    1.0"),
        ("     9.9%    1.0", "     9.9%    1.0"),
        ("  2   +1  x", f"  2   {RED}+1{PLAIN}  x"),
        ("  -0.5  +3.1%  x", f"  {GREEN}-0.5{PLAIN}  {RED}+3.1%{PLAIN}  x"),
        ("  2   +1   x12.5  x", f"  2   {RED}+1{PLAIN}   {RED}x12.5{PLAIN}  x"),
        ("     gone  x", f"     {YELLOW}gone{PLAIN}  x"),
    ],
)
def test_what_is_colored(plain, shown):
    assert colored(plain) == shown


def test_source_is_left_as_it_is():
    lines = [
        "Line #      Hits         Time  Per Hit   % Time  Line Contents",
        "=" * 62,
        "     1                                           def f():  # a.py:1(f) {x} +5 new",
        "     2         1         90.0     90.0     90.0      g()  # a.py:1(f) {x} +5 new",
        "     3         1          9.0      9.0      9.0      h()",
        "",
        "a.py:1(f)",
    ]
    shown = [
        f"{BOLD}{lines[0]}{PLAIN}",
        *lines[1:3],
        lines[3].replace("     90.0      g", f"     {RED}90.0{PLAIN}      g"),
        *lines[4:6],
        function("a.py:1", "f"),
    ]
    assert colored("\n".join(lines)).split("\n") == shown


def test_so_is_that_of_the_lines_that_took_longest():
    lines = [
        "        Time    % Run      Hits filename:lineno(function)  Line Contents",
        "        90.0     50.0         1 a.py:2(f)                  g()  # a.py:1(f) {x} +5 new",
        "         9.0      5.0         1 a.py:3(f)                  90.0  # +5",
        "         1.0        -         1 a.py:4(f)                  90.0  90.0",
        "",
        "a.py:1(f)",
    ]
    shown = [
        f"{BOLD}{lines[0]}{PLAIN}",
        lines[1].replace(" 50.0 ", f" {RED}50.0{PLAIN} "),
        *lines[2:5],
        function("a.py:1", "f"),
    ]
    assert colored("\n".join(lines)).split("\n") == shown
