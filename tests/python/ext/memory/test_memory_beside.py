"""Memory beside what else is recorded: steps, timelines, threads, forks, saves. Exact figures.

Blocks and loops are those of allocations.py.
"""

import os
import sys

import pytest

import tracer
from allocations import HEAD, KEPT
from launch import traced, write

BLOCK = 1000 + HEAD

pytestmark = pytest.mark.usefixtures("nothing_is_kept")


def keep(place):
    KEPT[place] = bytes(1000)


def of_keep(stats, measure="live"):
    """(bytes, blocks) of a measure that the function `keep` has itself."""
    rows = stats.seen_by(measure).stats.items()
    found = [
        (round(own * 1e9), blocks) for (_, _, name), (_, blocks, own, *_) in rows if name == "keep"
    ]
    return found[0] if found else (0, 0)


# -- Steps -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schedule", "cycles"),
    [
        (None, [6]),
        ((1, 3), [2]),
        (tracer.schedule(wait=1, warmup=1, active=1, repeat=2), [1, 1]),
        (tracer.schedule(warmup=2, active=2, repeat=1), [2]),
    ],
)
def test_a_cycle_of_steps_has_what_its_steps_allocate(schedule, cycles):
    with tracer.StepProfiler(schedule, memory=True, keep_all=True) as profiler:
        step = 0
        while step < 6:
            keep(step)
            profiler.step()
            step += 1
    assert [of_keep(it) for it in profiler.cycles] == [(n * BLOCK, n) for n in cycles]
    assert all(it.captures[0].memory.missed == (0, 0) for it in profiler.cycles)


def test_steps_with_memory_beside_a_profile_with_memory():
    profiler = tracer.StepProfiler(memory=True)
    with tracer.Profile(memory=True) as profile:
        with pytest.raises(RuntimeError, match="another profile records memory"):
            profiler.start()
        keep(0)
    assert of_keep(tracer.Stats(profile)) == (BLOCK, 1)
    with profiler:
        keep(1)
        profiler.step()
    assert of_keep(profiler.stats) == (BLOCK, 1)


STEPS = """
kept = [None] * 10

def keep(place):
    kept[place] = bytes(1000)

def step(place):
    keep(place)

place = 0
while place < 6:
    step(place)
    place += 1
"""


@pytest.mark.parametrize(
    ("words", "allocated", "live", "missed"),
    [
        ([], 6, 6, 0),
        (["--steps", "2:4"], 2, 2, 0),
        # What the first cycle kept is followed no more, and the header says so.
        (["--steps", "wait=1,warmup=1,active=1,repeat=2"], 2, 1, 1),
    ],
)
def test_the_command_has_what_the_recorded_steps_allocate(tmp_path, words, allocated, live, missed):
    write(tmp_path / "steps.py", STEPS)
    run = traced(
        *("--memory", "--step-function", "step", *words, "-o", "out", "steps.py"), cwd=tmp_path
    )
    assert (run.returncode, run.stderr) == (0, b"")
    stats = tracer.Stats(tmp_path / "out")
    assert of_keep(stats, "allocated") == (allocated * BLOCK, allocated)
    assert of_keep(stats) == (live * BLOCK, live)
    memory = stats.captures[0].memory
    assert (memory.missed.bytes >= BLOCK) == bool(missed)
    shown = traced("show", "out", "--memory", cwd=tmp_path).stdout.decode()
    assert ("which were live when recording paused" in shown) == bool(missed)


# -- What else is recorded -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"timeline": True},
        {"timeline": "1MiB", "timeline_last": True},
        {"compensate": True},
        {"timer": "cpu"},
        {"builtins": False},
        {"builtins": "all"},
        {"threads": False},
    ],
    ids=str,
)
def test_other_options_change_no_figure(options):
    if options.get("builtins") == "all" and not tracer.Profile().backend.sees_all_callables:
        pytest.skip("this back end does not see them")
    with tracer.Profile(memory=True, **options) as profile:
        place = 0
        while place < 100:
            keep(place)
            place += 1
    stats = tracer.Stats(profile)
    if options.get("builtins") == "all":  # the type `bytes` is a callable of its own then
        rows = stats.seen_by("live").stats.items()
        (found,) = [(own, blocks) for (*_, name), (_, blocks, own, *_) in rows if "'bytes'" in name]
        assert (round(found[0] * 1e9), found[1]) == (100 * BLOCK, 100)
    else:
        assert of_keep(stats) == (100 * BLOCK, 100)


def test_code_that_is_left_out_gives_its_memory_to_its_caller():
    with tracer.Profile(memory=True, exclude=__file__) as profile:
        keep(0)
    assert of_keep(tracer.Stats(profile)) == (0, 0)
    memory = profile.capture().memory
    assert memory.live.bytes >= BLOCK


LARGE = 50_000 + 33  # 60 of them are more than what the interpreter frees of its own meanwhile

# `keep` needs a tuple for its call of bytes(), and allocates it where the free list is empty: after
# a collection, or where others have taken what was there.
THREADS = """
import gc, os, sys, threading, time
gc.disable()
kept = [None] * 1000
spare = [(number,) for number in range(1000)]
del spare

def keep(place):
    kept[place] = bytes(50_000)

def work(first):
    place = first
    while place < first + 60:
        keep(place)
        place += 1

threads = [threading.Thread(target=work, args=(first,)) for first in (0, 60, 120)]
for thread in threads: thread.start()
for thread in threads: thread.join()
child = os.fork()
if child == 0:
    work(500)
    os._exit(0)
os.waitpid(child, 0)
work(180)
if len(sys.argv) > 1:
    for _ in range(2):  # a save that began before may be on its way
        if os.path.exists("out"):
            os.remove("out")
        while not os.path.exists("out"):
            time.sleep(0.01)
    os.replace("out", "early")
"""


@pytest.mark.parametrize(
    "words",
    [[], ["--timeline"], ["--lines"], ["--live=0"], ["--no-builtins"], ["--timeline", "--lines"]],
    ids=" ".join,
)
def test_the_command_counts_threads_and_no_child(tmp_path, words):
    write(tmp_path / "threads.py", THREADS)
    run = traced("--memory", *words, "-o", "out", "threads.py", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    stats = tracer.Stats(tmp_path / "out")
    assert stats.problems == []
    for measure in "live", "peak":
        size, blocks = of_keep(stats, measure)
        if "--lines" in words and is_mixed():
            assert 240 <= blocks < 300
            assert 240 * LARGE <= size < 240 * LARGE + 5000
        else:
            assert (size, blocks) == (240 * LARGE, 240)


def is_mixed():
    """Whether calls come from one source and lines from another: then the interpreter itself takes
    memory in the functions."""
    return sys.version_info >= (3, 12) and tracer.Profile().backend != "monitoring"


def test_a_file_that_is_saved_while_the_program_runs_has_memory(tmp_path):
    write(tmp_path / "threads.py", THREADS)
    words = ["--memory", "--save-every", "0.05", "-o", "out", "threads.py", "early"]
    run = traced(*words, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    for name in "early", "out":
        stats = tracer.Stats(tmp_path / name)
        assert stats.problems == []
        assert of_keep(stats) == (240 * LARGE, 240)


def test_the_threads_of_a_profile_have_their_own(tmp_path):
    write(tmp_path / "threads.py", THREADS)
    assert traced("--memory", "-o", "out", "threads.py", cwd=tmp_path).returncode == 0
    stats = tracer.Stats(tmp_path / "out")
    found = sorted(of_keep(it) for it in stats.threads)
    assert found == [(60 * LARGE, 60)] * 4


def test_without_threads_no_other_counts(tmp_path):
    write(tmp_path / "threads.py", THREADS)
    run = traced("--memory", "--no-threads", "-o", "out", "threads.py", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    stats = tracer.Stats(tmp_path / "out")
    assert of_keep(stats) == (60 * LARGE, 60)
    memory = stats.captures[0].memory
    of_functions = sum(own for _, _, own, _, _ in stats.seen_by("live").stats.values())
    assert memory.outside["live"].bytes < 10 * LARGE  # of the 180 blocks of other threads, none
    assert memory.live.bytes == round(of_functions * 1e9) + memory.outside["live"].bytes


# -- Forks -----------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_begins_anew():
    reading, writing = os.pipe()
    profile = tracer.Profile(memory=True)
    with profile:
        keep(0)
        child = os.fork()
        if child == 0:
            told = "failed"
            try:
                keep(1)
                profile.disable()
                told = repr(of_keep(tracer.Stats(profile)))
            finally:
                os.write(writing, told.encode())
                os._exit(0)
        keep(2)
        keep(3)
    os.waitpid(child, 0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        in_child = pipe.read()
    assert of_keep(tracer.Stats(profile)) == (3 * BLOCK, 3)
    assert in_child == repr((BLOCK, 1))  # a child begins with an empty profile
