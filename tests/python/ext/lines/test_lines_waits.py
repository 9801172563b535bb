"""What lines waited: the part of their time in which the thread did not run. Exact by a timer that
also tells the CPU time; test_real_line_waits.py has the thread's own CPU clock.
"""

import asyncio
import threading

import pytest

import tracer
from linerows import each_way, recorder_of, waited
from rows import Clock
from tracer._core import LineRecorder, unrecorded
from tracer.data.capture import capture_of_lines
from tracer.data.lines import Lines
from tracer.data.schema import check
from tracer.page.run_facts import lines_of
from tracer.report.lines import report

clock = Clock(with_cpu=True)


def work(ticks=1):
    clock.now += ticks


def wait(ticks):
    clock.now += ticks
    clock.waited += ticks


def measured(program, *functions, **options):
    """{line, counted from the first of the code object: ticks that it waited} of `program`."""
    recorder = recorder_of(program, *functions, timer=clock, **options)
    with recorder:
        program()
    return recorder, waited(recorder, program)


# -- Exactly -------------------------------------------------------------------------------------


@each_way
def test_a_line_waits_in_functions_whose_lines_are_not_timed(calls):
    def program():
        work(5)
        wait(3)
        work(2), wait(4), work(8)
        for _ in range(2):
            wait(10)

    _, found = measured(program, calls=calls)
    assert found == {2: 3, 3: 4, 5: 20}


@each_way
def test_a_line_waits_in_c(calls):
    def program():
        vars(clock).update(now=clock.now + 9, waited=clock.waited + 7)
        work()

    _, found = measured(program, calls=calls)
    assert found == {1: 7}


@each_way
def test_a_callee_whose_lines_are_timed_waits_itself(calls):
    def callee():
        work()
        wait(4)

    def program():
        wait(1), callee(), wait(2)
        work()

    recorder, found = measured(program, callee, calls=calls)
    assert found == {1: 3}
    assert waited(recorder, callee) == {2: 4}


@each_way
def test_an_exception_leads_back_to_the_caller(calls):
    def callee():
        wait(4)
        raise ValueError

    def program():
        try:
            callee()
        except ValueError:
            wait(2)

    recorder, found = measured(program, callee, calls=calls)
    assert found == {4: 2}
    assert waited(recorder, callee) == {1: 4}


@each_way
def test_a_recursion_waits_where_it_is(calls):
    def program(depth=3):
        wait(1)
        if depth:
            program(depth - 1)
            wait(10)

    _, found = measured(program, calls=calls)
    assert found == {1: 4, 4: 30}


@each_way
def test_to_be_suspended_is_no_wait_of_the_line(calls):
    def numbers():
        wait(1)
        yield 1
        wait(2)
        yield 2

    def program():
        for _ in numbers():
            wait(100)

    recorder, found = measured(program, numbers, calls=calls)
    assert found == {2: 200}
    assert waited(recorder, numbers) == {1: 1, 3: 2}


@each_way
def test_a_loop_waits_at_the_line_that_runs_it(calls):
    async def main():
        work()
        await asyncio.sleep(0)
        wait(3)

    def program():
        loop = asyncio.new_event_loop()
        loop.call_soon(wait, 50)  # between the steps of main()
        loop.run_until_complete(main())
        loop.close()

    recorder, found = measured(program, main, calls=calls)
    assert found == {3: 50}
    assert waited(recorder, main) == {3: 3}


@each_way
def test_the_wait_under_way_is_in_a_snapshot(calls):
    found = []

    def program():
        wait(6), found.append(waited(recorder, program)), wait(3)

    recorder = recorder_of(program, timer=clock, calls=calls)
    with recorder:
        program()
    assert found == [{1: 6}]
    assert waited(recorder, program) == {1: 9}


def test_what_is_not_recorded_is_no_wait():
    def program():
        wait(1), recorder.disable(), wait(10), recorder.enable()
        wait(2)
        wait(3)

    recorder = recorder_of(program, timer=clock)
    with recorder:
        program()
    assert waited(recorder, program) == {1: 1, 2: 2, 3: 3}


def test_what_is_between_two_holds_is_no_wait():
    def program():
        wait(2)
        work(3)

    recorder = recorder_of(program, timer=clock)
    for _ in range(3):
        recorder.hold()
        program()
        recorder.release()
        wait(10)
    assert waited(recorder, program) == {1: 6}


def test_a_paused_thread_does_not_wait():
    def program():
        wait(1)
        with unrecorded:
            wait(10)
        wait(2)

    _, found = measured(program)
    assert found == {1: 1, 4: 2}


def test_two_threads_wait_apart():
    class Clocks(Clock):
        """Each thread has its own waits."""

        def __init__(self):
            self.own = threading.local()
            super().__init__(with_cpu=True)

        @property
        def waited(self):
            return getattr(self.own, "waited", 0)

        @waited.setter
        def waited(self, value):
            self.own.waited = value

    clocks = Clocks()

    def program(ticks):
        clocks.now += 5
        clocks.now, clocks.waited = clocks.now + ticks, clocks.waited + ticks

    recorder = recorder_of(program, timer=clocks)
    with recorder:
        program(100)
        thread = threading.Thread(target=program, args=(7,))
        thread.start()
        thread.join()
    snapshot = recorder.snapshot()
    for thread, ticks in zip(snapshot["threads"], (100, 7), strict=True):
        (function,) = Lines([{**snapshot, "threads": (thread,)}]).functions
        assert [line.waited for line in function.lines] == [0.0, ticks]


# -- Where it is not known -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "timer, is_known", [("wall", True), ("cpu", False), (Clock(), False), (clock, True)]
)
def test_waits_are_known_where_the_clock_has_cpu_time(timer, is_known):
    def program():
        wait(1)

    recorder = LineRecorder(timer)
    recorder.add_code(program.__code__)
    with recorder:
        program()
    (thread,) = recorder.snapshot()["threads"]
    assert ("line_waits" in thread) is is_known
    ((line,),) = (function.lines for function in Lines([recorder.snapshot()]).functions)
    assert (line.waited is not None) is is_known


def test_waits_of_two_runs_are_added_up():
    def program():
        wait(4)
        work(4)

    def snapshot(timer=clock):
        recorder = recorder_of(program, timer=timer)
        with recorder:
            program()
        return recorder.snapshot()

    (both,) = Lines([snapshot(), snapshot()]).functions
    assert [line.waited for line in both.lines] == [8.0, 0.0]
    (mixed,) = Lines([snapshot(), snapshot(Clock())]).functions
    assert [line.waited for line in mixed.lines] == [None, None]


def test_a_compensated_line_waits_no_longer_than_it_took():
    def program():
        wait(4)
        work(9)

    recorder, _ = measured(program, costs=(3.0, 0.0, 0.0))
    (function,) = Lines([recorder.snapshot()]).functions
    assert [(line.time, line.waited) for line in function.lines] == [(1.0, 1.0), (6.0, 0.0)]
    (function,) = Lines([recorder.snapshot()], raw=True).functions
    assert [(line.time, line.waited) for line in function.lines] == [(4.0, 4.0), (9.0, 0.0)]


# -- In files ------------------------------------------------------------------------------------


def program_in_files():
    wait(4)
    work(1)


@pytest.fixture
def snapshot():
    recorder, _ = measured(program_in_files)
    return {**recorder.snapshot(), "sources": {}}


def waits_in(path):
    (function,) = tracer.Stats(path).lines.functions
    return [line.waited for line in function.lines]


def test_a_file_has_what_lines_waited(snapshot, tmp_path):
    one, two = tmp_path / "one.out", tmp_path / "two.out"
    capture_of_lines(snapshot).write(one)
    assert waits_in(one) == [4.0, 0.0]
    (packed,) = lines_of(tracer.Stats(one))
    assert [line[6] for line in packed["lines"]] == [4_000_000_000, 0]
    tracer.Stats(one, one).dump_stats(two)
    assert waits_in(two) == [8.0, 0.0]


def test_an_older_file_has_not(snapshot, tmp_path):
    (thread,) = snapshot["threads"]
    del thread["line_waits"]
    capture_of_lines(snapshot).write(tmp_path / "older.out")
    assert waits_in(tmp_path / "older.out") == [None, None]
    (packed,) = lines_of(tracer.Stats(tmp_path / "older.out"))
    assert [line[6] for line in packed["lines"]] == [None, None]


def test_damaged_waits_are_refused(snapshot):
    (thread,) = snapshot["threads"]
    section = capture_of_lines(snapshot).section()
    waits = thread["line_waits"]
    check(section)
    for damaged in (waits + b"\0", None, waits.decode("latin-1")):
        thread["line_waits"] = damaged
        with pytest.raises(ValueError, match="its section has no proper 'lines'"):
            check(section)
    thread["line_waits"] = b"\2" + waits[1:]  # there are two lines: 0 and 1
    with pytest.raises(ValueError, match="a wait is of a line that is not there"):
        Lines([snapshot])


# -- What is printed -----------------------------------------------------------------------------


def test_the_lines_that_mostly_waited_are_named():
    def program():
        wait(81)
        work(100)
        work(10), wait(10)
        wait(1)

    recorder, _ = measured(program)
    run = {**recorder.snapshot(), "measured": 200.0}
    first = program.__code__.co_firstlineno
    notes = [row for row in report(Lines([run])).splitlines() if row.startswith("Line ")][1:]
    assert notes == [
        f"Line {first + 1} waited for 81.000 s of its time: its thread slept, or waited for a "
        "lock, input, the GIL or a processor."
    ]


def test_waits_are_parts_of_lines():
    def program():
        wait(3), work(4)
        work(5)

    recorder, _ = measured(program)
    rows = [
        row.split() for row in report(Lines([recorder.snapshot()]), 1.0, parts=True).splitlines()
    ]
    first = program.__code__.co_firstlineno
    waits = {row[0]: row[9] for row in rows if row[:1] in ([str(first + 1)], [str(first + 2)])}
    assert waits == {str(first + 1): "3.0", str(first + 2): "0.0"}
