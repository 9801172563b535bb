"""Colors: on a terminal and where they are asked for, and nowhere else; they change no text."""

import io
import re

import pytest

import launch
from launch import environment, traced, write
from pictures import profile_of
from rows import Clock, record
from tracer.cli.colors import BOLD, CYAN, DIM, GREEN, PLAIN, RED, YELLOW, is_colored, text_for
from tracer.cli.run_header import labelled
from tracer.report.styled import (
    NAME,
    PLACE,
    StyledStream,
    change,
    function,
    in_lines,
    joined,
    named,
    share,
    spans_of,
    styled,
)

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


def shown_by(text):
    """The text in colours."""
    return text_for(io.StringIO(), text, "always")


def function_in_colors(place, name):
    return f"{DIM}{place}{PLAIN}({CYAN}{name}{PLAIN})"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (labelled("calls", "4"), f"{DIM}     calls{PLAIN}  4"),
        (labelled("", "4"), f"{' ' * 10}  4"),
        (function(("/a b/c.py", 3, "f")), function_in_colors("/a b/c.py:3", "f")),
        (function(("~", 0, "<len>")), f"{CYAN}{{len}}{PLAIN}"),
        (named("f", "c.py:3"), f"{CYAN}f{PLAIN}  {DIM}c.py:3{PLAIN}"),
        (named("len", ""), "len"),
        (share("    50.0", 50.0), f"    {RED}50.0{PLAIN}"),
        (share("    49.9", 49.9), f"    {YELLOW}49.9{PLAIN}"),
        (share("     9.9", 9.9), "     9.9"),
        (change("  +1 "), f"  {RED}+1{PLAIN} "),
        (change("x12.5"), f"{RED}x12.5{PLAIN}"),
        (change("-0.5"), f"{GREEN}-0.5{PLAIN}"),
        (change("<-99.99%"), f"{GREEN}<-99.99%{PLAIN}"),
        (change("gone"), f"{YELLOW}gone{PLAIN}"),
        (change("    "), "    "),
    ],
)
def test_what_is_colored(text, shown):
    assert shown_by(text) == shown


def test_a_name_is_coloured_as_a_name_whatever_it_looks_like(tmp_path):
    """As growth, as a share, as a function."""
    source = "def work(): clock.now += 1\ndef top(): work()\n"
    space = {"clock": Clock()}
    exec(compile(source, "/a/b.py", "exec"), space)
    evil = "new -50% gone {x} b.py:1(f)"
    space["work"].__code__ = space["work"].__code__.replace(co_name=evil, co_qualname=evil)
    profile = record(space["top"], timer=space["clock"], timeunit=1.0)
    profile.dump_stats(tmp_path / "evil.out")
    text = traced("show", "evil.out", "--table", "--color=always", cwd=tmp_path).stdout.decode()
    assert function_in_colors("/a/b.py:1", evil) in text
    assert RED not in text and GREEN not in text and YELLOW not in text


def test_source_is_left_as_it_is(folder):
    text = traced("show", "profile.out", "--lines", "--color=always", cwd=folder).stdout.decode()
    source = "    return [leaf(str(number)) for number in range(1000)]"
    line = next(line for line in text.splitlines() if line.endswith(f"  {source}"))
    assert line.endswith(f"{PLAIN}  {source}") and line.count("\x1b") == 2


# -- Texts with styles -----------------------------------------------------------------------------


def test_a_text_with_styles_is_a_text():
    text = "ab" + styled("cd", NAME) + "ef"
    assert text == "abcdef" and isinstance(text, str)
    assert (text + "g").spans == (*text.spans, ("g", ""))
    assert text[3:5].spans == (("d", NAME), ("e", ""))
    assert text[1:-1].spans == (("b", ""), ("cd", NAME), ("e", ""))
    assert text[2] == "c" and text[::-1] == "fedcba"
    assert spans_of("plain") == (("plain", ""),)
    assert joined(", ", ["a", styled("b", NAME)]).spans == (("a", ""), (", ", ""), ("b", NAME))
    assert joined("\n", ["", "", "x"]) == "\n\nx"
    assert in_lines(["a", styled("b", NAME)]) == "a\nb\n"


def test_what_is_printed_keeps_its_styles():
    stream = StyledStream()
    print(styled("a", NAME), "b", file=stream)
    stream.write(styled("c", PLACE))
    assert stream.getvalue().spans[0] == ("a", NAME)
    assert stream.getvalue() == "a b\nc"
    plain = io.StringIO()
    print(styled("a", NAME), file=plain)
    assert plain.getvalue() == "a\n"
