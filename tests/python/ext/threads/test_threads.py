"""Threads: those that exist, those to come, those that `threading` knows nothing of. Odd ones are
in test_threads_odd.py.
"""

import _thread
import ctypes
import gc
import sys
import threading

import pytest

import tracer
from hooks import held
from rows import by_name, calls_of, stats_of


def leaf_a():
    pass


def leaf_b():
    pass


def loop_a():
    for _ in range(3000):
        leaf_a()


def loop_b():
    for _ in range(2000):
        leaf_b()


def run(*functions, **options):
    threads = [
        threading.Thread(target=function, name=f"of {function.__name__}", **options)
        for function in functions
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return threads


def callers_of(source, function):
    """{name of a caller: calls}"""
    found = [row for label, row in stats_of(source).stats.items() if label[2] == function.__name__]
    ((_, _, _, _, callers),) = found
    return {label[2]: figures[0] for label, figures in callers.items()}


@pytest.fixture
def eager_switching():
    """Threads take turns so often that one call stack for all of them would be torn apart."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switching")
def test_each_thread_has_a_stack_of_its_own():
    profile = tracer.Profile()
    with profile:
        run(loop_a, loop_b)
    assert calls_of(profile, loop_a, leaf_a, loop_b, leaf_b) == [1, 3000, 1, 2000]
    assert callers_of(profile, leaf_a) == {"loop_a": 3000}
    assert callers_of(profile, leaf_b) == {"loop_b": 2000}


def test_each_thread_has_figures_of_its_own():
    profile = tracer.Profile()
    with profile:
        one, two = run(loop_a, loop_b)
        leaf_a()
    stats = tracer.Stats(profile)
    threads = stats.threads
    assert [item.thread.name for item in threads] == ["MainThread", "of loop_a", "of loop_b"]
    assert calls_of(threads["of loop_a"], leaf_a, leaf_b) == [3000, None]
    assert calls_of(threads["of loop_b"], leaf_a, leaf_b) == [None, 2000]
    assert calls_of(threads["MainThread"], leaf_a, leaf_b) == [1, None]
    assert calls_of(stats, leaf_a, leaf_b) == [3001, 2000]
    assert sum(item.total_calls for item in threads) == stats.total_calls
    assert [item.thread.native_id for item in threads] == [
        threading.get_native_id(),
        one.native_id,
        two.native_id,
    ]


def test_only_the_thread_that_enables():
    profile = tracer.Profile(threads=False)
    with profile:
        leaf_b()
        run(loop_a)
    assert calls_of(profile, leaf_a, leaf_b) == [None, 1]
    assert len(tracer.Stats(profile).threads) == 1


def test_only_the_thread_that_enables_beside_a_profile_of_all():
    everything, one = tracer.Profile(), tracer.Profile(threads=False)
    with everything, one:
        run(loop_a)
    assert calls_of(everything, leaf_a) == [3000]
    assert calls_of(one, leaf_a) == [None]


def test_a_profile_of_one_thread_enabled_in_another():
    profile = tracer.Profile(threads=False)

    def work():
        profile.enable()
        leaf_a()
        both.wait()
        both.wait()
        profile.disable()

    both = threading.Barrier(2)
    thread = threading.Thread(target=work)
    thread.start()
    both.wait()
    leaf_b()
    both.wait()
    thread.join()
    assert calls_of(profile, leaf_a, leaf_b) == [1, None]


def test_threads_that_exist_before():
    profile = tracer.Profile()

    def work():
        both.wait()
        both.wait()
        loop_a()

    both = threading.Barrier(2)
    thread = threading.Thread(target=work, name="early")
    thread.start()
    both.wait()
    with profile:
        both.wait()
        thread.join()
    assert calls_of(tracer.Stats(profile).threads["early"], loop_a, leaf_a) == [1, 3000]
    assert calls_of(profile, work) == [0]  # it was running when the profile was enabled


def test_threads_that_outlive_the_profile():
    profile = tracer.Profile()
    left = []

    def work():
        leaf_a()
        both.wait()
        both.wait()
        leaf_b()
        left.extend(held())

    both = threading.Barrier(2)
    thread = threading.Thread(target=work)
    with profile:
        thread.start()
        both.wait()
    both.wait()
    thread.join()
    assert calls_of(profile, leaf_a, leaf_b) == [1, None]
    assert left == []


def test_threads_made_without_threading():
    profile = tracer.Profile()
    idents = []

    def work():
        idents.append(_thread.get_ident())
        loop_a()
        done.release()

    done = _thread.allocate_lock()
    done.acquire()
    with profile:
        _thread.start_new_thread(work, ())
        done.acquire()
    (item,) = (item for item in tracer.Stats(profile).threads if item.thread.ident == idents[0])
    assert calls_of(item, work, leaf_a) == [1, 3000]
    assert item.thread.name == f"Thread {idents[0]}"


def test_threads_that_c_code_makes():
    """Such a thread is known from its first call into Python on, and seen from the next event of
    another thread on."""
    pthread = ctypes.CDLL(None)
    pthread.pthread_create.argtypes = [ctypes.c_void_p] * 4
    pthread.pthread_join.argtypes = [ctypes.c_ulong, ctypes.c_void_p]
    profile = tracer.Profile()

    def work(argument):
        begun.release()
        done.acquire()
        loop_a()
        return None

    start = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(work)
    begun, done = threading.Semaphore(0), threading.Semaphore(0)
    with profile:
        handle = ctypes.c_ulong()
        assert pthread.pthread_create(ctypes.byref(handle), None, start, None) == 0
        begun.acquire()
        leaf_b()
        done.release()
        pthread.pthread_join(handle, None)
    assert calls_of(profile, loop_a, leaf_a, leaf_b) == [1, 3000, 1]
    assert len(tracer.Stats(profile).threads) == 2


def test_many_threads_one_after_another():
    profile = tracer.Profile()
    with profile:
        for _ in range(50):
            run(leaf_a)
    stats = tracer.Stats(profile)
    assert calls_of(stats, leaf_a) == [50]
    assert len(stats.threads) == 51
    assert calls_of(stats.threads["of leaf_a"], leaf_a) == [50]


def test_enabled_again_a_thread_goes_on_in_its_own_figures():
    profile = tracer.Profile()
    for _ in range(2):
        with profile:
            leaf_a()
    assert len(tracer.Stats(profile).threads) == 1
    assert calls_of(profile, leaf_a) == [2]


def test_clear_while_threads_run():
    profile = tracer.Profile()
    stop = []

    def work():
        while not stop:
            leaf_a()

    threads = [threading.Thread(target=work) for _ in range(3)]
    with profile:
        for thread in threads:
            thread.start()
        for _ in range(50):
            leaf_b()
            profile.clear()
            profile.getstats()
        stop.append(True)
        for thread in threads:
            thread.join()
    assert calls_of(profile, leaf_b) == [None]


def test_stats_while_threads_run():
    profile = tracer.Profile()
    stop = []

    def work():
        while not stop:
            leaf_a()

    threads = [threading.Thread(target=work) for _ in range(3)]
    counts = [0]
    with profile:
        for thread in threads:
            thread.start()
        for _ in range(20):
            counts.append(calls_of(profile, leaf_a)[0] or 0)
        stop.append(True)
        for thread in threads:
            thread.join()
    counts.append(calls_of(profile, leaf_a)[0])
    assert counts == sorted(counts)
    assert counts[-1] > 0


def test_a_thread_may_disable_what_another_enabled():
    profile = tracer.Profile()
    profile.enable()
    leaf_a()
    run(profile.disable)
    leaf_a()
    assert not profile.enabled
    assert calls_of(profile, leaf_a) == [1]
    assert held() == []


def test_a_profile_dropped_in_another_thread_leaves_no_hook():
    holder = [tracer.Profile()]
    holder[0].enable()
    run(holder.clear)
    gc.collect()
    leaf_a()
    assert held() == []


@pytest.mark.usefixtures("eager_switching")
def test_a_generator_that_wanders_between_threads():
    def numbers():
        yield from range(100)

    def consume():
        with lock:
            for _ in range(20):
                next(generator)

    lock = threading.Lock()
    generator = numbers()
    profile = tracer.Profile(builtins=False)
    with profile:
        run(consume, consume, consume)
    (resumes,) = (
        found.total
        for label, found in tracer.Stats(profile).resumes.items()
        if label[2] == "numbers"
    )
    assert calls_of(profile, numbers) == [1]
    assert resumes == 59


def test_names_are_learned_late():
    def work():
        threading.current_thread().name = "renamed"
        leaf_a()

    profile = tracer.Profile()
    with profile:
        run(work)
    assert {item.thread.name for item in tracer.Stats(profile).threads} & {"of work", "renamed"}
    assert by_name(tracer.Stats(profile).threads[1])["work"].calls == 1
