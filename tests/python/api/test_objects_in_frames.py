"""tracer.heap(), why(): beside functions that run, whose variables hold what counts, and stay."""

import sys
import threading

import heaps
import tracer
from heaps import more_than, size_of

counted = heaps.counted  # a fixture of all tests here


class Thing:
    __slots__ = ()


def test_a_variable_of_a_running_function_holds_what_only_it_has():
    before = tracer.heap()
    big = bytes(100_000)
    assert more_than(before)["bytes"] == (1, size_of(big))
    del big
    assert "bytes" not in more_than(before)


def test_a_variable_of_another_thread_counts():
    ready, done = threading.Event(), threading.Event()

    def work():
        big = bytes(100_000)
        ready.set()
        done.wait()
        return big

    before = tracer.heap()
    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(60)
    found = more_than(before)
    done.set()
    thread.join()
    assert found["bytes"][1] >= 100_033
    assert "bytes" not in more_than(before)


def test_no_frame_keeps_what_its_variable_held():
    class Weak:
        pass

    import weakref

    value = Weak()
    gone = weakref.ref(value)
    tracer.heap()
    tracer.why(value)
    del value
    assert gone() is None


def traced(function, look):
    """What a function returns while a trace function written in Python calls look(frame) at each of
    its lines."""

    def trace(frame, event, argument):
        if frame.f_code is not function.__code__:
            return None
        if event == "line":
            look(frame)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        return function()
    finally:
        sys.settrace(before)


def count_and_look_for(frame):
    tracer.heap()
    tracer.why(frame)


def test_a_trace_function_may_count():
    """When it returns, versions up to 3.12 make what a dict of the frame has the variables."""

    def work():
        total = 0
        for number in range(10):
            total += number
        double = lambda: 2 * total  # noqa: E731  # total is in a cell
        return total, number, double()

    assert traced(work, count_and_look_for) == (45, 9, 90)


def test_what_a_trace_function_sets_stays():
    def set_and_count(frame):
        variables = frame.f_locals
        variables["value"] = 5
        tracer.heap()

    def work():
        value = 1
        return value

    assert traced(work, set_and_count) == 5


def test_what_locals_returned_stays_as_it_was():
    def work():
        value = 1
        found = locals()
        value = 2
        tracer.heap()
        return found, value

    assert work() == ({"value": 1}, 2)


def test_no_dict_of_a_frame_counts():

    def work():
        things = [Thing()]
        before = tracer.heap()
        assert more_than(before) == {}
        return things

    assert more_than(tracer.heap()) == {}
    work()
