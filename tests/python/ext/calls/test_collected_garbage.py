"""What a profile counts of garbage collections, with a timeline or without: how many there were, by
where they began, and what they took of the own time there. Of timelines: test_told_collections.py.
"""

import gc
import os
import threading
import weakref

import pytest

import tracer
from hooks import BACKENDS
from rows import Clock, calls, limited
from survival import survives
from tracer import _core
from tracer.data.records import COLLECTIONS, NODE, OVERFLOW

pytestmark = pytest.mark.usefixtures("no_collections")


class Passing:
    """A clock that goes on while garbage is collected, where no function is called: by a tick for
    each piece of `garbage`."""

    def __init__(self):
        self.ticks = []
        self.advance = self.ticks.extend  # by as many ticks as it is given things
        self.pieces = []

    def __call__(self):
        return len(self.ticks)

    def garbage(self, ticks):
        for _ in range(ticks):
            piece = Piece()
            piece.itself = piece
            self.pieces.append(weakref.ref(piece, self.ticks.append))


class Piece:
    pass


class Final:
    """Its finalizer calls this."""

    def __init__(self, function):
        self.itself, self.function = self, function

    def __del__(self):
        self.function()


@pytest.fixture
def clock():
    return Passing()


@pytest.fixture
def profile(clock, backend):
    return tracer.Profile(clock, 1.0, builtins=False, backend=backend)


def found_in(profile):
    """{name of a function: (collections, ticks, ticks of the longest)} of all threads."""
    found = {}
    snapshot = profile.snapshot()
    names = [names[2] for names in snapshot["functions"]]
    for thread in snapshot["threads"]:
        nodes = list(NODE.iter_unpack(thread["nodes"]))
        folds = list(OVERFLOW.iter_unpack(thread["folds"]))
        for node, is_overflow, number, *ticks in COLLECTIONS.iter_unpack(thread["collections"]):
            function = (folds if is_overflow else nodes)[node][1]
            name = names[function] if is_overflow or node else "<root>"
            assert name not in found
            found[name] = (number, *ticks)
    return found


def own(profile):
    return {entry.code.co_name: entry.inlinetime for entry in profile.getstats()}


def test_collections_by_function(clock, profile):
    def first():
        clock.advance(range(10))
        for ticks in (2, 5, 0):
            clock.garbage(ticks)
            gc.collect()

    def second():
        clock.garbage(3)
        gc.collect(0)
        clock.advance(range(1))

    def work():
        first()
        second()
        gc.collect(1)

    profile.runcall(work)
    assert found_in(profile) == {"first": (3, 7, 5), "second": (1, 3, 3), "work": (1, 0, 0)}
    assert {name: own(profile)[name] for name in ("first", "second", "work")} == {
        "first": 17,
        "second": 4,
        "work": 0,
    }


def test_a_collection_that_is_asked_for_is_of_the_function_that_does_it(clock, backend):
    def work():
        clock.garbage(4)
        gc.collect()

    profile = tracer.Profile(clock, 1.0, backend=backend)
    profile.runcall(work)
    assert found_in(profile) == {"<built-in method gc.collect>": (1, 4, 4)}


def test_the_interpreter_collects_by_itself(profile):
    def work():
        gc.enable()
        kept = []
        for _ in range(1000):
            kept.append([])
        gc.disable()
        return kept

    before = sum(it["collections"] for it in gc.get_stats())
    threshold = gc.get_threshold()
    gc.set_threshold(100)
    profile.runcall(work)
    gc.set_threshold(*threshold)
    made = sum(it["collections"] for it in gc.get_stats()) - before
    assert made > 0
    assert found_in(profile) == {"work": (made, 0, 0)}


def test_what_finalizers_call_has_its_own_time(clock, profile):
    def final():
        clock.advance(range(50))

    def work():
        clock.garbage(2)
        Final(final)
        gc.collect()

    profile.runcall(work)
    assert found_in(profile) == {"work": (1, 2, 2)}
    assert (own(profile)["work"], own(profile)["final"]) == (2, 50)


def test_a_finalizer_that_calls_the_same_function(clock, profile):
    def work(depth):
        clock.advance(range(7))
        clock.garbage(2)
        if depth:
            Final(lambda: work(0))
            gc.collect()

    profile.runcall(work, 1)
    gc.collect()
    assert found_in(profile) == {"work": (1, 2, 2)}
    assert own(profile)["work"] == 16


def test_the_callback_is_in_no_figure(backend):
    def work():
        gc.collect()

    profile = tracer.Profile(Clock(), 1.0, backend=backend)
    profile.record_call(work)
    profile.disable()
    assert set(calls(profile)) == {"work", "<built-in method gc.collect>"}


def test_what_runs_unrecorded_is_nobodys(clock, profile):
    def work():
        with _core.unrecorded:
            clock.garbage(3)
            gc.collect()
        clock.garbage(2)
        Final(aside)
        gc.collect()

    def aside():
        with _core.unrecorded:
            clock.advance(range(20))

    profile.runcall(work)
    assert found_in(profile) == {"work": (1, 2, 2)}


def test_what_is_collected_while_the_profile_is_disabled_is_nobodys(clock, profile):
    def work():
        profile.enable()
        gc.collect()
        profile.disable()
        clock.garbage(5)
        gc.collect()
        profile.enable()
        clock.garbage(1)
        gc.collect()
        profile.disable()

    work()
    assert found_in(profile) == {"work": (2, 1, 1)}


@pytest.mark.parametrize("stop", ["disable", "clear"])
def test_a_profile_that_stops_or_begins_anew_within_a_collection(clock, profile, stop):
    def work():
        clock.garbage(1)
        Final(getattr(profile, stop))
        gc.collect()
        clock.advance(range(9))
        profile.enable()
        gc.collect()

    with profile:
        work()
    (number, ticks, longest), *others = found_in(profile).values()
    assert (number, ticks, longest, others) == (1, 0, 0, [])


def test_threads(clock, profile):
    def first():
        clock.garbage(2)
        gc.collect()

    def second():
        clock.garbage(3)
        gc.collect()
        gc.collect()

    with profile:
        for function in (first, second):
            thread = threading.Thread(target=function)
            thread.start()
            thread.join()
    found = found_in(profile)
    assert found == {"first": (1, 2, 2), "second": (2, 3, 3)}
    kept = [thread["collections"] for thread in profile.snapshot()["threads"]]
    assert [len(it) // COLLECTIONS.size for it in kept] == [0, 1, 1]


def test_a_profile_of_one_thread_knows_none_of_another(clock, backend):
    profile = tracer.Profile(clock, 1.0, threads=False, backend=backend)
    with profile:
        thread = threading.Thread(target=gc.collect)
        thread.start()
        thread.join()
    assert found_in(profile) == {}


def test_several_profiles_have_their_own_clocks(clock):
    still = Clock()
    profiles = [tracer.Profile(clock, 1.0, builtins=False, backend=it) for it in BACKENDS * 2]
    profiles.append(tracer.Profile(still, 1.0, builtins=False))

    def work():
        clock.garbage(3)
        gc.collect()

    for profile in profiles:
        profile.enable()
    work()
    for profile in profiles:
        profile.disable()
    found = [found_in(profile)["work"] for profile in profiles]
    assert found == [(1, 3, 3)] * (len(profiles) - 1) + [(1, 0, 0)]


@pytest.mark.parametrize("clock_of", ["wall", "cpu"])
def test_real_clocks(backend, clock_of):
    def work():
        for _ in range(3):
            gc.collect()

    timer = {"wall": None, "cpu": "cpu"}[clock_of]
    profile = tracer.Profile(timer, builtins=False, backend=backend)
    profile.runcall(work)
    ((number, ticks, longest),) = found_in(profile).values()
    assert number == 3
    assert 0 < longest < ticks
    tick = profile.snapshot()["seconds_per_tick"]
    assert ticks * tick <= own(profile)["work"]
    assert ticks * tick > 0.5 * own(profile)["work"]  # it does little else


def test_past_the_node_limit(clock, backend):
    def inner():
        clock.garbage(2)
        gc.collect()

    def work():
        inner()
        inner()

    profile = limited(clock, 1.0, builtins=False, backend=backend, _node_limit=1)
    profile.runcall(work)
    assert found_in(profile) == {"inner": (2, 4, 2)}


def test_a_timeline_beside(clock, backend):
    def work():
        clock.garbage(2)
        gc.collect()

    profile = tracer.Profile(clock, 1.0, builtins=False, backend=backend, timeline=True)
    profile.runcall(work)
    assert found_in(profile) == {"work": (1, 2, 2)}
    ((_, start, end, *_),) = profile.snapshot()["timeline"]["collections"]
    assert (start, end) == (0, 2)


def test_a_program_may_do_with_the_callbacks_what_it_likes(clock, profile):
    def work():
        gc.collect()
        kept = gc.callbacks[:]
        gc.callbacks.clear()
        gc.collect()
        gc.callbacks[:] = kept
        ours = kept[-1]
        figures = {"generation": 1, "collected": 0, "uncollectable": 0}
        ours("stop", figures)  # of none
        ours("start", figures)
        clock.advance(range(5))
        ours("start", figures)
        clock.advance(range(2))
        ours("stop", figures)
        gc.callbacks, real = [], gc.callbacks  # the interpreter goes by the real list
        gc.collect()
        gc.callbacks = real
        Final(gc.callbacks.clear)
        gc.collect()  # whose end is not told
        clock.advance(range(5))
        gc.callbacks[:] = kept
        gc.collect()

    profile.runcall(work)
    assert found_in(profile) == {"work": (4, 2, 2)}


def test_memory_alone_is_recorded_without(clock, backend):
    """To tell of a collection, the interpreter allocates: that would be the program's."""
    profile = tracer.Profile(clock, 1.0, backend=backend, memory=True)
    before = list(gc.callbacks)
    with profile:
        assert gc.callbacks == before
        gc.collect()
    assert found_in(profile) == {}
    profile = tracer.Profile(clock, 1.0, backend=backend, memory=True, timeline=True)
    profile.runcall(gc.collect)
    assert len(found_in(profile)) == 1


def test_a_forked_child_begins_anew(clock, profile):
    def work():
        clock.garbage(1)
        gc.collect()
        child = os.fork()
        if child == 0:
            clock.garbage(3)
            gc.collect()
            os._exit(found_in(profile) != {"work": (1, 3, 3)})
        return os.waitpid(child, 0)[1]

    assert profile.runcall(work) == 0
    assert found_in(profile) == {"work": (1, 1, 1)}


def test_another_interpreter_has_collections_of_its_own():
    survives("""
        def collections(profile):
            return [it["collections"] for it in profile.snapshot()["threads"]]

        inner = '''if True:
            import gc, struct, tracer
            gc.disable()
            with tracer.Profile() as profile:
                gc.collect()
                gc.collect()
            (records,) = [it["collections"] for it in profile.snapshot()["threads"]]
            assert struct.unpack("=IIQqq", records)[2] == 2
        '''
        gc.disable()
        with tracer.Profile() as profile:
            in_an_interpreter(inner, False)
        assert collections(profile) == [b""] * len(collections(profile))
        assert len(gc.callbacks) == 0
    """)


def test_without_the_module_nothing_is_told():
    survives("""
        sys.modules["gc"] = None
        with tracer.Profile() as profile:
            gc.collect()
        assert all(it["collections"] == b"" for it in profile.snapshot()["threads"])
        still_works(profile)
    """)
