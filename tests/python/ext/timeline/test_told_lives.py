"""What is told to timelines while profiles come and go: against a model, in programs that end in
the middle, in interpreters of their own, and by many threads at once."""

import random
import threading

import pytest

import tracer
from launch import traced, write
from rows import Clock
from survival import survives


class Model:
    """What a profile has, when one function tells all: a leave ends the latest that it entered."""

    def __init__(self, clock):
        self.clock = clock
        self.origin = None
        self.enabled = False
        self.clear()

    def clear(self):
        self.ranges, self.marks, self.flows, self.begun = {}, [], [], {}
        self.origin = self.clock.now if self.enabled else None

    def enable(self):
        self.enabled = True
        self.origin = self.clock.now if self.origin is None else self.origin

    def disable(self):
        self.enabled = False

    def now(self):
        return self.clock.now - self.origin

    def tell(self, what, name, number):
        if not self.enabled:
            return
        if what == "enter":
            self.ranges[number] = [self.now(), -1, name]
        elif what == "leave" and number in self.ranges:
            self.ranges[number][1] = self.now()
        elif what == "mark":
            self.marks.append((self.now(), name))
        elif what == "begin":
            self.begun[number] = self.now()
        elif what == "end" and number in self.begun:
            self.flows.append((name, self.begun[number], self.now()))

    def found(self):
        return [*map(tuple, self.ranges.values())], self.marks, self.flows


def found_in(profile):
    timeline = profile.snapshot()["timeline"]
    return (
        [each[2:5] for each in timeline["ranges"]],
        [each[2:4] for each in timeline["marks"]],
        [(name, begun, ended) for name, _, begun, _, ended in timeline["flows"]],
    )


ACTIONS = ("enter", "leave", "mark", "begin", "end", "enable", "disable", "clear")


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_against_the_model(seed):
    rng, clock = random.Random(seed), Clock()
    profiles = [tracer.Profile(clock, 1.0, timeline=True) for _ in range(3)]
    models = [Model(clock) for _ in profiles]
    ranges = [tracer.range(f"r{i}") for i in range(4)]
    flows = [tracer.flow(f"f{i}") for i in range(2)]
    entered = {each: [] for each in ranges}
    began = {}
    for number in range(400):
        clock.now += rng.randrange(3)
        action = rng.choice(ACTIONS)
        which = rng.randrange(3)
        if action in ("enable", "disable", "clear"):
            if action != "clear" or rng.random() < 0.3:
                getattr(profiles[which], action)()
                getattr(models[which], action)()
            continue
        some, flow = rng.choice(ranges), rng.choice(flows)
        told = number
        if action == "enter":
            some.__enter__()
            entered[some].append(number)
        elif action == "leave":
            some.__exit__(None, None, None)
            told = entered[some].pop() if entered[some] else -1
        elif action == "mark":
            tracer.mark(some.name)
        elif action == "begin":
            flow.begin()
            began[flow] = number
        else:
            flow.end()
            told = began.get(flow, -1)
        for model in models:
            model.tell(action, flow.name if action in ("begin", "end") else some.name, told)
    for profile, model in zip(profiles, models, strict=True):
        profile.disable()
        assert found_in(profile) == model.found()


def test_many_threads_tell_at_once():
    profile = tracer.Profile(timeline=True)
    shared, flow = tracer.range("shared"), tracer.flow("flow")
    rounds, workers = 200, 8
    begin = threading.Barrier(workers + 1)
    over = threading.Event()

    @tracer.range("decorated")
    def decorated(i):
        tracer.counter("i", i)

    def work(name):
        begin.wait(60)
        for i in range(rounds):
            with tracer.range(name, i=i), shared:
                tracer.mark(name)
                flow.begin()
                decorated(i)
                flow.end()

    def look():
        begin.wait(60)
        while not over.is_set():
            profile.snapshot()

    threads = [threading.Thread(target=work, args=[f"t{i}"]) for i in range(workers)]
    looking = threading.Thread(target=look)
    profile.enable()
    for thread in (*threads, looking):
        thread.start()
    for thread in threads:
        thread.join()
    over.set()
    looking.join()
    profile.disable()
    timeline = profile.snapshot()["timeline"]
    assert timeline["dropped"] == {}
    assert len(timeline["marks"]) == len(timeline["counters"]) == rounds * workers
    assert len(timeline["ranges"]) == 3 * rounds * workers
    assert len(timeline["flows"]) == rounds * workers
    for thread, _, start, end, _, _, _, _, end_thread in timeline["ranges"]:
        assert end >= start
        assert end_thread == thread


@pytest.mark.parametrize("ending", ["", "sys.exit()", "os._exit(0)", "profile.disable()"])
def test_programs_that_end_in_the_middle(ending):
    program = f"""
profile = tracer.Profile(timeline=True)
profile.enable()
load = tracer.range("load", value=object())
load.__enter__()
load.__enter__()
flow = tracer.flow("flow")
flow.begin()

class Late:
    def __del__(self, tracer_range=tracer.range, mark=tracer.mark):
        with load, tracer_range("late"):
            mark("late")
            flow.end()

late = Late()
late.me = late
gc.callbacks.append(lambda phase, info, mark=tracer.mark: mark(phase))
{ending}
"""
    survives(program)


@pytest.mark.parametrize("isolated", [False, True])
def test_interpreters_have_timelines_of_their_own(isolated):
    survives(f"""
source = '''
import gc, tracer
profile = tracer.Profile(timeline=True)
with profile:
    with tracer.range("inside"):
        tracer.mark("inside")
        gc.collect()
    tracer.range("open").__enter__()
timeline = profile.snapshot()["timeline"]
assert [each[4] for each in timeline["ranges"]] == ["inside", "open"], timeline
assert len(timeline["marks"]) == len(timeline["collections"]) == 1, timeline
profile.enable()
'''
with tracer.Profile(timeline=True) as profile, tracer.range("outside"):
    in_an_interpreter(source, {isolated})
assert [each[4] for each in profile.snapshot()["timeline"]["ranges"]] == ["outside"]
""")


def test_a_fork_in_a_thread_with_open_ranges():
    survives("""
import warnings

def child(load, flow):
    load.__exit__(None, None, None)
    flow.end()
    assert profile.snapshot()["timeline"]["ranges"] == ()
    assert profile.snapshot()["timeline"]["forks"] == ()
    with load, tracer.range("child"):
        flow.begin()
        flow.end()
    timeline = profile.snapshot()["timeline"]
    assert [each[4] for each in timeline["ranges"]] == ["load", "child"]
    assert len(timeline["flows"]) == 1
    assert timeline["pid"] == os.getpid()

def fork():
    load, flow = tracer.range("load"), tracer.flow("flow")
    with load:
        flow.begin()
        assert in_a_child(child, load, flow) == 0
        flow.end()

warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads
profile = tracer.Profile(timeline=True)
with profile:
    thread = threading.Thread(target=fork)
    thread.start()
    thread.join()
timeline = profile.snapshot()["timeline"]
((thread, _, start, end, *_),) = timeline["ranges"]
assert start <= end and len(timeline["flows"]) == 1
((where, tick, what, pid),) = timeline["forks"]
assert (where, what, pid) == (thread, "fork", -1) and start <= tick <= end
""")


ENDS = """
import os, sys, tracer

if os.fork() == 0:
    os._exit(0)
os.wait()
try:
    os.execv("/nowhere/at/all", ["x"])
except OSError:
    tracer.mark("before")
os.execv(sys.executable, [sys.executable, "-c", "print('replaced')"])
"""


def test_the_command_notes_forks_and_exec(tmp_path):
    program = write(tmp_path / "main.py", ENDS)
    profile = tmp_path / "profile.out"
    ended = traced("--timeline", "-o", str(profile), program)
    assert (ended.returncode, ended.stdout) == (0, b"replaced\n")
    (capture,) = tracer.Stats(profile).captures
    fork, replaced = capture.timeline.forks
    (mark,) = capture.timeline.marks
    assert (fork.what, replaced.what) == ("fork", "exec")
    assert (fork.pid, replaced.pid) == (-1, capture.timeline.pid)
    assert fork.tick < mark.tick < replaced.tick
