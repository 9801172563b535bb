"""What the benchmarks that count instructions make of their counts. `make bench-core` and `make
bench-start` do the counting."""

import json

import pytest

from benching import load


@pytest.mark.parametrize(
    ("now", "then", "expected"),
    [
        ({"one": 100.0}, {"one": 100.0}, []),
        ({"one": 102.9}, {"one": 100.0}, []),
        ({"one": 103.1}, {"one": 100.0}, ["one"]),
        ({"one": 50.0, "two": 80.0}, {"one": 100.0, "two": 70.0}, ["two"]),
        ({"one": 1.0}, {}, ["one"]),
    ],
)
def test_what_has_grown(now, then, expected):
    assert load("harness.instructions").grown(now, then) == expected


def test_the_table_shows_what_has_no_record():
    table = load("pairs").RECORD.table({"one": 77.0, "two": 79.5}, {"two": 80.0})
    assert table.splitlines()[2:] == [
        "| one callee, again and again | 77.0 | - |",
        "| two callees in turn | 79.5 | 80.0 |",
    ]


@pytest.mark.parametrize(("rewrite", "expected"), [(False, 1), (True, 0)])
def test_a_growth_fails_until_it_is_recorded(tmp_path, capsys, rewrite, expected):
    path = tmp_path / "counts.json"
    path.write_text('{"here": {"one": 70.0}, "there": {"one": 1.0}}')
    record = load("harness.instructions").Record(path, "a", "b", {"one": "c"})
    assert record.tell("here", {"one": 77.0}, rewrite) == expected
    assert ("grown by more than 3%: one" in capsys.readouterr().err) is not rewrite
    assert record.tell("here", {"one": 77.0}, False) == expected
    assert json.loads(path.read_text())["there"] == {"one": 1.0}


def test_what_is_not_recorded_is_not_compared(tmp_path, capsys):
    record = load("harness.instructions").Record(tmp_path / "no", "a", "b", {"one": "c"})
    assert record.tell("here", {"one": 77.0}, False) == 0
    assert "nothing is recorded for here, so nothing was compared" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["pairs", "startup"])
def test_each_recorded_count_is_of_a_scenario(name):
    record = load(name).RECORD
    kinds = json.loads(record.path.read_text())
    assert kinds
    for counts in kinds.values():
        assert sorted(counts) == sorted(record.scenarios)
