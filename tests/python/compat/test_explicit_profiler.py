"""line_profiler's `@profile` that a program imports and an environment variable enables: where its
results go, and what it says where they cannot."""

import atexit
import re
import sys

import pytest

from launch import environment, plain, write
from tracer.compat.explicit_profiler import GlobalProfiler
from tracer.data import lprof
from tracer.launch import output


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names_in(file):
    timings, _ = lprof.load(file)
    return {name for _, _, name in timings}


def explicit(folder, code, **variables):
    write(folder / "a.py", f"from tracer.compat.line_profiler import profile\n{code}")
    result = plain("a.py", env=environment(**variables))
    return result.stdout.decode(), {path.name for path in folder.glob("*output*")}


def test_the_decorator_alone(folder):
    code = "@profile\ndef f():\n    return 1\nprint(f())\n"
    assert explicit(folder, code) == ("1\n", set())
    assert explicit(folder, code, LINE_PROFILE="0") == ("1\n", set())
    out, files = explicit(folder, code, LINE_PROFILE="1")
    assert "Wrote profile results to profile_output.lprof\n" in out
    assert files >= {"profile_output.lprof", "profile_output.txt"} and len(files) == 3
    assert names_in("profile_output.lprof") == {"f"}


def test_the_decorator_enabled_by_the_program(folder):
    one, other = "@profile\ndef f(): pass\n", "@profile\ndef g(): pass\n"
    code = f"profile.enable('my_output')\n{one}profile.disable()\n{other}"
    _, files = explicit(folder, code)
    assert "my_output.lprof" in files
    assert names_in("my_output.lprof") == {"f"}


ENABLED = "profile.enable('out/it')\n@profile\ndef f():\n    return 1\nf()\n"


def failing(folder, **variables):
    """What a program that cannot write all of out/it* prints, and says."""
    write(folder / "a.py", f"from tracer.compat.line_profiler import profile\n{ENABLED}")
    found = plain("a.py", env=environment(**variables))
    assert found.returncode == 0
    out, err = found.stdout.decode(), found.stderr.decode().splitlines()
    return [line for line in out.splitlines() if "out/it" in line or ".out" in line], err


def saved_in(folder):
    (saved,) = folder.glob("tracer-*.out")
    assert names_in(saved) == {"f"}
    return saved


def test_the_decorator_that_can_write_nothing(folder, tmp_path_factory):
    """The decorator advises to look at the file that is there, and keeps what cannot be remade."""
    spare = tmp_path_factory.mktemp("spare")
    out, err = failing(folder, TMPDIR=spare)
    saved = saved_in(spare)
    assert out == [f"{sys.executable} -m tracer.compat.line_profiler -rtmz {saved}"]
    remedy = "No such file or directory; set profile.output_prefix to one that can be written"
    assert err[0] == f"tracer: could not write 'out/it.txt': {remedy}"
    assert re.fullmatch(rf"tracer: could not write 'out/it_[-0-9T]+\.txt': {remedy}", err[1])
    assert err[2:] == [
        "tracer: could not write 'out/it.lprof': No such file or directory; "
        f"the profile is saved as {saved}"
    ]


@pytest.mark.parametrize("suffix", ["txt", "lprof"])
def test_the_decorator_that_can_write_some(folder, tmp_path_factory, suffix):
    spare = tmp_path_factory.mktemp("spare")
    (folder / "out" / f"it.{suffix}").mkdir(parents=True)
    out, err = failing(folder, TMPDIR=spare)
    assert len(err) == 1
    assert err[0].startswith(f"tracer: could not write 'out/it.{suffix}': Is a directory; ")
    written, viewed = ("out/it.lprof",) * 2 if suffix == "txt" else ("out/it.txt", saved_in(spare))
    assert f"Wrote profile results to {written}" in out
    assert sum(line.startswith("Wrote ") for line in out) == 2
    assert out[-1] == f"{sys.executable} -m tracer.compat.line_profiler -rtmz {viewed}"


def test_the_decorator_that_can_save_nothing_anywhere(folder, monkeypatch, capsys):
    monkeypatch.setattr(output, "temporary_folders", list)
    profile = GlobalProfiler(config=False)
    monkeypatch.setattr(atexit, "register", lambda function: None)
    profile.enable("out/it")
    profile.write_config.update(text=False, timestamped_text=False, stdout=False)
    profile.show()
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "tracer: could not write 'out/it.lprof': No such file or directory; "
        "nor to the temporary folder (there is none): the profile is lost\n"
    )
