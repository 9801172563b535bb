"""Lines by sys.settrace, the way to them on 3.11, beside what else uses it in the process: the
program itself, which puts away and back what sys.gettrace() gives, and other tools, a debugger or a
coverage measurement, in some thread or other.
"""

import _thread
import sys
import threading
import time

import pytest

from linerows import HAS_MONITORING, clock, hits, numbered, recorder_of, ticks

pytestmark = pytest.mark.skipif(HAS_MONITORING, reason="lines are told of by sys.monitoring here")


def shut_out():
    return pytest.warns(RuntimeWarning, match="sees nothing meanwhile")


def leaf():
    return None


@pytest.fixture
def tool():
    """A trace function; what it was told of `leaf` is in its attribute `seen`."""

    def trace(frame, event, argument):
        if frame.f_code is leaf.__code__:
            trace.seen.append(event)
        return trace

    trace.seen = []
    before = sys.gettrace()
    yield trace
    sys.settrace(before)


class Worker:
    """A thread that does what it is told to."""

    def __enter__(self):
        self.steps, self.go, self.done = [], threading.Semaphore(0), threading.Semaphore(0)
        self.thread = threading.Thread(target=self.work)
        self.thread.start()
        return self

    def work(self):
        while self.go.acquire() and self.steps:
            self.result = self.steps.pop()()
            self.done.release()

    def does(self, step):
        self.steps.append(step)
        self.go.release()
        assert self.done.acquire(timeout=300)
        return self.result

    def __exit__(self, *exception):
        self.go.release()
        self.thread.join()


# -- Put away and back -----------------------------------------------------------------------------


def put_away(step):
    before = sys.gettrace()
    sys.settrace(None)
    try:
        step()
    finally:
        sys.settrace(before)


def test_what_gettrace_gives_goes_on_recording():
    recorder = recorder_of(leaf)
    before = sys.gettrace()
    sys.settrace(None)
    with recorder:
        for _ in range(2):
            leaf()
            put_away(leaf)
            leaf()
    assert sys.gettrace() is None
    sys.settrace(before)
    assert hits(recorder, leaf) == {1: 4}


def test_it_goes_on_with_a_generator_that_waits():
    """The generator's resume is the very call that puts the real trace function back."""

    def numbers():
        yield 1
        clock.now += 5
        yield 2

    recorder = recorder_of(numbers)
    before = sys.gettrace()
    sys.settrace(None)
    with recorder:
        waiting = numbers()
        next(waiting)
        clock.now += 100
        put_away(int)
        next(waiting)
    sys.settrace(before)
    assert hits(recorder, numbers) == {1: 1, 2: 1, 3: 1}
    assert ticks(recorder, numbers) == {1: 0, 2: 5, 3: 0}
    assert numbered(recorder, numbers)[1].waits == 100


def test_what_gettrace_gave_ends_with_the_recording():
    recorder = recorder_of(leaf)
    before = sys.gettrace()
    sys.settrace(None)
    with recorder:
        ours = sys.gettrace()
    sys.settrace(ours)
    leaf()
    assert sys.gettrace() is None
    sys.settrace(ours)
    with recorder:  # no other tool: nobody is warned
        leaf()
    assert sys.gettrace() is None
    sys.settrace(before)
    assert hits(recorder, leaf) == {1: 1}


# -- Other tools -----------------------------------------------------------------------------------


def test_another_thread_is_left_to_its_tool(tool):
    recorder = recorder_of(leaf)
    with Worker() as worker:
        worker.does(lambda: sys.settrace(tool))
        before = sys.gettrace()
        sys.settrace(None)
        with recorder:
            leaf()
            worker.does(leaf)
        assert worker.does(sys.gettrace) is tool
        worker.does(leaf)
        sys.settrace(before)
    assert hits(recorder, leaf) == {1: 1}
    assert tool.seen == ["call", "line", "return"] * 2


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_tool_gets_back_its_own_thread(tool, where):
    recorder = recorder_of(leaf)
    with Worker() as worker:
        sys.settrace(tool)
        with shut_out():
            recorder.enable()
        leaf()
        recorder.disable() if where == "here" else worker.does(recorder.disable)
        assert sys.gettrace() is tool
        assert worker.does(sys.gettrace) is None
        leaf()
    assert hits(recorder, leaf) == {1: 1}
    assert tool.seen == ["call", "line", "return"]


def test_each_thread_that_enables_gets_back_its_own(tool):
    def other(frame, event, argument):
        return None

    one, two = recorder_of(leaf), recorder_of(leaf)
    with Worker() as worker:
        worker.does(lambda: sys.settrace(other))
        sys.settrace(tool)
        with shut_out():
            one.enable()
        with shut_out():
            worker.does(two.enable)
        worker.does(leaf)
        one.disable()
        worker.does(leaf)
        two.disable()
        assert sys.gettrace() is tool
        assert worker.does(sys.gettrace) is other
    assert (hits(one, leaf), hits(two, leaf)) == ({1: 1}, {1: 2})


def test_nothing_is_given_back_to_a_thread_that_has_another_or_has_ended(tool):
    def other(frame, event, argument):
        return None

    recorder = recorder_of(leaf)
    sys.settrace(tool)
    with shut_out():
        recorder.enable()
    sys.settrace(other)
    recorder.disable()
    assert sys.gettrace() is other
    sys.settrace(None)
    with Worker() as worker:
        worker.does(lambda: sys.settrace(tool))
        with shut_out():
            worker.does(recorder.enable)
    recorder.disable()
    assert sys.gettrace() is None


# -- New threads -----------------------------------------------------------------------------------


def test_a_new_thread_is_seen_where_no_function_is_entered():
    def work():
        begun.append(1)
        while not seen:
            time.sleep(0.001)
        leaf()
        done.append(1)

    begun, seen, done = [], [], []
    recorder = recorder_of(leaf)
    with recorder:
        _thread.start_new_thread(work, ())
        while not begun:
            time.sleep(0.001)
        seen.append(1)
        while not done:
            time.sleep(0.001)
    assert hits(recorder, leaf) == {1: 1}


def test_a_thread_is_seen_that_starts_and_ends_while_no_other_that_is_seen_runs(tool):
    def start_another():
        time.sleep(0.05)  # until the main thread waits
        thread = threading.Thread(target=leaf)
        thread.start()
        thread.join()

    with Worker() as worker:
        worker.does(lambda: sys.settrace(tool))  # this thread is left to the tool
        recorder = recorder_of(leaf)
        with recorder:
            worker.does(start_another)
        worker.does(lambda: sys.settrace(None))
    assert sum(hits(recorder, leaf).values()) == 1
    assert threading.gettrace() is None


def test_what_a_thread_of_c_was_not_seen_to_leave_is_over_in_its_next_call(foreign):
    def unseen():
        sys.settrace(None)
        clock.now += 1

    def work():
        clock.now += 2
        reached.release()
        go_on.acquire()

    def called_back():
        called.release()
        go_on.acquire()
        to_do.pop()()

    called, go_on, reached = (threading.Lock() for _ in range(3))
    for lock in (called, go_on, reached):
        lock.acquire()
    to_do = [work, unseen]
    recorder = recorder_of(unseen, work)
    with recorder:
        thread = foreign(called_back, 2)
        for _ in range(2):
            called.acquire()
            leaf()  # has the other thread traced
            go_on.release()
        reached.acquire()
        clock.now += 10
    go_on.release()
    thread.join()
    assert ticks(recorder, unseen) == {1: 0}
    assert ticks(recorder, work) == {1: 2, 2: 0, 3: 10}


def test_what_threading_is_to_give_to_threads_is_left_to_the_program():
    theirs = sys.gettrace
    threading.settrace(theirs)
    try:
        with recorder_of(leaf):
            assert threading.gettrace() is theirs
        assert threading.gettrace() is theirs
    finally:
        threading.settrace(None)
