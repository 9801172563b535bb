"""mprof, of memory_profiler, on exports to mprof; and matplotlib, by which it draws them, as
tracer.compat.mprof does."""

import json
import re
import sys

import pytest

import tracer
from reading import PACKAGES, exported, need, run, run_package

NEEDS = "pip:memory_profiler==0.61.0 pip:matplotlib==3.11.2"

PROGRAM = """\
import time

KEPT = []


def make(size):
    KEPT.append(bytearray(size * 2**20))
    time.sleep(0.01)


def main():
    for size in (1, 2, 3):
        make(size)


main()
"""
READ = """
import json, sys
import mprof
print(json.dumps(mprof.read_mprofile_file(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def heavy(tmp_path_factory):
    script = tmp_path_factory.mktemp("mprof") / "heavy.py"
    script.write_text(PROGRAM)
    path = script.with_suffix(".out")
    run(sys.executable, "-m", "tracer", "--memory", "--timeline", "-o", str(path), str(script))
    return path


def test_it_is_read_whole(heavy):
    need(PACKAGES.exists(), "mprof")
    found = json.loads(run_package("-c", READ, str(exported(heavy, "mprof"))))
    (capture,) = tracer.Stats(heavy).captures
    points = list(capture.memory.curve())
    assert len(found["mem_usage"]) == len(found["timestamp"]) == len(points)
    assert found["cmd_line"].rstrip("\n").endswith("heavy.py")
    assert len(found["children"]["live"]) == len(points)
    levels = {name: [call[4] for call in calls] for name, calls in found["func_timestamp"].items()}
    assert levels == {"heavy.<module>": [0], "heavy.main": [1], "heavy.make": [2, 2, 2]}


def test_peak(heavy):
    need(PACKAGES.exists(), "mprof")
    path = exported(heavy, "mprof")
    first, child = run_package("-m", "mprof", "peak", str(path)).splitlines()[-2:]
    (capture,) = tracer.Stats(heavy).captures
    name, mib = first.split("\t")
    assert name == str(path)
    most = max(point.resident or point.most for point in capture.memory.curve())
    assert mib == f"{most / 2**20:.3f} MiB"
    peak = float(re.fullmatch(r"  Child live\t+([\d.]+) MiB", child)[1])
    assert peak == pytest.approx(capture.memory.peak.bytes / 2**20, rel=0.01)
    text = run_package("-m", "mprof", "peak", "--func", "heavy.make", str(path))
    assert float(text.splitlines()[-2].split("\t")[1].split()[0]) <= float(mib.split()[0])


@pytest.mark.parametrize("module", ["mprof", "tracer.compat.mprof"])
def test_matplotlib_draws_it(heavy, module):
    need((PACKAGES / "matplotlib").exists(), "matplotlib")
    path = exported(heavy, "mprof")
    picture = path.with_name(f"{module}.png")
    words = ("plot", "--backend", "agg", "-o", str(picture), str(path))
    run_package("-m", module, *words)
    assert picture.read_bytes().startswith(b"\x89PNG")
