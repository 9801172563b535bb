"""gevent: its loop, its pools and queues, and the standard library patched by it.

The program's clock stands still while gevent waits, so that every figure is exact. What gevent
itself is made of is in test_greenlets.py.
"""

import threading

import pytest

import tracer
from rows import Clock, calls_of, rows_of_file, total_time
from survival import survives

gevent = pytest.importorskip("gevent", reason="the package gevent is not installed")

from gevent import event, pool, queue  # noqa: E402
from greenlet import gettrace  # noqa: E402

clock = Clock()


@pytest.fixture(autouse=True)
def new_clock():
    clock.now = 0
    yield
    assert gettrace() is None
    gevent.get_hub().threadpool.kill()  # otherwise its thread is in the profiles of other tests
    gevent.get_hub().destroy()


def measure(program, **options):
    """A finished Profile of one call; Python functions only."""
    profile = tracer.Profile(clock, 1.0, **{"builtins": False, **options})
    profile.runcall(program)
    return profile


def rows_here(source):
    return rows_of_file(source, __file__)


def leaf():
    clock.now += 1


def worker(number):
    clock.now += 10
    gevent.sleep(0)
    leaf()
    gevent.sleep(0.001)
    clock.now += 20
    return number


def test_greenlets_that_sleep():
    def program():
        gevent.joinall([gevent.spawn(worker, number) for number in range(5)])
        clock.now += 100

    profile = measure(program)
    rows = rows_here(profile)
    assert rows["worker"] == (5, 150, 155, set())
    assert rows["leaf"] == (5, 5, 5, {"worker"})
    assert rows["program"][:3] == (1, 100, 100)
    assert total_time(profile) == clock.now == 255


@pytest.mark.parametrize("builtins", [True, False])
def test_a_pool(builtins):
    def program():
        clock.now += 100
        return pool.Pool(3).map(worker, range(10))

    profile = measure(program, builtins=builtins)
    rows = rows_here(profile)
    assert rows["worker"][:3] == (10, 300, 310)
    assert rows["leaf"] == (10, 10, 10, {"worker"})
    assert rows["program"][:3] == (1, 100, 100)
    assert total_time(profile) == clock.now == 410


def test_a_queue():
    def produce(items):
        for item in range(10):
            clock.now += 1
            items.put(item)
        items.put(StopIteration)

    def consume(items):
        for _ in items:
            clock.now += 10
            gevent.sleep(0)

    def program():
        items = queue.Queue(2)
        gevent.joinall([gevent.spawn(consume, items), gevent.spawn(produce, items)])

    profile = measure(program)
    rows = rows_here(profile)
    assert rows["produce"] == (1, 10, 10, set())
    assert rows["consume"] == (1, 100, 100, set())
    assert total_time(profile) == clock.now == 110


def test_a_greenlet_that_is_killed():
    def wait_for_ever():
        try:
            clock.now += 1
            gevent.sleep(1000)
        finally:
            clock.now += 2
            leaf()

    def program():
        waiting = gevent.spawn(wait_for_ever)
        gevent.sleep(0)
        waiting.kill()
        clock.now += 10
        leaf()

    profile = measure(program)
    rows = rows_here(profile)
    assert rows["wait_for_ever"] == (1, 3, 4, set())
    assert rows["program"][:3] == (1, 10, 11)
    assert rows["leaf"] == (2, 2, 2, {"wait_for_ever", "program"})
    assert total_time(profile) == clock.now == 15


def test_a_timeout():
    def program():
        clock.now += 1
        with gevent.Timeout(0.001, False):
            inner()
        clock.now += 2
        leaf()

    def inner():
        clock.now += 10
        gevent.sleep(1000)

    rows = rows_here(measure(program))
    assert rows["program"][:3] == (1, 3, 14)
    assert rows["inner"] == (1, 10, 10, {"program"})
    assert rows["leaf"] == (1, 1, 1, {"program"})


def test_greenlets_that_wait_when_it_is_enabled():
    """The hub and the others are roots when they are switched to."""
    go_on = event.Event()

    def body():
        go_on.wait()
        clock.now += 10
        leaf()

    def program():
        go_on.set()
        gevent.joinall(waiting)

    waiting = [gevent.spawn(body) for _ in range(3)]
    gevent.sleep(0)
    clock.now += 1000
    profile = measure(program)
    rows = rows_here(profile)
    assert rows["body"] == (0, 30, 33, set())
    assert rows["leaf"] == (3, 3, 3, {"body"})
    assert total_time(profile) == 33


def test_many_greenlets():
    def program():
        gevent.joinall([gevent.spawn(worker, number) for number in range(2000)])

    profile = measure(program)
    assert rows_here(profile)["worker"] == (2000, 60_000, 62_000, set())
    assert total_time(profile) == clock.now == 62_000


def test_each_thread_has_its_own_hub():
    def work():
        gevent.joinall([gevent.spawn(each) for _ in range(10)])

    def each():
        gevent.sleep(0)
        leaf_of_thread()
        gevent.sleep(0.001)

    def leaf_of_thread():
        pass

    def program():
        threads = [threading.Thread(target=work, name=f"worker-{i}") for i in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    profile = measure(program)
    assert calls_of(profile, each, leaf_of_thread) == [30, 30]
    threads = tracer.Stats(profile).threads
    for number in range(3):
        rows = rows_here(threads[f"worker-{number}"])
        assert rows["each"][::3] == (10, set())
        assert rows["leaf_of_thread"][::3] == (10, {"each"})


def test_its_thread_pool():
    """A function that the pool runs is in a thread of its own, where its row has no caller."""

    def compute():
        clock.now += 7

    def program():
        pool.apply(compute)

    pool = gevent.get_hub().threadpool
    profile = measure(program)
    pool.kill()  # its thread would be in the profiles of other tests
    stats = [found for found in tracer.Stats(profile).threads if "compute" in rows_here(found)]
    assert [rows_here(found)["compute"] for found in stats] == [(1, 7, 7, set())]
    assert stats[0].thread.ident != threading.get_ident()


def test_the_standard_library_patched():
    """Threads are greenlets then, with a stack each."""
    survives("""
        from gevent import monkey
        monkey.patch_all()
        import queue

        class Clock:
            now = 0
            def __call__(self):
                return self.now

        clock = Clock()
        items = queue.Queue(2)
        done = []

        def produce(count):
            for item in range(count):
                clock.now += 1
                items.put(item)
                time.sleep(0)

        def consume(count):
            for _ in range(count):
                done.append(items.get())
                compute()

        def compute():
            clock.now += 10
            time.sleep(0.0001)
            clock.now += 20

        def program():
            threads = [threading.Thread(target=produce, args=(20,)) for _ in range(3)]
            threads += [threading.Thread(target=consume, args=(30,)) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        profile = tracer.Profile(clock, 1.0)
        profile.runcall(program)
        assert len(done) == 60
        stats = tracer.Stats(profile)
        rows = {}
        for label, row in stats.stats.items():
            if label[2] in ("produce", "consume", "compute", "program"):
                rows[label[2]] = (*row[:4], sorted(caller[2] for caller in row[4]))
        assert rows["produce"] == (3, 3, 60, 60, ["run"]), rows
        assert rows["compute"] == (60, 60, 1800, 1800, ["consume"]), rows
        assert rows["consume"] == (2, 2, 0, 1800, ["run"]), rows
        assert rows["program"][:4] == (1, 1, 0, 0), rows
        assert sum(row[2] for row in stats.stats.values()) == clock.now == 1860
        assert len(stats.threads) == 1
        from greenlet import gettrace
        assert gettrace() is None
    """)
