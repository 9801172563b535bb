"""What lines waited, by real clocks: locks, sleeps, queues, sockets, and the GIL."""

import queue
import socket
import threading
import time

import pytest

from linerows import each_way, recorder_of
from tracer.data.lines import Lines

LONG = 0.3  # seconds


def found_in(program, **options):
    """{line, counted from the first of the code object: (seconds, seconds waited)}"""
    recorder = recorder_of(program, timer=None, timeunit=0.0, **options)
    with recorder:
        program()
    first = program.__code__.co_firstlineno
    (timed,) = Lines([recorder.snapshot()]).functions
    return {line.line - first: (line.time, line.waited) for line in timed.lines}


@each_way
@pytest.mark.parametrize("kind", ["sleep", "lock", "queue", "simple queue", "socket"])
def test_a_line_that_waits_has_waited_nearly_all_its_time(kind, calls):
    lock = threading.Lock()
    things = queue.SimpleQueue() if kind == "simple queue" else queue.Queue()
    here, there = socket.socketpair()
    is_due = threading.Event()

    def release():
        is_due.wait()
        time.sleep(LONG)
        lock.release()
        things.put(1)
        there.send(b"x")

    def sleeps():
        is_due.set()
        time.sleep(LONG)

    def locks():
        is_due.set()
        with lock:
            pass

    def gets():
        is_due.set()
        things.get()

    def receives():
        is_due.set()
        here.recv(1)

    lock.acquire()
    thread = threading.Thread(target=release)
    thread.start()
    waiting = {"sleep": sleeps, "lock": locks, "socket": receives}.get(kind, gets)
    with here, there:
        found = found_in(waiting, calls=calls)
        thread.join()
    seconds, waited = found[2]
    assert seconds >= 0.9 * LONG
    assert 0.97 * seconds <= waited <= seconds


@each_way
@pytest.mark.parametrize("beside", [0, 1], ids=["alone", "beside another"])
def test_what_a_line_did_not_wait_is_its_cpu_time(beside, calls):
    taken = []
    is_over = threading.Event()

    def spin():
        until = time.thread_time() + LONG
        while time.thread_time() < until:
            pass

    def program():
        began = time.thread_time()
        spin()
        taken.append(time.thread_time() - began)

    def compete():
        while not is_over.is_set():
            pass

    threads = [threading.Thread(target=compete) for _ in range(beside)]
    for thread in threads:
        thread.start()
    found = found_in(program, calls=calls)
    is_over.set()
    for thread in threads:
        thread.join()
    seconds, waited = found[2]
    assert seconds - waited == pytest.approx(taken[0], rel=0.03)
    if beside:
        assert waited > 0.1 * seconds  # for the GIL
