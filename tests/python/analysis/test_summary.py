"""The figures of a summary, worked out by hand: model, overview, ranges, operators, device."""

from dataclasses import replace

import pytest

import tracer
from summaries import LOOP, RANGES, STEPS, USE, capture, marked, only, percent, step, summary
from tracer.analysis.steps.summary import Device, Summary
from tracer.analysis.steps.summary_sums import Line, Windows, spans_of
from tracer.data.types import RunInfo

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

INFO = RunInfo(("x",), 0.0, 10.0, 6.0, 2.0, 0, processors=8)


def device(**options):
    return summary(ranges=STEPS, **options).device()


def test_the_use_of_the_processors():
    assert device(use=USE) == Device(37.5, 75.0, 4)
    assert device(use=USE, info=INFO) == Device(37.5, 75.0, 4)
    assert device(use={**USE, "machine": None}) == Device(37.5, None, 4)
    assert device(use={**USE, "process": 99.0, "machine": 99.0}) == Device(100.0, 100.0, 4)
    assert device() == Device(None, None, 0)


def test_the_use_by_a_run_of_the_command(monkeypatch):
    """Where nothing was measured, the times of the run tell, of the processors that it had: the
    machine where the summary is made may have others."""
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    assert device(info=INFO) == Device(10.0, None, 8)
    assert device(info=replace(INFO, real=0.0)) == Device(None, None, 0)
    assert device(info=replace(INFO, processors=0)) == Device(None, None, 0)  # an older file


def test_the_use_of_several_runs():
    captures = capture(use=USE), capture(use={**USE, "process": 5.0, "processors": 2})
    assert Summary(tracer.Stats(*captures)).device() == Device(20 / 0.6, 100.0, 4)
    assert Summary(tracer.Stats(capture(use=USE), capture())).device() == Device(None, None, 0)
