"""Profile files: damaged, foreign and newer ones are told apart, and writing is all or nothing.

Damage by the thousand is thrown at the reader in the fuzz tests; here it is one kind at a time.
"""

import copy
import errno
import marshal
import os
import pickle
import stat
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import tracer
from rows import calls
from tracer._core import read_profile
from tracer.data.schema import check


def leaf():
    pass


def numbers():
    yield 1


def program():
    leaf()
    leaf()
    return list(numbers())


@pytest.fixture
def path(tmp_path):
    profile = tracer.Profile(builtins=False)
    profile.runcall(program)
    profile.dump_stats(tmp_path / "profile.out")
    return tmp_path / "profile.out"


def pstats_part(data):
    """How many bytes are the dict that pstats reads."""
    return len(marshal.dumps(marshal.loads(data), 4))


# -- Bad files ---------------------------------------------------------------------------------


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError):
        tracer.Stats(tmp_path / "nothing.out")


def test_a_folder(tmp_path):
    with pytest.raises(IsADirectoryError):
        tracer.Stats(tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"#!/usr/bin/env python\nprint()\n",
        b"\x7fELF" + bytes(100),
        marshal.dumps([1, 2]),
        marshal.dumps({"a": 1}),
        marshal.dumps({("f", 1, "g"): 5}),
        marshal.dumps({("f", 1, "g"): (1, 1, 0.0, 0.0)}),
        marshal.dumps({("f", 1, "g"): (1, 1, 0.0, 0.0, {"x": 1.5})}),
        marshal.dumps({("f", "1", "g"): (1, 1, 0.0, 0.0, {})}),
        marshal.dumps(program.__code__),
    ],
)
def test_a_file_that_is_no_profile(tmp_path, data):
    bad = tmp_path / "bad.out"
    bad.write_bytes(data)
    with pytest.raises(tracer.ProfileFormatError) as caught:
        tracer.Stats(bad)
    message = str(caught.value)
    assert message.startswith(f"{bad}: ")
    assert "name a file that tracer, cProfile or line_profiler wrote" in message
    assert "\n" not in message


def test_an_error_is_a_valueerror_with_a_public_name():
    assert issubclass(tracer.ProfileFormatError, ValueError)
    assert tracer.ProfileFormatError.__module__ == "tracer"


@pytest.mark.parametrize("data", [b"", b"{", b"\x80\x04."], ids=["empty", "cut off", ".lprof"])
def test_an_error_has_its_parts(tmp_path, data):
    path = tmp_path / "its"
    path.write_bytes(data)
    with pytest.raises(tracer.ProfileFormatError) as caught:
        tracer.Stats(path)
    error = caught.value
    for copied in (error, copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert copied.path == str(path)
        assert "damaged" in copied.reason and copied.remedy.startswith("name a file that ")
        assert str(copied) == f"{copied.path}: {copied.reason}; {copied.remedy}"


def test_an_error_without_all_parts():
    bare = tracer.ProfileFormatError("no good")
    assert (str(bare), bare.reason, bare.path, bare.remedy) == ("no good", "no good", None, None)
    assert str(tracer.ProfileFormatError("no good", path="a")) == "a: no good"
    assert str(tracer.ProfileFormatError("no good", remedy="go")) == "no good; go"
    for wrong in ({"path": 5}, {"remedy": b""}, {"reason": None}, {"other": ""}):
        with pytest.raises(TypeError):
            tracer.ProfileFormatError(**{"reason": "no good", **wrong})
    with pytest.raises(TypeError):
        tracer.ProfileFormatError()


@pytest.mark.parametrize("text", [False, True])
def test_an_error_of_reading_names_the_file(text):
    """The system's error names a file that cannot be opened, and not one that cannot be read."""
    if sys.platform != "linux":
        pytest.skip("/proc/self/mem, which opens and cannot be read, is there on Linux only")
    for read in (tracer.Stats, tracer.LineStats.from_files):
        with pytest.raises(OSError, match=os.strerror(errno.EIO)) as caught:
            read("/proc/self/mem" if text else Path("/proc/self/mem"))
        assert caught.value.filename == "/proc/self/mem"


def test_a_file_cut_at_any_byte(path):
    """Within the first dict it is no profile; behind it, all that pstats reads is there."""
    data = path.read_bytes()
    whole = tracer.Stats(path)
    first = pstats_part(data)
    assert 100 < first < len(data) - 100
    for size in range(len(data)):
        path.write_bytes(data[:size])
        if size < first:
            with pytest.raises(tracer.ProfileFormatError, match=r"profile\.out: "):
                tracer.Stats(path)
            continue
        stats = tracer.Stats(path)
        assert stats.stats == whole.stats
        assert (stats.captures, stats.resumes) == ([], {})
        if size == first:
            assert stats.problems == []  # the rest looks like a file of cProfile
        else:
            (problem,) = stats.problems
            assert str(path) in problem
            assert "functions and callers are all there; threads, paths, resumes, " in problem


def test_any_flipped_byte_of_our_section_is_noticed(path):
    data = path.read_bytes()
    whole = tracer.Stats(path)
    for position in range(pstats_part(data), len(data)):
        flipped = bytearray(data)
        flipped[position] ^= 0x20
        path.write_bytes(flipped)
        try:
            stats = tracer.Stats(path)
        except tracer.ProfileFormatError as error:
            assert "newer" in str(error)  # the version is in front of the checksum
        else:
            assert stats.stats == whole.stats
            assert len(stats.problems) == 1


def test_bytes_behind_a_profile_of_cprofile_are_foreign(tmp_path):
    file = tmp_path / "mixed.out"
    file.write_bytes(marshal.dumps({("f", 1, "g"): (1, 1, 0.5, 0.5, {})}) + b"something else")
    stats = tracer.Stats(file)
    assert calls(stats) == {"g": 1}
    (problem,) = stats.problems
    assert "foreign" in problem


@pytest.mark.parametrize("version", [2, 2**32 - 1])
def test_a_file_of_a_newer_format(path, version):
    data = bytearray(path.read_bytes())
    place = pstats_part(data) + 8  # behind the magic bytes; see ext/core/report/reader.h
    assert struct.unpack_from("<I", data, place) == (1,)
    struct.pack_into("<I", data, place, version)
    path.write_bytes(data)
    with pytest.raises(tracer.ProfileFormatError) as caught:
        tracer.Stats(path)
    assert caught.value.remedy == "use a newer tracer"
    assert str(caught.value) == f"{path}: {caught.value.reason}; use a newer tracer"
    assert f"at byte {place - 8}: the file has format {version} " in caught.value.reason


def test_all_of_a_file_is_read_before_any_is_believed(path, tmp_path):
    """The second of two is bad: nothing is added to the first."""
    bad = tmp_path / "bad.out"
    bad.write_bytes(b"")
    stats = tracer.Stats(path)
    before = dict(stats.stats)
    with pytest.raises(tracer.ProfileFormatError):
        stats.add(bad)
    assert stats.stats == before


# -- Writing -----------------------------------------------------------------------------------


@pytest.fixture
def capture():
    profile = tracer.Profile(builtins=False)
    profile.runcall(program)
    return profile.capture()


def test_what_is_written_is_what_was_captured(capture, tmp_path):
    run = tracer.RunInfo(("a", "ü"), 1.5, 2.5, 0.25, 0.125, 4096)
    capture.run = run
    capture.write(tmp_path / "profile.out")
    (read,) = tracer.Stats(tmp_path / "profile.out").captures
    assert read.run == run
    assert read.functions == capture.functions
    assert read.threads == capture.threads
    assert read.total_calls == capture.total_calls == 4
    assert read.figures() == capture.figures()


def test_an_old_file_is_replaced_and_keeps_its_permissions(capture, path):
    path.chmod(0o640)
    before = path.stat().st_ino
    capture.write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.stat().st_ino != before
    assert os.listdir(path.parent) == [path.name]


def test_a_new_file_has_the_permissions_of_any(capture, tmp_path):
    before = os.umask(0o027)
    try:
        capture.write(tmp_path / "profile.out")
    finally:
        assert os.umask(before) == 0o027
    assert stat.S_IMODE((tmp_path / "profile.out").stat().st_mode) == 0o640


def test_the_umask_is_left_alone(capture, tmp_path, monkeypatch):
    """The umask is the whole process's: other threads may be making files just now."""
    masks = []
    monkeypatch.setattr(os, "umask", masks.append)
    capture.write(tmp_path / "profile.out")
    assert masks == []


def test_a_private_file_is_private_all_the_while(capture, path, monkeypatch):
    modes = []

    def replace(temporary, target):
        modes.append(stat.S_IMODE(os.stat(temporary).st_mode))

    def chmod(temporary, mode):
        modes.append(stat.S_IMODE(os.stat(temporary).st_mode))
        change(temporary, mode)

    change = os.chmod
    path.chmod(0o600)
    monkeypatch.setattr(os, "chmod", chmod)
    monkeypatch.setattr(os, "replace", replace)
    before = os.umask(0)
    try:
        capture.write(path)
    finally:
        os.umask(before)
    assert modes == [0o600, 0o600]


def test_the_longest_name(capture, tmp_path):
    file = tmp_path / ("x" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    for _ in range(2):  # a new file, then an old one
        capture.write(file)
        assert tracer.Stats(file).total_calls == 4
    assert os.listdir(tmp_path) == [file.name]


def test_a_link_stays_a_link(capture, path):
    link = path.parent / "link.out"
    link.symlink_to(path)
    capture.write(link)
    assert link.is_symlink()
    assert tracer.Stats(link).total_calls == 4


@pytest.mark.parametrize("name", ["replace", "chmod", "write"])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(capture, path, monkeypatch, name):
    def fail(*words, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    data = path.read_bytes()
    monkeypatch.setattr(os, name, fail)
    with pytest.raises(OSError, match="No space left"):
        capture.write(path)
    monkeypatch.undo()
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


def test_a_write_that_is_cut_short_leaves_the_old_file(path):
    """The system itself refuses to write more than a few bytes."""
    data = path.read_bytes()
    program = (
        "import resource, signal, sys, tracer\n"
        "profile = tracer.Profile()\n"
        "profile.run('sorted([1])')\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n"
        "    profile.dump_stats(sys.argv[1])\n"
        "except OSError:\n"
        "    sys.exit(7)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(path)], timeout=300)
    assert done.returncode == 7
    assert path.read_bytes() == data
    assert os.listdir(path.parent) == [path.name]


def test_a_folder_that_is_not_there(capture, tmp_path):
    with pytest.raises(FileNotFoundError):
        capture.write(tmp_path / "nowhere" / "profile.out")


def test_a_folder_is_not_written_to(capture, tmp_path):
    with pytest.raises(IsADirectoryError):
        capture.write(tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_device_is_written_to_directly(capture):
    capture.write(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_pipe_is_written_to_directly(capture, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        capture.write(pipe)
        data = reader.communicate(timeout=300)[0]
    assert data == capture.dumps()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("kind", [str, Path, os.fsencode])
def test_an_error_names_the_path_that_was_given(capture, tmp_path, kind):
    path = kind(tmp_path / "nowhere" / "profile.out")
    for write in capture.write, tracer.Profile().dump_stats:
        with pytest.raises(FileNotFoundError) as caught:
            write(path)
        error = caught.value
        assert error.filename == os.fspath(path)
        assert (error.errno, error.strerror) == (errno.ENOENT, os.strerror(errno.ENOENT))
        assert ".tracer-" not in str(error)


def test_an_error_of_replacing_names_one_path(capture, path, monkeypatch):
    def fail(source, target):
        raise PermissionError(errno.EACCES, "Permission denied", source, None, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(PermissionError) as caught:
        capture.write(path)
    assert str(caught.value) == f"[Errno {errno.EACCES}] Permission denied: {str(path)!r}"


def test_a_path_of_bytes(capture, tmp_path):
    profile = tracer.Profile(builtins=False)
    profile.runcall(program)
    for number, write in enumerate([capture.write, profile.dump_stats]):
        path = tmp_path / f"{number}.out"
        write(os.fsencode(path))
        assert tracer.Stats(path).total_calls == 4


@pytest.mark.parametrize("value", [(-1,), (True,), ("1",), (1.0,), [1]])
def test_a_count_is_a_whole_number_from_0_on(value):
    profile = tracer.Profile()
    profile.runcall(len, "")
    section = read_profile(profile.capture().dumps())[1]
    check(section)
    with pytest.raises(ValueError, match="its section has no proper 'left_out'"):
        check({**section, "left_out": value})
