"""The rules of phases in a project's pyproject.toml: a profile keeps those of when it was recorded,
--phases gives others, and a file that cannot be used is told in one line and loses nothing."""

import gzip
import json
import os
import re
import warnings
from base64 import b64decode

import pytest

import tracer
from launch import traced, write
from tracer.analysis.steps.phase_rules import rules_of

LOOP = """
import tracer

def fetch():
    sum(range(10))

def main():
    for number in range(3):
        with tracer.range("step", "step", number=number):
            fetch()

main()
"""
TABLE = "[tool.tracer.phases]\nread = ['loop.fetch']\n"
OTHER = "[tool.tracer.phases]\ntake = ['loop.fetch']\n"
BROKEN = {  # what is told of a file after its path
    "[tool": " is no TOML file: Expected ']' at the end of a table declaration",
    "[tool]\ntracer = 3\n": ": tool.tracer is no table; correct the file",
    "[tool.tracer.phases]\nread = 3\n": ": tool.tracer.phases['read'] must be a list of names,",
}


def recorded(folder, table):
    """The folder of a profile of the loop, whose project has this pyproject.toml."""
    project = folder / "project"
    project.mkdir()
    write(project / "loop.py", LOOP)
    if table is not None:
        write(project / "pyproject.toml", table)
    done = traced("--timeline", "-o", "loop.out", "loop.py", cwd=project)
    assert done.returncode == 0
    return project, done.stderr.decode()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A profile that keeps the rules of its project."""
    project, said = recorded(tmp_path_factory.mktemp("kept"), TABLE)
    assert said == ""
    return project / "loop.out"


@pytest.fixture(scope="module")
def older(kept):
    """The same profile as an older tracer wrote it."""
    (capture,) = tracer.Stats(kept).captures
    capture.project_phases = None
    capture.write(kept.parent / "older.out")
    return kept.parent / "older.out"


def phases_of(done):
    """The phases of the steps in an export as json."""
    assert (done.returncode, done.stderr) == (0, b"")
    return {name for step in json.loads(done.stdout)["steps"] for name in step["phases_ns"]}


def exported(file, folder, *words):
    return traced("export", "--to", "json", "-o", "-", str(file), *words, cwd=folder)


def page_in(file):
    """The header of the data of a page."""
    found = re.search(rb'id="data" type="text/plain">([^<]*)<', file.read_bytes())
    data = gzip.decompress(b64decode(found[1]))
    return json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])


# -- Kept ------------------------------------------------------------------------------------------


def test_a_profile_keeps_the_rules_of_its_project(kept, tmp_path):
    """Whatever stands in the folder where somebody looks."""
    assert phases_of(exported(kept, tmp_path)) == {"read"}
    write(tmp_path / "pyproject.toml", OTHER)
    assert phases_of(exported(kept, tmp_path)) == {"read"}
    (capture,) = tracer.Stats(kept).captures
    assert (capture.phases, capture.project_phases) == ({}, {"read": ("loop.fetch",)})


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_of_the_reader_harms_no_profile(kept, tmp_path, monkeypatch, text):
    write(tmp_path / "pyproject.toml", text)
    assert phases_of(exported(kept, tmp_path)) == {"read"}
    done = traced("html", str(kept), "-o", "page.html", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert page_in(tmp_path / "page.html")["profiles"][0]["steps"]["phases"] == ["read"]
    monkeypatch.chdir(tmp_path)
    tracer.Stats(kept).to_html("other.html")
    assert page_in(tmp_path / "other.html")["profiles"][0]["steps"]["phases"] == ["read"]


def test_the_project_is_that_of_the_folder_where_the_program_was_started(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    write(tmp_path / "elsewhere" / "pyproject.toml", OTHER)
    project = tmp_path / "project"
    project.mkdir()
    write(project / "pyproject.toml", TABLE)
    write(project / "loop.py", f"import os\nos.chdir({str(tmp_path / 'elsewhere')!r})\n{LOOP}")
    assert traced("--timeline", "-o", "loop.out", "loop.py", cwd=project).returncode == 0
    (capture,) = tracer.Stats(project / "loop.out").captures
    assert capture.project_phases == {"read": ("loop.fetch",)}


def test_without_a_timeline_nothing_is_kept(tmp_path):
    write(tmp_path / "pyproject.toml", "[tool")
    write(tmp_path / "loop.py", LOOP)
    done = traced("-o", "loop.out", "loop.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    (capture,) = tracer.Stats(tmp_path / "loop.out").captures
    assert capture.project_phases is None


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_file_is_told_when_a_program_is_recorded(tmp_path, text):
    project, said = recorded(tmp_path, text)
    path = project / "pyproject.toml"
    assert said.startswith(f"tracer: {path}{BROKEN[text]}")
    assert said.endswith("; the profile is kept without its phases\n") and said.count("\n") == 1
    (capture,) = tracer.Stats(project / "loop.out").captures
    assert capture.project_phases == {}
    assert capture.total_calls > 0


def test_nothing_is_lost_where_the_program_spoils_modules(tmp_path):
    write(tmp_path / "pyproject.toml", TABLE)
    spoils = "import sys\nfor name in ('tomllib', 're', 'fnmatch'): sys.modules[name] = None\n"
    write(tmp_path / "loop.py", LOOP + spoils)
    done = traced("--timeline", "-o", "loop.out", "loop.py", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    (capture,) = tracer.Stats(tmp_path / "loop.out").captures
    assert capture.project_phases is None
    assert capture.total_calls > 0


# -- In a program ----------------------------------------------------------------------------------


def fetch():
    return sum(range(10))


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "pyproject.toml"


@pytest.mark.parametrize("take", ["capture", "stats"])
def test_a_profile_in_the_program_keeps_them(project, take):
    write(project, TABLE)
    profile = tracer.Profile(timeline=True)
    profile.runcall(fetch)
    stats = tracer.Stats(profile.capture() if take == "capture" else profile)
    write(project, OTHER)
    assert rules_of(stats).own == {"read": ("loop.fetch",)}


@pytest.mark.parametrize("text", BROKEN)
def test_a_profile_in_the_program_warns_of_a_broken_file(project, text):
    write(project, text)
    profile = tracer.Profile(timeline=True)
    profile.runcall(fetch)
    with pytest.warns(RuntimeWarning, match=re.escape(f"{project}{BROKEN[text]}")) as warned:
        stats = tracer.Stats(profile)
    assert [it.filename for it in warned] == [__file__]
    assert rules_of(stats).own == {}
    assert stats.total_calls > 0


def test_steps_are_recorded_beside_a_broken_file(project):
    """One warning, and what the profiler itself was given counts."""
    write(project, "[tool")
    with pytest.warns(RuntimeWarning, match="the profile is kept without its phases") as warned:
        profiler = tracer.StepProfiler(phases={"read": ["fetch"]}).start()
    assert [it.filename for it in warned] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            fetch()
            profiler.step()
        profiler.stop()
        assert [set(step.phases) for step in profiler.stats.steps] == [{"read"}] * 2


def test_the_rules_are_those_of_when_the_steps_began(project):
    write(project, TABLE)
    with tracer.StepProfiler() as profiler:
        write(project, OTHER)
        fetch()
        profiler.step()
    (capture,) = profiler.stats.captures
    assert capture.project_phases == {"read": ("loop.fetch",)}


# -- Older profiles --------------------------------------------------------------------------------


def test_an_older_profile_has_the_rules_of_where_one_looks(older, tmp_path):
    assert phases_of(exported(older, tmp_path)) == set()
    write(tmp_path / "pyproject.toml", OTHER)
    assert phases_of(exported(older, tmp_path)) == {"take"}


@pytest.mark.parametrize("text", BROKEN)
@pytest.mark.parametrize(
    "words",
    [
        ("show", "--summary"),
        ("export", "--to", "json", "-o", "-"),
        ("html", "-o", "page.html"),
        ("view", "--no-browser"),
    ],
)
def test_a_broken_file_is_one_line_for_an_older_profile(older, tmp_path, words, text):
    write(tmp_path / "pyproject.toml", text)
    verb, *options = words
    done = traced(verb, str(older), *options, cwd=tmp_path)
    assert done.returncode == 2
    said = done.stderr.decode()
    assert said.startswith(f"tracer: {tmp_path}/pyproject.toml{BROKEN[text]}")
    assert said.count("\n") == 1
    assert not os.path.exists(tmp_path / "page.html")


# -- Others, by --phases ---------------------------------------------------------------------------


def test_phases_takes_the_place_of_what_is_kept(kept, tmp_path):
    write(tmp_path / "rules.toml", OTHER)
    words = ("--phases", "rules.toml")
    assert phases_of(exported(kept, tmp_path, *words)) == {"take"}
    done = traced("html", str(kept), "-o", "page.html", *words, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert page_in(tmp_path / "page.html")["profiles"][0]["steps"]["phases"] == ["take"]
    done = traced("show", str(kept), "--summary=model", *words, cwd=tmp_path)
    assert done.returncode == 0
    words = [line.split()[0] for line in done.stdout.decode().splitlines() if line]
    assert "take" in words and "read" not in words


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot read 'rules.toml': No such file or directory; name a TOML file"),
        (
            "[tool.tracer]\n",
            "rules.toml has no table [tool.tracer.phases]; name a file that has one",
        ),
        *((text, f"rules.toml{said}") for text, said in BROKEN.items()),
    ],
)
@pytest.mark.parametrize("words", [("show", "--summary"), ("html", "-o", "page.html")])
def test_a_file_of_phases_that_cannot_be_used(kept, tmp_path, words, text, said):
    if text is not None:
        write(tmp_path / "rules.toml", text)
    verb, *options = words
    done = traced(verb, str(kept), *options, "--phases", "rules.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"tracer: --phases: {said}")
    assert done.stderr.count(b"\n") == 1


def test_phases_are_of_steps(kept, tmp_path):
    done = traced("export", str(kept), "--to", "csv", "--phases", "x", cwd=tmp_path)
    assert done.stderr == b"tracer: --phases is of steps, which only json lists; leave it out\n"
    done = traced("show", str(kept), "--phases", "x", cwd=tmp_path)
    assert done.stderr == b"tracer: --phases is of no use without --summary; give it, too\n"
