"""analysis/steps/steps.py and analysis/steps/slow.py: how long each step took, in which phases, and
why some were slow."""

import json
from itertools import pairwise

import pytest

import tracer
from rows import Clock
from stepping import Loop
from timelines import capture_of, run_of
from tracer.analysis.steps.slow import SlowSteps, spread
from tracer.analysis.steps.steps import slow_length, steps_of

TEXT = """
main@main 0-1000
  load_batch@main 0-50
  forward@main 50-100
  forward@main 120-150
  load_batch@main 190-240
    forward@main 200-210
  backward@main 300-310
"""


def step(start, end, number=None, items=None, thread=0, category="step"):
    values = {"number": number, "items": items}
    given = tuple((name, it) for name, it in values.items() if it is not None)
    return thread, 1, start, end, "step", category, given, 0, thread


def stats_of(*texts, steps, **options):
    return tracer.Stats(capture_of(*texts, ranges=steps, tick=1.0, **options))


def told(stats):
    return [(it.number, it.start, it.end, it.items, it.phases, it.others) for it in steps_of(stats)]


def test_each_step_has_its_phases():
    """A phase that two steps share is told of both; time is of the inner phase."""
    steps = [step(0, 100, 7, 32), step(100, 200, 8, 1.5), step(200, 400, 9), step(400, 500, 10)]
    assert told(stats_of(TEXT, steps=steps)) == [
        (7, 0.0, 100.0, 32, {"load": 50.0, "forward": 50.0}, 0.0),
        (8, 100.0, 200.0, 1.5, {"forward": 30.0, "load": 10.0}, 60.0),
        (9, 200.0, 400.0, None, {"load": 30.0, "forward": 10.0, "backward": 10.0}, 150.0),
        (10, 400.0, 500.0, None, {}, 100.0),
    ]


def test_steps_without_a_number_are_numbered_by_order():
    steps = [step(100, 200), step(0, 100), step(200, 300, True), step(300, 400, "x")]
    assert [it[:3] for it in told(stats_of(TEXT, steps=steps))] == [
        (0, 0.0, 100.0),
        (1, 100.0, 200.0),
        (2, 200.0, 300.0),
        (3, 300.0, 400.0),
    ]


def test_steps_that_did_not_end_or_are_of_another_category_are_none():
    steps = [step(0, -1, 0), step(0, 100, 1, category="epoch"), step(0, 100, 2)]
    assert [it[0] for it in told(stats_of(TEXT, steps=steps))] == [2]


def test_items_that_are_no_numbers_are_not_told():
    steps = [step(0, 100, 0, True), step(100, 200, 1, "many"), step(200, 200, 2, 5)]
    found = steps_of(stats_of(TEXT, steps=steps))
    assert [it.items for it in found] == [None, None, 5]
    assert [it.items_per_second for it in found] == [None, None, None]
    assert steps_of(stats_of(TEXT, steps=[step(0, 50, 0, 10)]))[0].items_per_second == 0.2


def test_phases_of_other_threads_are_not_the_steps():
    other = "run@main 0-1000\n  load_batch@main 0-1000\n"
    steps = [step(400, 500, 0), step(0, 100, 0, thread=1)]
    assert [(it[4], it[5]) for it in told(stats_of(TEXT, other, steps=steps))] == [
        ({"load": 100.0}, 0.0),
        ({}, 100.0),
    ]


def test_steps_that_overlap_stand_each_for_itself():
    found = told(stats_of(TEXT, steps=[step(0, 200, 0), step(100, 240, 1)]))
    assert [(it[4], it[5]) for it in found] == [
        ({"load": 60.0, "forward": 80.0}, 60.0),
        ({"forward": 40.0, "load": 40.0}, 60.0),
    ]


def test_steps_of_a_thread_and_of_a_part():
    steps = [step(0, 100, 0), step(100, 200, 1), step(0, 100, 5, thread=1)]
    stats = stats_of(TEXT, TEXT, steps=steps)
    assert [it[0] for it in told(stats.threads["Thread-1"])] == [5]
    run = run_of(TEXT, ranges=steps[:2], tick=1.0, begin=50)
    assert [it.number for it in steps_of(stats, [run])] == [1]


def test_steps_of_several_profiles():
    captures = [capture_of(TEXT, ranges=[step(0, 100, at)]) for at in range(2)]
    assert [it.number for it in steps_of(tracer.Stats(*captures))] == [0, 1]


def test_names_without_folders_make_no_difference():
    stats = stats_of(TEXT, steps=[step(0, 100, 0)])
    assert told(stats.strip_dirs()) == told(stats_of(TEXT, steps=[step(0, 100, 0)]))


@pytest.mark.parametrize("source", [capture_of(TEXT), tracer.Profile(), tracer.Profile])
def test_profiles_without_steps_or_without_a_timeline(source):
    assert tracer.Stats(source() if source is tracer.Profile else source).steps == []


# -- Slow ones -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lengths", "limit"),
    [
        ([], float("inf")),
        ([1.0, 9.0], float("inf")),
        ([10.0] * 5, 12.0),  # a fifth
        ([10.0, 11.0, 12.0], 11 + 3 * 1.4826),
        ([10.0, 10.0, 10.0, 10.0, 90.0], 12.0),
        ([8.0, 9.0, 10.0, 11.0, 12.0, 1000.0], 10.5 + 3 * 1.4826 * 1.5),
    ],
)
def test_the_length_beyond_which_a_step_is_slow(lengths, limit):
    assert slow_length(lengths) == pytest.approx(limit)


def test_slow_steps_are_marked():
    edges = [0, 100, 200, 300, 421, 541, 1000]
    steps = [step(*pair, at) for at, pair in enumerate(pairwise(edges))]
    # The median is 110.5; the deviation 10.5 * 1.4826 * 3.
    assert [it.is_slow for it in steps_of(stats_of(TEXT, steps=steps))] == [False] * 5 + [True]


def cause_of(text, steps, number):
    found = steps_of(stats_of(text, steps=steps))
    cause = SlowSteps(found).cause(found[number])
    run = found[number].run
    names = [run.name(row) if row < 2**32 - 1 else None for row in (cause.function, cause.home)]
    return cause.phases, *names


def test_the_phase_and_the_function_that_took_longer_than_usual():
    text = """
    main@main 0-8000
      load_batch@main 0-100
      forward@main 100-900
      load_batch@main 1000-1100
      forward@main 1100-1900
      load_batch@main 2000-2100
      forward@main 2100-2900
      load_batch@main 3000-6000
        time.sleep 3000-5900
      forward@main 6000-6800
    """
    steps = [step(at, at + 1000, at // 1000) for at in (0, 1000, 2000)] + [step(3000, 7000, 3)]
    assert cause_of(text, steps, 3) == ([("load", 2900.0)], "<time.sleep>", "load_batch")


def test_two_phases_may_be_the_cause_and_others_is_one():
    text = """
    main@main 0-8000
      forward@main 0-500
      forward@main 1000-1500
      forward@main 2000-2500
      forward@main 3000-4000
    """
    steps = [step(at, at + 1000, at // 1000) for at in (0, 1000, 2000)] + [step(3000, 6000, 3)]
    phases, function, home = cause_of(text, steps, 3)
    assert phases == [("others", 1500.0), ("forward", 500.0)]
    assert function == home == "main"


def test_the_mean_that_a_function_exceeds_is_of_all_steps():
    """forward took 500 in most steps, 400 more than in the first."""
    text = """
    main@main 0-4000
      load_batch@main 0-50
      forward@main 50-150
      load_batch@main 1000-1050
      forward@main 1050-1550
      load_batch@main 2000-2050
      forward@main 2050-2550
      load_batch@main 3000-3300
      forward@main 3300-3800
    """
    steps = [step(at, at + 1000, at // 1000) for at in (0, 1000, 2000, 3000)]
    assert cause_of(text, steps, 3) == ([("load", 250.0)], "load_batch", "load_batch")


@pytest.mark.parametrize(("number", "every"), [(1, 1), (99, 1), (100, 2), (1000, 20)])
def test_of_many_steps_the_mean_is_of_some(number, every):
    assert spread(range(number)) == range(0, number, every)


# -- Of a StepProfiler -----------------------------------------------------------------------------


def test_steps_of_a_profiler_by_a_clock():
    clock = Clock()

    def forward(ticks):
        clock.now += ticks

    with tracer.StepProfiler(timer=clock, timeunit=0.5) as profiler:
        for number in range(3):
            clock.now += 4
            forward(6)
            profiler.step(number)
    assert [(it.number, it.length, it.items, it.phases) for it in profiler.stats.steps] == [
        (0, 5.0, 0, {"forward": 3.0}),
        (1, 5.0, 1, {"forward": 3.0}),
        (2, 5.0, 2, {"forward": 3.0}),
    ]


def test_a_loader_is_the_phase_load():
    loop = Loop()

    def batches():
        for _ in range(3):
            loop.wait(7)
            yield 1

    with loop.profiler as profiler:
        for _ in profiler.loader(batches()):
            loop.wait(3)
            profiler.step()
    assert [it.phases for it in profiler.stats.steps] == [{"load": 7.0}] * 3
    assert [it.others for it in profiler.stats.steps] == [3.0] * 3


def test_steps_marked_by_the_program():
    clock = Clock()
    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)
    with profile:
        for number in range(2):
            with tracer.range("step", "step", number=number, items=4):
                clock.now += 10
                with tracer.range("anything", "save"):
                    clock.now += 5
    stats = tracer.Stats(profile)
    assert [(it.number, it.length, it.items_per_second) for it in stats.steps] == [
        (0, 15.0, 4 / 15),
        (1, 15.0, 4 / 15),
    ]
    assert [it.phases for it in stats.steps] == [{}, {}]  # nobody said that `save` is a phase
    capture = profile.capture()
    capture.phases = {"save": ()}
    assert [it.phases for it in tracer.Stats(capture).steps] == [{"save": 5.0}] * 2


# -- In JSON ---------------------------------------------------------------------------------------


def test_json_has_the_steps(tmp_path):
    steps = [step(0, 100, 7, 32), step(100, 200, 8, float("inf")), step(200, 300, 9, thread=1)]
    path = tmp_path / "x.json"
    stats = stats_of(TEXT, TEXT, steps=steps)
    stats.export("json", path)
    assert json.loads(path.read_text())["steps"] == [
        {
            "number": 7,
            "start_ns": 0,
            "end_ns": 100_000_000_000,
            "items": 32,
            "phases_ns": {"load": 50_000_000_000, "forward": 50_000_000_000},
            "others_ns": 0,
            "is_slow": False,
            "thread": 0,
        },
        {
            "number": 8,
            "start_ns": 100_000_000_000,
            "end_ns": 200_000_000_000,
            "items": None,
            "phases_ns": {"forward": 30_000_000_000, "load": 10_000_000_000},
            "others_ns": 60_000_000_000,
            "is_slow": False,
            "thread": 0,
        },
        {
            "number": 9,
            "start_ns": 200_000_000_000,
            "end_ns": 300_000_000_000,
            "items": None,
            "phases_ns": {"load": 30_000_000_000, "forward": 10_000_000_000},
            "others_ns": 60_000_000_000,
            "is_slow": False,
            "thread": 1,
        },
    ]
    stats.threads["Thread-1"].export("json", path)
    [only] = json.loads(path.read_text())["steps"]
    assert (only["number"], only["thread"]) == (9, 0)


def test_json_of_a_profile_without_a_timeline(tmp_path):
    path = tmp_path / "x.json"
    tracer.Stats(tracer.Profile()).export("json", path)
    assert json.loads(path.read_text())["steps"] == []
