"""What comes in the middle of the profiler's own work: timers, audit hooks, forks.

Collections of garbage are in test_collections.py, figures in test_edges.py.
"""

import pytest

import tracer
from hooks import BACKENDS
from rows import calls
from survival import survives

# What an audit hook is told of where a back end starts and stops.
AUDIT_EVENTS = {
    "monitoring": "sys.monitoring.register_callback",
    "setprofile": "sys.setprofile",
}

# -- The constructor, enable() and disable() ---------------------------------------------------


def test_a_constructor_refused_leaves_the_profile_as_it_was():
    """Guards against a profile that lost its timer, and called it all the same."""
    survives("""
        now = 0
        profile = tracer.Profile(lambda: now, 1.0)

        def refused(**options):
            try:
                profile.__init__(**options)
            except (TypeError, ValueError):
                return True

        def tick():
            global now
            now += 5

        with profile:
            tick()
            assert refused(timer=42)
            assert refused(timeunit=-1.0)
            assert profile.enabled
            tick()
        assert refused(timer=42)
        with profile:
            tick()
        (entry,) = (entry for entry in profile.getstats() if entry.code is tick.__code__)
        assert (entry.callcount, entry.totaltime) == (3, 15.0)
        still_works(profile)
    """)


def test_two_threads_enable_one_profile():
    """Guards against a profile that is twice in the list of the enabled, which then has no end."""
    survives("""
        def timer():
            time.sleep(0.02)
            return time.perf_counter()

        def enable():
            both.wait()
            profile.enable()

        profile = tracer.Profile(timer)
        both = threading.Barrier(2)
        threads = [threading.Thread(target=enable) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        leaf()
        profile.disable()
        assert calls(profile) == 1
        still_works(profile)
    """)


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_audit_hook_disables_inside_disable(backend):
    """Guards against a profile that is taken out of the list of the enabled twice."""
    survives(
        f"""
        awaited, backend = {AUDIT_EVENTS[backend]!r}, {backend!r}
        """
        """
        def hook(event, arguments):
            if event == awaited and armed:
                asked.append(event)
                profile.disable()

        profile = tracer.Profile(backend=backend)
        armed, asked = False, []
        sys.addaudithook(hook)
        profile.enable()
        leaf()
        armed = True
        profile.disable()
        armed = False
        assert asked
        assert calls(profile) == 1
        still_works(profile)
        """
    )


def test_threads_end_while_an_audit_hook_lets_them():
    """Guards the walk over the threads, the next of which may end while one is hooked."""
    survives(
        """
        def hook(event, arguments):
            if event == "sys.setprofile" and waiting:
                waiting.pop()  # this event is about it; threads are hooked from the newest on
                if waiting:
                    end(*waiting.pop())

        def end(thread, lock):
            lock.release()
            thread.join()
            while thread.ident in sys._current_frames():
                time.sleep(0.001)
            time.sleep(0.001)
            ended.append(thread)

        waiting, ended, locks = [], [], [threading.Lock() for _ in range(20)]
        for lock in locks:
            lock.acquire()
            thread = threading.Thread(target=lock.acquire)
            thread.start()
            waiting.append((thread, lock))
        threads = [thread for thread, _ in waiting]
        sys.addaudithook(hook)
        profile = tracer.Profile(backend="setprofile")
        profile.enable()
        waiting.clear()
        assert ended  # ten; from 3.14 on, where all threads are one event, one
        leaf()
        profile.disable()
        for thread, lock in zip(threads, locks):
            if thread not in ended:
                lock.release()
                thread.join()
        assert calls(profile) == 1
        still_works(profile)
        """,
        PYTHONMALLOC="debug",
    )


def test_where_no_thread_key_is_left():
    """Then nothing tells that a thread ends, and its context stays."""
    survives("""
        import ctypes
        c, key = ctypes.CDLL(None), ctypes.c_uint()
        while c.pthread_key_create(ctypes.byref(key), None) == 0:
            pass
        profile = tracer.Profile()
        profile.enable()
        for _ in range(5):
            thread = threading.Thread(target=leaf)
            thread.start()
            thread.join()
        profile.clear()
        leaf()
        thread = threading.Thread(target=leaf)
        thread.start()
        thread.join()
        profile.disable()
        assert calls(profile) == 2
        assert held() == []
    """)


# -- Timers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", ["getstats", "snapshot"])
def test_a_timer_that_always_reads_its_profile(read):
    """Guards against figures that ask the timer for the time, which asks for the figures."""

    def readings(look):
        """How often a timer that looks at its profile came to its end."""

        def timer():
            look(profile)
            ends.append(None)
            return 0

        ends = []
        profile = tracer.Profile(timer)
        profile.runcall(leaf)
        assert calls(profile) == {"leaf": 1}
        return len(ends)

    def leaf():
        pass

    assert readings(lambda profile: getattr(profile, read)()) == readings(lambda profile: None) > 0


def test_ctrl_c_in_a_timer_is_for_the_program():
    """Guards a KeyboardInterrupt from being reported as a defect of the timer, or not at all."""
    survives("""
        import signal

        def timer():
            global armed
            if armed:
                armed = False
                signal.raise_signal(signal.SIGINT)
                for _ in range(5):
                    pass
            return 0

        def interrupted():
            global armed
            try:
                armed = True
                for _ in range(1000):
                    leaf()
            except KeyboardInterrupt:
                return True

        signal.signal(signal.SIGINT, signal.default_int_handler)
        armed = False
        profile = tracer.Profile(timer)
        profile.enable()
        assert interrupted()
        assert interrupted()
        profile.disable()
    """)


def test_a_fork_while_another_thread_is_in_the_timer():
    """Guards the child from the list of the timer's calls, which has threads of the parent."""
    survives("""
        import signal, warnings
        warnings.simplefilter("ignore")  # that a process with threads forks

        def timer():
            if threading.get_ident() == slow and not inside.locked():
                inside.acquire()
                forked.acquire()
            return time.perf_counter()

        def work():
            global slow
            slow = threading.get_ident()
            leaf()

        def deep(depth):
            if depth:
                deep(depth - 1)

        def many():
            deep(200)
            sorted([3, 2, 1] * 1000)
            for _ in range(100):
                leaf()

        def in_the_child():
            global slow
            signal.alarm(30)
            slow = None
            for _ in range(10):
                threads = [threading.Thread(target=many) for _ in range(3)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
            profile.disable()
            assert calls(profile) == 3000

        slow = None
        inside, forked = threading.Lock(), threading.Lock()
        forked.acquire()
        profile = tracer.Profile(timer)
        profile.enable()
        thread = threading.Thread(target=work)
        thread.start()
        while not inside.locked():
            time.sleep(0.001)
        status = in_a_child(in_the_child)
        forked.release()
        thread.join()
        profile.disable()
        assert status == 0, status
        assert calls(profile) == 1
    """)
