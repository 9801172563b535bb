"""What is answered to options and verbs of other tools, to misspelt ones, and to a profile in the
place of the program."""

import cProfile

import pytest

from launch import good, plain, refused, traced, write
from tracer.cli.main import VERBS
from tracer.cli.suggestions import (
    FOREIGN_OPTIONS,
    FOREIGN_VERBS,
    OF_VERBS,
    have,
    options_of,
    unknown_option,
)

pytestmark = pytest.mark.results

FLAGS = {verb: {flag for it in options_of(verb) for flag in it.flags} for verb in VERBS}


@pytest.mark.parametrize(
    ("verb", "flag", "answer"),
    [
        ("run", "-n", "unknown option '-n'; here it is --limit N; --help lists them"),
        ("show", "--top", "unknown option '--top'; here it is --limit N; --help lists them"),
        ("diff", "--top", "unknown option '--top'; here it is --limit N; --help lists them"),
        ("run", "--output", "unknown option '--output'; here it is -o FILE; --help lists them"),
        ("html", "--output", "unknown option '--output'; here it is -o OUT; --help lists them"),
        (
            "show",
            "--output",
            "unknown option '--output'; run, merge, export and html have -o FILE; --help lists "
            "them",
        ),
        (
            "show",
            "--format",
            "unknown option '--format'; export has --to FORMAT; --help lists them",
        ),
        ("export", "-f", "unknown option '-f'; here it is --to FORMAT; --help lists them"),
        ("show", "--to", "unknown option '--to'; here it is --to-time TIME; --help lists them"),
        ("show", "--sort-by", "unknown option '--sort-by'; here it is -s KEY; --help lists them"),
        ("diff", "--sort", "unknown option '--sort'; here it is --metric NAME; --help lists them"),
        ("run", "--html", "unknown option '--html'; here it is the verb 'html'; --help lists them"),
        ("show", "--limt", "unknown option '--limt'; the nearest is --limit; --help lists them"),
        (
            "merge",
            "--compare",
            "--compare is an option of view and html, not of merge; --help lists its own",
        ),
        (
            "diff",
            "--include",
            "--include is an option of run and show, not of diff; --only NAME chooses functions "
            "here",
        ),
        (
            "diff",
            "--lines",
            "--lines is an option of run and show, not of diff; 'view --compare BEFORE AFTER' "
            "compares lines",
        ),
        ("view", "--nonsense", "unknown option '--nonsense'; --help lists them"),
        ("view", "-x", "unknown option '-x'; --help lists them"),
    ],
)
def test_an_unknown_option(verb, flag, answer):
    assert unknown_option(flag, verb, VERBS) == answer


@pytest.mark.parametrize(
    ("words", "start"),
    [
        (["-p"], "tracer cannot attach to a running process (-p is the port of view): start "),
        (["-p", "1234"], "tracer cannot attach to a running process (-p is the port of view): "),
        (["--pid", "1234"], "tracer cannot attach to a running process (-p is the port of view): "),
        (["-r", "html", "main.py"], "tracer has no -r: 'export FILE --to FORMAT' writes other "),
        (["-r", "100", "main.py"], "tracer has no -r: 'export FILE --to FORMAT' writes other "),
        (["-m"], "-m needs the name of a module: -m MODULE"),
        (["-m", "-o", "a.out"], "-m needs the name of a module: -m MODULE"),
    ],
)
def test_what_a_run_does_not_do(words, start, folder):
    assert refused(*words, cwd=folder).startswith(start)


@pytest.mark.parametrize("verb", ["run", "merge"])
@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("a.b.html", "html a.b.out -o a.b.html"),
        ("x.json", "export x.out --to json -o x.json"),
        ("x.csv", "export x.out --to csv -o x.csv"),
        ("x.svg", "html x.out (its flame graph)"),
    ],
)
def test_a_profile_under_the_name_of_something_else(folder, verb, name, made):
    """Refused before the program runs: nothing is lost."""
    words = ["main.py"] if verb == "run" else ["a.prof", "c.prof"]
    stem = name.rpartition(".")[0]
    assert refused(verb, "-o", name, *words, cwd=folder) == (
        f"'{name}' would hold a profile, whatever its name says; write -o {stem}.out, and then: "
        f"python -m tracer {made}"
    )
    assert not (folder / name).exists()


@pytest.mark.parametrize("verb", VERBS)
def test_every_foreign_option_has_an_answer_for_every_verb(verb):
    for flag in [*FOREIGN_OPTIONS, *OF_VERBS.get(verb, {})]:
        if flag not in FLAGS[verb]:
            answer = unknown_option(flag, verb, VERBS)
            assert (
                "; here it is " in answer
                or " has " in answer
                or " have " in answer
                or (" is an option of " in answer)
            ), answer


def test_what_is_foreign_is_not_tracers():
    known = set().union(*FLAGS.values())
    for flag, names in FOREIGN_OPTIONS.items():
        assert all(name in known or name in VERBS for name in names), flag
    assert not FOREIGN_VERBS.keys() & VERBS.keys()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("suggestions")
    write(folder / "main.py", "print('ran')\n")
    traced("-o", "a.prof", "main.py", cwd=folder)
    traced("-l", "-o", "a.lprof", "main.py", cwd=folder)
    profile = cProfile.Profile()
    profile.runcall(len, "")
    profile.dump_stats(folder / "c.prof")
    return folder


PROG = "python -m tracer"


@pytest.mark.parametrize(
    ("word", "rest"),
    [
        ("compare", f"here it is {PROG} diff BEFORE AFTER"),
        ("report", f"here it is {PROG} show FILE"),
        ("flamegraph", f"here it is {PROG} view FILE"),
        ("record", f"here it is {PROG} -o FILE SCRIPT"),
        ("top", f"here it is {PROG} --live SCRIPT"),
        ("help", f"here it is {PROG} --help"),
        ("callers", f"here it is {PROG} show FILE --callers NAME"),
        ("shwo", "the nearest is show"),
        ("exprot", "the nearest is export"),
    ],
)
def test_an_unknown_verb(folder, word, rest):
    said = refused(word, "a.prof", "b.prof", cwd=folder)
    assert said == f"no script {word!r}, and no verb; {rest}; --help lists the verbs"


def test_a_script_of_such_a_name_is_run(folder, tmp_path):
    write(tmp_path / "report", "print('ran')\n")
    assert good("report", cwd=tmp_path).startswith("ran\n")
    assert refused("./stats", cwd=folder).startswith("no script './stats'; give a path that ")
    assert refused("-m", "report", cwd=folder).startswith("cannot run -m report: ")
    assert refused("nowhere", cwd=folder).startswith("no script 'nowhere', neither here nor ")


@pytest.mark.parametrize("name", ["a.prof", "a.lprof", "c.prof"])
def test_a_profile_in_the_place_of_the_program(folder, name):
    for words in ([], ["-o", "unwritten.out"], ["run"], ["--tree"]):
        assert refused(*words, name, cwd=folder) == (
            f"'{name}' is a profile, and no program; to see it: {PROG} show {name}"
        )
    assert not (folder / "unwritten.out").exists()
    found = traced("show", name, cwd=folder)
    assert found.returncode == 0


def test_what_only_begins_as_a_profile_is_run(tmp_path):
    write(tmp_path / "set.py", "{(1, 2): print('ran')}\n")
    assert good("set.py", cwd=tmp_path).startswith("ran\n")
    (tmp_path / "odd.py").write_bytes(b"{0: 1}\n\0")
    found = traced("odd.py", cwd=tmp_path)
    assert found.returncode == plain("odd.py", cwd=tmp_path).returncode  # 3.11.2 takes a zero byte
    assert found.returncode == 0 or b"null bytes" in found.stderr


def test_one_verb_has_an_option_and_two_have_it():
    assert [have(verbs) for verbs in (["run"], ["run", "show"])] == ["has", "have"]
