"""Added instructions: what of the counts becomes which figure, and the work that is counted. `make
bench-added` does the counting."""

import subprocess
import sys

import pytest

from benching import FOLDER, load
from launch import environment


def cells_of(table):
    """{first cell: the other cells} of the rows of a table."""
    lines = [line.strip("| ").split("|") for line in table.splitlines()[2:]]
    return {row.strip(): [cell.strip() for cell in cells] for row, *cells in lines}


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
        {
            "none": counts(40, 30),
            "floor": counts(640, 430),
            "tracer": counts(940, 630),
            "tracer in a filter": counts(1030, 630),
            "tracer left out": counts(45, 30),
            "tracer counting": counts(240, 30),
        }
    )
    assert costs["tracer"]["Python call"] == 900
    assert costs["floor"]["builtin call"] == 0
    rows = cells_of(added.render(costs))
    assert rows["Python call"] == ["600", "900", "1.50", "990", "1.10", "5", "200"]
    assert rows["builtin call"] == ["0", "0", "-", "0", "-", "0", "0"]
    assert rows["yield + resume"] == ["400", "600", "1.50", "600", "1.00", "0", "0"]


# By variant and what is counted of it: instructions of one.
RARE = {
    "none": {"thread": 100, "thread, a call": 110},
    "floor": {
        "thread": 200, "thread, a call": 215, "new context": 40, "expected context": 40,
        "enabling": 1000,
    },
    "tracer": {
        "thread": 300, "thread, a call": 550, "new context": 90, "expected context": 50,
        "enabling": 2000, "beside": 3000,
    },
    "tracer lines": {"enabling": 4000, "beside": 5000},
}  # fmt: skip


def test_what_is_rare_is_beyond_what_is_expected_and_the_first_call_beyond_a_plain_one():
    added = load("added")
    rows = cells_of(added.render_rare(added.cost_rare(RARE)))
    assert rows == {
        "new context, more than an expected": ["0", "40"],
        "enable + disable": ["1,000", "2,000"],
        "enable + disable, beside a Profile": ["-", "3,000"],
        "enable + disable, lines": ["-", "4,000"],
        "enable + disable, lines, beside a Profile": ["-", "5,000"],
        "first call of a thread": ["5", "240"],
    }


def test_the_floor_may_be_missing():
    added = load("added")
    counts = {variant: counted for variant, counted in RARE.items() if variant != "floor"}
    rows = cells_of(added.render_rare(added.cost_rare(counts)))
    assert {floor for floor, _ in rows.values()} == {"-"}
    assert rows["first call of a thread"] == ["-", "240"]


def test_the_counts_are_of_one():
    """A process that takes 7 instructions each time, and in its first turn 4 more, is counted."""
    added = load("added")

    def more(words, few, many):
        if "contexts" in words:
            pairs = words[-1]
            return pairs * (7 + 4 * (few == 0))
        return 7 * (many - few)

    assert added.measure(["tracer"], 500, more)["tracer"]["method call"] == 7
    counts = added.measure_rare(["none", "floor", "tracer"], 500, more)
    assert {variant: sorted(each) for variant, each in counts.items()} == {
        variant: sorted(each) for variant, each in RARE.items()
    }
    found = {what: count for each in counts.values() for what, count in each.items()}
    assert found.pop("new context") == 11
    assert set(found.values()) == {7}


def test_the_least_of_several_counts_counts(monkeypatch):
    added = load("added")
    counts = iter([120, 100, 110, 170, 190, 160])
    commands = []

    def counted(command, cwd, env):
        commands.append(command[1:])
        return next(counts)

    monkeypatch.setattr(added, "instructions", counted)
    monkeypatch.setattr(added.subprocess, "run", lambda command, **options: None)
    assert added.counter(turns=3)(["module", "word"], 5, 10) == 60
    assert commands == 3 * [["-m", "module", "word", "5"]] + 3 * [["-m", "module", "word", "10"]]


@pytest.mark.parametrize("count", [1, 2, 3, 50])
def test_each_call_of_a_turn_has_a_context_of_its_own(count):
    rare = load("harness.rare")
    stack, paths = [], []

    def noted(function):
        def enter(*arguments):
            stack.append(function.__name__)
            paths.append(tuple(stack))
            function(*arguments)
            stack.pop()

        return enter

    left, right = noted(rare.left), noted(rare.right)
    left(1, count, left, right)
    assert len(paths) == len(set(paths)) == count


@pytest.mark.parametrize(
    "words",
    [
        ("contexts", "tracer", "10", "3"),
        ("enabling", "tracer", "none", "2"),
        ("enabling", "tracer lines", "tracer", "2"),
        ("threads", "tracer", "1", "2"),
    ],
)
def test_what_is_counted_runs(words):
    done = subprocess.run(
        [sys.executable, "-m", "harness.rare", *words],
        capture_output=True, text=True, cwd=FOLDER, env=environment(),
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
