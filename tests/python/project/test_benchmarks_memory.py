"""The benchmark of memory: its goals, and tiny runs."""

import json
import os
import subprocess
import sys

import pytest

from benching import FOLDER, load, script


def memory_figures(**others):
    """What memory.py finds, with figures of which each goal is another one."""
    memory = load("memory")
    samples = {
        "one": {
            "none 0": [1.0, 3.0],
            "tracer": [1.5],
            "tracer memory": [1.75, 9.0],
            "tracemalloc": [3.5],
            "none 1": [2.0],
            "memray": [3.5],
            "memray Python": [7.0],
        },
        "other": {
            "none 0": [1.0],
            "tracer": [2.0],
            "tracer memory": [2.5],
            "tracemalloc": [2.0],
            "none 1": [1.0],
            "memray": [1.25],
            "memray Python": [2.5],
        },
    }
    return {
        "summary": memory.summarize(samples),
        "counts": {"one": {"bare": 1000, "tracer": 1010}, "other": None},
        "peaks": {"one": {"tracer": 980, "memray": 1000}},
        "blocks": {"mixed": 16.0, "48": 12.0, "500": 40.0},
        "loop": {"plain": 1.0, "tracer": 2.0, "memory_profiler": 101.0},
        **others,
    }


def test_what_memory_costs_is_beside_its_goals():
    memory = load("memory")
    goals = memory.goals_of(memory_figures())
    found = {goal.name: (goal.measured, goal.verdict) for goal in goals}
    assert found == {
        "worst: calls and memory / tracemalloc": (1.25, "missed"),
        "worst: / memray with Python's allocators": (1.0, "missed"),
        "median: / memray": (1.5, "missed"),
        "worst that memory adds, of the plain time": (0.5, "missed"),
        "median that memory adds, of the plain time": (0.375, "missed"),
        "loop by line: / memory_profiler": (0.01, "met"),
        "worst count of allocations, % off": (pytest.approx(1.0), "met"),
        "worst peak, % off memray's": (pytest.approx(2.0), "missed"),
        "resident bytes of a live block, mixed": (16.0, "met"),
        "resident bytes of a live block, worst of one size": (40.0, "missed"),
    }
    rows = memory.render(memory_figures()).splitlines()
    assert "| *worst* " in "\n".join(rows)
    cells = [row.split("|") for row in rows if row.startswith("| one ")]
    assert [cell.strip() for cell in cells[0][2:-1]] == (
        ["1.000", "1.50", "1.75", "3.50", "1.75", "3.50", "0.25", "0.50", "1.00", "0.50"]
    )
    assert [cell.strip() for cell in cells[1][2:-1]] == [
        "1,000",
        "1,010",
        "1.00",
        "980",
        "1,000",
        "-2.00",
    ]


def test_what_was_not_measured_is_a_dash():
    memory = load("memory")
    samples = {"one": {"none 0": [1.0], "tracer": [1.5], "tracer memory": [1.75]}}
    nothing = {"summary": memory.summarize(samples), "counts": {}, "peaks": {}}
    nothing |= {"blocks": {}, "loop": {}}
    verdicts = [goal.verdict for goal in memory.goals_of(nothing)]
    assert verdicts.count("not measured") == 8
    assert " - |" in memory.render(nothing)


def remembered(*words):
    """What harness/remembered.py tells of programs that need no package."""
    command = [sys.executable, "-m", "harness.remembered", *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_times_are_of_all_turns():
    found = remembered("times", "julia", "1", "none", "tracer memory", "tracemalloc")
    assert {name: len(several) for name, several in found.items()} == {
        "none": 1,
        "tracer memory": 1,
        "tracemalloc": 1,
    }
    assert all(seconds > 0 for [seconds] in found.values())


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux tells resident memory")
def test_the_peak_and_the_blocks_of_a_growing_heap():
    """Of 150,000 records: a tuple, a text, a list and its items; and a number of two."""
    assert 150_000 * (64 + 54 + 56 + 16) < remembered("peak", "heap", "tracer") < 40e6
    found = remembered("resident", "mixed", "tracer memory")
    assert found["blocks"] > 4 * 150_000
    assert found["resident"] > 30e6
    assert remembered("resident", "48", "tracer")["blocks"] == 400_000


def test_a_memory_is_measured_and_told(tmp_path):
    file = tmp_path / "memory.json"
    words = ["--turns", "1", "--programs", "julia", "--only-times", "--json", str(file)]
    done = script("memory", *words)
    assert done.returncode == 0, done.stderr
    assert "| worst that memory adds, of the plain time " in done.stdout
    found = json.loads(file.read_text())["found"]
    assert found["summary"]["julia"]["slowdown"]["tracer memory"] > 0.2


def test_an_hour_of_allocations_is_beside_its_goals():
    replay = load("replay_heap")
    found = {"allocations": 10**10, "ns": 43.25, "points": 3500, "moves": 7, "looks": 360_000}
    found |= {"sites": 6404, "mapped": 2**21, "grown": 0, "of_one_site": 5, "peak": 2**40}
    found |= {"wrong": "", "epochs": 2**32, "climb_ns": 36.5, "climb_wrong": ""}
    assert {goal.verdict for goal in replay.goals_of(found)} == {"met"}
    assert "| allocations            |    10,000,000,000 |" in replay.render(found)
    for bad in ({"points": 4097}, {"grown": 4096}, {"wrong": "the peak"}, {"climb_wrong": "x"}):
        verdicts = [goal.verdict for goal in replay.goals_of(found | bad)]
        assert verdicts.count("missed") == 1
    assert "| wrong                  |          the peak |" in replay.render(
        found | {"wrong": "the peak"}
    )


def test_an_hour_needs_its_player(tmp_path):
    done = script("replay_heap", "--program", str(tmp_path / "gone"))
    assert done.returncode == 2
    assert done.stderr.endswith("gone: run it by `make bench-memory-replay`\n")


def test_a_count_of_objects_is_beside_its_goals(tmp_path):
    objects = load("objects")
    ours = {"seconds": 0.25, "bytes": 4_000_000, "counted": 10**7, "why": 0.125}
    theirs = {"seconds": 15.0, "bytes": 680_000_000, "counted": 10**7 - 1, "why": None}
    goals = objects.goals_of({"10000000": {"tracer": ours, "guppy": theirs}})
    assert [(goal.measured, goal.verdict) for goal in goals] == [
        (1, "missed"),
        (0.25, "met"),
        (4.0, "met"),
        (0.125, "met"),
    ]
    file = tmp_path / "objects.json"
    done = script("objects", "--counts", "1000", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert "counts that are wrong" in done.stdout
    assert "| 1,000   | tracer |" in done.stdout
