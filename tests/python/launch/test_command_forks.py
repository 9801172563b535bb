"""Forks under the command: while threads are being recorded, through multiprocessing, in a thread.

What becomes of a forked child that ends in one way or another is in test_command_endings.py. No
child is recorded, none writes, none waits for what another thread held.
"""

import pytest

import tracer
from launch import plain, traced, write
from outfiles import own_rows

OPTIONS = [(), ("--save-every", "0.01")]


@pytest.fixture
def folder(tmp_path):
    return tmp_path


def run_both(folder, program, *options):
    write(folder / "program.py", program)
    words = ("-W", "ignore", "-X", "faulthandler")
    expected = plain(*words, "program.py", cwd=folder)
    found = plain(*words, "-m", "tracer", "-o", "p.out", *options, "program.py", cwd=folder)
    assert (found.stdout, found.stderr) == (expected.stdout, expected.stderr)
    assert found.returncode == expected.returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["p.out", "program.py"]
    stats = tracer.Stats(folder / "p.out")
    assert not own_rows(stats.stats)
    return {label[2]: row[1] for label, row in stats.stats.items() if "program" in label[0]}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_forks_while_threads_are_recorded(folder, options):
    program = """
import os, sys, threading
over = threading.Event()
sys.setswitchinterval(0.0002)  # else each fork waits long for its turn

def leaf(): pass
def of_the_child(): leaf()

def busy():
    new = 0
    while not over.is_set():
        for _ in range(1000):
            leaf()
        if new < 300:
            new += 1
            exec("def f(): pass\\nf()")  # a function that the recorder does not know yet

threads = [threading.Thread(target=busy) for _ in range(6)]
for thread in threads:
    thread.start()
for number in range(50):
    child = os.fork()
    if child == 0:
        of_the_child()
        other = threading.Thread(target=of_the_child)
        other.start()
        other.join()
        if number % 2:
            os._exit(3)
        over.set()
        sys.exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
over.set()
for thread in threads:
    thread.join()
"""
    rows = run_both(folder, program, *options)
    assert rows["busy"] == 6
    assert rows["leaf"] > 0
    assert "of_the_child" not in rows


def test_forks_in_threads(folder):
    program = """
import os, threading

def fork():
    for _ in range(10):
        if os.fork() == 0:
            of_the_child()
        assert os.wait()[1] == 0

def of_the_child():
    os._exit(0)

threads = []
for _ in range(4):
    threads.append(threading.Thread(target=fork))
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""
    assert run_both(folder, program, "--save-every", "0.01") == {"<module>": 1, "fork": 4}


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_multiprocessing_children(folder, options):
    program = """
import atexit, multiprocessing, os, sys
from multiprocessing.util import Finalize

def work(number):
    return number * 2

def leave(how):
    atexit.register(work, 1)
    Finalize(None, work, (1,), exitpriority=1)
    work(1)
    how(4)

def main():
    fork = multiprocessing.get_context("fork")
    with fork.Pool(3) as pool:
        print(pool.map(work, range(5)))
    for how in os._exit, sys.exit:
        child = fork.Process(target=leave, args=[how])
        child.start()
        child.join()
        print(child.exitcode)

main()
"""
    assert run_both(folder, program, *options) == {"<module>": 1, "main": 1}


def test_child_that_is_killed_at_once(folder):
    program = """
import os, signal, time
for number in range(100):
    child = os.fork()
    if child == 0:
        time.sleep(50)
        os._exit(9)
    signal_number = (signal.SIGTERM, signal.SIGHUP)[number % 2]
    os.kill(child, signal_number)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal_number
print(signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""
    assert run_both(folder, program) == {"<module>": 1}


def test_children_run_at_full_speed(folder):
    program = """
import os, sys
if os.fork() == 0:
    print(sys.getprofile(), type(os._exit) is type(os.open) is type(os.execv))
    if sys.version_info >= (3, 12):
        tools = filter(sys.monitoring.get_tool, range(6))
        print([sys.monitoring.get_events(tool) for tool in tools])
    else:
        print([])
    raise SystemExit
os.wait()
"""
    write(folder / "program.py", program)
    found = traced("-o", "profile.out", "program.py", cwd=folder)
    assert (found.stderr, found.returncode) == (b"", 0)
    events = found.stdout.split(b"\n")
    assert events[0] == b"None True"
    assert set(events[1].strip(b"[]").split(b", ")) <= {b"", b"0"}
