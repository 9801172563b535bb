"""What benchmarks/core/count.py makes of its counts; the counting itself is `make bench-core`."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks" / "core"))
import count


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
    assert count.grown(now, then) == expected


def test_the_table_shows_what_has_no_record():
    assert count.table({"one": 77.0, "two": 79.5}, {"two": 80.0}).splitlines()[2:] == [
        "| one callee, again and again | 77.0 | - |",
        "| two callees in turn | 79.5 | 80.0 |",
    ]


def test_each_recorded_count_is_of_a_scenario():
    for counts in count.json.loads(count.RECORD.read_text()).values():
        assert list(counts) == sorted(count.SCENARIOS)
