"""The limits of a LineRecorder: code of which there is too much, or which is nonsense; stacks that
are too deep; memory that runs out.
"""

import threading

import pytest

from linelives import lives
from linerows import clock, hits, lines_of, recorder_of, ticks
from tracer._core import LineRecorder

# -- The limits ----------------------------------------------------------------------------------


def test_very_much_code():
    """Code objects past the limit are counted, and their memory is let go."""
    lives("""
        import resource

        from tracer.launch.run_section import max_memory

        def most():
            return max_memory(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) >> 10

        def many(count):
            for number in range(count):
                eval(compile("1", "<made>", "eval"))

        recorder = type(recorder_of())(whole=True)
        with recorder:
            many(100_000)
            before = most()
            many(100_000)
            grown = most() - before
        found = recorder.snapshot()
        assert len(found["codes"]) == 100_000, len(found["codes"])
        assert 100_000 <= found["left_out"] <= 100_100, found["left_out"]
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps what is freed
            assert before < 500_000, before  # 3.12 keeps most of what it is told of code
            assert grown < 15_000, grown
        assert not recorder.add_code(leaf.__code__)
        recorder.clear()
        recorder.__init__(clock, 1.0)
        recorder.add_code(leaf.__code__)
        goes_on(recorder)
    """)


def made_of(table, **changes):
    def function():
        for _ in range(3):
            pass

    return function.__code__.replace(
        **({} if table is None else {"co_linetable": table}), **changes
    )


@pytest.mark.parametrize("first", [0, 1, 2**31 - 1, 2**31 - 2, 10**6])
@pytest.mark.parametrize(
    "table",
    [None, b"", b"\x80", bytes(50), b"\xf8" * 8, b"\xe8\x7f\x7f\x7f\x7f\x7f"],
    ids=["its own", "empty", "cut off", "zeros", "no lines", "far"],
)
def test_code_with_absurd_lines(first, table):
    """Any table that compile() never makes: nothing of use is told, and nothing breaks."""
    lives(f"""
        sys.path.append({__file__!r}.rpartition("/")[0])
        from test_lines_limits import made_of

        code = made_of({table!r}, co_firstlineno={first})
        asked = []
        recorder = recorder_of(first_lines=lambda code: asked.append(code) or b"\\1" * 400)
        recorder.add_code(code)
        function = type(leaf)(code, {{}})
        with recorder:
            for _ in range(3):
                function()
        recorder.snapshot()
        assert asked == [code]
    """)


def test_a_line_far_away():
    source = "def function():\n    clock.now += 1\n" + "\n" * 300_000 + "    clock.now += 2\n"
    space = {"clock": clock}
    exec(compile(source, "long", "exec"), space)
    recorder = recorder_of(space["function"])
    with recorder:
        space["function"]()
    assert ticks(recorder, space["function"]) == {1: 1, 300_002: 2}


def test_a_line_farther_than_the_limit():
    """Code with such a line is recorded, but without lines."""
    source = "def function():\n    clock.now += 1\n" + "\n" * 1_100_000 + "    clock.now += 2\n"
    space = {"clock": clock}
    exec(compile(source, "longer", "exec"), space)
    recorder = recorder_of(space["function"])
    with recorder:
        space["function"]()
    assert lines_of(recorder, space["function"]) == {}


def dive(depth):
    try:
        return dive(depth + 1)
    except RecursionError:
        return depth


def test_recursion_to_the_limit():
    recorder = recorder_of(dive)
    plain = dive(0)
    with recorder:
        traced = dive(0)
    assert abs(traced - plain) <= 3
    found = hits(recorder, dive)
    assert found[1] in (traced + 1, traced + 2)
    assert found[2] == found[1]
    assert all(not line.waits for line in lines_of(recorder, dive).values())


def test_more_threads_than_are_kept_apart():
    def work():
        return None

    recorder = recorder_of(work)
    with recorder:
        for _ in range(1100):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
    assert len(recorder.snapshot()["threads"]) <= 1000
    assert hits(recorder, work) == {1: 1100}


def test_memory_that_runs_out():
    """One allocation fails, or all do from one on, each time in a child process of its own."""
    pytest.importorskip("_testcapi", reason="this Python comes without its _testcapi")
    lives("""
        import _testcapi

        def numbers():
            yield 1

        def work():
            leaf()
            list(numbers())
            sorted([1], key=lambda value: value)

        def strike(first, last):
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # the interpreter tells what it lacks
            space = {}
            exec("def fresh(): pass", space)
            recorder = type(recorder_of())(whole=True, costs=(0.0, 0.0, 0.0))
            another = type(recorder_of())()
            _testcapi.set_nomemory(first, last)
            try:
                another.add_code(work.__code__)
                recorder.enable()
                another.enable()
                work()
                space["fresh"]()
                recorder.snapshot()
                recorder.clear()
                recorder.disable()
                another.disable()
            except (MemoryError, SystemError, RuntimeError):
                pass
            finally:
                _testcapi.remove_mem_hooks()
            recorder.disable()
            another.disable()
            assert not recorder.enabled and sys.gettrace() is None
            recorder.snapshot()

        with recorder_of(leaf):
            work()  # what is made once for all
        for first in range(150):
            status = in_a_child(strike, first, first + 1)
            assert status == 0, (first, status)
            # 3.11 itself never ends an `except` that lacks memory, 3.15 crashes instrumenting.
            if (3, 12) <= sys.version_info < (3, 15):
                assert os.WIFEXITED(in_a_child(strike, first, 0)), first
    """)


def test_its_methods_are_refused_from_within_its_own_timer():
    refused = []

    def timer():
        for method in (recorder.enable, recorder.disable, recorder.clear, recorder.__init__):
            with pytest.raises(RuntimeError, match="a line recorder from within its own timer"):
                method()
            refused.append(method.__name__)
        return 0

    recorder = LineRecorder(timer)
    recorder.add_code(dive.__code__)
    with recorder:
        recorder.snapshot()
    assert "enable" in refused
