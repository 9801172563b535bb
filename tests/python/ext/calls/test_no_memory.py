"""What becomes of a profile when malloc() has no memory for the extension: at each place that asks
for some, in turn. Python's own allocator fails in test_robustness.py and test_lines_limits.py.
"""

import os
import shutil
import subprocess
import sys
from textwrap import dedent

import pytest

from linelives import lives
from places import HELPERS
from survival import survives

SHORT = HELPERS / "short.c"

PROGRAM = """
import ctypes, weakref
import tracer._core
from tracer._core import LineRecorder

short = ctypes.CDLL(None)
short.short_held.restype = ctypes.c_long
short.short_fail.argtypes = [ctypes.c_long]
short.short_watch.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
for line in open("/proc/self/maps"):
    if " r-xp " in line and line.rstrip().endswith(tracer._core.__file__):
        short.short_watch(*(int(address, 16) for address in line.split()[0].split("-")))

class Local:
    '''Is there as long as the frame that has it in a variable.'''

def numbers():
    yield 1

def work():
    leaf()
    leaf()
    list(numbers())
    len("")

def asked(function):
    '''Whether it does not fail.'''
    try:
        function()
    except MemoryError:
        return False
    return True

def without_each(look):
    '''Calls look(number) with each number of an allocation, until there is none of that number.
    Nothing is held in the end that was not before.'''
    look(0)
    number, reached = 0, True
    while reached:
        number += 1
        gc.collect()
        before = short.short_held()
        reached = look(number)
        gc.collect()
        assert short.short_held() == before, (number, short.short_held() - before)
    return number - 1
"""


@pytest.fixture(scope="module")
def short(tmp_path_factory):
    """The library that replaces malloc()."""
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("malloc is replaced on Linux alone, by what a C compiler makes")
    if os.environ.get("LD_PRELOAD"):
        pytest.skip("LD_PRELOAD has replaced malloc already")
    built = tmp_path_factory.mktemp("short") / "short.so"
    words = [compiler, "-shared", "-fPIC", "-O1", "-fno-builtin", str(SHORT), "-o", str(built)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"the functions of glibc are not to be had: {done.stderr}")
    return str(built)


def test_each_allocation_of_a_profile(short, backend):
    """The profile can be used; one call at most is lost, and told as lost; no frame is kept."""
    program = f"""
        def within(profile):
            local = Local()
            profile.enable()
            work()
            profile.disable()
            return weakref.ref(local)

        def look(number):
            profile = tracer.Profile(backend={backend!r})
            short.short_fail(number)
            gone = within(profile)
            asked(profile.getstats)
            asked(profile.snapshot)
            reached = short.short_fail(0)
            assert gone() is None
            lost = sum(thread["lost_calls"] for thread in profile.snapshot()["threads"])
            counted = sum(entry.callcount for entry in profile.getstats())
            assert lost in (0, 1), (number, lost)
            assert counted in (5, 5 - lost), (number, counted)  # that of within() is no call
            still_works(profile)
            return reached

        assert without_each(look) > 50
    """
    survives(PROGRAM + dedent(program), LD_PRELOAD=short)


def test_each_allocation_for_a_thread_that_allocates(short, backend):
    """What the thread allocates is of its function, or of none, and told. What is known of the
    thread is freed when it ends. (The interpreter's own calls of malloc() seem to come from the
    hooks of its allocators: so what it allocates for the thread is taken and freed without them.)
    """
    program = f"""
        from tracer.analysis.memory.memory import shares_by

        def allocates(begin, done, end):
            begin.acquire()
            blocks = [bytes(400) for _ in range(10)]
            work()
            done.release()
            end.acquire()

        def look(number):
            profile = tracer.Profile(memory=True, backend={backend!r})
            locks = begin, done, end = [threading.Lock() for _ in range(3)]
            for lock in locks:
                lock.acquire()
            thread = threading.Thread(target=allocates, args=locks)
            thread.start()
            profile.enable()
            short.short_fail(number)
            begin.release()
            done.acquire()
            reached = short.short_fail(0)
            profile.disable()
            end.release()
            thread.join()
            while os.path.exists(f"/proc/self/task/{{thread.native_id}}"):
                pass  # it ends after it can be joined
            memory = profile.capture().memory
            shares = shares_by(tracer.Stats(profile), "allocated").values()
            allocated = memory.outside["allocated"].bytes + sum(share.bytes for share in shares)
            assert allocated > 10 * 400, (number, allocated)
            assert (memory.lost, memory.missed.blocks) == (0, 0), number
            return reached

        sys.setswitchinterval(1000)  # a thread runs until it waits
        look(0)
        assert without_each(look) > 25
    """
    survives(PROGRAM + dedent(program), LD_PRELOAD=short)


def test_each_allocation_of_what_is_told(short, backend):
    """What is told raises nothing; what found no memory is dropped, and told as dropped. A range
    that found none to remember that it was entered again has no end."""
    program = f"""
        def tell():
            load = tracer.range("load")
            with load, load, load:
                tracer.mark("mark", value=[1])
                tracer.counter("counter", 1)
                flow = tracer.flow("flow")
                flow.begin()
                flow.end()

        def look(number):
            profile = tracer.Profile(backend={backend!r}, timeline="1MiB")
            profile.enable()
            short.short_fail(number)
            tell()
            made = asked(profile.snapshot)
            reached = short.short_fail(0)
            profile.disable()
            timeline = profile.snapshot()["timeline"]
            dropped = timeline["dropped"]
            lists = ("ranges", "marks", "counters", "flows")
            told = {{name: len(timeline[name]) for name in lists}}
            ends = [each[3] for each in timeline["ranges"]]
            if reached and made:
                assert sum(dropped.values()) + ends.count(-1) + (told["flows"] == 0) <= 2
            else:
                assert (told, dropped) == (
                    {{"ranges": 3, "marks": 1, "counters": 1, "flows": 1}}, {{}}
                )
            assert told["ranges"] + dropped.get("ranges", 0) == 3
            still_works(profile)
            return reached

        assert without_each(look) > 8
    """
    survives(PROGRAM + dedent(program), LD_PRELOAD=short)


def test_each_allocation_of_a_line_recorder(short):
    """The recorder tells what it could not do, and can be used again."""
    program = """
        def look(number):
            recorder = LineRecorder()
            told = 0
            short.short_fail(number)
            for use in (
                lambda: recorder.add_code(work.__code__),
                lambda: recorder.add_code(numbers.__code__),
                recorder.enable,
                work,
                recorder.disable,
                recorder.snapshot,
            ):
                told += not asked(use)
            reached = short.short_fail(0)
            assert told <= 1
            recorder.disable()
            recorder.clear()
            recorder.add_code(leaf.__code__)
            goes_on(recorder)
            return reached

        assert without_each(look) > 10
    """
    lives(PROGRAM + dedent(program), LD_PRELOAD=short)
