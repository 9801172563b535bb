"""analysis/timeline/ranges.py and report/ranges.py: exact sums of ranges, sorted as asked."""

import pytest

from timelines import place, run_of
from tracer.analysis.timeline.ranges import RangeSum, percentile, ran_in, range_sums, ranges_of
from tracer.cli.options.printing import RANGE_KEYS
from tracer.report.ranges import NO_RANGES, longest_ranges, range_table

HEAD = "        at      took       ran  the longest ranges, their values, and where they began"

PROGRAM = "main@main 0-10000\n  load@main 100-9000\n"


def one(name, start, end, category=None, values=(), node=2, thread=0):
    return thread, node, start, end, name, category, values, 0, thread


RANGES = [
    one("load", 100, 300),
    one("step", 300, 400, "train", (("batch", 3), ("who", "a\nb"))),
    one("load", 400, 1400, values=(("batch", 2),)),
    one("step", 500, 550, "test"),
    one("load", 2000, 2100),
    one("load", 3000, -1),
    one("whole", 4000, -1, node=0),
]


def told(key="total", limit=None, width=100, ranges=RANGES, **options):
    run = run_of(PROGRAM, ranges=ranges, **options)
    found = list(ranges_of([run]))
    return range_table(range_sums(found, key), key, limit, width), longest_ranges(
        found, width, place
    )


def test_sums_by_name_and_category():
    sums = range_sums(ranges_of([run_of(PROGRAM, ranges=RANGES, tick=1.0)]))
    assert sums == [
        RangeSum("load", "", 3, 1300.0, 100.0, 1300 / 3, 1000.0, 200.0, 1000.0, 1),
        RangeSum("step", "train", 1, 100.0, 100.0, 100.0, 100.0, 100.0, 100.0, 0),
        RangeSum("step", "test", 1, 50.0, 50.0, 50.0, 50.0, 50.0, 50.0, 0),
        RangeSum("whole", "", 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1),
    ]


@pytest.mark.parametrize(
    ("numbers", "percent", "expected"),
    [
        ([7], 50, 7),
        ([1, 2], 50, 1),
        ([1, 2, 3], 50, 2),
        (list(range(1, 21)), 95, 19),
        (list(range(1, 101)), 95, 95),
        (list(range(1, 102)), 95, 96),
    ],
)
def test_a_percentile_is_a_number_that_was_there(numbers, percent, expected):
    assert percentile(numbers, percent) == expected


@pytest.mark.parametrize("key", RANGE_KEYS)
def test_each_key_sorts(key):
    sums = range_sums(ranges_of([run_of(PROGRAM, ranges=RANGES)]), key)
    values = [getattr(row, "number" if key == "count" else key) for row in sums]
    assert values == sorted(values, reverse=key != "name")


def test_the_tables():
    table, longest = told()
    assert table == [
        "   Ordered by: total",
        "",
        "    count    total      min     mean      max      p50      p95  not ended  "
        "range [category]",
        "        3   1.3 ms   100 us   433 us     1 ms   200 us     1 ms          1  load",
        "        1   100 us   100 us   100 us   100 us   100 us   100 us             step [train]",
        "        1    50 us    50 us    50 us    50 us    50 us    50 us             step [test]",
        "        0                                                                1  whole",
    ]
    assert longest == [
        HEAD,
        "  0.003000      7 ms      7 ms  load  in load, main.py:1  MainThread  not ended",
        "  0.004000      6 ms      6 ms  whole  MainThread  not ended",
        "  0.000400      1 ms      1 ms  load  batch=2  in load, main.py:1  MainThread",
        "  0.000100    200 us    200 us  load  in load, main.py:1  MainThread",
        "  0.000300    100 us    100 us  step [train]  batch=3  who='a\\nb'  in load, main.py:1  "
        "MainThread",
        "  0.002000    100 us    100 us  load  in load, main.py:1  MainThread",
        "  0.000500     50 us     50 us  step [test]  in load, main.py:1  MainThread",
    ]


SERVICE = """
serve@main 0-10000
  handle@main 100-300 #1
  handle@main 400-1400 #2
    gap 500-1500 800
  handle@main 2000-2500 + #1
  select 3000-5000
    gap 3000-5000 2000
"""


def in_task(start, end, task=0, thread=0, end_thread=0):
    return thread, 2, start, end, "request", None, (), task, end_thread


@pytest.mark.parametrize(
    ("found", "ran"),
    [
        (in_task(200, 2200, task=1), 300),
        (in_task(150, 250, task=1), 100),
        (in_task(500, 5000, task=2), 900),
        (in_task(0, 100), 100),
        (in_task(500, 1500), 200),
        (in_task(1000, 4000), 1600),
        (in_task(1000, 4000, end_thread=1), None),
    ],
)
def test_how_long_a_task_or_a_thread_ran_in_a_range(found, ran):
    """Of a task its stretches count, of a thread what it did not wait. A wait is spread over its
    gap."""
    run = run_of(SERVICE, "other@main 0-9000\n", ranges=[found], tick=1e-3)
    (seconds,) = ran_in(list(ranges_of([run])))
    assert seconds == (None if ran is None else pytest.approx(ran * 1e-3))


@pytest.mark.parametrize("options", [{"timeline": {"since": 700}}, {"least": 200}])
def test_how_long_it_ran_is_not_known_without_all_slices(options):
    run = run_of(SERVICE, ranges=[in_task(500, 1500)], tick=1e-6, **options)
    assert ran_in(list(ranges_of([run]))) == [None]
    assert longest_ranges(list(ranges_of([run])), 99, place)[1].startswith(
        "  0.000500      1 ms            request  "
    )


def test_rows_are_limited_and_lines_fit():
    assert [line.split()[-1] for line in told("name", limit=2)[0][3:]] == ["load", "[test]"]
    for lines in told(width=50):
        assert max(map(len, lines[1:])) <= 102


def test_a_part_of_the_run():
    sums = range_sums(ranges_of([run_of(PROGRAM, ranges=RANGES, begin=0.0005, end=0.0019)]))
    assert [(row.name, row.number, row.open) for row in sums] == [("load", 1, 0), ("step", 1, 0)]


def test_there_may_be_none():
    assert told(ranges=[]) == ([NO_RANGES], [])


def test_several_runs_are_added_up():
    runs = [run_of(PROGRAM, ranges=RANGES), run_of(PROGRAM, ranges=RANGES[:1])]
    assert range_sums(ranges_of(runs))[0].number == 4


def test_of_ranges_of_one_length_the_first_comes_first():
    ranges = [one("load", start, start + 100) for start in (500, 200, 900)]
    run = run_of(PROGRAM, ranges=ranges, tick=1.0)
    _, *lines = longest_ranges(list(ranges_of([run])), 99, place, 2)
    assert [float(line.split()[0]) for line in lines] == [200.0, 500.0]
