"""A focus beside others: several profiles, threads, greenlets, what runs already, and what the
interpreter is asked for.
"""

import threading

import pytest

import tracer
from focusing import IN, OUT, focused, two_modules
from hooks import HAS_MONITORING
from launch import environment, plain, write
from rows import by_name, calls, rows_of_file, times


@pytest.fixture
def code(tmp_path):
    return two_modules(tmp_path)


def test_two_profiles_with_different_foci(code, backend):
    profiles = [
        tracer.Profile(code.clock, 1.0, builtins=builtins, backend=backend, threads=False, **focus)
        for focus, builtins in [
            ({"include": code.path / "own"}, True),
            ({"include": code.path / "out"}, False),
            ({}, False),
        ]
    ]
    expected = {
        0: {"top": 1, "leaf": 1, "<built-in method builtins.len>": 1},
        1: {"calling": 1},
        2: {"top": 1, "calling": 1, "leaf": 1},
    }
    for combination in ([0], [0, 1], [1, 0], [0, 1, 2], [2, 1, 0], [1]):
        for number in combination:
            profiles[number].clear()
            profiles[number].enable()
        code.own.top(code.out.calling, code.own.leaf)
        for number in combination:
            profiles[number].disable()
        for number in combination:
            found = rows_of_file(profiles[number], str(code.path / "own" / "own.py"))
            found |= rows_of_file(profiles[number], str(code.path / "out" / "out.py"))
            named = {name: count for name, count in expected[number].items() if name[0] != "<"}
            assert {name: row[0] for name, row in found.items()} == named, combination
    assert times(profiles[1], "calling") == (12, 12)


def test_code_that_was_left_out_is_seen_by_a_profile_that_is_enabled_later(code, backend):
    first = tracer.Profile(backend=backend, include=code.path / "own")
    second = tracer.Profile(backend=backend)
    with first:
        for _ in range(3):
            code.out.leaf_of_out()
        with second:
            for _ in range(3):
                code.out.leaf_of_out()
        for _ in range(3):
            code.out.leaf_of_out()
        with second:
            for _ in range(3):
                code.out.leaf_of_out()
    assert times(second, "leaf_of_out") and tracer.Stats(second).stats
    found = rows_of_file(second, str(code.path / "out" / "out.py"))
    assert found["leaf_of_out"][0] == 6
    assert rows_of_file(first, str(code.path / "out" / "out.py")) == {}


def test_threads(code, backend):
    profile = tracer.Profile(backend=backend, builtins=False, include=code.path / "own")
    threads = [
        threading.Thread(target=code.out.calling, args=(code.own.leaf,), name=f"worker {i}")
        for i in range(4)
    ]
    with profile:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    stats = tracer.Stats(profile)
    assert calls(stats) == {"leaf": 4}
    for thread in threads:
        assert calls(stats.threads[thread.name]) == {"leaf": 1}


def test_what_runs_already(code, backend):
    profile = tracer.Profile(
        code.clock, 1.0, builtins=False, backend=backend, threads=False, include=code.path / "own"
    )

    def enabling():
        profile.enable()
        code.tick(100)
        code.own.leaf()

    code.own.top(code.out.calling, enabling)
    profile.disable()
    found = rows_of_file(profile, str(code.path / "own" / "own.py"))
    assert found == {"top": (0, 106, 108, set()), "leaf": (1, 2, 2, {"top"})}


def test_what_other_threads_run_already(code, backend):
    profile = tracer.Profile(backend=backend, builtins=False, include=code.path / "own")
    started, go_on = threading.Event(), threading.Event()

    def waiting():
        started.set()
        go_on.wait()
        code.own.leaf()

    thread = threading.Thread(target=code.own.top, args=(code.out.calling, waiting))
    thread.start()
    started.wait()
    with profile:
        go_on.set()
        thread.join()
    found = rows_of_file(profile, str(code.path / "own" / "own.py"))
    assert {name: (row[0], row[3]) for name, row in found.items()} == {
        "top": (0, set()),
        "leaf": (1, {"top"}),
    }


def test_greenlets(code, backend):
    greenlet = pytest.importorskip("greenlet")

    def switching():
        code.out.space["hub"] = greenlet.getcurrent()
        workers = [greenlet.greenlet(code.own.pausing) for _ in range(2)]
        for worker in workers * 2:
            worker.switch()
            code.tick(100)

    profile = focused(code, backend, switching)
    assert by_name(profile) == {"pausing": (2, 2, 24, 24, {})}


SILENCE = """
import dis, sys
import tracer
import own, out

def instrumented(*functions):
    return [
        {
            instruction.opname.removeprefix("INSTRUMENTED_").partition("_")[0]
            for instruction in dis.get_instructions(function, adaptive=True)
            if instruction.opname.startswith("INSTRUMENTED")
        }
        for function in functions
    ]

def found():
    for _ in range(3):
        own.top(out.leaf_of_out)
        own.summing()
    return instrumented(out.leaf_of_out, out.counting)

everything = [{"RESUME", "CALL", "RETURN"}, {"RESUME", "CALL", "RETURN", "YIELD"}]
nothing = [set(), set()]
leaving_out, looking = (tracer.Profile(exclude=name) for name in ("out", "own"))
with leaving_out:
    assert found() == nothing
    assert instrumented(own.summing) == everything[:1]
    with looking:
        assert found() == everything
    assert found() == nothing
    with looking:
        assert found() == everything
        leaving_out.disable()
        assert found() == everything
assert found() == nothing
[row] = [row for label, row in tracer.Stats(looking).stats.items() if label[2] == "leaf_of_out"]
assert row[1] == 9
"""


@pytest.mark.skipif(not HAS_MONITORING, reason="of sys.monitoring")
def test_the_interpreter_reports_nothing_of_what_all_leave_out(tmp_path):
    """The interpreter's instructions say what it reports; no other tool is in this process."""
    write(tmp_path / "own.py", "import out\ntick = int\n" + IN)
    write(tmp_path / "out.py", "import own\ntick = int\n" + OUT)
    program = write(tmp_path / "silence.py", SILENCE)
    result = plain(str(program), env=environment(TRACER_BACKEND="monitoring"))
    assert (result.returncode, result.stderr) == (0, b"")
