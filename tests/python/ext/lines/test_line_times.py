"""How true the times of lines are: programs whose lines burn shares that are known."""

import sys
import threading
import time

from linerows import merged, ticks
from tracer._core import LineRecorder
from tracer.source.statements import first_lines

POINTS = 3.0
TRIES = 10  # where the true shares are measured, too


def burn(milliseconds):
    """Compute for so long, not counting what else runs on the processor; note when that was."""
    began = time.perf_counter()
    until = time.thread_time_ns() + milliseconds * 1_000_000
    while time.thread_time_ns() < until:
        pass
    line = sys._getframe(1).f_lineno - shares.__code__.co_firstlineno
    BURNT.append((line, began, time.perf_counter()))


BURNT = []


def shares():
    burn(80)
    burn(60)
    for _ in range(4):
        burn(10)
    burn(20)


SHARES = {1: 40.0, 2: 30.0, 3: 0.0, 4: 20.0, 5: 10.0}


def steps(count):
    for _ in range(count):
        sum(range(8000))
        sum(range(5000))
        sum(range(4000)), sum(range(1000))
        x = sum(range(2000))
    return x


# How far each line of the loop counts.
SUMMED = {2: [8000], 3: [5000], 4: [4000, 1000], 5: [2000]}


def told(function, *arguments, timer):
    """{line: its share of the function in percent}"""
    recorder = LineRecorder(timer=timer, first_lines=first_lines)
    assert recorder.add_code(function.__code__)
    with recorder:
        function(*arguments)
    taken = ticks(recorder, function)
    whole = sum(taken.values())
    return {line: 100 * count / whole for line, count in taken.items()}


def off(found, true):
    """The points by which the worst line is off."""
    assert found.keys() == true.keys()
    return max(abs(found[line] - true[line]) for line in true)


def test_lines_have_the_shares_of_the_processor_that_they_burn():
    assert off(told(shares, timer="cpu"), SHARES) < POINTS


def test_lines_have_the_time_that_they_take():
    """A line takes at least as long as it burns, and at most until the next line begins to burn. On
    a busy machine there may be much between the two."""
    recorder = LineRecorder(timer="wall", first_lines=first_lines)
    recorder.add_code(shares.__code__)
    BURNT.clear()
    with recorder:
        began = time.perf_counter()
        shares()
        ended = time.perf_counter()
    tick = recorder.snapshot()["seconds_per_tick"]
    found = {line: count * tick for line, count in ticks(recorder, shares).items()}
    least, most = dict.fromkeys(SHARES, 0.0), dict.fromkeys(SHARES, 0.0)
    before = [began, *(end for _, _, end in BURNT)]
    after = [*(begin for _, begin, _ in BURNT[1:]), ended]
    for (line, begin, end), earliest, latest in zip(BURNT, before, after, strict=False):
        least[line] += end - begin
        most[line] += latest - earliest
    most[3] = most[4] - least[4]  # the loop, whose lines are these two
    for line, seconds in found.items():
        assert least[line] * 0.999 <= seconds <= most[line] * 1.001 + 1e-6, line
    assert sum(found.values()) <= (ended - began) * 1.001


def seconds_of(numbers):
    """{number: the seconds of CPU that summing so far took in 100 tries}. Not the least: what slows
    the machine down slows the lines that are timed, too."""
    taken = dict.fromkeys(numbers, 0.0)
    for number in numbers * 20:
        began = time.thread_time()
        for _ in range(5):
            sum(range(number))
        taken[number] += time.thread_time() - began
    return taken


def test_lines_of_a_loop_have_their_shares():
    """By processor time: how long a line is off the processor is no matter of the line."""
    tries = []
    while len(tries) < TRIES and not (tries and tries[-1] < POINTS):
        seconds = seconds_of([number for numbers in SUMMED.values() for number in numbers])
        true = {line: sum(seconds[n] for n in numbers) for line, numbers in SUMMED.items()}
        whole = sum(true.values())
        found = told(steps, 500, timer="cpu")
        tries.append(off(found, {line: 100 * true.get(line, 0) / whole for line in range(1, 7)}))
    assert tries[-1] < POINTS, tries


def test_cpu_time_of_a_line_that_waits_is_its_threads():
    """It is not the CPU time of the thread that asks, nor wall time."""

    def waiting():
        started.set()
        go.wait()

    def burn():
        until = time.thread_time() + 0.2
        while time.thread_time() < until:
            pass

    started, go = threading.Event(), threading.Event()
    recorder = LineRecorder("cpu")
    recorder.add_code(waiting.__code__)
    burn()
    with recorder:
        thread = threading.Thread(target=waiting)
        thread.start()
        started.wait()
        burn()
        snapshot = recorder.snapshot()
        go.set()
        thread.join()
    [lines] = merged(snapshot).values()
    seconds = {line: found.ticks * snapshot["seconds_per_tick"] for line, found in lines.items()}
    assert len(seconds) == 2
    assert all(0 <= one < 0.1 for one in seconds.values()), seconds
