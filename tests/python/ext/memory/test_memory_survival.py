"""Memory is recorded where other interpreters, threads without the interpreter's lock, forks and
other allocators are: nothing crashes, and every figure is exact."""

import os
import platform
import sys

import pytest

from clibrary import compiled
from survival import survives

WATCHED = """
from allocations import HEAD, assert_adds_up, drop, keep, profiled, shares

def live(profile, name="keep"):
    return shares(profile, "live")[name][:2]

gc.disable()
profile = tracer.Profile(memory=True)
"""


def goes_well(program, **variables):
    """The same on other versions: a warning of a fork beside threads is none of ours."""
    survives(
        WATCHED.replace("\n", "\n        ") + program,
        flags=("-W", "ignore::DeprecationWarning"),
        **variables,
    )


@pytest.mark.parametrize("allocator", ["malloc", "pymalloc", "debug", "malloc_debug"])
def test_each_allocator_below(allocator):
    goes_well(
        """
        with profile:
            keep(100)
            keep(50, 100, start=100)
            drop(20)
        assert live(profile) == (80 * (1000 + HEAD) + 50 * (100 + HEAD), 130)
        assert_adds_up(profile)
        still_works(profile)
        """,
        PYTHONMALLOC=allocator,
    )


@pytest.mark.parametrize("isolated", [False, True])
def test_other_interpreters_allocate_meanwhile(isolated):
    """Those that have a lock of their own allocate at the same moment as this one."""
    goes_well(f"""
        ALLOCATES = "kept = []\\nfor i in range(200_000): kept.append((i, [i]))\\n"
        threads = [
            threading.Thread(target=in_an_interpreter, args=[ALLOCATES, {isolated}])
            for _ in range(3)
        ]
        with profile:
            for thread in threads:
                thread.start()
            for _ in range(200):
                keep(200)
                drop(150)
                drop(50, start=150)
                keep(10)
            for thread in threads:
                thread.join()
        allocated = shares(profile, "allocated")["keep"]
        assert allocated[:2] == (200 * 210 * (1000 + HEAD), 200 * 210), allocated
        assert live(profile) == (10 * (1000 + HEAD), 10)
        assert_adds_up(profile)
        still_works(profile)
        """)


RECORDS = """
import gc, tracer

def keep():
    kept[0] = bytes(1000)

gc.disable()
kept = [None]
recorded = 0
while recorded < 150:
    profile = tracer.Profile(memory=True)
    try:
        profile.enable()
    except RuntimeError as error:
        assert str(error).startswith("another profile records memory in this process"), error
        continue
    keep()
    profile.disable()
    kept[0] = None
    memory = profile.capture().memory
    assert memory.cut_off is None, memory.cut_off
    rows = tracer.Stats(profile).seen_by("live").stats.items()
    found = [(round(own * 1e9), n) for (*_, name), (_, n, own, *_) in rows if name == "keep"]
    assert found == [(1033, 1)], found
    recorded += 1
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_interpreters_record_memory_in_turns(isolated):
    """One at a time is told, also where each has a lock of its own, and begins and ends as it
    pleases: the others are refused."""
    goes_well(f"""
        RECORDS = {RECORDS!r}
        threads = [
            threading.Thread(target=in_an_interpreter, args=[RECORDS, {isolated}])
            for _ in range(3)
        ]
        failed = []
        threading.excepthook = failed.append
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed, failed
        keep(1)
        still_works(profile)
        """)


LEFT_ENABLED = """
import sys, tracer
profile = sys.left_enabled = tracer.Profile(memory=True)
profile.itself = profile
profile.enable()
kept = [bytes(1000) for _ in range(1000)]
"""


def test_an_interpreter_ends_while_it_records_memory():
    """Then another one may."""
    goes_well(f"""
        for isolated in (False, True):
            in_an_interpreter({LEFT_ENABLED!r}, isolated)
            profile.clear()
            with profile:
                keep(10)
            assert live(profile) == (10 * (1000 + HEAD), 10)
            drop(10)
        assert_adds_up(profile)
        still_works(profile)
        """)


def test_the_same_thread_goes_into_another_interpreter():
    """Its function then is the one that entered; the figures are exact again after it."""
    goes_well("""
        def enter():
            in_an_interpreter("kept = [bytes(1000) for _ in range(1000)]", True)

        with profile:
            keep(20)
            enter()
            keep(20, start=20)
        assert live(profile) == (40 * (1000 + HEAD), 40)
        assert_adds_up(profile)
        still_works(profile)
        """)


def test_threads_without_the_lock_allocate():
    """Compression asks for memory while other threads run."""
    goes_well("""
        import bz2, lzma, zlib

        def compress(function):
            for _ in range(60):
                function(bytes(20_000))

        functions = (zlib.compress, bz2.compress, lzma.compress)
        threads = [threading.Thread(target=compress, args=[each]) for each in functions]
        with profile:
            for thread in threads:
                thread.start()
            for _ in range(100):
                keep(200)
                drop(200)
            for thread in threads:
                thread.join()
        assert "keep" not in shares(profile, "live")
        assert shares(profile, "allocated")["keep"][:2] == (100 * 200 * (1000 + HEAD), 20_000)
        assert_adds_up(profile)
        still_works(profile)
        """)


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="the state of a thread is not looked for among others"
)
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="its malloc() can be foreseen")
@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer uses no memory again"
)
def test_the_memory_of_a_thread_state_is_another_state_s(tmp_path):
    """The thread that had the freed one is in C. The lock that it does not hold is not taken to be
    its own when the other thread holds it."""
    goes_well(
        f"""
        import ctypes

        library = ctypes.PyDLL({str(compiled(tmp_path, "reused", "-pthread"))!r})
        library.reused_run.argtypes = [ctypes.py_object, ctypes.c_long]
        library.reused_run.restype = ctypes.c_long
        count = library.reused_run(profile.enable, 100_000)
        profile.disable()
        assert count >= 200_000, "the memory was not used again"
        memory = profile.capture().memory
        assert (memory.missed.blocks, memory.lost) == (0, 0), memory
        assert 0 <= memory.outside["allocated"].blocks - count < 1000
        assert_adds_up(profile)
        still_works(profile)
        """,
        MALLOC_ARENA_MAX="1",
        GLIBC_TUNABLES="glibc.malloc.tcache_count=0",
    )


def test_forks_while_threads_allocate():
    """A child has what its parent recorded, and goes on; the parent's figures are its own."""
    goes_well("""
        stop = threading.Event()

        def churn():
            while not stop.is_set():
                [bytes(100) for _ in range(100)]

        def in_child():
            keep(7, start=100)
            profile.disable()
            assert live(profile) == (7 * (1000 + HEAD), 7), live(profile)
            again = profiled(keep, 10)
            assert live(again) == (10 * (1000 + HEAD), 10)

        threads = [threading.Thread(target=churn) for _ in range(3)]
        with profile:
            keep(20)
            for thread in threads:
                thread.start()
            for _ in range(20):
                assert in_a_child(in_child) == 0
            stop.set()
            for thread in threads:
                thread.join()
            keep(1, start=20)
        assert live(profile) == (21 * (1000 + HEAD), 21)
        assert_adds_up(profile)
        still_works(profile)
        """)


def test_a_fork_finds_no_thread_that_the_program_did_not_make():
    """Else the interpreter warns of a deadlock in the child, from 3.12 on."""
    survives(
        WATCHED
        + """
with profile:
    assert in_a_child(keep, 1) == 0
    assert in_a_child(keep, 1) == 0
""",
        flags=("-W", "always::DeprecationWarning"),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is not told here")
def test_after_a_fork_resident_memory_is_looked_at():
    """By a thread, which the interpreter does not find at the fork."""
    survives(
        WATCHED
        + """
import mmap, time

size, part = 20 << 20, b"1" * (1 << 20)
with profile:
    assert in_a_child(keep, 1) == 0
    assert in_a_child(keep, 1) == 0
    with mmap.mmap(-1, size) as there:
        while there.tell() < size:
            there.write(part)
            time.sleep(0.03)
points = list(profile.capture().memory.curve())
seen = {(point.resident - points[0].resident) >> 20 for point in points}
assert len(seen) > 5, seen
""",
        flags=("-W", "always::DeprecationWarning"),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is not told here")
def test_a_program_may_close_all_descriptors():
    """As daemons do. What it opens then is its own, under whatever number."""
    goes_well("""
        import tempfile
        profile.enable()
        keep(1)
        last = max(int(name) for name in os.listdir("/proc/self/fd"))
        os.closerange(3, last + 1)
        files = [tempfile.TemporaryFile("w+") for _ in range(last)]
        for file in files:
            print("1 0 0", file=file, flush=True)
        keep(1, start=1)
        profile.disable()
        points = list(profile.capture().memory.curve())
        assert min(point.resident for point in points) > 1 << 20
        profile.clear()
        del profile
        for file in files:
            file.seek(0)
            assert file.read() == "1 0 0\\n"
        """)


def test_it_begins_and_ends_while_threads_allocate():
    goes_well("""
        stop = threading.Event()

        def churn():
            kept = []
            while not stop.is_set():
                kept = [bytes(n) for n in range(300)]

        threads = [threading.Thread(target=churn) for _ in range(4)]
        for thread in threads:
            thread.start()
        late = time.monotonic() + 30  # on a busy machine a turn comes seldom
        for count in range(300):
            again = tracer.Profile(memory=True)
            with again:
                keep(5)
            assert live(again) == (5 * (1000 + HEAD), 5)
            assert_adds_up(again)
            if time.monotonic() > late:
                break
        stop.set()
        for thread in threads:
            thread.join()
        """)


@pytest.mark.skipif(sys.platform != "linux", reason="setrlimit() stops nothing here")
@pytest.mark.skipif(
    "asan" in os.environ.get("LD_PRELOAD", ""), reason="a sanitizer aborts where no memory is left"
)
def test_there_is_no_memory_left():
    """What cannot be recorded is told, and nothing else is wrong."""
    goes_well("""
        import resource

        with profile:
            keep(50)
            limits = resource.getrlimit(resource.RLIMIT_AS)
            size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (size + (8 << 20), limits[1]))
            kept = []
            try:
                while True:
                    kept.append(bytes(3000))
            except MemoryError:
                pass
            resource.setrlimit(resource.RLIMIT_AS, limits)
            count = len(kept)
            del kept
            keep(50, start=50)
        assert count > 1000
        assert live(profile) == (100 * (1000 + HEAD), 100)
        assert_adds_up(profile)
        still_works(profile)
        """)
