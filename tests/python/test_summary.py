"""analysis/summary.py and report/summary.py: each view by figures worked out by hand, and all of
them against a model that goes through the ticks one by one."""

import io
import random

import pytest

import tracer
from rows import Clock
from timelines import capture_of
from tracer.analysis.summary import SORT_KEYS, Device, Summary, nearest
from tracer.analysis.summary_sums import Line, Windows, spans_of
from tracer.data.types import RunInfo
from tracer.report.summary import NO_RANGES, VIEWS, SummaryText, aligned

# Two steps of 100 ticks; a thread beside them loads ahead.
LOOP = """
main@main 0-200
  load_batch@main 0-20
  forward@main 20-60
    forward@main 30-50
  backward@main 60-70
    time.sleep 62-66
  forward@main 100-180
    sorted 110-150
      key@main 120-130
"""
READER = """
run@main 0-200
  load_batch@main 10-90
  load_batch@main 110-190
"""


def step(start, end, number=None, items=None, thread=0):
    values = {"number": number, "items": items}
    given = tuple((name, it) for name, it in values.items() if it is not None)
    return thread, 1, start, end, "step", "step", given, 0, thread


def marked(name, start, end, category=None, thread=0):
    return thread, 1, start, end, name, category, (), 0, thread


STEPS = [step(0, 100, 0, 10), step(100, 200, 1, 40)]
RANGES = [
    marked("read", 0, 30, "io"),
    marked("read", 10, 40, "io"),
    marked("note", 150, 250),
    marked("goes on", 150, -1),
    marked("write", 190, 200, "io", thread=1),
]


def capture(*texts, ranges=(), use=None, phases=(), info=None, **options):
    options.setdefault("tick", 1.0)
    options.setdefault("unit", 10)
    made = capture_of(*(texts or (LOOP, READER)), ranges=ranges, **options)
    made.use, made.phases, made.run = use, dict(phases), info
    return made


def summary(*texts, by_thread=False, **options):
    return Summary(tracer.Stats(capture(*texts, **options)), by_thread=by_thread)


def only(found):
    (part,) = found.parts.values()
    return part


def printed(*texts, views=None, sorted_by=None, time_unit="s", by_thread=False, **options):
    stats = tracer.Stats(capture(*texts, **options), stream=io.StringIO())
    assert stats.print_summary(sorted_by, views, time_unit, by_thread) is stats
    return stats.stream.getvalue()


# -- Model -----------------------------------------------------------------------------------------


def test_the_model_of_one_thread():
    found = summary(LOOP, ranges=STEPS)
    assert found.model(only(found)) == [
        Line("step", 2, 200.0, 100.0, 100.0, 100.0, 100.0),
        Line("load", 1, 20.0, 10.0, 20.0, 20.0, 20.0),
        Line("forward", 2, 120.0, 60.0, 60.0, 80.0, 40.0),
        Line("backward", 1, 10.0, 5.0, 10.0, 10.0, 10.0),
        Line("others", 2, 50.0, 25.0, 25.0, 30.0, 20.0),
    ]


def test_the_model_of_all_threads_unites_them():
    found = summary(ranges=STEPS)
    load = found.model(only(found))[1]
    assert load == Line("load", 3, 180.0, 85.0, 60.0, 80.0, 20.0)  # 0 to 90 and 110 to 190


def test_the_model_of_each_thread():
    found = summary(ranges=STEPS, by_thread=True)
    assert list(found.parts) == ["MainThread", "Thread-1"]
    assert [line.name for line in found.model(found.parts["MainThread"])] == [
        "step",
        "load",
        "forward",
        "backward",
        "others",
    ]
    assert found.model(found.parts["Thread-1"]) == [Line("load", 2, 160.0, 80.0, 80.0, 80.0, 80.0)]


def test_threads_of_one_name_are_one_part():
    found = summary(ranges=STEPS, by_thread=True, names=["worker", "worker"])
    assert list(found.parts) == ["worker"]


def test_what_is_outside_of_the_steps_does_not_count():
    """A phase counts by its part in steps, once, also where it has a part in two."""
    found = summary(LOOP, ranges=[step(10, 40, 0), step(50, 65, 1)])
    assert found.whole == 45.0
    assert found.model(only(found)) == [
        Line("step", 2, 45.0, 100.0, 22.5, 30.0, 15.0),
        Line("load", 1, 10.0, percent(10, 45), 10.0, 10.0, 10.0),
        Line("forward", 1, 30.0, percent(30, 45), 30.0, 30.0, 30.0),
        Line("backward", 1, 5.0, percent(5, 45), 5.0, 5.0, 5.0),
        Line("others", 2, 0.0, 0.0, 0.0, 0.0, 0.0),
    ]


def percent(part, whole):
    return 100.0 * part / whole


def test_without_steps_the_whole_recording_is_one():
    found = summary(LOOP)
    assert found.whole == 200.0
    assert found.model(only(found)) == [
        Line("load", 1, 20.0, 10.0, 20.0, 20.0, 20.0),
        Line("forward", 2, 120.0, 60.0, 60.0, 80.0, 40.0),
        Line("backward", 1, 10.0, 5.0, 10.0, 10.0, 10.0),
        Line("others", 1, 50.0, 25.0, 50.0, 50.0, 50.0),
    ]


def test_several_profiles_are_added_up():
    first, second = capture(LOOP, ranges=STEPS), capture(LOOP, ranges=STEPS)
    found = Summary(tracer.Stats(first, second))
    assert found.whole == 400.0
    assert found.model(only(found))[2] == Line("forward", 4, 240.0, 60.0, 60.0, 80.0, 40.0)


def test_names_without_folders_make_no_difference():
    """Which functions are the program's own is told from the folders."""
    stats = tracer.Stats(capture(LOOP, ranges=STEPS)).strip_dirs()
    found = Summary(stats)
    expected = summary(LOOP, ranges=STEPS)
    assert found.model(only(found)) == expected.model(only(expected))


# -- Overview and ranges ---------------------------------------------------------------------------


def test_the_overview():
    collections = [(0, 40, 44, 0, 1, 0), (0, 150, 156, 2, 1, 0), (0, 300, 400, 2, 1, 0)]
    found = summary(LOOP, ranges=STEPS + RANGES[:4], collections=collections)
    assert found.overview(only(found)) == [
        Line("step", 2, 200.0, 100.0, 100.0, 100.0, 100.0),
        Line("load", 1, 20.0, 10.0, 20.0, 20.0, 20.0),
        Line("forward", 2, 120.0, 60.0, 60.0, 80.0, 40.0),
        Line("backward", 1, 10.0, 5.0, 10.0, 10.0, 10.0),
        Line("io", 2, 60.0, 20.0, 30.0, 30.0, 30.0),
        Line("ranges", 1, 50.0, 25.0, 50.0, 50.0, 50.0),
        Line("collections", 2, 10.0, 5.0, 5.0, 6.0, 4.0),
        Line("C functions", 2, 34.0, 17.0),
        Line("Python functions", 7, 166.0, 83.0),
    ]


def test_the_ranges_of_the_program():
    found = summary(ranges=[*STEPS, *RANGES, marked("load", 0, 50, "load")])
    assert found.ranges(only(found)) == [
        ("io", Line("read", 2, 60.0, 20.0, 30.0, 30.0, 30.0)),
        ("", Line("note", 1, 50.0, 25.0, 50.0, 50.0, 50.0)),
        ("io", Line("write", 1, 10.0, 5.0, 10.0, 10.0, 10.0)),
    ]


def test_functions_are_those_of_the_steps():
    """In bins that lie in a step in part, in proportion."""
    found = summary(LOOP, ranges=[step(100, 120, 5), step(140, 160, 9)])
    lines = {line.name: line for line in found.overview(only(found))}
    assert lines["C functions"][1:3] == (1, 20.0)
    assert lines["Python functions"][1:3] == (1, 20.0)


@pytest.mark.parametrize("most", [1, 2, 3, 10])
def test_many_steps_are_summed_up_together_where_they_are_near(most):
    windows = Windows([(0, 10), (12, 20), (50, 60), (61, 70)])
    spans = spans_of(windows, most)
    assert (spans[0][0], spans[-1][1]) == (0, 70)
    assert sum((end - start) * share for start, end, share in spans) == pytest.approx(37)
    if most == 2:
        assert spans == [(0, 20, 18 / 20), (50, 70, 19 / 20)]
    assert len(spans) == min(most, 4)


# -- Operators -------------------------------------------------------------------------------------


def test_operators_and_what_they_called():
    found = summary(LOOP, ranges=STEPS).operators()
    assert [(it.name, *it[1:7]) for it in found] == [
        ("sorted", 1, 40.0, 30.0, 40.0, 40.0, 20.0),
        ("time.sleep", 1, 4.0, 4.0, 4.0, 4.0, 2.0),
    ]
    assert [(label[2], *rest) for label, *rest in found[0].below] == [("key", 1, 10.0)]


# -- Device ----------------------------------------------------------------------------------------

USE = {"real": 10.0, "process": 15.0, "machine": 30.0, "processors": 4}
INFO = RunInfo(("x",), 0.0, 10.0, 6.0, 2.0, 0)


def device(**options):
    return summary(ranges=STEPS, **options).device()


def test_the_use_of_the_processors():
    assert device(use=USE) == Device(37.5, 75.0, 4)
    assert device(use=USE, info=INFO) == Device(37.5, 75.0, 4)
    assert device(use={**USE, "machine": None}) == Device(37.5, None, 4)
    assert device(use={**USE, "process": 99.0, "machine": 99.0}) == Device(100.0, 100.0, 4)
    assert device() == Device(None, None, 0)


def test_the_use_by_a_run_of_the_command(monkeypatch):
    """Where nothing was measured, the times of the run tell; of a machine that had more
    processors than this one, at least those that it used."""
    monkeypatch.setattr("tracer.analysis.summary.processor_count", lambda: 2)
    assert device(info=INFO) == Device(40.0, None, 2)
    many = RunInfo(("x",), 0.0, 10.0, 30.0, 5.0, 0)
    assert device(info=many) == Device(87.5, None, 4)
    assert device(info=RunInfo(("x",), 0.0, 0.0, 0.0, 0.0, 0)) == Device(None, None, 0)


def test_the_use_of_several_runs():
    captures = capture(use=USE), capture(use={**USE, "process": 5.0, "processors": 2})
    assert Summary(tracer.Stats(*captures)).device() == Device(20 / 0.6, 100.0, 4)
    assert Summary(tracer.Stats(capture(use=USE), capture())).device() == Device(None, None, 0)


# -- The text --------------------------------------------------------------------------------------

TEXT = """\
Summary of 2 recorded steps, 200.000 s

Device

of 4 processors     use %
this process         37.5
the machine          75.0

Overview

category               calls  time (s)   ratio %
step                       2   200.000     100.0
load                       1    20.000      10.0
forward                    2   120.000      60.0
backward                   1    10.000       5.0
io                         2    60.000      20.0
C functions                2    34.000      17.0
Python functions           7   166.000      83.0

Model

phase                    calls  total (s)   average       max       min   ratio %
step                         2    200.000   100.000   100.000   100.000     100.0
load                         1     20.000    20.000    20.000    20.000      10.0
forward                      2    120.000    60.000    80.000    40.000      60.0
backward                     1     10.000    10.000    10.000    10.000       5.0
others                       2     50.000    25.000    30.000    20.000      25.0

Operators, of the whole recording

function written in C     calls  total (s)       own   average       max   ratio %
sorted                        1     40.000    30.000    40.000    40.000      20.0
  key  main.py:1              1     10.000
time.sleep                    1      4.000     4.000     4.000     4.000       2.0

User ranges

range                    calls  total (s)   average       max       min   ratio %
read [io]                    2     60.000    30.000    30.000    30.000      20.0

Steps: median 100.000 s, 0 of 2 slow

  step  time (s)  to median  items/s
     0   100.000     x 1.00      0.1
     1   100.000     x 1.00      0.4
"""


def test_the_text():
    text = printed(LOOP, ranges=STEPS + RANGES[:2], use=USE)
    assert [line.split() for line in text.splitlines()] == [
        line.split() for line in TEXT.splitlines()
    ]


def test_tables_are_aligned():
    for table in printed(LOOP, ranges=STEPS + RANGES[:2], use=USE).split("\n\n")[2::2]:
        head, *rows = table.splitlines()
        full = [row for row in rows if len(row.split()) >= len(head.split()) - 2]
        assert {len(row) for row in full if not row.startswith(" ")} <= {len(head)}, table


def test_a_table_is_as_wide_as_its_numbers():
    rows = [["name", "calls", "total (ns)"], ["a" * 90 + "bc", "1", "1,234,567,890,123"], ["d"]]
    lines = aligned(rows)
    assert [len(line) for line in lines] == [100, 100, 71]
    assert lines[1].startswith("aaa") and "…" in lines[1] and "abc " in lines[1]
    assert lines[1].endswith("  1,234,567,890,123")
    assert max(map(len, aligned([["n", *["1" * 20] * 6]]))) == 20 + 6 * 22


@pytest.mark.parametrize(
    ("unit", "told"), [("s", "0.120"), ("ms", "120.000"), ("us", "120,000.000")]
)
def test_units(unit, told):
    text = printed(LOOP, ranges=STEPS, tick=1e-3, time_unit=unit, views="model")
    assert f" {told} " in next(line for line in text.splitlines() if line.startswith("forward"))
    assert f"total ({unit})" in text


def test_nanoseconds_are_whole():
    text = printed(LOOP, ranges=STEPS, tick=1e-3, time_unit="ns", views="model")
    row = next(line.split() for line in text.splitlines() if line.startswith("forward"))
    assert row[2:6] == ["120,000,000", "60,000,000", "80,000,000", "40,000,000"]


@pytest.mark.parametrize("key", SORT_KEYS)
def test_each_key_sorts(key):
    text = printed(LOOP, ranges=STEPS, views="model", sorted_by=key)
    rows = [line.split() for line in text.split("\n\n")[2].splitlines()[1:]]
    column = {"name": 0, "calls": 1, "total": 2, "average": 3, "max": 4, "min": 5}[key]
    values = [row[column] if key == "name" else float(row[column]) for row in rows]
    assert values == sorted(values, reverse=key != "name")


@pytest.mark.parametrize("key", SORT_KEYS)
def test_operators_are_sorted_too(key):
    text = printed(LOOP, ranges=STEPS, views="operators", sorted_by=key)
    assert text.index("sorted") < text.index("time.sleep")


def test_views_are_told_in_their_order_whatever_was_asked_for():
    text = printed(LOOP, ranges=STEPS, views=["steps", "model"])
    assert text.index("Model") < text.index("Steps")
    assert "Overview" not in text


def test_by_thread():
    text = printed(ranges=STEPS + RANGES, by_thread=True)
    titles = [block for block in text.split("\n\n") if "\n" not in block]
    assert titles == [
        "Summary of 2 recorded steps, 200.000 s",
        "Overview: MainThread",
        "Overview: Thread-1",
        "Model: MainThread",
        "Model: Thread-1",
        "Operators, of the whole recording",
        "User ranges: MainThread",
        "User ranges: Thread-1",
        "Steps: median 100.000 s, 0 of 2 slow",
    ]


def test_what_there_is_nothing_to_tell_of_is_told_where_it_was_asked_for():
    text = printed("main@main 0-100\n", views=VIEWS)
    for told in (
        "There is no whole step, so the recording counts as one",
        "The use of the processors was not measured.",
        NO_RANGES,
        "No memory was recorded.",
        "Steps\n\nThere is no whole step.",
    ):
        assert told in text
    assert printed("main@main 0-100\n").split("\n\n")[1::2] == ["Overview", "Model"]


def test_short_calls_that_were_not_kept():
    text = printed(LOOP, ranges=STEPS, least=30)
    assert "\nCalls of less than 30.000 s were not kept one by one, and are no phases.\n" in text
    assert "load " not in text


def test_steps_whose_calls_were_overwritten():
    text = printed(LOOP, ranges=STEPS, timeline={"since": 50})
    assert text.startswith(
        "Summary of 1 recorded step, 100.000 s\nSteps that began before 50.000 s "
    )
    text = printed(LOOP, timeline={"since": 50})
    assert text.startswith("Summary of 150.000 s\nThere is no whole step, so the recording counts ")


def test_rules_that_no_function_has():
    phases = {"load": ("main.laod_batch",), "save": ("nothing.like.it", "main.key")}
    text = printed(LOOP, ranges=STEPS, phases=phases, views="model").splitlines()
    assert text[1:3] == [
        "phase load: no function 'main.laod_batch' was called; do you mean main.load_batch?",
        "phase save: no function 'nothing.like.it' was called",
    ]
    assert any(line.startswith("save ") for line in text)


def test_the_nearest_names_may_be_longer():
    names = ["app.io.Reader.read", "app.io.Writer.write", "max"]
    assert nearest("Reader.raed", names) == ["app.io.Reader.read"]
    assert nearest("nothing", names) == []


SLOW = "600.000 x 6.67 0.0 slow: others +510.000; most: main"


def test_of_many_steps_the_slowest_are_told():
    edges = [(at * 100, at * 100 + (90 if at % 10 else 99)) for at in range(300)]
    steps = [step(*pair, at, 1) for at, pair in enumerate(edges)]
    steps[150] = step(15000, 15100, 150, 1)
    steps[299] = step(29900, 30500, 299, 1)
    text = printed("main@main 0-31000\n", ranges=steps, views="steps")
    title, _, table = text.split("\n\n", 1)[1].partition("\n\n")
    assert title == "Steps: median 90.000 s, 1 of 300 slow; the 20 longest, in order"
    rows = [line.split() for line in table.splitlines()[1:]]
    assert len(rows) == 20
    numbers = [int(row[0]) for row in rows]
    assert numbers == sorted(numbers)
    assert rows[-1] == ["299", *SLOW.split()]


def test_a_limit():
    stats = tracer.Stats(capture(LOOP, ranges=STEPS + RANGES[:4]))
    text = SummaryText(stats, views=("operators", "ranges", "steps"), limit=1).text()
    assert text.count("... and 1 more") == 2
    assert "; the 1 longest, in order" in text
    text = SummaryText(stats, views=("operators", "ranges", "steps"), limit=0).text()
    assert "more" not in text


def test_names_that_would_break_a_line():
    text = printed(LOOP, ranges=[*STEPS, marked("a\nb", 0, 10, "c\td")], views="ranges,overview")
    assert "a\\nb [c\\td]" in text and "\nc\\td " in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sorted_by": "x"}, "sorted_by must be one of total, calls, average, max, min, name, not"),
        ({"time_unit": "m"}, "time_unit must be one of s, ms, us, ns, not 'm'"),
        ({"views": "model,x"}, "views must be of device, overview, model, operators, ranges, mem"),
        ({"views": []}, "views must be of .*, not 'none'"),
    ],
)
def test_what_cannot_be_printed(options, said):
    with pytest.raises(ValueError, match=said):
        tracer.Stats(capture()).print_summary(**options)


def test_a_profile_without_a_timeline():
    with pytest.raises(ValueError, match="a summary needs a timeline, and none was recorded: use"):
        tracer.Stats(tracer.Profile()).print_summary()


def test_a_real_loop_by_a_clock():
    clock = Clock()

    def forward(ticks):
        clock.now += ticks
        sorted([1], key=lambda _: work(3))

    def work(ticks):
        clock.now += ticks

    with tracer.StepProfiler(timer=clock, timeunit=1.0) as profiler:
        for number in range(1, 4):
            work(5)
            forward(10 * number)
            profiler.step(items=6)
    found = Summary(profiler.stats)
    assert found.model(only(found)) == [
        Line("step", 3, 84.0, 100.0, 28.0, 38.0, 18.0),
        Line("forward", 3, 69.0, percent(69, 84), 23.0, 33.0, 13.0),
        Line("others", 3, 15.0, percent(15, 84), 5.0, 5.0, 5.0),
    ]
    lines = {line.name: line for line in found.overview(only(found))}
    assert lines["C functions"] == Line("C functions", 3, 0.0, 0.0)
    assert lines["Python functions"][1:3] == (12, 84.0)  # 3 of each, but 6 of work()
    (operator,) = [it for it in found.operators() if "sorted" in it.name]
    assert (operator.calls, operator.total, operator.own, operator.longest) == (3, 9.0, 0.0, 3.0)


# -- Against a model -------------------------------------------------------------------------------

CALLS = ("load_batch@main", "forward@main", "backward@main", "work@main", "time.sleep")
CATEGORIES = {"load_batch@main": "load", "forward@main": "forward", "backward@main": "backward"}


def random_calls(chance, start, end, depth=0):
    """Calls within a stretch: (depth, name, start, end)."""
    now = start
    while now < end and chance.random() < 0.8:
        begin = chance.randint(now, end)
        stop = chance.randint(begin, end)
        if begin == stop:
            break
        yield depth, chance.choice(CALLS), begin, stop
        if depth < 4:
            yield from random_calls(chance, begin, stop, depth + 1)
        now = stop


def random_ranges(chance, thread):
    for _ in range(chance.randrange(6)):
        start = chance.randrange(150)
        end = start + chance.randrange(60)
        category = chance.choice([None, "io", "load", "forward"])
        yield marked(chance.choice("ab"), start, end, category, thread)


def random_steps(chance):
    now, found = chance.randrange(50), []
    while now < 180 and len(found) < 8:
        end = now + chance.randrange(1, 60)
        found.append(step(now, end, len(found), chance.choice([None, 3, 0.5])))
        now = end + chance.choice([0, 0, 0, 5, 20])
    return found if chance.random() < 0.9 else []


@pytest.mark.parametrize("seed", range(60))
def test_every_figure_agrees_with_its_own_list(seed):
    chance = random.Random(seed)
    threads = [list(random_calls(chance, 0, 200, 1)) for _ in range(chance.randint(1, 3))]
    texts = [
        "main@main 0-200\n" + "".join(f"{'  ' * at}{it} {a}-{b}\n" for at, it, a, b in calls)
        for calls in threads
    ]
    steps = random_steps(chance)
    ranges = [it for at in range(len(threads)) for it in random_ranges(chance, at)]
    by_thread = chance.random() < 0.5
    found = summary(*texts, ranges=steps + ranges, by_thread=by_thread)
    inside = {tick for it in steps for tick in range(it[2], it[3])} or set(range(200))
    assert found.whole == len(inside)
    groups = [[at] for at in range(len(threads))] if by_thread else [list(range(len(threads)))]
    for part, group in zip(found.parts.values(), groups, strict=True):
        model = {line.name: line for line in found.model(part)}
        for category in ("load", "forward", "backward"):
            each = [ticks_of(threads[at], ranges, at, category) for at in group]
            total = sum(len(ticks & inside) for ticks in each)
            united = set().union(*each) & inside
            line = model.get(category, Line(category, 0, 0.0, 0.0))
            assert line.total == total
            assert line.ratio == pytest.approx(percent(len(united), len(inside)))
        others = sum(step.others for step in found.steps) if steps and 0 in group else None
        if others is not None:
            assert model["others"].total == others
            main = [ticks_of(threads[0], ranges, 0, it) for it in CATEGORIES.values()]
            expected = sum(len(set(range(it[2], it[3])).difference(*main)) for it in steps)
            assert others == expected
        for name, category in {(it[4], it[5] or "") for it in ranges}:
            mine = [
                it for it in ranges if (it[4], it[5] or "", it[0] in group) == (name, category, 1)
            ]
            ticks = {tick for it in mine for tick in range(it[2], it[3])} & inside
            line = dict(by_name(found.ranges(part))).get((name, category), Line(name, 0, 0.0, 0.0))
            assert line.ratio == pytest.approx(percent(len(ticks), len(inside)))
        holds(found.model(part))
        holds(found.overview(part))
        holds([line for _, line in found.ranges(part)])
    for it in found.operators():
        assert 0 <= it.own <= it.total and it.average <= it.longest and 0 <= it.ratio <= 100
    for it in found.steps:
        assert sum(it.phases.values()) + it.others == pytest.approx(it.length)


def ticks_of(calls, ranges, thread, category):
    """The ticks of a thread that are in a phase of this category."""
    ticks = {t for _, name, a, b in calls if CATEGORIES.get(name) == category for t in range(a, b)}
    for it in ranges:
        if it[0] == thread and it[5] == category:
            ticks.update(range(it[2], it[3]))
    return ticks


def by_name(found):
    return [((line.name, category), line) for category, line in found]


def holds(lines):
    """What is true of each line, whatever was recorded."""
    for line in lines:
        assert 0 <= line.ratio <= 100
        assert line.total >= 0
        if line.average is not None:
            assert 0 <= line.min <= line.average <= line.max <= line.total
            assert line.total == pytest.approx(line.calls * line.average)


def test_a_profile_prints_its_summary_and_goes_on(capsys):
    profile = tracer.Profile(timeline=True)
    with profile:
        with tracer.range("epoch"):
            sum([1])
        profile.summary(views="ranges")
        assert profile.enabled
    assert "\nUser ranges\n\nrange" in capsys.readouterr().out
    with pytest.raises(ValueError, match=r"^a summary needs a timeline, and none was recorded"):
        tracer.Profile().summary()
