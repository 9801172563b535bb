"""The exit statuses of every verb but run: 0 done, 1 grew (diff --fail-above), 2 bad input, 3 the
output failed. Of `time`, 1 is an error of the statement. Those of run are the program's."""

import os
import subprocess
import sys

import pytest

from diffing import write_profiles
from launch import environment, start, traced
from outfiles import second
from tracer.cli.main import VERBS
from tracer.exports.export import FORMATS

DAMAGED = "damaged.out"
# By verb: words that make it write to standard output, and those that make it write a file.
PRINTING = {
    "show": ["show", "old.out"],
    "show --lines": ["show", "--lines", "marked.lprof"],
    "diff": ["diff", "old.out", "old2.out"],
    "diff that grew": ["diff", "--fail-above", "0", "old.out", "new.out"],
    "diff --json": ["diff", "--json", "--fail-above", "0", "old.out", "new.out"],
    "export": ["export", "old.out", "--to", "json", "-o", "-"],
    "view": ["view", "--no-browser", "old.out"],
    "time": ["time", "-n1", "-r1", "pass"],
    "time -v": ["time", "-v", "-r1", "pass"],
    "time --profile": ["time", "-n1", "-r1", "--profile", "pass"],
    **{f"{verb} --help": [verb, "--help"] for verb in VERBS},
    "--version": ["--version"],
}
WRITING = {
    "merge": ["merge", "old.out", "new.out"],
    "html": ["html", "old.out"],
    **{
        f"export --to {name}": ["export", "old.out", "--to", name]
        for name, kind in FORMATS.items()
        if kind.needs not in ("timeline", "memory", "native")
    },
}
READING = {  # what is asked of a file
    "show": ["show", "FILE"],
    "diff": ["diff", "old.out", "FILE"],
    "diff of": ["diff", "FILE", "old.out"],
    "diff --fail-above": ["diff", "--fail-above", "0", "old.out", "FILE"],
    "merge": ["merge", "-o", "merged.out", "old.out", "FILE"],
    "export": ["export", "FILE", "--to", "json", "-o", "-"],
    "html": ["html", "-o", "page.html", "FILE"],
    "view": ["view", "--no-browser", "FILE"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("statuses")
    write_profiles(path)
    second(path / "old.out")
    # new.out grew: it lacks its end here, but no function.
    whole = (path / "new.out").read_bytes()
    (path / DAMAGED).write_bytes(whole[:-1])
    (path / "none.out").write_text("no profile\n")
    return path


def test_each_verb_is_asked():
    verbs = {words[0] for words in (*PRINTING.values(), *WRITING.values())}
    assert verbs - {"--version"} == set(VERBS)
    assert {words[0] for words in READING.values()} == set(VERBS) - {"run", "time"}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("name", PRINTING)
def test_standard_output_is_full(folder, name):
    with open("/dev/full", "wb") as full:
        found = traced(*PRINTING[name], cwd=folder, stdout=full)
    line = b"tracer: could not write to standard output: No space left on device\n"
    assert (found.returncode, found.stderr) == (3, line)


@pytest.mark.parametrize("name", [name for name in PRINTING if name != "view"])
def test_standard_output_is_closed(folder, name):
    # view without one opens the browser all the same.
    words = ["sh", "-c", 'exec "$0" -m tracer "$@" >&-', sys.executable, *PRINTING[name]]
    found = subprocess.run(words, cwd=folder, env=environment(), capture_output=True)
    more = b"; name a file after -o" if name == "export" else b""
    assert found.stderr == b"tracer: standard output is closed%s\n" % more
    assert found.returncode == 3


@pytest.mark.parametrize("name", [name for name in PRINTING if name != "view"])
def test_a_reader_that_has_gone_is_no_failure(folder, name):
    reader, writer = os.pipe()
    os.close(reader)
    with start("-m", "tracer", *PRINTING[name], cwd=folder, stdout=writer) as process:
        os.close(writer)
        _, stderr = process.communicate(timeout=300)
    grew = name in ("diff that grew", "diff --json")
    said = b"tracer: the total and 1 function grew by more than 0% in calls\n" if grew else b""
    assert (process.returncode, stderr) == (1 if grew else 0, said)


@pytest.mark.parametrize("name", WRITING)
def test_a_full_disk(folder, full_disk, name):
    (full_disk / "filler").write_text("x")
    out = full_disk / "out"
    found = traced(*WRITING[name], "-o", out, cwd=folder)
    line = f"tracer: could not write {str(out)!r}: No space left on device\n"
    assert (found.returncode, found.stderr.decode()) == (3, line)
    assert os.listdir(full_disk) == ["filler"]


@pytest.fixture
def crowded_disk(full_disk):
    """A folder without room for one more file."""
    words = ["mount", "-o", "remount,nr_inodes=1", full_disk]
    if subprocess.run(words, capture_output=True).returncode != 0:
        pytest.skip("cannot remount a tmpfs here")
    return full_disk


@pytest.mark.parametrize("name", ["merge", "html", "export --to json"])
def test_a_disk_that_takes_no_more_files(folder, crowded_disk, name):
    out = crowded_disk / "out"
    found = traced(*WRITING[name], "-o", out, cwd=folder)
    assert found.returncode == 3
    assert found.stderr.decode() == (
        f"tracer: cannot write {str(out)!r}: No space left on device; "
        "give a path that can be written after -o\n"
    )


@pytest.mark.parametrize("file", ["none.out", "missing.out"])
@pytest.mark.parametrize("name", READING)
def test_bad_input(folder, name, file):
    words = [file if word == "FILE" else word for word in READING[name]]
    found = traced(*words, cwd=folder)
    assert (found.returncode, found.stdout) == (2, b"")
    assert file.encode() in found.stderr and found.stderr.count(b"\n") == 1


@pytest.mark.parametrize("name", [name for name in READING if name != "view"])
def test_a_damaged_file(folder, name):
    words = [DAMAGED if word == "FILE" else word for word in READING[name]]
    found = traced(*words, cwd=folder)
    assert found.returncode == 2
    assert b"tracer: damaged.out: " in found.stderr


def test_growth_alone_is_1(folder):
    words = ["diff", "--fail-above", "0", "old.out", "new.out"]
    assert traced(*words, cwd=folder).returncode == 1
    assert traced("diff", "--fail-above", "900", *words[3:], cwd=folder).returncode == 0
    assert traced("diff", *words[3:], cwd=folder).returncode == 0


def test_growth_of_a_damaged_file_is_told_below_the_damage(folder):
    words = ["diff", "--fail-above", "0", "old.out", DAMAGED]
    damaged, grown = traced(*words, cwd=folder).stderr.decode().splitlines()
    assert damaged.startswith("tracer: damaged.out: ")
    assert grown == "tracer: the total and 1 function grew by more than 0% in calls"


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in ("run", "time")])
def test_an_error_of_tracers_own_is_not_1(folder, verb, monkeypatch, capsys):
    from importlib import import_module

    from tracer.cli.main import main

    module = import_module(f"tracer.cli.commands.{verb}")
    monkeypatch.setattr(module, "command", lambda argv, prog: 1 / 0)
    assert main([verb, "old.out"]) == 2
    assert capsys.readouterr().err.endswith("ZeroDivisionError: division by zero\n")


def test_the_statement_of_time_has_1_for_itself(folder):
    assert traced("time", "-n1", "-r1", "1 / 0", cwd=folder).returncode == 1
    assert traced("time", "--table", "pass", cwd=folder).returncode == 2
