"""Each option of the command: what it does, and the line it answers nonsense with."""

import io
import pstats
import re

import pytest

from launch import traced, write
from tracer._version import __version__
from tracer.commands import VERBS
from tracer.commands import run as run_verb
from tracer.commands import show as show_verb
from tracer.commands.options import PRINTING, SORT_KEYS, Option, UsageError, parse, sort_words

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


def good(*words, folder):
    found = traced(*words, cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    return found.stdout.decode()


def own_rows(text):
    """The rows of program.py: [(ncalls, function)] in the order printed."""
    return re.findall(r"^ +(\d+) .*program\.py:\d+\((\w+|<module>)\)$", text, re.MULTILINE)


def refused(*words, folder):
    """The one line that the command answers with."""
    found = traced(*words, cwd=folder)
    assert (found.stdout, found.returncode) == (b"", 2)
    assert found.stderr.startswith(b"tracer: ")
    assert found.stderr.count(b"\n") == 1
    return found.stderr.decode()[len("tracer: ") : -1]


# -- What each option does -------------------------------------------------------------------


@pytest.mark.parametrize("words", [["program.py"], ["show", "profile.out"]], ids=" ".join)
class TestPrinting:
    """The options of printing do the same for a run and for a saved profile."""

    @pytest.mark.parametrize("option", [["-s", "name"], ["-sname"], ["--sort", "name"]])
    def test_sort(self, folder, words, option):
        text = good(*with_option(words, *option), folder=folder)
        assert "   Ordered by: function name\n" in text
        assert own_rows(text) == [
            ("1", "<module>"),
            ("4", "a_leaf"),
            ("1", "b_middle"),
            ("2", "c_threaded"),
        ]

    def test_sort_by_calls(self, folder, words):
        text = good(*with_option(words, "--sort=ncalls"), folder=folder)
        assert "   Ordered by: call count\n" in text
        assert [row for row in own_rows(text) if row[0] != "1"] == [
            ("4", "a_leaf"),
            ("2", "c_threaded"),
        ]

    def test_cumulative_is_the_order_meant(self, folder, words):
        text = good(*words, folder=folder)
        assert "   Ordered by: cumulative time\n" in text
        assert own_rows(text)[0] == ("1", "<module>")

    @pytest.mark.parametrize("key", [*SORT_KEYS, "file", "cu", "tot"])
    def test_every_key(self, folder, words, key):
        what = pstats.Stats().get_sort_arg_defs()[key][1]
        text = good(*with_option(words, "-s", key, "--limit=1"), folder=folder)
        assert f"   Ordered by: {what}\n" in text

    def test_limit(self, folder, words):
        text = good(*with_option(words, "--limit", "2", "-s", "name"), folder=folder)
        assert re.search(r"List reduced from \d+ to 2 due to restriction <2>", text)
        rows = text.split("filename:lineno(function)\n")[1].splitlines()
        assert len([row for row in rows if row]) == 2

    def test_callers(self, folder, words):
        text = good(*with_option(words, "--callers", "a_le.f", "--strip-dirs"), folder=folder)
        assert "was called by..." in text
        assert "filename:lineno(function)" not in text
        callers = re.findall(r"(\d+) +[\d.]+ +[\d.]+  program\.py:\d+\((\w+)\)", text)
        assert callers == [("2", "b_middle"), ("2", "c_threaded")]

    def test_callees(self, folder, words):
        text = good(*with_option(words, "--callees=b_middle", "--strip-dirs"), folder=folder)
        assert "called..." in text
        assert "filename:lineno(function)" not in text
        callees = re.findall(r"(\d+) +[\d.]+ +[\d.]+  program\.py:\d+\((\w+)\)", text)
        assert callees == [("2", "a_leaf")]

    def test_callers_and_callees(self, folder, words):
        text = good(*with_option(words, "--callees", "b_m", "--callers", "a_l"), folder=folder)
        assert text.index("was called by...") < text.index(" called...")
        assert "filename:lineno(function)" not in text

    def test_pattern_that_matches_nothing(self, folder, words):
        def said(*option):
            found = traced(*with_option(words, "--strip-dirs", *option), cwd=folder)
            assert found.returncode == 0
            assert found.stdout.startswith(b"   command  program.py\n")
            return found.stderr.decode()

        none = "tracer: no function matches {!r}\n"
        assert said("--callers", "nomatch") == none.format("nomatch")
        assert said("--callees", "no\nmatch") == none.format("no\nmatch")
        assert said("--callers=x1", "--callees=x2") == none.format("x1") + none.format("x2")
        assert said("--callers=x1", "--callees=x1") == none.format("x1")
        assert said("--callers=a_leaf", "--callees=x2", "--limit=1") == none.format("x2")
        assert (
            said("--callers", f"^{re.escape(str(folder))}") != ""
        )  # what is stripped is not there

    def test_limit_of_callers(self, folder, words):
        text = good(*with_option(words, "--callers", "program", "--limit=1"), folder=folder)
        assert "to 1 due to restriction <1>" in text

    def test_strip_dirs(self, folder, words):
        path = f"{folder}/program.py:4(a_leaf)"
        assert path in good(*words, folder=folder)
        text = good(*with_option(words, "--strip-dirs"), folder=folder)
        assert path not in text
        assert " program.py:4(a_leaf)\n" in text

    def test_no_header(self, folder, words):
        assert good(*words, folder=folder).startswith("   command  program.py\n")
        text = good(*with_option(words, "--no-header"), folder=folder)
        first = text.splitlines()[0]
        assert "profile.out" in first if words[0] == "show" else "function calls" in first


def with_option(words, *option):
    """The options stand before the program, and after a verb."""
    return ["show", *option, *words[1:]] if words[0] == "show" else [*option, *words]


@pytest.mark.parametrize(
    "option", [["-o", "x.out"], ["-ox.out"], ["--outfile", "x.out"], ["--outfile=x.out"]]
)
def test_outfile(folder, option):
    assert good(*option, "program.py", folder=folder) == ""
    stream = io.StringIO()
    pstats.Stats(str(folder / "x.out"), stream=stream).print_stats("a_leaf")
    assert own_rows(stream.getvalue()) == [("4", "a_leaf")]
    (folder / "x.out").unlink()


def test_no_builtins(folder):
    assert "{built-in method builtins.len}" in good("program.py", folder=folder)
    text = good("--no-builtins", "program.py", folder=folder)
    assert "{" not in text
    assert ("4", "a_leaf") in own_rows(text)


def test_no_threads(folder):
    text = good("program.py", folder=folder)
    assert " in 2 threads\n" in text
    assert ("2", "c_threaded") in own_rows(text)
    text = good("--no-threads", "program.py", folder=folder)
    assert " in 1 thread\n" in text
    assert ("1", "c_threaded") in own_rows(text)


def test_timer(tmp_path):
    write(tmp_path / "program.py", "import time\ntime.sleep(0.2)\n")
    times = {}
    for timer in ("wall", "cpu"):
        text = good("--timer", timer, "program.py", folder=tmp_path)
        times[timer] = float(re.search(r"function calls in ([\d.]+) seconds", text)[1])
    assert 0.2 <= times["wall"] < 0.5
    assert times["cpu"] < 0.1


def test_module(folder):
    by_module, by_path = (
        good("-s", "name", *words, folder=folder) for words in (["-m", "program"], ["program.py"])
    )
    assert own_rows(by_module) == own_rows(by_path) != []
    # As with cProfile, -m may come before other options.
    text = good("-m", "-s", "name", "program", folder=folder)
    assert "   Ordered by: function name\n" in text


def test_options_after_the_program_are_the_programs(tmp_path):
    write(tmp_path / "program.py", "import sys\nprint(sys.argv[1:])\n")
    for words in (["program.py"], ["-m", "program"]):
        text = good(*words, "-s", "nonsense", "--version", "-h", folder=tmp_path)
        assert text.startswith("['-s', 'nonsense', '--version', '-h']\n")


def test_end_of_options(tmp_path):
    write(tmp_path / "-s", "print('ran')\n")
    assert good("--limit=1", "--", "-s", folder=tmp_path).startswith("ran\n")


def test_version(folder):
    assert good("--version", folder=folder) == f"tracer {__version__}\n"


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help(folder, flag):
    text = good(flag, folder=folder)
    assert text.startswith("usage: python -m tracer [OPTIONS] SCRIPT | - | -m MODULE [ARGS...]\n")
    for option in run_verb.OPTIONS:
        assert f"  {', '.join(option.flags)}" in text
        assert option.meaning in text
    for verb, meaning in VERBS.items():
        assert re.search(rf"^  {verb} +{re.escape(meaning)}$", text, re.MULTILINE)
    assert good("run", flag, folder=folder) == text
    text = good("show", flag, folder=folder)
    assert text.startswith("usage: python -m tracer show [OPTIONS] FILE...\n")
    assert all(option.meaning in text for option in show_verb.OPTIONS)
    assert max(map(len, text.splitlines())) <= 100


NOTHING_TO_RUN = "nothing to run: name a SCRIPT or -m MODULE after the options; --help tells more"
NOTHING_TO_SHOW = "nothing to show: name a FILE that -o wrote; --help tells more"


@pytest.mark.parametrize("words", [[], ["run"], ["show"]], ids=" ".join)
def test_nothing_to_do(folder, words):
    found = traced(*words, cwd=folder)
    assert (found.stdout, found.returncode) == (b"", 2)
    usage = good(*words, "--help", folder=folder)
    line = NOTHING_TO_SHOW if words == ["show"] else NOTHING_TO_RUN
    assert found.stderr.decode() == f"{usage}tracer: {line}\n"


def test_nothing_to_do_with_options(folder):
    for words in (["-o", "main.py"], ["-m"], ["run", "-s", "name"], ["--"]):
        assert refused(*words, folder=folder) == NOTHING_TO_RUN
    assert refused("show", "--limit", "3", folder=folder) == NOTHING_TO_SHOW
    assert not (folder / "main.py").exists()


# -- What cannot be done ---------------------------------------------------------------------

KEYS = ", ".join(SORT_KEYS)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-s", "nonsense"], f"unknown sort key 'nonsense'; choose from {KEYS}"),
        (["-s", "cum"], f"unknown sort key 'cum'; choose from {KEYS}"),
        (["--sort="], f"unknown sort key ''; choose from {KEYS}"),
        (["--limit", "0"], "--limit '0': give a number of rows, 1 or more"),
        (["--limit", "-3"], "--limit '-3': give a number of rows, 1 or more"),
        (["--limit", "many"], "--limit 'many': give a number of rows, 1 or more"),
        (["--limit", "1.5"], "--limit '1.5': give a number of rows, 1 or more"),
        (["--limit", "9" * 5000], f"--limit '{'9' * 5000}': give a number of rows, 1 or more"),
        (["--callers", "("], "invalid regular expression '(': missing ), unterminated subpattern"),
        (["--callees", "*"], "invalid regular expression '*': nothing to repeat"),
        (["--callers", "a{9999999999}"], "invalid regular expression 'a{9999999999}': "),
        (["--no-header=1"], "--no-header takes no value, '1' was given"),
        (["--nonsense"], "unknown option '--nonsense'; --help lists them"),
        (["-x"], "unknown option '-x'; --help lists them"),
        (["-hx"], "-h takes no value, 'x' was given"),
        (
            ["--suspended", "-s", "name"],
            "-s does not sort --suspended, which has the longest waits first; leave it out",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["run", "show"])
def test_wrong_option(folder, verb, words, line):
    assert refused(verb, *words, "program.py", folder=folder).startswith(line)


@pytest.mark.parametrize("option", PRINTING, ids=lambda option: option.name)
def test_what_prints_is_of_no_use_with_a_file(folder, option):
    value = {"N": ["3"], "KEY": ["name"], "REGEX": ["x"], "": []}[option.value]
    for flag in option.flags:
        assert refused("-o", "unused.out", flag, *value, "program.py", folder=folder) == (
            f"{option.flags[0]} is of no use with -o, which prints nothing; give it to 'show'"
        )
    assert not (folder / "unused.out").exists()


@pytest.mark.parametrize("option", [option for option in run_verb.OPTIONS if option.value])
def test_value_is_missing(folder, option):
    for flag in option.flags:
        assert refused(flag, folder=folder) == f"{flag} needs a value: {flag} {option.value}"


def test_wrong_timer(folder):
    line = "--timer 'sun': choose from wall, cpu"
    assert refused("--timer", "sun", "program.py", folder=folder) == line


def test_missing_script(folder):
    remedy = "give a path that exists, or a module after -m"
    line = f"no script 'nowhere.py', neither here nor on PATH; {remedy}"
    assert refused("nowhere.py", folder=folder) == line
    assert refused("./no/where", folder=folder) == f"no script './no/where'; {remedy}"
    assert refused("", folder=folder) == f"no script '', neither here nor on PATH; {remedy}"


def test_missing_module(folder):
    assert refused("-m", "nowhere", folder=folder) == (
        "cannot run -m nowhere: No module named nowhere"
    )
    assert refused("-m", "", folder=folder).startswith("cannot run -m : ")
    assert "Try using 'program'" in refused("-m", "program.py", folder=folder)


def test_folder_without_main(tmp_path):
    (tmp_path / "empty").mkdir()
    line = "cannot run the folder 'empty': it has no __main__.py"
    assert refused("empty", folder=tmp_path) == line


def test_nothing_is_written_when_there_is_nothing_to_run(folder):
    before = sorted(folder.iterdir())
    for words in (["nowhere.py"], ["-m", "nowhere"], ["-s", "x", "program.py"]):
        refused("-o", "unwanted.out", *words, folder=folder)
    assert sorted(folder.iterdir()) == before


def test_code_of_another_python(tmp_path):
    (tmp_path / "old.pyc").write_bytes(b"\x01\x02\r\n" + bytes(12) + b"N")
    line = refused("old.pyc", folder=tmp_path)
    assert line.startswith(f"'{tmp_path}/old.pyc' cannot be run by this Python: bad magic number")
    assert line.endswith("; run its source instead")


# -- The options themselves ------------------------------------------------------------------


def test_sort_keys_are_those_of_pstats():
    assert set(SORT_KEYS) == set(pstats.Stats.sort_arg_dict_default)
    assert sort_words() == set(pstats.Stats().get_sort_arg_defs())


def test_a_short_option_means_the_same_in_every_verb():
    meanings = {}
    for options in (run_verb.OPTIONS, show_verb.OPTIONS):
        for option in options:
            for flag in option.flags:
                assert meanings.setdefault(flag, option) is option


def test_defaults():
    values, words = parse([], run_verb.OPTIONS, stop_at_program=True)
    assert words == []
    assert values == {
        "outfile": None,
        "save_every": None,
        "m": False,
        "sort": None,
        "limit": None,
        "callers": None,
        "callees": None,
        "suspended": False,
        "strip_dirs": False,
        "no_header": False,
        "no_builtins": False,
        "all_builtins": False,
        "include": (),
        "exclude": (),
        "no_threads": False,
        "timer": None,
        "compensate": False,
        "help": False,
        "version": False,
        "verbose": False,
    }


def test_parse_leaves_its_argument_alone():
    argv = ["--limit", "3", "file", "-s", "name"]
    values, words = parse(argv, PRINTING, stop_at_program=False)
    assert (values["limit"], values["sort"], words) == (3, "name", ["file"])
    values, words = parse(argv, PRINTING, stop_at_program=True)
    assert (values["limit"], values["sort"], words) == (3, None, ["file", "-s", "name"])
    assert argv == ["--limit", "3", "file", "-s", "name"]


def test_last_of_several_values_counts():
    option = Option("-n", "--number", value="N", read=int, meaning="")
    values, _ = parse(["-n1", "--number=2", "-n", "3"], [option], stop_at_program=True)
    assert values == {"number": 3}


def test_usage_errors_are_one_line():
    with pytest.raises(UsageError, match=r"^unknown option '--x\\n'; --help lists them$"):
        parse(["--x\n"], PRINTING, stop_at_program=True)
