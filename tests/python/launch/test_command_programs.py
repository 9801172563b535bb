"""The programs of benchmarks/programs: what they print under tracer, and known numbers of calls."""

import pstats
from pathlib import Path
from shutil import copy

import pytest

from launch import plain, traced
from places import ROOT

PROGRAMS = ROOT / "benchmarks" / "programs"

# What to run, and how often some functions are called, from the programs' own logic.
KNOWN = {
    "julia.py 100 300": {"escape_time": 10_000, "axis": 1, "escape_times": 1, "main": 1},
    # Nodes of the search tree on six rows: 1 + 6 + 20 + 36 + 46 + 40 + 4.
    "queens.py 6": {"count_solutions": 153, "solutions": 153, "put": 152, "take_back": 152},
    "words.py 200": {"make_record": 200, "report": 1, "count_words": 1, "read_log": 1},
    "pipeline.py 300": {"collatz_steps": 300, "squared": 300, "transform": 2, "collect": 1},
    "heap.py 500": {"record": 500, "grow": 1, "main": 1},
    "arrays.py 4": {"plate": 3, "spread": 12, "means": 1, "main": 1},
    "pool.py": {"work": 2000, "price_of": 40_000},
    "served.py": {"serve": 1, "ask": 16, "answer": 16, "value_of": 480_000},
    "echo.py": {"reply": 8000, "words": 8000},
    "toml.py pyproject.toml 3000": {"beginning": 1, "main": 1},
}
PRINTS_ITS_TIME = {"marked.py"}  # which no two runs have in common
OF_PACKAGES = {"linted.py", "pages.py"}  # that the benchmarks alone install


def test_every_program_is_known():
    known = {line.split()[0] for line in KNOWN} | PRINTS_ITS_TIME | OF_PACKAGES
    assert {path.name for path in PROGRAMS.glob("*.py")} == known


@pytest.mark.parametrize("line", KNOWN)
def test_program(tmp_path, line):
    name, *arguments = line.split()
    if name == "arrays.py":
        pytest.importorskip("numpy")
    copy(PROGRAMS.parents[1] / "pyproject.toml", tmp_path)
    expected = plain(PROGRAMS / name, *arguments, cwd=tmp_path)
    assert (expected.stderr, expected.returncode) == (b"", 0)
    found = traced("-o", "profile.out", PROGRAMS / name, *arguments, cwd=tmp_path)
    assert found.stdout == expected.stdout
    assert (found.stderr, found.returncode) == (b"", 0)
    calls = {
        function: ncalls
        for (file, _, function), (_, ncalls, *_) in pstats.Stats(
            str(tmp_path / "profile.out")
        ).stats.items()
        if Path(file).name == name
    }
    assert {function: calls[function] for function in KNOWN[line]} == KNOWN[line]


def test_wrong_result_is_noticed(tmp_path):
    program = (PROGRAMS / "julia.py").read_text().replace("(100, 300): 334236", "(100, 300): 1")
    (tmp_path / "julia.py").write_text(program)
    found = traced("-o", "profile.out", "julia.py", "100", "300", cwd=tmp_path)
    assert found.returncode == 1
    assert found.stderr.endswith(b"AssertionError: 334236 instead of 1\n")
