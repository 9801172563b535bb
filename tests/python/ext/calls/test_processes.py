"""How interpreters and processes end and multiply while a profile is enabled: shutdown,
subinterpreters, forks, multiprocessing.
"""

from textwrap import dedent

import pytest

from launch import plain, write
from survival import survives

# -- The end of the interpreter ------------------------------------------------------------------

ENDINGS = {
    "in the main thread": "",
    "in a cycle of module globals": """
        profile.itself = profile
        late.profile = profile
        profile.late = late
    """,
    "in a daemon thread": """
        began = threading.Semaphore(0)

        def work():
            global other
            other = tracer.Profile()
            other.enable()
            while True:
                leaf()
                time.sleep(0.0001)
                began.release()

        threading.Thread(target=work, daemon=True).start()
        began.acquire()
    """,
    "in daemon threads that are busy": """
        began = threading.Semaphore(0)

        def work():
            while True:
                sorted([3, 1, 2], key=lambda value: leaf() or value)
                began.release()

        for _ in range(5):
            threading.Thread(target=work, daemon=True).start()
            began.acquire()
    """,
    "in daemon threads that enable and disable": """
        began = threading.Semaphore(0)

        def work():
            while True:
                other = tracer.Profile()
                with other:
                    leaf()
                tracer.Stats(other)
                began.release()

        for _ in range(5):
            threading.Thread(target=work, daemon=True).start()
            began.acquire()
    """,
    "with a thread that is waited for": """
        def work():
            time.sleep(0.05)
            leaf()

        threading.Thread(target=work).start()
    """,
    "enabled by atexit": """
        import atexit

        @atexit.register
        def at_the_end():
            global other
            profile.disable()
            other = tracer.Profile()
            other.enable()
            leaf()
    """,
    "read by atexit": """
        import atexit

        @atexit.register
        def at_the_end():
            leaf()
            tracer.Stats(profile)
            profile.disable()
            assert calls(profile) == 1
    """,
    "by a finalizer": """
        class Last:
            def __del__(self, Profile=tracer.Profile, leaf=leaf):
                other = Profile()
                with other:
                    leaf()
                other.enable()

        sys.last_one, another = Last(), Last()
    """,
    "with a timer that holds it": """
        def timer():
            return len(other.getstats())

        other = sys.other = tracer.Profile(timer)
        sys.timer = timer
        other.enable()
        leaf()
    """,
    "without its modules": """
        for name in [name for name in sys.modules if name.startswith("tracer")]:
            del sys.modules[name]
        sys.profile = profile
        del tracer
        gc.collect()
        leaf()
    """,
}


@pytest.mark.parametrize("flags", [(), ("-X", "dev")], ids=["", "-X dev"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends_with_an_enabled_profile(ending, flags):
    program = """
        class Late:
            def __del__(self):
                leaf()

        late = Late()
        profile = tracer.Profile()
        profile.enable()
    """
    survives(dedent(program) + dedent(ENDINGS[ending]), flags)


@pytest.mark.parametrize("option", ["importtime", "faulthandler"])
def test_options_of_the_interpreter_do_no_harm(tmp_path, option):
    program = write(tmp_path / "program.py", "def leaf(): pass\nleaf()\nimport wave\n")
    ended = plain("-m", "tracer", "--limit=0", program, flags=("-X", option))
    assert ended.returncode == 0
    assert b"program.py:1(leaf)" in ended.stdout
    assert (b"wave\n" in ended.stderr) == (option == "importtime")


# -- Subinterpreters -----------------------------------------------------------------------------

SUBINTERPRETERS = """
    IN_ONE = '''
    import sys, tracer

    def leaf():
        pass

    def work(times):
        for _ in range(times):
            leaf()

    profile = tracer.Profile()
    with profile:
        work({times})
    stats = tracer.Stats(profile)
    found = {{label[2]: row[1] for label, row in stats.stats.items()}}
    assert (found["work"], found["leaf"]) == (1, {times}), found
    assert len(stats.threads) == 1
    assert sys.getprofile() is None
    left_enabled = sys.left_enabled = tracer.Profile()
    left_enabled.itself = left_enabled
    left_enabled.enable()
    work(5)
    '''

    def whole_life(times):
        in_an_interpreter(IN_ONE.format(times=times), isolated)
"""


@pytest.mark.parametrize("isolated", [False, True])
def test_each_interpreter_has_data_of_its_own(isolated):
    survives(
        f"isolated = {isolated}\n"
        + dedent(SUBINTERPRETERS)
        + dedent("""
            profile = tracer.Profile()
            with profile:
                for times in (7, 8, 9):
                    leaf()
                    whole_life(times)
            assert calls(profile) == 3  # those of here
            assert len(tracer.Stats(profile).threads) == 1
            still_works(profile)
        """)
    )


@pytest.mark.parametrize("isolated", [False, True])
def test_interpreters_at_once(isolated):
    survives(
        f"isolated = {isolated}\n"
        + dedent(SUBINTERPRETERS)
        + dedent("""
            def work(times):
                whole_life(times)
                ended.append(times)

            ended = []
            profile = tracer.Profile()
            with profile:
                threads = [
                    threading.Thread(target=work, args=[times])
                    for times in (10_000, 20_000, 30_000, 40_000)
                ]
                for thread in threads:
                    thread.start()
                leaf()
                for thread in threads:
                    thread.join()
            assert len(ended) == 4
            assert calls(profile) == 1
            assert len(tracer.Stats(profile).threads) == 5
            still_works(profile)
        """)
    )


@pytest.mark.parametrize("isolated", [False, True])
def test_only_the_main_interpreter_is_asked_to_call_soon(isolated):
    """The main interpreter's main thread makes such calls, with that interpreter's memory."""
    survives(f"""
        in_an_interpreter('''if True:
            from tracer._core import call_soon

            try:
                call_soon(lambda: print("called"))
            except RuntimeError as error:
                told = str(error)
            assert told == (
                "call_soon() works in the main interpreter only: call the function itself"
            )
        ''', {isolated})
        called = []
        tracer._core.call_soon(lambda: called.append(True))
        while not called:
            leaf()
    """)


# -- Forks ---------------------------------------------------------------------------------------


def test_forks_while_eight_threads_are_traced():
    survives("""
        import signal, warnings
        warnings.simplefilter("ignore")  # that a process with threads forks

        def other():
            pass

        def work():
            while not over:
                other()

        def in_the_child():
            signal.alarm(20)  # instead of a deadlock
            leaf()
            thread = threading.Thread(target=leaf)
            thread.start()
            thread.join()
            profile.disable()
            stats = tracer.Stats(profile)
            native_ids = [item.thread.native_id for item in stats.threads]
            assert native_ids == [threading.get_native_id(), thread.native_id], native_ids
            assert os.getpid() == native_ids[0]
            assert calls(profile) == 2
            assert not any(entry.code is other.__code__ for entry in profile.getstats())
            still_works(profile)

        over = False
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        profile = tracer.Profile()
        profile.enable()
        for _ in range(20):
            leaf()
            assert in_a_child(in_the_child) == 0
        over = True
        for thread in threads:
            thread.join()
        profile.disable()
        assert calls(profile) == 20
        assert len(tracer.Stats(profile).threads) == 9
        assert tracer.Stats(profile).threads["MainThread"].thread.native_id == os.getpid()
        still_works(profile)
    """)


def test_a_child_forks_a_child():
    survives("""
        def calling(depth):
            for _ in range(depth):
                leaf()
            assert calls(profile) == depth, calls(profile)
            if depth < 4:
                assert in_a_child(calling, depth + 1) == 0

        profile = tracer.Profile()
        profile.enable()
        assert in_a_child(calling, 1) == 0
        leaf()
        profile.disable()
        assert calls(profile) == 1
        still_works(profile)
    """)


def test_a_fork_beside_a_disabled_profile_that_holds_figures():
    """Guards recorded figures: only what is enabled starts anew in a child."""
    survives("""
        profile, idle = tracer.Profile(), tracer.Profile()
        with idle:
            leaf()
        profile.enable()
        leaf()
        child = os.fork()
        if child == 0:
            os._exit(0 if (calls(profile), calls(idle)) == (0, 1) else 1)
        assert os.waitpid(child, 0)[1] == 0
        profile.disable()
        assert (calls(profile), calls(idle)) == (1, 1)
    """)


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing_while_enabled(tmp_path, method):
    program = write(
        tmp_path / "program.py",
        f"""
import multiprocessing, threading
import tracer

def leaf():
    pass

def work(times):
    profile = tracer.Profile()
    with profile:
        for _ in range(times):
            leaf()
    return [row[1] for label, row in tracer.Stats(profile).stats.items() if label[2] == "leaf"]

if __name__ == "__main__":
    profile = tracer.Profile()
    with profile:
        leaf()
        with multiprocessing.get_context({method!r}).Pool(3) as pool:
            found = pool.map(work, range(1, 21))
        pool.join()
    assert found == [[times] for times in range(1, 21)], found
    rows = {{label[2]: row[1] for label, row in tracer.Stats(profile).stats.items()}}
    assert rows["leaf"] == 1
    assert "work" not in rows
""",
    )
    ended = plain("-W", "ignore", program)
    assert (ended.returncode, ended.stderr) == (0, b"")
