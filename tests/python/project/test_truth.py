"""benchmarks/truth.py: the arithmetic of its totals and its orders, its sampler, and a tiny run."""

import json
import shlex
import sys

import pytest

from benching import load, script

SLOW, FAST = "a.py:1(slow)", "a.py:5(fast)"


def test_what_c_functions_took_is_their_callers():
    def row(own, **callers):
        return 1, 1, own, own, {label_of[name]: (1, 1, s, s) for name, s in callers.items()}

    label_of = {"f": ("a.py", 1, "f"), "g": ("a.py", 5, "g"), "len": ("~", 0, "len")}
    rows = {"f": row(2.0), "g": row(1.0, f=1.0), "len": row(0.75, f=0.5, g=0.25)}
    stats = {label_of[name]: found for name, found in rows.items()}
    assert load("harness.ranking").own_times(stats) == {label_of["f"]: 2.5, label_of["g"]: 1.25}


def test_samples_are_the_innermost_function_below_the_base():
    text = "\n".join(
        [
            "<module> (w.py:1);load (p.py:3);fast (a.py:5) 50",
            "<module> (w.py:1);looped (w.py:9) 7",
            "<module> (w.py:1);looped (w.py:9);A.slow (a.py:1) 30",
            "<module> (w.py:1);looped (w.py:9);A.slow (a.py:1);f.<locals>.fast (a.py:5) 10",
            "looped (w.py:9);f.<locals>.fast (a.py:5) 2",
            "looped (w.py:9);<lambda> (/a b/(c).py:7) 1",
        ]
    )
    assert load("harness.ranking").samples_below(text, "looped") == {
        SLOW: 30,
        FAST: 12,
        "/a b/(c).py:7(<lambda>)": 1,
    }


def test_a_rank_correlation():
    ranking = load("harness.ranking")
    assert ranking.places([10, 30, 10, 5]) == [2.5, 1, 2.5, 4]
    correlation = ranking.rank_correlation
    assert correlation([9, 5, 1], [0.3, 0.2, 0.1]) == pytest.approx(1.0)
    assert correlation([9, 5, 1], [0.1, 0.2, 0.3]) == pytest.approx(-1.0)
    # 1 - 6 * sum of squares of the differences (0, 1, 1, 0) / (n * (n * n - 1))
    assert correlation([9, 7, 5, 1], [9, 5, 7, 1]) == pytest.approx(0.8)
    assert correlation([9], [1.0]) is correlation([9, 5], [1.0, 1.0]) is None


def test_a_pair_is_swapped_when_chance_does_not_explain_it():
    swapped = load("harness.ranking").swapped
    # The difference is more than three times the root of the sum from 122 and 78 on.
    assert swapped([122, 78], [1.0, 2.0]) == 1
    assert swapped([121, 79], [1.0, 2.0]) == 0
    assert swapped([122, 78], [2.0, 1.0]) == swapped([122, 78], [1.0, 1.0]) == 0
    assert swapped([900, 500, 100], [1.0, 2.0, 3.0]) == 3


def test_the_heaviest_are_compared():
    ranking = load("harness.ranking")
    samples = {f"f{n}": 1000 - 100 * n for n in range(9)} | {"few": 9}
    seconds = {f"f{n}": 2.0 - 0.1 * n for n in range(8)} | {"other": 5.0}
    found = ranking.compare(samples, seconds)
    assert (found["of"], found["same"], found["swapped"]) == (9, 8, 0)
    assert found["correlation"] == pytest.approx(1.0)
    assert ranking.heaviest({"a": 1, "b": 3, "c": 2}, 2) == ["b", "c"]


def traced(wall, cpu, compensated, raw):
    return {
        "wall": wall,
        "cpu": cpu,
        "compensated": {"total": compensated, "own": {SLOW: 0.5, FAST: compensated - 0.5}},
        "raw": {"total": raw, "own": {SLOW: 0.5, FAST: raw - 0.5}},
        "events": {"function": 60, "init": 0, "builtin": 30, "method": 0, "resume": 10},
        "tree": 80,
        "costs": {"function": [[0.25, 0.5], [0.125, 0.0]]},
        "taken_out": (1.0, 0.25),
    }


RUNS = {
    "plain": [{"wall": 9.0, "cpu": 3.0}, {"wall": 1.25, "cpu": 1.0}, {"wall": 1.5, "cpu": 1.25}],
    "tracer": [traced(4.0, 3.5, 1.5, 2.25), traced(2.0, 1.75, 1.375, 2.125)],
    "cProfile": [],
}


def test_a_total_is_off_by_what_it_has_beyond_the_plain_run_when_nobody_waits():
    totals = load("truth").totals(RUNS)
    assert totals["plain"] == 1.0
    # Of the quickest runs: (1.375 less 0.25 that the process did not run) / 1.0, and 1.375 / 1.25
    assert totals["off"] == {"compensated": 12.5, "raw": 87.5, "cProfile": None}
    assert totals["off by the wall"] == pytest.approx(10.0)
    assert totals["waited"] == {"plain": pytest.approx(20.0), "tracer": 12.5, "cProfile": None}


def test_what_may_explain_it():
    truth = load("truth")
    features = truth.features(RUNS)
    assert features["events"] == 100
    assert (features["parts"]["builtin"], features["parts"]["resume"]) == (30.0, 10.0)
    assert features["taken out"] == 0.0075
    assert features["not there"] == 0.0025
    assert features["right"] == 0.00875
    assert features["calibrated"] == [0.75, 0.125]
    assert truth.features({"plain": [], "tracer": [], "cProfile": []}) is None


def test_the_goals_are_of_errors_up_or_down():
    truth = load("truth")
    shorter = RUNS | {"tracer": [traced(1.0, 1.0, 0.75, 1.0)]}
    samples = {"up": {SLOW: 90, FAST: 10}, "down": None}
    summary = truth.summarize({"up": RUNS, "down": shorter}, samples)
    assert truth.errors(summary, "compensated") == [12.5, 25.0]
    measured = {goal.name: goal.measured for goal in truth.goals_of(summary)}
    assert measured == {
        "compensated total, % off: median": 18.75,
        "compensated total, % off: worst": 25.0,
    }
    # By the median of both runs, FAST has 0.9375 s, and SLOW, by far the heavier, 0.5.
    assert summary["up"]["orders"]["raw"]["correlation"] == pytest.approx(-1.0)
    assert summary["up"]["orders"]["cProfile"] is summary["down"]["orders"]["raw"] is None
    assert "| down " in truth.render_orders(summary, samples)


SAMPLER = """
import sys
if {refused}:
    sys.exit("Error: Permission Denied: look with sudo")
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    file.write("looped (w.py:9);slow (a.py:1) 30")
"""


@pytest.fixture
def sampling(tmp_path, monkeypatch):
    """The module, with a py-spy that refuses, or sees always the same."""

    def install(refused):
        program, command = tmp_path / "sampler.py", tmp_path / "py-spy"
        program.write_text(SAMPLER.format(refused=refused))
        words = shlex.join([sys.executable, str(program)])
        command.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        command.chmod(0o755)
        module = load("harness.sampling")
        monkeypatch.setattr(module.shutil, "which", lambda name, path=None: str(command))
        return module

    return install


def test_a_sampler_that_may_not_look_is_told_once(sampling, capfd):
    assert sampling(True).sampler() is None
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert "Permission Denied" in said


def test_the_sampler_is_asked(sampling, capfd):
    module = sampling(False)
    assert module.samples_of(module.sampler(), "julia", 0.1) == {SLOW: 30}
    assert capfd.readouterr().err == ""


def test_a_program_is_told_in_full(tmp_path):
    file = tmp_path / "truth.json"
    words = ["--rounds", "1", "--programs", "julia", "--seconds", "0.2", "--json", str(file)]
    done = script("truth", *words)
    assert done.returncode == 0, done.stderr
    assert "| compensated total, % off: worst " in done.stdout
    (run,) = json.loads(file.read_text())["found"]["samples"]["julia"]["tracer"]
    assert run["events"]["builtin"] > run["events"]["function"] > 260 * 260
    assert 0 < run["compensated"]["total"] < run["raw"]["total"]
    taken_out, kept = run["taken_out"]
    assert run["compensated"]["total"] + taken_out - kept == pytest.approx(run["raw"]["total"])
