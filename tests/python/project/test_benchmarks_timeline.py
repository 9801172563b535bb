"""The benchmarks of timelines: their goals, and a tiny run."""

import json

from benching import load, script


def timeline_figures(**others):
    """What timeline.py finds, with figures of which each goal is another one."""
    calls = {kind: {"tracer": 20.0, "tracer timeline": 25.0} for kind in load("events").KINDS}
    turns = {"none": [1.0, 3.0], "tracer": [2.0, 9.0], "thinned": [2.5, 2.25]}
    added = {
        "one": {"tracer": 1.0, "tracer timeline": 1.1, "viztracer": 2.0},
        "other": {"tracer": 1.0, "tracer timeline": 1.2, "viztracer": 1.5},
        "slow": {"tracer": 3.0, "tracer timeline": 3.9, "viztracer": 2.0},
    }
    slowdown = {"tracer": 2.0, "tracer timeline": 2.1, "viztracer": 3.0}
    summary = {
        name: {"plain": 1.0, "slowdown": slowdown, "added": one} for name, one in added.items()
    }
    return {
        "events": {"monitoring": {"full": calls, "thinned": turns, "least": 1e-6}},
        "programs": {"summary": summary},
        "bytes": {
            "one": {"slices": 100, "recorded": 500, "filed": 300},
            "other": {"slices": 100, "recorded": 540, "filed": 410},
        },
        "ranges": {"recording": 250.0, "off": 101.0},
        "exports": {
            "chrome": {"seconds": 0.9e-6, "bytes": 100.0},
            "perfetto": {"seconds": 0.5e-6, "bytes": 24.0},
        },
        **others,
    }


def test_what_a_timeline_costs_is_beside_its_goals():
    timeline = load("timeline")
    goals = {goal.name: goal for goal in timeline.goals_of(timeline_figures())}
    measured = {
        "event, monitoring: Python call": (1.25, "missed"),
        "event, monitoring: once calls are left out": (1.25, "missed"),
        "programs, median added: with a timeline / without": (1.2, "missed"),
        "programs, worst added: with a timeline / without": (1.3, "met"),
        "programs, median added: / viztracer": (0.8, "missed"),
        "programs, worst added: / viztracer, where the profile is below": (0.8, "met"),
        "bytes a call, recorded, at worst": (5.4, "missed"),
        "bytes a call, in the file, at worst": (4.1, "missed"),
        "range, ns: recording": (250.0, "met"),
        "range, ns: no profile is on": (101.0, "missed"),
        "export chrome, s a million calls": (0.9, "met"),
        "export perfetto, s a million calls": (0.5, "missed"),
        "export perfetto, bytes a call": (24.0, "met"),
    }
    assert set(measured) < set(goals)
    for name, (figure, verdict) in measured.items():
        assert (round(goals[name].measured, 6), goals[name].verdict) == (figure, verdict), name
    nothing = timeline_figures(programs={"summary": {}}, bytes={}, exports={})
    verdicts = [goal.verdict for goal in timeline.goals_of(nothing)]
    assert verdicts.count("not measured") == 6
    rows = timeline.render(timeline_figures()).splitlines()
    assert any(row.startswith("| other ") and row.endswith("|         4.1 |") for row in rows)


def test_a_long_run_is_beside_its_goals():
    replay = load("replay")
    few = {"T": 1.5, "part": 0.9e-6, "ns": 5.0, "pause": 2.0, "bins": 1.0, "bins MiB": 15.9}
    few |= {"contexts": 9, "log MiB": 44.0, "lost": 0}
    found = dict.fromkeys(replay.PARTS, few)
    found["chains"] = few | {"part": 90e-6}
    assert {goal.verdict for goal in replay.goals_of(found, True)} == {"met"}
    found["tree"] = few | {"part": 1.1e-6, "ns": 6.1, "pause": 5.1, "bins": 3.1, "bins MiB": 16.1}
    found["flat"] = few | {"lost": 1}
    missed = {goal.name for goal in replay.goals_of(found, True) if goal.verdict == "missed"}
    of_a_full_run = {"tree: T, millionths of the run", "ns a call, at worst"}
    of_a_full_run |= {"bins, % of the run, at worst"}
    of_any = {"pause, ms, at worst", "bins, MiB, at worst", "slices of T or more without room"}
    assert missed == of_a_full_run | of_any
    assert {goal.name for goal in replay.goals_of(found, False)} == of_any
    assert "| chains    |   1.5 |   9e-05 |" in replay.render(found)


def test_long_runs_need_their_player(tmp_path):
    done = script("replay", "--program", str(tmp_path / "gone"))
    assert done.returncode == 2
    assert done.stderr.endswith("gone: run it by `make bench-replay`\n")


def test_the_timeline_of_the_page_is_beside_its_goals():
    page = load("timeline_page")
    found = {"small": [(130_000, 125_000), (190_000, 175_000)], "ready": [3000.0, 4100.0, 5000.0]}
    found["frames"] = {"zoom": [16.7] * 90 + [50.0] * 10, "pan": [16.7] * 100}
    found["ranges"] = {"80.0%": [90.0, 20.0], "2.0%": [101.0, 20.0]}
    assert page.grown(found) == (10.0, 50.0)
    goals = {goal.name: (goal.measured, goal.verdict) for goal in page.goals_of(found, True)}
    assert goals == {
        "small page grows by, KB of data": (10.0, "met"),
        "small page grows by, KB": (60.0, "missed"),
        "timeline ready, s": (4.1, "missed"),
        "a frame, ms, median": (16.7, "met"),
        "a frame, ms, 95%": (50.0, "missed"),
        "statistics of a range, ms": (101.0, "missed"),
    }
    assert len(page.goals_of(found, False)) == 2


def test_a_timeline_is_measured_and_told(tmp_path):
    file = tmp_path / "timeline.json"
    words = ["--turns", "1", "--calls", "100", "--rounds", "1", "--programs", "julia"]
    done = script("timeline", *words, "--exported", "100", "--json", str(file))
    assert done.returncode == 0, done.stderr
    assert "| range, ns: no profile is on " in done.stdout
    found = json.loads(file.read_text())["found"]
    assert "setprofile" in found["events"]
    assert all(one["least"] > 0 for one in found["events"].values())
    julia = found["bytes"]["julia"]
    assert julia["is_whole"]
    assert julia["slices"] > 67_600
    assert 3 <= julia["recorded"] / julia["slices"] < 8
