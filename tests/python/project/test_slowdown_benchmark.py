"""benchmarks/slowdown.py: the arithmetic of its shares and counts, and a tiny run."""

import json

import pytest

from benching import load, script
from sampled import NEEDS_SAMPLES


def test_the_error_of_a_share():
    error = load("harness.sharing").error
    assert error(0.5, 2500) == pytest.approx(0.02)
    assert error(0.0, 100) == error(0.01, 100) > 0  # as of one sample, which would be seen


def test_a_function_is_off_by_what_is_beyond_the_error_of_the_reference():
    worst_off = load("harness.sharing").worst_off
    right = {"a": 0.5, "b": 0.48, "tiny": 0.02}
    assert worst_off(right, right, 2500) == 0
    assert worst_off({"a": 0.55, "b": 0.43, "tiny": 0.02}, right, 2500) == pytest.approx(
        3.002, 1e-3
    )
    assert worst_off({"a": 0.51, "b": 0.47, "tiny": 0.02}, right, 2500) == 0
    assert worst_off({"a": 0.5, "b": 0.5}, right, 1e9) == pytest.approx(2, abs=0.01)  # no tiny ones


def test_lines_are_compared_as_parts_of_large_functions():
    lines_off = load("harness.sharing").lines_off
    right = {"f": {"1": 0.1, "2": 0.1, "3": 0.2}, "small": {"1": 0.01}, "plain": {"1": 0.5}}
    assert lines_off(right, right, 1e9) == [0]
    found = lines_off({"f": {"1": 0.1, "2": 0.2, "3": 0.1}}, right, 1e9)
    assert found == pytest.approx([25], abs=0.1)
    assert lines_off({"f": {}}, right, 1e9) == pytest.approx([50], abs=0.1)
    assert lines_off({"plain": {"1": 0.5}}, right, 1e9) == []


def test_told_errors_hold_or_do_not():
    held = load("harness.sharing").held
    right, size = {"a": 0.5, "b": 0.49, "c": 0.001}, 1e9
    assert held({"a": 0.52, "b": 0.47}, {"a": 0.03, "b": 0.01}, 0.1, right, size) == (1, 2)
    assert held({"a": 0.45}, {"a": 0.1}, 0.6, right, size) == (2, 2)  # b was not seen


def test_counts_are_held_against_full_recordings_that_agree():
    counted = load("slowdown").counted
    alike = {f"f{n}": (1, True) for n in range(9)}
    full = [
        {"times": 3, "counts": {**alike, "f": (9, True), "g": (7, True), "waits": (n, True)}}
        for n in (1, 2)
    ]
    run = {"f": (9, True), "g": (8, False), "waits": (5, True), "ran": (0, True)}
    runs = {"tracer": full, "10": [{"times": 3, "counts": run}]}
    assert counted(runs, "10") == (1, 0, 1, 1)
    run["f"], run["g"] = (8, True), (7, False)
    assert counted(runs, "10") == (1, 1, 1, 0)
    for recording in full:  # now a third of the functions has two numbers
        for name in alike:
            del recording["counts"][name]
    assert counted(runs, "10") == (0, 0, 0, 0)


def test_a_cost_is_the_middle_of_pairs():
    cost = load("slowdown").cost
    assert cost([(1.0, 1.1), (2.0, 2.1), (4.0, 8.0)]) == pytest.approx(10)
    assert cost([]) is None


def test_pairs_come_after_the_profiler_has_settled():
    alternating, told = load("harness.alternating"), []
    body = lambda: sum(range(200_000))  # noqa: E731
    found = alternating.pairs_of(lambda: told.append(1), lambda: told.append(0), body, 20, 4)
    assert len(found) == 4
    assert sum(profiled for _, profiled in found) > 0
    assert len(told) > 2 * 4  # the first were to settle


def test_samples_of_pythons_own_sampler_go_to_functions(tmp_path):
    file = tmp_path / "m.py"
    file.write_text("def f():\n    def g():\n        pass\n    return g\n")
    strings = enumerate([str(file), "f.<locals>.g", "f", "<frozen runpy>", "run"])
    frames = [(0, 1, 3), (0, 2, 2), (0, 2, 4), (3, 4, 9)]
    selves = enumerate([5, 2, 1, 7])
    text = "\n".join(
        json.dumps(it)
        for it in (
            {"type": "string_table", "strings": [{"str_id": i, "value": s} for i, s in strings]},
            {
                "type": "frame_table",
                "frames": [
                    {"frame_id": i, "path_str_id": path, "func_str_id": name, "line": line}
                    for i, (path, name, line) in enumerate(frames)
                ],
            },
            {"type": "agg", "entries": [{"frame_id": i, "self": own} for i, own in selves]},
        )
    )
    found = load("harness.own_sampler").samples_in(text)
    assert found == {f"{file}:2(g)": 5, f"{file}:1(f)": 3}


@NEEDS_SAMPLES
def test_a_tiny_run(tmp_path):
    words = ["--pairs", "2", "--seconds", "0.1", "--long", "0.4", "--programs", "pool"]
    done = script("slowdown", *words, "--json", str(tmp_path / "found.json"))
    assert done.returncode == 0, done.stderr
    assert "| pool " in done.stdout
    found = json.loads((tmp_path / "found.json").read_text())
    figures = found["found"]["summary"]["pool"]
    assert figures["cost"]["tracer"] > -50
    assert figures["own"]["slowdown 10%"] >= 0
    assert [goal["limit"] for goal in found["goals"][:2]] == [10, 3]
