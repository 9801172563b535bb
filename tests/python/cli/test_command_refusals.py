"""What the command cannot do: each time one line that names the thing and the remedy, status 2."""

import pytest

from launch import environment, good, refused, traced, write
from tracer.cli.options.printing import SORT_KEYS, TableOptions
from tracer.cli.options.run import RunOptions
from tracer.report.figure_tables import FIGURE_KEYS

NOTHING_TO_RUN = (
    "nothing to run: name a SCRIPT, -m MODULE or -c CODE after the options; --help tells more"
)
NOTHING_TO_SHOW = "nothing to show: name a FILE that -o wrote; --help tells more"
KEYS = ", ".join([*SORT_KEYS, *FIGURE_KEYS])


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", "")
    return tmp_path


@pytest.mark.parametrize("words", [[], ["run"], ["show"]], ids=" ".join)
def test_nothing_to_do(folder, words):
    found = traced(*words, cwd=folder)
    assert (found.stdout, found.returncode) == (b"", 2)
    usage = good(*words, "--help", cwd=folder)
    line = NOTHING_TO_SHOW if words == ["show"] else NOTHING_TO_RUN
    assert found.stderr.decode() == f"{usage}tracer: {line}\n"


def test_nothing_to_do_with_options(folder):
    for words in (["-o", "main.py"], ["run", "-s", "name"], ["--"]):
        assert refused(*words, cwd=folder) == NOTHING_TO_RUN
    assert refused("show", "--limit", "3", cwd=folder) == NOTHING_TO_SHOW
    assert not (folder / "main.py").exists()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["-s", "nonsense"], f"unknown sort key 'nonsense'; choose from {KEYS}"),
        (["-s", "cum"], f"unknown sort key 'cum'; choose from {KEYS}"),
        (["--sort="], f"unknown sort key ''; choose from {KEYS}"),
        (["--limit", "-1"], "--limit '-1': give a number of rows; 0 prints all"),
        (["--limit", "-3"], "--limit '-3': give a number of rows; 0 prints all"),
        (["--limit", "many"], "--limit 'many': give a number of rows; 0 prints all"),
        (["--limit", "1.5"], "--limit '1.5': give a number of rows; 0 prints all"),
        (["--limit", "9" * 5000], f"--limit '{'9' * 5000}': give a number of rows; 0 prints all"),
        (["--callers", "("], "invalid regular expression '(': missing ), unterminated subpattern"),
        (["--callees", "*"], "invalid regular expression '*': nothing to repeat"),
        (["--callers", "a{9999999999}"], "invalid regular expression 'a{9999999999}': "),
        (["--no-header=1"], "--no-header takes no value, '1' was given"),
        (["--nonsense"], "unknown option '--nonsense'; --help lists them"),
        (["-x"], "unknown option '-x'; --help lists them"),
        (["-hx"], "-h takes no value, 'x' was given"),
        (
            ["--suspended", "-s", "name"],
            "-s does not sort --suspended, which has the longest waits first; leave -s out",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["run", "show"])
def test_wrong_option(folder, verb, words, line):
    assert refused(verb, *words, "program.py", cwd=folder).startswith(line)


@pytest.mark.parametrize(
    "option",
    [it for it in TableOptions.OPTIONS if it.name not in ("memory", "native")],
    ids=lambda option: option.name,
)
def test_what_prints_is_of_no_use_with_a_file(folder, option):
    values = {"N": ["3"], "KEY": ["name"], "NAME": ["x"], "WHEN": ["auto"], "": []}
    value = values[option.value]
    for flag in option.flags:
        assert refused("-o", "unused.out", flag, *value, "program.py", cwd=folder) == (
            f"{option.flags[0]} is of no use with -o, which prints nothing; give it to 'show'"
        )
    assert not (folder / "unused.out").exists()


@pytest.mark.parametrize(
    "option", [option for option in RunOptions.OPTIONS if option.value and not option.optional]
)
def test_value_is_missing(folder, option):
    for flag in option.flags:
        assert refused(flag, cwd=folder) == f"{flag} needs a value: {flag} {option.value}"


def test_wrong_timer(folder):
    line = "--timer 'sun': choose from wall, cpu"
    assert refused("--timer", "sun", "program.py", cwd=folder) == line


def test_missing_script(folder):
    remedy = "give a path that exists, or a module after -m"
    line = f"no script 'nowhere.py', neither here nor on PATH; {remedy}"
    assert refused("nowhere.py", cwd=folder) == line
    assert refused("./no/where", cwd=folder) == f"no script './no/where'; {remedy}"
    assert refused("", cwd=folder) == f"no script '', neither here nor on PATH; {remedy}"


def test_a_verb_behind_an_option(folder):
    for verb in ("show", "diff"):  # no script has the first name; on PATH is a program `diff`
        assert refused("--limit", "3", verb, "a.out", cwd=folder) == (
            f"no script {verb!r}; a verb comes before its options: python -m tracer {verb} "
            "[OPTIONS]"
        )
    write(folder / "show", "print('ran')\n")
    assert "ran\n" in good("--limit", "3", "show", cwd=folder)
    assert refused("-m", "merge", cwd=folder) == "cannot run -m merge: No module named merge"


def test_missing_module(folder):
    assert refused("-m", "nowhere", cwd=folder) == (
        "cannot run -m nowhere: No module named nowhere"
    )
    assert refused("-m", "nowhere.at_all", cwd=folder) == (
        "cannot run -m nowhere.at_all: Error while finding module specification for "
        "'nowhere.at_all' (ModuleNotFoundError: No module named 'nowhere')"
    )
    assert refused("-m", "", cwd=folder).startswith("cannot run -m : ")
    (folder / "lacking").mkdir()
    write(folder / "lacking/__init__.py", "import nowhere\n")
    found = traced("-m", "lacking.at_all", cwd=folder)
    assert found.returncode == 1  # what a package lacks is the program's own error
    assert b'lacking/__init__.py", line 1, in <module>\n' in found.stderr
    assert found.stderr.endswith(b"\nModuleNotFoundError: No module named 'nowhere'\n")
    assert "Try using 'program'" in refused("-m", "program.py", cwd=folder)


@pytest.mark.parametrize("name", ["empty", "sh"])  # a program on PATH is none of Python's
def test_folder_without_main(tmp_path, name):
    (tmp_path / name).mkdir()
    line = f"cannot run the folder {name!r}: it has no __main__.py"
    assert refused(name, cwd=tmp_path) == line


def test_a_folder_called_as_the_interpreter(tmp_path):
    """There is an interpreter of that name on PATH."""
    (tmp_path / "python3").mkdir()
    interpreter = write(tmp_path / "bin" / "python3", "#!/bin/sh\n")
    interpreter.chmod(0o755)
    line = refused("python3", "x.py", cwd=tmp_path, env=environment(PATH=interpreter.parent))
    assert line.endswith("leave 'python3' out, tracer starts the program itself")


def test_nothing_is_written_when_there_is_nothing_to_run(folder):
    before = sorted(folder.iterdir())
    for words in (["nowhere.py"], ["-m", "nowhere"], ["-s", "x", "program.py"]):
        refused("-o", "unwanted.out", *words, cwd=folder)
    assert sorted(folder.iterdir()) == before


def test_code_of_another_python(tmp_path):
    (tmp_path / "old.pyc").write_bytes(b"\x01\x02\r\n" + bytes(12) + b"N")
    line = refused("old.pyc", cwd=tmp_path)
    assert line.startswith(f"'{tmp_path}/old.pyc' cannot be run by this Python: bad magic number")
    assert line.endswith("; run its source instead")


@pytest.mark.parametrize(
    ("verb", "words", "told"),
    [
        ("run", ["--metric=x", "main.py"], "--metric is an option of diff, not of run"),
        ("show", ["--no-builtins", "a.out"], "--no-builtins is an option of run, not of show"),
        ("merge", ["--compare"], "--compare is an option of view and html, not of merge"),
        ("diff", ["-o", "f"], "-o is an option of run, merge, export and html, not of diff"),
    ],
)
def test_an_option_of_another_verb(folder, verb, words, told):
    assert refused(verb, *words, cwd=folder) == f"{told}; --help lists its own"
