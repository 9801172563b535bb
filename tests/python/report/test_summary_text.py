"""The text of a summary: its tables, what stands above them, and why steps are slow."""

import pytest

import tracer
from rows import Clock
from summaries import LOOP, RANGES, STEPS, USE, capture, marked, only, percent, printed, step
from tracer.analysis.steps.summary import SORT_KEYS, Summary, nearest
from tracer.analysis.steps.summary_sums import Line
from tracer.report.summary import NO_RANGES, VIEWS, SummaryText, aligned

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
