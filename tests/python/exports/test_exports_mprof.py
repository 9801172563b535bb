"""mprof: memory over time, as `mprof plot` and `mprof peak` read it."""

import re
import time

import pytest

import tracer
from exporting import recorded
from launch import good, plain, traced, write
from tracer.exports.formats import mprof
from tracer.exports.formats.mprof import Call, leveled

MIB = 2**20
PROGRAM = """\
import time

KEPT = []


def make():
    KEPT.append(bytearray(b"x") * (3 * 2**20))
    time.sleep(0.01)


def main():
    make()
    make()
    KEPT.clear()
    time.sleep(0.01)


main()
"""
MEM = re.compile(r"MEM (\d+\.\d{6}) (\d+\.\d{4})")
LIVE = re.compile(r"CHLD live (\d+\.\d{6}) (\d+\.\d{4})")
FUNC = re.compile(r"FUNC (\S+) ([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) (\d+)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("mprof")
    write(path / "program.py", PROGRAM)
    good("--memory", "-o", "memory.out", "program.py", cwd=path)
    good("--memory", "--timeline", "-o", "both.out", "program.py", cwd=path)
    good("--timeline", "-o", "neither.out", "program.py", cwd=path)
    return path


def exported(folder, *words):
    found = traced("export", *words, "--to", "mprof", "-o", "-", cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    return found.stdout.decode().splitlines()


def matches(pattern, lines):
    return [match.groups() for match in map(pattern.fullmatch, lines) if match]


@pytest.mark.parametrize("file", ["memory.out", "both.out"])
def test_the_curve(folder, file):
    started = time.time()
    lines = exported(folder, file)
    assert lines[0] == "CMDLINE program.py"
    used, live = matches(MEM, lines), matches(LIVE, lines)
    assert len(used) == len(live) > 2
    assert len(lines) == 1 + 2 * len(used) + len(matches(FUNC, lines))
    assert [at for _, at in used] == [at for _, at in live]
    moments = [float(at) for _, at in used]
    assert moments == sorted(moments)
    assert started - 3600 < moments[0] <= started + 1
    (capture,) = tracer.Stats(folder / file).captures
    assert abs(moments[0] - capture.run.started) < 60
    peak = max(float(mib) for mib, _ in live)
    assert peak == pytest.approx(capture.memory.peak.bytes / MIB, rel=0.01)
    assert 6 <= peak < 7
    if capture.memory.resident:
        assert max(float(mib) for mib, _ in used) <= capture.memory.resident / MIB + 1e-6


def test_calls_of_a_timeline(folder):
    assert not matches(FUNC, exported(folder, "memory.out"))
    calls = matches(FUNC, exported(folder, "both.out"))
    assert [(name, level) for name, *_, level in calls] == [
        ("program.<module>", "0"),
        ("program.main", "1"),
        ("program.make", "2"),
        ("program.make", "2"),
    ]
    starts = [float(start) for _, _, start, _, _, _ in calls]
    ends = [float(end) for _, _, _, _, end, _ in calls]
    assert starts == sorted(starts)
    assert ends[2] <= starts[3] < ends[3] <= ends[1] <= ends[0]
    if tracer.Stats(folder / "both.out").captures[0].memory.resident:
        for _, before, _, after, _, _ in calls[2:]:
            assert float(after) - float(before) > 1  # of the 3 MiB, which are written to


def test_several_runs(folder):
    lines = exported(folder, "both.out", "memory.out")
    once = [len(matches(MEM, exported(folder, file))) for file in ("both.out", "memory.out")]
    assert len(matches(MEM, lines)) == sum(once)
    moments = [float(at) for _, at in matches(MEM, lines)]
    assert moments == sorted(moments)


def test_without_memory(folder):
    found = traced("export", "neither.out", "--to", "mprof", cwd=folder)
    sentence = b"no memory was recorded: give --memory, or memory=True, when you record"
    assert (found.returncode, found.stderr) == (2, b"tracer: neither.out: " + sentence + b"\n")
    with pytest.raises(ValueError, match="no memory was recorded"):
        tracer.Stats(folder / "neither.out").export("mprof", folder / "out.dat")


def test_a_profile_of_no_command(tmp_path):
    tracer.Stats(recorded(memory=True)).export("mprof", tmp_path / "out.dat")
    lines = (tmp_path / "out.dat").read_text().splitlines()
    assert lines[0] == "CMDLINE out.dat"
    (_, at), *_ = matches(MEM, lines)
    assert abs(float(at) - time.time()) < 3600


def test_levels():
    calls = [Call(0, 10, 20, 3), Call(0, 0, 100, 1), Call(1, 5, 50, 1), Call(0, 20, 30, 3)]
    calls.append(Call(0, 10, 90, 2))
    assert [(call.row, level) for call, level in leveled(calls)] == [
        (1, 0),
        (1, 0),
        (2, 1),
        (3, 2),
        (3, 2),
    ]


def test_the_longest_calls_are_marked(folder, monkeypatch):
    monkeypatch.setattr(mprof, "SPANS", 2)
    stats = tracer.Stats(folder / "both.out")
    assert [(span.name, span.level) for span in mprof.spans_of(stats)] == [
        ("program.<module>", 0),
        ("program.main", 1),
    ]


RENAMED = """
names = {"co_name": "a b"}
if hasattr(make.__code__, "co_qualname"):
    names["co_qualname"] = "a b"
make.__code__ = make.__code__.replace(**names)
make()
"""


def test_a_name_with_blanks_is_one_word(tmp_path):
    write(tmp_path / "program.py", PROGRAM + RENAMED)
    good("--memory", "--timeline", "-o", "out", "program.py", cwd=tmp_path)
    calls = matches(FUNC, exported(tmp_path, "out"))
    assert "program.a_b" in {name for name, *_ in calls}


def test_the_help_names_it():
    text = plain("-m", "tracer", "export", "--help").stdout.decode()
    assert "mprof plot, mprof peak: memory over time" in text
