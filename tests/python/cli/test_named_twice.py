"""A file that is named twice, by one name or by two: every verb that adds files up refuses it, and
those that compare two take it. From Python it counts twice, as in pstats."""

import io
import pstats

import pytest

import tracer
from diffing import write_profiles
from launch import good, plain, refused
from tracer.cli.main import VERBS, main

ADDS_UP = {
    "show": ["show"],
    "show --timeline": ["show", "--timeline"],
    "merge": ["merge", "-o", "merged.out"],
    "export": ["export", "--to", "json", "-o", "-"],
    "view": ["view", "--no-browser"],
    "html": ["html", "-o", "page.html"],
}
COUNTED = "is named twice, and would count twice; name it once"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("twice")
    write_profiles(path)
    (path / "link.out").symlink_to("old.out")
    (path / "hard.out").hardlink_to(path / "old.out")
    return path


def test_each_verb_of_files_is_asked():
    assert {words[0] for words in ADDS_UP.values()} == set(VERBS) - {"run", "time", "diff"}


@pytest.mark.parametrize("other", ["old.out", "./old.out", "link.out", "hard.out"])
@pytest.mark.parametrize("name", ADDS_UP)
def test_refused(folder, name, other):
    before = sorted(folder.iterdir())
    which = "" if other == "old.out" else ", which is 'old.out',"
    line = refused(*ADDS_UP[name], "old.out", other, cwd=folder)
    assert line == f"{other!r}{which} {COUNTED}"
    assert sorted(folder.iterdir()) == before


def test_the_third_name_is_as_good_as_the_second(folder):
    line = refused("show", "old.out", "new.out", "link.out", cwd=folder)
    assert line == f"'link.out', which is 'old.out', {COUNTED}"


def test_one_and_the_same_word_is_a_repeat_too(folder, capsys):
    """A caller in Python may give one string twice."""
    name = str(folder / "old.out")
    assert main(["show", name, name]) == 2
    assert capsys.readouterr().err == f"tracer: {name!r} {COUNTED}\n"


def test_a_copy_is_another_file(folder, tmp_path):
    copy = tmp_path / "copy.out"
    copy.write_bytes((folder / "old.out").read_bytes())
    assert main(["merge", "-o", str(tmp_path / "all.out"), str(folder / "old.out"), str(copy)]) == 0


@pytest.mark.parametrize("other", ["old.out", "link.out"])
def test_a_file_is_compared_with_itself(folder, tmp_path, other):
    """As the first time in CI, where the profile to compare with is the one of just now."""
    assert "There is no change of tottime." in good("diff", "old.out", other, cwd=folder)
    good("html", "--compare", "-o", tmp_path / "page.html", "old.out", other, cwd=folder)


def test_a_file_that_is_not_there_is_told_as_ever(folder):
    line = refused("show", "none.out", "none.out", cwd=folder)
    assert line.startswith("cannot read 'none.out': No such file or directory; ")


def test_the_table_of_lines_of_line_profiler(folder):
    words = ("-m", "tracer.compat.line_profiler", "marked.lprof", "./marked.lprof")
    found = plain(*words, cwd=folder)
    line = f"tracer: './marked.lprof', which is 'marked.lprof', {COUNTED}\n"
    assert (found.stdout, found.stderr.decode(), found.returncode) == (b"", line, 2)


def test_from_python_it_counts_twice_as_in_pstats(folder):
    name = str(folder / "old.out")
    once, theirs = tracer.Stats(name).total_calls, pstats.Stats(name, name, stream=io.StringIO())
    assert theirs.total_calls == 2 * once
    assert tracer.Stats(name, name).total_calls == tracer.Stats(name).add(name).total_calls
    assert tracer.Stats(name, name).total_calls == 2 * once
