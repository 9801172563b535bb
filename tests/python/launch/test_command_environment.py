"""A program sees the same process under tracer as under plain python.

The same probe runs both ways, started in every way there is, and must print the same bytes.
"""

import py_compile
import shutil
import zipfile
from pathlib import Path

import pytest

from launch import environment, masked, plain, traced, write
from places import HELPERS

PROGRAMS = HELPERS / "programs"
PROBE = PROGRAMS / "probe.py"


@pytest.fixture
def folder(tmp_path):
    """A folder that holds the probe as a script, a package, a folder to run, a zip and a .pyc."""
    here = tmp_path / "here"
    for path in ("probe.py", "sub/probe.py", "package/__main__.py", "package/module.py"):
        (here / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROBE, here / path)
    write(here / "package/__init__.py", "import sys\nprint('package:', sys.argv, sys.path[0])\n")
    (here / "runnable").mkdir()
    shutil.copy(PROBE, here / "runnable/__main__.py")
    with zipfile.ZipFile(here / "archive.zip", "w") as archive:
        archive.write(PROBE, "__main__.py")
    py_compile.compile(str(PROBE), cfile=str(here / "compiled.pyc"), doraise=True)
    shutil.copy(here / "compiled.pyc", here / "compiled_without_suffix")
    shutil.copy(PROBE, here / "name with spaces.py")
    (here / "link.py").symlink_to("sub/probe.py")
    return here


def assert_same(*words, **options):
    """Plain and traced, the program prints the same bytes and ends with the same status."""
    expected = plain(*words, **options)
    found = traced("-o", "../profile.out", *words, **options)
    assert b"argv: " in expected.stdout
    assert masked(found.stdout).decode() == masked(expected.stdout).decode()
    assert (found.stderr, found.returncode) == (expected.stderr, expected.returncode)


@pytest.mark.parametrize(
    "words",
    [
        ["probe.py"],
        ["./probe.py", "one", "-o", "--sort", "--", "-m", ""],
        ["sub/../probe.py"],
        ["sub/probe.py"],
        ["link.py"],
        ["name with spaces.py", "an argument"],
        ["-m", "probe", "-x", "--help"],
        ["-m", "package", "-m"],
        ["-m", "package.module", "a"],
        ["runnable", "a"],
        ["runnable/"],
        ["archive.zip", "a"],
        ["compiled.pyc", "a"],
        ["compiled_without_suffix"],
    ],
    ids=" ".join,
)
def test_started_in_every_way(folder, words):
    assert_same(*words, cwd=folder)


def test_absolute_path(folder, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert_same(str(folder / "probe.py"), "a", cwd=elsewhere)


def test_program_on_standard_input(folder):
    assert_same("-", "a", "-b", cwd=folder, stdin=PROBE.read_bytes())


@pytest.mark.parametrize(
    "flags",
    [["-P"], ["-s"], ["-Bs"], ["-X", "dev"], ["-W", "error"], ["-O"], ["-u"], ["-X", "utf8=0"]],
    ids=" ".join,
)
@pytest.mark.parametrize("words", [["probe.py"], ["-m", "package"], ["runnable"]], ids=" ".join)
def test_options_of_the_interpreter(folder, flags, words):
    options = {"cwd": folder, "flags": flags}
    # With -P, only PYTHONPATH lets -m find the modules of this folder.
    if flags == ["-P"] and words[0] == "-m":
        options["env"] = environment(PYTHONPATH=join_path(environment(), str(folder)))
    assert_same(*words, **options)


def join_path(variables, folder):
    return ":".join(filter(None, [variables.get("PYTHONPATH"), folder]))


def test_m_joined_with_other_text(folder):
    # Only sys.orig_argv shows whether -m stands on its own.
    expected = masked(plain("-Bs", "-m", "probe", "a", cwd=folder).stdout).decode()
    plain_joined = plain("-Bsmprobe", "a", cwd=folder).stdout
    assert masked(plain_joined).decode() == expected.replace("'-Bs', '-m', 'probe'", "'-Bsmprobe'")
    for words in (["-Bsm", "tracer"], ["-Bsmtracer"]):
        words += ["-o", "../profile.out", "-mprobe", "a"]
        assert masked(plain(*words, cwd=folder).stdout).decode() == expected


def test_names_that_are_not_utf8(folder):
    name = b"caf\xe9 \xff.py"
    try:
        (Path(folder) / name.decode(errors="surrogateescape")).write_bytes(PROBE.read_bytes())
    except OSError as error:
        pytest.skip(f"this file system takes UTF-8 names only: {error}")
    assert_same(name, b"argument \xfe", cwd=folder)


def test_many_and_long_arguments(folder):
    assert_same("probe.py", *(f"argument {number}" for number in range(5000)), cwd=folder)
    assert_same("probe.py", "x" * 100_000, cwd=folder)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(tmp_path, method):
    expected = plain("-W", "ignore", PROGRAMS / "pools.py", method, cwd=tmp_path)
    assert expected.stdout == b"90 False\n"
    words = ("-W", "ignore", "-m", "tracer", "-o", "profile.out", PROGRAMS / "pools.py", method)
    found = plain(*words, cwd=tmp_path)
    assert (found.stdout, found.stderr, found.returncode) == (b"90 False\n", b"", 0)
    # Only the process that ran the command writes a file: others did the work.
    assert [path.name for path in tmp_path.iterdir()] == ["profile.out"]
    table = traced("show", "--limit=0", "profile.out", cwd=tmp_path).stdout
    assert b"(main)" in table
    assert b"(double)" not in table


def test_modules_of_the_user_do_not_take_the_place_of_ours(tmp_path):
    for name in ("pstats", "resource", "signal", "shlex", "dataclasses", "re", "io"):
        write(tmp_path / f"{name}.py", "raise SystemExit('the wrong module')\n")
    write(tmp_path / "sub/program.py", "print('run')\n")
    assert plain("sub/program.py", cwd=tmp_path).stdout == b"run\n"
    found = traced("--limit", "1", "sub/program.py", cwd=tmp_path)
    assert found.stderr == b""
    assert found.stdout.startswith(b"run\n   command  sub/program.py\n")
    assert traced("-o", "profile.out", "sub/program.py", cwd=tmp_path).stderr == b""
    assert traced("show", "profile.out", cwd=tmp_path).returncode == 0
