"""What goes wrong around a profile and must not go wrong in it: timers that re-enter, recursion to
the limit, no memory.

Odd threads are in test_threads_odd.py, other tools and audit hooks in test_beside.py, the ends of
processes and interpreters in test_processes.py, signals in test_signals.py.
"""

import sys

import pytest

import tracer
from rows import by_name
from survival import survives

# -- Timers that re-enter ------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["clear", "disable", "enable"])
@pytest.mark.parametrize(
    "method, unit", [("__index__", 1.0), ("__float__", 0.0), ("__del__", 1.0), ("__del__", 0.0)]
)
def test_what_a_timer_returns_meddles(method, unit, action):
    """The number that a timer gives runs code, too (cpython#143545; the timer itself: #121225)."""
    survives(f"""
        class Value:
            def __index__(self):
                return 0

            def __float__(self):
                return 0.0

        def meddle(self):
            try:
                profile.{action}()
            except RuntimeError as error:
                errors.append(error)
            return 0.0 if "{method}" == "__float__" else 0

        setattr(Value, "{method}", meddle)
        errors = []
        profile = tracer.Profile(Value, {unit})
        for _ in range(3):
            with profile:
                leaf()
                sorted([1], key=lambda value: leaf())
            profile.snapshot()
        assert calls(profile) == 6
        assert errors and "within its own timer" in str(errors[0])
        (code,) = (entry for entry in profile.getstats() if entry.code is leaf.__code__)
        assert not any(entry.code is meddle.__code__ for entry in profile.getstats())
    """)


# -- The limits of the interpreter ---------------------------------------------------------------


def dive(depth):
    """How deep the recursion gets. Whatever is called next meets the limit."""
    try:
        return dive(depth + 1)
    except RecursionError:
        return depth


def test_recursion_to_the_limit():
    def plunge():
        return dive(0)

    profile = tracer.Profile()
    plain = plunge()
    with profile:
        traced = plunge()
    assert abs(traced - plain) <= 3
    row = by_name(profile)["dive"]
    assert (row.calls, row.primitive) in {(traced + 1, 1), (traced + 2, 1)}
    assert row.callers["dive"] == (row.calls - 1, 1)
    again = profile.runcall(plunge)
    assert abs(again - plain) <= 6


def test_memory_that_runs_out_while_a_profile_is_looked_at():
    pytest.importorskip("_testcapi", reason="this Python comes without its _testcapi")
    survives("""
        import _testcapi

        profile = tracer.Profile()
        with profile:
            sorted([3, 1], key=lambda item: -item)
            profile.enabled
        failures = 0
        sys.unraisablehook = lambda unraisable: None  # told of what the interpreter does without
        for first in range(300):
            _testcapi.set_nomemory(first, first + 1)
            try:
                profile.snapshot()
            except MemoryError:
                failures += 1
            finally:
                _testcapi.remove_mem_hooks()
        assert failures > 20, failures
    """)


def test_memory_that_runs_out_while_figures_are_added_up():
    """The shortage is told, and the next time all figures are there."""
    pytest.importorskip("_testcapi", reason="this Python comes without its _testcapi")
    survives("""
        import _testcapi
        from array import array
        from tracer._core import add_up, call_paths, merge_paths

        def numbers():
            yield 1

        profile = tracer.Profile()
        with profile:
            sorted([3, 1], key=lambda item: -item)
            list(numbers())
            leaf()
        capture = tracer.Capture(profile.snapshot())
        threads = tuple(tuple(thread.records.values()) for thread in capture.threads)
        count = len(capture.functions)
        rows = array("I", range(count)).tobytes()
        tree, _ = call_paths(threads, rows, 0, 1e-9)
        sys.unraisablehook = lambda unraisable: None  # told of what the interpreter does without
        looks = {
            "getstats": lambda: str(profile.getstats()),
            "add_up": lambda: add_up(threads, rows, tuple(range(count)), 1e-9, True),
            "call_paths": lambda: call_paths(threads, rows, 0, 1e-9),
            "merge_paths": lambda: merge_paths((tree, tree)),
        }
        for name, look in looks.items():
            expected, failures = look(), 0
            for first in range(60):
                _testcapi.set_nomemory(first, first + 1)
                try:
                    look()
                except MemoryError:
                    failures += 1
                finally:
                    _testcapi.remove_mem_hooks()
            assert failures > 4, (name, failures)
            assert look() == expected, name
    """)


def test_memory_that_runs_out_in_the_middle():
    """One allocation fails, or all from one on, each time in a child of its own. The program gets
    to see its MemoryError, or what the interpreter makes of it (a SystemError, or that
    sys.monitoring is gone); there is never a crash, and the profile can be used again."""
    pytest.importorskip("_testcapi", reason="this Python comes without its _testcapi")
    if sys.version_info >= (3, 15) and tracer.Profile().backend == "setprofile":
        pytest.skip("3.15 crashes by itself: no memory to instrument a function for sys.setprofile")
    survives("""
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
            profile = tracer.Profile()
            _testcapi.set_nomemory(first, last)
            try:
                profile.enable()
                work()
                if sys.version_info < (3, 15):
                    space["fresh"]()
                profile.disable()
            except (MemoryError, SystemError, RuntimeError):
                pass
            finally:
                _testcapi.remove_mem_hooks()
            profile.disable()
            assert not profile.enabled and sys.getprofile() is None
            profile.getstats()
            profile.snapshot()

        with tracer.Profile():
            work()
        for first in range(120):
            assert in_a_child(strike, first, first + 1) == 0, first
            # The except above may fail, too. 3.15 itself crashes where it has no memory to
            # instrument a function: so it calls none there that is new.
            if sys.version_info < (3, 15):
                assert os.WIFEXITED(in_a_child(strike, first, 0)), first
    """)
