"""What source files held when their lines were timed: edits are noticed; what is not read."""

import os

import pytest

import tracer
from launch import traced, write
from tracer.api.decorator import LineDecorator
from tracer.data import lprof
from tracer.report.lines import report
from tracer.source import checksums, statements
from tracer.source.checksums import Sources, changed, checksum

pytestmark = pytest.mark.lines

TEXT = "def work():\n    return 1\n\nwork()\n"
NOTE = b"has changed since: its lines may not be those that were timed."


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "program.py", TEXT)


def code_of(file):
    return compile(file.read_bytes(), str(file), "exec")


def sums_of(known, *files):
    """What a section has of files that lines were timed of."""
    codes = tuple((str(file), 1, "work", "work") for file in files)
    return known.beside({"codes": codes})["sources"]


def test_what_is_remembered_is_what_was_timed(file):
    known = Sources()
    before = checksum(str(file))
    known.first_lines(code_of(file))
    write(file, f"# edited\n{TEXT}")
    assert checksum(str(file)) != before
    assert sums_of(known, file) == {str(file): before}
    known.first_lines(code_of(file))
    assert sums_of(known, file) == {str(file): before}
    now = checksum(str(file))
    assert changed(str(file), [before])
    assert changed(str(file), [now, before])  # of two runs
    assert not changed(str(file), [now])


def test_the_next_recording_has_what_there_is_by_then(file):
    for text in TEXT, f"# edited\n{TEXT}":
        write(file, text)
        known = Sources()
        known.first_lines(code_of(file))
        assert sums_of(known, file) == {str(file): checksum(str(file))}


def test_files_are_read_once(file, tmp_path, monkeypatch):
    other = write(tmp_path / "other.py", TEXT * 2)
    asked = []
    monkeypatch.setattr(checksums, "checksum", lambda name: asked.append(name) or checksum(name))
    known = Sources()
    known.first_lines(code_of(file))
    first = sums_of(known, file, other, tmp_path / "none.py")
    assert list(first) == [str(file), str(other)]
    write(other, "edited = 1\n")
    write(tmp_path / "none.py", TEXT)
    assert sums_of(known, file, other, tmp_path / "none.py") == first
    assert asked == [str(other), str(tmp_path / "none.py")]


def test_what_is_in_no_file_has_no_checksum():
    known = Sources()
    known.first_lines(compile(TEXT, "<made>", "exec"))
    known.first_lines(len)
    assert sums_of(known, "<made>") == {}


def test_what_is_no_source_is_not_read(file, tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe.py")
    with open(tmp_path / "large.py", "wb") as large:
        large.truncate(64 * 2**20 + 1)
    for name in "pipe.py", "large.py", "none.py", "a\0b.py", "":
        assert checksum(name and str(tmp_path / name)) is None
    assert checksum(str(file)) is not None

    def fail(data):
        raise MemoryError

    monkeypatch.setattr(statements, "summed", fail)
    assert checksum(str(file)) is None


def test_nothing_is_read_of_what_an_lprof_file_names(file, tmp_path, monkeypatch):
    lprof.write(tmp_path / "x.lprof", {(str(file), 1, "work"): [(2, 1, 3)]}, 1e-6)
    monkeypatch.setattr(checksums, "checksum", lambda name: pytest.fail(f"{name} is read"))
    lines = tracer.Stats(tmp_path / "x.lprof").lines
    assert (lines.sources, len(lines.functions)) == ({}, 1)


@pytest.mark.parametrize("option", ["-l", "--lines"])
def test_a_program_that_edits_its_source_as_it_runs(tmp_path, option):
    code = "import sys\n@profile\ndef work():\n    return 1\nwork()\n"
    edit = "if sys.argv[1:]:\n    open(__file__, 'a').write('# edited')\n"
    write(tmp_path / "program.py", code + edit)
    for words, noted in ((), False), (("edit",), True):
        found = traced(option, "program.py", *words, cwd=tmp_path)
        assert found.stderr == b""
        assert (NOTE in found.stdout) == noted


def test_of_several_runs_each_is_looked_at(tmp_path):
    write(tmp_path / "program.py", f"@profile\n{TEXT}")
    for name in "one.out", "two.out":
        assert traced("-l", "-o", name, "program.py", cwd=tmp_path).stderr == b""
    both = ("show", "one.out", "two.out")
    assert NOTE not in traced(*both, cwd=tmp_path).stdout
    write(tmp_path / "program.py", f"@profile\n{TEXT}# edited")
    assert traced("-l", "-o", "two.out", "program.py", cwd=tmp_path).stderr == b""
    assert NOTE not in traced("show", "two.out", cwd=tmp_path).stdout
    for names in both, ("show", "two.out", "one.out"):
        assert NOTE in traced(*names, cwd=tmp_path).stdout


def test_the_decorators_own_table_tells_of_an_edit(file, tmp_path):
    decorator = LineDecorator()
    decorator.attach(None)
    space = {}
    exec(code_of(file), space)
    with decorator:
        decorator(space["work"])()
    assert NOTE.decode() not in report(decorator.lines)
    write(file, f"{TEXT}# edited")
    assert NOTE.decode() in report(decorator.lines)
    decorator.dump_stats(tmp_path / "x.out")
    assert changed(str(file), tracer.Stats(tmp_path / "x.out").lines.sources[str(file)])
