"""The current folder was removed before tracer started: what plain python runs there, tracer runs.

Such a folder has no name, so no relative path can be made absolute. A path through `..` still
leads out of the folder.
"""

import os
import shutil
from functools import partial

import pytest

import tracer
from launch import plain, refused, traced, write

PROBE = (
    "import os, sys\nprint(sys.argv, sys.path[0], __file__)\ndef work():\n    return 1\nwork()\n"
)


@pytest.fixture
def outside(tmp_path):
    """The folder that holds the program. The removed folder was in it."""
    write(tmp_path / "probe.py", PROBE)
    (tmp_path / "runnable").mkdir()
    write(tmp_path / "runnable/__main__.py", PROBE)
    return tmp_path


def in_removed_folder(run, outside, *words, **options):
    """Run the words in a folder that is removed before the interpreter starts."""
    folder = outside / "removed"
    folder.mkdir()
    return run(*words, cwd=folder, preexec_fn=partial(os.rmdir, folder), **options)


@pytest.mark.parametrize(
    "name", ["{}/probe.py", "../probe.py", "{}/runnable", "-", "-m tracer_toy"]
)
@pytest.mark.parametrize("options", ["-o {}/out", "--lines -o {}/out"])
def test_a_program_runs(outside, name, options):
    write(outside / "elsewhere/tracer_toy.py", PROBE)
    where = {"env": {**os.environ, "PYTHONPATH": str(outside / "elsewhere")}}
    words = [*name.format(outside).split(), "a"]
    given = {"stdin": PROBE.encode(), **where}
    expected = in_removed_folder(plain, outside, *words, **given)
    assert (expected.stderr, expected.returncode) == (b"", 0)
    found = in_removed_folder(traced, outside, *options.format(outside).split(), *words, **given)
    assert (found.stdout, found.stderr, found.returncode) == (expected.stdout, b"", 0)
    stats = tracer.Stats(str(outside / "out"))
    assert "work" in {name for _, _, name in stats.stats}


def test_lines_of_the_script_are_timed(outside):
    words = ["--lines", "-o", outside / "out", outside / "probe.py"]
    assert in_removed_folder(traced, outside, *words).returncode == 0
    lines = tracer.Stats(str(outside / "out")).lines
    assert "work" in {function.name for function in lines.functions}


def test_the_table_is_printed(outside):
    found = in_removed_folder(traced, outside, outside / "probe.py")
    assert (found.stderr, found.returncode) == (b"", 0)
    assert b"  work  probe.py:" in found.stdout


def test_profiles_are_read_and_written_there(outside):
    out, other, copied = outside / "out", outside / "other", outside / "copied"
    assert in_removed_folder(traced, outside, "-o", out, outside / "probe.py").returncode == 0
    shutil.copy(out, copied)
    for words in (
        ["show", out],
        ["diff", out, out],
        ["merge", "-o", other, out, copied],
        ["export", "--to", "csv", "-o", other, out],
        ["html", "-o", other, out],
    ):
        found = in_removed_folder(traced, outside, *words)
        assert (found.stderr, found.returncode) == (b"", 0), words


@pytest.mark.parametrize(
    "words, line",
    [
        (
            ["probe.py"],
            "no script 'probe.py', neither here nor on PATH; give a path that exists, or a module "
            "after -m",
        ),
        (
            ["-o", "out", "../probe.py"],
            "cannot write 'out': No such file or directory; give a path that can be written after "
            "-o",
        ),
        (
            ["--include", "../probe.py", "../probe.py"],
            "--include '../probe.py': the current folder was removed; give an absolute path",
        ),
        (
            ["../runnable"],
            "cannot run '../runnable': the current folder was removed; give an absolute path",
        ),
    ],
    ids=lambda value: value[-1] if isinstance(value, list) else "",
)
def test_what_cannot_run_is_refused(outside, words, line):
    assert in_removed_folder(refused, outside, *words) == line


@pytest.mark.parametrize("lines", [[], ["--lines"]], ids=["functions", "lines"])
@pytest.mark.parametrize("out", [[], ["-o", "../out"]], ids=["table", "file"])
def test_a_program_may_remove_its_folder(outside, lines, out):
    write(outside / "removing.py", f"import os\nos.rmdir(os.getcwd())\n{PROBE}")
    (outside / "removed").mkdir()
    found = traced(*lines, *out, "../removing.py", cwd=outside / "removed")
    assert (found.stderr, found.returncode) == (b"", 0)
    table = traced("show", outside / "out").stdout if out else found.stdout
    assert b"work  " in table
