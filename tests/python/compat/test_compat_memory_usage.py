"""tracer.compat.memory_profiler: memory_usage(), of functions and of processes."""

import io
import os
import re
import subprocess
import sys
import time

import pytest

from tracer.compat.memory_profiler import memory_usage
from tracer.runtime import process_memory

MIB = 2**20
SLEEPS = [sys.executable, "-c", "import sys; print(1, flush=True); sys.stdin.read()"]


def test_of_a_function():
    def work(*args, **kwargs):
        time.sleep(0.05)
        return args, kwargs

    found, returned = memory_usage((work, (1, 2), {"a": 1}), interval=0.001, retval=True)
    assert returned == ((1, 2), {"a": 1})
    assert len(found) > 4
    assert all(type(mib) is float and mib > 1 for mib in found)
    pairs = memory_usage(work, interval=0.001, timestamps=True)
    assert [at for _, at in pairs] == sorted(at for _, at in pairs)
    assert abs(pairs[0][1] - time.time()) < 600


def test_a_quick_function_runs_again_and_is_measured_more_often(monkeypatch):
    counts, intervals = iter([1, 4, 5]), []

    class Sampler:
        def __init__(self, meter, interval, **_):
            intervals.append(interval)
            self.count = next(counts)
            self.samples = [self.count]

        def stop(self):
            pass

    monkeypatch.setattr("tracer.compat.memory_usage.Sampler", Sampler)
    assert memory_usage((lambda: None,), interval=0.1) == [5]
    assert intervals == pytest.approx([0.1, 0.01, 0.001])


def test_the_largest_is_seen_even_where_no_other_thread_runs():
    def work():
        return len([0] * (40 * MIB // 8))  # an instruction, in which the GIL stays

    before = memory_usage()[0]
    most = memory_usage((work,), interval=100.0, max_usage=True, max_iterations=1)
    assert type(most) is float
    if process_memory.peak(os.getpid()) and most > before:
        assert most >= process_memory.resident(os.getpid()) / MIB - 1


def test_a_short_function_runs_again_unless_it_is_told_not_to():
    runs = []
    memory_usage((runs.append, (1,)), max_usage=True, max_iterations=1)
    assert runs == [1]
    memory_usage((runs.append, (1,)), interval=1e-3, max_iterations=3)
    assert 2 <= len(runs) <= 4


def test_an_error_comes_through():
    def fails():
        raise NotImplementedError("here")

    with pytest.raises(NotImplementedError, match="here"):
        memory_usage((fails, (), {}), timeout=1)


@pytest.fixture
def child():
    with subprocess.Popen(SLEEPS, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        yield process
        process.stdin.close()
        process.wait(60)


def test_of_processes(child):
    (own,) = memory_usage()
    assert own > 5
    (other,) = memory_usage(child.pid)
    assert 1 < other < 200
    assert len(memory_usage(str(child.pid), timeout=0.03, interval=0.01)) == 3
    both = memory_usage(include_children=True)[0]
    assert both > own + 1
    ((_, *others),) = memory_usage(multiprocess=True)
    assert len(others) >= 1
    assert type(memory_usage(timeout=0.02, interval=0.01, max_usage=True)) is float
    assert memory_usage(backend="psutil_pss")[0] > 0
    assert 0 < memory_usage(backend="psutil_uss")[0] <= memory_usage(backend="psutil_pss")[0] + 1


def test_of_a_child_until_it_ends(child):
    stream = io.StringIO()
    child.stdin.close()
    assert memory_usage(child, interval=0.01, stream=stream, multiprocess=True) is None
    assert child.poll() == 0
    for line in stream.getvalue().splitlines():
        assert re.fullmatch(r"MEM \d+\.\d{6} \d+\.\d{4}", line)
    assert type(memory_usage(child, interval=0.01)) is list


def test_the_stream_of_a_function():
    stream = io.StringIO()
    found = memory_usage((sum, ([1],)), interval=0.001, retval=True, stream=stream)
    assert found == (None, 1)
    assert re.match(r"MEM \d+\.\d{6} \d+\.\d{4}\n", stream.getvalue())


def test_what_is_no_process_is_refused():
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait(60)
    with pytest.raises(ProcessLookupError, match=f"there is no process {gone.pid}"):
        memory_usage(gone.pid)
    with pytest.raises(ValueError, match="proc must be a process, a function, or a tuple"):
        memory_usage(((), 1))
    with pytest.raises(ValueError, match="interval must be a positive number of seconds"):
        memory_usage(interval=0)


def test_the_children_of_children_are_found(monkeypatch):
    parents = [(4, 3), (3, 2), (2, 1), (6, 5)]
    monkeypatch.setattr(process_memory, "IN_PROC", True)
    monkeypatch.setattr(process_memory, "each_process", lambda: iter(parents))
    assert process_memory.descendants(1) == [2, 3, 4]
