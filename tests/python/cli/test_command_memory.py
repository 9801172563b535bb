"""What the command tells of memory: the header, the finding, and the summary."""

import re

import pytest

from launch import traced, write
from tracer.data.line_memory import LineMemory
from tracer.data.lines import Lines
from tracer.data.memory import Amount
from tracer.report.hottest_memory import hottest_memory

# bytes(n) is one block of n + 33 bytes.
PROGRAM = """
import sys
import time
kept = []

def load(size):
    kept.append(bytes(size))

def work(size, other):
    load(size)
    bytes(other)

if len(sys.argv) > 3:
    kept.append(bytes(int(sys.argv[3])))
work(int(sys.argv[1]), int(sys.argv[2]))
time.sleep(0.05)
"""
MIB = 2**20


def run(folder, *words, options=()):
    write(folder / "work.py", PROGRAM)
    found = traced("--memory", *options, "work.py", *map(str, words), cwd=folder)
    assert (found.returncode, found.stderr) == (0, b"")
    return found.stdout.decode()


def test_the_header_tells_the_peak_the_end_and_what_is_resident(tmp_path):
    (line,) = re.findall(r"^ allocated  (.*)$", run(tmp_path, 8 * MIB, 0), re.MULTILINE)
    sizes = re.fullmatch(
        r"(\S+ \w+) at the peak, (\S+ \w+) at the end"
        r"(?:; resident (\S+ \w+), (\S+ \w+) in no block)?",
        line,
    )
    assert sizes
    peak, live, resident, rest = map(in_kib, sizes.groups(default="0 B"))
    assert 8 * 1024 <= live <= peak < 8 * 1024 + 500
    if resident:  # known on Linux
        assert resident - peak - 200 < rest < resident


def in_kib(text):
    number, unit = text.replace(",", "").split()
    return float(number) * {"B": 1 / 1024, "KiB": 1, "MiB": 1024, "GiB": 2**20}[unit]


KEEPS = "live at the end, {} of the peak: allocated by load, work.py:6"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((2 * MIB, 0), "100%"),
        ((2 * MIB, 6 * MIB - 50_000), "25%"),
        ((2 * MIB, 6 * MIB + 300_000), None),  # less than a quarter of the peak
        ((MIB - 100_000, 0), None),  # less than 1 MiB
        ((0, 2 * MIB), None),  # it is not kept
        ((0, 0, 2 * MIB), None),  # by the code of the module
    ],
)
def test_a_function_that_keeps_much_is_a_finding(tmp_path, words, told):
    text = run(tmp_path, *words, options=["-o", "out"])
    shown = traced("show", "out", cwd=tmp_path)
    assert (shown.returncode, shown.stderr, text) == (0, b"", "")
    found = shown.stdout.decode()
    assert ("allocated by" in found) == (told is not None)
    if told:
        assert KEEPS.format(told) in found


# main has 5 MiB at the end, and takes of them load 3 and index 2.
SHARED = """
import time
kept = []

def load():
    kept.append(bytes(3 * 2**20))

def index():
    kept.append(bytes(2 * 2**20))

def pause():
    time.sleep(0.2)

def main(other):
    load()
    index()
    pause()
    bytes(other)

main({other})
"""


@pytest.mark.parametrize(
    ("other", "part", "is_first"),
    [(0, "59%|60%", True), (2**19, "5[45]%", True), (4 * 2**20, "33%", False)],
)
def test_the_finding_names_who_allocated_most_and_comes_where_its_share_is(
    tmp_path, other, part, is_first
):
    write(tmp_path / "work.py", SHARED.replace("{other}", str(other)))
    assert traced("--memory", "-o", "out", "work.py", cwd=tmp_path).returncode == 0
    found = traced("show", "out", cwd=tmp_path).stdout.decode().splitlines()
    at = next(place for place, line in enumerate(found) if line.startswith("  findings  "))
    lines = [line[12:] for line in found[at:] if line][:3]
    end = f"3,072\\.\\d KiB live at the end, ({part}) of the peak: allocated by load, work.py:5"
    (place,) = (number for number, line in enumerate(lines) if re.match(end, line))
    (waits,) = (number for number, line in enumerate(lines) if "waits" in line)
    assert (place < waits) == is_first


CHURNS = """
kept = bytes(3 * 2**20)

def churn():
    for _ in range(520):
        bytes(20 * 2**20)

churn()
"""


def test_much_that_was_allocated_does_not_make_what_is_live_small(tmp_path):
    write(tmp_path / "work.py", CHURNS)
    found = traced("--memory", "--table", "work.py", cwd=tmp_path).stdout.decode()
    assert "Sizes are MiB, of what was allocated GiB\n" in found
    [_, row] = re.findall(r"^ (.*) \S+:4\(churn\)$", found, re.MULTILINE)
    assert row.split()[:5] == ["20.0", "20.0", "0.0", "10.2", "10.2"]


def test_the_summary_has_a_view_of_memory(tmp_path):
    run(tmp_path, 2 * MIB, MIB, options=["--timeline", "-o", "out"])
    shown = traced("show", "out", "--summary=memory", cwd=tmp_path)
    assert (shown.returncode, shown.stderr) == (0, b"")
    blocks = shown.stdout.decode().split("\n\n")
    at = blocks.index("Memory, of the whole recording")
    whole = blocks[at + 1].splitlines()
    assert re.fullmatch(r" +size +blocks", whole[0])
    assert re.fullmatch(r"live at the peak +3,07\d\.\d KiB +\d+", whole[1])
    assert re.fullmatch(r"live at the end +2,04[89]\.\d KiB +\d+", whole[2])
    rows = blocks[at + 2].splitlines()
    head = ["function", "at", "peak", "(KiB)", "at", "end", "allocated", "blocks", "ratio", "%"]
    assert rows[0].split() == head
    assert re.fullmatch(r"load  work.py:6 +2,048\.0 +2,048\.0 +2,048\.0 +1 +66\.6", rows[1])
    assert re.fullmatch(r"work  work.py:9 +1,02\d\.\d +0\.\d +1,02\d\.\d +\d +33\.3", rows[2])
    assert len(rows) == 3


def test_lines_with_as_much_memory_are_sorted_by_place():
    most = LineMemory(1, 0, Amount(9, 1), Amount(9, 1), Amount(9, 1), 0)
    found = {
        ("b.py", 1, "f", "f"): {2: most},
        ("a.py", 1, "f", "f"): {12: most, 3: most},
    }
    text = hottest_memory(found, Lines(), None)
    assert re.findall(r"\w\.py:\d+", text) == ["a.py:3", "a.py:12", "b.py:2"]
