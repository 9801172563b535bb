"""The benchmarks: the arithmetic of their tables, their command lines, and tiny runs."""

import json
import shutil
import subprocess
import sys

import pytest

from benching import FOLDER, load, script
from tracer.exports.export import FORMATS

SCRIPTS = ["run", "events", "added", "programs", "growth"]
SCRIPTS += ["ends", "truth", "lines", "exports", "page", "timeline", "replay", "timeline_page"]


def test_what_is_added_is_beyond_the_base_and_per_call():
    figures = load("harness.figures")
    assert figures.added(0.75, 0.25, 1000) == 0.0005
    assert figures.added(None, 0.25) is figures.added(0.75, None) is None
    assert figures.best([3.0, 1.0, 2.0]) == 1.0
    assert figures.middle([3.0, 1.0, 10.0]) == 3.0
    assert figures.best([]) is figures.middle(None) is None


def test_no_ratio_to_nothing():
    figures = load("harness.figures")
    assert figures.ratio(1.0, 4.0) == 0.25
    assert figures.ratio(1.0, 0.0) is figures.ratio(1.0, -0.1) is figures.ratio(None, 1.0) is None
    assert figures.typical([None, 1.0, 5.0, 3.0]) == 3.0
    assert figures.worst([None, 1.0, 5.0]) == 5.0
    assert figures.typical([None]) is figures.worst([]) is None


def test_each_turn_begins_with_another():
    rotated = load("harness.figures").rotated
    assert [rotated([1, 2, 3], turn) for turn in range(4)] == [
        [1, 2, 3],
        [2, 3, 1],
        [3, 1, 2],
        [1, 2, 3],
    ]


def test_a_table_shows_a_dash_for_what_is_not_known():
    report = load("harness.report")
    shown = report.table(["program", "s"], [["a", report.show(1234.567)], ["b", report.show(None)]])
    assert shown.splitlines() == [
        "| program |        s |",
        "| ------- | -------: |",
        "| a       | 1,234.57 |",
        "| b       |        - |",
    ]


def test_a_goal_is_met_at_its_limit():
    goal = load("harness.report").Goal
    verdicts = [goal("g", 0.35, measured).verdict for measured in (0.35, 0.351, None)]
    assert verdicts == ["met", "missed", "not measured"]


def test_the_cost_of_an_event_is_the_best_turn_less_the_best_base():
    events = load("events")

    def samples(*seconds):
        return {kind: list(seconds) for kind in events.KINDS}

    costs = events.cost(
        {
            "none": samples(3e-6, 1e-6),
            "floor": samples(2e-6, 5e-6),
            "tracer": samples(9e-6, 3e-6),
            "tracer builtins=False": samples(1e-6, 1e-6),
            "cProfile": samples(5e-6, 6e-6),
        },
        calls=10,
    )
    assert costs["tracer"]["Python call"] == pytest.approx(200.0)
    goals = {goal.name: goal for goal in events.goals_of(costs, "3.13")}
    assert goals["Python call: tracer / cProfile"].measured == pytest.approx(0.5)
    assert goals["Python call: tracer / cProfile"].verdict == "missed"
    assert goals["method call: tracer / floor"].measured == pytest.approx(2.0)
    assert goals["builtin call: builtins=False / cProfile"].verdict == "met"
    assert goals["yield + resume: tracer / floor"].limit == 1.40
    assert "yield + resume: tracer / cProfile" not in goals
    assert [goal.name for goal in events.goals_of(costs, "3.11")] == [
        "Python call: tracer / cProfile",
        "builtin call: tracer / cProfile",
        "method call: tracer / cProfile",
    ]


@pytest.mark.parametrize("kind", ["Python call", "builtin call", "method call", "yield + resume"])
def test_each_kind_of_event_is_one_pair_each_time_round(kind):
    from tracer import Profile, Stats

    def pairs(count):
        drive = load("harness.calls").driver(kind)
        profile = Profile()
        profile.enable()
        drive(count, float)
        profile.disable()
        stats = Stats(profile)
        return stats.total_calls + sum(resumes.total for resumes in stats.resumes.values())

    assert pairs(30) - pairs(10) == 20


def test_added_instructions_are_beyond_those_of_the_loop_alone():
    added = load("added")

    def counts(python, resume):
        return {
            "Python call": python,
            "builtin call": 50,
            "method call": 60,
            "yield + resume": resume,
        }

    costs = added.cost(
        {"none": counts(40, 30), "floor": counts(640, 430), "tracer": counts(940, 630)}
    )
    assert costs["tracer"]["Python call"] == 900
    assert costs["floor"]["builtin call"] == 0
    shown = [line.strip("| ").split("|") for line in added.render(costs).splitlines()]
    rows = {kind.strip(): [cell.strip() for cell in cells] for kind, *cells in shown}
    assert rows["Python call"] == ["600", "900", "1.50"]
    assert rows["builtin call"] == ["0", "0", "-"]
    assert rows["yield + resume"] == ["400", "600", "1.50"]


def test_the_slow_down_of_programs_is_of_the_medians():
    programs = load("programs")

    def samples(*seconds):
        return [{"cpu": one, "wall": 2 * one} for one in seconds]

    found = {
        "go": {
            "none": samples(1.0, 1.2, 0.1),
            "tracer": samples(1.5, 9.0, 1.2),
            "floor": samples(1.25),
            "cProfile": samples(3.0, 3.0, 2.9),
            "viztracer": [],
        }
    }
    figures = programs.summarize(found, "cpu")["go"]
    assert figures["plain"] == 1.0
    assert figures["slowdown"] == {"tracer": 1.5, "floor": 1.25, "cProfile": 3.0, "viztracer": None}
    assert figures["added"] == {"tracer": 0.5, "floor": 0.25, "cProfile": 2.0, "viztracer": None}
    assert programs.summarize(found, "wall")["go"]["plain"] == 2.0
    goals = {goal.name: goal for goal in programs.goals_of({"go": figures}, "3.13", "first")}
    assert goals["median added: tracer / cProfile"].measured == 0.25
    assert goals["median added: tracer / floor"].measured == 2.0
    assert goals["worst added: tracer / viztracer"].verdict == "not measured"


@pytest.mark.parametrize(
    ("chosen", "version", "limits"),
    [
        ("first", "3.11", [0.75, 1.0]),
        ("first", "3.13", [0.33, 0.60, 1.25, 1.0]),
        ("other", "3.12", [0.45, 0.55]),
        ("other", "3.14", [0.38, 0.45]),
    ],
)
def test_each_set_of_programs_has_its_goals(chosen, version, limits):
    goals = load("programs").goals_of({}, version, chosen)
    assert [goal.limit for goal in goals] == limits
    assert {goal.verdict for goal in goals} == {"not measured"}


def test_a_program_is_in_one_set_and_has_one_name():
    programs = load("harness.programs")
    assert [len(one) for one in programs.SETS.values()] == [17, 9]
    assert len(programs.PROGRAMS) == 17 + 9 + len(programs.IN_NO_SET)


def test_what_is_added_to_a_line_is_beside_line_profiler():
    lines = load("lines")
    round_ = 1e-9 * 10 * (lines.BODY + 1)  # a nanosecond a line
    samples = {
        name: {"a line": [a, 9.0], "a tiny call": [b], "a line not profiled": [c]}
        for name, a, b, c in (
            ("none", 10 * round_, 1e-6, 10 * round_),
            ("tracer", 34 * round_, 2e-6, 9 * round_),
            ("line_profiler", 250 * round_, 1e-3, 160 * round_),
        )
    }
    costs = lines.cost(samples, count=10)
    assert costs["tracer"]["a line"] == pytest.approx(24.0)
    assert costs["line_profiler"]["a tiny call"] == pytest.approx(99_900.0)
    julia = {"none": [{"cpu": 1.0}], "tracer": [{"cpu": 1.5}], "line_profiler": [{"cpu": 6.0}]}
    summary = lines.summarize({"julia": julia})
    goals = {goal.name: goal for goal in lines.goals_of(costs, summary, "3.13")}
    found = [round(goal.measured, 4) for goal in goals.values()]
    assert found == [0.1, 0.001, -0.0067, 0.25, 0.1]
    assert {goal.verdict for goal in goals.values()} == {"met"}
    assert len(lines.goals_of(costs, summary, "3.11")) == 3
    alone = {name: samples[name] for name in ("none", "tracer")}
    goals = lines.goals_of(lines.cost(alone, 10), lines.summarize({}), "3.13")
    assert {goal.verdict for goal in goals} == {"not measured"}


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


def test_long_first_calls_are_bursts_when_they_are_apart():
    growth = load("growth")
    short, long = growth.BURST, growth.BURST + 1

    def taken(*places):
        return [long if place in places else short for place in range(1000)]

    assert growth.bursts([]) == growth.bursts(taken()) == 0
    assert growth.bursts(taken(0)) == growth.bursts(taken(999)) == 1
    assert growth.bursts(taken(0, 1, 50)) == 1
    assert growth.bursts(taken(300, 400, 500)) == 1
    assert growth.bursts(taken(300, 401)) == 2


def test_the_growth_of_100_000_functions_has_a_goal():
    growth = load("growth")
    seconds = {"plain": [1.0], "floor": [2.0], "tracer": [4.0, 3.0], "cProfile": [5.0]}
    point = {"calls": 10, "nodes": 10, "bytes": 0, "seconds": seconds}
    found = {"functions": {30_000: {**point, "bursts": 9}, 100_000: {**point, "bursts": 3}}}
    goals = {goal.name: goal for goal in growth.goals_of(found)}
    assert goals["100,000 functions: bursts of rehashing"].verdict == "met"
    assert goals["functions: last / the one before"].measured == 1.0
    few = {"functions": {10: {**point, "bursts": 0}}}
    assert growth.goals_of(few) == []
    trees = {"edges": {100_000: {**point, "nodes": 100_000, "bytes": 13_000_000}}}
    assert [(goal.name, goal.verdict) for goal in growth.goals_of(trees)] == [
        ("bytes a node", "missed")
    ]
    rows = growth.render(found).splitlines()
    assert rows[0].endswith("| bursts |")
    assert rows[-1].endswith("|      3 |")


@pytest.mark.parametrize(
    ("axis", "count"),
    [
        ("functions", 50),
        ("edges", 100),
        ("depth", 40),
        ("contexts", 64),
        ("threads", 3),
        ("events", 2000),
    ],
)
def test_growing_programs_make_the_calls_they_say(axis, count, monkeypatch):
    from tracer import Profile

    growing = load("harness.growing")
    monkeypatch.setattr(growing, "ENOUGH", 1000)
    work = getattr(growing, axis)(count)
    profile = Profile(builtins=False)
    profile.enable()
    work.run()
    profile.disable()
    profile.snapshot_stats()
    ours = ("growing.py", "<string>")
    assert sum(row[1] for label, row in profile.stats.items() if label[0] in ours) == work.calls


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
    for name in ("floor.c", "setup.py"):
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
    assert set(found) == drawn | {n for n, it in FORMATS.items() if it.needs != "timeline"}
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
