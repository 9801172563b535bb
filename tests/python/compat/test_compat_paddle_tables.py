"""The tables of tracer.compat.paddle to the letter, by a clock that the test moves; and that each
figure agrees with its own list."""

import random
import threading
from itertools import chain

import pytest

import tracer.compat.paddle as profiler
from paddles import World, tables
from places import HELPERS
from tracer.analysis.steps.timings import StepTimings
from tracer.analysis.tree.stretches import united
from tracer.compat.paddle import RecordEvent, SortedKeys, SummaryView
from tracer.compat.paddle_parts.figures import Event, shared, summary_of
from tracer.compat.paddle_parts.states import TracerEventType as Type
from tracer.compat.paddle_parts.tables import Row, Summary, perf_summary, summary_text

pytestmark = pytest.mark.results

MS = 0.001
TEXTS = dict(
    part.split("\n", 1) for part in (HELPERS / "paddle_tables.txt").read_text().split("## ")[1:]
)
MODEL = TEXTS["model"]


@pytest.fixture
def world(monkeypatch, tmp_path):
    return World(monkeypatch, tmp_path)


def test_device_overview_and_model(world, capsys):
    prof = world.run(6, scheduler=(2, 5))
    summary = prof.profiler_result.summary()
    summary.process, summary.system, summary.operators = 1.5, None, {}
    assert summary_text(summary) == TEXTS["device"] + TEXTS["overview"] + MODEL
    prof.summary(views=[SummaryView.ModelView, SummaryView.DistributedView])
    assert capsys.readouterr().out == MODEL + "\n"


def test_the_operators():
    inner = Row("called", 4, 1.5 * MS, 0.4 * MS, 0.3 * MS)
    rows = [
        Row("add", 1, 1 * MS, 1 * MS, 1 * MS),
        Row("matmul", 2, 3 * MS, 2 * MS, 1 * MS, (inner,)),
    ]
    summary = Summary(
        steps=Row("ProfileStep", 1, MS, MS, MS), operators={"All threads merged": rows}
    )
    views = [SummaryView.OperatorView]
    text = summary_text(summary, time_unit="us", views=views)
    assert text == TEXTS["operators"]
    without = summary_text(summary, op_detail=False, views=views)
    assert [cells[0] for cells in tables(without)["Operator Summary"]] == ["Name", "matmul", "add"]
    by_least = summary_text(summary, sorted_by=SortedKeys.CPUMin, op_detail=False, views=views)
    assert [cells[0] for cells in tables(by_least)["Operator Summary"]] == ["Name", "add", "matmul"]


def test_calls_that_found_no_room_are_told():
    rows = {"All threads merged": [Row("add", 1, 1.0, 1.0, 1.0)]}
    summary = Summary(steps=Row("ProfileStep", 1, 2.0, 2.0, 2.0), operators=rows, least=2.5e-6)
    text = summary_text(summary, time_unit="us", views=[SummaryView.OperatorView])
    assert "\nCalls of less than 2.5 us found no room, and are not here.\n---" in text


def test_a_long_name_below_an_operator_is_cut():
    inner = Row("x" * 60, 1, MS, MS, MS)
    rows = [Row("y" * 60, 1, MS, MS, MS, (inner,))]
    text = summary_text(Summary(steps=Row("ProfileStep", 1, MS, MS, MS), operators={"all": rows}))
    assert f"\n{'y' * 60}  1 " in text
    assert f"\n  {'x' * 47}...  1 " in text


def test_ranges_by_thread_and_ranges_that_move_memory(world, capsys):
    def other():
        with RecordEvent("in the other"):
            world.wait(4)

    with profiler.Profiler(on_trace_ready=world.note) as prof:
        thread = threading.Thread(target=other, name="other")
        with RecordEvent("first"):
            world.wait(6)
        with RecordEvent("MemCpy to nowhere"):
            world.wait(2)
        thread.start()
        thread.join()
        prof.step()
    prof.summary(thread_sep=True)
    text = capsys.readouterr().out
    found = tables(text)
    assert found["Memory Manipulation Summary"][1][:3] == [
        "MemCpy to nowhere",
        "1",
        "2.00 / 2.00 / 2.00 / 2.00 / 16.67",
    ]
    assert [row[:3] for row in found["UserDefined Summary"]] == [
        ["Name", "Calls", "CPU Total / Avg / Max / Min / Ratio(%)"],
        ["first", "1", "6.00 / 6.00 / 6.00 / 6.00 / 50.00"],
        ["in the other", "1", "4.00 / 4.00 / 4.00 / 4.00 / 33.33"],
    ]
    titles = [line.strip("-") for line in text.splitlines() if "Thread: " in line]
    assert [title.partition(" (")[2] for title in titles[-2:]] == ["MainThread)", "other)"]
    prof.summary(sorted_by=SortedKeys.CPUMin)
    rows = tables(capsys.readouterr().out)["UserDefined Summary"]
    assert [row[0] for row in rows] == ["Name", "in the other", "first"]


def test_without_a_step_there_is_the_table_of_devices_alone():
    assert summary_text(Summary(process=1.5)) == TEXTS["device"]


def test_the_user_ranges_have_no_rule_at_the_end():
    rows = {"All threads merged": [Row("range of one", 1, 1.0, 1.0, 1.0)]}
    summary = Summary(steps=Row("ProfileStep", 1, 2.0, 2.0, 2.0), ranges=rows)
    assert summary_text(summary, time_unit="s", views=[SummaryView.UDFView]) == TEXTS["ranges"]


def test_the_timers_table():
    timings = StepTimings(10, (0.1, 0.3, 0.2), (0.01, 0.03, 0.02), (8, 8, 8))
    assert perf_summary(timings, "images") == TEXTS["timer"]


def test_the_timers_table_leaves_out_ten_steps_and_a_reader_that_is_none(world, capsys):
    with profiler.Profiler(timer_only=True, on_trace_ready=world.note) as prof:
        for number in range(13):
            world.wait(1000 if number < 10 else 10 * number)
            prof.step()
    assert capsys.readouterr().out.splitlines()[1:] == [
        "Time Unit: s, IPS Unit: steps/s",
        "|                 |       avg       |       max       |       min       |",
        "|    batch_cost   |     0.11000     |     0.12000     |     0.10000     |",
        "|       ips       |     9.09091     |     10.00000    |     8.33333     |",
    ]


@pytest.mark.parametrize("steps", [0, 1, 10])
def test_ten_steps_have_no_timers_table(world, capsys, steps):
    world.run(steps, timer_only=True)
    assert capsys.readouterr().out == ""


def test_phases_of_one_step_that_hold_others_count_once():
    events = [
        Event(0, 100, "ProfileStep#0", Type.ProfileStep),
        Event(10, 60, "Gradient Backward", Type.Backward),
        Event(20, 30, "Layer", Type.Forward),
        Event(60, 80, "Layer", Type.Forward),
        Event(65, 70, "Layer", Type.Forward),
    ]
    summary = summary_of([events], ["main"], 1.0, by_thread=False)
    assert [(row.name, row.calls, row.total) for row in summary.phases] == [
        ("Forward", 1, 20.0),
        ("Backward", 1, 50.0),
    ]
    assert summary.others == 30.0
    assert sorted(summary.overview) == [
        ("Backward", 1, 50.0),
        ("Forward", 1, 30.0),
        ("ProfileStep", 1, 100.0),
    ]


def test_each_figure_agrees_with_its_list():
    chance = random.Random(5)
    kinds = [Type.ProfileStep, Type.Forward, Type.Dataloader, Type.Operator, Type.PythonUserDefined]
    for _ in range(200):
        threads = []
        for _ in range(chance.randint(1, 3)):
            starts = [chance.randint(0, 1000) for _ in range(chance.randint(0, 30))]
            ends = [start + chance.randint(0, 200) for start in starts]
            both = zip(starts, ends, strict=True)
            events = [Event(*ends, chance.choice("ab"), chance.choice(kinds)) for ends in both]
            threads.append(sorted(events, key=lambda event: (event.start, -event.end)))
        names = [f"thread {number}" for number in range(len(threads))]
        summary = summary_of(threads, names, 0.1, by_thread=chance.random() < 0.5)
        every = [*summary.operators.values(), *summary.ranges.values(), summary.phases]
        for row in [*([summary.steps] if summary.steps else []), *chain.from_iterable(every)]:
            assert row.shortest <= row.average <= row.longest <= row.total + 1e-9
        assert summary.others >= 0
        for cells in chain.from_iterable(tables(summary_text(summary)).values()):
            for cell in cells[-1].split(" / ")[-1:]:
                assert not cell.replace(".", "").isdigit() or float(cell) <= 100


def test_spans_unite_and_meet():
    chance = random.Random(3)
    for _ in range(300):
        lists = []
        for _ in range(2):
            starts = [chance.randint(0, 50) for _ in range(chance.randint(0, 8))]
            lists.append([(start, start + chance.randint(0, 15)) for start in starts])
        some, others = map(united, lists)
        moments = [{at for start, end in spans for at in range(start, end)} for spans in lists]
        assert {at for start, end in some for at in range(start, end)} == moments[0]
        met = shared(some, others)
        assert {at for start, end in met for at in range(start, end)} == moments[0] & moments[1]
        assert united(met) == sorted(met) or any(start == end for start, end in met)
