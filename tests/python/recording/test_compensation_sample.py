"""Compensation: what is measured in the program itself, at a sample of its events. What becomes of
these figures is in test_compensation.py.
"""

import struct
import threading
from functools import partial

import pytest

from rows import Clock
from tracer._core import BACKENDS, Profiler

needs_monitoring = pytest.mark.skipif(
    "monitoring" not in BACKENDS, reason="PyEval_SetProfile reports no such events"
)

CALLS = 20_000
# From one burst of timed events to the next there are so many calls.
NEAREST, FARTHEST = 256, 768


def small():
    pass


def of_small(calls=CALLS):
    for _ in range(calls):
        small()


def timed(*profilers, body=of_small):
    for profiler in profilers:
        profiler.enable()
    body()
    for profiler in profilers:
        profiler.disable()
    return profilers[0].snapshot()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("builtins", [True, False])
@pytest.mark.parametrize("timer", ["wall", "cpu"])
def test_handlers_are_timed_at_a_sample_of_the_calls(timer, builtins, backend):
    profiler = Profiler(timer, builtins=builtins, backend=backend, costs={})
    call, leave, *_ = timed(profiler)["handlers"]
    for events, ticks, far in (call, leave):
        assert CALLS / FARTHEST - 3 < events < CALLS / NEAREST + 3
        assert ticks > 0
        assert far == 0


@pytest.mark.parametrize("backend", BACKENDS)
def test_handlers_are_timed_for_the_only_profile_that_asks(backend):
    def profiler(*timer, **options):
        return Profiler(*timer, backend=backend, **options)

    assert timed(profiler())["handlers"] is None
    nothing = ((0, 0, 0),) * 7
    assert timed(profiler(costs={}), profiler())["handlers"] == nothing
    assert timed(profiler(Clock(), 1.0, costs={}))["handlers"] == nothing
    again = profiler(costs={})
    assert timed(again)["handlers"] != nothing
    again.clear()
    assert again.snapshot()["handlers"] == nothing


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_sample_goes_on_after_tracing_ended_in_a_burst(backend):
    profiler = Profiler(backend=backend, costs={})
    for calls in range(2 * FARTHEST):
        timed(profiler, body=partial(of_small, calls % 7))
    (before, *_), *_ = profiler.snapshot()["handlers"]
    (after, *_), *_ = timed(profiler)["handlers"]
    assert after - before > CALLS / FARTHEST - 3


@needs_monitoring
def test_a_burst_ends_without_a_call():
    """After each call come 50 resumes and yields. A burst that begins with it has 16 events."""

    fifty = range(50)

    def going_on():
        while True:
            yield

    def loop():
        generator = going_on()
        for _ in range(CALLS):
            small()
            for _ in fifty:
                for _ in generator:
                    break

    profiler = Profiler(backend="monitoring", costs={})
    (calls, *_), _, _, _, (resumes, *_), *_ = timed(profiler, body=loop)["handlers"]
    assert 0 < resumes <= 8 * (calls + 2)


@needs_monitoring
def test_the_sample_goes_on_when_another_profile_no_longer_wants_builtins():
    profiler = Profiler(backend="monitoring", builtins=False, costs={})
    other = Profiler(backend="monitoring")
    other.enable()
    profiler.enable()
    other.disable()
    (events, *_), *_ = timed(profiler)["handlers"]
    assert events > CALLS / FARTHEST - 3


@pytest.mark.parametrize("backend", BACKENDS)
def test_handlers_are_timed_of_events_that_are_recorded(backend):
    """The events of another thread, some thousand in bursts, are not."""
    profiler = Profiler(backend=backend, threads=False, builtins=False, costs={})
    thread = threading.Thread(target=of_small, args=(10 * CALLS,))

    def wait():
        thread.start()
        thread.join()

    handlers = timed(profiler, body=wait)["handlers"]
    assert sum(events for events, *_ in handlers) < 100
    (entry,) = [entry for entry in profiler.getstats() if entry.code is wait.__code__]
    assert entry.callcount == 1
    assert small.__code__ not in [entry.code for entry in profiler.getstats()]


LONG = "number = 0\n    " + "number = number\n    " * 600


def body_of(source):
    space = {"small": small}
    exec(source, space)
    return space["body"]


@needs_monitoring
@pytest.mark.parametrize("before", ["", LONG])
def test_events_far_from_the_start_of_their_code_are_counted(before):
    """The interpreter tells of each where it is. It makes an int for that, unless the int is small:
    then it has one. A function begins, and this small one ends, at once."""
    body = body_of(
        f"def body():\n    {before}for _ in range({CALLS}):\n        small()\n        abs(1)\n"
    )
    handlers = timed(Profiler(backend="monitoring", costs={}), body=body)["handlers"]
    start, leave, call, end, _, _, site = handlers
    for events, _, _ in (start, leave, call, end, site):
        assert events > 5
    assert (start[2], leave[2]) == (0, 0)
    # The call of range() may be among these; its place is that of the loop.
    for events, _, far in (call, end, site):
        assert far == (events if before else 0)


@needs_monitoring
def test_resumes_and_yields_far_from_the_start_are_counted():
    body = body_of(
        f"def going_on():\n    {LONG}while True:\n        yield\n"
        "def body():\n    generator = going_on()\n"
        f"    for _ in range({CALLS}):\n        small()\n        next(generator)\n"
    )
    *_, resume, leave, site = timed(Profiler(backend="monitoring", costs={}), body=body)["handlers"]
    assert (resume[2], leave[2], site[2]) == (resume[0], leave[0], 0)
    assert resume[0] > 5


# -- Calls of what has no row ----------------------------------------------------------------


def of_types():
    for number in range(CALLS):
        type(number)


class Below:
    def __init__(self):
        pass

    def name(self):
        return super().__repr__


def of_supers(below=Below()):  # noqa: B008
    for _ in range(3 * CALLS):
        below.name()


def unseen_in(snapshot):
    names = [names[2] for names in snapshot["functions"]]
    (thread,) = snapshot["threads"]
    records = struct.iter_unpack("=IIQ", thread["unseen"])
    return {names[function]: calls for function, _, calls in records}


@needs_monitoring
@pytest.mark.parametrize("options", [{}, {"include": (__file__,)}, {"exclude": ("*/nothing.py",)}])
def test_calls_of_types_are_estimated(options):
    profiler = Profiler(backend="monitoring", costs={}, **options)
    # Each call that ends a burst stands for all since the last one: what is missing is the last
    # distance, what is too much is what was counted before.
    unseen = unseen_in(timed(profiler, body=of_types))
    assert unseen.keys() == {"of_types"}
    assert abs(unseen["of_types"] - CALLS) <= FARTHEST + 1
    everything = Profiler(backend="monitoring", builtins="all", costs={})
    assert unseen_in(timed(everything, body=of_types)) == {}
    assert unseen_in(timed(Profiler(builtins=False, costs={}), body=of_types)) == {}
    assert unseen_in(timed(Profiler(costs={}))) == {}


@needs_monitoring
def test_calls_of_types_far_behind_other_calls_are_estimated():
    """Each comes 40 events behind the call before. Of so many only the first are timed."""

    def twenty():
        for _ in range(20):
            yield

    def loop():
        for number in range(CALLS):
            for _ in twenty():
                pass
            type(number)

    profiler = Profiler(backend="monitoring", costs={})
    # Of three calls (twenty, range, type) one is of a type. So it is about a third of those that
    # end a burst, 80 or more: fewer than a tenth, or two thirds, would come once in a million runs.
    unseen = unseen_in(timed(profiler, body=loop))
    assert 0.3 * CALLS < unseen["loop"] < 2 * CALLS


@needs_monitoring
def test_a_super_counts_as_four():
    """Half of the calls here are of super. So it is about half of those that end a burst, 80 or
    more: a third of them or fewer would come once in many thousand runs."""
    profiler = Profiler(backend="monitoring", costs={})
    unseen = unseen_in(timed(profiler, body=of_supers))
    assert unseen["name"] == pytest.approx(4 * 3 * CALLS, rel=0.4)
