"""`.lprof` files: those of every release of line_profiler are read, ours are such, and nothing else
is read.

Mutants of them by the thousand are made by tests/tools/mutate_lprof.py.
"""

import pickle
import subprocess
import sys
import types

import pytest

import tracer
from places import TESTS
from tracer.data import lprof
from tracer.data.line_timings import snapshot_of
from tracer.data.records import LINE

pytestmark = [pytest.mark.programs, pytest.mark.lines]

TOOL = TESTS / "tools" / "mutate_lprof.py"
TIMINGS = {
    ("a.py", 3, "f"): [(4, 1, 12), (5, 2**40, 2**62), (7, 3, 1.5)],
    ("caf\xe9\udcff.py", 9, "C.m"): [],
}
HOMES = ["line_profiler.line_profiler", "line_profiler._line_profiler", "_line_profiler"]


def line_stats_of(home, monkeypatch):
    """A class that pickle knows by line_profiler's name."""
    kind = type("LineStats", (), {"__module__": home})
    for name in (home.partition(".")[0], home):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[home].LineStats = kind
    return kind


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_files_of_every_release_and_protocol_are_read(home, protocol, monkeypatch):
    stats = line_stats_of(home, monkeypatch)()
    stats.timings, stats.unit = TIMINGS, 1e-6
    assert lprof.read(pickle.dumps(stats, protocol), "x") == (TIMINGS, 1e-6)


def test_files_of_python_2_are_read():
    # Made by Python 2's cPickle: texts are byte strings, the class is in the extension.
    data = (
        b"\x80\x02c_line_profiler\nLineStats\nq\x01)\x81q\x02}q\x03(U\x07timingsq\x04}q\x05U\x04a.py"
        b"q\x06K\x03U\x01fq\x07\x87q\x08]q\tK\x04K\x01\x8a\x05\x00\x00\x00\x00\x01\x87q\nasU\x04unitq\x0b"
        b"G?\xf0\x00\x00\x00\x00\x00\x00ub."
    )
    assert lprof.read(data, "x") == ({("a.py", 3, "f"): [(4, 1, 2**32)]}, 1.0)


def test_what_is_written_is_an_object_of_line_profilers_class(monkeypatch):
    kind = line_stats_of("line_profiler._line_profiler", monkeypatch)
    stats = pickle.loads(lprof.dumps(TIMINGS, 1e-9))
    assert type(stats) is kind
    assert vars(stats) == {"timings": TIMINGS, "unit": 1e-9}


def test_rows_that_are_the_same_object_are_written_apart():
    rows = [(1, 2, 3)]
    timings = {("a", 1, "f"): rows, ("a", 1, "g"): rows}
    assert lprof.read(lprof.dumps(timings, 1), "x") == (timings, 1.0)


@pytest.mark.parametrize(
    ("timings", "unit"),
    [
        ({"f": []}, 1),
        ({("a", 1, "f"): [(1, 2)]}, 1),
        ({("a", 1, "f"): [(-1, 2, 3)]}, 1),
        ({("a", 1, "f"): [(1, 2, float("nan"))]}, 1),
        ({}, 0),
        ({}, "1"),
    ],
)
def test_what_no_file_holds_is_not_written(timings, unit):
    with pytest.raises((ValueError, TypeError)):
        lprof.dumps(timings, unit)


def state(text):
    return b"\x80\x02cline_profiler.line_profiler\nLineStats\n)\x81" + text


REFUSED = {
    "empty": (b"", "empty"),
    "text": (b"hello\n", "no .lprof file"),
    "cut": (lprof.dumps(TIMINGS, 1)[:-20], "damaged"),
    "system": (b"cos\nsystem\n(S'touch hacked'\ntR.", "it names 'os.system'"),
    "eval": (
        b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x01x\x85R.",
        "it names 'builtins.eval'",
    ),
    "stack global": (b"\x80\x04K\x01K\x02\x93.", "a name is no text"),
    "instance": (b"(ios\nsystem\n.", "INST is nothing"),
    "persistent": (b"P0\n.", "PERSID is nothing"),
    "no state": (state(b"."), "ends too early"),
    "no timings": (state(b"}X\4\0\0\0unitK\1sb."), "has not the parts"),
    "timings of text": (
        state(b"}(X\4\0\0\0unitK\1X\7\0\0\0timingsX\1\0\0\0xub."),
        "it has no timings",
    ),
    "no unit": (state(b"}(X\4\0\0\0unitNX\7\0\0\0timings}ub."), "it has no unit of time"),
    "more": (state(b"}(X\4\0\0\0unitK\1X\7\0\0\0timings}X\1\0\0\0xK\1ub."), "has not the parts"),
    "itself": (state(b"}q\0X\1\0\0\0ah\0sb."), "cannot be used twice"),
    "huge text": (b"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\x7f.", "cut off or damaged"),
    "huge number": (state(b"\x8a\xff" + b"\x7f" * 255 + b"."), "too large"),
    "one more than 64 bits hold": (
        state(b"\x8a\x09" + (2**63).to_bytes(9, "little") + b"."),
        "too large",
    ),
    "long text": (state(b"X\0\0\1\0" + b"x" * 65536 + b"."), "too long"),
    "deep": (state(b"]" * 100_000 + b"a" * 99_999 + b"b."), "nested too deep"),
    "marks": (state(b"(" * 100_000 + b"."), "nested too deep"),
    "tuples": (state(b"(" + b")\x85" * 10 + b"."), "has no place here"),
    "shared": (state(b"]q\0h\0."), "cannot be used twice"),
    "no hits": (state(b"]((K\1X\1\0\0\0xK\1te."), "no timing"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_all_else_is_refused_in_one_line(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data, reason = REFUSED[case]
    with pytest.raises(tracer.ProfileFormatError, match=reason) as caught:
        lprof.read(data, "x.lprof")
    message = str(caught.value)
    assert message.startswith("x.lprof: no .lprof file, or damaged: ")
    assert message.endswith("; name a file that kernprof, line_profiler or tracer wrote")
    assert "\n" not in message
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(lprof, "LARGEST_FILE", 100)
    path = tmp_path / "x.lprof"
    lprof.write(path, TIMINGS, 1)
    with pytest.raises(tracer.ProfileFormatError, match="larger than"):
        lprof.load(path)


def test_writing_replaces_the_whole_file(tmp_path):
    path = tmp_path / "x.lprof"
    path.write_text("old")
    with pytest.raises(ValueError):
        lprof.write(path, {"f": []}, 1)
    assert path.read_text() == "old"
    lprof.write(path, TIMINGS, 1e-9)
    assert lprof.load(path) == (TIMINGS, 1e-9)
    assert list(tmp_path.iterdir()) == [path]


def test_five_thousand_mutants():
    command = [sys.executable, str(TOOL), "5000", "--seed", "2026"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    words = result.stdout.split()
    read, refused = int(words[2]), int(words[4])
    assert read + refused == 5000
    assert read > 300 and refused > 1000  # else the mutants are too tame or too wild


def test_what_a_file_does_not_tell_is_nothing():
    """A file tells no limit and no shortage, not how long recording was on, and no thread."""
    read = {("a.py", 3, "f"): [(4, 1, 12), (5, 2, 8)]}
    snapshot = snapshot_of(read, 0.5)
    lines = tracer.Lines([snapshot])
    assert (lines.measured, lines.left_out, lines.lost, lines.sources) == (0.0, 0, 0, {})
    assert [(thread["ident"], thread["native_id"]) for thread in snapshot["threads"]] == [(0, 0)]
    [function] = lines.functions
    assert [(line.line, line.hits, line.time) for line in function.lines] == [(4, 1, 6), (5, 2, 4)]


def test_what_was_past_the_limits_is_added_up():
    snapshots = [
        {**snapshot_of({}, 0.5), "measured": seconds, "left_out": left_out, "lost": lost}
        for seconds, left_out, lost in [(1.5, 2, 30), (2.5, 5, 70)]
    ]
    lines = tracer.Lines(snapshots)
    assert (lines.measured, lines.left_out, lines.lost) == (4.0, 7, 100)


def test_lines_of_two_runs_are_added_up():
    key = ("a.py", 3, "f")
    snapshots = []
    for figures in [(2, 30, 4, 5, 6, 0), (1, 20, 3, 2, 9, 0)]:
        snapshot = snapshot_of({key: []}, 0.5)
        snapshot["threads"][0]["lines"] = LINE.pack(0, 4, *figures)
        snapshots.append(snapshot)
    [function] = tracer.Lines(snapshots, raw=True).functions
    [line] = function.lines
    assert (line.hits, line.time, line.c_time, line.own) == (3, 25, 3.5, 3.5)
    assert line.suspended == 7.5
