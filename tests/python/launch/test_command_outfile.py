"""The FILE of -o where it is something else than a file of its own: the program, or a pipe."""

import os

import pytest

from launch import traced, write
from outfiles import assert_profile, assert_refused, files


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "program.py", "open('ran', 'w').close()\n")
    return tmp_path


@pytest.mark.parametrize("name", ["program.py", "./program.py", "link", "hard", "{folder}/link"])
def test_program_is_not_overwritten(folder, name):
    (folder / "link").symlink_to("program.py")
    (folder / "hard").hardlink_to(folder / "program.py")
    before = files(folder)
    name = name.format(folder=folder)
    found = traced("-o", name, "program.py", cwd=folder)
    assert_refused(found, f"{name!r} is the program itself; give another path after -o")
    assert files(folder) == before
    assert (folder / "program.py").read_text() == "open('ran', 'w').close()\n"


def test_other_file_beside_the_program_is_written(folder):
    write(folder / "other.py", "open('ran', 'w').close()\n")
    assert traced("-o", "other.py", "program.py", cwd=folder).returncode == 0
    assert_profile(folder / "other.py")


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no /dev/stdout")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "link"])
def test_standard_output_that_is_a_pipe(folder, name):
    (folder / "link").symlink_to("/dev/stdout")
    found = traced("-o", name, "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    assert (folder / "link").is_symlink()
    (folder / "profile.out").write_bytes(found.stdout)
    assert_profile(folder / "profile.out")


def test_pipe_is_where_the_user_stood(folder):
    os.mkfifo(folder / "pipe")
    write(folder / "program.py", "import os\nos.chdir('/')\n")
    reading = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    found = traced("-o", "pipe", "program.py", cwd=folder)
    (folder / "profile.out").write_bytes(os.read(reading, 65536))
    os.close(reading)
    assert (found.stderr, found.returncode) == (b"", 0)
    assert_profile(folder / "profile.out")
