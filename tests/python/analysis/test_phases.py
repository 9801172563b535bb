"""analysis/steps/phases.py: when the phases of a run were."""

import asyncio
import random

import pytest

import tracer
from phasing import found, rules
from rows import Clock
from timelines import run_of
from tracer.analysis.steps.phases import Phase, full_name, phases_in, shares, united
from tracer.analysis.timeline.run import runs_of
from tracer.analysis.tree.stretches import length_of


def test_the_outermost_calls_are_the_phases():
    text = """
    main@main 0-1000
      load_batch@main 0-100
        load_batch@main 20-40
      forward@main 100-300
        layer@main 110-290
          forward@main 120-280
      forward@main 300-400
      forward@numpy 400-500
    """
    assert found(text) == [
        ("load", 0, 100, 0),
        ("forward", 100, 300, 0),
        ("forward", 300, 400, 0),
    ]


def test_phases_of_different_categories_may_lie_in_each_other():
    text = """
    main@main 0-1000
      optimizer_step@main 100-900
        forward@main 200-300
        backward@main 300-500
    """
    expected = [("optimizer", 100, 900, 0), ("forward", 200, 300, 0), ("backward", 300, 500, 0)]
    assert found(text) == expected


def test_each_thread_has_phases_of_its_own():
    text = "main@main 0-1000\n  forward@main 0-500\n"
    assert found(text, text) == [("forward", 0, 500, 0), ("forward", 0, 500, 1)]


def test_functions_in_c_and_of_libraries_by_rules_of_the_user():
    text = """
    main@main 0-1000
      time.sleep 0-100
      fetch@numpy 100-300
        time.sleep 150-200
    """
    own = {"wait": ["time.sleep"], "fetch": ["numpy.fetch"]}
    assert found(text, own=own) == [
        ("wait", 0, 100, 0),
        ("fetch", 100, 300, 0),
        ("wait", 150, 200, 0),
    ]


def test_ranges_of_a_category_are_phases_and_united_with_calls():
    ranges = [
        (0, 1, 50, 150, "any", "forward", (), 0, 0),
        (0, 1, 500, 600, "any", "forward", (), 0, 0),
        (0, 1, 700, -1, "not ended", "forward", (), 0, 0),
        (0, 1, 800, 850, "any", "elsewhere", (), 0, 0),
        (0, 1, 0, 900, "step", "step", (), 0, 0),
    ]
    text = "main@main 0-1000\n  forward@main 100-300\n"
    assert found(text, ranges=ranges) == [("forward", 50, 300, 0), ("forward", 500, 600, 0)]


def test_a_range_may_have_a_category_of_the_users_table_without_functions():
    ranges = [(0, 1, 50, 150, "any", "save", (), 0, 0)]
    assert found("main@main 0-1000\n", ranges=ranges, own={"save": []}) == [("save", 50, 150, 0)]


TASKS = """
main@main 0-1000
  load_batch@main 100-200 #1
  load_batch@main 300-350 #2
  load_batch@main 400-500 #1
  handle@main 600-900 #3
    load_batch@main 600-650
  handle@main 910-990 #3
    load_batch@main 910-940
"""


def test_a_task_is_a_phase_until_it_ended():
    """A coroutine that another one awaits is told in stretches."""
    tasks = [(1, 0, 2, 100, 550, "first"), (2, 0, 2, 300, -1, "goes on"), (3, 0, 3, 600, 990, "x")]
    assert found(TASKS, tasks=tasks) == [
        ("load", 100, 550, 0),
        ("load", 600, 650, 0),
        ("load", 910, 940, 0),
    ]


def test_a_task_of_which_nothing_is_known_is_told_in_stretches():
    assert [it[1:3] for it in found(TASKS)] == [
        (100, 200),
        (300, 350),
        (400, 500),
        (600, 650),
        (910, 940),
    ]


def test_what_is_shorter_than_the_timelines_limit_is_no_phase():
    text = "main@main 0-1000\n  forward@main 0-100\n  forward@main 100-300\n"
    assert found(text, least=200) == [("forward", 100, 300, 0)]


def test_phases_of_a_real_profile_by_a_clock():
    clock = Clock()

    def forward(ticks):
        clock.now += ticks
        if ticks > 5:
            forward(5)

    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)
    with profile:
        clock.now += 3
        forward(10)
        clock.now += 2
        forward(4)
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(3, 18, "forward"), (20, 24, "forward")]


def test_names_with_their_modules():
    text = "main@main 0-9\n  fetch@numpy 0-5\n    time.sleep 0-3\n"
    run = run_of(text)
    names = [full_name(run, row) for row in range(3)]
    assert names == ["main.main", "numpy.fetch", "time.sleep"]


def test_a_task_of_asyncio_is_a_phase_with_its_waits():
    """The reader takes 3, and waits for 20 in between."""
    clock = Clock()
    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)

    async def load_batch():
        clock.now += 1
        await asyncio.sleep(0)
        clock.now += 2

    async def main():
        reader = asyncio.create_task(load_batch())
        await asyncio.sleep(0)  # the reader begins
        clock.now += 20
        await reader

    with profile:
        clock.now += 5
        asyncio.run(main())
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(5, 28, "load")]


def test_a_coroutine_that_another_one_awaits_is_told_in_stretches():
    clock = Clock()
    profile = tracer.Profile(timer=clock, timeunit=1.0, timeline=True)

    async def load_batch():
        clock.now += 1
        await asyncio.sleep(0)
        clock.now += 2

    async def other():
        clock.now += 10

    async def main():
        task = asyncio.create_task(other())
        await load_batch()
        await task

    with profile:
        asyncio.run(main())
    (run,) = runs_of(tracer.Stats(profile))
    assert [it[:3] for it in phases_in(run, rules())] == [(0, 1, "load"), (11, 13, "load")]


# -- Against a model -------------------------------------------------------------------------------


def random_phases(chance, number):
    """Phases of one thread that overlap as they like."""
    found = []
    for _ in range(number):
        start = chance.randrange(60)
        found.append(Phase(start, start + chance.randrange(25), chance.choice("abc"), 0))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_phases_and_shares_are_those_of_a_model(seed):
    chance = random.Random(seed)
    phases = random_phases(chance, chance.randrange(12))
    joined = united(phases)
    assert joined == sorted(joined, key=lambda it: (it.start, -it.end))
    for category in "abc":
        ticks = {t for it in phases if it.category == category for t in range(it.start, it.end)}
        mine = [it for it in joined if it.category == category]
        assert {t for it in mine for t in range(it.start, it.end)} == ticks
        assert sum(it.end - it.start for it in mine) == len(ticks)
        assert length_of((it.start, it.end) for it in phases if it.category == category) == len(
            ticks
        )
    start = chance.randrange(30)
    end = start + chance.randrange(50)
    expected = dict.fromkeys("abc", 0)
    others = 0
    for tick in range(start, end):
        around = [it for it in joined if it.start <= tick < it.end]
        if around:
            expected[around[-1].category] += 1
        else:
            others += 1
    ticks, rest = shares(start, end, joined)
    assert {name: ticks.get(name, 0) for name in "abc"} == expected
    assert rest == others
    assert sum(ticks.values()) + rest == end - start
