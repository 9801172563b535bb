"""tracer.StepProfiler: which steps a cycle holds, to the tick, and what is recorded of them."""

import gc
import os
import sys
import weakref

import pytest

import tracer
from stepping import Loop, actions, calls_of, steps_in, work
from tracer.runtime.processor_use import seconds_of_machine


def test_a_cycle_holds_its_steps_to_the_tick():
    loop = Loop(tracer.schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=2))
    loop.run(12)
    assert loop.cycles == [
        [(3, 0, 40, None), (4, 40, 90, None)],
        [(7, 0, 80, None), (8, 80, 170, None)],
    ]


def test_a_cycle_has_the_calls_of_its_steps_alone():
    seen = []
    loop = Loop(actions("nwrrsn"), lambda profiler: seen.append(calls_of(profiler.stats, "work")))
    loop.run(8)
    assert seen == [3]


def test_tracer_is_in_no_row():
    labels = []
    loop = Loop(actions("nrrs"), lambda profiler: labels.extend(profiler.stats.stats))
    loop.run(5)
    folder = os.path.dirname(tracer.__file__)
    assert {"work", "wait", "go_on"} <= {name for _, _, name in labels}
    assert not [label for label in labels if label[0].startswith(folder)]
    called = {name for file, _, name in labels if file == "~"}
    assert called <= {"<method 'append' of 'list' objects>"}


def test_items_are_kept_with_their_step():
    loop = Loop(actions("rs"))
    with loop.profiler as profiler:
        loop.wait(5)
        profiler.step(32)
        loop.wait(5)
        profiler.step(items=16.5)
    assert loop.cycles == [[(0, 0, 5, 32), (1, 5, 10, 16.5)]]
    assert profiler.timings.items == (32.0, 16.5)


def test_without_a_schedule_all_steps_are_one_cycle():
    loop = Loop()
    loop.run(3)
    assert loop.numbers == [[0, 1, 2]]


def test_a_cycle_that_is_cut_short_is_kept_and_its_last_step_is_none():
    loop = Loop(actions("nrrrrs"))
    loop.run(3)
    assert loop.numbers == [[1, 2]]
    assert loop.profiler.recorded_steps == (1, 2)


def test_the_first_cycle_is_kept_though_it_was_cut_in_its_first_step():
    loop = Loop(actions("nnrrs"))
    loop.run(2)
    assert loop.numbers == [[]]
    assert loop.profiler.recorded_steps == (2, 1)


def test_a_later_cycle_without_a_step_is_dropped():
    loop = Loop(tracer.schedule(active=2))
    loop.run(4)
    assert loop.numbers == [[0, 1], [2, 3]]
    assert loop.profiler.recorded_steps == (2, 3)
    assert steps_in(loop.profiler.stats)[0][0] == 2


def test_a_recording_that_ends_without_a_save_is_a_cycle():
    loop = Loop(actions("rrnnrw"))
    loop.run(8)
    assert loop.numbers == [[0, 1], [4]]


def test_cycles_may_follow_each_other_at_once():
    loop = Loop(tracer.schedule(active=2, repeat=3))
    loop.run(8)
    assert loop.numbers == [[0, 1], [2, 3], [4, 5]]


def test_warmth_without_a_record_leaves_nothing():
    loop = Loop(actions("wwnwn"))
    loop.run(6)
    assert loop.cycles == []
    with pytest.raises(
        ValueError, match=r"^no step was recorded: the schedule chose none of the 6 "
    ):
        loop.profiler.stats  # noqa: B018


@pytest.mark.parametrize("after", [0, 1, 2, 3, 4, 5])
def test_outside_of_cycles_nothing_is_enabled(after):
    loop = Loop(actions("nwrsnn"))
    with loop.profiler:
        loop.go_on(after)
        enabled = loop.profiler._warm is not None, loop.profiler._profile is not None
        assert (
            enabled
            == [(False, False), (True, False), (False, True), (False, True)][
                after if after < 4 else 0
            ]
        )


def test_the_latest_cycle_is_kept_alone():
    loop = Loop(tracer.schedule())
    loop.run(4)
    assert [[number for number, *_ in steps_in(it)] for it in loop.profiler.cycles] == [[3]]
    assert steps_in(loop.profiler.stats)[0][0] == 3


def test_all_cycles_are_kept_when_asked():
    loop = Loop(tracer.schedule(), keep_all=True)
    loop.run(3)
    assert [steps_in(it)[0][0] for it in loop.profiler.cycles] == [0, 1, 2]
    assert loop.profiler.cycles[1] is loop.profiler.cycles[1]


def test_a_cycle_can_be_looked_at_while_it_is_recorded():
    loop = Loop()
    with loop.profiler as profiler:
        loop.go_on(2)
        assert [number for number, *_ in steps_in(profiler.stats)] == [0, 1]
        assert profiler.recorded_steps == (0, 1)
        loop.go_on(1)
    assert loop.numbers == [[0, 1, 2]]


def test_what_on_ready_takes_is_of_no_step():
    loop = Loop(tracer.schedule(active=1, repeat=2), lambda profiler: loop.wait(1000))
    loop.run(4, ticks=1)
    assert loop.profiler.timings.lengths == (1.0, 2.0, 3.0, 4.0)
    assert loop.cycles == [[(0, 0, 1, None)], [(1, 0, 2, None)]]


def test_step_numbers_go_on_and_begin_anew():
    loop = Loop(tracer.schedule(skip_first=2, active=1, repeat=1))
    profiler = loop.profiler
    profiler.start()
    assert profiler.step_number == 0
    loop.go_on(5)
    assert profiler.step_number == 5
    profiler.stop()
    profiler.start()
    assert (profiler.step_number, profiler.cycles) == (0, [])
    loop.go_on(3)
    profiler.stop()
    assert loop.numbers == [[2], [2]]


def test_start_gives_the_profiler():
    profiler = tracer.StepProfiler(timer_only=True)
    assert profiler.start() is profiler
    profiler.stop()


@pytest.mark.parametrize("threads", [True, False])
def test_other_profiles_go_on(threads):
    loop = Loop(actions("nwrsn"))
    with tracer.Profile(threads=threads) as other:
        loop.run(6)
    assert calls_of(tracer.Stats(other), "work") == 6
    names = {label[2] for label in tracer.Stats(other).stats}
    assert not {"_change", "_begin_cycle", "<built-in method io.open>", "snapshot"} & names


def test_a_second_profiler_may_run_beside():
    one, two = Loop(actions("rs")), Loop(actions("nrs"))
    with one.profiler, two.profiler:
        for _ in range(4):
            work(one, 1)
            one.profiler.step()
            two.profiler.step()
    assert (one.numbers, two.numbers) == ([[0, 1]], [[1, 2]])


def test_options_go_to_the_profile():
    loop = Loop(builtins=False, timeline="1MiB", phases={"load": ["mypkg.read"]})
    with loop.profiler:
        sorted([2, 1])
        loop.profiler.step()
    (capture,) = loop.profiler.stats.captures
    assert capture.builtins is False
    assert capture.timeline.budget == 1 << 20
    assert capture.phases == {"load": ("mypkg.read",)}


def test_cycles_are_written_under_the_numbers_of_their_steps(tmp_path):
    folder = tmp_path / "made" / "here"
    save = tracer.save_to(folder, "run")
    export = tracer.export_to("chrome", folder, "run")
    Loop(actions("srs"), lambda profiler: (save(profiler), export(profiler))).run(3)
    Loop(actions("r"), save).run(0)
    assert sorted(file.name for file in folder.iterdir()) == [
        "run-step-0-cut.out",
        "run-steps-0-0.out",
        "run-steps-0-0.trace.json",
        "run-steps-1-2.out",
        "run-steps-1-2.trace.json",
    ]


def test_the_processors_use_is_told():
    profiler = tracer.StepProfiler()
    with profiler:
        sum(range(100_000))
        profiler.step()
    (capture,) = profiler.stats.captures
    use = capture.use
    assert 0 < use["process"] <= use["real"] * use["processors"] * 1.5
    assert use["machine"] is None or use["machine"] >= 0
    assert use["processors"] == os.cpu_count()


def test_the_machines_work_is_all_but_what_it_was_idle_or_waited(tmp_path):
    stat = tmp_path / "stat"
    stat.write_text("cpu  100 200 300 4000 5000 60 7 800 90 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n")
    assert seconds_of_machine(str(stat)) == 667 / os.sysconf("SC_CLK_TCK")
    stat.write_text("intr 1\n")
    assert seconds_of_machine(str(stat)) is None
    assert seconds_of_machine(str(tmp_path / "none")) is None


def test_a_file_has_phases_and_use(tmp_path):
    profiler = tracer.StepProfiler(phases={"load": ["a.b"]})
    with profiler:
        profiler.step(7)
    profiler.dump_stats(tmp_path / "profile.out")
    (capture,) = tracer.Stats(tmp_path / "profile.out").captures
    assert capture.phases == {"load": ("a.b",)}
    assert capture.use == profiler.stats.captures[0].use
    assert [it[0::3] for it in steps_in(tracer.Stats(tmp_path / "profile.out"))] == [(0, 7)]


def test_a_cycle_over_frees_its_profile():
    alive = []
    loop = Loop(tracer.schedule(active=2))
    with loop.profiler:
        for _ in range(20):
            work(loop, 1)
            loop.profiler.step()
            if loop.profiler._profile is not None:
                alive.append(weakref.ref(loop.profiler._profile))
    gc.collect()
    assert not [it for it in alive if it() is not None]


def test_a_profiler_can_be_garbage_while_it_runs():
    profiler = tracer.StepProfiler().start()
    gone = weakref.ref(profiler)
    profiler.me = profiler
    del profiler
    gc.collect()
    assert gone() is None


def test_the_look_of_a_profiler():
    profiler = tracer.StepProfiler(timer_only=True)
    assert repr(profiler) == "<tracer.StepProfiler: not started>"
    with profiler:
        profiler.step()
        assert repr(profiler) == "<tracer.StepProfiler: in step 1>"
    assert repr(profiler) == "<tracer.StepProfiler: stopped>"


def test_a_steady_loop_keeps_no_more_than_one_cycle():
    """The references and the objects of 30 cycles are those of one."""
    loop = Loop(tracer.schedule(wait=1, active=2))
    loop.then = None

    def objects():
        gc.collect()
        return len(gc.get_objects())

    with loop.profiler:
        loop.go_on(9)
        loop.cycles.clear()
        before = objects()
        loop.go_on(90)
        loop.cycles.clear()
        assert objects() - before < 20


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_cycles():
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    profiler = tracer.StepProfiler(tracer.schedule(wait=9, active=1))
    with profiler:
        for _ in range(200):
            profiler.step()
        before = resident()
        for _ in range(2000):
            profiler.step()
        if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps what is freed
            assert resident() - before < 8 << 20
