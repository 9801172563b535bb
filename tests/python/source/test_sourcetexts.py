"""The source that a profile keeps, of `python -m tracer -o`."""

import os
import time

import pytest

import tracer
from launch import traced
from tracer.source import texts
from tracer.source.texts import LARGEST, decoded, is_below, texts_of

pytestmark = pytest.mark.results


def captured(path):
    (capture,) = tracer.Stats(path).captures
    return capture


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "main.py"
    path.write_text("import json, helper\nhelper.f()\njson.dumps([])\n")
    (tmp_path / "helper.py").write_text("def f(): pass\n")
    return path


def test_the_program_s_own_source_is_kept(script, tmp_path):
    traced("-o", "p.out", str(script), cwd=tmp_path)
    sources = captured(tmp_path / "p.out").sources
    assert {os.path.basename(file) for file in sources} == {"main.py", "helper.py"}
    assert sources[str(script)].data == script.read_bytes()
    assert not any(source.changed for source in sources.values())


def test_or_not(script, tmp_path):
    traced("-o", "p.out", "--no-source", str(script), cwd=tmp_path)
    assert captured(tmp_path / "p.out").sources == {}


def test_a_file_that_the_program_changes_is_told(script, tmp_path):
    script.write_text(script.read_text() + "open('helper.py', 'a').write('# more')\n")
    traced("-o", "p.out", str(script), cwd=tmp_path)
    sources = captured(tmp_path / "p.out").sources
    assert {os.path.basename(file): source.changed for file, source in sources.items()} == {
        "main.py": False,
        "helper.py": True,
    }


def test_a_file_written_just_after_the_start_bears_the_time_of_the_tick_before(tmp_path):
    started = 1_700_000_000.0
    file = tmp_path / "file.py"
    file.write_bytes(b"#")

    def changed(seconds):
        os.utime(file, (started + seconds, started + seconds))
        return texts_of([str(file)], started)[str(file)][1]

    assert [changed(seconds) for seconds in (-0.02, -0.004, 0.004)] == [False, True, True]


def test_files_that_the_user_named_are_kept(script, tmp_path):
    """Those of libraries, too: in the page they have to be read where the library is not."""
    for options, more in (
        (["--include", "json"], {"__init__.py", "decoder.py", "encoder.py", "scanner.py"}),
        (["--include", "json.encoder"], {"encoder.py"}),
        (["--include", f"{os.path.dirname(os.__file__)}/js*n/enc*"], {"encoder.py"}),
        (["--lines-of", "json.encoder"], {"main.py", "helper.py", "encoder.py"}),
    ):
        traced("-o", "p.out", *options, str(script), cwd=tmp_path)
        stats = tracer.Stats(tmp_path / "p.out")
        ran = {os.path.basename(label[0]) for label in stats.stats}
        kept = {os.path.basename(file) for file in captured(tmp_path / "p.out").sources}
        assert kept == more & ran != set()


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/a/b", "/a/b", True),
        ("/a/b", "/a/b/c.py", True),
        ("/a/b", "/a/bc.py", False),
        ("/a/*.py", "/a/b/c.py", True),
        ("/a/*.py", "/a/b/c.pyc", False),
        ("/*/b", "/a/b/c.py", True),
        ("/*/site/*", "/x/site/c.py", True),
        ("/a*a", "/a", False),
        ("/a?", "/ab", False),
    ],
)
def test_paths_are_those_of_the_focus(pattern, path, fits):
    assert is_below(path, (pattern,)) is fits


def test_the_source_of_standard_input(tmp_path):
    traced("-o", "p.out", "-", cwd=tmp_path, stdin=b"def f(): pass\nf()\n")
    assert captured(tmp_path / "p.out").sources["<stdin>"].data == b"def f(): pass\nf()\n"


def test_only_files_that_can_be_read_and_are_not_too_large(tmp_path):
    large, small, pipe = tmp_path / "large.py", tmp_path / "small.py", tmp_path / "pipe.py"
    large.write_bytes(b"#" * (LARGEST + 1))
    small.write_bytes(b"#")
    os.mkfifo(pipe)
    files = [
        str(large),
        str(small),
        str(pipe),
        str(tmp_path),
        str(tmp_path / "none.py"),
        "small.py",
    ]
    files += ["~", "<string>", os.__file__, "\0"]
    assert texts_of(files, time.time() + 60) == {str(small): (b"#", False)}


def test_there_is_room_for_so_much_text(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MOST", 20)
    files = [tmp_path / f"{size}.py" for size in (12, 9, 8)]
    for file, size in zip(files, (12, 9, 8), strict=True):
        file.write_bytes(b"#" * size)
    assert list(texts_of(map(str, files), 0.0)) == [str(files[0]), str(files[2])]


def test_a_template_is_no_source(tmp_path):
    page, script = tmp_path / "page.html", tmp_path / "script"
    page.write_text("<p>{{ text }}</p>\n")
    script.write_text("def f(): pass\n")
    assert list(texts_of([str(page), str(script)], 0.0)) == [str(script)]


def test_it_comes_back_from_a_file(tmp_path):
    capture = tracer.Profile().capture()
    assert capture.sources == {}
    capture.sources = {"a.py": tracer.data.types.SourceText(b"x", True)}
    capture.write(tmp_path / "p.out")
    assert captured(tmp_path / "p.out").sources == capture.sources


def test_without_o_there_is_nothing_to_keep(script):
    result = traced("--no-source", str(script))
    assert result.returncode == 2 and b"-o" in result.stderr


def test_source_in_any_encoding_is_text():
    text = "# -*- coding: latin-1 -*-\nname = '\u00e9'\n"
    assert decoded(text.encode("latin-1")) == text
    assert decoded(b"name = '\xff'\n") == "name = '\ufffd'\n"
    assert decoded(b"# coding: nonsense\n\xff") == "# coding: nonsense\n\ufffd"
