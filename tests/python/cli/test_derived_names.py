"""The file that html and export write where -o names none: it replaces a file of tracer's, and no
other."""

import os

import pytest

import tracer
from diffing import write_profiles
from launch import good, refused, traced
from tracer.cli.derived_names import ENDINGS, HEAD
from tracer.exports.export import FORMATS

UNMARKED = {"folded", "gperftools", "pstats"}  # formats that say nowhere who wrote a file
REMEDY = (
    "is there already, and does not say that tracer wrote it; name a file after -o, or replace "
    "this one with --force"
)
MINE = b"<h1>mine</h1>\n"


def made(*words, cwd):
    """The name of the file that a verb says it wrote."""
    found = traced(*words, cwd=cwd)
    *_, line = found.stderr.decode().splitlines()
    assert line.startswith("tracer: wrote ") and found.returncode == 0
    return line.removeprefix("tracer: wrote ")


@pytest.fixture
def folder(tmp_path):
    write_profiles(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "profile, page",
    [
        *((f"run{ending}", "run.html") for ending in ENDINGS),
        ("run.v1", "run.v1.html"),
        ("run.v2", "run.v2.html"),
        ("2026.11.28", "2026.11.28.html"),
        ("run", "run.html"),
        (".out", ".out.html"),
        ("a.b/run", "a.b/run.html"),
    ],
)
def test_an_ending_of_profiles_alone_is_replaced(folder, profile, page):
    (folder / "a.b").mkdir()
    (folder / "old.out").rename(folder / profile)
    assert made("html", profile, cwd=folder) == page
    assert (folder / page).read_bytes().startswith(b"<!DOCTYPE html>")


def test_a_page_that_tracer_did_not_write_stays(folder):
    page = folder / "old.html"
    page.write_bytes(MINE)
    assert refused("html", "old.out", cwd=folder) == f"'old.html' {REMEDY}"
    assert page.read_bytes() == MINE
    assert made("html", "--force", "old.out", cwd=folder) == "old.html"
    assert page.read_bytes() != MINE


def test_a_page_that_tracer_wrote_is_replaced(folder):
    good("html", "-o", "old.html", "new.out", cwd=folder)
    others = (folder / "old.html").read_bytes()
    assert made("html", "old.out", cwd=folder) == "old.html"
    assert (folder / "old.html").read_bytes() != others


@pytest.mark.parametrize("verb", [["html"], ["export", "--to=json"]])
def test_what_is_named_after_o_is_replaced(folder, verb):
    (folder / "mine.txt").write_bytes(MINE)
    good(*verb, "-o", "mine.txt", "old.out", cwd=folder)
    assert (folder / "mine.txt").read_bytes() != MINE


@pytest.mark.parametrize(
    "words",
    [["html"], ["export", "--to=json"], ["merge"], ["run"]],
    ids=lambda words: words[0],
)
def test_an_empty_name_is_none(folder, words):
    before = sorted(folder.iterdir())
    line = refused(*words, "-o", "", "old.out" if words != ["run"] else "program.py", cwd=folder)
    assert "the name is empty" in line or "no script" in line
    assert sorted(folder.iterdir()) == before


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A profile that every format can be made of."""
    path = tmp_path_factory.mktemp("whole")
    (path / "program.py").write_text("def f(n):\n    return [0] * n\nfor n in range(50): f(n)\n")
    words = ["--timeline", "--memory", "--native", "-o", "a.out", "program.py"]
    assert traced(*words, cwd=path).returncode == 0
    return path


@pytest.mark.parametrize("name", FORMATS)
def test_an_export_is_replaced_where_it_says_that_it_is_ours(whole, name):
    """Those of a format that cannot tell are replaced with --force alone."""
    kind = FORMATS[name]
    path = whole / f"a.out{kind.suffix}"
    words = ["export", "--to", name, "a.out"]
    path.write_bytes(b"mine")
    assert refused(*words, cwd=whole) == f"'{path.name}' {REMEDY}"
    assert path.read_bytes() == b"mine"
    assert made(*words, "--force", cwd=whole) == path.name
    written = path.read_bytes()
    assert bool(kind.mark) == (name not in UNMARKED)
    if name in UNMARKED:
        assert refused(*words, cwd=whole) == f"'{path.name}' {REMEDY}"
    else:
        assert kind.mark in written[:HEAD]
        assert made(*words, cwd=whole) == path.name
    path.unlink()


@pytest.mark.parametrize("held", [b"\n\x14the tracer of others", b'{"tracer": "another"}'])
@pytest.mark.parametrize("name", sorted(set(FORMATS) - UNMARKED))
def test_a_file_of_others_that_speaks_of_a_tracer_stays(whole, name, held):
    path = whole / f"a.out{FORMATS[name].suffix}"
    path.write_bytes(held)
    assert refused("export", "--to", name, "a.out", cwd=whole) == f"'{path.name}' {REMEDY}"
    assert path.read_bytes() == held
    path.unlink()


def test_the_mark_stands_near_the_start_whatever_the_title(folder):
    """A command may be long."""
    (folder / "program.py").write_text("def f(): pass\nf()\n")
    words = ["--timeline", "--memory", "-o", "a.out", "program.py", "x" * 3000]
    assert traced(*words, cwd=folder).returncode == 0
    for name in set(FORMATS) - UNMARKED:
        if FORMATS[name].needs != "native":
            for _ in range(2):
                made("export", "--to", name, "a.out", cwd=folder)
    for _ in range(2):
        made("html", "a.out", cwd=folder)


@pytest.mark.parametrize("verb", [["html"], ["export", "--to=csv"]])
def test_what_is_no_regular_file_is_not_ours(folder, verb):
    """A pipe that nobody reads would hold the command up; a link that leads nowhere is the
    user's."""
    name = folder / ("old.html" if verb == ["html"] else "old.out.csv")
    os.mkfifo(name)
    assert REMEDY in refused(*verb, "old.out", cwd=folder)
    name.unlink()
    name.symlink_to("nowhere")
    assert REMEDY in refused(*verb, "old.out", cwd=folder)
    assert name.is_symlink() and not (folder / "nowhere").exists()


def test_from_python_a_path_is_given(folder):
    """So it is replaced, like that of -o."""
    (folder / "old.html").write_bytes(MINE)
    tracer.Stats(folder / "old.out").to_html(folder / "old.html")
    assert (folder / "old.html").read_bytes() != MINE
