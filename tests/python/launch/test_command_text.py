"""`-c CODE`: what a program finds that stands on the command line is what plain python has.
test_command_ends_alike.py has how such programs end.
"""

import textwrap

import pytest

import tracer
from launch import environment, good, plain, refused, traced, write
from test_command_ends_alike import assert_alike
from tracer.launch.command_text import dedented

OUT = ("-o", "profile.out")
FINDS = """
import sys
print(sys.argv, sys.path, sys.orig_argv)
print({n: v for n, v in globals().items() if n not in ("sys",)})
print(sys._getframe().f_code.co_filename, sys.modules["__main__"].__dict__ is globals())
"""
TEXTS = {
    "one line": "print('é', 1 + 1)",
    "what it finds": FINDS,
    "empty": "",
    "blank": " \n\t\n",
    "a number below 0": "-1; print(2)",
    "a dash": "-",
    "two dashes": "--",
    "like an option": "--help",
    "like a verb": "show",
    "own codec": "# coding: latin-1\nprint('é')",
    "unknown codec": "# coding: none-such\nprint('é')",
    "byte order mark": "\ufeffprint(1)",
    "indented": "  print(1)\n  print(2)",
    "indented and not": "  print(1)\nprint(2)",
    "syntax error": "x = 1\n1 +\nx",
    "syntax error, later": "return 3",
    "indentation": "if 1:\nprint(1)",
    "no end": "print('",
    "error": "def f():\n    x = 'é'\n    1 / 0\n\nf()",
    "error of an import": "import mine",
    "exit": "import sys\nsys.exit('é')",
    "no newline in a block": "for i in range(3):\n    print(i)",
    "source of a function": "import inspect\ndef f(): pass\n"
    "try: print(inspect.getsource(f))\nexcept OSError as e: print(e)",
    "modules": "import sys\nprint('linecache' in sys.modules, 'tokenize' in sys.modules)",
    "pickle": "import pickle\nclass C: pass\nprint(type(pickle.loads(pickle.dumps(C()))))",
}


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "mine.py", "def f():\n    1 / 0\nf()\n")
    return tmp_path


@pytest.mark.parametrize("flags", [(), ("-P",), ("-I",), ("-Xutf8",), ("-W", "error")], ids=str)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_runs_as_without_tracer(folder, name, flags):
    words = ("-c", TEXTS[name], "a", "-c", "--", "-o")
    expected = plain(*words, cwd=folder, flags=flags)
    assert_alike(plain("-m", "tracer", *OUT, *words, cwd=folder, flags=flags), expected)


@pytest.mark.parametrize("word", ["-cprint(1)", "-c=1", "-c-1", "-c--", "-c "])
def test_the_text_may_stand_in_the_word_of_the_flag(folder, word):
    expected = plain(word, "-h", cwd=folder)
    assert_alike(traced(*OUT, word, "-h", cwd=folder), expected)


def test_the_profile_of_a_text(folder):
    text = "def f(): return 1\nfor i in range(3): f()\n"
    printed = good("-s", "calls", "-c", text, "word", cwd=folder)
    assert "-c 'def f(): return 1\\nfor i in range(3): f()\\n' word\n" in printed
    traced(*OUT, "-c", text, "word", cwd=folder)
    stats = tracer.Stats(str(folder / "profile.out"))
    assert stats.stats[("<string>", 1, "f")][:2] == (3, 3)
    (capture,) = stats.captures
    assert capture.run.command == ("-c", text, "word")
    assert capture.sources["<string>"].data == f"{text}\n".encode()


@pytest.mark.parametrize("options", [("--lines",), ("-l",)])
def test_the_lines_of_a_text_are_timed(folder, options):
    mark = "@profile\n" if options == ("-l",) else "\n"
    traced(
        *OUT, *options, "-c", f"{mark}def f():\n    return 1\nfor i in range(3): f()", cwd=folder
    )
    lines = tracer.Stats(str(folder / "profile.out")).lines
    hits = {(it.qualname, line.line): line.hits for it in lines.functions for line in it.lines}
    assert hits["f", 3] == 3


def test_a_timeline_of_a_text(folder):
    traced(*OUT, "--timeline", "-c", "def f(): pass\nf()", cwd=folder)
    printed = good("show", "profile.out", "--slowest", "3", "--only", "f", cwd=folder)
    assert "<string>:1" in printed


def test_a_text_is_the_programs_own_where_names_choose(folder):
    traced(*OUT, "--include", "mine", "-c", "try: import mine\nexcept Exception: pass", cwd=folder)
    names = {name for _, _, name in tracer.Stats(str(folder / "profile.out")).stats}
    assert "f" in names


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-c"], "-c needs a value: -c CODE"),
        (["-o", "a.out", "-c"], "-c needs a value: -c CODE"),
        (["-m", "-c", "1"], "-m and -c each name a program; give one of them"),
        (
            ["-c", b"print('\xff')"],
            "the code after -c cannot be decoded by utf-8, the encoding of the command line; write "
            "the code to a file",
        ),
    ],
)
def test_a_text_that_is_refused(folder, words, line):
    assert refused(*words, cwd=folder, env=environment(PYTHONUTF8="1")) == line


def test_no_option_is_read_behind_the_text(folder):
    found = good(*OUT, "-c", "import sys; print(sys.argv)", "--version", "-o", "x", cwd=folder)
    assert found == "['-c', '--version', '-o', 'x']\n"
    assert not (folder / "x").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "a",
        "  a\n  b\n",
        "  a\n    b\n",
        "\ta\n  b\n",
        " \ta\n \t  b\n \n",
        "  a\n\n \t\n  b",
        "    \n  a\n",
        "a\n  b",
        "  a\r\n  b",
    ],
)
def test_blanks_that_all_lines_begin_with(text):
    assert dedented(text) == textwrap.dedent(text)
