"""The benchmarks' arithmetic: how a figure comes of its samples, and its goal beside it. That of
timelines is in test_benchmarks_timeline.py; test_benchmarks_run.py runs the scripts."""

import pytest

from benching import load


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


def test_what_rounds_to_nothing_has_no_sign():
    show = load("harness.report").show
    assert [show(figure, 0) for figure in (-0.4, 0.4, -0.6)] == ["0", "0", "-1"]


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


@pytest.mark.parametrize(
    ("variant", "expected"), [("tracer", 20), ("tracer in a filter", 20), ("tracer left out", 0)]
)
@pytest.mark.parametrize("kind", ["Python call", "builtin call", "method call", "yield + resume"])
def test_each_kind_of_event_is_one_pair_each_time_round(kind, variant, expected):
    from tracer import Stats

    def pairs(count):
        drive = load("harness.calls").driver(kind)
        start, stop = load("harness.profilers").PROFILERS[variant].make()
        start()
        drive(count, float)
        stop()
        stats = Stats(start.__self__)
        return stats.total_calls + sum(resumes.total for resumes in stats.resumes.values())

    assert pairs(30) - pairs(10) == expected


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
