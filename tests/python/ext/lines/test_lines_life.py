"""The life of a LineRecorder: dropped, collected, forked, in several interpreters, until the
interpreter ends.
"""

import copy
import gc
import pickle
import weakref
from textwrap import dedent

import pytest

from hooks import HAS_MONITORING, held
from linelives import lives
from linerows import hits, lines_of, recorder_of
from tracer._core import LineRecorder

needs_monitoring = pytest.mark.skipif(not HAS_MONITORING, reason="of sys.monitoring alone")


def leaf():
    return None


# -- The end of a recorder -----------------------------------------------------------------------


def test_one_that_is_dropped_leaves_nothing_behind():
    recorder = recorder_of(leaf)
    recorder.enable()
    leaf()
    assert held()
    del recorder
    gc.collect()
    assert held() == []


def test_dropping_one_of_two_leaves_the_other():
    one, two = recorder_of(leaf), recorder_of(leaf)
    one.enable()
    two.enable()
    del one
    leaf()
    two.disable()
    assert hits(two, leaf) == {1: 1}


class Mine(LineRecorder):
    """Has attributes, and takes weak references."""


@pytest.mark.parametrize("enabled", [False, True])
def test_one_in_a_cycle_is_collected(enabled):
    recorder = Mine()
    recorder.itself = recorder
    recorder.add_code(leaf.__code__)
    if enabled:
        recorder.enable()
    leaf()
    gone = weakref.ref(recorder)
    del recorder
    gc.collect()
    assert gone() is None
    assert held() == []


@pytest.mark.parametrize("what", ["timer", "first_lines"])
def test_what_holds_its_recorder_is_collected(what):
    class Callable:
        def __call__(self, code=None):
            return 0 if what == "timer" else None

    callable = Callable()
    callable.recorder = Mine(**{what: callable})
    callable.recorder.add_code(leaf.__code__)
    with callable.recorder:
        leaf()
    gone = weakref.ref(callable.recorder)
    del callable
    gc.collect()
    assert gone() is None


def test_code_that_holds_its_recorder_is_collected():
    space = {"recorder": Mine(whole=True)}
    exec("def function(): pass", space)
    with space["recorder"]:
        space["function"]()
    gone = weakref.ref(space["recorder"])
    del space
    gc.collect()
    assert gone() is None


def test_a_recorder_keeps_code_so_that_none_is_mistaken_for_it():
    recorder = recorder_of()
    with recorder:
        for number in range(200):
            space = {}
            exec(f"def function_{number}(): pass", space)
            recorder.add_code(space[f"function_{number}"].__code__)
            space[f"function_{number}"]()
            del space
    names = [label[2] for label in recorder.snapshot()["codes"]]
    assert names == [f"function_{number}" for number in range(200)]


def test_loops_on_one_line_of_code_that_is_dropped():
    """Guards against a jump that is remembered of dropped code, whose address other code has."""
    keeper = recorder_of()
    with keeper:
        for number in range(300):
            source = "\n" * (number % 7) + "for _ in (1, 2): " + "x = 1; " * (number % 5 + 1)
            code = compile(source, "dropped", "exec")
            recorder = recorder_of(code)
            with recorder:
                exec(code, {})
            lines = lines_of(recorder, code)
            assert list(lines) == [number % 7 + 1]
            assert lines[number % 7 + 1].hits == 3
            del recorder, code


def test_the_constructor_called_again_starts_anew():
    recorder = recorder_of(leaf)
    recorder.enable()
    leaf()
    recorder.__init__()
    assert not recorder.enabled
    assert recorder.snapshot()["codes"] == recorder.snapshot()["threads"] == ()
    recorder.add_code(leaf.__code__)
    with recorder:
        leaf()
    assert hits(recorder, leaf) == {1: 1}


def test_a_constructor_that_fails_leaves_it_as_it_was():
    recorder = recorder_of(leaf)
    with recorder:
        leaf()
        for options in ({"timer": 5}, {"timeunit": -1.0}, {"first_lines": 5}, {"costs": 5}):
            with pytest.raises((TypeError, ValueError)):
                recorder.__init__(**options)
        assert recorder.enabled
        leaf()
    assert hits(recorder, leaf) == {1: 2}


@pytest.mark.parametrize(
    "options, message",
    [
        ({"timer": 5}, "timer"),
        ({"first_lines": 5}, "first_lines must be None or a callable, not 5"),
        ({"costs": 5}, "costs must be None or a tuple"),
        ({"costs": (1.0, 2.0)}, "costs"),
        ({"costs": (1.0, -2.0, 0.0)}, "costs"),
        ({"costs": (1.0, float("nan"), 0.0)}, "costs"),
        ({"costs": (1e300, 0.0, 0.0)}, "costs"),
        ({"include": ("/a",)}, "for whole=True"),
        ({"whole": True, "include": "/a"}, "tuple"),
        ({"whole": True, "include": (5,)}, "expected str, bytes or os.PathLike object, not int"),
        ({"backend": "nothing"}, "nothing"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        LineRecorder(**options)


def test_options_that_say_nothing():
    recorder = LineRecorder(include=(), exclude=(), first_lines=None, costs=None, backend=None)
    assert recorder.backend in ("monitoring", "settrace")
    assert recorder.backend.reason
    with pytest.raises(TypeError, match=r"add_code.* needs a code object, not <function"):
        recorder.add_code(leaf)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_it_can_be_neither_copied_nor_pickled(way):
    with pytest.raises(TypeError, match="LineRecorder"):
        way(LineRecorder())


# -- Processes and interpreters ------------------------------------------------------------------


def test_a_forked_child_starts_with_nothing():
    lives("""
        import warnings
        warnings.simplefilter("ignore")  # that a process with threads forks

        def in_the_child(depth):
            assert recorder.enabled
            assert counted(recorder) == 0
            leaf()
            thread = threading.Thread(target=leaf)
            thread.start()
            thread.join()
            assert counted(recorder) == 2
            assert len(recorder.snapshot()["threads"]) == 2
            if depth < 3:
                assert in_a_child(in_the_child, depth + 1) == 0
            recorder.disable()
            assert counted(recorder) == 2
            goes_on(recorder)

        def work():
            while not over:
                leaf()

        over = False
        idle, recorder = recorder_of(leaf), recorder_of(leaf)
        with idle:
            leaf()
        threads = [threading.Thread(target=work, daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        with recorder:
            for _ in range(4):
                assert in_a_child(in_the_child, 1) == 0
            over = True
            for thread in threads:
                thread.join()
        assert counted(idle) == 1
        goes_on(recorder)
    """)


@pytest.mark.parametrize("step", ["snapshot()", "enable()", "hold()", "clear()"])
@pytest.mark.parametrize("ended", ["disable", "release"])
def test_a_forked_child_forgets_what_was_recorded_before_and_is_over(step, ended):
    lives(f"""
        recorder = recorder_of(leaf)
        recorder.hold() if "{ended}" == "release" else recorder.enable()
        leaf()
        recorder.{ended}()

        def in_the_child():
            recorder.{step}
            assert counted(recorder) == 0
            measured = recorder.snapshot()["measured"]
            assert recorder.enabled or measured == 0.0
            recorder.enable()
            leaf()
            recorder.disable()
            assert counted(recorder) == 1
            recorder.enable()
            leaf()
            assert counted(recorder) == 2

        assert in_a_child(in_the_child) == 0
        assert counted(recorder) == 1
    """)


@pytest.mark.parametrize("isolated", [False, True])
def test_each_interpreter_has_data_of_its_own(isolated):
    lives(
        f"""
        isolated = {isolated}
        """
        """
        IN_ONE = '''
        import sys
        from tracer._core import LineRecorder
        def leaf():
            pass
        recorder = LineRecorder(whole=True)
        recorder.add_code(leaf.__code__)
        for _ in range(3):
            with recorder:
                leaf()
        assert len(recorder.snapshot()["threads"][0]["lines"]) >= 56
        left_enabled = sys.left_enabled = LineRecorder()
        left_enabled.add_code(leaf.__code__)
        left_enabled.enable()
        leaf()
        '''
        import textwrap
        IN_ONE = textwrap.dedent(IN_ONE)

        def whole_life():
            in_an_interpreter(IN_ONE, isolated)

        recorder = recorder_of(leaf)
        with recorder:
            for _ in range(3):
                leaf()
                whole_life()
            threads = [threading.Thread(target=whole_life) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert counted(recorder) == 3
        goes_on(recorder)
        """
    )


ENDINGS = {
    "in the main thread": "",
    "in a cycle": "other.itself = other",
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
                another = recorder_of(leaf)
                with another:
                    leaf()
                another.snapshot()
                began.release()

        for _ in range(5):
            threading.Thread(target=work, daemon=True).start()
            began.acquire()
    """,
    "by a finalizer": """
        class Last:
            def __del__(self, recorder_of=recorder_of, leaf=leaf):
                another = recorder_of(leaf)
                with another:
                    leaf()
                another.enable()

        sys.last_one, another = Last(), Last()
    """,
    "with first_lines that holds it": """
        def first_lines(code):
            if hasattr(sys, "other"):
                sys.other.snapshot()

        sys.first_lines = first_lines
        sys.other = recorder_of(leaf, first_lines=first_lines, whole=True)
        sys.other.enable()
    """,
    "without its modules": """
        for name in [name for name in sys.modules if name.startswith(("tracer", "line"))]:
            del sys.modules[name]
        sys.recorder = recorder
        del tracer, recorder_of, hits, lines_of, clock
        gc.collect()
        leaf()
    """,
}


@pytest.mark.parametrize("flags", [(), ("-X", "dev")], ids=["", "-X dev"])
@pytest.mark.parametrize("ending", ENDINGS)
def test_the_interpreter_ends_with_an_enabled_recorder(ending, flags):
    program = """
        class Late:
            def __del__(self):
                leaf()

        class Mine(type(recorder_of())):
            pass

        late = Late()
        recorder, other = recorder_of(leaf, Late.__del__), Mine(whole=True)
        recorder.enable()
        other.enable()
        leaf()
    """
    lives(dedent(program) + dedent(ENDINGS[ending]), flags)
