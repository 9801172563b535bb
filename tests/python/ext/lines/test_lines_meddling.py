"""What comes in the middle of a LineRecorder's own work: timers, `first_lines` and audit hooks that
change it, or end it; threads that do. What timers and `first_lines` may do is in
test_lines_timers.py.
"""

from textwrap import dedent

import pytest

from hooks import HAS_MONITORING
from linelives import lives

ACTIONS = {
    "disables": "recorder.disable()",
    "clears": "recorder.clear()",
    "enables": "recorder.enable()",
    "disables and enables": "recorder.disable(); recorder.enable()",
    "sets up": "recorder.__init__(whole=True, first_lines=first_lines)",
    "sets up without": "recorder.__init__()",
    "adds": "recorder.add_code(other.__code__)",
    "adds the same": "recorder.add_code(leaf.__code__)",
    "holds and releases": "recorder.hold(); recorder.release()",
    "looks": "recorder.snapshot()",
    "raises": "raise KeyError",
    "exits": "raise SystemExit",
    "drops": "del globals()['recorder']",
    "drops and collects": "del globals()['recorder']; gc.collect()",
    "enables another": "another.enable()",
    "disables another": "another.disable()",
    "runs code of it": "leaf(); list(numbers())",
}

WHERE = {
    "added before": "recorder.add_code(leaf.__code__); recorder.enable()",
    "added while enabled": "recorder.enable(); recorder.add_code(leaf.__code__)",
    "first sight": "recorder.enable(); leaf()",
    "first sight of a generator": "two = numbers(); next(two); recorder.enable(); list(two)",
}

MEDDLER = """
    sys.unraisablehook = lambda unraisable: raised.append(unraisable.exc_type)
    raised, depth, done, allowed = [], 0, 0, 3
    Mine = type("Mine", (type(recorder_of()),), {})

    def numbers():
        yield 1
        yield 2

    def other():
        pass

    def first_lines(code=None):
        global depth, done
        if code is not None and code.co_name in ("meddle", "first_lines", "<lambda>"):
            return None
        if done < allowed and depth < 3:
            depth += 1
            done += 1
            try:
                meddle()
            finally:
                depth -= 1

    def drive():
        for _ in range(3):
            leaf()
            list(numbers())
            (lambda: 1)()
            sorted([1], key=lambda item: leaf())

    def in_the_end():
        another.disable()
        if "recorder" in globals():
            drive()
            recorder.disable()
            recorder.snapshot()
            recorder.__init__(clock, 1.0)
            recorder.add_code(leaf.__code__)
            goes_on(recorder)
        assert held() == [], held()
        assert done
"""


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("action", ACTIONS)
def test_first_lines_that_meddle(action, where):
    lives(
        dedent(MEDDLER)
        + dedent(f"""
        def meddle():
            {ACTIONS[action]}

        another = Mine(whole=True)
        recorder = Mine(whole=True, first_lines=first_lines)
        try:
            exec({WHERE[where]!r})
        except NameError:
            pass  # it is gone
        drive()
        in_the_end()
        """),
        PYTHONMALLOC="debug",
    )


@pytest.mark.parametrize("calls", ["", ", calls=True"] if HAS_MONITORING else [""])
@pytest.mark.parametrize("action", ACTIONS)
def test_a_timer_that_meddles(action, calls):
    """A recorder refuses what its own timer may not do to it."""
    lives(
        dedent(MEDDLER)
        + dedent(f"""
        def timer():
            global depth, done
            if depth == 0 and armed:
                depth += 1
                done += 1
                try:
                    meddle()
                except RuntimeError as error:
                    assert "within its own timer" in str(error)
                finally:
                    depth -= 1
            return 0

        def meddle():
            {ACTIONS[action]}

        armed = False
        another = Mine(timer, 1.0, whole=True)
        recorder = Mine(timer, 1.0, whole=True, costs=(1.0, 2.0, 3.0){calls})
        recorder.enable()
        drive()
        armed = True
        drive()
        if "recorder" in globals():
            recorder.add_code(other.__code__)
            recorder.snapshot()
            recorder.clear()
            recorder.disable()
        armed = False
        in_the_end()
        """),
        PYTHONMALLOC="debug",
    )


@pytest.mark.parametrize(
    "action", ["disable()", "enable()", "clear()", "snapshot()", "__init__()", "release()"]
)
def test_another_thread_meddles_while_the_timer_is_read(action):
    """Guards against a recorder that is enabled and in no list, or has lost its threads."""
    lives(
        dedent(MEDDLER)
        + dedent(f"""
        def timer():
            if armed and threading.get_ident() == main and not depth:
                elsewhere()
            return 0

        def elsewhere():
            global depth, done
            depth, done = 1, done + 1
            thread = threading.Thread(target=meddle)
            thread.start()
            thread.join()
            depth = 0

        def meddle():
            try:
                recorder.{action}
            except RuntimeError as error:
                assert "another thread is using" in str(error)
            leaf()

        main, armed = threading.get_ident(), True
        another = Mine()
        recorder = Mine(timer, 1.0, whole=True)
        for _ in range(3):
            for step in (recorder.enable, drive, recorder.snapshot, recorder.clear, drive):
                step()
            recorder.disable()
            drive()
            recorder.hold()
            drive()
            recorder.release()
            recorder.add_code(other.__code__)
            if recorder.snapshot()["clock"] != "custom":
                recorder.__init__(timer, 1.0, whole=True)
            recorder.disable()
            assert not recorder.enabled
        armed = False
        in_the_end()
        """),
        PYTHONMALLOC="debug",
    )


MEDDLING = """
    def hook(event, arguments):
        if armed and event.startswith(("sys.monitoring", "sys.settrace")):
            armed.pop()
            done.append(event)
            meddle()

    armed, done = [], []
    sys.addaudithook(hook)
    one, two = recorder_of(leaf), recorder_of(leaf)

    def in_the_end():
        assert done
        armed.clear()
        one.disable()
        two.disable()
        held()  # a callback whose removal was refused is still there
        goes_on(one)
        goes_on(two)
"""


@pytest.mark.parametrize(
    "meddle",
    [
        "one.disable()",
        "two.enable()",
        "one.disable(); one.enable()",
        "raise KeyError",
        "one.clear()",
    ],
)
@pytest.mark.parametrize("times", [1, 100])
def test_an_audit_hook_meddles(meddle, times):
    """Guards against a tool id that is lost, or given back while it is in use."""
    lives(
        dedent(MEDDLING)
        + dedent(f"""
        def meddle():
            {meddle}

        def attempt(step):
            try:
                step()
            except (KeyError, RuntimeError):
                pass

        sys.unraisablehook = lambda unraisable: None
        for round in range(4):
            armed[:] = [None] * {times}
            attempt(one.enable)
            leaf()
            attempt(lambda: one.add_code(attempt.__code__))
            attempt(one.disable)
            armed.clear()
            one.disable()
            two.disable()
        in_the_end()
        """),
        PYTHONMALLOC="debug",
    )


def test_threads_meddle_at_once():
    lives("""
        import random

        def work(seed):
            dice = random.Random(seed)
            def mine():
                total = 0
                for number in range(20):
                    total += number
                return total
            def generator():
                yield mine()
                yield sorted([3, 1, 2], key=lambda number: -number)
            while time.monotonic() < until:
                choice = dice.randrange(9)
                recorder = recorders[dice.randrange(len(recorders))]
                if choice == 0:
                    recorder.enable()
                elif choice == 1:
                    recorder.disable()
                elif choice == 2:
                    recorder.clear()
                elif choice == 3:
                    recorder.snapshot()
                elif choice == 4:
                    recorder.add_code(mine.__code__)
                elif choice == 5:
                    recorder.hold()
                    recorder.release()
                elif choice == 6:
                    place = dice.randrange(len(recorders))
                    recorders[place] = make(place)
                mine()
                list(generator())
                leaf()

        def make(place):
            timer = time.perf_counter_ns if place == 2 else None
            calls = place == 3 and sys.version_info >= (3, 12)
            return recorder_of(leaf, work, timer=timer, whole=place == 1, calls=calls)

        sys.setswitchinterval(0.0001)
        until = time.monotonic() + 2
        recorders = [make(place) for place in range(4)]
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for recorder in recorders:
            recorder.disable()
        for recorder in recorders:
            recorder.clear()
            goes_on(recorder)
    """)
