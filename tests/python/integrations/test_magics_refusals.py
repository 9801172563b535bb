"""What %tprun and %tlprun cannot do, or have nothing to tell of: each time a line that says why."""

import pytest

import magics
import tracer
from magics import hits, result, told

session, shell = magics.session, magics.shell  # fixtures of the tests here


def test_what_was_never_called(shell):
    lines = result(shell, "%tlprun -r -f idle work(1)")
    assert not lines
    (text,) = shell.pages
    assert text.startswith("No line was reached. Never called: idle (")
    assert text.endswith(":7)") and "\n" not in text


REFUSED = {
    "%tlprun -f nobody work(1)": "-f nobody: NameError: name 'nobody' is not defined",
    "%tlprun -f work( work(1)": "-f work(: SyntaxError: '(' was never closed (<string>, line 1)",
    "%tlprun -f len work(1)": "-f len: its lines cannot be timed: it is not written in Python",
    "%tlprun -m no_such_module work(1)": (
        "-m no_such_module: ModuleNotFoundError: No module named 'no_such_module'"
    ),
    "%tlprun -m math work(1)": "-m math: it defines no function or class that is written in Python",
    "import math\n%tlprun -f math work(1)": "-f math: it is a module: name it by -m math",
    "%tlprun work(1)": (
        "%tlprun: no function is named: give -f FUNCTION or -m MODULE, "
        "or decorate functions with tracer.profile"
    ),
    "%tlprun -f work": "%tlprun: there is nothing to run: write a statement behind it",
    "%%tprun\nimport asyncio\nawait asyncio.sleep(0)": (
        "%tprun: the statements await, and a magic has no event loop: write "
        "'with tracer.Profile() as found:' in a plain cell, await within it, then "
        "'found.print_stats()'"
    ),
    "%tlprun -f work [one async for one in work(1)]": (
        "%tlprun: the statements await, and a magic has no event loop: write "
        "'with tracer.LineProfiler(FUNCTION) as found:' in a plain cell, await within it, then "
        "'found.print_stats()'"
    ),
    "%%tprun -q\n\n": "%tprun: there is nothing to run: write a statement behind it",
    "%tlprun -x work(1)": (
        "%tlprun: -x is none of its options: see %tlprun?, "
        "and write -- before a statement that begins with -"
    ),
    "%tprun -l": "%tprun: -l needs a value behind it",
    "%tprun -s speed work(1)": "-s speed: there is no such key; try time, cumulative or calls",
    "%tprun -s busy -s calls work(1)": "-s busy: this key stands alone; leave the others out",
    "%tprun -l -3 work(1)": "-l -3: give a number of rows, a share from 0 to 1, or a name",
    "%tprun -l 1.5 work(1)": "-l 1.5: give a number of rows, a share from 0 to 1, or a name",
    "%tprun -l [ work(1)": (
        "-l [: no regular expression: unterminated character set at position 0"
    ),
    **{
        f"%{magic} -u {unit} -f work work(1)": (
            f"-u {unit}: give a positive number of seconds, 1e-3 for milliseconds"
        )
        for magic in ("tlprun", "lprun")
        for unit in ("fast", "0", "-1e-6", "nan", "inf")
    },
    "%tprun -D /no/such/file work(1)": "-D /no/such/file: there is no folder /no/such",
    "%tlprun -T / -f work work(1)": "-T /: it is a folder: name a file",
}


@pytest.mark.parametrize("cell", REFUSED)
def test_what_cannot_be_is_told_in_one_line(shell, capsys, monkeypatch, cell):
    monkeypatch.setattr(tracer.profile, "codes", {})
    shell.run_line_magic("load_ext", "tracer.compat.line_profiler")
    assert told(shell, capsys, cell) == REFUSED[cell]


def test_a_file_that_cannot_be_written_loses_nothing(shell, capsys):
    lines = result(shell, "%tlprun -r -D /dev/full -f work work(1)")
    assert hits(lines)["work"][3] == 2 and len(shell.pages) == 1
    assert capsys.readouterr().err == (
        "*** Profile not saved to file '/dev/full': No space left on device.\n"
    )
