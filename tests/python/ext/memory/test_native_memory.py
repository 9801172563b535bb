"""What C code takes by malloc belongs to the function that runs, to the byte.

Programs run in processes that have the preloaded library. glibc gives the blocks that are asked for
here by ctypes, so that their sizes are known. See test_memory.py for Python's own allocators,
and test_command_native_memory.py for the command.
"""

import json
import shutil
import subprocess
from errno import EINVAL, ENOMEM

import pytest

import tracer
from allocations import NATIVE_MEMORY
from launch import environment, plain, write
from tracer.runtime import preloading
from tracer.runtime.preloading import LIBRARY

pytestmark = NATIVE_MEMORY

# What each program begins with. The loops are of while: see test_memory.py.
PRELUDE = """
import ctypes, gc, json, os, sys, threading
import tracer

libc = ctypes.CDLL(None)
size_t = ctypes.c_size_t

class pointer(ctypes.c_void_p):
    # Functions return an object of a subclass as it is. An int takes more or less, or is in a free
    # list, as the address is: which is left to chance.
    __slots__ = ()

def declared(name, result, *arguments):
    function = getattr(libc, name)
    function.restype, function.argtypes = result, arguments
    return function

malloc = declared("malloc", pointer, size_t)
calloc = declared("calloc", pointer, size_t, size_t)
realloc = declared("realloc", pointer, pointer, size_t)
free = declared("free", None, pointer)
KEPT = [None] * 4096

def shares(profile, measure="live"):
    rows = tracer.Stats(profile).seen_by(measure).stats.items()
    found = {}
    for (_, _, name), (_, blocks, own, _, _) in rows:
        found[name] = (round(own * 1e9), blocks)
    return found

def profiled(function, *args):
    function(*args)  # what ctypes makes at a first call is made
    KEPT[:] = [None] * len(KEPT)
    gc.collect()
    gc.disable()
    profile = tracer.Profile(memory=True)
    profile.runcall(function, *args)
    return profile

def tell(**found):
    print(json.dumps(found))
"""


def told(code, *, library=True, **changes):
    """What a program tells, in a process with the library or without."""
    if library:
        changes["LD_PRELOAD"] = LIBRARY
    done = plain("-c", PRELUDE + code, env=environment(**changes))
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout.splitlines()[-1])


TAKING = """
def take(size):
    KEPT[0] = malloc(size)

def take_all():
    take(1_000_003)
"""


@pytest.mark.parametrize("malloc", ["", "malloc", "debug"])
def test_what_malloc_gives_belongs_to_the_function(malloc):
    code = f"{TAKING}\nprofile = profiled(take_all)\n"
    code += "tell(live=shares(profile), kept=sys.getsizeof(KEPT[0]))"
    options = {"PYTHONMALLOC": malloc} if malloc else {}
    found, without = told(code, **options), told(code, library=False, **options)
    size, blocks = without["live"][
        "take"
    ]  # the object with the address; 3.15's ctypes keeps another
    assert without["kept"] <= size < 1000
    assert found["live"]["take"] == [size + 1_000_003, blocks + 1]


def test_each_function_that_gives_memory_counts():
    code = """
def take():
    block = malloc(1000)
    KEPT[0] = realloc(block, 3000)
    KEPT[1] = realloc(None, 500)
    KEPT[2] = calloc(7, 100)
    KEPT[3] = declared("memalign", pointer, size_t, size_t)(256, 1024)
    KEPT[4] = declared("aligned_alloc", pointer, size_t, size_t)(64, 6400)
    KEPT[5] = declared("valloc", pointer, size_t)(8192)
    KEPT[6] = declared("pvalloc", pointer, size_t)(1)
    KEPT[7] = declared("reallocarray", pointer, pointer, size_t, size_t)(None, 30, 100)
    KEPT[8] = declared("strdup", pointer, ctypes.c_char_p)(b"x" * 9999)
    made = pointer()
    declared("posix_memalign", ctypes.c_int, pointer, size_t, size_t)(ctypes.byref(made), 64, 640)
    KEPT[9] = made

def drop():
    at = 0
    while at < 10:
        free(KEPT[at])
        at += 1

profile = profiled(take)
live = shares(profile)
for at, multiple in (3, 256), (4, 64), (5, 4096), (6, 4096), (9, 64):
    assert KEPT[at].value % multiple == 0
profile.enable()
drop()
profile.disable()
tell(live=live["take"], page=os.sysconf("SC_PAGE_SIZE"))
"""
    # Types that ctypes makes for a call have memory, too: the same run without the library has it.
    found, without = told(code), told(code, library=False)
    given = 3000 + 500 + 700 + 1024 + 6400 + 8192 + found["page"] + 3000 + 10_000 + 640
    assert found["live"][0] - without["live"][0] == given
    assert found["live"][1] - without["live"][1] == 10


def test_who_frees_does_not_matter():
    code = """
def take():
    at = 0
    while at < 100:
        KEPT[at] = malloc(10_000)
        at += 1

def drop():
    at = 0
    while at < 100:
        free(KEPT[at])
        KEPT[at] = None
        at += 1
    KEPT[0] = realloc(malloc(77), 0)

def work():
    take()
    drop()

profile = profiled(work)
memory = profile.capture().memory
tell(live=shares(profile)["take"], freed=shares(profile, "freed")["drop"][0],
     peak=shares(profile, "peak")["take"],
     temporary=shares(profile, "temporary")["drop"], total=memory.live, missed=memory.missed)
"""
    found = told(code)
    assert found["live"][0] < 10_000
    assert found["peak"][0] >= 1_000_000
    assert found["freed"] >= 1_000_000
    assert found["temporary"][0] >= 77
    assert found["missed"] == [0, 0]


def test_what_fails_is_no_allocation():
    code = """
ERRORS = []
libc = ctypes.CDLL(None, use_errno=True)
malloc = declared("malloc", pointer, size_t)
realloc = declared("realloc", pointer, pointer, size_t)
calloc = declared("calloc", pointer, size_t, size_t)
posix_memalign = declared("posix_memalign", ctypes.c_int, pointer, size_t, size_t)

def fail():
    KEPT[0] = malloc(1000)
    for function, *words in (
        (malloc, 2**62), (realloc, KEPT[0], 2**62), (calloc, 2**40, 2**40)
    ):
        ctypes.set_errno(0)
        KEPT[1] = function(*words)
        ERRORS.append((KEPT[1].value, ctypes.get_errno()))
    made = pointer()
    ERRORS.append((made.value, posix_memalign(ctypes.byref(made), 3, 8)))

def work():
    fail()

fail()
ERRORS.clear()
gc.collect(); gc.disable()
profile = tracer.Profile(memory=True)
profile.runcall(work)
memory = profile.capture().memory
tell(errors=ERRORS, live=memory.live, missed=memory.missed, lost=memory.lost)
"""
    found, without = told(code), told(code, library=False)
    assert found["errors"] == [*[[None, ENOMEM]] * 3, [None, EINVAL]]
    assert found["errors"] == without["errors"]
    assert found["live"][0] - without["live"][0] == 1000
    assert found["missed"] == [0, 0]
    assert found["lost"] == 0


def test_what_python_takes_counts_once():
    """Its allocators take large blocks by malloc; what tracer takes to record is no program's."""
    code = """
FUNCTIONS = []
for number in range(3000):
    space = {}
    exec(f"def f{number}(at): KEPT[at] = bytes(1000)", globals(), space)
    FUNCTIONS.append(space[f"f{number}"])

def work():
    at = 0
    for function in FUNCTIONS:
        function(at)
        at += 1
    KEPT[at] = bytes(100_000)

profile = profiled(work)
memory = profile.capture().memory
tell(live=shares(profile), all=memory.live, outside=memory.outside["allocated"])
"""
    found, without = told(code), told(code, library=False)
    assert found["live"]["f2999"] == [1033, 1]
    assert found["live"] == without["live"]
    assert found["all"] == without["all"]
    assert found["outside"] == without["outside"]


def test_the_arrays_of_numpy_count_once():
    pytest.importorskip("numpy")
    code = """
import numpy
def work():
    KEPT[0] = numpy.ones(10**6)
profile = profiled(work)
tell(live=profile.capture().memory.live)
"""
    found, without = told(code), told(code, library=False)
    assert 8_000_000 <= found["live"][0] < 8_010_000
    assert found["live"] == without["live"]


def test_the_memory_of_a_library_shows():
    pytest.importorskip("sqlite3")
    code = """
import sqlite3
def fill():
    base = sqlite3.connect(":memory:")
    KEPT[0] = base
    base.execute("create table things (thing blob)")
    base.execute("insert into things values (zeroblob(3000000))")
profile = profiled(fill)
tell(live=profile.capture().memory.live)
"""
    assert told(code)["live"][0] > 3_000_000
    assert told(code, library=False)["live"][0] < 300_000


THREADS = """
import random

def churn(number):
    chance = random.Random(number)
    blocks = []
    for _ in range(3000):
        what = chance.random()
        if what < .5 or not blocks:
            blocks.append(malloc(chance.randrange(1, 5000)))
        elif what < .75:
            at = chance.randrange(len(blocks))
            blocks[at] = realloc(blocks[at], chance.randrange(1, 5000))
        else:
            free(blocks.pop())
    for block in blocks:
        free(block)
    KEPT[number] = malloc(100_000 + number)

def work(count=8):
    threads = [threading.Thread(target=churn, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads
"""


def test_threads_have_what_they_take():
    code = f"""{THREADS}
profile = tracer.Profile(memory=True)
profile.enable()
for thread in work():
    thread.join()
profile.disable()
memory = profile.capture().memory
tell(live=shares(profile)["churn"], missed=memory.missed, lost=memory.lost)
"""
    found = told(code)
    given = sum(100_000 + number for number in range(8))
    assert given <= found["live"][0] < given + 10_000  # and the objects with the addresses
    assert found["missed"] == [0, 0]
    assert found["lost"] == 0


def test_processes_fork_while_threads_allocate():
    code = f"""{THREADS}
import time
profile = tracer.Profile(memory=True)
profile.enable()
threads = work(4)
ended = []
for number in range(20):
    child = os.fork()
    if child == 0:
        free(malloc(1000))
        os._exit(7 if tracer.Profile(memory=True) else 1)
    ended.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for thread in threads:
    thread.join()
profile.disable()
tell(ended=ended, lost=profile.capture().memory.lost)
"""
    assert told(code) == {"ended": [7] * 20, "lost": 0}


def test_profiles_come_and_go_while_threads_allocate():
    code = f"""{THREADS}
threads = work(6)
rounds = 0
while rounds < 50 or any(thread.is_alive() for thread in threads):
    profile = tracer.Profile(memory=True)
    profile.enable()
    KEPT[100] = malloc(5000)
    free(KEPT[100])
    profile.disable()
    profile.clear()
    rounds += 1
tell(rounds=rounds)
"""
    assert told(code)["rounds"] >= 50


# -- The profile of a program's own --


def test_a_profile_needs_the_library(monkeypatch, tmp_path):
    with pytest.raises(RuntimeError) as raised:
        tracer.Profile(memory="native")
    assert str(raised.value) == (
        "memory='native' needs a process with tracer's library: start the program with "
        f"LD_PRELOAD={LIBRARY}"
    )
    path = write(tmp_path / "a library.so", "")
    monkeypatch.setattr(preloading, "LIBRARY", str(path))
    with pytest.raises(RuntimeError) as raised:
        tracer.Profile(memory="native")
    assert str(raised.value) == (
        "memory='native': the system loads no library of a path with spaces or colons, as "
        f"{str(path)!r}; install tracer elsewhere, or give memory=True"
    )
    monkeypatch.setattr(preloading, "LIBRARY", "/gone.so")
    with pytest.raises(RuntimeError, match=r"on Linux with glibc only; give memory=True$"):
        tracer.Profile(memory="native")


def test_a_profile_in_a_process_with_the_library():
    code = (
        TAKING
        + """
take_all()
profile = tracer.Profile(memory="native")
profile.runcall(take_all)
memory = profile.capture().memory
tell(native=memory.native, size=memory.live.bytes)
"""
    )
    found = told(code)
    assert found["native"]
    assert found["size"] > 1_000_000
    with pytest.raises(AssertionError, match="needs a process with tracer's library"):
        told(code, library=False)


def test_memory_is_true_false_or_native():
    with pytest.raises(ValueError, match=r"^memory must be True, False or 'native', not 'all'$"):
        tracer.Profile(memory="all")


def test_the_library_wants_nothing_of_python():
    if shutil.which("nm") is None:
        pytest.skip("nm is missing")
    done = subprocess.run(["nm", "-D", LIBRARY], capture_output=True, text=True, check=True)
    names = {line.split()[-1].partition("@")[0] for line in done.stdout.splitlines()}
    assert {"malloc", "free", "__libc_malloc"} <= names
    assert [name for name in names if "Py" in name] == []
