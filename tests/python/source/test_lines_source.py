"""The text beside lines that were timed: what the profile holds, whatever the file holds now."""

import re

import pytest

import tracer
from launch import good, traced, write
from linetables import table

PROGRAM = """def work(numbers):
    total = 0
    for number in numbers:
        total += number  # added
    return total


work(range(1000))
"""
HELD = "this is what it held when it was profiled."
UNSURE = "has changed since: its lines may not be those that were timed."


@pytest.fixture
def file(tmp_path):
    file = write(tmp_path / "program.py", PROGRAM)
    assert traced("--lines", "-o", "profile.out", "program.py", cwd=tmp_path).returncode == 0
    return file


def texts(file, *words, name="profile.out"):
    """{line: its text} of what is shown of the lines of work()."""
    shown = good("show", "--lines", "--no-header", *words, name, cwd=file.parent)
    if words:
        return shown, dict(re.findall(r"program.py:(\d+)\(work\) +(\S.*)", shown))
    rows = shown.partition("Function: work at line 1\n")[2].partition("\nTotal time:")[0]
    return shown, {str(line): text for line, _, text in table(rows)}


RIGHT = {
    "2": "total = 0",
    "3": "for number in numbers:",
    "4": "total += number  # added",
    "5": "return total",
}
BOTH = pytest.mark.parametrize("words", [(), ("--limit=9", "--strip-dirs")], ids=["all", "limit"])
EDITS = {
    "a line more": ("# new\n" + PROGRAM, f"has changed since: {HELD}"),
    "lines less": ("pass\n", f"has changed since: {HELD}"),
    "no Python": ("<p>\n" * 9, f"has changed since: {HELD}"),
    "gone": (None, f"is gone: {HELD}"),
    "a folder": ("folder", f"is gone: {HELD}"),
}


@BOTH
def test_a_file_that_is_the_same(file, words):
    shown, found = texts(file, *words)
    assert found == RIGHT
    assert HELD not in shown and UNSURE not in shown


@BOTH
@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_is_another_by_now(file, words, edit):
    text, said = EDITS[edit]
    file.unlink()
    if text == "folder":
        file.mkdir()
    elif text is not None:
        write(file, text)
    shown, found = texts(file, *words)
    assert found == RIGHT
    assert f"{file} {said}\n" in shown
    assert not any(word in shown for word in ("Could not", "There is no", "Continuing", UNSURE))
    if words:
        assert shown.count(said) == 1


@BOTH
def test_without_the_source_it_is_the_files(file, words):
    options = ("--lines", "--no-source", "-o", "bare.out")
    assert traced(*options, "program.py", cwd=file.parent).returncode == 0
    assert texts(file, *words, name="bare.out")[1] == RIGHT
    write(file, PROGRAM.replace("added", "edited"))
    shown, found = texts(file, *words, name="bare.out")
    assert found == {**RIGHT, "4": "total += number  # edited"}
    assert f"\n{file} {UNSURE}\n" in shown
    file.unlink()
    assert f"Could not find file {file}\n" in texts(file, *words, name="bare.out")[0]


@BOTH
def test_of_two_runs_of_two_sources_neither_is_sure(file, words):
    write(file, PROGRAM.replace("added", "edited"))
    traced("--lines", "-o", "second.out", "program.py", cwd=file.parent)
    shown = good("show", "--lines", *words, "profile.out", "second.out", cwd=file.parent)
    assert UNSURE in shown and "# edited" in shown
    good("merge", "-o", "both.out", "profile.out", "second.out", cwd=file.parent)
    shown = texts(file, *words, name="both.out")[0]
    assert UNSURE in shown and "# edited" in shown


def test_a_source_that_the_program_changes_itself(tmp_path):
    file = write(tmp_path / "program.py", PROGRAM + "open(__file__, 'a').write('# more')\n")
    traced("--lines", "-o", "profile.out", "program.py", cwd=tmp_path)
    assert f"\n{file} {UNSURE}\n" in texts(file)[0]


@BOTH
def test_the_source_of_standard_input(tmp_path, words):
    traced("--lines", "-o", "profile.out", "-", cwd=tmp_path, stdin=PROGRAM.encode())
    shown = good("show", "--lines", *words, "profile.out", cwd=tmp_path)
    assert "total += number  # added\n" in shown
    assert "no file" not in shown and HELD not in shown


def test_by_its_encoding_and_with_its_form_feeds(tmp_path):
    source = "# coding: latin-1\ndef work(n):\n    a = '\xe9'\n\x0c\n    return a\nwork(1)\n"
    file = tmp_path / "program.py"
    file.write_bytes(source.replace("\n", "\r\n").encode("latin-1"))
    # Without elapsed time no line is said to have waited.
    traced("--lines", "--timer=cpu", "-o", "profile.out", "program.py", cwd=tmp_path)
    expected = texts(file)[0]
    assert "    a = '\xe9'\n" in expected and "    return a\n" in expected
    file.unlink()
    shown = texts(file)[0]
    assert shown.replace(f"\n{file} is gone: {HELD}\n", "") == expected


def test_code_that_was_made_of_a_file_has_no_text_of_it(tmp_path):
    code = "pass\\n" * 60 + "def made():\\n    return 1\\n\\nmade()\\n"
    program = f"@profile\ndef f(): pass\nf()\nexec(compile({code!r}, __file__, 'exec'))\n"
    file = write(tmp_path / "program.py", program.replace("\\\\n", "\\n"))
    traced("--lines", "-o", "profile.out", "program.py", cwd=tmp_path)
    file.unlink()
    shown = texts(file)[0]
    assert f"There is no line 62 in {file}: this code may have been made from it" in shown


def test_what_stats_has_of_it(file):
    lines = tracer.Stats(file.parent / "profile.out").lines
    assert lines.texts[str(file)].data == PROGRAM.encode()
    (capture,) = tracer.Stats(file.parent / "profile.out").captures
    assert capture.lines().texts == lines.texts
