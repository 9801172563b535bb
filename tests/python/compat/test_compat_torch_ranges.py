"""tracer.compat.torch: ranges and their own times, rows by callers, events; by a clock that the
test moves."""

import os
import re

import pytest

import tracer
from places import HELPERS
from timelines import capture_of
from torching import (
    CLOCK,
    Profile,
    backward,
    bare,
    forward,
    load,
    matmul,
    place,
    rows,
    told,  # noqa: F401, a fixture
    train,
)
from tracer.compat.torch import record_function
from tracer.compat.torch_parts.figures import averages
from tracer.compat.torch_parts.ranges import Steps


@pytest.fixture(autouse=True)
def at_the_sources(monkeypatch):
    monkeypatch.chdir(HELPERS)


# -- record_function -------------------------------------------------------------------------------


def test_ranges_decorate_and_nest():
    @record_function("decorated")
    def work():
        CLOCK.now += 5
        with record_function("inner"):
            CLOCK.now += 2
            with record_function("inner"):
                CLOCK.now += 1

    with Profile() as profiler:
        work()
        work()
    assert rows(profiler.key_averages()) == {
        "decorated": (2, 0, 16),
        "inner": (4, 6, 6),
        work.__qualname__: (2, 10, 16),
    }


def test_a_range_that_outlives_its_function_has_the_callers_time():
    def begin():
        CLOCK.now += 3
        mark = record_function("open")
        mark.__enter__()
        CLOCK.now += 4
        return mark

    def work():
        mark = begin()
        CLOCK.now += 5
        load()
        mark.__exit__(None, None, None)
        CLOCK.now += 6

    with Profile() as profiler:
        work()
    found = rows(profiler.key_averages())
    assert found["open"] == (1, 9, 16)
    assert found[begin.__qualname__] == (1, 3, 7)
    assert found[work.__qualname__] == (1, 6, 25)
    assert found["load"] == (1, 7, 7)


def test_a_range_of_a_task_has_no_time_of_its_own():
    import asyncio

    async def fetch():
        with record_function("fetch"):
            CLOCK.now += 5
            await asyncio.sleep(0)
            CLOCK.now += 5

    async def main():
        await asyncio.gather(fetch(), fetch())

    with Profile() as profiler:
        asyncio.run(main())
    (row,) = (row for row in profiler.key_averages() if row.key == "fetch")
    assert (row.count, row.is_async, row.self_cpu_time_total) == (2, True, 0)
    (line,) = (line for line in str(profiler.key_averages()).splitlines() if " fetch " in line)
    assert line.split()[3] == "0"


def test_what_the_reader_of_a_loop_took_is_no_row():
    with Profile() as profiler, tracer.range("load", "load"):
        CLOCK.now += 1
    assert profiler.key_averages() == []


def test_a_range_tells_its_arguments(tmp_path):
    with Profile() as profiler, record_function("sized", "batch=3"):
        CLOCK.now += 1
    profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    assert '"args": {"args": "batch=3"}' in (tmp_path / "trace.json").read_text()


# -- Callers ---------------------------------------------------------------------------------------


def test_rows_by_callers():
    def other():
        matmul()

    with Profile(with_stack=True) as profiler:
        train()
        other()
    averages = profiler.key_averages(group_by_stack_n=1)
    found = {(row.key, *row.stack): row.count for row in averages if "matmul" in row.key}
    assert found == {
        (place(matmul), place(forward)): 2,
        (place(matmul), f"{os.path.dirname(__file__)}/{place(other)}"): 1,
    }
    assert sum(round(row.self_cpu_time_total) for row in averages) == 3069 + 20
    (row,) = (row for row in averages if row.key == place(train))
    assert round(row.self_cpu_time_total) == 6
    lines = averages.table(sort_by="self_cpu_time_total", row_limit=1).splitlines()
    assert lines[1].endswith(f"  {'Source Location':<{len(lines[0].split()[-1])}}  ")
    assert lines[3].split()[-2:] == place(train).split()
    assert lines[4].strip() == ""


def test_a_recursion_is_timed_once_by_callers():
    def down(n):
        CLOCK.now += 10
        if n:
            down(n - 1)

    def other():
        down(2)

    with Profile(with_stack=True) as profiler:
        other()
    averages = profiler.key_averages(group_by_stack_n=1)
    found = {(bare(row.key), bare(row.stack[0])): row for row in averages if row.stack}
    names = down.__qualname__, other.__qualname__
    (outer,), (inner,) = (
        rows([found[names[0], caller]]).values() for caller in (names[1], names[0])
    )
    assert (outer, inner) == ((1, 10, 30), (2, 20, 0))


def test_without_with_stack_rows_have_no_callers():
    with Profile() as whole:
        train()
    assert rows(whole.key_averages(group_by_stack_n=5)) == rows(whole.key_averages())


def test_a_long_place_loses_its_beginning():
    with Profile(with_stack=True) as profiler:
        train()
    table = profiler.key_averages(group_by_stack_n=1).table(max_src_column_width=12)
    assert re.search(r"  \.\.\.: forward  \n", table)


# -- Events ----------------------------------------------------------------------------------------


def test_events_nest_as_they_ran():
    with Profile(with_stack=True) as profiler:
        train()
    events = profiler.events()
    names = [(event.name, event.cpu_parent and event.cpu_parent.name) for event in events]
    assert names == [
        (place(train), None),
        (place(load), place(train)),
        ("forward", place(train)),
        (place(forward), "forward"),
        (place(matmul), place(forward)),
        (place(matmul), place(forward)),
        ("backward", place(train)),
        (place(backward), "backward"),
    ]
    event = events[3]
    assert [round(at) for at in event.time_range] == [12, 62]
    assert round(event.self_cpu_time_total) == 10
    assert event.stack == [place(train)]
    assert [it.name for it in event.cpu_children] == 2 * [place(matmul)]
    assert rows(events.key_averages()) == rows(profiler.key_averages())
    assert events.table(row_limit=1).splitlines()[3].split()[1] == "train"


def test_a_generator_that_began_before_and_goes_on_is_an_event():
    def numbers():
        CLOCK.now += 5
        yield
        CLOCK.now += 7
        yield

    made = numbers()
    next(made)
    with Profile() as profiler:
        next(made)
    (event,) = (it for it in profiler.events() if it.name.endswith(numbers.__qualname__))
    assert event.cpu_time_total == 7


# -- A timeline without room -----------------------------------------------------------------------


def test_where_short_calls_are_not_kept_no_time_is_told_twice(told):  # noqa: F811
    mark = (0, 1, 5, 95, "outer", None, (), 0, 0)  # in work, from 5 to 95
    capture = capture_of(
        """
        work@own 0-100
          short@own 10-20
          short@own 30-40
          long@own 50-90
        """,
        least=15,
        ranges=(mark,),
    )
    assert rows(averages([capture], Steps(False, 0))) == {
        "outer": (1, 40, 90),
        "work": (1, 0, 100),
        "short": (2, 20, 20),
        "long": (1, 40, 40),
    }
    assert told() == [
        "tracer: the timeline had no room for all calls: the own time of record_function() and of "
        "steps is estimated; record fewer steps in a cycle"
    ]
