"""What each format of timelines tells beside the slices, where it has a place for it: gaps, ranges,
tasks, greenlets, and what happened at a moment.

formats/<name>.py reads a format back, as for test_exports_contract.py.
"""

from math import inf
from types import SimpleNamespace

import pytest

from drawn import Call, Gap, capture_of
from redrawn import BESIDE, MAIN, OTHER, drawn, name_in
from tracer.exports.export import Window
from tracer.exports.formats import chrome
from tracer.exports.tracks import WAITED, Interval, Lane


@pytest.mark.parametrize("name", BESIDE)
def test_gaps_are_told(name):
    inner = (Call("len", 100, 300, (Gap(110, 290, 170),)), Gap(400, 500, 80))
    told = drawn(name, capture_of({"MainThread": (Call("main", 0, 1_000, inner),)}))
    if told.slices is None:
        assert {key: one["values"] for key, one in told.intervals.items()} == {
            (WAITED[1], 110, 290): "without CPU=170 ns",
            (WAITED[0], 400, 500): "without CPU=80 ns",
        }
        return
    assert told.slices["MainThread"] == [
        ("main", 0, 1_000, 0),
        ("len", 100, 300, 1),
        (WAITED[1], 110, 290, 2),
        (WAITED[0], 400, 500, 1),
    ]


def test_speedscope_has_no_place_for_gaps():
    told = drawn("speedscope", capture_of({"MainThread": (Call("a", 0, 9, (Gap(1, 8, 7),)),)}))
    assert told.slices == {"MainThread": [("a", 0, 9, 0)]}


@pytest.mark.parametrize("name", BESIDE)
def test_what_had_not_ended_says_so(name):
    ranges = ((0, 1, 150, -1, "open", None, (), 0, 0),)
    told = drawn(name, capture_of({"MainThread": MAIN}, ranges=ranges))
    [((_, start, end), values)] = told.intervals.items()
    assert (start, end) == (150, 20_000)
    assert "ended=False" in str(values.get("values", "")) or values["ended"] is False
    if told.opened is not None:
        assert {name_in(name)(one) for one in told.opened} == {"main", "work"}


@pytest.mark.parametrize("name", BESIDE)
def test_ranges_that_overlap_stand_beside_each_other(name):
    ranges = (
        (0, 1, 100, 500, "outer", "io", (("batch", 3), ("rate", 0.5)), 0, 0),
        (0, 1, 200, 300, "inner", None, (), 0, 0),
        (0, 1, 400, 900, "later", None, (("none", None),), 0, 0),
        (0, 1, 450, 450, "short", None, (), 0, 0),
    )
    told = drawn(name, capture_of({"MainThread": MAIN}, ranges=ranges))
    assert set(told.intervals) == {(it[4], it[2], it[3]) for it in ranges}
    values = told.intervals["outer", 100, 500]
    if "batch" in values:
        assert (values["category"], values["batch"], values["rate"]) == ("io", 3, 0.5)
    else:
        assert values["values"] == "category=io, batch=3, rate=0.5"


@pytest.mark.parametrize("name", BESIDE)
def test_tasks_and_greenlets_ran_when_they_ran(name):
    calls = (
        Call("step", 100, 200, task=1),
        Call("step", 200, 250, task=2),
        Call("step", 300, 400, task=1),
        Call("greet", 500, 600, stack=1),
    )
    told = drawn(
        name,
        capture_of(
            {"MainThread": calls},
            tasks=((1, 0, 1, 100, 400, "fetch"), (2, 0, 1, 200, -1, None)),
            stacks=((1, 0, "cook"),),
            ranges=((0, 1, 150, 350, "request", None, (), 1, 0),),
        ),
    )
    assert set(told.intervals) == {
        ("fetch", 100, 400),
        ("task 2", 200, 600),
        ("running", 100, 200),
        ("running", 200, 250),
        ("running", 300, 400),
        ("running", 500, 600),
        ("request", 150, 350),
    }
    lanes = {key: values.get("lane") for key, values in told.intervals.items()}
    if name != "perfetto":  # whose tracks have the names
        assert lanes["running", 300, 400] == "fetch"
        assert lanes["running", 500, 600] == "cook"
        assert lanes["request", 150, 350] == "fetch: ranges"


@pytest.mark.parametrize("name", BESIDE)
def test_collections_marks_forks_counters_and_flows(name):
    told = drawn(
        name,
        capture_of(
            {"MainThread": MAIN, "other": OTHER},
            collections=((1, 600, 700, 2, 5, 1),),
            marks=((0, 1, 5_000, "epoch 2", (("seen", True), ("loss", 1.5))),),
            forks=((0, 9_500, "fork", 4242), (0, 9_600, "exec", -1)),
            counters=((0, 10, "loss", 0.5), (0, 20, "loss", inf), (1, 30, "loss", -7)),
            flows=(("request", 0, 1_000, 1, 30_000), ("request", 1, 2_000, 0, 2_500)),
        ),
    )
    assert set(told.intervals) == {("garbage collection", 600, 700)}
    [values] = told.intervals.values()
    wanted = {"generation": 2, "collected": 5, "uncollectable": 1}
    assert wanted.items() <= values.items() or values["values"] == (
        "generation=2, collected=5, uncollectable=1"
    )
    assert [(at, one) for at, one, _ in told.instants] == [
        (5_000, "epoch 2"),
        (9_500, "fork"),
        (9_600, "exec"),
    ]
    marked, forked, _ = (values for *_, values in told.instants)
    assert marked in ({"seen": True, "loss": 1.5}, {"values": "seen=True, loss=1.5"})
    assert forked in ({"pid": 4242}, {"values": "pid=4242"})
    assert told.counters == {"loss": [(10, 0.5), (30, -7)]}
    assert told.flows == [
        ("request", "MainThread", 1_000, "other", 30_000),
        ("request", "other", 2_000, "MainThread", 2_500),
    ]


@pytest.mark.parametrize("name", BESIDE)
def test_what_is_beside_is_cut_out_too(name):
    told = drawn(
        name,
        capture_of(
            {"MainThread": MAIN},
            ranges=(
                (0, 1, 100, 500, "in", None, (), 0, 0),
                (0, 1, 900, 999, "out", None, (), 0, 0),
                (0, 1, 800, 900, "last", None, (), 0, 0),
            ),
            marks=((0, 1, 350, "in", ()), (0, 1, 901, "out", ())),
            counters=((0, 400, "in", 1), (0, 901, "out", 1)),
            flows=(("in", 0, 300, 0, 400), ("out", 0, 300, 0, 901)),
        ),
        window=Window(300, 800),
    )
    assert set(told.intervals) == {("in", 300, 500), ("last", 800, 800)}
    assert [one for _, one, _ in told.instants] == ["in"]
    assert list(told.counters) == ["in"]
    assert [one for one, *_ in told.flows] == ["in"]


def test_in_chrome_what_ends_ends_before_the_next_begins():
    lane = Lane("ranges", "ranges", [Interval(0, 5, "a", "range"), Interval(5, 9, "b", "range")])
    events = chrome.lane_events(lane, SimpleNamespace(pid=1), 2, 3)
    told = [(event["ph"], event["ts"], event["name"]) for event in events]
    assert told == [("b", 0, "a"), ("e", 0.005, "a"), ("b", 0.005, "b"), ("e", 0.009, "b")]
