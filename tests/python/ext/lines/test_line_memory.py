"""Lines by memory: exact increments of programs that are known to the byte, and the tables of them.

Blocks and loops are those of allocations.py.
"""

import io
import os
import re
import sys
import threading

import pytest

import launch
import tracer
from allocations import HEAD, KEPT
from tracer._core import LineRecorder
from tracer.data.line_memory import line_memory_of

BLOCK = 1000 + HEAD
MIB = 2**20

pytestmark = pytest.mark.usefixtures("nothing_is_kept")


def keep(count, start=0):
    end = start + count
    while start < end:
        KEPT[start] = bytes(1000)
        start += 1


def capture_of(function, *recorded, calls=sys.version_info >= (3, 12)):
    """The capture of a call of `function`, with the lines of that and of the others. It is the
    second call: what the interpreter makes at the first event of a code object is there already."""
    recorder = LineRecorder("memory", calls=calls)
    for one in (function, *recorded):
        recorder.add_code(one.__code__)
    profile = tracer.Profile(memory=True)
    profile.enable()
    recorder.enable()
    function()
    KEPT[:] = [None] * len(KEPT)
    recorder.clear()
    profile.clear()
    function()
    recorder.disable()
    profile.disable()
    capture = profile.capture()
    capture.memory_data["lines"] = recorder.snapshot()
    return capture


def lines_of(capture, function):
    """{line from the `def` on: LineMemory} of a function."""
    code = function.__code__
    found = line_memory_of([capture])
    (lines,) = (
        lines for key, lines in found.items() if key[1:3] == (code.co_firstlineno, code.co_name)
    )
    return {line - code.co_firstlineno: memory for line, memory in lines.items()}


def increments(function, *recorded, **options):
    found = lines_of(capture_of(function, *recorded, **options), function)
    return {line: memory.increment for line, memory in found.items() if memory.increment}


def test_a_loop():
    def work():
        place = 0
        while place < 100:
            KEPT[place] = bytes(1000)
            place += 1

    found = lines_of(capture_of(work), work)
    assert [found[line].hits for line in (1, 2, 3, 4)] == [1, 101, 100, 100]
    assert {line: memory.increment for line, memory in found.items()} == {
        **dict.fromkeys((1, 2, 4), 0),
        3: 100 * BLOCK,
    }
    assert found[3].allocated == found[3].live == (100 * BLOCK, 100)


def test_del_and_what_is_overwritten():
    def work():
        data = bytes(100_000)
        KEPT[0] = bytes(1000)
        del data
        KEPT[0] = bytes(500)
        KEPT[0] = None

    big = 100_000 + 33
    assert increments(work) == {1: big, 2: BLOCK, 3: -big, 4: 533 - BLOCK, 5: -533}


def test_what_a_line_makes_and_drops_is_no_increment():
    def work():
        bytes(100_000)
        len(bytes(1000))

    found = lines_of(capture_of(work), work)
    assert (found[1].increment, found[2].increment) == (0, 0)
    assert found[1].allocated == (100_033, 1)
    assert found[1].live == (0, 0)


def test_callees_are_included_whether_their_lines_are_recorded_or_not():
    def work():
        keep(50)
        keep(50)  # in the place of the first ones
        keep(100, 100)

    for recorded in ((), (keep,)):
        capture = capture_of(work, *recorded)
        found = lines_of(capture, work)
        assert [found[line].increment for line in (1, 2, 3)] == [50 * BLOCK, 0, 100 * BLOCK]
        own = 0 if recorded else 50 * BLOCK
        assert found[1].allocated.bytes == own
        if recorded:
            inner = lines_of(capture, keep)
            assert inner[3].increment == 150 * BLOCK
            assert inner[3].allocated == (200 * BLOCK, 200)
            assert inner[3].live == (150 * BLOCK, 150)
        KEPT[:] = [None] * len(KEPT)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there are no calls beside lines")
def test_it_needs_no_calls():
    def work():
        keep(50)
        KEPT[0] = None

    assert increments(work, keep, calls=False) == {1: 50 * BLOCK, 2: -BLOCK}


def test_the_lines_of_a_function_add_up_to_what_it_keeps():
    def work():
        first = bytes(1000)
        KEPT[0] = first
        second = bytes(5000)
        del second
        KEPT[1] = KEPT[0] + b"x"
        first = None

    found = increments(work)
    assert sum(found.values()) == BLOCK + 1034
    assert found[3] == 5033


def test_a_recursion_counts_once():
    def deeper(depth):
        KEPT[depth] = bytes(1000)
        if depth:
            deeper(depth - 1)

    def work():
        deeper(9)

    capture = capture_of(work, deeper)
    assert lines_of(capture, work)[1].increment == 10 * BLOCK
    found = lines_of(capture, deeper)
    assert found[1].increment == 10 * BLOCK
    assert found[3].increment == 9 * BLOCK  # of the outermost activation
    assert found[1].hits == 10


def test_what_is_freed_when_a_function_returns_is_its_callers():
    def make():
        data = bytes(1000)
        KEPT[0] = None
        return data is None

    def work():
        KEPT[0] = bytes(1000)
        make()

    capture = capture_of(work, make)
    assert lines_of(capture, work)[2].increment == -BLOCK
    inner = lines_of(capture, make)
    assert [inner[line].increment for line in (1, 2, 3)] == [BLOCK, -BLOCK, 0]


def test_a_generator_has_what_happens_in_it_and_not_between():
    def numbers():
        place = 0
        while place < 10:
            KEPT[place] = bytes(1000)
            yield place
            place += 1

    def work():
        found = numbers()
        place = 100
        while place < 110:
            next(found)
            KEPT[place] = bytes(2000)
            place += 1
        KEPT[256] = found  # to be closed in it would take memory

    capture = capture_of(work, numbers)
    inner = lines_of(capture, numbers)
    assert inner[3].increment == 10 * BLOCK
    assert inner[4].increment == inner[5].increment == 0
    outer = lines_of(capture, work)
    assert outer[4].increment == 10 * BLOCK
    assert outer[5].increment == 10 * 2033


def test_other_threads_do_not_disturb():
    go, done = threading.Lock(), threading.Lock()
    go.acquire()
    done.acquire()

    def other():
        for _ in (1, 2):
            go.acquire()
            keep(100)
            done.release()

    def work():
        KEPT[200] = bytes(1000)
        go.release()
        done.acquire()
        KEPT[201] = bytes(1000)
        KEPT[0] = None

    thread = threading.Thread(target=other)
    thread.start()
    capture = capture_of(work, keep)
    thread.join()
    found = lines_of(capture, work)
    assert [found[line].increment for line in (1, 3, 4, 5)] == [BLOCK, 0, BLOCK, -BLOCK]
    assert lines_of(capture, keep)[3].increment == 100 * BLOCK
    assert lines_of(capture, keep)[3].live == (99 * BLOCK, 99)


def test_threads_are_added_up_and_told_apart():
    def work():
        threads = [threading.Thread(target=keep, args=(50, 50 * i)) for i in (0, 1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    capture = capture_of(work, keep)
    found = lines_of(capture, keep)
    assert found[3].increment == 150 * BLOCK
    assert found[3].hits == 150
    main = capture.of_threads(capture.threads[:1])
    assert (keep.__code__.co_firstlineno, "keep") not in {
        key[1:3] for key, lines in line_memory_of([main]).items() if lines
    }


@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer keeps what is freed"
)
def test_resident_memory_is_that_at_the_end_of_a_line():
    def work():
        KEPT[0] = None
        data = [1] * 8_000_000  # 64 MB, of the system's own, each page of which is written
        KEPT[1] = None
        del data
        KEPT[2] = None

    found = lines_of(capture_of(work), work)
    if not found[1].resident:
        pytest.skip("the system does not tell")
    assert found[2].resident > found[1].resident + 32_000_000
    assert found[3].resident == found[2].resident  # nothing moved: it was not read anew
    assert found[4].resident < found[2].resident - 32_000_000
    assert found[5].resident == found[4].resident


def test_what_is_allocated_in_a_line_is_not_resident_before_it_ends():
    def work():
        KEPT[0] = bytes(200_000_000)  # never touched: no page of it is there
        KEPT[0] = None

    found = lines_of(capture_of(work), work)
    assert found[1].increment == 200_000_033
    assert found[1].resident < 200_000_000 + found[2].resident


PROGRAM = """\
import gc

gc.disable()
KEPT = [None] * 10


def work():
    data = bytes(3 * 2**20 - 33)
    KEPT[0] = bytes(2**20 - 33)
    del data


work()
KEPT[1] = bytes(2 * 2**20 - 33)
"""
# Line, MiB of increment, occurrences, bytes allocated, bytes at the end.
ROWS = [
    (8, "3.000", 1, "3,145,728", "0"),
    (9, "1.000", 1, "1,048,576", "1,048,576"),
    (10, "-3.000", 1, "0", "0"),
    (14, "2.000", 1, "2,097,152", "2,097,152"),
]


def rows_in(text):
    row = re.compile(
        r" *(\d+) +[\d.]+ MiB +(-?[\d.]+) MiB +(\d+) +([\d,]+) +[\d,]+ +([\d,]+)   ", re.MULTILINE
    )
    found = [(int(m[1]), m[2], int(m[3]), m[4], m[5]) for m in row.finditer(text)]
    return {line: (line, *rest) for line, *rest in found}


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


def test_the_command_prints_them(program, tmp_path):
    text = launch.good("--memory", "--lines", "program.py", cwd=tmp_path)
    assert "Timer unit: 1e-06 s" in text
    found = rows_in(text)
    assert [found[line] for line, *_ in ROWS] == ROWS
    launch.good("--memory", "--lines", "-o", "out.prof", "program.py", cwd=tmp_path)
    text = launch.good("show", "out.prof", "--lines", "--memory", "--no-header", cwd=tmp_path)
    assert "Timer unit" not in text
    found = rows_in(text)
    assert [found[line] for line, *_ in ROWS] == ROWS
    assert "Function: work at line 7" in text
    assert "    data = bytes(3 * 2**20 - 33)" in text
    some = launch.good("show", "out.prof", "--lines", "--memory", "--only", "work", cwd=tmp_path)
    assert set(rows_in(some)) == {8, 9, 10}


def test_the_last_line_of_a_program_has_what_it_calls(tmp_path):
    program = PROGRAM.replace("KEPT[1] = bytes(2 * 2**20 - 33)\n", "")
    (tmp_path / "program.py").write_text(program)
    text = launch.good("--memory", "--lines", "program.py", cwd=tmp_path)
    increment = re.search(r"^ *13 +[\d.]+ MiB +([\d.]+) MiB", text, re.MULTILINE)[1]
    assert increment == "1.000" or 1.0 <= float(increment) < 1.01  # and what calling takes


def test_stats_print_them(program, tmp_path):
    launch.good("--memory", "--lines", "-o", "out.prof", "program.py", cwd=tmp_path)
    stream = io.StringIO()
    stats = tracer.Stats(str(tmp_path / "out.prof"), stream=stream)
    assert stats.problems == []
    stats.print_line_memory(exact=False, precision=1)
    (row,) = re.findall(r"^ +9 .*$", stream.getvalue(), re.MULTILINE)
    assert re.fullmatch(r" +9 +[\d.]+ MiB +1\.0 MiB +1       KEPT\[0\] = .*", row)
    head = "Line #    Mem usage    Increment  Occurrences   Line Contents"
    assert head in stream.getvalue().splitlines()
    with pytest.raises(ValueError, match="no memory was recorded"):
        tracer.Stats(tracer.Profile()).print_line_memory()


def test_what_cannot_be_printed_is_said(program, tmp_path):
    launch.good("--lines", "-o", "lines.prof", "program.py", cwd=tmp_path)
    launch.good("--memory", "-o", "memory.prof", "program.py", cwd=tmp_path)
    launch.good("--memory", "--lines", "-o", "both.prof", "program.py", cwd=tmp_path)

    def said(*words):
        return launch.traced("show", *words, cwd=tmp_path).stderr.decode()

    assert "no memory was recorded" in said("lines.prof", "--lines", "--memory")
    assert "run the program with --memory and --lines" in said("memory.prof", "--lines", "--memory")
    for words in (["--unit", "1"], ["--parts"], ["--min", "1"], ["-z"], ["--raw"]):
        assert "is about the times of lines" in said("both.prof", "--lines", "--memory", *words)
    for key in ("temporary", "total"):
        assert f"-s {key} " in said("both.prof", "--lines", "--memory", "-s", key)
    assert "-s peak " in said("both.prof", "--lines", "-s", "peak")


def test_the_lines_with_the_most(program, tmp_path):
    launch.good("--memory", "--lines", "-o", "out.prof", "program.py", cwd=tmp_path)

    def lines(*words):
        more = ("--lines", "--memory", "--no-header", *words)
        text = launch.good("show", "out.prof", *more, cwd=tmp_path)
        return re.findall(
            r"^ *([\d,]+) +([\d,]+) +([\d,]+) .*program\.py:(\d+)\(", text, re.MULTILINE
        )

    big, one, two = (f"{size * MIB:,}" for size in (3, 1, 2))
    assert lines("--limit", "2") == [(big, "0", big, "8"), (one, one, one, "9")]
    assert [line for *_, line in lines("-s", "live", "--limit", "2")] == ["14", "9"]
    assert lines("-s", "live", "--limit", "1") == [("0", two, two, "14")]
    assert [line for *_, line in lines("-s", "allocated", "--limit", "3")] == ["8", "14", "9"]
    text = launch.good("show", "out.prof", "--lines", "--memory", "-s", "count", cwd=tmp_path)
    assert "   Ordered by: allocations on the line\n" in text
    assert "KEPT[0] = bytes(2**20 - 33)" in text
