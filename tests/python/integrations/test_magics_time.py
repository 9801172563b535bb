"""%ttime and %%ttime: the options and lines of `tracer time`, in the user's namespace."""

import re

import pytest

from magics import result, session, shell, told
from tracer.cli.options.printing import PRINTING
from tracer.cli.options.time import TimeOptions

__all__ = ["session", "shell"]

LINES = re.compile(
    r"(\d+) loops?, best of (\d+): \S+ [num]?sec per loop\n"
    r"\d+ repeats?: mean \S+ [num]?sec, (?:standard deviation .*, )?best .* per loop\n"
)


def printed(shell, capsys, cell):
    capsys.readouterr()
    assert result(shell, cell) is None
    return capsys.readouterr().out


def test_a_line(shell, capsys):
    found = LINES.fullmatch(printed(shell, capsys, "%ttime -n 5 -r2 work(3)"))
    assert found.groups() == ("5", "2")


def test_a_cell_is_the_statement_and_its_line_the_setup(shell, capsys):
    shell.user_ns["seen"] = []
    cell = "%%ttime -n2 -r1 -s 'x = 1' y = x + 1\nseen.append((x, y))\nseen.append(0)"
    assert LINES.fullmatch(printed(shell, capsys, cell))
    assert shell.user_ns["seen"] == [(1, 2), 0, (1, 2), 0]


def test_it_runs_in_the_namespace_of_the_user(shell, capsys):
    printed(shell, capsys, "%ttime -n1 -r1 global made; made = work(3)")
    assert shell.user_ns["made"] == 3


def test_magics_and_quotes_in_the_statement(shell, capsys):
    shell.user_ns["seen"] = []
    printed(shell, capsys, """%ttime -n1 -r1 -u "msec" seen.append('a  "b" $x {y}')""")
    assert shell.user_ns["seen"] == ['a  "b" $x {y}']
    printed(shell, capsys, "%%ttime -n1 -r1\nx = %pwd\nseen.append(x)")
    assert shell.user_ns["seen"][1].startswith("/")


def test_the_profile(shell, capsys):
    text = printed(shell, capsys, "%ttime -n4000 -r1 --profile work(30)")
    lines, screen = text.split("\nWhere 4000 more loops spent the time:\n\n")
    assert LINES.fullmatch(lines)
    assert re.search(r" 4,000  └─ work", screen)
    assert "%ttime --profile --sort tottime" in screen
    assert " in 1 thread\n" in screen
    text = printed(shell, capsys, "%ttime -n4 -r1 --profile --sort calls --limit=1 work(3)")
    assert re.search(r"^ +4 .*\(work\)$", text, re.MULTILINE)


def test_an_error_is_the_cells(shell, capsys):
    ran = shell.run_cell("%ttime -n1 1 / 0")
    assert type(ran.error_in_exec) is ZeroDivisionError
    assert "1 / 0" in capsys.readouterr().out
    assert type(shell.run_cell("%ttime 1 +").error_in_exec) is SyntaxError


@pytest.mark.parametrize(
    ("cell", "line"),
    [
        ("%ttime", "%ttime: there is nothing to run: write a statement behind it"),
        ("%%ttime x = 1\n\n", "%ttime: there is nothing to run: write a statement behind it"),
        (
            "%ttime -x pass",
            "%ttime: -x is none of its options: see %ttime?, and write -- before a statement that "
            "begins with -",
        ),
        ("%ttime -n", "%ttime: -n needs a value: -n N"),
        ("%ttime -u s pass", "%ttime: -u 's': choose from nsec, usec, msec, sec"),
        ("%ttime -r 0 pass", "%ttime: -r '0': give a number of repeats, 1 or more"),
        ("%ttime --tree pass", "%ttime: --tree prints where the time goes; give --profile, too"),
    ],
)
def test_what_is_refused(shell, capsys, cell, line):
    assert told(shell, capsys, cell) == line


def test_the_help_names_each_letter_of_the_verb(shell):
    text = shell.magics_manager.magics["line"]["ttime"].__doc__
    for option in TimeOptions.OPTIONS:
        if option.name not in {*PRINTING, "help"}:
            assert re.search(rf"^ *{option.flags[0]} ", text, re.MULTILINE)
