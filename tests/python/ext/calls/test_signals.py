"""Exceptions that come from outside, at any step: signal handlers that raise, Ctrl-C, and trace
functions that raise. Where one strikes, the interpreter may report the end of a call whose start it
did not report; what the profile says of everything else must stay exact.
"""

import _thread
import random
import signal
import struct
import sys
import threading

import pytest

import tracer

SIGNALS = 10_000


class Stop(Exception):
    pass


# -- A program to be struck ----------------------------------------------------------------------


def leaf():
    pass


def numbers(count):
    try:
        for number in range(count):
            leaf()
            yield number
    finally:
        leaf()


class Manager:
    def __enter__(self):
        leaf()
        return self

    def __exit__(self, *error):
        leaf()


def nested(depth):
    if depth:
        try:
            nested(depth - 1)
        finally:
            leaf()
    else:
        sorted([3, 1, 2], key=lambda value: (leaf(), value))


def work():
    for number in numbers(3):
        with Manager():
            nested(number)
            "".join(str(value) for value in numbers(2))


def probe():
    pass


def known_caller():
    probe()


# -- What is asked of the profile ----------------------------------------------------------------


def named(stats, name):
    """(calls, {caller: calls}) of a function of this file."""
    ((_, calls, _, _, callers),) = (
        row for label, row in stats.stats.items() if label[::2] == (__file__, name)
    )
    return calls, {label[2]: figures[0] for label, figures in callers.items()}


def deepest(stats):
    """How many calls the longest path of the main thread has."""
    nodes = stats.threads["MainThread"].thread.records["nodes"]
    depths = []
    for parent, *_ in struct.iter_unpack("<IIQQqq", nodes):
        depths.append(depths[parent] + 1 if depths else 0)
    return max(depths)


def depth_here():
    depth, frame = 0, sys._getframe()
    while frame := frame.f_back:
        depth += 1
    return depth


DEEPEST = 15  # known_caller(), or work() with what it calls and a handler on top

CALLERS_OF_LEAF = {"numbers", "__enter__", "__exit__", "nested", "<lambda>"}
if sys.version_info[:2] != (3, 12):
    # Where a handler raises at the very step that resumes a generator, the interpreter does not
    # report that it goes on, into its `finally`.
    CALLERS_OF_LEAF |= {"work", "<genexpr>"}


def check(profile, rounds, caller):
    """`caller` caught all that was raised, and what it calls then has no other caller: not even one
    that is over and still on the stack by mistake."""
    stats = tracer.Stats(profile)
    assert named(stats, "probe") == (rounds, {"known_caller": rounds})
    assert named(stats, "known_caller") == (rounds, {caller: rounds})
    assert deepest(stats) <= depth_here() + DEEPEST
    assert set(named(stats, "leaf")[1]) <= CALLERS_OF_LEAF
    return stats


# -- Signals -------------------------------------------------------------------------------------


@pytest.fixture
def restore_handlers():
    before = {number: signal.getsignal(number) for number in (signal.SIGALRM, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("restore_handlers")
def test_handlers_that_raise_at_random_moments():
    def handler(number, frame):
        raise Stop

    def round_of_work(microseconds):
        try:
            signal.setitimer(signal.ITIMER_REAL, microseconds / 1e6)
            while True:
                work()
        except Stop:
            known_caller()

    def rounds():
        for _ in range(SIGNALS):
            round_of_work(rng.uniform(20, 200))

    rng = random.Random(20)
    signal.signal(signal.SIGALRM, handler)
    profile = tracer.Profile()
    profile.runcall(rounds)
    stats = check(profile, SIGNALS, "round_of_work")
    assert named(stats, "handler")[0] == SIGNALS
    assert named(stats, "round_of_work") == (SIGNALS, {"rounds": SIGNALS})


@pytest.mark.usefixtures("restore_handlers")
def test_ctrl_c_in_every_call_of_a_function(monkeypatch):
    """The handler runs as soon as raise_signal() is over, wherever that is called."""

    def interrupting():
        nonlocal countdown
        countdown -= 1
        if countdown == 0:
            signal.raise_signal(signal.SIGINT)

    def strike():
        try:
            work()
            finished.append(True)
        except KeyboardInterrupt:
            known_caller()

    def leaf():
        interrupting()

    finished = []
    rounds = 0
    countdown = 0
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setitem(globals(), "leaf", leaf)
    profile = tracer.Profile()
    with profile:
        while not finished:
            rounds += 1
            countdown = rounds
            strike()
    assert rounds > 30
    check(profile, rounds - 1, "strike")


@pytest.mark.usefixtures("restore_handlers")
def test_interrupts_that_another_thread_sends():
    def send():
        while not over:
            ready.wait()
            ready.clear()
            _thread.interrupt_main()

    def strike():
        try:
            ready.set()
            while True:
                work()
        except KeyboardInterrupt:
            known_caller()

    over = False
    ready = threading.Event()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = threading.Thread(target=send)
    profile = tracer.Profile(threads=False)
    with profile:
        thread.start()
        for _ in range(300):
            strike()
        over = True
        try:
            ready.set()
            thread.join()
            while True:
                work()
        except KeyboardInterrupt:
            pass
    check(profile, 300, "strike")


# -- Trace functions -----------------------------------------------------------------------------


def test_a_trace_function_that_raises_at_every_event():
    """A trace function that raises is taken off, before or after the profile heard of the event."""

    def trace(frame, event, argument):
        nonlocal countdown
        if frame.f_code.co_filename == __file__:
            countdown -= 1
            if countdown == 0:
                struck.append((event, frame.f_code))
                raise Stop
        return trace

    def strike():
        sys.settrace(trace)
        try:
            work()
            finished.append(True)
        except Stop:
            pass
        finally:
            sys.settrace(None)
        known_caller()

    struck = []
    finished = []
    rounds = 0
    countdown = 0
    before = sys.gettrace()
    profile = tracer.Profile()
    try:
        with profile:
            while not finished:
                rounds += 1
                countdown = rounds
                strike()
    finally:
        sys.settrace(before)
    assert rounds > 200
    # On 3.11 a return whose trace function raises is not reported at all: that frame is on the
    # stack until its caller ends.
    late = struck.count(("return", work.__code__)) if sys.version_info < (3, 12) else 0
    stats = tracer.Stats(profile)
    callers = {"strike": rounds - late, "work": late} if late else {"strike": rounds}
    assert named(stats, "known_caller") == (rounds, callers)
    assert named(stats, "probe") == (rounds, {"known_caller": rounds})
    assert deepest(stats) <= depth_here() + DEEPEST
