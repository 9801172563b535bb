"""The benchmarks as scripts: their command lines, and tiny runs."""

import json
import shutil
import subprocess
import sys

import pytest

from benching import FOLDER, load, script
from tracer.exports.export import FORMATS

SCRIPTS = ["run", "events", "added", "programs", "growth", "memory"]
SCRIPTS += [
    "ends",
    "truth",
    "lines",
    "exports",
    "page",
    "timeline",
    "replay",
    "replay_heap",
    "objects",
    "timeline_page",
    "first_screen",
]


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_explains_itself(name):
    done = script(name, "--help")
    assert done.returncode == 0, done.stderr
    assert "--json FILE" in done.stdout


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_refuses_what_it_does_not_know(name):
    done = script(name, "--no-such-option")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_every_stage_is_a_script():
    for stage in load("run").STAGES:
        assert stage.script.parent == FOLDER
        assert stage.script.exists()


@pytest.fixture(scope="module")
def floor(tmp_path_factory):
    """The folder of a floor built for this interpreter."""
    source = tmp_path_factory.mktemp("source")
    for name in ("floor.c", "counter.c", "setup.py"):
        shutil.copy(FOLDER / "floor" / name, source)
    subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=source, check=True
    )
    return source


def test_the_events_are_measured_and_told(floor, tmp_path):
    file = tmp_path / "events.json"
    done = script(
        "events", "--rounds", "1", "--calls", "100", "--json", str(file), PYTHONPATH=str(floor)
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "| Python call: tracer / cProfile " in done.stdout
    found = json.loads(file.read_text())["found"]
    assert set(found["added_ns"]) == {"floor", "tracer", "tracer builtins=False", "cProfile"}
    assert all(len(kinds["method call"]) == 1 for kinds in found["seconds"].values())


def test_a_point_of_growth_is_measured_in_a_process_of_its_own(tmp_path):
    file = tmp_path / "growth.json"
    words = ["--axes", "contexts", "--largest", "1000", "--rounds", "2", "--json", str(file)]
    done = script("growth", *words)
    assert done.returncode == 0, done.stderr
    assert "| contexts: 1,000 " in done.stdout
    point = json.loads(file.read_text())["found"]["contexts"]["1000"]
    assert point["nodes"] == 511
    assert [len(point["seconds"][name]) for name in ("plain", "tracer", "cProfile")] == [2, 2, 2]


def test_the_ends_are_measured_and_told(tmp_path):
    file = tmp_path / "ends.json"
    done = script("ends", "--rounds", "1", "--functions", "100", "--json", str(file))
    assert done.returncode == 0, done.stderr
    large = json.loads(file.read_text())["found"]["tracer"]["large"]
    assert large["edges"] >= 1000
    assert 0 < large["flat"] < large["size"]


def test_exports_are_measured_and_told(tmp_path):
    file = tmp_path / "exports.json"
    done = script("exports", "--nodes", "500", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert "| speedscope " in done.stdout
    found = json.loads(file.read_text())["found"]
    drawn = {f"{name}, timeline" for name, format in FORMATS.items() if format.draws}
    of_figures = {name for name, it in FORMATS.items() if it.needs in ("functions", "paths")}
    assert set(found) == drawn | of_figures
    assert all(figure > 0 for one in found.values() for figure in one.values())


READS = """
import bench_floor, sys

def times_read(function, *arguments):
    before = bench_floor.last()
    function(*arguments)
    return bench_floor.last() != before

def nothing():
    pass

bench_floor.start()
seen = times_read(nothing)
bench_floor.stop()
print(seen, times_read(nothing), sys.getprofile())
"""


def test_the_floor_reads_a_clock_while_it_is_on(floor):
    done = subprocess.run(
        [sys.executable, "-c", READS], capture_output=True, text=True, cwd=floor, check=True
    )
    assert done.stdout.split() == ["True", "False", "None"]


RESUMES = """
import bench_floor
from functools import partial
from itertools import pairwise

read = partial(bench_floor.last)  # the floor reads no clock when this is called

def numbers():
    global inside
    for number in range(3):
        inside = read()
        yield number
        for _ in range(1000): pass  # so long that each clock goes on

bench_floor.start()
order = []
for _ in numbers():
    order = [*order, inside, read()]
    for _ in range(1000): pass
bench_floor.stop()
print(len(order), all(earlier < later for earlier, later in pairwise(order)))
"""


def test_the_floor_reads_a_clock_when_a_generator_yields_and_goes_on(floor):
    done = subprocess.run(
        [sys.executable, "-c", RESUMES], capture_output=True, text=True, cwd=floor, check=True
    )
    assert done.stdout.split() == ["6", "True"]


def test_a_program_is_measured_in_processes_of_its_own(tmp_path):
    file = tmp_path / "programs.json"
    done = script(
        "programs", "--rounds", "1", "--programs", "julia",
        "--profilers", "tracer", "cProfile", "--json", str(file),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    samples = json.loads(file.read_text())["found"]["samples"]["julia"]
    assert {name: len(several) for name, several in samples.items()} == {
        "none": 1,
        "tracer": 1,
        "cProfile": 1,
    }
    assert all(one["cpu"] > 0 for several in samples.values() for one in several)


def test_lines_are_measured_and_told(tmp_path):
    file = tmp_path / "lines.json"
    words = ["--turns", "1", "--count", "10", "--rounds", "1", "--programs", "julia"]
    done = script("lines", *words, "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert "| added to a line: tracer / line_profiler " in done.stdout
    found = json.loads(file.read_text())["found"]
    assert [name.rsplit(":", 1)[1] for name in found["functions"]["julia"]] == [
        "escape_time",
        "escape_times",
    ]
    assert found["summary"]["julia"]["slowdown"]["tracer"] > 1.0
    assert found["seconds"]["tracer"]["a line"][0] > 0
