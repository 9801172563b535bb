"""analysis/outline/real_time.py and waiting_kinds.py: what of each thread's time is the run's real
time, and what kind of wait each call's is."""

import pytest

from tracer.analysis.outline.real_time import Load, RealTime, real_parts, side_by_side
from tracer.analysis.outline.waiting_kinds import IDLE, KEEPS, NO_WAIT, OUTSIDE, TURN
from tracer.analysis.tree.call_tree import Paths
from tracer.analysis.tree.folding import own_rows
from treetexts import PYTHON, in_ms, paths_of_text

KINDS = {NO_WAIT: "", OUTSIDE: "outside", TURN: "turn", IDLE: "idle", KEEPS: "keeps"}
NAMES = ("MainThread", *(f"Thread-{number}" for number in range(9)))


def real_of(*texts, names=NAMES, preemptions=0):
    paths = paths_of_text(*map(in_ms, texts), names=names)
    paths.preemptions = {0: preemptions}
    return paths, RealTime(paths, own_rows(paths))


def kinds(*texts, preemptions=0):
    """{function: the kind of its wait} of all threads."""
    paths, real = real_of(*texts, preemptions=preemptions)
    return {
        paths.rows[row].name: KINDS[kind]
        for tree, of_tree in zip(paths.trees, real.kinds, strict=True)
        if of_tree is not None
        for row, kind in zip(tree.row[1:], of_tree[1:], strict=True)
        if kind != NO_WAIT
    }


def milliseconds(*texts, names=NAMES, preemptions=0):
    """(length of the run, {thread: (busy, idle)}) of real time."""
    paths, real = real_of(*texts, names=names, preemptions=preemptions)
    found = {}
    for tree, time in zip(paths.trees, real.trees, strict=True):
        busy, idle = (tree.time, [0]) if time is None else time
        found[tree.name] = round(sum(busy[1:]) / 1e6), round(sum(idle[1:]) / 1e6)
    return round(real.length / 1e6), found


# -- Kinds of waits --------------------------------------------------------------------------------

OTHER = "run@main 1 500"


def test_what_a_thread_alone_waits_is_all_of_the_run():
    """Unless it has nothing to do."""
    assert kinds("main@main 1 10\n  <time.sleep> 1 90~90") == {}
    assert kinds("main@main 1 10\n  get@queue 1 0\n    Queue.get@queue 1 90~90") == {
        "Queue.get": "idle"
    }


@pytest.mark.parametrize(
    ("call", "kind"),
    [
        ("<socket.recv>", "outside"),
        ("<time.sleep>", "outside"),
        ("<SimpleQueue.get>", "idle"),
        ("<epoll.poll>", "idle"),
        ("<_ThreadHandle.join>", "idle"),
        ("<lock.acquire>", "turn"),
        ("<zlib.compress>", "turn"),
        ("step@main", "turn"),
    ],
)
def test_the_kind_of_a_wait(call, kind):
    found = kinds(f"main@main 1 10\n  {call} 1 90~90", OTHER)
    assert list(found.values()) == [kind]


def test_below_what_is_idle_all_is_and_below_a_child_process_nothing():
    lock = "<lock.acquire> 1 90~90"
    assert kinds(f"main@main 1 1\n  Queue.get@queue 1 0\n    {lock}", OTHER) == {
        "<lock.acquire>": "idle"
    }
    run = f"main@main 1 1\n  run@{PYTHON}/subprocess.py 1 0\n    <select.poll> 1 90~90"
    assert kinds(run.replace("select.poll", "poll.poll"), OTHER) == {"<poll.poll>": "outside"}
    wait = "main@main 1 1\n  <posix.waitpid> 1 90~90"
    assert kinds(wait, OTHER) == {"<posix.waitpid>": "outside"}


@pytest.mark.parametrize(("worked", "kind"), [(200, "idle"), (199, "outside")])
def test_a_library_that_waits_for_threads_is_idle_where_these_worked_half_as_long(worked, kind):
    """As joblib polls, or a pool waits for a condition."""
    main = f"main@main 1 1\n  retrieve@{PYTHON}/multiprocessing/pool.py 1 0\n    <{{}}> 9 400~400"
    for call in ("time.sleep", "lock.acquire"):
        assert kinds(main.format(call), f"work@main 1 {worked}") == {f"<{call}>": kind}
    assert kinds(main.format("socket.recv"), f"work@main 1 {worked}") == {
        "<socket.recv>": "outside"
    }


def test_a_thread_without_code_of_the_program_looks_after_others():
    helper = f"run@{PYTHON}/threading.py 1 0\n  <socket.recv> 1 90~90"
    assert kinds("main@main 1 100", helper) == {"<socket.recv>": "keeps"}
    assert kinds(helper, helper) == {"<socket.recv>": "outside"}  # there is no other code


# -- Real time -------------------------------------------------------------------------------------


def test_a_thread_alone_is_the_run():
    assert milliseconds("main@main 1 10~5\n  <time.sleep> 1 90~90") == (
        100,
        {"MainThread": (100, 0)},
    )


def test_who_waits_for_one_that_works_has_nothing_of_the_time():
    main = "main@main 1 0\n  Thread.join@threading 1 1000~1000"
    assert milliseconds(main, "work@main 1 1000") == (
        1000,
        {"MainThread": (0, 0), "Thread-0": (1000, 0)},
    )


def test_what_nobody_works_is_shared_out():
    """Two threads wait for the outside: each has half of what the work of all leaves."""
    main = "main@main 1 0\n  Thread.join@threading 1 1000~1000"
    fetch = "fetch@main 1 100\n  <socket.recv> 1 900~900"
    assert milliseconds(main, fetch, fetch) == (
        1000,
        {"MainThread": (0, 0), "Thread-0": (500, 0), "Thread-1": (500, 0)},
    )


def test_the_main_thread_waits_before_others():
    beat = "beat@main 1 0\n  <time.sleep> 9 1000~1000"
    assert milliseconds("main@main 1 100\n  <socket.recv> 1 900~900", beat) == (
        1000,
        {"MainThread": (1000, 0), "Thread-0": (0, 0)},
    )


def test_a_wait_for_the_outside_comes_before_one_for_a_turn_and_idling_last():
    main = "main@main 1 0\n  Thread.join@threading 1 1000~1000"
    saver = "save@main 1 0\n  <posix.fsync> 1 600~600"
    adder = "add@main 1 1000~1000"
    assert milliseconds(main, saver.replace("600", "1000"), adder)[1] == {
        "MainThread": (0, 0),
        "Thread-0": (1000, 0),
        "Thread-1": (0, 0),
    }
    assert milliseconds(main)[1] == {"MainThread": (0, 1000)}


def test_threads_that_take_turns_are_as_long_as_their_work():
    """With other load the processor works for less, and their shares are the same."""
    main = "main@main 1 0\n  Thread.join@threading 1 1000~1000"
    for worked in (250, 125):
        spin = f"spin@main 1 1000~{1000 - worked}"
        assert milliseconds(main, *[spin] * 4) == (
            1000,
            {"MainThread": (0, 0), **dict.fromkeys(NAMES[1:5], (250, 0))},
        )


def test_work_side_by_side_is_the_whole_where_it_is_more_than_the_run():
    """As of C code that lets go of the GIL."""
    main = "main@main 1 0\n  Thread.join@threading 1 1000~1000"
    assert milliseconds(main, *["work@main 1 1000"] * 3)[0] == 3000


def test_real_time_is_never_more_than_the_run():
    """main() works first, and then waits for the others: at an even rate, all would be more."""
    main = "main@main 1 400\n  Pool.map@queue 1 600~600"
    worker = "work@main 1 600~300^400"
    length, found = milliseconds(main, worker, worker)
    assert length == 1000
    assert sum(busy + idle for busy, idle in found.values()) == 1000


def test_runs_add_up():
    paths = paths_of_text(in_ms("main@main 1 300"), in_ms("main@main 1 200"))
    assert RealTime(paths, own_rows(paths)).length == 500_000_000  # their work
    paths.trees[1].run = 1
    assert RealTime(paths, own_rows(paths)).length == 500_000_000
    assert paths.length == 500_000_000
    assert RealTime(Paths((), ()), []).length == 0


def test_threads_one_after_the_other():
    """The first waits alone; the two others, side by side."""
    loads = [Load(0, 100, 0, 100), Load(100, 200, 0, 100), Load(100, 200, 0, 100)]
    assert [round(part, 9) for part in side_by_side(loads)] == [1.0, 0.5, 0.5]
    assert [round(parts.outside, 9) for parts in real_parts(200, loads)] == [1.0, 0.5, 0.5]
    assert [round(parts.outside, 9) for parts in real_parts(100, loads)] == [0.5, 0.25, 0.25]


# -- A busy processor ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "preemptions", "expected"),
    [
        ("<str.count>", 30, 700),
        ("step@main", 30, 700),
        ("step@main", 29, 1000),  # of 10 ms: it may have waited for a pipe
        ("step@main", 0, 1000),  # nobody knows
        ("<builtins.sum>", 30, 1000),  # of the lines of a file?
        ("<time.sleep>", 30, 1000),
    ],
)
def test_what_waited_for_a_processor_is_in_no_share(call, preemptions, expected):
    text = f"main@main 1 600\n  {call} 9 400~300"
    length, found = milliseconds(text, preemptions=preemptions)
    assert length == expected
    assert found == {"MainThread": (expected, 0)}


def test_a_thread_that_hardly_waits_is_not_looked_at():
    _, real = real_of("main@main 1 1000~19", preemptions=9)
    assert real.trees == [None]
    _, real = real_of("main@main 1 1000~20", preemptions=9)
    assert [round(sum(time.busy) / 1e6) for time in real.trees] == [980]


def test_threads_that_wait_for_a_processor_while_one_works_are_told_as_before():
    """The work of one fills the wait of the other: 400 ms are left in which neither ran."""
    one, other = "step@main 1 1000~600", "work@main 1 1000~800"
    assert milliseconds(one, other) == (1000, {"MainThread": (571, 0), "Thread-0": (429, 0)})
    assert milliseconds(one, other, preemptions=40) == (
        600,
        {"MainThread": (400, 0), "Thread-0": (200, 0)},
    )


def test_a_wait_for_the_outside_fills_that_for_a_processor():
    sleeper = "main@main 1 0\n  <time.sleep> 1 1000~1000"
    length, found = milliseconds("step@main 1 1000~900", sleeper, preemptions=90)
    assert length == 1000
    assert found == {"MainThread": (100, 0), "Thread-0": (900, 0)}


@pytest.mark.parametrize(("preemptions", "kind"), [(30, "idle"), (29, "outside")])
def test_threads_that_wait_for_a_processor_do_the_programs_work(preemptions, kind):
    """The thread worked for 100 ms of 400: 300 are missing."""
    retrieve = f"retrieve@{PYTHON}/multiprocessing/pool.py 1 0\n    <lock.acquire> 9 400~400"
    found = kinds(f"main@main 1 0\n  {retrieve}", "work@main 1 400~300", preemptions=preemptions)
    assert found == {"<lock.acquire>": kind, "work": "turn"}
