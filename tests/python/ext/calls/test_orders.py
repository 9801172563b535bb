"""Several profiles, and a profile and another tool, started and stopped in every order.

Ours is exact, and theirs sees what it sees without us. More of other tools is in test_beside.py.
"""

import cProfile
import itertools
import queue
import sys
import threading

import pytest

import tracer
from hooks import BACKENDS, HAS_MONITORING, held
from rows import begun, calls, calls_of


def leaf():
    len("")


def work():
    leaf()
    leaf()


# -- Several profiles --------------------------------------------------------------------------

# Each way in which three profiles can be enabled and disabled once: at its first place in an order
# a profile is enabled, at its second one disabled.
ORDERS = sorted(set(itertools.permutations([0, 0, 1, 1, 2, 2])))


def spans(order):
    """How many of the pauses between the steps each profile is enabled in."""
    return [order[order.index(number) + 1 :].index(number) + 1 for number in range(3)]


def test_the_orders_are_all_there_are():
    assert len(ORDERS) == 90
    assert spans((0, 1, 1, 2, 0, 2)) == [4, 1, 2]


MIXES = {
    **{f"all {backend}": [backend] * 3 for backend in BACKENDS},
    "mixed": [BACKENDS[0], BACKENDS[-1], BACKENDS[0]],
    "mixed otherwise": [BACKENDS[-1], BACKENDS[0], BACKENDS[-1]],
}


@pytest.mark.parametrize("mix", MIXES)
def test_any_order_in_one_thread(mix):
    builtins = [True, False, True]
    for order in ORDERS:
        profiles = [
            tracer.Profile(backend=backend, builtins=wanted)
            for backend, wanted in zip(MIXES[mix], builtins, strict=True)
        ]
        for number in order:
            profile = profiles[number]
            profile.disable() if profile.enabled else profile.enable()
            leaf()
        assert held() == []
        for profile, times, wanted in zip(profiles, spans(order), builtins, strict=True):
            expected = {"leaf": times}
            if wanted:
                expected["<built-in method builtins.len>"] = times
            assert calls(profile) == expected, order


class Worker:
    """A thread that does what it is told, and waits for more."""

    def __init__(self):
        self.tasks, self.done = queue.SimpleQueue(), queue.SimpleQueue()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        while (task := self.tasks.get()) is not None:
            task()
            self.done.put(None)

    def does(self, task):
        self.tasks.put(task)
        self.done.get(timeout=300)

    def end(self):
        self.tasks.put(None)
        self.thread.join()


@pytest.fixture
def workers():
    workers = [Worker() for _ in range(3)]
    yield workers
    for worker in workers:
        worker.end()


@pytest.mark.parametrize("mix", MIXES)
def test_any_order_in_many_threads(mix, workers):
    """Each thread enables one profile and disables another; one profile is of its thread alone."""
    every_thread = [True, False, True]
    for order in ORDERS:
        profiles = [
            tracer.Profile(backend=backend, builtins=False, threads=threads)
            for backend, threads in zip(MIXES[mix], every_thread, strict=True)
        ]
        for number in order:
            profile = profiles[number]
            if profile.enabled:
                workers[(number + 1) % 3].does(profile.disable)
            else:
                workers[number].does(profile.enable)
            for worker in workers:
                worker.does(leaf)
        for profile, times, threads in zip(profiles, spans(order), every_thread, strict=True):
            assert calls_of(profile, leaf) == [times * (3 if threads else 1)], order
            for stats in tracer.Stats(profile).threads:
                expected = times if stats.thread.ident != threading.get_ident() else None
                assert calls_of(stats, leaf) == [expected], order
    found = [held()]
    for worker in workers:
        worker.does(lambda: found.append(held()))
    assert found == [[]] * 4


# -- Tools of other kinds ----------------------------------------------------------------------


class CProfile:
    """cProfile of the standard library."""

    def __init__(self):
        self.profile = cProfile.Profile()

    def start(self):
        self.profile.enable()

    def stop(self):
        self.profile.disable()

    def seen(self):
        return sorted(
            (entry.code.co_name, entry.callcount, entry.reccallcount)
            for entry in self.profile.getstats()
            if entry.code in (work.__code__, leaf.__code__)
        )


class Coverage:
    """A tool of line coverage: it asks for each line once."""

    def __init__(self):
        self.lines = set()

    def line(self, code, line):
        self.lines.add((code.co_name, line - code.co_firstlineno))
        return sys.monitoring.DISABLE

    def start(self):
        tool, events = sys.monitoring.COVERAGE_ID, sys.monitoring.events
        sys.monitoring.use_tool_id(tool, "coverage")
        sys.monitoring.register_callback(tool, events.LINE, self.line)
        sys.monitoring.set_events(tool, events.LINE)

    def stop(self):
        tool, events = sys.monitoring.COVERAGE_ID, sys.monitoring.events
        assert sys.monitoring.get_tool(tool) == "coverage"
        assert sys.monitoring.get_events(tool) == events.LINE
        sys.monitoring.set_events(tool, 0)
        assert sys.monitoring.register_callback(tool, events.LINE, None) == self.line
        sys.monitoring.free_tool_id(tool)

    def seen(self):
        return sorted(item for item in self.lines if item[0] in ("work", "leaf"))


class Watcher:
    """What a function for sys.settrace or sys.setprofile is told of our functions."""

    def __init__(self, install):
        self.install = install
        self.events = []

    def function(self, frame, event, arg):
        if frame.f_code in (work.__code__, leaf.__code__):
            self.events.append((event, frame.f_code.co_name, frame.f_lineno))
        return self.function

    def start(self):
        self.install(self.function)

    def stop(self):
        self.install(None)

    def seen(self):
        return self.events


class Debugger(Watcher):
    def __init__(self):
        super().__init__(sys.settrace)


class ProfileFunction(Watcher):
    def __init__(self):
        super().__init__(sys.setprofile)


class Nobody:
    def start(self):
        pass

    stop = start


class Tracer:
    def __init__(self, backend):
        self.profile = tracer.Profile(backend=backend, builtins=False)

    def start(self):
        self.profile.enable()

    def stop(self):
        self.profile.disable()


def run_beside(first, last, theirs, ours):
    """Works after each start and stop: (how often ours was on then, what theirs saw)."""
    tools = {"theirs": theirs, "ours": ours}
    (second,) = tools.keys() - {first}
    (third,) = tools.keys() - {last}
    times, on = 0, False
    for step in (tools[first].start, tools[second].start, tools[third].stop, tools[last].stop):
        step()
        on = on ^ (getattr(step, "__self__", None) is ours)
        times += on
        work()
    return times, theirs.seen()


def possible(backend, kind):
    """Before 3.12 there is one function a thread, and sys.setprofile always sets that one."""
    if backend == "setprofile" and kind is ProfileFunction:
        return False
    return HAS_MONITORING or kind not in (CProfile, Coverage)


PAIRS = [
    (backend, kind)
    for backend in BACKENDS
    for kind in (CProfile, Coverage, Debugger, ProfileFunction)
    if possible(backend, kind)
]


@pytest.mark.parametrize("last", ["theirs", "ours"])
@pytest.mark.parametrize("first", ["theirs", "ours"])
@pytest.mark.parametrize("backend, kind", PAIRS)
def test_beside_another_tool(backend, kind, first, last):
    before = sys.gettrace(), sys.getprofile()
    _, alone = run_beside(first, last, kind(), Nobody())
    ours = Tracer(backend)
    times, beside = run_beside(first, last, kind(), ours)
    assert times == {("ours", "ours"): 3, ("theirs", "theirs"): 1}.get((first, last), 2)
    assert calls_of(ours.profile, work, leaf) == [times, 2 * times]
    assert begun(ours.profile)[label_of(leaf)][4] == {label_of(work): callers_of_leaf(ours.profile)}
    assert alone
    assert beside == alone
    assert held() == []
    assert (sys.gettrace(), sys.getprofile()) == before


def label_of(function):
    code = function.__code__
    return code.co_filename, code.co_firstlineno, code.co_name


def callers_of_leaf(profile):
    """What its only caller must have: all its calls and all its time."""
    primitive, calls, tottime, cumtime, _ = tracer.Stats(profile).stats[label_of(leaf)]
    return calls, primitive, tottime, cumtime


@pytest.mark.skipif(not HAS_MONITORING, reason="sys.monitoring came with Python 3.12")
@pytest.mark.parametrize("backend", BACKENDS)
def test_all_of_them_at_once(backend):
    """All but the tool whose place PyEval_SetProfile takes."""
    kinds = [CProfile, Coverage, Debugger] + [ProfileFunction] * (backend == "monitoring")
    alone = []
    for kind in kinds:
        tool = kind()
        tool.start()
        work()
        tool.stop()
        alone.append(tool.seen())
    tools = [kind() for kind in kinds]
    profiles = [tracer.Profile(backend=backend) for _ in range(2)]
    profiles[0].enable()
    for tool in tools:
        tool.start()
    profiles[1].enable()
    work()
    profiles[0].disable()
    for tool in tools:
        tool.stop()
    profiles[1].disable()
    assert [tool.seen() for tool in tools] == alone
    assert [calls_of(profile, work, leaf) for profile in profiles] == [[1, 2], [1, 2]]
    assert held() == []


@pytest.mark.skipif(not HAS_MONITORING, reason="there one function a thread is all there is")
def test_sys_setprofile_takes_nothing_from_monitoring():
    profile = tracer.Profile(backend="monitoring")
    theirs = ProfileFunction()
    profile.enable()
    theirs.start()
    leaf()
    profile.disable()
    theirs.stop()
    (thread,) = (item.thread for item in tracer.Stats(profile).threads)
    assert thread.cut_off is None
    assert calls_of(profile, leaf) == [1]
