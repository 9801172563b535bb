"""Compensation: the cost of tracing is measured, and exactly that much is taken out of the times.
benchmarks/bias.py says how true the measured cost is; tests/core has the sums themselves. What is
measured in the program itself is in test_compensation_sample.py.
"""

import io
import threading
import time

import pytest

import tracer
from launch import traced
from rows import Clock, begun, record
from tracer.data.overhead import KINDS, in_program
from tracer.recording import call_overhead
from tracer.results.metrics import metrics_of

# What a call costs, in seconds of the callee and of the caller: the first call, and later ones.
COSTS = {
    "function": ((2.0, 1.0), (1.0, 0.0)),
    "init": ((4.0, 3.0), (4.0, 3.0)),
    "builtin": ((1.0, 2.0), (1.0, 2.0)),
    "method": ((1.0, 1.0), (1.0, 1.0)),
    "resume": ((2.0, 3.0), (2.0, 3.0)),
}

clock = Clock()


class Thing:
    def __init__(self):
        clock.now += 10


def leaf():
    clock.now += 10


def numbers():
    clock.now += 10
    yield 1
    clock.now += 10


def program():
    clock.now += 100
    leaf()
    leaf()
    Thing()
    list(numbers())
    abs(-1)
    [].append(1)
    clock.now += 100


@pytest.fixture
def profile():
    clock.now = 0
    profile = tracer._core.Profiler(clock, 1.0, costs=COSTS)
    profile.record_call(program)
    return profile


def times(stats):
    return {label[2]: row[2:4] for label, row in stats.stats.items()}


def test_qualified_names_cost_the_same(profile):
    capture = tracer.Capture(profile.snapshot())
    plain = tracer.Stats(capture).stats
    qualified = tracer.Stats(capture, names="qualname").stats
    assert sorted(row[:4] for row in qualified.values()) == sorted(
        row[:4] for row in plain.values()
    )


def test_each_row_gives_its_part_of_what_is_taken_out(profile):
    raw = times(tracer.Stats(profile, raw=True))
    assert raw["program"] == (200, 250)
    assert raw["numbers"] == (20, 20)
    in_leaf, in_init = 2 + 1, 4  # 2 of the first call, 1 of the second
    # A generator costs its call and its resumes: one goes on, and one comes to the end.
    (resumes,) = tracer.Stats(profile).resumes.values()
    in_numbers = 2 + 2 * resumes.total
    in_program = 2 + 1 + 3 + 1 + 3 * resumes.total + 2 + 1
    left = 1 - (in_leaf + in_init + in_numbers + in_program) / 250
    rows = times(tracer.Stats(profile))
    for name, (own, cumulative) in raw.items():
        assert rows[name] == pytest.approx((own * left, cumulative * left), abs=1), name


def test_shares_of_what_ran_stay_as_measured_and_waits_as_they_are():

    def rest():
        time.sleep(0.2)

    def work():
        for _ in range(100_000):
            leaf_of_work()
        rest()

    def leaf_of_work():
        pass

    nothing = ((0.0, 0.0), (0.0, 0.0))
    costs = dict.fromkeys(("init", "builtin", "method", "resume"), nothing)
    costs["function"] = ((2e-9, 1e-9), (2e-9, 1e-9))
    profile = tracer._core.Profiler(costs=costs)
    profile.record_call(work)
    measured, told = (tracer.Stats(profile, raw=raw) for raw in (True, False))
    found = [metrics_of(stats) for stats in (measured, told)]
    ran = [{label: it.busy for label, it in metrics.items()} for metrics in found]
    waited = [sum(it.waited for it in metrics.values()) for metrics in found]
    left = sum(ran[1].values()) / sum(ran[0].values())
    assert 0 < left < 1
    assert ran[1] == {label: pytest.approx(left * it, abs=2e-5) for label, it in ran[0].items()}
    assert waited == [pytest.approx(waited[0])] * 2
    assert waited[0] >= 0.19


def test_what_is_left_and_what_was_taken_make_the_whole(profile):
    raw, stats = tracer.Stats(profile, raw=True), tracer.Stats(profile)
    (capture,) = stats.captures
    taken, kept = capture.taken_out
    assert taken > kept > 0  # the two in C took no time by this clock
    assert raw.total_tt == 250
    assert stats.total_tt + taken - kept == 250


def test_a_file_has_both(profile, tmp_path):
    path = tmp_path / "profile.out"
    tracer.Stats(profile).captures[0].write(path)
    assert times(tracer.Stats(path)) == times(tracer.Stats(profile))
    assert times(tracer.Stats(path, raw=True)) == times(tracer.Stats(profile, raw=True))
    assert tracer.Stats(path).captures[0].costs == COSTS
    (thread,) = tracer.Stats(path, raw=True).threads
    assert thread.total_tt == 250


# What tracer's handlers of events took: where the costs were measured, in seconds; and in the
# program, in ticks of 0.5 s. What an event costs more that is far from the start of its code.
FAR = {"far": ((2.0, 2.0), (2.0, 2.0))}
NEWER = {"unseen": ((0.0, 5.0), (0.0, 4.0)), "handlers": ((2.0, 1.0), (3.0, 1.5))}
HANDLERS = (
    (30, 150, 0),
    (100, 300, 25),
    (100, 700, 50),
    (100, 200, 100),
    (40, 240, 10),
    (29, 900, 29),
    (60, 60, 15),
)


def test_what_handlers_take_longer_in_the_program_is_added():
    """A handler of a call takes 2.5 s instead of 2; of its return 1.5 instead of 1; of a C call 3.5
    instead of 3; of its return 1, which is not longer. That of a resume takes 3 s, of which only 1
    is more than that of a call; too few yields were timed. The interpreter takes as much longer."""
    costs = in_program(COSTS | NEWER, HANDLERS, 0.5)
    assert costs["function"] == ((3.0, 2.0), (2.0, 1.0))
    assert costs["init"] == ((5.0, 4.0), (5.0, 4.0))
    assert costs["builtin"] == ((2.0, 2.0), (2.0, 2.0))
    assert costs["method"] == ((2.0, 1.0), (2.0, 1.0))
    assert costs["resume"] == ((3.0, 3.0), (3.0, 3.0))
    assert {kind: costs[kind] for kind in NEWER} == NEWER


def test_what_events_cost_more_far_from_the_start_of_their_code_is_added():
    """An event costs 4 s more there, half of them before the handler reads the clock. A quarter of
    the returns are far, and of the calls of Python functions where they are called; half of the C
    calls, all their returns, and a quarter of the resumes. Too few yields were timed."""
    near = in_program(COSTS | NEWER, HANDLERS, 0.5)
    costs = in_program(COSTS | NEWER | FAR, HANDLERS, 0.5)

    def more(kind):
        for (callee, caller), (near_callee, near_caller) in zip(
            costs[kind], near[kind], strict=True
        ):
            yield callee - near_callee, caller - near_caller

    assert {*more("function")} == {*more("init")} == {(0.5, 1.5)}
    assert {*more("builtin")} == {*more("method")} == {(3.0, 3.0)}
    assert {*more("resume")} == {(0.5, 0.5)}
    assert {*more("unseen")} == {(0.0, 6.0)}
    assert costs["far"] == FAR["far"]


@pytest.mark.parametrize(("costs", "handlers"), [(COSTS, HANDLERS), (COSTS | NEWER, None)])
def test_without_both_times_of_handlers_costs_are_as_measured(costs, handlers):
    assert in_program(costs, handlers, 0.5) == costs


def test_a_file_has_what_handlers_took_too(profile, tmp_path):
    capture = profile_with(profile, COSTS | NEWER | FAR, HANDLERS)
    path = tmp_path / "profile.out"
    capture.write(path)
    (read,) = tracer.Stats(path).captures
    assert (read.costs, read.handlers) == (COSTS | NEWER | FAR, HANDLERS)
    assert times(tracer.Stats(path)) == times(tracer.Stats(capture))
    # In a loop of nothing else, a second call would cost 2 s; among three other calls it is half a
    # first one.
    assert times(tracer.Stats(path)) != times(tracer.Stats(profile))


def profile_with(profile, costs, handlers):
    snapshot = profile.snapshot()
    tick = snapshot["seconds_per_tick"]
    assert tick == 1.0
    return tracer.Capture(snapshot | {"costs": costs, "handlers": handlers})


def test_each_run_of_a_merged_file_has_its_own(profile, tmp_path):
    before, after = (
        profile_with(profile, COSTS, None),
        profile_with(profile, COSTS | NEWER, HANDLERS),
    )
    for name, capture in (("a", before), ("b", after)):
        capture.write(tmp_path / name)
    both = tracer.Stats(tmp_path / "a", tmp_path / "b")
    both.dump_stats(tmp_path / "both")
    one, other = times(tracer.Stats(before)), times(tracer.Stats(after))
    for stats in (both, tracer.Stats(tmp_path / "both")):
        for name, row in times(stats).items():
            assert row == pytest.approx(
                [a + b for a, b in zip(one[name], other[name], strict=True)]
            )


@pytest.mark.parametrize(
    "handlers",
    [(), (1,) * 7, ((1, 2),) * 7, ((1, 2, 0),) * 6, ((1, -2, 0),) * 7, ((1, 2.0, 0),) * 7],
)
def test_a_file_with_other_handlers_is_refused(handlers):
    capture = tracer.Profile().capture()
    capture.handlers = handlers
    with pytest.raises(tracer.ProfileFormatError, match="no proper 'handlers'"):
        tracer.Stats(io.BytesIO(capture.dumps({})))


@pytest.mark.parametrize("costs", [{}, {**COSTS, "resume": 1.0}, {**COSTS, "more": COSTS["init"]}])
def test_a_file_with_other_costs_is_refused(costs):
    capture = tracer.Profile().capture()
    capture.costs = costs
    with pytest.raises(tracer.ProfileFormatError, match="no proper 'costs'"):
        tracer.Stats(io.BytesIO(capture.dumps({})))


@pytest.mark.parametrize(
    "wrong",
    [
        (b"", ()),
        (b"\0", ((1.0, 2.0),), (1.0, 2.0)),
        (b"\1", (COSTS["init"],), (1.0, 2.0)),
        (b"", (COSTS["init"],), (1.0, 2.0)),
        (b"\0", (COSTS["init"],) * 9, (1.0, 2.0)),
        1,
    ],
)
def test_costs_that_are_none(wrong):
    rows = (0).to_bytes(4, "little")
    with pytest.raises((ValueError, TypeError)):
        tracer._core.add_up((), rows, ("a",), 1.0, True, wrong)


# -- Measuring ---------------------------------------------------------------------------------

# What is measured in a busy moment may come to nothing, or to more than a run took in a quiet one.
# So often in a row no moment is busy by chance.
BUSY_MOMENTS = 5


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_measured_at_its_first_call_has_one_caller(kind):
    """Each function has two callees, as functions do; one function calls all else in turn."""
    rows = begun(record(call_overhead.compiled(call_overhead._first(kind))))
    leaves = {label: row for label, row in rows.items() if label[2] not in call_overhead.CALLERS}
    callees = {}
    for *_, callers in rows.values():
        assert len(callers) <= 1
        for caller in callers:
            callees[caller[2]] = callees.get(caller[2], 0) + 1
    if kind == "function":
        assert (len(leaves), len(callees)) == (32, 32)
        assert callees.pop("body") == 1
        assert set(callees.values()) == {2}
    else:
        names = call_overhead.CALLED[kind][2]
        assert len(leaves) == len(names)
        groups = call_overhead._groups(names)
        assert callees == {"body": len(groups)} | {
            f"calls{number}": len(some) for number, some in enumerate(groups)
        }
        calls = call_overhead.CALLS // len(names)
        assert {row[1] for row in leaves.values()} == {calls}


def test_what_tracing_adds_to_a_call():
    """100 calls take 3 s plainly, of which 1 s is not theirs, and 11 s traced, of which 2 s are
    added to other calls: 6 s are added. A callee has 0.01 s of the plain 0.02 s of a call."""
    trial = object.__new__(call_overhead._Trial)
    trial.plain, trial.total, trial.leaf = 3.0, 11.0, 0.05
    callee, caller = trial.cost(100, idle=1.0, aside=2.0)
    assert (callee, caller) == (pytest.approx(0.04), pytest.approx(0.02))
    trial.leaf = 0.5
    assert trial.cost(100, idle=1.0, aside=2.0) == (pytest.approx(0.06), pytest.approx(0))


@pytest.mark.parametrize("timer", ["wall", "cpu"])
def test_measured_once_and_in_little_time(timer):
    # Of __init__ it is what is left once the call of the class is paid for, which may be nothing.
    kinds = COSTS.keys() - {"init"}

    def of_calls(costs):
        return [cost for kind in kinds for cost in costs[kind]]

    for _ in range(BUSY_MOMENTS):
        call_overhead._known.clear()
        began = time.process_time()
        costs = call_overhead.costs_for(timer, True, None)
        took = time.process_time() - began  # 0.05 on a quiet machine
        if took < 1 and all(1e-9 < sum(cost) < 2e-5 for cost in of_calls(costs)):
            break
    assert took < 1
    assert costs.keys() == {*COSTS, "unseen", "handlers", "far"}
    assert all(seconds >= 0 for pair in costs.values() for cost in pair for seconds in cost)
    assert [1e-9 < sum(cost) < 2e-5 for cost in of_calls(costs)] == [True] * 2 * len(kinds)
    assert call_overhead.costs_for(timer, True, None) is costs


def test_it_is_in_no_profile():
    call_overhead._known.clear()
    with tracer.Profile() as profile:
        tracer.Profile(compensate=True)
    names = {label[2] for label in tracer.Stats(profile).stats}
    assert names.isdisjoint({"body", "calls0", "_measure", "f1", "perf_counter"})


def test_what_other_threads_do_meanwhile_costs_nothing(monkeypatch):
    go, done, names = threading.Event(), threading.Event(), set()

    def elsewhere():
        done.set()

    def work():
        while go.wait(10) and not over:
            go.clear()
            elsewhere()

    class Watched(call_overhead.Profiler):
        def enable(self):
            super().enable()
            done.clear()
            go.set()
            done.wait(10)

        def getstats(self):
            entries = super().getstats()
            names.update(getattr(entry.code, "co_name", "") for entry in entries)
            return entries

    monkeypatch.setattr(call_overhead, "Profiler", Watched)
    monkeypatch.setattr(call_overhead, "_known", {})
    over = False
    thread = threading.Thread(target=work)
    thread.start()
    call_overhead.costs_for("wall", False, None)
    over = True
    go.set()
    thread.join()
    assert done.is_set()
    assert "body" in names
    assert "elsewhere" not in names


def test_a_loop_of_calls_is_less_heavy():
    def small():
        pass

    def loop():
        for _ in range(20_000):
            small()

    for _ in range(BUSY_MOMENTS):
        call_overhead._known.clear()
        profile = tracer.Profile(compensate=True)
        profile.runcall(loop)
        raw, stats = tracer.Stats(profile, raw=True), tracer.Stats(profile)
        taken, kept = stats.captures[0].taken_out
        if taken > 20_000 * 10e-9 and stats.total_tt > 0:
            break
    assert taken > 20_000 * 10e-9
    assert raw.total_tt > stats.total_tt > 0
    assert stats.total_tt + taken - kept == pytest.approx(raw.total_tt, rel=1e-6)


def test_a_timer_of_your_own_is_refused():
    with pytest.raises(ValueError, match="leave out timer= or compensate=True"):
        tracer.Profile(time.perf_counter, compensate=True)


# -- The command -------------------------------------------------------------------------------


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "loop.py"
    path.write_text("def leaf(): pass\nfor _ in range(20000): leaf()\n")
    return path


def test_the_header_says_how_much_was_taken_out(script, tmp_path):
    shown = traced("--compensate", script)
    assert shown.returncode == 0, shown.stderr
    assert b" s of tracing overhead subtracted, shares as measured\n" in shown.stdout
    saved = traced("--compensate", "-o", tmp_path / "a.out", script)
    assert saved.returncode == 0, saved.stderr
    compensated = traced("show", tmp_path / "a.out").stdout
    assert b" s of tracing overhead subtracted, shares as measured\n" in compensated
    raw = traced("show", "--raw", tmp_path / "a.out").stdout
    assert b"   tracing  tracing overhead is in the times\n" in raw
    assert b"  tracing  " not in traced(script).stdout
