"""`tracer export`: where the bytes go, and what is said meanwhile: pipes, full disks, terminals."""

import os
import pty
import subprocess
import sys

import pytest

import tracer
from exporting import export, line_of, paths_by_hand, recorded, tree_of
from launch import environment, write
from natives import save
from tracer.exports.export import FORMATS, Export

pytestmark = pytest.mark.results


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a profile, and a file that is none."""
    path = tmp_path_factory.mktemp("export")
    recorded(timeline=True, memory=True).dump_stats(path / "profile.out")
    save(path / "native.out")
    write(path / "main.py", "pass\n")
    return path


def file_for(name):
    return "native.out" if FORMATS[name].needs == "native" else "profile.out"


@pytest.mark.parametrize("flags", [(), ("-u",)], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("name", FORMATS)
def test_a_reader_that_has_gone(folder, name, flags):
    reader, writer = os.pipe()
    os.close(reader)
    try:
        words = (*flags, "-m", "tracer", "export", file_for(name), "--to", name, "-o", "-")
        found = subprocess.run(
            [sys.executable, *words],
            cwd=folder,
            stdout=writer,
            stderr=subprocess.PIPE,
            env=environment(),
        )
    finally:
        os.close(writer)
    assert (found.returncode, found.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("name", FORMATS)
def test_a_full_disk(folder, name):
    file = file_for(name)
    found = export(folder, file, "--to", name, "-o", "/dev/full")
    assert line_of(found, 3) == "could not write '/dev/full': No space left on device"
    with open("/dev/full", "wb") as full:
        found = export(folder, file, "--to", name, "-o", "-", stdout=full)
    assert found.returncode == 3
    assert found.stderr == b"tracer: could not write to standard output: No space left on device\n"


def on_a_terminal(folder, *words, stdout=subprocess.PIPE):
    """What a command says when standard error, and perhaps standard output, is a terminal."""
    ours, theirs = pty.openpty()
    found = subprocess.run(
        [sys.executable, "-m", "tracer", "export", *words],
        cwd=folder,
        stdout=theirs if stdout is None else stdout,
        stderr=theirs,
        env=environment(),
    )
    os.set_blocking(ours, False)
    os.close(theirs)
    try:
        text = os.read(ours, 2**16).decode()
    except OSError:
        text = ""  # nothing was said
    os.close(ours)
    return found, text


def test_no_bytes_on_a_terminal(folder):
    for name in (name for name, format in FORMATS.items() if not format.is_text):
        found, text = on_a_terminal(folder, "profile.out", "--to", name, "-o", "-", stdout=None)
        assert found.returncode == 2
        assert text.rstrip() == (
            f"tracer: {name} is no text for a terminal; name a file after -o, or pipe the export"
        )
    found, text = on_a_terminal(folder, "profile.out", "--to", "csv", "-o", "-", stdout=None)
    assert found.returncode == 0
    assert text.startswith("name,module,file,line,")


def test_the_size_is_told_before_it_is_large(folder, monkeypatch, capsys):
    from tracer.cli.commands import export as verb

    paths = paths_by_hand(["a"], tree_of([(1, 0, 1, 5)]))
    verb.tell_size(Export(tracer.Stats(), "folded", paths=paths))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("tracer.exports.formats.folded.size", lambda paths: 3 * 2**30)
    verb.tell_size(Export(tracer.Stats(), "folded", paths=paths))
    assert capsys.readouterr().err == (
        "tracer: folded: 3,072 MiB of paths; --min 0.1 leaves out what took less than 0.1%\n"
    )
    verb.tell_size(Export(tracer.Stats(), "folded", 0.5, paths=paths))
    assert capsys.readouterr().err == "tracer: folded: 3,072 MiB of paths\n"


def test_ctrl_c_leaves_no_file(folder, tmp_path, monkeypatch, capsys):
    from tracer.cli.commands import export as verb

    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("tracer.exports.formats.folded.write", interrupted)
    words = [str(folder / "profile.out"), "--to", "folded", "-o", str(tmp_path / "out")]
    assert verb.command(words, "tracer") == 130
    assert capsys.readouterr().err == "tracer: interrupted: there is no export\n"
    assert list(tmp_path.iterdir()) == []


def test_progress_is_shown_on_a_terminal_alone(folder, monkeypatch, capsys):
    from tracer.cli import progress

    monkeypatch.setattr(progress, "FIRST", 0.0)
    monkeypatch.setattr(progress, "STEP", 0.0)
    with progress.Progress("exporting", 10) as bar:
        bar(5)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.Progress("exporting", 10) as bar:
        bar(5)
        bar(10)
    shown = capsys.readouterr().err
    assert shown == "\rtracer: exporting  50%\rtracer: exporting 100%\r\033[K"


def test_a_terminal_is_told_while_large_files_are_read(folder, monkeypatch, capsys):
    from tracer.cli import progress
    from tracer.cli.commands.show import command
    from tracer.launch.errors import UsageError

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    assert command([str(folder / "profile.out")], "tracer") == 0
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "LARGE", 1)
    assert command([str(folder / "profile.out")], "tracer") == 0
    assert capsys.readouterr().err == "\rtracer: reading 0 MB\r\033[K"
    with pytest.raises(UsageError, match="no profile"):
        command([str(folder / "main.py")], "tracer")
    assert capsys.readouterr().err == "\rtracer: reading 0 MB\r\033[K"
