"""Nothing is kept of what is over: the same again and again takes no more memory.

Counted are the blocks that Python's allocator has given out, and the smallest chunks that fit in
the bytes that malloc has given out, which glibc alone tells. Caches fill and tables grow, less and
less; what leaks does so in every round.
"""

import collections
import ctypes
import gc
import operator
import sys
import threading

import pytest

import tracer
from hooks import BACKENDS, HAS_MONITORING, OURS
from tracer._core import LineRecorder

SPANS, ROUNDS = 12, 50
SMALLEST = 32  # bytes, a chunk of glibc's malloc: its own figures creep by one or two in a span
NOTHING = [0, 0, 0]
LIVE_ON = [sys, threading, tracer, tracer._core, tracer.Profile, LineRecorder, Exception, len]
if HAS_MONITORING:
    LIVE_ON += [sys.monitoring, sys.monitoring.events]


class MallInfo(ctypes.Structure):
    _fields_ = [("sizes", ctypes.c_size_t * 10)]  # 4: mapped, 7: the rest of what is given out


def malloc_info():
    """glibc's mallinfo2, or None."""
    found = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if found is not None:
        found.restype = MallInfo
    return found


mallinfo = malloc_info()
needs_glibc = pytest.mark.skipif(
    mallinfo is None, reason="what malloc has given out is not told here"
)


def taken():
    """Python's blocks and malloc's chunks that are given out, and references to what lives on."""
    gc.collect()
    sizes = mallinfo().sizes
    references = sum(map(sys.getrefcount, LIVE_ON))
    return sys.getallocatedblocks(), (sizes[4] + sizes[7]) // SMALLEST, references


def growth(round_of):
    """What each round leaves behind, in whole blocks, chunks and references, once nothing has to
    warm up."""
    before = taken()
    for _ in range(SPANS):
        for _ in range(ROUNDS):
            round_of()
        after = taken()
        left = [(more - less) // ROUNDS for more, less in zip(after, before, strict=True)]
        if max(left) <= 0:
            return NOTHING
        before = after
    return left


class Ufunc:
    """In the place of numpy's: its name is made anew whenever it is asked for."""

    __name__ = property(lambda self: " ".join(["add"] * 9))

    def __call__(self):
        pass


# A profile knows numpy's ufuncs by the name of their type, and tells all of them apart.
ufunc = type("numpy.ufunc", (Ufunc,), {})()


def new_functions():
    """Functions that no round has seen, one calling the other, and methods of C."""
    names = {"deque": collections.deque, "itemgetter": operator.itemgetter, "ufunc": ufunc}
    exec(
        "def leaf(n): return len(str(n))\n"
        "def count(n):\n    for i in range(n): yield leaf(i)\n"
        "def around(profile):\n    profile.enable()\n    work()\n    profile.disable()\n"
        "def work():\n    queue = deque(count(5))\n    queue.append(itemgetter(0)(queue))\n"
        "    ufunc()\n",
        names,
    )
    return names["work"], names["around"]


def profiled(**options):
    profile = tracer.Profile(**options)
    work, around = new_functions()
    profile.runcall(work)
    around(profile)
    assert profile.getstats()
    return profile


def lined():
    work, _ = new_functions()
    recorder = LineRecorder()
    recorder.add_code(work.__code__)
    recorder.enable()
    work()
    recorder.disable()
    assert recorder.snapshot()["threads"]


def in_threads(**options):
    profile = tracer.Profile(**options)
    profile.enable()
    thread = threading.Thread(target=new_functions()[0])
    thread.start()
    thread.join()
    profile.disable()
    assert profile.getstats()


def written():
    stats = tracer.Stats(profiled())
    assert stats.total_calls


class Odd:
    def __str__(self):
        raise ValueError


def tell():
    """All that a program can say of itself, a part of it twice, without an end or in a cycle."""
    load = tracer.range("load " * 3, "io", value=Odd(), text="x" * 3000)
    with load, load, load.copy():
        load.__enter__()
        tracer.mark(Odd(), value=[1], size=2**70, name="y")
        tracer.counter("loss", Odd())
        tracer.counter("loss", 2**40)
    holder = [load]
    holder.append(tracer.range(holder, holder, value=holder))
    tracer.range("left").__enter__()
    flow = tracer.flow(holder)
    holder.append(flow)
    for _ in range(2):
        flow.begin()
        flow.end()
    tracer.range("decorated")(tell_nothing)()
    with pytest.raises(TypeError):
        tracer.range("a", "b", category="c", value=holder)
    gc.collect(0)


def tell_nothing():
    pass


def told(**options):
    profile = tracer.Profile(timeline="1MiB", **options)
    with profile:
        tell()
        profile.clear()
        tell()
    assert profile.snapshot()["timeline"]["ranges"]


def refused(backend):
    with pytest.raises(ValueError, match="choose"):
        tracer.Profile(backend="none")
    with pytest.raises(TypeError):
        tracer.Profile(timer=1)
    with pytest.raises(RuntimeError):
        profile = tracer.Profile(backend=backend)
        profile.runcall(fail)


def fail():
    raise RuntimeError


@needs_glibc
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "round_of",
    [
        pytest.param(profiled, id="a profile"),
        pytest.param(lambda backend: profiled(backend=backend, include=__file__), id="left out"),
        pytest.param(
            lambda backend: profiled(backend=backend, exclude=__file__), id="but for some"
        ),
        pytest.param(lambda backend: profiled(backend=backend, timer=lambda: 0), id="a timer"),
        pytest.param(in_threads, id="threads"),
        pytest.param(lambda backend: profiled(backend=backend, memory=True), id="memory"),
        pytest.param(told, id="told"),
        pytest.param(refused, id="refused"),
    ],
)
def test_of_a_profile_that_is_over(backend, round_of):
    assert growth(lambda: round_of(backend=backend)) == NOTHING


@needs_glibc
@pytest.mark.parametrize("round_of", [lined, written, tell])
def test_of_lines_and_figures(round_of):
    assert growth(round_of) == NOTHING


@needs_glibc
@pytest.mark.skipif(not HAS_MONITORING, reason="tool ids are of Python 3.12")
def test_of_what_finds_no_tool_id(take):
    def round_of():
        with pytest.raises(RuntimeError):
            recorder.enable()

    take(*OURS)
    recorder = LineRecorder()
    assert growth(round_of) == NOTHING


@needs_glibc
@pytest.mark.skipif(not HAS_MONITORING, reason="types are told of by sys.monitoring alone")
def test_of_types_and_their_instances():
    options = {"builtins": "all", "backend": "monitoring"}
    assert growth(lambda: profiled(**options)) == NOTHING
