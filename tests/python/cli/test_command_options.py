"""Each option of the command: what it does, and what options have in common.

The lines that nonsense is answered with are in test_command_refusals.py.
"""

import io
import pstats
import re
import time

import pytest

from launch import good, on_terminal, traced, write
from tracer._version import __version__
from tracer.api.stats import Stats
from tracer.cli.main import VERBS
from tracer.cli.options.option import Option, Options, parse
from tracer.cli.options.printing import LISTINGS, SORT_KEYS, sort_words
from tracer.cli.options.run import RunOptions
from tracer.cli.options.show import ShowOptions
from tracer.cli.options.time import TimeOptions
from tracer.cli.suggestions import options_of
from tracer.cli.usage import usage_of, wrapped
from tracer.launch.errors import UsageError

PROGRAM = """
import threading

def a_leaf(text):
    return len(text)

def b_middle():
    a_leaf("1")
    a_leaf("2")

def c_threaded():
    a_leaf("3")

b_middle()
c_threaded()
thread = threading.Thread(target=c_threaded)
thread.start()
thread.join()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("options")
    write(folder / "program.py", PROGRAM)
    assert traced("-o", "profile.out", "program.py", cwd=folder).returncode == 0
    return folder


def own_rows(text):
    """The rows of program.py: [(ncalls, function)] in the order printed."""
    return re.findall(r"^ +(\d+) .*program\.py:\d+\((\w+|<module>)\)$", text, re.MULTILINE)


# -- What each option does -------------------------------------------------------------------


@pytest.mark.parametrize("words", [["program.py"], ["show", "profile.out"]], ids=" ".join)
class TestPrinting:
    """The options of printing do the same for a run and for a saved profile."""

    @pytest.mark.parametrize("option", [["-s", "name"], ["-sname"], ["--sort", "name"]])
    def test_sort(self, folder, words, option):
        text = good(*with_option(words, *option, "--limit=0"), cwd=folder)
        assert "   Ordered by: function name\n" in text
        assert own_rows(text) == [
            ("1", "<module>"),
            ("4", "a_leaf"),
            ("1", "b_middle"),
            ("2", "c_threaded"),
        ]

    def test_sort_by_calls(self, folder, words):
        text = good(*with_option(words, "--sort=ncalls", "--limit=0"), cwd=folder)
        assert "   Ordered by: call count\n" in text
        assert [row for row in own_rows(text) if row[0] != "1"] == [
            ("4", "a_leaf"),
            ("2", "c_threaded"),
        ]

    def test_cumulative_is_the_order_meant(self, folder, words):
        text = good(*with_option(words, "--table"), cwd=folder)
        assert "   Ordered by: cumulative time\n" in text
        assert own_rows(text)[0] == ("1", "<module>")

    @pytest.mark.parametrize("key", [*SORT_KEYS, "file", "cu", "tot"])
    def test_every_key(self, folder, words, key):
        what = pstats.Stats().get_sort_arg_defs()[key][1]
        text = good(*with_option(words, "-s", key, "--limit=1"), cwd=folder)
        assert f"   Ordered by: {what}\n" in text

    def test_limit(self, folder, words):
        text = good(*with_option(words, "--limit", "2", "-s", "name"), cwd=folder)
        assert re.search(r"List reduced from \d+ to 2 due to restriction <2>", text)
        rows = text.split("filename:lineno(function)\n")[1].splitlines()
        assert len([row for row in rows if row]) == 2

    def test_a_table_has_30_rows_and_says_how_many_more_there_are(self, folder, words):
        def rows(*option):
            head, _, table = good(*with_option(words, *option), cwd=folder).partition(
                "(function)\n"
            )
            lines = [line for line in table.splitlines() if line]
            more = [line for line in lines if line[0] != " "]
            return re.findall("reduced from ([0-9]+)", head), len(lines) - len(more), more

        assert rows("--limit=0")[1] > 31 and rows("--limit=0")[::2] == ([], [])
        for option in ["--table"], ["-s", "cumulative"]:
            [every], some, more = rows(*option)  # one run may import what another need not
            assert (some, more) == (30, [f"{int(every) - 30} more functions: --limit 0 prints all"])
        assert rows("--limit=7")[1:] == (7, [])

    def test_callers(self, folder, words):
        text = good(*with_option(words, "--callers", "a_le.f", "--strip-dirs"), cwd=folder)
        assert "was called by..." in text
        assert "filename:lineno(function)" not in text
        callers = re.findall(r"(\d+) +[\d.]+ +[\d.]+  program\.py:\d+\((\w+)\)", text)
        assert sorted(callers) == [("2", "b_middle"), ("2", "c_threaded")]

    def test_callees(self, folder, words):
        text = good(*with_option(words, "--callees=b_middle", "--strip-dirs"), cwd=folder)
        assert "called..." in text
        assert "filename:lineno(function)" not in text
        callees = re.findall(r"(\d+) +[\d.]+ +[\d.]+  program\.py:\d+\((\w+)\)", text)
        assert callees == [("2", "a_leaf")]

    def test_callers_and_callees(self, folder, words):
        text = good(*with_option(words, "--callees", "b_m", "--callers", "a_l"), cwd=folder)
        assert text.index("was called by...") < text.index(" called...")
        assert "filename:lineno(function)" not in text

    def test_pattern_that_matches_nothing(self, folder, words):
        def said(*option):
            found = traced(*with_option(words, "--strip-dirs", *option), cwd=folder)
            assert found.returncode == 0
            assert found.stdout.startswith(b"   command  program.py\n")
            return found.stderr.decode()

        none = (
            "tracer: no function matches {!r}; give a name as a table or the page prints it, or a "
            "regular expression\n"
        )
        assert said("--callers", "nomatch") == none.format("nomatch")
        assert said("--callees", "no\nmatch") == none.format("no\nmatch")
        near = "tracer: no function matches 'Class.a_laef'; the nearest: a_leaf\n"
        assert said("--callers", "Class.a_laef") == near
        assert said("--callers", "Class.x1") == none.format("Class.x1")
        assert said("--callers=x1", "--callees=x2") == none.format("x1") + none.format("x2")
        assert said("--callers=x1", "--callees=x1") == none.format("x1")
        assert said("--callers=a_leaf", "--callees=x2", "--limit=1") == none.format("x2")
        assert (
            said("--callers", f"^{re.escape(str(folder))}") != ""
        )  # what is stripped is not there

    @pytest.mark.parametrize("table", [[], ["--strip-dirs"]])
    @pytest.mark.parametrize("asked", [[], ["--strip-dirs"]])
    def test_a_label_is_pasted_as_it_stands(self, folder, words, table, asked):
        text = good(*with_option(words, *table, "--limit=0"), cwd=folder)
        (label,) = re.findall(r"\S*program\.py:\d+\(a_leaf\)", text)
        text = good(*with_option(words, "--callers", label, *asked), cwd=folder)
        assert re.search(rf"to 1 due to restriction <{re.escape(repr(label))}>", text)
        first, *callers = re.findall(r"program\.py:\d+\((\w+)\)", text.split("was called by")[1])
        assert (first, sorted(callers)) == ("a_leaf", ["b_middle", "c_threaded"])

    def test_a_builtin_is_pasted_as_it_stands(self, folder, words):
        text = good(*with_option(words, "--callers={built-in method builtins.len}"), cwd=folder)
        assert "(a_leaf)" in text

    def test_a_label_that_is_no_regular_expression(self, folder, words):
        found = traced(*with_option(words, "--callers=*.py:2(leaf)"), cwd=folder)
        assert found.returncode == 0
        assert found.stderr.startswith(b"tracer: no function matches '*.py:2(leaf)'; ")

    def test_limit_of_callers(self, folder, words):
        text = good(*with_option(words, "--callers", "program", "--limit=1"), cwd=folder)
        assert "to 1 due to restriction <1>" in text

    def test_strip_dirs(self, folder, words):
        path = f"{folder}/program.py:4(a_leaf)"
        assert path in good(*with_option(words, "--limit=0"), cwd=folder)
        text = good(*with_option(words, "--strip-dirs", "--limit=0"), cwd=folder)
        assert path not in text
        assert " program.py:4(a_leaf)\n" in text

    def test_no_header(self, folder, words):
        assert good(*words, cwd=folder).startswith("   command  program.py\n")
        text = good(*with_option(words, "--no-header"), cwd=folder)
        assert text.startswith("    time      %   ")
        text = good(*with_option(words, "--no-header", "--table"), cwd=folder)
        assert "function calls" in text.splitlines()[0]


def with_option(words, *option):
    """The options stand before the program, and after a verb."""
    return ["show", *option, *words[1:]] if words[0] == "show" else [*option, *words]


@pytest.mark.parametrize(
    "option", [["-o", "x.out"], ["-ox.out"], ["--outfile", "x.out"], ["--outfile=x.out"]]
)
def test_outfile(folder, option):
    assert good(*option, "program.py", cwd=folder) == ""
    stream = io.StringIO()
    pstats.Stats(str(folder / "x.out"), stream=stream).print_stats("a_leaf")
    assert own_rows(stream.getvalue()) == [("4", "a_leaf")]
    (folder / "x.out").unlink()


def test_no_builtins(folder):
    assert "{built-in method builtins.len}" in good("--limit=0", "program.py", cwd=folder)
    text = good("--limit=0", "--no-builtins", "program.py", cwd=folder)
    assert "{" not in text
    assert ("4", "a_leaf") in own_rows(text)


def test_no_threads(folder):
    text = good("--limit=0", "program.py", cwd=folder)
    assert " in 2 threads\n" in text
    assert ("2", "c_threaded") in own_rows(text)
    text = good("--limit=0", "--no-threads", "program.py", cwd=folder)
    assert " in 1 thread\n" in text
    assert ("1", "c_threaded") in own_rows(text)


def test_timer(tmp_path):
    write(tmp_path / "program.py", "import time\ntime.sleep(0.2)\n")
    times = {}
    began = time.monotonic()
    for timer in ("wall", "cpu"):
        text = good("--table", "--timer", timer, "program.py", cwd=tmp_path)
        times[timer] = float(re.search(r"function calls in ([\d.]+) seconds", text)[1])
    assert 0.2 <= times["wall"] < time.monotonic() - began
    assert times["cpu"] < 0.2


def test_module(folder):
    by_module, by_path = (
        good("-s", "name", "--limit=0", *words, cwd=folder)
        for words in (["-m", "program"], ["program.py"])
    )
    assert own_rows(by_module) == own_rows(by_path) != []
    # As with cProfile, -m may come before other options.
    text = good("-m", "-s", "name", "program", cwd=folder)
    assert "   Ordered by: function name\n" in text


def test_options_after_the_program_are_the_programs(tmp_path):
    write(tmp_path / "program.py", "import sys\nprint(sys.argv[1:])\n")
    for words in (["program.py"], ["-m", "program"]):
        text = good(*words, "-s", "nonsense", "--version", "-h", cwd=tmp_path)
        assert text.startswith("['-s', 'nonsense', '--version', '-h']\n")


def test_end_of_options(tmp_path):
    write(tmp_path / "-s", "print('ran')\n")
    assert good("--limit=1", "--", "-s", cwd=tmp_path).startswith("ran\n")


def test_version(folder):
    assert good("--version", cwd=folder) == f"tracer {__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(folder, flag):
    def words(text):
        return " ".join(text.split())

    text = good(flag, cwd=folder)
    assert text.startswith(
        "usage: python -m tracer [OPTIONS] SCRIPT | - | -m MODULE | -c CODE [ARGS"
    )
    for option in RunOptions.OPTIONS:
        assert f"  {', '.join(option.flags)}" in text
        assert words(option.meaning) in words(text)
    for verb, meaning in VERBS.items():
        assert re.search(rf"^  {verb} +{meaning[:9]}", text, re.MULTILINE)
        assert words(meaning) in words(text)
    assert good("run", flag, cwd=folder) == text
    text = good("show", flag, cwd=folder)
    assert text.startswith("usage: python -m tracer show [OPTIONS] FILE...\n")
    assert all(words(option.meaning) in words(text) for option in ShowOptions.OPTIONS)


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_as_wide_as_the_terminal(folder, verb):
    """The words are the same at every width. Where the width is not known, it is 80."""
    texts = {}
    for columns in 60, 80, 100, 200:
        shown, status = on_terminal(
            "stdout", "-m", "tracer", verb, "--help", columns=columns, cwd=folder
        )
        assert status == 0
        texts[columns] = shown.decode()
        assert max(map(len, texts[columns].splitlines())) <= min(columns, 100)
    assert len({" ".join(text.split()) for text in texts.values()}) == 1
    assert texts[80] == good(verb, "--help", cwd=folder)
    assert texts[200] == texts[100] != texts[80]
    assert re.search(r"^ {24}\S", texts[60], re.MULTILINE)


def test_what_stands_beside_an_option_goes_on_below_it():
    usage = usage_of(
        "t VERB",
        "One paragraph of two lines.",
        [("  -x, --y Z   ", "some words, and more")],
        ("  ", "t"),
    )
    assert wrapped(usage, 24) == (
        "usage: t VERB\n\nOne paragraph of two\nlines.\n\noptions:\n"
        "  -x, --y Z   some\n              words, and\n              more\n  t\n"
    )


# -- The options themselves ------------------------------------------------------------------


def test_sort_keys_are_those_of_pstats():
    assert set(SORT_KEYS) == set(pstats.Stats.sort_arg_dict_default)
    assert sort_words() == set(pstats.Stats().get_sort_arg_defs())


def test_stats_prints_each_listing():
    assert all(hasattr(Stats, f"print_{name}") for name in LISTINGS)


def test_a_short_option_means_the_same_in_every_verb():
    meanings = {}
    for verb in VERBS.keys() - {"time"}:  # whose letters are timeit's
        for option in options_of(verb):
            for flag in option.flags:
                if not flag.startswith("--"):
                    assert meanings.setdefault(flag, option.name) == option.name


def test_what_a_verb_lacks_has_its_usual_value():
    options, _ = parse([], RunOptions, stop_at_program=True)
    assert (options.memory, options.native, options.include) == (False, False, ())
    options, _ = parse([], TimeOptions, stop_at_program=True)
    assert (options.unit, options.parts, options.include) == (None, False, ())


def test_defaults():
    options, words = parse([], RunOptions, stop_at_program=True)
    assert words == []
    for option in RunOptions.OPTIONS:
        wanted = () if option.many else None if option.value else False
        assert getattr(options, option.name) == wanted, option.name


def test_parse_leaves_its_argument_alone():
    argv = ["--limit", "3", "file", "-s", "name"]
    options, words = parse(argv, RunOptions, stop_at_program=False)
    assert (options.limit, options.sort, words) == (3, "name", ["file"])
    options, words = parse(argv, RunOptions, stop_at_program=True)
    assert (options.limit, options.sort, words) == (3, None, ["file", "-s", "name"])
    assert argv == ["--limit", "3", "file", "-s", "name"]


def test_options_but_for_some():
    options, _ = parse(["--limit", "3"], RunOptions, stop_at_program=True)
    other = options.but(sort="name")
    assert (other.limit, other.sort, options.sort) == (3, "name", None)
    assert type(other) is RunOptions


class Numbered(Options):
    number: int = Option("-n, --number N", "", read=int)


def test_options_have_no_other_names():
    options = RunOptions({})
    with pytest.raises(AttributeError):
        options.outfil = "a.out"
    with pytest.raises(AttributeError):
        options.but(outfil="a.out")


def test_last_of_several_values_counts():
    options, _ = parse(["-n1", "--number=2", "-n", "3"], Numbered, stop_at_program=True)
    assert options.number == 3


def test_usage_errors_are_one_line():
    with pytest.raises(UsageError, match=r"^unknown option '--x\\n'; --help lists them$"):
        parse(["--x\n"], Numbered, stop_at_program=True)
