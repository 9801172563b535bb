"""Profiles that are made of samples: where their samples fall, in Python code."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import time
from types import FunctionType

import pytest

from places import HELPERS
from sampled import COARSE, NEEDS_SAMPLES, TICK
from shares import RATE, WAIT, Shares, is_share, sampled, spin
from tracer._core import Profiler

pytestmark = NEEDS_SAMPLES
STRETCH = 0.4  # seconds of CPU: a hundred samples


def inner(seconds):
    spin(seconds)


def outer(seconds):
    inner(seconds)


def test_shares_are_those_of_cpu_time():
    def run():
        for _ in range(20):
            inner(STRETCH / 20)
            outer(STRETCH / 20 * 3)

    found = sampled(run, slowdown=0)
    whole = found.below("spin")
    assert whole * found.facts["period"] == pytest.approx(4 * STRETCH, abs=0.15 * STRETCH + 0.05)
    assert is_share(found.below("outer"), whole, 0.75)
    assert is_share(found.own()["spin"], whole, 1.0)


def test_a_sample_has_the_whole_path():
    def run():
        outer(STRETCH)

    found = sampled(run, slowdown=0).all_paths()
    name = f"{test_a_sample_has_the_whole_path.__name__}.<locals>.run"
    (path,) = {path for path in found if path and path[-1] == "spin"}
    assert path[-5:] == ("sampled", name, "outer", "inner", "spin")
    assert test_a_sample_has_the_whole_path.__name__ in path


def test_samples_that_would_cost_too_much_are_rare_and_weigh_as_much():
    def fall(depth):
        if depth:
            fall(depth - 1)
        else:
            spin(5 * STRETCH)

    found = sampled(lambda: fall(300), slowdown=0.001)
    assert found.below("spin") * found.facts["period"] == pytest.approx(5 * STRETCH, rel=0.5)
    assert 0 < found.facts["samples"] < found.below("spin") / 4


def test_recursion_keeps_each_level():
    def fall(depth):
        if depth:
            fall(depth - 1)
        else:
            spin(STRETCH)

    found = sampled(lambda: fall(50), slowdown=0).all_paths()
    assert {sum("fall" in name for name in path) for path in found if path[-1:] == ("spin",)} == {
        51
    }


def test_of_a_chain_that_is_too_long_the_innermost_frames_are_kept():
    def fall(depth):
        if depth:
            fall(depth - 1)
        else:
            spin(STRETCH)

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        found = sampled(lambda: fall(1500), slowdown=0).all_paths()
    finally:
        sys.setrecursionlimit(limit)
    (path,) = {path for path in found if path[-1:] == ("spin",)}
    assert path[0] == "?"
    assert len(path) == 1024


def test_each_thread_has_its_samples():
    spun = []

    def work():
        inner(STRETCH)
        spun.append(threading.get_native_id())

    def run():
        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    found = sampled(run, slowdown=0)
    assert found.below("inner") * found.facts["period"] == pytest.approx(16 * STRETCH, rel=0.1)
    assert found.below("outer") == 0


def seen_at_last(wanted, run, names):
    """What names(shares) has of `wanted`, of as many runs as it takes: on a busy machine a signal
    stands for many periods, and all of a short function's may fall into the next one."""
    seen = set()
    for _ in range(30):
        seen |= names(sampled(run, slowdown=0)) & wanted
        if seen == wanted:
            break
    return seen


def test_a_name_is_kept_of_code_that_is_gone():
    def run():
        for number in range(8):
            text = f"def passing_{number}(spin): spin({STRETCH / 8})"
            scope = {}
            exec(compile(text, "<gone>", "exec"), scope)
            scope[f"passing_{number}"](spin)
            del scope
            gc.collect()

    wanted = {f"passing_{number}" for number in range(8)}
    found = seen_at_last(wanted, run, lambda it: {name for path in it.all_paths() for name in path})
    assert found == wanted


@pytest.mark.skipif(sys.version_info < (3, 12), reason="code has no number of its own up to 3.11")
def test_code_that_took_the_place_of_freed_code():
    """All addresses are the same, and only what is at them differs."""
    text = "def passing(spin):" + "\n" * 8 + f" spin({STRETCH / 8}); return"
    scope = {}
    tables = []
    for line in range(2, 10):
        exec(compile(text.replace("\n" * 8, "\n" * (line - 1)), "<one>", "exec"), scope)
        tables.append(scope["passing"].__code__.co_linetable)
    code = scope["passing"].__code__
    assert len(set(tables)) == len(tables)

    def run():
        for table in tables:
            changed = code.replace(co_linetable=bytes(bytearray(table)))
            FunctionType(changed, {})(spin)
            del changed

    wanted = {("passing", line) for line in range(2, 10)}
    assert seen_at_last(wanted, run, lambda it: set(it.lines())) == wanted


def test_names_of_any_characters():
    scope = {}
    exec(
        compile("def größer(spin): spin(.2)\ndef 计算(spin): spin(.2)", "<\U0001f40d>", "exec"),
        scope,
    )

    def run():
        scope["größer"](spin)
        scope["计算"](spin)

    found = sampled(run, slowdown=0)
    assert found.below("größer") > 0
    assert found.below("计算") > 0
    files = {names[0] for names in found.facts["codes"] if names[3] == "计算"}
    assert files == {"<\U0001f40d>"}


def test_a_line_has_its_samples():
    def lines():
        spin(STRETCH)
        spin(3 * STRETCH)

    first = lines.__code__.co_firstlineno
    found = sampled(lines, slowdown=0)
    weights = found.lines()
    name = f"{test_a_line_has_its_samples.__name__}.<locals>.lines"
    one, three = weights[name, first + 1][1], weights[name, first + 2][1]
    assert is_share(three, one + three, 0.75)
    assert weights[name, first + 1][0] <= 2


def test_collections_of_garbage_are_apart():
    kept = [[number] for number in range(300_000)]

    def run():
        until = time.thread_time() + STRETCH
        while time.thread_time() < until:
            gc.collect()

    found = sampled(run, slowdown=0)
    assert len(kept) == 300_000
    assert found.own()["<collection>"] >= 0.8 * found.below("<collection>") > 20


def test_a_profile_that_is_cleared_or_enabled_again():
    profile = Profiler(slowdown=0, rate=RATE)
    profile.enable()
    inner(STRETCH)
    profile.clear()
    outer(STRETCH)
    profile.disable()
    found = Shares(profile.snapshot())
    assert found.below("outer") == found.below("inner") > 0
    before = found.below("outer")
    inner(STRETCH)
    profile.enable()
    outer(STRETCH)
    middle = Shares(profile.snapshot()).below("outer")
    profile.disable()
    assert middle > before
    assert (
        Shares(profile.snapshot()).below("inner")
        == Shares(profile.snapshot()).below("outer")
        >= middle
    )


over = threading.Event()


def pause():
    time.sleep(1.5)


def rest():
    over.wait(100)


def pause_and_rest():
    over.clear()
    thread = threading.Thread(target=rest)
    thread.start()
    pause()
    over.set()
    thread.join()


def test_where_threads_wait():
    """A thread has no samples then: it is looked at."""
    shares = sampled(pause_and_rest)
    looks = shares.all_paths(WAIT)
    assert sum(weight for path, weight in looks.items() if path[-1:] == ("pause",)) >= 3
    assert sum(weight for path, weight in looks.items() if "rest" in path) >= 3
    assert all(path[-1] == "Condition.wait" for path in looks if "rest" in path)
    [told] = [
        it for it in shares.threads
        if any("pause" in path for path in shares.paths(it["native"], WAIT))
    ]  # fmt: skip
    assert told["native_real"] >= 1.5 > 1 > told["native_cpu"] >= 0


@pytest.mark.skipif(sys.version_info < (3, 12), reason="3.11 tells of no thread's beginning")
def test_what_threads_use_is_known_to_the_end_of_short_ones():
    used = {}

    def work():
        began = time.thread_time()
        spin(0.004)
        used[threading.get_native_id()] = time.thread_time() - began

    def run():
        for _ in range(50):
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()

    found = sampled(run)
    told = {it["native_id"]: it["native_cpu"] for it in found.threads}
    assert [told[it] >= seconds for it, seconds in used.items()] == [True] * 50


def spin_until_ticked():
    """Seen while the thread runs: on a busy machine it may run between ticks alone."""
    at, ticks = time.perf_counter(), time.clock_gettime(COARSE)
    while True:
        now, seen = time.perf_counter(), time.clock_gettime(COARSE)
        if seen != ticks and now - at < 0.0002:
            return spin(0.0005)
        at, ticks = now, seen


@pytest.mark.skipif(sys.version_info < (3, 12), reason="3.11 tells of no thread's beginning")
@pytest.mark.parametrize("rate", [RATE, 4 * RATE])
def test_threads_that_end_within_a_period_have_their_samples(rate):
    """Timers of CPU time run out at a kernel's ticks alone: the first sample stands for one."""
    whole = max(round(TICK * rate), 1)

    def run():
        for number in range(100):
            thread = threading.Thread(target=spin_until_ticked, name=f"worker {number}")
            thread.start()
            thread.join()

    found = sampled(run, slowdown=0, rate=rate)
    natives = {it["name"]: it["native"] for it in found.threads}
    samples = [sum(found.paths(natives[f"worker {number}"]).values()) for number in range(100)]
    seen = [it for it in samples if it > 0]
    assert len(seen) > 50  # on a busy machine it may have been another processor's tick
    assert min(seen) == whole


@pytest.mark.skipif(sys.version_info < (3, 12), reason="of sys.monitoring")
def test_samples_alone_need_no_free_tool_id():
    held = [it for it in range(6) if sys.monitoring.get_tool(it) is None]
    for tool in held:
        sys.monitoring.use_tool_id(tool, "other")
    try:
        with pytest.raises(RuntimeError, match="other"):
            sampled(lambda: None)
        found = sampled(lambda: spin(STRETCH), slowdown=0)
    finally:
        for tool in held:
            sys.monitoring.free_tool_id(tool)
    assert found.below("spin") > 10


def test_only_the_thread_that_enables_it():
    def run():
        thread = threading.Thread(target=inner, args=(STRETCH,))
        thread.start()
        thread.join()
        outer(STRETCH)

    found = sampled(run, slowdown=0, threads=False)
    assert found.below("inner") == found.below("outer") > 0


def run_alone(source):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(HELPERS), *sys.path])}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        capture_output=True, text=True, timeout=120, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_where_a_thread_waits_that_is_not_recorded_is_not_told():
    shares = sampled(pause_and_rest, threads=False)
    looks = shares.all_paths(WAIT)
    assert sum(weight for path, weight in looks.items() if path[-1:] == ("pause",)) >= 3
    assert not any("rest" in path for path in looks)


def test_a_forked_child_has_its_own():
    done = run_alone(
        """
        import os
        from shares import RATE, Shares, spin
        from tracer._core import Profiler
        def parent(): spin(.2)
        def both(): spin(.2)
        profile = Profiler(slowdown=.5, rate=RATE)
        profile.enable()
        parent()
        child = os.fork()
        both()
        profile.disable()
        found = Shares(profile.snapshot())
        whose = "child" if child == 0 else "parent"
        told = f"{whose} {found.below('parent')} {found.below('both')} "
        os.write(1, told.encode())  # at once, as the other process writes, too
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        """
    )
    places = {done[it]: (int(done[it + 1]), int(done[it + 2])) for it in (0, 3)}
    assert places["child"][0] == 0 < places["child"][1]
    assert places["parent"][0] > 0 < places["parent"][1]


def test_there_are_no_entries_of_calls():
    profile = Profiler(slowdown=0, rate=RATE)
    with pytest.raises(ValueError, match=r"use tracer\.Stats\(profile\)"):
        profile.getstats()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"slowdown": 1.5, "rate": 250}, "slowdown must be from 0 to 1"),
        ({"slowdown": float("nan"), "rate": 250}, "slowdown must be from 0 to 1"),
        ({"slowdown": 0.1}, "slowdown needs a rate from 1 to 10000"),
        ({"slowdown": 0.1, "rate": 20_000}, "slowdown needs a rate from 1 to 10000"),
    ],
)
def test_what_makes_no_sense_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Profiler(**options)
