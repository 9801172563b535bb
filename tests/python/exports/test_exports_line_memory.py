"""Lines by memory in json: exact figures of a function that is known to the byte.

bytes(n) is one block of n + 33 bytes.
"""

import io
import json

import pytest

import tracer
from allocations import KEPT
from launch import traced
from tracer._core import LineRecorder
from tracer.exports.export import Export

BLOCK = 100_000 + 33
PROGRAM = """
kept = []

def keep():
    kept.append(bytes(100_000))
    bytes(200_000)

keep()
keep()
"""


pytestmark = pytest.mark.usefixtures("nothing_is_kept")


def work():
    KEPT[0] = bytes(100_000)
    KEPT[1] = bytes(100_000)
    KEPT[0] = None


def exported(capture):
    out = io.BytesIO()
    Export(tracer.Stats(capture), "json").write(out)
    return json.loads(out.getvalue())


def test_each_line_has_its_memory():
    recorder = LineRecorder("memory")
    recorder.add_code(work.__code__)
    profile = tracer.Profile(memory=True)
    with profile, recorder:
        work()
        KEPT[1] = None
        recorder.clear()
        profile.clear()
        work()
    capture = profile.capture()
    capture.memory_data["lines"] = recorder.snapshot()
    lines = exported(capture)["lines"]
    first = work.__code__.co_firstlineno
    assert [row["line"] for row in lines] == [first + 1, first + 2, first + 3]
    for row in lines:
        assert (row["file"], row["function"], row["first_line"]) == (__file__, "work", first)
        assert row["hits"] == 1
    gone = {"live_bytes": 0, "live_blocks": 0}
    assert [row["memory"]["increment_bytes"] for row in lines] == [BLOCK, BLOCK, -BLOCK]
    assert [row["memory"]["allocated_bytes"] for row in lines] == [BLOCK, BLOCK, 0]
    assert [row["memory"]["allocations"] for row in lines] == [1, 1, 0]
    assert {name: lines[0]["memory"][name] for name in gone} == gone
    assert (lines[1]["memory"]["live_bytes"], lines[1]["memory"]["live_blocks"]) == (BLOCK, 1)
    peaks = [(row["memory"]["peak_bytes"], row["memory"]["peak_blocks"]) for row in lines]
    assert peaks == [(BLOCK, 1), (BLOCK, 1), (0, 0)]


def test_the_command_writes_them(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    saved = traced("--memory", "--lines", "-o", "saved.out", "program.py", cwd=tmp_path)
    assert saved.returncode == 0, saved.stderr
    export = traced("export", "saved.out", "--to", "json", "-o", "out.json", cwd=tmp_path)
    assert export.returncode == 0, export.stderr
    lines = json.loads((tmp_path / "out.json").read_text())["lines"]
    found = {row["line"]: row for row in lines}
    assert found[5]["hits"] == found[6]["hits"] == 2
    assert found[5]["function"] == "keep"
    assert found[5]["memory"]["live_blocks"] >= 2
    assert 200_066 <= found[5]["memory"]["live_bytes"] < 210_000
    assert 400_066 <= found[6]["memory"]["allocated_bytes"] < 410_000
    assert found[6]["memory"]["live_bytes"] < 10_000


def test_without_lines_there_is_no_such_key():
    with tracer.Profile(memory=True) as profile:
        work()
    assert "lines" not in exported(profile.capture())
