"""The native samples of lines: what of a line's CPU time was in Python code, and in native code."""

import threading
import zlib
from struct import Struct

import tracer
from launch import good, traced, write
from linerows import RECORD
from sampled import DATA, ENOUGH, HZ, NEEDS_SAMPLES, spin
from survival import survives
from tracer._core import LineRecorder
from tracer.data.lines import Lines

pytestmark = NEEDS_SAMPLES
SAMPLES = Struct("=IIqq")
SLACK = 0.08  # seconds: what a call has besides the work, and the samples at its ends
# Of what a line used: on a busy machine the last samples come when it is over, or not at all.
LEAST = 0.25


def compress_and_spin():
    zlib_until(ENOUGH)  # line 1
    spin()  # line 2
    return sum(range(10))


def zlib_until(seconds):
    import time

    until = time.thread_time() + seconds
    while time.thread_time() < until:
        zlib.compress(DATA)


FIRST = compress_and_spin.__code__.co_firstlineno


def split_of(recorder, *, function="compress_and_spin"):
    """{line from the function's first on: (seconds in Python, seconds in native code)}"""
    lines = Lines([recorder.snapshot()])
    (found,) = (it for it in lines.functions if it.name == function)
    return {
        line.line - found.first_line: (line.python, line.native)
        for line in found.lines
        if line.python is not None
    }


def recorder_of(*functions):
    recorder = LineRecorder()
    for function in functions:
        recorder.add_code(function.__code__)
    return recorder


def about(seconds, expected):
    return LEAST * expected < seconds < expected + SLACK


def test_a_line_has_its_cpu_time_in_python_and_in_native_code():
    recorder = recorder_of(compress_and_spin)
    with tracer.Profile(native=HZ), recorder:
        compress_and_spin()
    split = split_of(recorder)
    assert about(split[1][1], ENOUGH)
    assert split[1][0] < SLACK
    # Without sys.monitoring tracer is told of the lines of all code: its own work is in no line.
    assert 0.1 * ENOUGH < sum(split[2]) < ENOUGH + SLACK
    assert split[2][0] > split[1][0]  # the rest is in what adds numbers, and compares them
    assert sum(split[3]) < SLACK


def test_it_is_the_same_line_whichever_is_enabled_first():
    recorder = recorder_of(compress_and_spin)
    with recorder, tracer.Profile(native=HZ):
        compress_and_spin()
    assert about(split_of(recorder)[1][1], ENOUGH)


def test_lines_without_samples_know_nothing():
    recorder = recorder_of(compress_and_spin)
    with tracer.Profile(), recorder:
        compress_and_spin()
    assert split_of(recorder) == {}


def test_a_callee_that_is_timed_has_its_own_samples():
    recorder = recorder_of(compress_and_spin, zlib_until)
    with tracer.Profile(native=HZ), recorder:
        compress_and_spin()
    assert sum(split_of(recorder)[1]) < SLACK
    inner = split_of(recorder, function="zlib_until")
    assert about(sum(native for _, native in inner.values()), ENOUGH)


def test_each_thread_has_samples_on_its_lines():
    recorder = recorder_of(compress_and_spin)
    with tracer.Profile(native=HZ), recorder:
        threads = [threading.Thread(target=compress_and_spin) for _ in range(2)]
        for thread in threads:
            thread.start()
        compress_and_spin()
        for thread in threads:
            thread.join()
        found = recorder.snapshot()["threads"]
    assert len(found) == 3
    for thread in found:
        rows = list(RECORD.iter_unpack(thread["lines"]))
        native = {
            rows[place][1] - FIRST: native
            for place, _, _, native in SAMPLES.iter_unpack(thread["line_samples"])
        }
        assert about(native[1] * 1e-9, ENOUGH)


def test_a_snapshot_in_the_middle_has_the_samples_until_then():
    recorder = recorder_of(compress_and_spin)
    with tracer.Profile(native=HZ), recorder:
        compress_and_spin()
        before = split_of(recorder)[1][1]
        compress_and_spin()
        assert about(before, ENOUGH)
        assert about(split_of(recorder)[1][1], 2 * ENOUGH)


def test_two_profiles_count_a_moment_once():
    recorder = recorder_of(compress_and_spin)
    with tracer.Profile(native=HZ), recorder:
        with tracer.Profile(native=HZ):
            compress_and_spin()
        compress_and_spin()
    assert about(split_of(recorder)[1][1], 2 * ENOUGH)


def test_clear_forgets_the_samples_and_goes_on():
    def of_the_second():
        recorder = recorder_of(compress_and_spin)
        with tracer.Profile(native=HZ), recorder:
            compress_and_spin()
            recorder.clear()
            assert split_of(recorder) == {}
            compress_and_spin()
        return split_of(recorder)[1][1]

    # On a busy machine the next sample stands for what was used before, or falls on another line.
    assert any(about(of_the_second(), ENOUGH) for _ in range(5))


def test_a_recorder_may_go_while_its_lines_are_sampled():
    with tracer.Profile(native=1000):
        for _ in range(20):
            recorder = recorder_of(zlib_until)
            recorder.enable()
            zlib_until(0.02)
            recorder.disable()
            del recorder
        spin(0.1)


def test_a_recorder_that_is_cleared_from_another_thread():
    recorder = recorder_of(zlib_until)
    with tracer.Profile(native=1000), recorder:
        worker = threading.Thread(target=zlib_until, args=(ENOUGH,))
        worker.start()
        while worker.is_alive():
            recorder.clear()
            worker.join(0.001)


def test_a_cleared_recorder_is_not_read_for_a_thread_that_runs_code_that_is_left_out():
    """The thread is watched, and no profile of calls has it. glibc fills what is freed, and the
    program what it is given again: so a signal handler that reads it crashes."""
    survives(
        """
        import hashlib
        from tracer._core import LineRecorder, Profiler

        def burn(rounds):
            hashlib.pbkdf2_hmac("sha256", b"p", b"s", rounds)  # without the interpreter's lock

        def timed():
            burn(2**31 - 1)

        def run():
            while not is_known.is_set():
                burn(1000)
            timed()

        def until(look):
            end = time.monotonic() + 100
            while not look():
                assert time.monotonic() < end
                time.sleep(0.001)

        def others():
            return profiler.snapshot()["native"]["others"]

        def has_samples():
            return any(thread["line_samples"] for thread in recorder.snapshot()["threads"])

        is_known = threading.Event()
        profiler = Profiler(native=1000, include=("/nowhere.py",))
        profiler.enable()
        recorder = LineRecorder()
        recorder.add_code(timed.__code__)
        recorder.enable()
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        cpu = time.pthread_getcpuclockid(thread.ident)
        until(others)
        recorder.clear()  # its lines are found at its next event, now that it is watched
        is_known.set()
        until(has_samples)
        recorder.clear()
        filled = [b"A" * size for size in range(480, 1000) for _ in range(40)]
        end = time.clock_gettime(cpu) + 0.5
        while time.clock_gettime(cpu) < end:
            pass
        assert not has_samples()
        os._exit(0)
        """,
        GLIBC_TUNABLES="glibc.malloc.tcache_count=0:glibc.malloc.perturb=165",
    )


PROGRAM = """
import os, time, zlib

def work(seconds):
    data = os.urandom(1 << 18)
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        zlib.compress(data)

work(0.5)
"""


def test_the_command_tells_them_in_the_parts_of_a_line(tmp_path):
    program = write(tmp_path / "work.py", PROGRAM)
    out = tmp_path / "out"
    assert traced("--lines", "--native", "-o", out, program).returncode == 0
    shown = good("show", out, "--lines", "--parts")
    heads = {line for line in shown.splitlines() if line.startswith("Line #")}
    assert {tuple(head.split()[-4:-2]) for head in heads} == {("Python", "Native")}
    (compress,) = (line for line in shown.splitlines() if "zlib.compress(data)" in line)
    python, native = (float(cell) for cell in compress.split()[-3:-1])
    assert native > 300_000 > python
    assert "Python, Native: CPU time by samples" in shown
    hottest = good("show", out, "--lines", "--parts", "--limit", "3")
    assert " Native " in hottest and "Python, Native: " in hottest


def test_without_samples_there_are_no_such_columns(tmp_path):
    program = write(tmp_path / "work.py", PROGRAM)
    out = tmp_path / "out"
    assert traced("--lines", "-o", out, program).returncode == 0
    assert "Native" not in good("show", out, "--lines", "--parts")
